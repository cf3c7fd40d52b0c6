/* main: made from a program in L0.
   
   error 1: out of memory, black_scholes.l0:24:55
   error 2: out of memory, black_scholes.l0:24:1 */

...

/* main, black_scholes.l0:24:1 */
static bool main_(cogen_memory *memory, int64_t options_size, uint8_t *options, double *options_2,
        double *options_3, double *options_4, double **result, cogen_block **result_block,
        int64_t *result_shape)
{
    cogen_block *const y_block = cogen_alloc(memory, options_size, sizeof(double));
    if (y_block == NULL) {
        cogen_fail(&memory->error, 1, 0, 0, 0);
        return true;
    }
    double *const y = cogen_data(y_block);
    const int team = cogen_team(memory, options_size,
            (double)options_size * (155 + (3 + 2 + 3 + 2 + 5 + 7)));
#pragma omp parallel num_threads(team)
    {
        const int thread = omp_get_thread_num();
        const int parts = omp_get_num_threads();
        const int64_t start = options_size * thread / parts;
        const int64_t stop = options_size * (thread + 1) / parts;
#pragma omp simd
        for (int64_t i = start; i < stop; i++) {
            const bool x = options[i] != 0;
            const double x_2 = options_2[i];
            const double x_3 = options_3[i];
            const double x_4 = options_4[i];
            const double v_3 = x_2 / x_3;
            const double v_4 = log(v_3);
            const double v_5 = x_4 * 0.125;
            const double v_6 = v_4 + v_5;
            const double v = sqrt(x_4);
            const double v_2 = v * 0.3;
            const double v_7 = v_6 / v_2;
            const double v_8 = v_7 - v_2;
            const double v_30 = fabs(v_8);
            const double v_31 = v_30 * 0.2316419;
            const double v_32 = v_31 + 1.0;
            const double v_33 = 1.0 / v_32;
            const double v_34 = v_33 * 1.330274429;
            const double v_35 = v_34 + -1.821255978;
            const double v_36 = v_33 * v_35;
            const double v_37 = v_36 + 1.781477937;
            const double v_38 = v_33 * v_37;
            const double v_39 = v_38 + -0.356563782;
            const double v_40 = v_33 * v_39;
            const double v_41 = v_40 + 0.31938153;
            const double v_42 = v_33 * v_41;
            const double v_43 = v_8 * 0.5;
            const double v_44 = v_8 * v_43;
            const double v_45 = -v_44;
            const double v_46 = exp(v_45);
            const double v_47 = v_46 * 0.3989422804014327;
            const double v_48 = v_42 * v_47;
            const bool v_49 = 0.0 < v_8;
            const double v_50 = 1.0 - v_48;
            const double r_2 = v_49 ? v_50 : v_48;
            const double v_9 = fabs(v_7);
            const double v_10 = v_9 * 0.2316419;
            const double v_11 = v_10 + 1.0;
            const double v_12 = 1.0 / v_11;
            const double v_13 = v_12 * 1.330274429;
            const double v_14 = v_13 + -1.821255978;
            const double v_15 = v_12 * v_14;
            const double v_16 = v_15 + 1.781477937;
            const double v_17 = v_12 * v_16;
            const double v_18 = v_17 + -0.356563782;
            const double v_19 = v_12 * v_18;
            const double v_20 = v_19 + 0.31938153;
            const double v_21 = v_12 * v_20;
            const double v_22 = v_7 * 0.5;
            const double v_23 = v_7 * v_22;
            const double v_24 = -v_23;
            const double v_25 = exp(v_24);
            const double v_26 = v_25 * 0.3989422804014327;
            const double v_27 = v_21 * v_26;
            const bool v_28 = 0.0 < v_7;
            const double v_29 = 1.0 - v_27;
            const double r = v_28 ? v_29 : v_27;
            const double v_51 = x_4 * 0.08;
            const double v_52 = -v_51;
            const double v_53 = exp(v_52);
            const double v_54 = x_3 * v_53;
            const double v_55 = x_2 * r;
            const double v_56 = r_2 * v_54;
            const double v_57 = v_55 - v_56;
            const double v_58 = 1.0 - r_2;
            const double v_59 = v_54 * v_58;
            const double v_60 = 1.0 - r;
            const double v_61 = x_2 * v_60;
            const double v_62 = v_59 - v_61;
            const double r_3 = x ? v_57 : v_62;
            y[i] = r_3;
        }
    }
    result[0] = y;
    result_block[0] = y_block;
    result_shape[0] = options_size;
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
    const int64_t options_size_2 = in[0];
    double *r_4 = NULL;
    cogen_block *r_4_block = NULL;
    int64_t r_4_shape[1];
    if (main_(memory, options_size_2, (uint8_t *)(uintptr_t)in[1], (double *)(uintptr_t)in[2],
            (double *)(uintptr_t)in[3], (double *)(uintptr_t)in[4], &r_4, &r_4_block, r_4_shape)) {
        goto end;
    }
    if (!cogen_give(memory, (void **)&r_4, &r_4_block, (int64_t)sizeof(double) * r_4_shape[0])) {
        cogen_fail(&memory->error, 2, 0, 0, 0);
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
