/* main: made from a program in L0.
   
   error 1: out of memory, scan_running.l0:3:1 */

...

/* The values scanned, after what came before; what comes last. */
static inline int64_t scan(int64_t count, const int64_t *values, int64_t *out, int64_t before)
{
    int64_t i = 0;
#if COGEN_SHUFFLES && defined(__AVX512F__)
    typedef int64_t vector __attribute__((vector_size(64)));
    typedef int64_t unaligned __attribute__((vector_size(64), aligned(1), may_alias));
    const vector neutral = {0, 0, 0, 0, 0, 0, 0, 0};
    vector all = {before, before, before, before, before, before, before, before};
    for (; i + 8 <= count; i += 8) {
        vector x = *(const unaligned *)(values + i);
        vector y;
        y = __builtin_shufflevector(x, neutral, 8, 0, 1, 2, 3, 4, 5, 6);
        x = y + x;
        y = __builtin_shufflevector(x, neutral, 8, 9, 0, 1, 2, 3, 4, 5);
        x = y + x;
        y = __builtin_shufflevector(x, neutral, 8, 9, 10, 11, 0, 1, 2, 3);
        x = y + x;
        y = __builtin_shufflevector(x, x, 7, 7, 7, 7, 7, 7, 7, 7);
        *(unaligned *)(out + i) = all + x;
        all = all + y;
    }
    before = all[0];
#elif COGEN_SHUFFLES && defined(__AVX__)
    typedef int64_t vector __attribute__((vector_size(32)));
    typedef int64_t unaligned __attribute__((vector_size(32), aligned(1), may_alias));
    const vector neutral = {0, 0, 0, 0};
    vector all = {before, before, before, before};
    for (; i + 4 <= count; i += 4) {
        vector x = *(const unaligned *)(values + i);
        vector y;
        y = __builtin_shufflevector(x, neutral, 4, 0, 1, 2);
        x = y + x;
        y = __builtin_shufflevector(x, neutral, 4, 5, 0, 1);
        x = y + x;
        y = __builtin_shufflevector(x, x, 3, 3, 3, 3);
        *(unaligned *)(out + i) = all + x;
        all = all + y;
    }
    before = all[0];
#elif COGEN_SHUFFLES && 1
    typedef int64_t vector __attribute__((vector_size(16)));
    typedef int64_t unaligned __attribute__((vector_size(16), aligned(1), may_alias));
    const vector neutral = {0, 0};
    vector all = {before, before};
    for (; i + 2 <= count; i += 2) {
        vector x = *(const unaligned *)(values + i);
        vector y;
        y = __builtin_shufflevector(x, neutral, 2, 0);
        x = y + x;
        y = __builtin_shufflevector(x, x, 1, 1);
        *(unaligned *)(out + i) = all + x;
        all = all + y;
    }
    before = all[0];
#endif
    for (; i < count; i++) {
        before = before + values[i];
        out[i] = before;
    }
    return before;
}

