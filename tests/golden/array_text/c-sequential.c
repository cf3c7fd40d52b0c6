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
        cogen_fail(&memory->error, 1, re_size, im_size, 0);
        return true;
    }
    cogen_block *const y_block = cogen_alloc(memory, re_size, sizeof(int64_t));
    if (y_block == NULL) {
        cogen_fail(&memory->error, 2, 0, 0, 0);
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
                const int64_t i_3 = begin + lane;
                const double x_3 = re[i_3];
                const double x_4 = im[i_3];
                double v_15 = 0.0;
                double v_16 = 0.0;
                int64_t v_17 = 0;
                lanes[lane] = x_3;
                lanes_2[lane] = x_4;
                lanes_3[lane] = v_15;
                lanes_4[lane] = v_16;
                lanes_5[lane] = v_17;
            }
            for (int64_t i_2 = 0; i_2 < limit; i_2++) {
                int64_t more_2 = 0;
#pragma omp simd reduction(|:more_2)
                for (int64_t lane_2 = 0; lane_2 < 32; lane_2++) {
                    const double x_5 = lanes[lane_2];
                    const double x_6 = lanes_2[lane_2];
                    double v_18 = lanes_3[lane_2];
                    double v_19 = lanes_4[lane_2];
                    int64_t v_20 = lanes_5[lane_2];
                    const double v_21 = v_18 * v_18;
                    const double v_22 = v_19 * v_19;
                    const double v_23 = v_21 + v_22;
                    const bool v_24 = v_23 < 4.0;
                    const double v_25 = v_21 - v_22;
                    const double v_26 = x_5 + v_25;
                    const double v_27 = v_18 * 2.0;
                    const double v_28 = v_19 * v_27;
                    const double v_29 = x_6 + v_28;
                    const int64_t v_30 = v_20 + 1;
                    const double r_4 = v_24 ? v_26 : v_18;
                    const double r_5 = v_24 ? v_29 : v_19;
                    const int64_t r_6 = v_24 ? v_30 : v_20;
                    const bool more_3 = v_24;
                    v_18 = r_4;
                    v_19 = r_5;
                    v_20 = r_6;
                    more_2 |= more_3 ? 1 : 0;
                    lanes_3[lane_2] = v_18;
                    lanes_4[lane_2] = v_19;
                    lanes_5[lane_2] = v_20;
                }
                if (more_2 == 0) {
                    break;
                }
            }
#pragma omp simd
            for (int64_t lane_3 = 0; lane_3 < 32; lane_3++) {
                const int64_t i_5 = begin + lane_3;
                const int64_t v_31 = lanes_5[lane_3];
                y[i_5] = v_31;
            }
        }
        for (int64_t i_6 = whole_2; i_6 < stop; i_6++) {
            const double x_7 = re[i_6];
            const double x_8 = im[i_6];
            double v_32 = 0.0;
            double v_33 = 0.0;
            int64_t v_34 = 0;
            for (int64_t i_7 = 0; i_7 < limit; i_7++) {
                const double v_35 = v_32 * v_32;
                const double v_36 = v_33 * v_33;
                const double v_37 = v_35 + v_36;
                const bool v_38 = v_37 < 4.0;
                const double v_39 = v_35 - v_36;
                const double v_40 = x_7 + v_39;
                const double v_41 = v_32 * 2.0;
                const double v_42 = v_33 * v_41;
                const double v_43 = x_8 + v_42;
                const int64_t v_44 = v_34 + 1;
                const double r_7 = v_38 ? v_40 : v_32;
                const double r_8 = v_38 ? v_43 : v_33;
                const int64_t r_9 = v_38 ? v_44 : v_34;
                const bool more_4 = v_38;
                v_32 = r_7;
                v_33 = r_8;
                v_34 = r_9;
                if (!more_4) {
                    break;
                }
            }
            y[i_6] = v_34;
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
        cogen_fail(&memory->error, 3, 0, 0, 0);
        goto end;
    }
    const int64_t re_size_2 = in[0];
    const int64_t im_size_2 = in[1];
    const int64_t limit_2 = in[4];
    int64_t *r_4 = NULL;
    cogen_block *r_4_block = NULL;
    int64_t r_4_shape[1];
    if (main_(memory, re_size_2, im_size_2, (double *)(uintptr_t)in[2], (double *)(uintptr_t)in[3],
            limit_2, &r_4, &r_4_block, r_4_shape)) {
        goto end;
    }
    if (!cogen_give(memory, (void **)&r_4, &r_4_block, (int64_t)sizeof(int64_t) * r_4_shape[0])) {
        cogen_fail(&memory->error, 3, 0, 0, 0);
        goto end;
    }
    out[0] = (int64_t)(uintptr_t)r_4;
    out[1] = (int64_t)(uintptr_t)r_4_block;
    out[2] = r_4_shape[0];
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
