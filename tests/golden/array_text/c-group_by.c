/* main: made from a program in L0.
   
   error 1: the arrays have different sizes: {} and {}, group_by.l0:4:74
   error 2: out of memory, group_by.l0:10:60
   error 3: out of memory, group_by.l0:3:1 */

...

/* main, group_by.l0:3:1 */
static bool main_(cogen_memory *memory, int64_t flag_size, int64_t sign_size, int64_t kind_size,
        int64_t x_size, uint32_t *flag, uint8_t *sign, int64_t *kind, double *x, uint32_t **result,
        cogen_block **result_block, int64_t *result_shape, uint8_t **result_2,
        cogen_block **result_2_block, int64_t *result_2_shape, int64_t **result_3,
        cogen_block **result_3_block, int64_t *result_3_shape, double **result_4,
        cogen_block **result_4_block, int64_t *result_4_shape, int64_t **result_5,
        cogen_block **result_5_block, int64_t *result_5_shape)
{
    cogen_memory *const whole = memory;
    const bool v = flag_size == sign_size;
    const bool v_2 = flag_size == kind_size;
    const bool v_3 = flag_size == x_size;
    if (!v) {
        cogen_fail(&memory->error, 1, flag_size, sign_size, 0);
        return true;
    }
    if (!v_2) {
        cogen_fail(&memory->error, 1, flag_size, kind_size, 0);
        return true;
    }
    if (!v_3) {
        cogen_fail(&memory->error, 1, flag_size, x_size, 0);
        return true;
    }
    int64_t count = 0;
    cogen_numbers table;
    if (!cogen_numbers_begin(memory, &table, flag_size, 2)) {
        cogen_fail(&memory->error, 2, 0, 0, 0);
        return true;
    }
    cogen_block *const room = cogen_alloc(memory, 256 * 2, sizeof(int64_t));
    if (room == NULL) {
        cogen_fail(&memory->error, 2, 0, 0, 0);
        return true;
    }
    cogen_block *rows = room;
    const int team = cogen_team(memory, flag_size, (double)flag_size * 4);
    int threads = 1;
    cogen_numbers tables[COGEN_THREADS];
    int64_t counts[COGEN_THREADS];
    cogen_block *pieces[COGEN_THREADS];
#pragma omp parallel num_threads(team)
    {
        const int thread = omp_get_thread_num();
        const int parts = omp_get_num_threads();
        cogen_memory *const memory = cogen_worker(whole, thread);
        if (thread == 0) {
            threads = parts;
        }
        const int64_t start = flag_size * thread / parts;
        const int64_t stop = flag_size * (thread + 1) / parts;
        cogen_numbers *const table_2 = thread == 0 ? &table : &tables[thread];
        int64_t count_3 = 0;
        cogen_block *piece = rows;
        if (thread > 0) {
            if (!cogen_numbers_begin(memory, table_2, flag_size, 2)) {
                cogen_fail(&memory->error, 2, 0, 0, 0);
                goto done;
            }
            cogen_block *const room_2 = cogen_alloc(memory, 16 * 2, sizeof(int64_t));
            if (room_2 == NULL) {
                cogen_fail(&memory->error, 2, 0, 0, 0);
                goto done;
            }
            piece = room_2;
        }
        int64_t *own_2 = cogen_data(piece);
        for (int64_t begin = start; begin < stop; begin += 1024) {
            const int64_t size = stop - begin < 1024 ? stop - begin : 1024;
            int64_t passing = 0;
            int64_t turning = 0;
            const int64_t looked_at = size / 4;
#pragma omp simd reduction(+:passing) reduction(+:turning)
            for (int64_t i_7 = begin; i_7 < begin + looked_at; i_7++) {
                const double x_19 = x[i_7];
                const bool v_10 = 0.0 <= x_19;
                const double x_20 = x[i_7 + 1];
                const bool v_11 = 0.0 <= x_20;
                passing = passing + (int64_t)v_10;
                turning = turning + (int64_t)((int64_t)v_10 != (int64_t)v_11);
            }
            const int64_t failing = looked_at - passing;
            const int64_t fewer = passing < failing ? passing : failing;
            const int64_t missed = turning < fewer ? turning : fewer;
            if (looked_at * 8 + passing * 57 < missed * 140 || cogen_large(table_2)) {
                uint32_t held[1024];
                int64_t held_2[1024];
                double held_3[1024];
                int64_t held_4[1024];
                int64_t kept = 0;
                for (int64_t i_4 = begin; i_4 < begin + size; i_4++) {
                    const uint32_t x_8 = flag[i_4];
                    const int64_t x_9 = kind[i_4];
                    const double x_10 = x[i_4];
                    const bool v_6 = 0.0 <= x_10;
                    held[kept] = x_8;
                    held_2[kept] = x_9;
                    held_3[kept] = x_10;
                    held_4[kept] = i_4;
                    kept += (int64_t)v_6;
                }
                for (int64_t k_2 = 0; k_2 < kept; k_2++) {
                    const uint32_t x_11 = held[k_2];
                    const int64_t x_12 = held_2[k_2];
                    const double x_13 = held_3[k_2];
                    const int64_t i_5 = held_4[k_2];
                    const bool x_14 = sign[i_5] != 0;
                    const double v_7 = x_13 * 0.5;
                    const int64_t number_3
                            = cogen_number_2(memory, table_2, (int64_t)x_11 * 2 + (int64_t)x_14,
                            x_12);
                    if (number_3 < 0) {
                        cogen_fail(&memory->error, 2, 0, 0, 0);
                        goto done;
                    }
                    if (number_3 == count_3) {
                        if (!cogen_room(memory, &piece, count_3 * 16, 16)) {
                            cogen_fail(&memory->error, 2, 0, 0, 0);
                            goto done;
                        }
                        own_2 = cogen_data(piece);
                        ((double *)own_2)[count_3 * 2] = 0.0;
                        (own_2 + 1)[count_3 * 2] = 0;
                        count_3++;
                    }
                    const double old_3 = ((double *)own_2)[number_3 * 2];
                    const int64_t old_4 = (own_2 + 1)[number_3 * 2];
                    ((double *)own_2)[number_3 * 2] = old_3 + v_7;
                    (own_2 + 1)[number_3 * 2] = old_4 + 1;
                }
            } else {
                for (int64_t i_6 = begin; i_6 < begin + size; i_6++) {
                    const uint32_t x_15 = flag[i_6];
                    const bool x_16 = sign[i_6] != 0;
                    const int64_t x_17 = kind[i_6];
                    const double x_18 = x[i_6];
                    const bool v_8 = 0.0 <= x_18;
                    if (v_8) {
                        const double v_9 = x_18 * 0.5;
                        const int64_t number_4
                                = cogen_number_2(memory, table_2, (int64_t)x_15 * 2 + (int64_t)x_16,
                                x_17);
                        if (number_4 < 0) {
                            cogen_fail(&memory->error, 2, 0, 0, 0);
                            goto done;
                        }
                        if (number_4 == count_3) {
                            if (!cogen_room(memory, &piece, count_3 * 16, 16)) {
                                cogen_fail(&memory->error, 2, 0, 0, 0);
                                goto done;
                            }
                            own_2 = cogen_data(piece);
                            ((double *)own_2)[count_3 * 2] = 0.0;
                            (own_2 + 1)[count_3 * 2] = 0;
                            count_3++;
                        }
                        const double old_5 = ((double *)own_2)[number_4 * 2];
                        const int64_t old_6 = (own_2 + 1)[number_4 * 2];
                        ((double *)own_2)[number_4 * 2] = old_5 + v_9;
                        (own_2 + 1)[number_4 * 2] = old_6 + 1;
                    }
                }
            }
        }
        counts[thread] = count_3;
        pieces[thread] = piece;
    done:;
    }
    if (cogen_joined(whole, threads)) {
        return true;
    }
    count = counts[0];
    rows = pieces[0];
    for (int64_t t = 1; t < threads; t++) {
        for (int64_t k = 0; k < counts[t]; k++) {
            const int64_t number_2
                    = cogen_number_2(memory, &table, tables[t].values[k * 2],
                    tables[t].values[k * 2 + 1]);
            if (number_2 < 0) {
                cogen_fail(&memory->error, 2, 0, 0, 0);
                return true;
            }
            if (number_2 == count) {
                if (!cogen_room(memory, &rows, count * 16, 16)) {
                    cogen_fail(&memory->error, 2, 0, 0, 0);
                    return true;
                }
                ((double *)(int64_t *)cogen_data(rows))[count * 2] = 0.0;
                ((int64_t *)cogen_data(rows) + 1)[count * 2] = 0;
                count++;
            }
            const double total = ((double *)(int64_t *)cogen_data(rows))[number_2 * 2];
            const int64_t total_2 = ((int64_t *)cogen_data(rows) + 1)[number_2 * 2];
            const double x_6 = ((double *)(int64_t *)cogen_data(pieces[t]))[k * 2];
            const int64_t x_7 = ((int64_t *)cogen_data(pieces[t]) + 1)[k * 2];
            ((double *)(int64_t *)cogen_data(rows))[number_2 * 2] = total + x_6;
            ((int64_t *)cogen_data(rows) + 1)[number_2 * 2] = total_2 + x_7;
        }
        cogen_numbers_end(&tables[t]);
        cogen_drop(pieces[t]);
    }
    const int64_t count_2 = table.count;
    cogen_block *const values_block = cogen_alloc(memory, count_2, sizeof(uint32_t));
    if (values_block == NULL) {
        cogen_fail(&memory->error, 2, 0, 0, 0);
        return true;
    }
    uint32_t *const values = cogen_data(values_block);
    cogen_block *const values_2_block = cogen_alloc(memory, count_2, sizeof(uint8_t));
    if (values_2_block == NULL) {
        cogen_fail(&memory->error, 2, 0, 0, 0);
        return true;
    }
    uint8_t *const values_2 = cogen_data(values_2_block);
    cogen_block *const values_3_block = cogen_alloc(memory, count_2, sizeof(int64_t));
    if (values_3_block == NULL) {
        cogen_fail(&memory->error, 2, 0, 0, 0);
        return true;
    }
    int64_t *const values_3 = cogen_data(values_3_block);
    for (int64_t i_2 = 0; i_2 < count_2; i_2++) {
        const int64_t code = table.values[i_2 * 2];
        const int64_t code_2 = table.values[i_2 * 2 + 1];
        const int64_t rest = code / 2;
        values[i_2] = (uint32_t)rest;
        values_2[i_2] = (uint8_t)(code - rest * 2);
        values_3[i_2] = code_2;
    }
    cogen_numbers_end(&table);
    int64_t *const first = cogen_data(rows);
    cogen_block *const bucket_block = cogen_alloc(memory, count_2, sizeof(double));
    if (bucket_block == NULL) {
        cogen_fail(&memory->error, 2, 0, 0, 0);
        return true;
    }
    double *const bucket = cogen_data(bucket_block);
    cogen_block *const bucket_2_block = cogen_alloc(memory, count_2, sizeof(int64_t));
    if (bucket_2_block == NULL) {
        cogen_fail(&memory->error, 2, 0, 0, 0);
        return true;
    }
    int64_t *const bucket_2 = cogen_data(bucket_2_block);
    for (int64_t i_3 = 0; i_3 < count_2; i_3++) {
        bucket[i_3] = ((double *)first)[i_3 * 2];
        bucket_2[i_3] = (first + 1)[i_3 * 2];
    }
    cogen_drop(rows);
    result[0] = values;
    result_block[0] = values_block;
    result_shape[0] = count_2;
    result_2[0] = values_2;
    result_2_block[0] = values_2_block;
    result_2_shape[0] = count_2;
    result_3[0] = values_3;
    result_3_block[0] = values_3_block;
    result_3_shape[0] = count_2;
    result_4[0] = bucket;
    result_4_block[0] = bucket_block;
    result_4_shape[0] = count_2;
    result_5[0] = bucket_2;
    result_5_block[0] = bucket_2_block;
    result_5_shape[0] = count_2;
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
        cogen_fail(&memory->error, 3, 0, 0, 0);
        goto end;
    }
    const int64_t flag_size_2 = in[0];
    const int64_t sign_size_2 = in[1];
    const int64_t kind_size_2 = in[2];
    const int64_t x_size_2 = in[3];
    uint32_t *r = NULL;
    cogen_block *r_block = NULL;
    int64_t r_shape[1];
    uint8_t *r_2 = NULL;
    cogen_block *r_2_block = NULL;
    int64_t r_2_shape[1];
    int64_t *r_3 = NULL;
    cogen_block *r_3_block = NULL;
    int64_t r_3_shape[1];
    double *r_4 = NULL;
    cogen_block *r_4_block = NULL;
    int64_t r_4_shape[1];
    int64_t *r_5 = NULL;
    cogen_block *r_5_block = NULL;
    int64_t r_5_shape[1];
    if (main_(memory, flag_size_2, sign_size_2, kind_size_2, x_size_2, (uint32_t *)(uintptr_t)in[4],
            (uint8_t *)(uintptr_t)in[5], (int64_t *)(uintptr_t)in[6], (double *)(uintptr_t)in[7],
            &r, &r_block, r_shape, &r_2, &r_2_block, r_2_shape, &r_3, &r_3_block, r_3_shape, &r_4,
            &r_4_block, r_4_shape, &r_5, &r_5_block, r_5_shape)) {
        goto end;
    }
    if (!cogen_give(memory, (void **)&r, &r_block, (int64_t)sizeof(uint32_t) * r_shape[0])) {
        cogen_fail(&memory->error, 3, 0, 0, 0);
        goto end;
    }
    if (!cogen_give(memory, (void **)&r_2, &r_2_block, (int64_t)sizeof(uint8_t) * r_2_shape[0])) {
        cogen_fail(&memory->error, 3, 0, 0, 0);
        goto end;
    }
    if (!cogen_give(memory, (void **)&r_3, &r_3_block, (int64_t)sizeof(int64_t) * r_3_shape[0])) {
        cogen_fail(&memory->error, 3, 0, 0, 0);
        goto end;
    }
    if (!cogen_give(memory, (void **)&r_4, &r_4_block, (int64_t)sizeof(double) * r_4_shape[0])) {
        cogen_fail(&memory->error, 3, 0, 0, 0);
        goto end;
    }
    if (!cogen_give(memory, (void **)&r_5, &r_5_block, (int64_t)sizeof(int64_t) * r_5_shape[0])) {
        cogen_fail(&memory->error, 3, 0, 0, 0);
        goto end;
    }
    out[0] = (int64_t)(uintptr_t)r;
    out[1] = (int64_t)(uintptr_t)r_block;
    out[2] = r_shape[0];
    out[3] = (int64_t)(uintptr_t)r_2;
    out[4] = (int64_t)(uintptr_t)r_2_block;
    out[5] = r_2_shape[0];
    out[6] = (int64_t)(uintptr_t)r_3;
    out[7] = (int64_t)(uintptr_t)r_3_block;
    out[8] = r_3_shape[0];
    out[9] = (int64_t)(uintptr_t)r_4;
    out[10] = (int64_t)(uintptr_t)r_4_block;
    out[11] = r_4_shape[0];
    out[12] = (int64_t)(uintptr_t)r_5;
    out[13] = (int64_t)(uintptr_t)r_5_block;
    out[14] = r_5_shape[0];
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
