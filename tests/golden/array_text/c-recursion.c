/* main: made from a program in L0.
   
   error 1: out of memory, recursion.l0:4:39
   error 2: calls are nested too deeply, recursion.l0:4:25
   error 3: calls are nested too deeply, recursion.l0:5:34
   error 4: out of memory, recursion.l0:5:1 */

...

static bool halves(cogen_memory *memory, int64_t a_size, int64_t n, int64_t *a, cogen_block *a_block, int64_t *result, int64_t **result_2, cogen_block **result_2_block);

/* halves, recursion.l0:3:1 */
static bool halves(cogen_memory *memory, int64_t a_size, int64_t n, int64_t *a,
        cogen_block *a_block, int64_t *result, int64_t **result_2, cogen_block **result_2_block)
{
    const bool v = n <= 0;
    int64_t r;
    int64_t *r_2;
    cogen_block *r_2_block;
    if (v) {
        cogen_block *next = cogen_keep(a_block);
        r = a_size;
        r_2 = a;
        r_2_block = next;
    } else {
        const int64_t v_2 = cogen_floor_quotient(n, 2);
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
                const int64_t v_3 = n + x;
                y[i] = v_3;
            }
        }
        if (cogen_deep(memory->stack_limit)) {
            cogen_fail(&memory->error, 2, 0, 0, 0);
            return true;
        }
        int64_t r_3;
        int64_t *r_4;
        cogen_block *r_4_block;
        if (halves(memory, a_size, v_2, y, y_block, &r_3, &r_4, &r_4_block)) {
            return true;
        }
        cogen_drop(y_block);
        r = r_3;
        r_2 = r_4;
        r_2_block = r_4_block;
    }
    result[0] = r;
    result_2[0] = r_2;
    result_2_block[0] = r_2_block;
    return false;
}

/* main, recursion.l0:5:1 */
static bool main_(cogen_memory *memory, int64_t a_size_2, int64_t n_2, int64_t *a_2,
        cogen_block *a_2_block, int64_t **result_3, cogen_block **result_3_block,
        int64_t *result_3_shape)
{
    if (cogen_deep(memory->stack_limit)) {
        cogen_fail(&memory->error, 3, 0, 0, 0);
        return true;
    }
    int64_t r_5;
    int64_t *r_6;
    cogen_block *r_6_block;
    if (halves(memory, a_size_2, n_2, a_2, a_2_block, &r_5, &r_6, &r_6_block)) {
        return true;
    }
    result_3[0] = r_6;
    result_3_block[0] = r_6_block;
    result_3_shape[0] = r_5;
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
    const int64_t a_size_3 = in[0];
    const int64_t n_3 = in[1];
    int64_t *r_7 = NULL;
    cogen_block *r_7_block = NULL;
    int64_t r_7_shape[1];
    if (main_(memory, a_size_3, n_3, (int64_t *)(uintptr_t)in[2], NULL, &r_7, &r_7_block,
            r_7_shape)) {
        goto end;
    }
    if (!cogen_give(memory, (void **)&r_7, &r_7_block, (int64_t)sizeof(int64_t) * r_7_shape[0])) {
        cogen_fail(&memory->error, 4, 0, 0, 0);
        goto end;
    }
    out[0] = (int64_t)(uintptr_t)r_7;
    out[1] = (int64_t)(uintptr_t)r_7_block;
    out[2] = r_7_shape[0];
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
