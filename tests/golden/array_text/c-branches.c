/* main: made from a program in L0.
   
   error 1: out of memory, branches.l0:4:17
   error 2: out of memory, branches.l0:4:48
   error 3: out of memory, branches.l0:4:38
   error 4: out of memory, branches.l0:3:1 */

...

/* main, branches.l0:3:1 */
static bool main_(cogen_memory *memory, int64_t a_size, int64_t *a, bool which, int64_t **result,
        cogen_block **result_block, int64_t *result_shape)
{
    int64_t r;
    int64_t *r_2;
    cogen_block *r_2_block;
    if (which) {
        cogen_block *const y_block = cogen_alloc(memory, a_size, sizeof(int64_t));
        if (y_block == NULL) {
            cogen_fail(&memory->error, 1, 0, 0, 0);
            return true;
        }
        int64_t *const y = cogen_data(y_block);
        const int team = cogen_team(memory, a_size, (double)a_size * 3);
#pragma omp parallel num_threads(team)
        {
            const int thread = omp_get_thread_num();
            const int parts = omp_get_num_threads();
            const int64_t start = a_size * thread / parts;
            const int64_t stop = a_size * (thread + 1) / parts;
#pragma omp simd
            for (int64_t i = start; i < stop; i++) {
                const int64_t x = a[i];
                const int64_t v = x + 1;
                y[i] = v;
            }
        }
        r = a_size;
        r_2 = y;
        r_2_block = y_block;
    } else {
        const int64_t a_4 = 0;
        const int64_t v_2 = a_size + 1;
        const int64_t size = a_size + 1;
        cogen_block *const a_3_block = cogen_alloc(memory, size, sizeof(int64_t));
        if (a_3_block == NULL) {
            cogen_fail(&memory->error, 3, 0, 0, 0);
            return true;
        }
        int64_t *const a_3 = cogen_data(a_3_block);
        memcpy(a_3, a, (size_t)a_size * sizeof(int64_t));
        int64_t *const rest = a_3 + a_size;
        rest[0] = a_4;
        r = v_2;
        r_2 = a_3;
        r_2_block = a_3_block;
    }
    result[0] = r_2;
    result_block[0] = r_2_block;
    result_shape[0] = r;
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
    const bool which_2 = in[2] != 0;
    int64_t *r_3 = NULL;
    cogen_block *r_3_block = NULL;
    int64_t r_3_shape[1];
    if (main_(memory, a_size_2, (int64_t *)(uintptr_t)in[1], which_2, &r_3, &r_3_block,
            r_3_shape)) {
        goto end;
    }
    if (!cogen_give(memory, (void **)&r_3, &r_3_block, (int64_t)sizeof(int64_t) * r_3_shape[0])) {
        cogen_fail(&memory->error, 4, 0, 0, 0);
        goto end;
    }
    out[0] = (int64_t)(uintptr_t)r_3;
    out[1] = (int64_t)(uintptr_t)r_3_block;
    out[2] = r_3_shape[0];
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
