/* main: made from a program in L0.
   
   error 1: the index [{}] is out of bounds of an array of size {}, carried_array.l0:6:9
   error 2: out of memory, carried_array.l0:3:1 */

...

/* main, carried_array.l0:3:1 */
static bool main_(cogen_memory *memory, int64_t a_size, int64_t *a, cogen_block *a_block, int64_t n,
        int64_t **result, cogen_block **result_block, int64_t *result_shape, int64_t *result_2)
{
    const bool v = n <= 0;
    const int64_t v_2 = n + -1;
    const bool v_3 = v_2 < a_size;
    const bool v_4 = n <= INT64_C(72057594037927936);
    const bool v_5 = v | v_3;
    if (!v_4) {
        cogen_fail(&memory->error, 1, a_size, a_size, 0);
        return true;
    }
    if (!v_5) {
        cogen_fail(&memory->error, 1, a_size, a_size, 0);
        return true;
    }
    int64_t *v_6 = a;
    cogen_block *v_6_block = a_block;
    int64_t v_7 = 0;
    for (int64_t i = 0; i < n; i++) {
        int64_t sum = v_7;
        const int team = cogen_team(memory, a_size, (double)a_size * 2);
        if (team > 1) {
            int threads = 1;
            int64_t parts_2[COGEN_THREADS];
#pragma omp parallel num_threads(team)
            {
                const int thread = omp_get_thread_num();
                const int parts = omp_get_num_threads();
                if (thread == 0) {
                    threads = parts;
                }
                const int64_t start = a_size * thread / parts;
                const int64_t stop = a_size * (thread + 1) / parts;
                int64_t sum_2 = thread == 0 ? v_7 : 0;
                if (stop - start < 16) {
                    for (int64_t i_4 = start; i_4 < stop; i_4++) {
                        const int64_t x_3 = v_6[i_4];
                        sum_2 = sum_2 + x_3;
                    }
                } else if (stop - start < 4096) {
#pragma omp simd reduction(+:sum_2)
                    for (int64_t i_10 = start; i_10 < stop; i_10++) {
                        const int64_t x_9 = v_6[i_10];
                        sum_2 = sum_2 + x_9;
                    }
                } else {
                    const int64_t part = (stop - start) / 4;
                    int64_t sum_3 = 0;
                    int64_t sum_4 = 0;
                    int64_t sum_5 = 0;
#pragma omp simd reduction(+:sum_2) reduction(+:sum_3) reduction(+:sum_4) reduction(+:sum_5)
                    for (int64_t i_2 = start; i_2 < start + part; i_2++) {
                        const int64_t x = v_6[i_2];
                        sum_2 = sum_2 + x;
                        const int64_t i_6 = i_2 + part;
                        const int64_t x_5 = v_6[i_6];
                        sum_3 = sum_3 + x_5;
                        const int64_t i_7 = i_2 + 2 * part;
                        const int64_t x_6 = v_6[i_7];
                        sum_4 = sum_4 + x_6;
                        const int64_t i_8 = i_2 + 3 * part;
                        const int64_t x_7 = v_6[i_8];
                        sum_5 = sum_5 + x_7;
                    }
                    sum_2 = sum_2 + sum_3;
                    sum_2 = sum_2 + sum_4;
                    sum_2 = sum_2 + sum_5;
                    const int64_t rest = start + 4 * part;
#pragma omp simd reduction(+:sum_2)
                    for (int64_t i_9 = rest; i_9 < stop; i_9++) {
                        const int64_t x_8 = v_6[i_9];
                        sum_2 = sum_2 + x_8;
                    }
                }
                parts_2[thread] = sum_2;
            }
            sum = parts_2[0];
            for (int64_t t = 1; t < threads; t++) {
                const int64_t v_8 = sum + parts_2[t];
                sum = v_8;
            }
        } else if (a_size < 16) {
            for (int64_t i_5 = 0; i_5 < a_size; i_5++) {
                const int64_t x_4 = v_6[i_5];
                sum = sum + x_4;
            }
        } else if (a_size < 4096) {
#pragma omp simd reduction(+:sum)
            for (int64_t i_15 = 0; i_15 < a_size; i_15++) {
                const int64_t x_14 = v_6[i_15];
                sum = sum + x_14;
            }
        } else {
            const int64_t part_2 = a_size / 4;
            int64_t sum_6 = 0;
            int64_t sum_7 = 0;
            int64_t sum_8 = 0;
#pragma omp simd reduction(+:sum) reduction(+:sum_6) reduction(+:sum_7) reduction(+:sum_8)
            for (int64_t i_3 = 0; i_3 < part_2; i_3++) {
                const int64_t x_2 = v_6[i_3];
                sum = sum + x_2;
                const int64_t i_11 = i_3 + part_2;
                const int64_t x_10 = v_6[i_11];
                sum_6 = sum_6 + x_10;
                const int64_t i_12 = i_3 + 2 * part_2;
                const int64_t x_11 = v_6[i_12];
                sum_7 = sum_7 + x_11;
                const int64_t i_13 = i_3 + 3 * part_2;
                const int64_t x_12 = v_6[i_13];
                sum_8 = sum_8 + x_12;
            }
            sum = sum + sum_6;
            sum = sum + sum_7;
            sum = sum + sum_8;
            const int64_t rest_2 = 4 * part_2;
#pragma omp simd reduction(+:sum)
            for (int64_t i_14 = rest_2; i_14 < a_size; i_14++) {
                const int64_t x_13 = v_6[i_14];
                sum = sum + x_13;
            }
        }
        v_6[i] = sum;
        v_7 = sum;
    }
    result[0] = v_6;
    result_block[0] = v_6_block;
    result_shape[0] = a_size;
    result_2[0] = v_7;
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
    cogen_block *const taken
            = cogen_taken(memory, (int64_t *)(uintptr_t)in[1], (int64_t)sizeof(int64_t) * a_size_2);
    if (taken == NULL) {
        cogen_fail(&memory->error, 2, 0, 0, 0);
        goto end;
    }
    const int64_t n_2 = in[2];
    int64_t *r = NULL;
    cogen_block *r_block = NULL;
    int64_t r_shape[1];
    int64_t r_2;
    if (main_(memory, a_size_2, cogen_data(taken), taken, n_2, &r, &r_block, r_shape, &r_2)) {
        goto end;
    }
    if (!cogen_give(memory, (void **)&r, &r_block, (int64_t)sizeof(int64_t) * r_shape[0])) {
        cogen_fail(&memory->error, 2, 0, 0, 0);
        goto end;
    }
    out[0] = (int64_t)(uintptr_t)r;
    out[1] = (int64_t)(uintptr_t)r_block;
    out[2] = r_shape[0];
    out[3] = (int64_t)r_2;
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
