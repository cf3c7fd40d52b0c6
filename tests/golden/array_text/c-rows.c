/* main: made from a program in L0.
   
   error 1: the arrays have different sizes: {} and {}, rows.l0:5:59
   error 2: an array of size {}x{} is too large, rows.l0:5:72
   error 3: out of memory, rows.l0:5:72
   error 4: an array of size {}x{} is too large, rows.l0:4:3
   error 5: out of memory, rows.l0:4:3
   error 6: out of memory, rows.l0:5:9
   error 7: out of memory, rows.l0:3:1 */

...

/* main, rows.l0:3:1 */
static bool main_(cogen_memory *memory, int64_t a_size, int64_t a_size_2, int64_t b_size,
        int64_t b_size_2, int64_t *a, int64_t *b, int64_t **result, cogen_block **result_block,
        int64_t *result_shape)
{
    const bool v = a_size_2 == b_size;
    const bool v_2 = b_size_2 <= 0;
    const bool v_3 = v | v_2;
    const bool v_4 = a_size <= 0;
    const bool v_5 = v_3 | v_4;
    if (!v_5) {
        cogen_fail(&memory->error, 1, a_size_2, b_size, 0);
        return true;
    }
    const int64_t turned_size = cogen_count(b_size_2, b_size);
    if (turned_size > INT64_C(140737488355328)) {
        cogen_fail(&memory->error, 2, b_size_2, b_size, 0);
        return true;
    }
    cogen_block *const turned_block = cogen_alloc(memory, turned_size, sizeof(int64_t));
    if (turned_block == NULL) {
        cogen_fail(&memory->error, 3, 0, 0, 0);
        return true;
    }
    int64_t *const turned = cogen_data(turned_block);
    for (int64_t i = 0; i < b_size_2; i++) {
        for (int64_t i_2 = 0; i_2 < b_size; i_2++) {
            turned[i * b_size + i_2] = b[i + i_2 * b_size_2];
        }
    }
    const int64_t y_size = cogen_count(a_size, b_size_2);
    if (y_size > INT64_C(140737488355328)) {
        cogen_fail(&memory->error, 4, a_size, b_size_2, 0);
        return true;
    }
    cogen_block *const y_block = cogen_alloc(memory, y_size, sizeof(int64_t));
    if (y_block == NULL) {
        cogen_fail(&memory->error, 5, 0, 0, 0);
        return true;
    }
    int64_t *const y = cogen_data(y_block);
    const int team = cogen_team(memory, a_size,
            (double)a_size * (2 + (double)b_size_2 * (2 + (double)a_size_2 * 3)));
#pragma omp parallel num_threads(team)
    {
        const int thread = omp_get_thread_num();
        const int parts = omp_get_num_threads();
        const int64_t start = a_size * thread / parts;
        const int64_t stop = a_size * (thread + 1) / parts;
        const int64_t rest = start + (stop - start) / 4 * 4;
        for (int64_t i_3 = start; i_3 < rest; i_3 += 4) {
            int64_t *const row = a + i_3 * a_size_2;
            int64_t *const y_2 = y + i_3 * b_size_2;
            const int64_t i_6 = i_3 + 1;
            int64_t *const row_3 = a + i_6 * a_size_2;
            int64_t *const y_3 = y + i_6 * b_size_2;
            const int64_t i_7 = i_3 + 2;
            int64_t *const row_4 = a + i_7 * a_size_2;
            int64_t *const y_4 = y + i_7 * b_size_2;
            const int64_t i_8 = i_3 + 3;
            int64_t *const row_5 = a + i_8 * a_size_2;
            int64_t *const y_5 = y + i_8 * b_size_2;
            for (int64_t i_4 = 0; i_4 < b_size_2; i_4++) {
                int64_t *const row_2 = turned + i_4 * b_size;
                int64_t sum = 0;
                int64_t *const row_6 = turned + i_4 * b_size;
                int64_t sum_2 = 0;
                int64_t *const row_7 = turned + i_4 * b_size;
                int64_t sum_3 = 0;
                int64_t *const row_8 = turned + i_4 * b_size;
                int64_t sum_4 = 0;
                if (a_size_2 < 16) {
                    for (int64_t i_17 = 0; i_17 < a_size_2; i_17++) {
                        const int64_t x_19 = row[i_17];
                        const int64_t x_20 = row_2[i_17];
                        const int64_t v_15 = x_19 * x_20;
                        sum = sum + v_15;
                        const int64_t x_21 = row_3[i_17];
                        const int64_t x_22 = row_6[i_17];
                        const int64_t v_16 = x_21 * x_22;
                        sum_2 = sum_2 + v_16;
                        const int64_t x_23 = row_4[i_17];
                        const int64_t x_24 = row_7[i_17];
                        const int64_t v_17 = x_23 * x_24;
                        sum_3 = sum_3 + v_17;
                        const int64_t x_25 = row_5[i_17];
                        const int64_t x_26 = row_8[i_17];
                        const int64_t v_18 = x_25 * x_26;
                        sum_4 = sum_4 + v_18;
                    }
                } else {
#pragma omp simd reduction(+:sum) reduction(+:sum_2) reduction(+:sum_3) reduction(+:sum_4)
                    for (int64_t i_5 = 0; i_5 < a_size_2; i_5++) {
                        const int64_t x = row[i_5];
                        const int64_t x_2 = row_2[i_5];
                        const int64_t v_6 = x * x_2;
                        sum = sum + v_6;
                        const int64_t x_3 = row_3[i_5];
                        const int64_t x_4 = row_6[i_5];
                        const int64_t v_7 = x_3 * x_4;
                        sum_2 = sum_2 + v_7;
                        const int64_t x_5 = row_4[i_5];
                        const int64_t x_6 = row_7[i_5];
                        const int64_t v_8 = x_5 * x_6;
                        sum_3 = sum_3 + v_8;
                        const int64_t x_7 = row_5[i_5];
                        const int64_t x_8 = row_8[i_5];
                        const int64_t v_9 = x_7 * x_8;
                        sum_4 = sum_4 + v_9;
                    }
                }
                y_2[i_4] = sum;
                y_3[i_4] = sum_2;
                y_4[i_4] = sum_3;
                y_5[i_4] = sum_4;
            }
        }
        for (int64_t i_9 = rest; i_9 < stop; i_9++) {
            int64_t *const row_9 = a + i_9 * a_size_2;
            int64_t *const y_6 = y + i_9 * b_size_2;
            const int64_t rest_2 = b_size_2 / 4 * 4;
            for (int64_t i_10 = 0; i_10 < rest_2; i_10 += 4) {
                int64_t *const row_10 = turned + i_10 * b_size;
                int64_t sum_5 = 0;
                const int64_t i_12 = i_10 + 1;
                int64_t *const row_11 = turned + i_12 * b_size;
                int64_t sum_6 = 0;
                const int64_t i_13 = i_10 + 2;
                int64_t *const row_12 = turned + i_13 * b_size;
                int64_t sum_7 = 0;
                const int64_t i_14 = i_10 + 3;
                int64_t *const row_13 = turned + i_14 * b_size;
                int64_t sum_8 = 0;
                if (a_size_2 < 16) {
                    for (int64_t i_18 = 0; i_18 < a_size_2; i_18++) {
                        const int64_t x_27 = row_9[i_18];
                        const int64_t x_28 = row_10[i_18];
                        const int64_t v_19 = x_27 * x_28;
                        sum_5 = sum_5 + v_19;
                        const int64_t x_29 = row_9[i_18];
                        const int64_t x_30 = row_11[i_18];
                        const int64_t v_20 = x_29 * x_30;
                        sum_6 = sum_6 + v_20;
                        const int64_t x_31 = row_9[i_18];
                        const int64_t x_32 = row_12[i_18];
                        const int64_t v_21 = x_31 * x_32;
                        sum_7 = sum_7 + v_21;
                        const int64_t x_33 = row_9[i_18];
                        const int64_t x_34 = row_13[i_18];
                        const int64_t v_22 = x_33 * x_34;
                        sum_8 = sum_8 + v_22;
                    }
                } else {
#pragma omp simd reduction(+:sum_5) reduction(+:sum_6) reduction(+:sum_7) reduction(+:sum_8)
                    for (int64_t i_11 = 0; i_11 < a_size_2; i_11++) {
                        const int64_t x_9 = row_9[i_11];
                        const int64_t x_10 = row_10[i_11];
                        const int64_t v_10 = x_9 * x_10;
                        sum_5 = sum_5 + v_10;
                        const int64_t x_11 = row_9[i_11];
                        const int64_t x_12 = row_11[i_11];
                        const int64_t v_11 = x_11 * x_12;
                        sum_6 = sum_6 + v_11;
                        const int64_t x_13 = row_9[i_11];
                        const int64_t x_14 = row_12[i_11];
                        const int64_t v_12 = x_13 * x_14;
                        sum_7 = sum_7 + v_12;
                        const int64_t x_15 = row_9[i_11];
                        const int64_t x_16 = row_13[i_11];
                        const int64_t v_13 = x_15 * x_16;
                        sum_8 = sum_8 + v_13;
                    }
                }
                y_6[i_10] = sum_5;
                y_6[i_12] = sum_6;
                y_6[i_13] = sum_7;
                y_6[i_14] = sum_8;
            }
            for (int64_t i_15 = rest_2; i_15 < b_size_2; i_15++) {
                int64_t *const row_14 = turned + i_15 * b_size;
                int64_t sum_9 = 0;
                if (a_size_2 < 16) {
                    for (int64_t i_19 = 0; i_19 < a_size_2; i_19++) {
                        const int64_t x_35 = row_9[i_19];
                        const int64_t x_36 = row_14[i_19];
                        const int64_t v_23 = x_35 * x_36;
                        sum_9 = sum_9 + v_23;
                    }
                } else if (a_size_2 < 4096) {
#pragma omp simd reduction(+:sum_9)
                    for (int64_t i_24 = 0; i_24 < a_size_2; i_24++) {
                        const int64_t x_45 = row_9[i_24];
                        const int64_t x_46 = row_14[i_24];
                        const int64_t v_28 = x_45 * x_46;
                        sum_9 = sum_9 + v_28;
                    }
                } else {
                    const int64_t part = a_size_2 / 4;
                    int64_t sum_10 = 0;
                    int64_t sum_11 = 0;
                    int64_t sum_12 = 0;
#pragma omp simd reduction(+:sum_9) reduction(+:sum_10) reduction(+:sum_11) reduction(+:sum_12)
                    for (int64_t i_16 = 0; i_16 < part; i_16++) {
                        const int64_t x_17 = row_9[i_16];
                        const int64_t x_18 = row_14[i_16];
                        const int64_t v_14 = x_17 * x_18;
                        sum_9 = sum_9 + v_14;
                        const int64_t i_20 = i_16 + part;
                        const int64_t x_37 = row_9[i_20];
                        const int64_t x_38 = row_14[i_20];
                        const int64_t v_24 = x_37 * x_38;
                        sum_10 = sum_10 + v_24;
                        const int64_t i_21 = i_16 + 2 * part;
                        const int64_t x_39 = row_9[i_21];
                        const int64_t x_40 = row_14[i_21];
                        const int64_t v_25 = x_39 * x_40;
                        sum_11 = sum_11 + v_25;
                        const int64_t i_22 = i_16 + 3 * part;
                        const int64_t x_41 = row_9[i_22];
                        const int64_t x_42 = row_14[i_22];
                        const int64_t v_26 = x_41 * x_42;
                        sum_12 = sum_12 + v_26;
                    }
                    sum_9 = sum_9 + sum_10;
                    sum_9 = sum_9 + sum_11;
                    sum_9 = sum_9 + sum_12;
                    const int64_t rest_3 = 4 * part;
#pragma omp simd reduction(+:sum_9)
                    for (int64_t i_23 = rest_3; i_23 < a_size_2; i_23++) {
                        const int64_t x_43 = row_9[i_23];
                        const int64_t x_44 = row_14[i_23];
                        const int64_t v_27 = x_43 * x_44;
                        sum_9 = sum_9 + v_27;
                    }
                }
                y_6[i_15] = sum_9;
            }
        }
    }
    cogen_drop(turned_block);
    result[0] = y;
    result_block[0] = y_block;
    result_shape[0] = a_size;
    result_shape[1] = b_size_2;
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
        cogen_fail(&memory->error, 7, 0, 0, 0);
        goto end;
    }
    const int64_t a_size_3 = in[0];
    const int64_t a_size_4 = in[1];
    const int64_t b_size_3 = in[2];
    const int64_t b_size_4 = in[3];
    int64_t *r = NULL;
    cogen_block *r_block = NULL;
    int64_t r_shape[2];
    if (main_(memory, a_size_3, a_size_4, b_size_3, b_size_4, (int64_t *)(uintptr_t)in[4],
            (int64_t *)(uintptr_t)in[5], &r, &r_block, r_shape)) {
        goto end;
    }
    if (!cogen_give(memory, (void **)&r, &r_block,
            (int64_t)sizeof(int64_t) * r_shape[0] * r_shape[1])) {
        cogen_fail(&memory->error, 7, 0, 0, 0);
        goto end;
    }
    out[0] = (int64_t)(uintptr_t)r;
    out[1] = (int64_t)(uintptr_t)r_block;
    out[2] = r_shape[0];
    out[3] = r_shape[1];
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
