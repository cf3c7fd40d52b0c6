/* main: made from a program in L0.
   
   error 1: the arrays have different sizes: {} and {}, scatter.l0:3:49
   error 2: the index [{}] is out of bounds of an array of size {}, scatter.l0:3:49
   error 3: out of memory, scatter.l0:3:1 */

...

/* main, scatter.l0:3:1 */
static bool main_(cogen_memory *memory, int64_t a_size, int64_t is_size, int64_t vs_size,
        int64_t *a, cogen_block *a_block, int64_t *is, int64_t *vs, int64_t **result,
        cogen_block **result_block, int64_t *result_shape)
{
    cogen_memory *const whole = memory;
    const bool v = is_size == vs_size;
    if (!v) {
        cogen_fail(&memory->error, 1, is_size, vs_size, 0);
        return true;
    }
    const int team = (size_t)a_size * sizeof(int64_t) > 80 * (size_t)memory->call->grain ? cogen_team(memory, is_size, (double)is_size * 8) : 1;
    int threads = 1;
#pragma omp parallel num_threads(team)
    {
        const int thread = omp_get_thread_num();
        const int parts = omp_get_num_threads();
        cogen_memory *const memory = cogen_worker(whole, thread);
        if (thread == 0) {
            threads = parts;
        }
        const int64_t least = a_size * thread / parts;
        const int64_t most = a_size * (thread + 1) / parts;
        for (int64_t i = 0; i < is_size; i++) {
            const int64_t x = vs[i];
            const int64_t x_2 = is[i];
            const bool v_2 = 0 <= x_2;
            const bool v_3 = x_2 < a_size;
            const bool v_4 = v_2 & v_3;
            if (!v_4) {
                cogen_fail(&memory->error, 2, x_2, a_size, 0);
                goto done;
            }
            const int64_t v_5 = x * 2;
            if (least <= x_2 && x_2 < most) {
                a[x_2] = v_5;
            }
        }
    done:;
    }
    if (cogen_joined(whole, threads)) {
        return true;
    }
    result[0] = a;
    result_block[0] = a_block;
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
        cogen_fail(&memory->error, 3, 0, 0, 0);
        goto end;
    }
    const int64_t a_size_2 = in[0];
    const int64_t is_size_2 = in[1];
    const int64_t vs_size_2 = in[2];
    cogen_block *const taken
            = cogen_taken(memory, (int64_t *)(uintptr_t)in[3], (int64_t)sizeof(int64_t) * a_size_2);
    if (taken == NULL) {
        cogen_fail(&memory->error, 3, 0, 0, 0);
        goto end;
    }
    int64_t *r = NULL;
    cogen_block *r_block = NULL;
    int64_t r_shape[1];
    if (main_(memory, a_size_2, is_size_2, vs_size_2, cogen_data(taken), taken,
            (int64_t *)(uintptr_t)in[4], (int64_t *)(uintptr_t)in[5], &r, &r_block, r_shape)) {
        goto end;
    }
    if (!cogen_give(memory, (void **)&r, &r_block, (int64_t)sizeof(int64_t) * r_shape[0])) {
        cogen_fail(&memory->error, 3, 0, 0, 0);
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
