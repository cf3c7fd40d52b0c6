/* main: made from a program in L0.
   
   error 1: out of memory, rearranging.l0:4:19
   error 2: out of memory, rearranging.l0:5:10
   error 3: out of memory, rearranging.l0:3:1 */

...

/* main, rearranging.l0:3:1 */
static bool main_(cogen_memory *memory, int64_t a_size, int64_t *a, int64_t **result,
        cogen_block **result_block, int64_t *result_shape, int64_t **result_2,
        cogen_block **result_2_block, int64_t *result_2_shape, int64_t **result_3,
        cogen_block **result_3_block, int64_t *result_3_shape, int64_t **result_4,
        cogen_block **result_4_block, int64_t *result_4_shape)
{
    cogen_memory *const whole = memory;
    int64_t count = 0;
    cogen_numbers table;
    if (!cogen_numbers_begin(memory, &table, a_size, 1)) {
        cogen_fail(&memory->error, 1, 0, 0, 0);
        return true;
    }
    cogen_block *const numbers_block = cogen_alloc(memory, a_size, sizeof(int64_t));
    if (numbers_block == NULL) {
        cogen_fail(&memory->error, 1, 0, 0, 0);
        return true;
    }
    int64_t *const numbers = cogen_data(numbers_block);
    cogen_block *const sorted_block = cogen_alloc(memory, a_size, sizeof(int64_t));
    if (sorted_block == NULL) {
        cogen_fail(&memory->error, 1, 0, 0, 0);
        return true;
    }
    int64_t *const sorted = cogen_data(sorted_block);
    int64_t count_2 = 0;
    cogen_numbers table_2;
    if (!cogen_numbers_begin(memory, &table_2, a_size, 1)) {
        cogen_fail(&memory->error, 1, 0, 0, 0);
        return true;
    }
    const int team = cogen_team(memory, a_size, (double)a_size * 3);
    int threads = 1;
    cogen_numbers tables[COGEN_THREADS];
    int64_t counts[COGEN_THREADS];
    cogen_numbers tables_2[COGEN_THREADS];
    int64_t counts_2[COGEN_THREADS];
    cogen_block *joined[COGEN_THREADS];
#pragma omp parallel num_threads(team)
    {
        const int thread = omp_get_thread_num();
        const int parts = omp_get_num_threads();
        cogen_memory *const memory = cogen_worker(whole, thread);
        if (thread == 0) {
            threads = parts;
        }
        const int64_t start = a_size * thread / parts;
        const int64_t stop = a_size * (thread + 1) / parts;
        cogen_numbers *const table_3 = thread == 0 ? &table : &tables[thread];
        int64_t count_6 = 0;
        if (thread > 0) {
            if (!cogen_numbers_begin(memory, table_3, a_size, 1)) {
                cogen_fail(&memory->error, 1, 0, 0, 0);
                goto done;
            }
        }
        cogen_numbers *const table_4 = thread == 0 ? &table_2 : &tables_2[thread];
        int64_t count_7 = 0;
        if (thread > 0) {
            if (!cogen_numbers_begin(memory, table_4, a_size, 1)) {
                cogen_fail(&memory->error, 1, 0, 0, 0);
                goto done;
            }
        }
        for (int64_t begin = start; begin < stop; begin += 64) {
            const int64_t end_2 = begin + 64 < stop ? begin + 64 : stop;
            if (cogen_large(table_3)) {
                for (int64_t i_9 = begin; i_9 < end_2; i_9++) {
                    const int64_t x_4 = a[i_9];
                    cogen_ahead_1(table_3, x_4);
                }
                for (int64_t i_10 = begin; i_10 < end_2; i_10++) {
                    const int64_t x_5 = a[i_10];
                    cogen_ahead_key_1(table_3, x_5);
                }
            }
            if (cogen_large(table_4)) {
                for (int64_t i_11 = begin; i_11 < end_2; i_11++) {
                    const int64_t x_6 = a[i_11];
                    const int64_t v_4 = x_6 & 7;
                    cogen_ahead_1(table_4, v_4);
                }
                for (int64_t i_12 = begin; i_12 < end_2; i_12++) {
                    const int64_t x_7 = a[i_12];
                    const int64_t v_5 = x_7 & 7;
                    cogen_ahead_key_1(table_4, v_5);
                }
            }
            for (int64_t i = begin; i < end_2; i++) {
                const int64_t x = a[i];
                const int64_t v = x & 7;
                const int64_t number = cogen_number(memory, table_3, x);
                if (number < 0) {
                    cogen_fail(&memory->error, 1, 0, 0, 0);
                    goto done;
                }
                if (number == count_6) {
                    count_6++;
                }
                const int64_t number_2 = cogen_number(memory, table_4, v);
                if (number_2 < 0) {
                    cogen_fail(&memory->error, 1, 0, 0, 0);
                    goto done;
                }
                if (number_2 == count_7) {
                    count_7++;
                }
                numbers[i] = number_2;
            }
        }
        counts[thread] = count_6;
        counts_2[thread] = count_7;
    done:;
    }
    if (cogen_joined(whole, threads)) {
        return true;
    }
    count = counts[0];
    for (int64_t t = 1; t < threads; t++) {
        for (int64_t k = 0; k < counts[t]; k++) {
            const int64_t number_4 = cogen_number(memory, &table, tables[t].values[k]);
            if (number_4 < 0) {
                cogen_fail(&memory->error, 1, 0, 0, 0);
                return true;
            }
            if (number_4 == count) {
                count++;
            }
        }
        cogen_numbers_end(&tables[t]);
    }
    count_2 = counts_2[0];
    for (int64_t t_2 = 1; t_2 < threads; t_2++) {
        cogen_block *const numbers_2 = cogen_alloc(memory, counts_2[t_2], sizeof(int64_t));
        if (numbers_2 == NULL) {
            cogen_fail(&memory->error, 1, 0, 0, 0);
            return true;
        }
        joined[t_2] = numbers_2;
        int64_t *const joined_2 = cogen_data(joined[t_2]);
        for (int64_t k_2 = 0; k_2 < counts_2[t_2]; k_2++) {
            const int64_t number_5 = cogen_number(memory, &table_2, tables_2[t_2].values[k_2]);
            if (number_5 < 0) {
                cogen_fail(&memory->error, 1, 0, 0, 0);
                return true;
            }
            if (number_5 == count_2) {
                count_2++;
            }
            joined_2[k_2] = number_5;
        }
        cogen_numbers_end(&tables_2[t_2]);
    }
    if (threads > 1) {
#pragma omp parallel num_threads(team)
        {
            const int thread = omp_get_thread_num();
            const int parts = omp_get_num_threads();
            if (thread == 0) {
                threads = parts;
            }
            const int64_t start = a_size * thread / parts;
            const int64_t stop = a_size * (thread + 1) / parts;
            if (thread > 0) {
                int64_t *const joined_3 = cogen_data(joined[thread]);
                for (int64_t i_8 = start; i_8 < stop; i_8++) {
                    numbers[i_8] = joined_3[numbers[i_8]];
                }
            }
        }
    }
    for (int64_t t_3 = 1; t_3 < threads; t_3++) {
        cogen_drop(joined[t_3]);
    }
    const int64_t count_3 = table.count;
    cogen_block *const values_block = cogen_alloc(memory, count_3, sizeof(int64_t));
    if (values_block == NULL) {
        cogen_fail(&memory->error, 1, 0, 0, 0);
        return true;
    }
    int64_t *const values = cogen_data(values_block);
    for (int64_t i_2 = 0; i_2 < count_3; i_2++) {
        const int64_t code = table.values[i_2];
        values[i_2] = code;
    }
    cogen_numbers_end(&table);
    const int64_t count_4 = table_2.count;
    cogen_block *const values_2_block = cogen_alloc(memory, count_4, sizeof(int64_t));
    if (values_2_block == NULL) {
        cogen_fail(&memory->error, 1, 0, 0, 0);
        return true;
    }
    int64_t *const values_2 = cogen_data(values_2_block);
    for (int64_t i_3 = 0; i_3 < count_4; i_3++) {
        const int64_t code_2 = table_2.values[i_3];
        values_2[i_3] = code_2;
    }
    cogen_numbers_end(&table_2);
    cogen_block *const offsets_block = cogen_alloc(memory, count_4 + 1, sizeof(int64_t));
    if (offsets_block == NULL) {
        cogen_fail(&memory->error, 1, 0, 0, 0);
        return true;
    }
    int64_t *const offsets = cogen_data(offsets_block);
    memset(offsets, 0, (size_t)(count_4 + 1) * sizeof(int64_t));
    const int team_2 = count_4 + 1 <= a_size / 4 ? cogen_team(memory, a_size, (double)a_size) : 1;
    int threads_2 = 1;
    cogen_block *blocks[COGEN_THREADS];
    int64_t *tallies[COGEN_THREADS];
#pragma omp parallel num_threads(team_2)
    {
        const int thread_2 = omp_get_thread_num();
        const int parts_2 = omp_get_num_threads();
        cogen_memory *const memory = cogen_worker(whole, thread_2);
        if (thread_2 == 0) {
            threads_2 = parts_2;
        }
        const int64_t start_2 = a_size * thread_2 / parts_2;
        const int64_t stop_2 = a_size * (thread_2 + 1) / parts_2;
        tallies[thread_2] = offsets;
        blocks[thread_2] = NULL;
        if (thread_2 > 0) {
            cogen_block *const tally_2 = cogen_alloc(memory, count_4 + 1, sizeof(int64_t));
            if (tally_2 == NULL) {
                cogen_fail(&memory->error, 1, 0, 0, 0);
                goto done_3;
            }
            blocks[thread_2] = tally_2;
            tallies[thread_2] = cogen_data(tally_2);
            memset(tallies[thread_2], 0, (size_t)(count_4 + 1) * sizeof(int64_t));
        }
        int64_t *const tally = tallies[thread_2];
        for (int64_t i_4 = start_2; i_4 < stop_2; i_4++) {
            tally[numbers[i_4]]++;
        }
    done_3:;
    }
    if (cogen_joined(whole, threads_2)) {
        return true;
    }
    cogen_joint_starts(tallies, threads_2, count_4 + 1);
#pragma omp parallel num_threads(team_2)
    {
        const int thread_2 = omp_get_thread_num();
        const int parts_2 = omp_get_num_threads();
        if (thread_2 == 0) {
            threads_2 = parts_2;
        }
        const int64_t start_2 = a_size * thread_2 / parts_2;
        const int64_t stop_2 = a_size * (thread_2 + 1) / parts_2;
        for (int64_t i_5 = start_2; i_5 < stop_2; i_5++) {
            const int64_t number_3 = numbers[i_5];
            const int64_t place = tallies[thread_2][number_3];
            tallies[thread_2][number_3]++;
            const int64_t x_2 = a[i_5];
            sorted[place] = x_2;
        }
    }
    cogen_joint_ends(offsets, tallies[threads_2 - 1], count_4 + 1);
    for (int64_t t_4 = 1; t_4 < threads_2; t_4++) {
        cogen_drop(blocks[t_4]);
    }
    cogen_drop(numbers_block);
    int64_t count_5 = 0;
    cogen_block *const room = cogen_alloc(memory, a_size < 16 ? 16 : a_size, sizeof(int64_t));
    if (room == NULL) {
        cogen_fail(&memory->error, 2, 0, 0, 0);
        return true;
    }
    cogen_block *y_block = room;
    const int team_3 = cogen_team(memory, a_size, (double)a_size * 5);
    int threads_3 = 1;
    cogen_block *pieces[COGEN_THREADS];
    int64_t counts_3[COGEN_THREADS];
#pragma omp parallel num_threads(team_3)
    {
        const int thread_3 = omp_get_thread_num();
        const int parts_3 = omp_get_num_threads();
        cogen_memory *const memory = cogen_worker(whole, thread_3);
        if (thread_3 == 0) {
            threads_3 = parts_3;
        }
        const int64_t start_3 = a_size * thread_3 / parts_3;
        const int64_t stop_3 = a_size * (thread_3 + 1) / parts_3;
        int64_t count_8 = 0;
        cogen_block *piece = y_block;
        if (thread_3 > 0) {
            cogen_block *const room_2 = cogen_alloc(memory, 16, sizeof(int64_t));
            if (room_2 == NULL) {
                cogen_fail(&memory->error, 2, 0, 0, 0);
                goto done_5;
            }
            piece = room_2;
        }
        for (int64_t i_6 = start_3; i_6 < stop_3; i_6++) {
            const int64_t x_3 = sorted[i_6];
            const int64_t v_3 = x_3 & 3;
            if (!cogen_room(memory, &piece, count_8 * (int64_t)sizeof(int64_t),
                    v_3 * (int64_t)sizeof(int64_t))) {
                cogen_fail(&memory->error, 2, 0, 0, 0);
                goto done_5;
            }
            int64_t *const end = (int64_t *)cogen_data(piece) + count_8;
            for (int64_t i_7 = 0; i_7 < v_3; i_7++) {
                end[i_7] = i_7;
            }
            count_8 += v_3;
        }
        pieces[thread_3] = piece;
        counts_3[thread_3] = count_8;
    done_5:;
    }
    if (cogen_joined(whole, threads_3)) {
        return true;
    }
    for (int64_t t_5 = 0; t_5 < threads_3; t_5++) {
        count_5 += counts_3[t_5];
    }
    y_block = pieces[0];
    int64_t used = counts_3[0] * (int64_t)sizeof(int64_t);
    if (!cogen_room(memory, &y_block, used, count_5 * (int64_t)sizeof(int64_t) - used)) {
        cogen_fail(&memory->error, 2, 0, 0, 0);
        return true;
    }
    for (int64_t t_6 = 1; t_6 < threads_3; t_6++) {
        const int64_t own = counts_3[t_6] * (int64_t)sizeof(int64_t);
        memcpy((uint8_t *)cogen_data(y_block) + used, cogen_data(pieces[t_6]), (size_t)own);
        cogen_drop(pieces[t_6]);
        used += own;
    }
    cogen_drop(sorted_block);
    int64_t *const y = cogen_data(y_block);
    result[0] = values_2;
    result_block[0] = values_2_block;
    result_shape[0] = count_4;
    result_2[0] = offsets;
    result_2_block[0] = offsets_block;
    result_2_shape[0] = count_4 + 1;
    result_3[0] = y;
    result_3_block[0] = y_block;
    result_3_shape[0] = count_5;
    result_4[0] = values;
    result_4_block[0] = values_block;
    result_4_shape[0] = count_3;
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
    const int64_t a_size_2 = in[0];
    int64_t *r = NULL;
    cogen_block *r_block = NULL;
    int64_t r_shape[1];
    int64_t *r_2 = NULL;
    cogen_block *r_2_block = NULL;
    int64_t r_2_shape[1];
    int64_t *r_3 = NULL;
    cogen_block *r_3_block = NULL;
    int64_t r_3_shape[1];
    int64_t *r_4 = NULL;
    cogen_block *r_4_block = NULL;
    int64_t r_4_shape[1];
    if (main_(memory, a_size_2, (int64_t *)(uintptr_t)in[1], &r, &r_block, r_shape, &r_2,
            &r_2_block, r_2_shape, &r_3, &r_3_block, r_3_shape, &r_4, &r_4_block, r_4_shape)) {
        goto end;
    }
    if (!cogen_give(memory, (void **)&r, &r_block, (int64_t)sizeof(int64_t) * r_shape[0])) {
        cogen_fail(&memory->error, 3, 0, 0, 0);
        goto end;
    }
    if (!cogen_give(memory, (void **)&r_2, &r_2_block, (int64_t)sizeof(int64_t) * r_2_shape[0])) {
        cogen_fail(&memory->error, 3, 0, 0, 0);
        goto end;
    }
    if (!cogen_give(memory, (void **)&r_3, &r_3_block, (int64_t)sizeof(int64_t) * r_3_shape[0])) {
        cogen_fail(&memory->error, 3, 0, 0, 0);
        goto end;
    }
    if (!cogen_give(memory, (void **)&r_4, &r_4_block, (int64_t)sizeof(int64_t) * r_4_shape[0])) {
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
