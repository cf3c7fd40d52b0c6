/* main: made from a program in L0.
   
   error 1: the array would not be regular: it has rows of size {} and {}, literals.l0:4:16
   error 2: the index [{}, {}] is out of bounds of an array of size {}x{}, literals.l0:5:7
   error 3: out of memory, literals.l0:4:20
   error 4: out of memory, literals.l0:6:14
   error 5: out of memory, literals.l0:4:16
   error 6: out of memory, literals.l0:3:1 */

...

/* main, literals.l0:3:1 */
static bool main_(cogen_memory *memory, int64_t a_size, int64_t *a, int64_t i, int64_t **result,
        cogen_block **result_block, int64_t *result_shape)
{
    const bool v = a_size == 3;
    const bool v_2 = 0 <= i;
    const bool v_3 = i < 3;
    const bool v_4 = v_2 & v_3;
    if (!v) {
        cogen_fail(&memory->error, 1, a_size, 3, 0);
        return true;
    }
    if (!v_4) {
        cogen_fail(&memory->error, 2, 0, i, 2);
        memory->error.detail[3] = 3;
        return true;
    }
    int64_t a_2[3];
    a_2[0] = 1;
    a_2[1] = 2;
    a_2[2] = 3;
    int64_t a_3[3];
    a_3[0] = i;
    a_3[1] = i;
    a_3[2] = i;
    cogen_block *const a_4_block = cogen_alloc(memory, 2 * a_size, sizeof(int64_t));
    if (a_4_block == NULL) {
        cogen_fail(&memory->error, 5, 0, 0, 0);
        return true;
    }
    int64_t *const a_4 = cogen_data(a_4_block);
    memcpy(a_4, a, (size_t)a_size * sizeof(int64_t));
    int64_t *const row = a_4 + a_size;
    memcpy(row, a_2, (size_t)a_size * sizeof(int64_t));
    a_4[i] = 7;
    int64_t *const row_2 = a_4 + a_size;
    memcpy(row_2, a_3, (size_t)a_size * sizeof(int64_t));
    result[0] = a_4;
    result_block[0] = a_4_block;
    result_shape[0] = 2;
    result_shape[1] = a_size;
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
        cogen_fail(&memory->error, 6, 0, 0, 0);
        goto end;
    }
    const int64_t a_size_2 = in[0];
    const int64_t i_2 = in[2];
    int64_t *r = NULL;
    cogen_block *r_block = NULL;
    int64_t r_shape[2];
    if (main_(memory, a_size_2, (int64_t *)(uintptr_t)in[1], i_2, &r, &r_block, r_shape)) {
        goto end;
    }
    if (!cogen_give(memory, (void **)&r, &r_block,
            (int64_t)sizeof(int64_t) * r_shape[0] * r_shape[1])) {
        cogen_fail(&memory->error, 6, 0, 0, 0);
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
