/* main: made from a program in L0.
   
   error 1: the size {} is negative, bucket_rows.l0:4:3
   error 2: an array of size {}x{} is too large, bucket_rows.l0:4:3
   error 3: the arrays have different sizes: {} and {}, bucket_rows.l0:4:3
   error 4: out of memory, bucket_rows.l0:4:3
   error 5: the key {} is out of bounds of {} buckets, bucket_rows.l0:4:3
   error 6: out of memory, bucket_rows.l0:4:47
   error 7: out of memory, bucket_rows.l0:3:1 */

...

/* main, bucket_rows.l0:3:1 */
static bool main_(cogen_memory *memory, int64_t keys_size, int64_t a_size, int64_t a_size_2,
        int64_t *keys, int64_t *a, int64_t n, int64_t **result, cogen_block **result_block,
        int64_t *result_shape)
{
    const bool v = 0 <= n;
    const int64_t v_2 = int_area(a_size_2, n);
    const bool v_3 = v_2 <= INT64_C(140737488355328);
    const bool v_4 = keys_size == a_size;
    if (!v) {
        cogen_fail(&memory->error, 1, n, 0, 0);
        return true;
    }
    if (!v_3) {
        cogen_fail(&memory->error, 2, n, a_size_2, 0);
        return true;
    }
    if (!v_4) {
        cogen_fail(&memory->error, 3, keys_size, a_size, 0);
        return true;
    }
    const int64_t buckets_size = cogen_count(n, a_size_2);
    if (buckets_size > INT64_C(140737488355328)) {
        cogen_fail(&memory->error, 2, n, a_size_2, 0);
        return true;
    }
    cogen_block *const buckets_block = cogen_alloc(memory, buckets_size, sizeof(int64_t));
    if (buckets_block == NULL) {
        cogen_fail(&memory->error, 4, 0, 0, 0);
        return true;
    }
    int64_t *const buckets = cogen_data(buckets_block);
    for (int64_t i = 0; i < n; i++) {
        for (int64_t i_2 = 0; i_2 < a_size_2; i_2++) {
            buckets[i * a_size_2 + i_2] = 0;
        }
    }
    cogen_block *const y_block = cogen_alloc(memory, 0 < keys_size ? a_size_2 : 0, sizeof(int64_t));
    if (y_block == NULL) {
        cogen_fail(&memory->error, 6, 0, 0, 0);
        return true;
    }
    for (int64_t i_3 = 0; i_3 < keys_size; i_3++) {
        const int64_t x = keys[i_3];
        int64_t *const row = a + i_3 * a_size_2;
        const bool v_5 = 0 <= x;
        const bool v_6 = x < n;
        const bool v_7 = v_5 & v_6;
        if (!v_7) {
            cogen_fail(&memory->error, 5, x, n, 0);
            return true;
        }
        int64_t *const row_2 = buckets + x * a_size_2;
        int64_t *const y = cogen_data(y_block);
        const int team = cogen_team(memory, a_size_2, (double)a_size_2 * 3);
        if (team > 1) {
#pragma omp parallel num_threads(team)
            {
                const int thread = omp_get_thread_num();
                const int parts = omp_get_num_threads();
                const int64_t start = a_size_2 * thread / parts;
                const int64_t stop = a_size_2 * (thread + 1) / parts;
#pragma omp simd
                for (int64_t i_4 = start; i_4 < stop; i_4++) {
                    const int64_t x_2 = row_2[i_4];
                    const int64_t x_3 = row[i_4];
                    const int64_t v_8 = x_2 + x_3;
                    y[i_4] = v_8;
                }
            }
        } else {
#pragma omp simd
            for (int64_t i_5 = 0; i_5 < a_size_2; i_5++) {
                const int64_t x_4 = row_2[i_5];
                const int64_t x_5 = row[i_5];
                const int64_t v_9 = x_4 + x_5;
                y[i_5] = v_9;
            }
        }
        int64_t *const row_3 = buckets + x * a_size_2;
        memcpy(row_3, y, (size_t)a_size_2 * sizeof(int64_t));
    }
    cogen_drop(y_block);
    result[0] = buckets;
    result_block[0] = buckets_block;
    result_shape[0] = n;
    result_shape[1] = a_size_2;
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
        cogen_fail(&memory->error, 7, 0, 0, 0);
        goto end;
    }
    const int64_t keys_size_2 = in[0];
    const int64_t a_size_3 = in[1];
    const int64_t a_size_4 = in[2];
    const int64_t n_2 = in[5];
    int64_t *r = NULL;
    cogen_block *r_block = NULL;
    int64_t r_shape[2];
    if (main_(memory, keys_size_2, a_size_3, a_size_4, (int64_t *)(uintptr_t)in[3],
            (int64_t *)(uintptr_t)in[4], n_2, &r, &r_block, r_shape)) {
        goto end;
    }
    if (!cogen_give(memory, (void **)&r, &r_block,
            (int64_t)sizeof(int64_t) * r_shape[0] * r_shape[1])) {
        cogen_fail(&memory->error, 7, 0, 0, 0);
        goto end;
    }
    out[0] = (int64_t)(uintptr_t)r;
    out[1] = (int64_t)(uintptr_t)r_block;
    out[2] = r_shape[0];
    out[3] = r_shape[1];
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
