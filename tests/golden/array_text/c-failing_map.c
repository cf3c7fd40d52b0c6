/* main: made from a program in L0.
   
   error 1: out of memory, failing_map.l0:3:37
   error 2: the index [{}] is out of bounds of an array of size {}, failing_map.l0:3:65
   error 3: division by zero, failing_map.l0:3:59
   error 4: out of memory, failing_map.l0:3:1 */

...

/* main, failing_map.l0:3:1 */
static bool main_(cogen_memory *memory, int64_t a_size, int64_t at_size, int64_t *a, int64_t *at,
        int64_t **result, cogen_block **result_block, int64_t *result_shape)
{
    cogen_memory *const whole = memory;
    cogen_block *const y_block = cogen_alloc(memory, at_size, sizeof(int64_t));
    if (y_block == NULL) {
        cogen_fail(&memory->error, 1, 0, 0, 0);
        return true;
    }
    int64_t *const y = cogen_data(y_block);
    const int team = cogen_team(memory, at_size, (double)at_size * 33);
    int threads = 1;
#pragma omp parallel num_threads(team)
    {
        const int thread = omp_get_thread_num();
        const int parts = omp_get_num_threads();
        cogen_memory *const memory = cogen_worker(whole, thread);
        if (thread == 0) {
            threads = parts;
        }
        const int64_t start = at_size * thread / parts;
        const int64_t stop = at_size * (thread + 1) / parts;
        for (int64_t i = start; i < stop; i++) {
            const int64_t x = at[i];
            const bool v = 0 <= x;
            const bool v_2 = x < a_size;
            const bool v_3 = v & v_2;
            if (!v_3) {
                cogen_fail(&memory->error, 2, x, a_size, 0);
                goto done;
            }
            const int64_t x_2 = a[x];
            const bool v_4 = x_2 == 0;
            const bool v_5 = !v_4;
            if (!v_5) {
                cogen_fail(&memory->error, 3, 0, 0, 0);
                goto done;
            }
            const int64_t v_6 = cogen_floor_quotient(100, x_2);
            y[i] = v_6;
        }
    done:;
    }
    if (cogen_joined(whole, threads)) {
        return true;
    }
    result[0] = y;
    result_block[0] = y_block;
    result_shape[0] = at_size;
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
    const int64_t at_size_2 = in[1];
    int64_t *r = NULL;
    cogen_block *r_block = NULL;
    int64_t r_shape[1];
    if (main_(memory, a_size_2, at_size_2, (int64_t *)(uintptr_t)in[2], (int64_t *)(uintptr_t)in[3],
            &r, &r_block, r_shape)) {
        goto end;
    }
    if (!cogen_give(memory, (void **)&r, &r_block, (int64_t)sizeof(int64_t) * r_shape[0])) {
        cogen_fail(&memory->error, 4, 0, 0, 0);
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
