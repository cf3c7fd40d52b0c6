/* main: made from a program in L0.
   
   error 1: the arrays have different sizes: {} and {}, booleans.l0:4:58
   error 2: out of memory, booleans.l0:5:32
   error 3: out of memory, booleans.l0:3:1 */

...

/* main, booleans.l0:3:1 */
static bool main_(cogen_memory *memory, int64_t a_size, int64_t b_size, uint32_t *a, int64_t *b,
        uint8_t **result, cogen_block **result_block, int64_t *result_shape, bool *result_2,
        uint32_t **result_3, cogen_block **result_3_block, int64_t *result_3_shape)
{
    const bool v = a_size == b_size;
    if (!v) {
        cogen_fail(&memory->error, 1, a_size, b_size, 0);
        return true;
    }
    cogen_block *const y_block = cogen_alloc(memory, a_size, sizeof(uint8_t));
    if (y_block == NULL) {
        cogen_fail(&memory->error, 2, 0, 0, 0);
        return true;
    }
    uint8_t *const y = cogen_data(y_block);
    cogen_block *const y_2_block = cogen_alloc(memory, a_size, sizeof(uint32_t));
    if (y_2_block == NULL) {
        cogen_fail(&memory->error, 2, 0, 0, 0);
        return true;
    }
    uint32_t *const y_2 = cogen_data(y_2_block);
    bool sum = false;
    const int team = cogen_team(memory, a_size, (double)a_size * (5 + (2 + 2)));
    int threads = 1;
    bool parts_2[COGEN_THREADS];
#pragma omp parallel num_threads(team)
    {
        const int thread = omp_get_thread_num();
        const int parts = omp_get_num_threads();
        if (thread == 0) {
            threads = parts;
        }
        const int64_t start = a_size * thread / parts;
        const int64_t stop = a_size * (thread + 1) / parts;
        bool sum_2 = false;
#pragma omp simd reduction(|:sum_2)
        for (int64_t i = start; i < stop; i++) {
            const int64_t x = b[i];
            const uint32_t x_2 = a[i];
            const bool v_3 = x == 7;
            const bool v_2 = x < 3;
            const bool v_4 = v_2 | v_3;
            const uint32_t r = v_4 ? 97 : x_2;
            y[i] = v_4;
            sum_2 = sum_2 | v_4;
            y_2[i] = r;
        }
        parts_2[thread] = sum_2;
    }
    sum = parts_2[0];
    for (int64_t t = 1; t < threads; t++) {
        const bool v_5 = sum | parts_2[t];
        sum = v_5;
    }
    result[0] = y;
    result_block[0] = y_block;
    result_shape[0] = a_size;
    result_2[0] = sum;
    result_3[0] = y_2;
    result_3_block[0] = y_2_block;
    result_3_shape[0] = a_size;
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
    const int64_t b_size_2 = in[1];
    uint8_t *r_2 = NULL;
    cogen_block *r_2_block = NULL;
    int64_t r_2_shape[1];
    bool r_3;
    uint32_t *r_4 = NULL;
    cogen_block *r_4_block = NULL;
    int64_t r_4_shape[1];
    if (main_(memory, a_size_2, b_size_2, (uint32_t *)(uintptr_t)in[2], (int64_t *)(uintptr_t)in[3],
            &r_2, &r_2_block, r_2_shape, &r_3, &r_4, &r_4_block, r_4_shape)) {
        goto end;
    }
    if (!cogen_give(memory, (void **)&r_2, &r_2_block, (int64_t)sizeof(uint8_t) * r_2_shape[0])) {
        cogen_fail(&memory->error, 3, 0, 0, 0);
        goto end;
    }
    if (!cogen_give(memory, (void **)&r_4, &r_4_block, (int64_t)sizeof(uint32_t) * r_4_shape[0])) {
        cogen_fail(&memory->error, 3, 0, 0, 0);
        goto end;
    }
    out[0] = (int64_t)(uintptr_t)r_2;
    out[1] = (int64_t)(uintptr_t)r_2_block;
    out[2] = r_2_shape[0];
    out[3] = (int64_t)r_3;
    out[4] = (int64_t)(uintptr_t)r_4;
    out[5] = (int64_t)(uintptr_t)r_4_block;
    out[6] = r_4_shape[0];
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
