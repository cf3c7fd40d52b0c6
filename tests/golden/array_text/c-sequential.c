/* main: made from a program in L0.
   
   error 1: the arrays have different sizes: {} and {}, sequential.l0:9:7
   error 2: out of memory, sequential.l0:4:3
   error 3: out of memory, sequential.l0:3:1 */

...

/* main, sequential.l0:3:1 */
static bool main_(cogen_memory *memory, int64_t re_size, int64_t im_size, double *re, double *im,
        int64_t limit, int64_t **result, cogen_block **result_block, int64_t *result_shape)
{
    const bool v = re_size == im_size;
    if (!v) {
        cogen_fail(memory, 1, re_size, im_size, 0);
        return true;
    }
    cogen_block *const y_block = cogen_alloc(memory, re_size, sizeof(int64_t));
    if (y_block == NULL) {
        cogen_fail(memory, 2, 0, 0, 0);
        return true;
    }
    int64_t *const y = cogen_data(y_block);
    const int team = cogen_team(memory, re_size,
            (double)re_size * (2 + (double)limit * (6 + (8 + 2))));
#pragma omp parallel num_threads(team)
    {
        const int thread = omp_get_thread_num();
        const int parts = omp_get_num_threads();
        const int64_t start = re_size * thread / parts;
        const int64_t stop = re_size * (thread + 1) / parts;
        const int64_t whole_2 = start + (stop - start) / 32 * 32;
        for (int64_t begin = start; begin < whole_2; begin += 32) {
            double lanes[32];
            double lanes_2[32];
            double lanes_3[32];
            double lanes_4[32];
            int64_t lanes_5[32];
#pragma omp simd
            for (int64_t lane = 0; lane < 32; lane++) {
                const int64_t i = begin + lane;
                const double x = re[i];
                const double x_2 = im[i];
                lanes[lane] = x;
                lanes_2[lane] = x_2;
                lanes_3[lane] = 0.0;
                lanes_4[lane] = 0.0;
                lanes_5[lane] = 0;
            }
            for (int64_t i_2 = 0; i_2 < limit; i_2++) {
                int64_t more = 0;
#pragma omp simd reduction(|:more)
                for (int64_t lane_2 = 0; lane_2 < 32; lane_2++) {
                    const double kept = lanes[lane_2];
                    const double kept_2 = lanes_2[lane_2];
                    const double kept_3 = lanes_3[lane_2];
                    const double kept_4 = lanes_4[lane_2];
                    const int64_t kept_5 = lanes_5[lane_2];
                    const double v_2 = kept_3 * kept_3;
                    const double v_3 = kept_4 * kept_4;
                    const double v_4 = v_2 + v_3;
                    const bool v_5 = v_4 < 4.0;
                    const double v_6 = v_2 - v_3;
                    const double v_7 = kept + v_6;
                    const double v_8 = kept_3 * 2.0;
                    const double v_9 = kept_4 * v_8;
                    const double v_10 = kept_2 + v_9;
                    const int64_t v_11 = kept_5 + 1;
                    const double v_12 = v_5 ? v_7 : kept_3;
                    const double v_13 = v_5 ? v_10 : kept_4;
                    const int64_t v_14 = v_5 ? v_11 : kept_5;
                    lanes_3[lane_2] = v_12;
                    lanes_4[lane_2] = v_13;
                    lanes_5[lane_2] = v_14;
                    more |= v_5 ? 1 : 0;
                }
                if (more == 0) {
                    break;
                }
            }
#pragma omp simd
            for (int64_t lane_3 = 0; lane_3 < 32; lane_3++) {
                const int64_t i_4 = begin + lane_3;
                const int64_t kept_6 = lanes_5[lane_3];
                y[i_4] = kept_6;
            }
        }
        for (int64_t i_5 = whole_2; i_5 < stop; i_5++) {
            const double x_3 = re[i_5];
            const double x_4 = im[i_5];
            double v_15 = 0.0;
            double v_16 = 0.0;
            int64_t v_17 = 0;
            for (int64_t i_6 = 0; i_6 < limit; i_6++) {
                const double v_18 = v_15 * v_15;
                const double v_19 = v_16 * v_16;
                const double v_20 = v_18 + v_19;
                const bool v_21 = v_20 < 4.0;
                const double v_22 = v_18 - v_19;
                const double v_23 = x_3 + v_22;
                const double v_24 = v_15 * 2.0;
                const double v_25 = v_16 * v_24;
                const double v_26 = x_4 + v_25;
                const int64_t v_27 = v_17 + 1;
                const double v_28 = v_21 ? v_23 : v_15;
                const double v_29 = v_21 ? v_26 : v_16;
                const int64_t v_30 = v_21 ? v_27 : v_17;
                const bool more_2 = v_21;
                v_15 = v_28;
                v_16 = v_29;
                v_17 = v_30;
                if (!more_2) {
                    break;
                }
            }
            y[i_5] = v_17;
        }
    }
    result[0] = y;
    result_block[0] = y_block;
    result_shape[0] = re_size;
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
        cogen_fail(memory, 3, 0, 0, 0);
        goto end;
    }
    const int64_t re_size_2 = in[0];
    const int64_t im_size_2 = in[1];
    const int64_t limit_2 = in[4];
    int64_t *r = NULL;
    cogen_block *r_block = NULL;
    int64_t r_shape[1];
    if (main_(memory, re_size_2, im_size_2, (double *)(uintptr_t)in[2], (double *)(uintptr_t)in[3],
            limit_2, &r, &r_block, r_shape)) {
        goto end;
    }
    if (!cogen_give(memory, (void **)&r, &r_block, (int64_t)sizeof(int64_t) * r_shape[0])) {
        cogen_fail(memory, 3, 0, 0, 0);
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
