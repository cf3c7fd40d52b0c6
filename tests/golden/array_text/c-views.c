/* main: made from a program in L0.
   
   error 1: the index [{}] is out of bounds of an array of size {}x{}, views.l0:5:30
   error 2: an array of size {} cannot be split at {}, views.l0:5:21
   error 3: an array of size {}x{} is too large, views.l0:6:37
   error 4: out of memory, views.l0:6:18
   error 5: an array of size {}x{} is too large, views.l0:6:4
   error 6: out of memory, views.l0:6:4
   error 7: out of memory, views.l0:6:37
   error 8: out of memory, views.l0:3:1 */

...

/* main, views.l0:3:1 */
static bool main_(cogen_memory *memory, int64_t a_size, int64_t a_size_2, int64_t *a,
        cogen_block *a_block, int64_t n, int64_t **result, cogen_block **result_block,
        int64_t *result_shape, int64_t **result_2, cogen_block **result_2_block,
        int64_t *result_2_shape, int64_t **result_3, cogen_block **result_3_block,
        int64_t *result_3_shape, int64_t **result_4, cogen_block **result_4_block,
        int64_t *result_4_shape)
{
    const bool v = 0 < a_size;
    const bool v_2 = 0 <= n;
    const bool v_3 = n <= a_size_2;
    const bool v_4 = v_2 & v_3;
    const int64_t v_5 = int_area(a_size_2, n);
    const bool v_6 = v_5 <= INT64_C(140737488355328);
    if (!v) {
        cogen_fail(&memory->error, 1, 0, a_size, a_size_2);
        return true;
    }
    if (!v_4) {
        cogen_fail(&memory->error, 2, a_size_2, n, 0);
        return true;
    }
    if (!v_6) {
        cogen_fail(&memory->error, 3, n, a_size_2, 0);
        return true;
    }
    const int64_t v_7 = a_size * a_size_2;
    const int64_t v_8 = a_size_2 - n;
    const int64_t v_9 = a_size + -1;
    int64_t *const part = a + n;
    const int64_t size = v_8 + n;
    cogen_block *const a_2_block = cogen_alloc(memory, size, sizeof(int64_t));
    if (a_2_block == NULL) {
        cogen_fail(&memory->error, 4, 0, 0, 0);
        return true;
    }
    int64_t *const a_2 = cogen_data(a_2_block);
    memcpy(a_2, part, (size_t)v_8 * sizeof(int64_t));
    int64_t *const rest = a_2 + v_8;
    memcpy(rest, a, (size_t)n * sizeof(int64_t));
    int64_t *const row = a + v_9 * a_size_2;
    const int64_t a_3_size = cogen_count(a_size_2, a_size);
    if (a_3_size > INT64_C(140737488355328)) {
        cogen_fail(&memory->error, 5, a_size_2, a_size, 0);
        return true;
    }
    cogen_block *const a_3_block = cogen_alloc(memory, a_3_size, sizeof(int64_t));
    if (a_3_block == NULL) {
        cogen_fail(&memory->error, 6, 0, 0, 0);
        return true;
    }
    int64_t *const a_3 = cogen_data(a_3_block);
    for (int64_t i = 0; i < a_size_2; i++) {
        for (int64_t i_2 = 0; i_2 < a_size; i_2++) {
            a_3[i * a_size + i_2] = a[i + i_2 * a_size_2];
        }
    }
    result[0] = a_3;
    result_block[0] = a_3_block;
    result_shape[0] = a_size_2;
    result_shape[1] = a_size;
    result_2[0] = a_2;
    result_2_block[0] = a_2_block;
    result_2_shape[0] = size;
    const int64_t a_4_size = cogen_count(n, a_size_2);
    if (a_4_size > INT64_C(140737488355328)) {
        cogen_fail(&memory->error, 3, n, a_size_2, 0);
        return true;
    }
    cogen_block *const a_4_block = cogen_alloc(memory, a_4_size, sizeof(int64_t));
    if (a_4_block == NULL) {
        cogen_fail(&memory->error, 7, 0, 0, 0);
        return true;
    }
    int64_t *const a_4 = cogen_data(a_4_block);
    for (int64_t i_3 = 0; i_3 < n; i_3++) {
        for (int64_t i_4 = 0; i_4 < a_size_2; i_4++) {
            a_4[i_3 * a_size_2 + i_4] = row[i_4];
        }
    }
    result_3[0] = a_4;
    result_3_block[0] = a_4_block;
    result_3_shape[0] = n;
    result_3_shape[1] = a_size_2;
    result_4[0] = a;
    result_4_block[0] = cogen_keep(a_block);
    result_4_shape[0] = v_7;
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
        cogen_fail(&memory->error, 8, 0, 0, 0);
        goto end;
    }
    const int64_t a_size_3 = in[0];
    const int64_t a_size_4 = in[1];
    const int64_t n_2 = in[3];
    int64_t *r = NULL;
    cogen_block *r_block = NULL;
    int64_t r_shape[2];
    int64_t *r_2 = NULL;
    cogen_block *r_2_block = NULL;
    int64_t r_2_shape[1];
    int64_t *r_3 = NULL;
    cogen_block *r_3_block = NULL;
    int64_t r_3_shape[2];
    int64_t *r_4 = NULL;
    cogen_block *r_4_block = NULL;
    int64_t r_4_shape[1];
    if (main_(memory, a_size_3, a_size_4, (int64_t *)(uintptr_t)in[2], NULL, n_2, &r, &r_block,
            r_shape, &r_2, &r_2_block, r_2_shape, &r_3, &r_3_block, r_3_shape, &r_4, &r_4_block,
            r_4_shape)) {
        goto end;
    }
    if (!cogen_give(memory, (void **)&r, &r_block,
            (int64_t)sizeof(int64_t) * r_shape[0] * r_shape[1])) {
        cogen_fail(&memory->error, 8, 0, 0, 0);
        goto end;
    }
    if (!cogen_give(memory, (void **)&r_2, &r_2_block, (int64_t)sizeof(int64_t) * r_2_shape[0])) {
        cogen_fail(&memory->error, 8, 0, 0, 0);
        goto end;
    }
    if (!cogen_give(memory, (void **)&r_3, &r_3_block,
            (int64_t)sizeof(int64_t) * r_3_shape[0] * r_3_shape[1])) {
        cogen_fail(&memory->error, 8, 0, 0, 0);
        goto end;
    }
    if (!cogen_give(memory, (void **)&r_4, &r_4_block, (int64_t)sizeof(int64_t) * r_4_shape[0])) {
        cogen_fail(&memory->error, 8, 0, 0, 0);
        goto end;
    }
    out[0] = (int64_t)(uintptr_t)r;
    out[1] = (int64_t)(uintptr_t)r_block;
    out[2] = r_shape[0];
    out[3] = r_shape[1];
    out[4] = (int64_t)(uintptr_t)r_2;
    out[5] = (int64_t)(uintptr_t)r_2_block;
    out[6] = r_2_shape[0];
    out[7] = (int64_t)(uintptr_t)r_3;
    out[8] = (int64_t)(uintptr_t)r_3_block;
    out[9] = r_3_shape[0];
    out[10] = r_3_shape[1];
    out[11] = (int64_t)(uintptr_t)r_4;
    out[12] = (int64_t)(uintptr_t)r_4_block;
    out[13] = r_4_shape[0];
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