/* main, scan_running.l0:3:1 */
static bool main_(cogen_memory *memory, int64_t a_size, int64_t *a, int64_t *result)
{
    int64_t sum_2 = -1000;
    const int team = cogen_team(memory, a_size, (double)a_size * 2);
    int threads = 1;
    int64_t parts_2[COGEN_THREADS];
    int64_t parts_3[COGEN_THREADS];
    if (team > 1) {
#pragma omp parallel num_threads(team)
        {
            const int thread = omp_get_thread_num();
            const int parts = omp_get_num_threads();
            if (thread == 0) {
                threads = parts;
            }
            const int64_t start = a_size * thread / parts;
            const int64_t stop = a_size * (thread + 1) / parts;
            int64_t sum_5 = 0;
            if (stop - start < 4096) {
#pragma omp simd reduction(+:sum_5)
                for (int64_t i_10 = start; i_10 < stop; i_10++) {
                    const int64_t x_8 = a[i_10];
                    sum_5 = sum_5 + x_8;
                }
            } else {
                const int64_t part = (stop - start) / 4;
                int64_t sum_8 = 0;
                int64_t sum_9 = 0;
                int64_t sum_10 = 0;
#pragma omp simd reduction(+:sum_5) reduction(+:sum_8) reduction(+:sum_9) reduction(+:sum_10)
                for (int64_t i_2 = start; i_2 < start + part; i_2++) {
                    const int64_t x_2 = a[i_2];
                    sum_5 = sum_5 + x_2;
                    const int64_t i = i_2 + part;
                    const int64_t x = a[i];
                    sum_8 = sum_8 + x;
                    const int64_t i_7 = i_2 + 2 * part;
                    const int64_t x_5 = a[i_7];
                    sum_9 = sum_9 + x_5;
                    const int64_t i_8 = i_2 + 3 * part;
                    const int64_t x_6 = a[i_8];
                    sum_10 = sum_10 + x_6;
                }
                sum_5 = sum_5 + sum_8;
                sum_5 = sum_5 + sum_9;
                sum_5 = sum_5 + sum_10;
                const int64_t rest = start + 4 * part;
#pragma omp simd reduction(+:sum_5)
                for (int64_t i_9 = rest; i_9 < stop; i_9++) {
                    const int64_t x_7 = a[i_9];
                    sum_5 = sum_5 + x_7;
                }
            }
            parts_2[thread] = sum_5;
        }
        int64_t total = 0;
        for (int64_t t = 0; t < threads; t++) {
            const int64_t own = parts_2[t];
            parts_2[t] = total;
            if (t == 0) {
                total = own;
            } else {
                const int64_t v = total + own;
                total = v;
            }
        }
    } else {
        parts_2[0] = 0;
    }
#pragma omp parallel num_threads(team)
    {
        const int thread = omp_get_thread_num();
        const int parts = omp_get_num_threads();
        if (thread == 0) {
            threads = parts;
        }
        const int64_t start = a_size * thread / parts;
        const int64_t stop = a_size * (thread + 1) / parts;
        int64_t sum_3 = parts_2[thread];
        int64_t sum_4 = -1000;
        const int64_t end = start + (stop - start) / COGEN_BLOCK * COGEN_BLOCK;
        for (int64_t begin = start; begin < end; begin += COGEN_BLOCK) {
            int64_t held_2[COGEN_BLOCK];
#pragma omp simd
            for (int64_t k_3 = 0; k_3 < COGEN_BLOCK; k_3++) {
                const int64_t i_5 = begin + k_3;
                const int64_t x_4 = a[i_5];
                held_2[k_3] = x_4;
            }
            sum_3 = scan(COGEN_BLOCK, held_2, held_2, sum_3);
#pragma omp simd reduction(max:sum_4)
            for (int64_t k_4 = 0; k_4 < COGEN_BLOCK; k_4++) {
                const int64_t sum_7 = held_2[k_4];
                sum_4 = sum_4 < sum_7 ? sum_7 : sum_4;
            }
        }
        if (end < stop) {
            const int64_t count = stop - end;
            int64_t held[COGEN_BLOCK];
#pragma omp simd
            for (int64_t k = 0; k < count; k++) {
                const int64_t i_3 = end + k;
                const int64_t x_3 = a[i_3];
                held[k] = x_3;
            }
            sum_3 = scan(count, held, held, sum_3);
#pragma omp simd reduction(max:sum_4)
            for (int64_t k_2 = 0; k_2 < count; k_2++) {
                const int64_t sum_6 = held[k_2];
                sum_4 = sum_4 < sum_6 ? sum_6 : sum_4;
            }
        }
        parts_3[thread] = sum_4;
    }
    sum_2 = parts_3[0];
    for (int64_t t_2 = 1; t_2 < threads; t_2++) {
        const int64_t v_2 = sum_2 < parts_3[t_2] ? parts_3[t_2] : sum_2;
        sum_2 = v_2;
    }
    result[0] = sum_2;
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
    if (main_(memory, a_size_2, (int64_t *)(uintptr_t)in[1], &r)) {
        goto end;
    }
    out[0] = (int64_t)r;
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
