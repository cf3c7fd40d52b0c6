/* main: made from a program in L0.
   
   error 1: out of memory, stencil.l0:5:3
   error 2: out of memory, stencil.l0:3:1 */

...

/* main, stencil.l0:3:1 */
static bool main_(cogen_memory *memory, int64_t a_size, double *a, double **result,
        cogen_block **result_block, int64_t *result_shape)
{
    const int64_t v = a_size + -2;
    cogen_block *const y_block = cogen_alloc(memory, a_size, sizeof(double));
    if (y_block == NULL) {
        cogen_fail(&memory->error, 1, 0, 0, 0);
        return true;
    }
    double *const y = cogen_data(y_block);
    const int team = cogen_team(memory, a_size, (double)a_size * (7 + (2 + 13)));
#pragma omp parallel num_threads(team)
    {
        const int thread = omp_get_thread_num();
        const int parts = omp_get_num_threads();
        const int64_t start = a_size * thread / parts;
        const int64_t stop = a_size * (thread + 1) / parts;
#pragma omp simd
        for (int64_t i = start; i < stop; i++) {
            const bool v_3 = v < i;
            const bool v_2 = i < 1;
            const bool v_4 = v_2 | v_3;
            const double x = a[i];
            double r;
            if (v_4) {
                r = x;
            } else {
                const int64_t v_5 = i + -1;
                const double x_2 = a[v_5];
                const double v_6 = x_2 * 0.25;
                const double v_7 = x * 0.5;
                const double v_8 = v_6 + v_7;
                const int64_t v_9 = i + 1;
                const double x_3 = a[v_9];
                const double v_10 = x_3 * 0.25;
                const double v_11 = v_8 + v_10;
                r = v_11;
            }
            y[i] = r;
        }
    }
    result[0] = y;
    result_block[0] = y_block;
    result_shape[0] = a_size;
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
    double *r_2 = NULL;
    cogen_block *r_2_block = NULL;
    int64_t r_2_shape[1];
    if (main_(memory, a_size_2, (double *)(uintptr_t)in[1], &r_2, &r_2_block, r_2_shape)) {
        goto end;
    }
    if (!cogen_give(memory, (void **)&r_2, &r_2_block, (int64_t)sizeof(double) * r_2_shape[0])) {
        cogen_fail(&memory->error, 2, 0, 0, 0);
        goto end;
    }
    out[0] = (int64_t)(uintptr_t)r_2;
    out[1] = (int64_t)(uintptr_t)r_2_block;
    out[2] = r_2_shape[0];
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
