/* main: made from a program in L0.
   
   error 1: out of memory, scan_unknown.l0:4:3
   error 2: out of memory, scan_unknown.l0:3:1 */

...

/* main, scan_unknown.l0:3:1 */
static bool main_(cogen_memory *memory, int64_t a_size, int64_t *a, int64_t **result,
        cogen_block **result_block, int64_t *result_shape, int64_t **result_2,
        cogen_block **result_2_block, int64_t *result_2_shape)
{
    cogen_block *const y_block = cogen_alloc(memory, a_size, sizeof(int64_t));
    if (y_block == NULL) {
        cogen_fail(&memory->error, 1, 0, 0, 0);
        return true;
    }
    int64_t *const y = cogen_data(y_block);
    cogen_block *const y_2_block = cogen_alloc(memory, a_size, sizeof(int64_t));
    if (y_2_block == NULL) {
        cogen_fail(&memory->error, 1, 0, 0, 0);
        return true;
    }
    int64_t *const y_2 = cogen_data(y_2_block);
    const int team = cogen_team(memory, a_size, (double)a_size * 2);
    int threads = 1;
    int64_t parts_2[COGEN_THREADS];
    int64_t parts_3[COGEN_THREADS];
#pragma omp parallel num_threads(team)
    {
        const int thread = omp_get_thread_num();
        const int parts = omp_get_num_threads();
        if (thread == 0) {
            threads = parts;
        }
        const int64_t start = a_size * thread / parts;
        const int64_t stop = a_size * (thread + 1) / parts;
        int64_t sum_3 = 1;
        int64_t sum_4 = 0;
        for (int64_t i = start; i < stop; i++) {
            const int64_t x = a[i];
            const int64_t v = sum_3 * 2;
            const int64_t v_2 = sum_4 * 2;
            const int64_t v_3 = x + v_2;
            sum_3 = v;
            sum_4 = v_3;
            y[i] = sum_3;
            y_2[i] = sum_4;
        }
        parts_2[thread] = sum_3;
        parts_3[thread] = sum_4;
    }
    int64_t total = 1;
    int64_t total_2 = 0;
    for (int64_t t = 0; t < threads; t++) {
        const int64_t own = parts_2[t];
        const int64_t own_2 = parts_3[t];
        parts_2[t] = total;
        parts_3[t] = total_2;
        if (t == 0) {
            total = own;
            total_2 = own_2;
        } else {
            const int64_t v_10 = total * own;
            const int64_t v_11 = total_2 * own;
            const int64_t v_12 = own_2 + v_11;
            const int64_t v_13 = v_10;
            const int64_t v_14 = v_12;
            total = v_13;
            total_2 = v_14;
        }
    }
    if (threads > 1) {
#pragma omp parallel num_threads(team)
        {
            const int thread = omp_get_thread_num();
            const int parts = omp_get_num_threads();
            if (thread == 0) {
                threads = parts;
            }
            const int64_t start = a_size * thread / parts;
            const int64_t stop = a_size * (thread + 1) / parts;
            if (thread > 0) {
                const int64_t before = parts_2[thread];
                const int64_t before_2 = parts_3[thread];
                for (int64_t i_2 = start; i_2 < stop; i_2++) {
                    const int64_t x_2 = y[i_2];
                    const int64_t x_3 = y_2[i_2];
                    const int64_t v_7 = before * x_2;
                    const int64_t v_8 = before_2 * x_2;
                    const int64_t v_9 = x_3 + v_8;
                    y[i_2] = v_7;
                    y_2[i_2] = v_9;
                }
            }
        }
    }
    result[0] = y;
    result_block[0] = y_block;
    result_shape[0] = a_size;
    result_2[0] = y_2;
    result_2_block[0] = y_2_block;
    result_2_shape[0] = a_size;
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
        cogen_fail(&memory->error, 2, 0, 0, 0);
        goto end;
    }
    const int64_t a_size_2 = in[0];
    int64_t *r = NULL;
    cogen_block *r_block = NULL;
    int64_t r_shape[1];
    int64_t *r_2 = NULL;
    cogen_block *r_2_block = NULL;
    int64_t r_2_shape[1];
    if (main_(memory, a_size_2, (int64_t *)(uintptr_t)in[1], &r, &r_block, r_shape, &r_2,
            &r_2_block, r_2_shape)) {
        goto end;
    }
    if (!cogen_give(memory, (void **)&r, &r_block, (int64_t)sizeof(int64_t) * r_shape[0])) {
        cogen_fail(&memory->error, 2, 0, 0, 0);
        goto end;
    }
    if (!cogen_give(memory, (void **)&r_2, &r_2_block, (int64_t)sizeof(int64_t) * r_2_shape[0])) {
        cogen_fail(&memory->error, 2, 0, 0, 0);
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
