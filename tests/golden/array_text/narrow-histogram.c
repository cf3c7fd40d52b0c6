/* main: made from a program in L0.
   
   error 1: the size {} is negative, histogram.l0:5:3
   error 2: an array of size {} is too large, histogram.l0:5:3
   error 3: out of memory, histogram.l0:5:3
   error 4: the key {} is out of bounds of {} buckets, histogram.l0:5:3
   error 5: out of memory, histogram.l0:3:1 */

...

/* main, histogram.l0:3:1 */
static bool main_(cogen_memory *memory, int32_t a_size, float *a, int32_t bins, int32_t **result,
        cogen_block **result_block, int64_t *result_shape)
{
    cogen_memory *const whole = memory;
    const bool v = 0 <= bins;
    const bool v_2 = bins <= 2147483646;
    if (!v) {
        cogen_fail(&memory->error, 1, bins, 0, 0);
        return true;
    }
    if (!v_2) {
        cogen_fail(&memory->error, 2, bins, 0, 0);
        return true;
    }
    const float v_3 = (float)bins;
    cogen_block *const buckets_block = cogen_alloc(memory, (int64_t)bins, sizeof(int32_t));
    if (buckets_block == NULL) {
        cogen_fail(&memory->error, 3, 0, 0, 0);
        return true;
    }
    int32_t *const buckets = cogen_data(buckets_block);
    for (int64_t i = 0; i < (int64_t)bins; i++) {
        buckets[i] = 0;
    }
    const int team = (int64_t)bins <= (int64_t)a_size / 4 ? cogen_team(memory, (int64_t)a_size,
            (double)(int64_t)a_size * 9) : 1;
    int threads = 1;
    const int64_t keys = (int64_t)bins;
    const int64_t copies = keys <= 4096 && keys <= (int64_t)a_size / 8 ? 4 : 1;
    cogen_block *tables[COGEN_THREADS];
#pragma omp parallel num_threads(team)
    {
        const int thread = omp_get_thread_num();
        const int parts = omp_get_num_threads();
        cogen_memory *const memory = cogen_worker(whole, thread);
        if (thread == 0) {
            threads = parts;
        }
        const int64_t start = (int64_t)a_size * thread / parts;
        const int64_t stop = (int64_t)a_size * (thread + 1) / parts;
        tables[thread] = NULL;
        if (thread > 0 || copies > 1) {
            cogen_block *const table = cogen_alloc(memory, copies * keys, sizeof(int64_t));
            if (table == NULL) {
                cogen_fail(&memory->error, 3, 0, 0, 0);
                goto done;
            }
            int32_t *const fresh = (int32_t *)(int64_t *)cogen_data(table);
            for (int64_t k = 0; k < copies * keys; k++) {
                fresh[k] = 0;
            }
            tables[thread] = table;
        }
        int32_t *const own
                = tables[thread] == NULL ? buckets : (int32_t *)(int64_t *)cogen_data(tables[thread]);
        const int64_t apart = copies > 1 ? keys : 0;
        int64_t first = start;
        while (first <= stop - 64) {
            int32_t held[64];
            int64_t fails = 0;
#pragma omp simd reduction(|:fails)
            for (int64_t k_3 = 0; k_3 < 64; k_3++) {
                const int64_t i_3 = first + k_3;
                const float x_3 = a[i_3];
                const float v_10 = v_3 * x_3;
                const int32_t v_11 = real_trunc(v_10);
                const bool v_12 = 0 <= v_11;
                const bool v_13 = v_11 < bins;
                const bool v_14 = v_12 & v_13;
                fails |= v_14 ? 0 : 1;
                held[k_3] = v_11;
            }
            if (fails != 0) {
                break;
            }
            for (int64_t k_4 = 0; k_4 < 64; k_4++) {
                const int32_t v_15 = held[k_4];
                int32_t *const mine = own + (k_4 & 3) * apart;
                const int32_t old_2 = mine[(int64_t)v_15];
                mine[(int64_t)v_15] = old_2 + 1;
            }
            first += 64;
        }
        int64_t first_2 = first;
        while (first_2 <= stop - 4) {
            for (int64_t turn = 0; turn < 4; turn++) {
                const int64_t i_2 = first_2 + turn;
                int32_t *const mine_2 = own + turn * apart;
                const float x_4 = a[i_2];
                const float v_16 = v_3 * x_4;
                const int32_t v_17 = real_trunc(v_16);
                const bool v_18 = 0 <= v_17;
                const bool v_19 = v_17 < bins;
                const bool v_20 = v_18 & v_19;
                if (!v_20) {
                    cogen_fail(&memory->error, 4, v_17, bins, 0);
                    goto done;
                }
                const int32_t old_3 = mine_2[(int64_t)v_17];
                mine_2[(int64_t)v_17] = old_3 + 1;
            }
            first_2 += 4;
        }
        for (int64_t i_4 = first_2; i_4 < stop; i_4++) {
            const float x_5 = a[i_4];
            const float v_21 = v_3 * x_5;
            const int32_t v_22 = real_trunc(v_21);
            const bool v_23 = 0 <= v_22;
            const bool v_24 = v_22 < bins;
            const bool v_25 = v_23 & v_24;
            if (!v_25) {
                cogen_fail(&memory->error, 4, v_22, bins, 0);
                goto done;
            }
            const int32_t old_4 = own[(int64_t)v_22];
            own[(int64_t)v_22] = old_4 + 1;
        }
    done:;
    }
    if (cogen_joined(whole, threads)) {
        return true;
    }
#pragma omp parallel for num_threads(threads) if (keys >= 65536 && threads > 1)
    for (int64_t k_2 = 0; k_2 < keys; k_2++) {
        int32_t total = buckets[k_2];
        for (int64_t t = tables[0] == NULL ? 1 : 0; t < threads; t++) {
            for (int64_t copy = 0; copy < copies; copy++) {
                const int32_t x_2
                        = ((int32_t *)(int64_t *)cogen_data(tables[t]))[copy * keys + k_2];
                const int32_t v_9 = total + x_2;
                total = v_9;
            }
        }
        buckets[k_2] = total;
    }
    for (int64_t t_2 = 0; t_2 < threads; t_2++) {
        cogen_drop(tables[t_2]);
    }
    result[0] = buckets;
    result_block[0] = buckets_block;
    result_shape[0] = (int64_t)bins;
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
        cogen_fail(&memory->error, 5, 0, 0, 0);
        goto end;
    }
    const int32_t a_size_2 = (int32_t)in[0];
    const int32_t bins_2 = (int32_t)in[2];
    int32_t *r = NULL;
    cogen_block *r_block = NULL;
    int64_t r_shape[1];
    if (main_(memory, a_size_2, (float *)(uintptr_t)in[1], bins_2, &r, &r_block, r_shape)) {
        goto end;
    }
    if (!cogen_give(memory, (void **)&r, &r_block, (int64_t)sizeof(int32_t) * r_shape[0])) {
        cogen_fail(&memory->error, 5, 0, 0, 0);
        goto end;
    }
    out[0] = (int64_t)(uintptr_t)r;
    out[1] = (int64_t)(uintptr_t)r_block;
    out[2] = r_shape[0];
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
