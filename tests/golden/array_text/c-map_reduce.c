/* main: made from a program in L0.
   
   error 1: out of memory, map_reduce.l0:3:1 */

...

/* main, map_reduce.l0:3:1 */
static bool main_(cogen_memory *memory, int64_t a_size, double *a, double *result)
{
    double sum = 0.0;
    const int team = cogen_team(memory, a_size, (double)a_size * 4);
    int threads = 1;
    double parts_2[COGEN_THREADS];
#pragma omp parallel num_threads(team)
    {
        const int thread = omp_get_thread_num();
        const int parts = omp_get_num_threads();
        if (thread == 0) {
            threads = parts;
        }
        const int64_t start = a_size * thread / parts;
        const int64_t stop = a_size * (thread + 1) / parts;
        double sum_2 = thread == 0 ? 0.0 : -0.0;
        if (stop - start < 4096) {
#pragma omp simd reduction(+:sum_2)
            for (int64_t i_6 = start; i_6 < stop; i_6++) {
                const double x_6 = a[i_6];
                const double v_12 = x_6 * x_6;
                const double v_13 = v_12 + 1.0;
                sum_2 = sum_2 + v_13;
            }
        } else {
            const int64_t part = (stop - start) / 4;
            double sum_3 = -0.0;
            double sum_4 = -0.0;
            double sum_5 = -0.0;
#pragma omp simd reduction(+:sum_2) reduction(+:sum_3) reduction(+:sum_4) reduction(+:sum_5)
            for (int64_t i = start; i < start + part; i++) {
                const double x = a[i];
                const double v = x * x;
                const double v_2 = v + 1.0;
                sum_2 = sum_2 + v_2;
                const int64_t i_2 = i + part;
                const double x_2 = a[i_2];
                const double v_4 = x_2 * x_2;
                const double v_5 = v_4 + 1.0;
                sum_3 = sum_3 + v_5;
                const int64_t i_3 = i + 2 * part;
                const double x_3 = a[i_3];
                const double v_6 = x_3 * x_3;
                const double v_7 = v_6 + 1.0;
                sum_4 = sum_4 + v_7;
                const int64_t i_4 = i + 3 * part;
                const double x_4 = a[i_4];
                const double v_8 = x_4 * x_4;
                const double v_9 = v_8 + 1.0;
                sum_5 = sum_5 + v_9;
            }
            sum_2 = sum_2 + sum_3;
            sum_2 = sum_2 + sum_4;
            sum_2 = sum_2 + sum_5;
            const int64_t rest = start + 4 * part;
#pragma omp simd reduction(+:sum_2)
            for (int64_t i_5 = rest; i_5 < stop; i_5++) {
                const double x_5 = a[i_5];
                const double v_10 = x_5 * x_5;
                const double v_11 = v_10 + 1.0;
                sum_2 = sum_2 + v_11;
            }
        }
        parts_2[thread] = sum_2;
    }
    sum = parts_2[0];
    for (int64_t t = 1; t < threads; t++) {
        const double v_3 = sum + parts_2[t];
        sum = v_3;
    }
    result[0] = sum;
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
        cogen_fail(&memory->error, 1, 0, 0, 0);
        goto end;
    }
    const int64_t a_size_2 = in[0];
    double r;
    if (main_(memory, a_size_2, (double *)(uintptr_t)in[1], &r)) {
        goto end;
    }
    out[0] = cogen_float64_to_bits(r);
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
