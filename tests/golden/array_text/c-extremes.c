/* main: made from a program in L0.
   
   error 1: out of memory, extremes.l0:3:1 */

...

/* main, extremes.l0:3:1 */
static bool main_(cogen_memory *memory, int64_t a_size, double *a, double *result, double *result_2)
{
    double sum = 1e+300;
    double sum_2 = -1e+300;
    const int team = cogen_team(memory, a_size, (double)a_size * 4);
    int threads = 1;
    double parts_2[COGEN_THREADS];
    double parts_3[COGEN_THREADS];
#pragma omp parallel num_threads(team)
    {
        const int thread = omp_get_thread_num();
        const int parts = omp_get_num_threads();
        if (thread == 0) {
            threads = parts;
        }
        const int64_t start = a_size * thread / parts;
        const int64_t stop = a_size * (thread + 1) / parts;
        double sum_3 = 1e+300;
        double sum_4 = -1e+300;
        if (stop - start < 4096) {
#pragma omp simd reduction(min:sum_3) reduction(max:sum_4)
            for (int64_t i_6 = start; i_6 < stop; i_6++) {
                const double x_6 = a[i_6];
                const double v_13 = x_6 * x_6;
                const double v_14 = v_13 - x_6;
                sum_3 = sum_3 < v_14 ? sum_3 : v_14;
                sum_4 = sum_4 < v_14 ? v_14 : sum_4;
            }
        } else {
            const int64_t part = (stop - start) / 4;
            double sum_5 = sum_3;
            double sum_6 = sum_4;
            double sum_7 = sum_3;
            double sum_8 = sum_4;
            double sum_9 = sum_3;
            double sum_10 = sum_4;
#pragma omp simd reduction(min:sum_3) reduction(max:sum_4) reduction(min:sum_5) reduction(max:sum_6) reduction(min:sum_7) reduction(max:sum_8) reduction(min:sum_9) reduction(max:sum_10)
            for (int64_t i = start; i < start + part; i++) {
                const double x = a[i];
                const double v = x * x;
                const double v_2 = v - x;
                sum_3 = sum_3 < v_2 ? sum_3 : v_2;
                sum_4 = sum_4 < v_2 ? v_2 : sum_4;
                const int64_t i_2 = i + part;
                const double x_2 = a[i_2];
                const double v_5 = x_2 * x_2;
                const double v_6 = v_5 - x_2;
                sum_5 = sum_5 < v_6 ? sum_5 : v_6;
                sum_6 = sum_6 < v_6 ? v_6 : sum_6;
                const int64_t i_3 = i + 2 * part;
                const double x_3 = a[i_3];
                const double v_7 = x_3 * x_3;
                const double v_8 = v_7 - x_3;
                sum_7 = sum_7 < v_8 ? sum_7 : v_8;
                sum_8 = sum_8 < v_8 ? v_8 : sum_8;
                const int64_t i_4 = i + 3 * part;
                const double x_4 = a[i_4];
                const double v_9 = x_4 * x_4;
                const double v_10 = v_9 - x_4;
                sum_9 = sum_9 < v_10 ? sum_9 : v_10;
                sum_10 = sum_10 < v_10 ? v_10 : sum_10;
            }
            sum_3 = sum_3 < sum_5 ? sum_3 : sum_5;
            sum_4 = sum_4 < sum_6 ? sum_6 : sum_4;
            sum_3 = sum_3 < sum_7 ? sum_3 : sum_7;
            sum_4 = sum_4 < sum_8 ? sum_8 : sum_4;
            sum_3 = sum_3 < sum_9 ? sum_3 : sum_9;
            sum_4 = sum_4 < sum_10 ? sum_10 : sum_4;
            const int64_t rest = start + 4 * part;
#pragma omp simd reduction(min:sum_3) reduction(max:sum_4)
            for (int64_t i_5 = rest; i_5 < stop; i_5++) {
                const double x_5 = a[i_5];
                const double v_11 = x_5 * x_5;
                const double v_12 = v_11 - x_5;
                sum_3 = sum_3 < v_12 ? sum_3 : v_12;
                sum_4 = sum_4 < v_12 ? v_12 : sum_4;
            }
        }
        parts_2[thread] = sum_3;
        parts_3[thread] = sum_4;
    }
    sum = parts_2[0];
    for (int64_t t = 1; t < threads; t++) {
        const double v_3 = sum < parts_2[t] ? sum : parts_2[t];
        sum = v_3;
    }
    sum_2 = parts_3[0];
    for (int64_t t_2 = 1; t_2 < threads; t_2++) {
        const double v_4 = sum_2 < parts_3[t_2] ? parts_3[t_2] : sum_2;
        sum_2 = v_4;
    }
    result[0] = sum;
    result_2[0] = sum_2;
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
    double r_2;
    if (main_(memory, a_size_2, (double *)(uintptr_t)in[1], &r, &r_2)) {
        goto end;
    }
    out[0] = cogen_float64_to_bits(r);
    out[1] = cogen_float64_to_bits(r_2);
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
