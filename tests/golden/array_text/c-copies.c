/* main: made from a program in L0.
   
   error 1: the index [{}] is out of bounds of an array of size {}, copies.l0:5:7
   error 2: out of memory, copies.l0:4:11
   error 3: out of memory, copies.l0:5:7
   error 4: out of memory, copies.l0:3:1 */

...

/* main, copies.l0:3:1 */
static bool main_(cogen_memory *memory, int64_t a_size, int64_t *a, int64_t i, int64_t **result,
        cogen_block **result_block, int64_t *result_shape, int64_t **result_2,
        cogen_block **result_2_block, int64_t *result_2_shape)
{
    const bool v = 0 <= i;
    const bool v_2 = i < a_size;
    const bool v_3 = v & v_2;
    if (!v_3) {
        cogen_fail(&memory->error, 1, i, a_size, 0);
        return true;
    }
    cogen_block *const copy_block = cogen_alloc(memory, a_size, sizeof(int64_t));
    if (copy_block == NULL) {
        cogen_fail(&memory->error, 2, 0, 0, 0);
        return true;
    }
    int64_t *const copy = cogen_data(copy_block);
    memcpy(copy, a, (size_t)a_size * sizeof(int64_t));
    cogen_block *const copy_2_block = cogen_alloc(memory, a_size, sizeof(int64_t));
    if (copy_2_block == NULL) {
        cogen_fail(&memory->error, 3, 0, 0, 0);
        return true;
    }
    int64_t *const copy_2 = cogen_data(copy_2_block);
    memcpy(copy_2, a, (size_t)a_size * sizeof(int64_t));
    copy_2[i] = 0;
    result[0] = copy_2;
    result_block[0] = copy_2_block;
    result_shape[0] = a_size;
    result_2[0] = copy;
    result_2_block[0] = copy_block;
    result_2_shape[0] = a_size;
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
        cogen_fail(&memory->error, 4, 0, 0, 0);
        goto end;
    }
    const int64_t a_size_2 = in[0];
    const int64_t i_2 = in[2];
    int64_t *r = NULL;
    cogen_block *r_block = NULL;
    int64_t r_shape[1];
    int64_t *r_2 = NULL;
    cogen_block *r_2_block = NULL;
    int64_t r_2_shape[1];
    if (main_(memory, a_size_2, (int64_t *)(uintptr_t)in[1], i_2, &r, &r_block, r_shape, &r_2,
            &r_2_block, r_2_shape)) {
        goto end;
    }
    if (!cogen_give(memory, (void **)&r, &r_block, (int64_t)sizeof(int64_t) * r_shape[0])) {
        cogen_fail(&memory->error, 4, 0, 0, 0);
        goto end;
    }
    if (!cogen_give(memory, (void **)&r_2, &r_2_block, (int64_t)sizeof(int64_t) * r_2_shape[0])) {
        cogen_fail(&memory->error, 4, 0, 0, 0);
        goto end;
    }
    out[0] = (int64_t)(uintptr_t)r;
    out[1] = (int64_t)(uintptr_t)r_block;
    out[2] = r_shape[0];
    out[3] = (int64_t)(uintptr_t)r_2;
    out[4] = (int64_t)(uintptr_t)r_2_block;
    out[5] = r_2_shape[0];
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
