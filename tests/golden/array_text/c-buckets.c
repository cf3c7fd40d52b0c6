/* main: made from a program in L0.
   
   error 1: the size {} is negative, buckets.l0:4:4
   error 2: an array of size {} is too large, buckets.l0:4:4
   error 3: the arrays have different sizes: {} and {}, buckets.l0:4:4
   error 4: out of memory, buckets.l0:5:4
   error 5: the key {} is out of bounds of {} buckets, buckets.l0:4:4
   error 6: out of memory, buckets.l0:3:1 */

...

/* main, buckets.l0:3:1 */
static bool main_(cogen_memory *memory, int64_t keys_size, int64_t a_size, int64_t *keys, double *a,
        int64_t n, double **result, cogen_block **result_block, int64_t *result_shape,
        int64_t **result_2, cogen_block **result_2_block, int64_t *result_2_shape)
{
    cogen_memory *const whole = memory;
    const bool v = 0 <= n;
    const bool v_2 = n <= INT64_C(140737488355328);
    const bool v_3 = keys_size == a_size;
    if (!v) {
        cogen_fail(&memory->error, 1, n, 0, 0);
        return true;
    }
    if (!v_2) {
        cogen_fail(&memory->error, 2, n, 0, 0);
        return true;
    }
    if (!v_3) {
        cogen_fail(&memory->error, 3, keys_size, a_size, 0);
        return true;
    }
    cogen_block *const buckets_block = cogen_alloc(memory, n, sizeof(double));
    if (buckets_block == NULL) {
        cogen_fail(&memory->error, 4, 0, 0, 0);
        return true;
    }
    double *const buckets = cogen_data(buckets_block);
    cogen_block *const buckets_2_block = cogen_alloc(memory, n, sizeof(int64_t));
    if (buckets_2_block == NULL) {
        cogen_fail(&memory->error, 4, 0, 0, 0);
        return true;
    }
    int64_t *const buckets_2 = cogen_data(buckets_2_block);
    for (int64_t i = 0; i < n; i++) {
        buckets[i] = 0.0;
    }
    for (int64_t i_2 = 0; i_2 < n; i_2++) {
        buckets_2[i_2] = 0;
    }
    const int team = n <= keys_size / 4 ? cogen_team(memory, keys_size, (double)keys_size * 7) : 1;
    int threads = 1;
    const int64_t keys_2 = n;
    const int64_t copies = keys_2 <= 2048 && keys_2 <= keys_size / 8 ? 4 : 1;
    cogen_block *tables[COGEN_THREADS];
#pragma omp parallel num_threads(team)
    {
        const int thread = omp_get_thread_num();
        const int parts = omp_get_num_threads();
        cogen_memory *const memory = cogen_worker(whole, thread);
        if (thread == 0) {
            threads = parts;
        }
        const int64_t start = keys_size * thread / parts;
        const int64_t stop = keys_size * (thread + 1) / parts;
        cogen_block *const table = cogen_alloc(memory, copies * keys_2 * 2, sizeof(int64_t));
        if (table == NULL) {
            cogen_fail(&memory->error, 4, 0, 0, 0);
            goto done;
        }
        double *const fresh = (double *)(int64_t *)cogen_data(table);
        int64_t *const fresh_2 = (int64_t *)cogen_data(table) + 1;
        for (int64_t k = 0; k < copies * keys_2; k++) {
            fresh[k * 2] = -0.0;
            fresh_2[k * 2] = 0;
        }
        tables[thread] = table;
        double *const own = (double *)(int64_t *)cogen_data(tables[thread]);
        int64_t *const own_2 = (int64_t *)cogen_data(tables[thread]) + 1;
        const int64_t apart = copies > 1 ? keys_2 * 2 : 0;
        const int64_t apart_2 = copies > 1 ? keys_2 * 2 : 0;
        int64_t first = start;
        while (first <= stop - 4) {
            for (int64_t turn = 0; turn < 4; turn++) {
                const int64_t i_3 = first + turn;
                double *const mine = own + turn * apart;
                int64_t *const mine_2 = own_2 + turn * apart_2;
                const int64_t x_5 = keys[i_3];
                const double x_6 = a[i_3];
                const bool v_9 = 0 <= x_5;
                const bool v_10 = x_5 < n;
                const bool v_11 = v_9 & v_10;
                if (!v_11) {
                    cogen_fail(&memory->error, 5, x_5, n, 0);
                    goto done;
                }
                const double old_3 = mine[x_5 * 2];
                mine[x_5 * 2] = old_3 + x_6;
                const int64_t old_4 = mine_2[x_5 * 2];
                mine_2[x_5 * 2] = old_4 + 1;
            }
            first += 4;
        }
        for (int64_t i_4 = first; i_4 < stop; i_4++) {
            const int64_t x_7 = keys[i_4];
            const double x_8 = a[i_4];
            const bool v_12 = 0 <= x_7;
            const bool v_13 = x_7 < n;
            const bool v_14 = v_12 & v_13;
            if (!v_14) {
                cogen_fail(&memory->error, 5, x_7, n, 0);
                goto done;
            }
            const double old_5 = own[x_7 * 2];
            own[x_7 * 2] = old_5 + x_8;
            const int64_t old_6 = own_2[x_7 * 2];
            own_2[x_7 * 2] = old_6 + 1;
        }
    done:;
    }
    if (cogen_joined(whole, threads)) {
        return true;
    }
#pragma omp parallel for num_threads(threads) if (keys_2 >= 65536 && threads > 1)
    for (int64_t k_2 = 0; k_2 < keys_2; k_2++) {
        double total = buckets[k_2];
        int64_t total_2 = buckets_2[k_2];
        for (int64_t t = 0; t < threads; t++) {
            for (int64_t copy = 0; copy < copies; copy++) {
                const double x_3 = ((double *)(int64_t *)cogen_data(tables[t]))[(copy * keys_2
                        + k_2) * 2];
                const double v_7 = total + x_3;
                total = v_7;
                const int64_t x_4
                        = ((int64_t *)cogen_data(tables[t]) + 1)[(copy * keys_2 + k_2) * 2];
                const int64_t v_8 = total_2 + x_4;
                total_2 = v_8;
            }
        }
        buckets[k_2] = total;
        buckets_2[k_2] = total_2;
    }
    for (int64_t t_2 = 0; t_2 < threads; t_2++) {
        cogen_drop(tables[t_2]);
    }
    result[0] = buckets;
    result_block[0] = buckets_block;
    result_shape[0] = n;
    result_2[0] = buckets_2;
    result_2_block[0] = buckets_2_block;
    result_2_shape[0] = n;
    return false;
}

