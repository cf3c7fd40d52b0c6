/* main: made from a program in L0.
   
   error 1: out of memory, traced.l0:3:27
   error 2: out of memory, traced.l0:3:1 */

...

/* main, traced.l0:3:1 */
static bool main_(cogen_memory *memory, int64_t a_size, int64_t *a, int64_t **result,
        cogen_block **result_block, int64_t *result_shape)
{
    int64_t slots[2];
    slots[0] = (int64_t)(uintptr_t)a;
    slots[1] = a_size;
    memory->call->trace(0, slots);
    cogen_block *const y_block = cogen_alloc(memory, a_size, sizeof(int64_t));
    if (y_block == NULL) {
        cogen_fail(&memory->error, 1, 0, 0, 0);
        return true;
    }
    int64_t *const y = cogen_data(y_block);
    for (int64_t i = 0; i < a_size; i++) {
        const int64_t x = a[i];
        const int64_t v = x + 1;
        int64_t slots_2[1];
        slots_2[0] = v;
        memory->call->trace(1, slots_2);
        y[i] = v;
    }
    result[0] = y;
    result_block[0] = y_block;
    result_shape[0] = a_size;
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
    int64_t *r = NULL;
    cogen_block *r_block = NULL;
    int64_t r_shape[1];
    if (main_(memory, a_size_2, (int64_t *)(uintptr_t)in[1], &r, &r_block, r_shape)) {
        goto end;
    }
    if (!cogen_give(memory, (void **)&r, &r_block, (int64_t)sizeof(int64_t) * r_shape[0])) {
        cogen_fail(&memory->error, 2, 0, 0, 0);
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
