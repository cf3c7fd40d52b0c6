/* main: made from a program in L0.
   
   error 1: division by zero, scalars.l0:4:36
   error 2: out of memory, scalars.l0:3:1 */

...

/* main, scalars.l0:3:1 */
static bool main_(cogen_memory *memory, int64_t a, int64_t b, double x, int64_t *result,
        double *result_2, bool *result_3, uint32_t *result_4)
{
    const bool v = b < 0;
    const double v_2 = fabs(x);
    const double v_3 = sqrt(v_2);
    const double v_4 = pow(x, 2.0);
    const int64_t v_5 = a >> (3 & 63);
    const double v_6 = (double)v_5;
    const double v_7 = v_4 * v_6;
    const double v_8 = v_3 + v_7;
    const int64_t v_9 = real_trunc(v_8);
    const int64_t v_10 = -a;
    const int64_t v_11 = v_9 * v_10;
    const double v_12 = log(v_8);
    const double v_13 = x / 2.0;
    const double v_14 = v_12 - v_13;
    const double v_15 = exp(v_14);
    const bool v_16 = a == b;
    const bool v_17 = !v_16;
    const bool v_18 = x < v_8;
    int64_t r;
    if (v) {
        const int64_t v_19 = cogen_floor_quotient(a, b);
        r = v_19;
    } else {
        const int64_t v_20 = b + 1;
        const bool v_21 = v_20 == 0;
        const bool v_22 = !v_21;
        if (!v_22) {
            cogen_fail(&memory->error, 1, 0, 0, 0);
            return true;
        }
        const int64_t v_23 = cogen_floor_remainder(a, v_20);
        r = v_23;
    }
    const int64_t v_24 = v_11 + r;
    const bool v_25 = r <= b;
    const bool v_26 = v_18 | v_25;
    const bool v_27 = v_17 & v_26;
    result[0] = v_24;
    result_2[0] = v_15;
    result_3[0] = v_27;
    result_4[0] = 99;
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
    const int64_t a_2 = in[0];
    const int64_t b_2 = in[1];
    const double x_2 = cogen_bits_to_float64(in[2]);
    int64_t r_2;
    double r_3;
    bool r_4;
    uint32_t r_5;
    if (main_(memory, a_2, b_2, x_2, &r_2, &r_3, &r_4, &r_5)) {
        goto end;
    }
    out[0] = (int64_t)r_2;
    out[1] = cogen_float64_to_bits(r_3);
    out[2] = (int64_t)r_4;
    out[3] = (int64_t)r_5;
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
