/* main: made from a program in L0.
   
   error 1: out of memory, unknown_operator.l0:3:1 */

...

/* main, unknown_operator.l0:3:1 */
static bool main_(cogen_memory *memory, int64_t a_size, int64_t *a, int64_t *result,
        int64_t *result_2)
{
    int64_t sum = 1;
    int64_t sum_2 = 0;
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
        }
        parts_2[thread] = sum_3;
        parts_3[thread] = sum_4;
    }
    sum = parts_2[0];
    sum_2 = parts_3[0];
    for (int64_t t = 1; t < threads; t++) {
        const int64_t v_7 = sum * parts_2[t];
        const int64_t v_8 = sum_2 * parts_2[t];
        const int64_t v_9 = parts_3[t] + v_8;
        const int64_t v_10 = v_7;
        const int64_t v_11 = v_9;
        sum = v_10;
        sum_2 = v_11;
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
    int64_t r;
    int64_t r_2;
    if (main_(memory, a_size_2, (int64_t *)(uintptr_t)in[1], &r, &r_2)) {
        goto end;
    }
    out[0] = (int64_t)r;
    out[1] = (int64_t)r_2;
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
