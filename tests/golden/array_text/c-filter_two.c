/* main: made from a program in L0.
   
   error 1: out of memory, filter_two.l0:5:7
   error 2: out of memory, filter_two.l0:3:1 */

...

/* main, filter_two.l0:3:1 */
static bool main_(cogen_memory *memory, int64_t a_size, int64_t *a, int64_t **result,
        cogen_block **result_block, int64_t *result_shape, double **result_2,
        cogen_block **result_2_block, int64_t *result_2_shape)
{
    int64_t count = 0;
    cogen_block *const y_block = cogen_alloc(memory, a_size, sizeof(int64_t));
    if (y_block == NULL) {
        cogen_fail(&memory->error, 1, 0, 0, 0);
        return true;
    }
    int64_t *const y = cogen_data(y_block);
    cogen_block *const y_2_block = cogen_alloc(memory, a_size, sizeof(double));
    if (y_2_block == NULL) {
        cogen_fail(&memory->error, 1, 0, 0, 0);
        return true;
    }
    double *const y_2 = cogen_data(y_2_block);
    const int team = cogen_team(memory, a_size, (double)a_size * 24);
    int threads = 1;
    int64_t counts[COGEN_THREADS];
#pragma omp parallel num_threads(team)
    {
        const int thread = omp_get_thread_num();
        const int parts = omp_get_num_threads();
        if (thread == 0) {
            threads = parts;
        }
        const int64_t start = a_size * thread / parts;
        const int64_t stop = a_size * (thread + 1) / parts;
        int64_t count_2 = start;
        for (int64_t begin_2 = start; begin_2 < stop; begin_2 += 1024) {
            const int64_t size = stop - begin_2 < 1024 ? stop - begin_2 : 1024;
            int64_t held[1024];
            int64_t kept = 0;
            for (int64_t i_2 = begin_2; i_2 < begin_2 + size; i_2++) {
                const int64_t x_2 = a[i_2];
                const bool v_4 = 0 < x_2;
                held[kept] = x_2;
                kept += (int64_t)v_4;
            }
            for (int64_t k = 0; k < kept; k++) {
                const int64_t x_3 = held[k];
                const double v_5 = (double)x_3;
                const double v_6 = log(v_5);
                y[count_2 + k] = x_3;
                y_2[count_2 + k] = v_6;
            }
            count_2 = count_2 + kept;
        }
        counts[thread] = count_2 - start;
    }
    count = counts[0];
    for (int64_t t = 1; t < threads; t++) {
        const int64_t begin = a_size * t / threads;
        memmove(y + count, y + begin, (size_t)counts[t] * sizeof(int64_t));
        memmove(y_2 + count, y_2 + begin, (size_t)counts[t] * sizeof(double));
        count += counts[t];
    }
    result[0] = y;
    result_block[0] = y_block;
    result_shape[0] = count;
    result_2[0] = y_2;
    result_2_block[0] = y_2_block;
    result_2_shape[0] = count;
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
    double *r_2 = NULL;
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
    if (!cogen_give(memory, (void **)&r_2, &r_2_block, (int64_t)sizeof(double) * r_2_shape[0])) {
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