/* The entry. */
int64_t cogen_run(cogen_call *call)
{
    const int64_t *const in = call->arguments;
    int64_t *const out = call->results;
    cogen_memory own;
    cogen_memory *const memory = &own;
    bool failed = true;
    const int cogen_dynamic = omp_get_dynamic();
    omp_set_dynamic(0);
    cogen_begin(memory, call, call->stack);
    cogen_memory *workers = calloc((size_t)call->threads, sizeof(cogen_memory));
    call->workers = workers;
    if (workers == NULL) {
        cogen_fail(&memory->error, 6, 0, 0, 0);
        goto end;
    }
    const int64_t keys_size_2 = in[0];
    const int64_t a_size_2 = in[1];
    const int64_t n_2 = in[4];
    double *r = NULL;
    cogen_block *r_block = NULL;
    int64_t r_shape[1];
    int64_t *r_2 = NULL;
    cogen_block *r_2_block = NULL;
    int64_t r_2_shape[1];
    if (main_(memory, keys_size_2, a_size_2, (int64_t *)(uintptr_t)in[2],
            (double *)(uintptr_t)in[3], n_2, &r, &r_block, r_shape, &r_2, &r_2_block, r_2_shape)) {
        goto end;
    }
    if (!cogen_give(memory, (void **)&r, &r_block, (int64_t)sizeof(double) * r_shape[0])) {
        cogen_fail(&memory->error, 6, 0, 0, 0);
        goto end;
    }
    if (!cogen_give(memory, (void **)&r_2, &r_2_block, (int64_t)sizeof(int64_t) * r_2_shape[0])) {
        cogen_fail(&memory->error, 6, 0, 0, 0);
        goto end;
    }
    out[0] = (int64_t)(uintptr_t)r;
    out[1] = (int64_t)(uintptr_t)r_block;
    out[2] = r_shape[0];
    out[3] = (int64_t)(uintptr_t)r_2;
    out[4] = (int64_t)(uintptr_t)r_2_block;
    out[5] = r_2_shape[0];
    failed = false;
end:;
    call->error = own.error;
    cogen_end(memory);
    for (int64_t i = 0; workers != NULL && i < call->threads; i++) {
        cogen_end(&workers[i]);
    }
    free(workers);
    omp_set_dynamic(cogen_dynamic);
    return failed;
}
