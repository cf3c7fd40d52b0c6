...

/* main, sequential.l0:4:3 */
__kernel void multiloop_main(const int64_t parts, __global int64_t *errors, const int64_t n,
        const int64_t size, __global double *a, const int64_t offset, const int64_t size_2,
        __global double *a_2, const int64_t offset_2, __global int64_t *y, const int64_t n_2)
{
    const int64_t part = get_global_id(0);
    if (part >= parts) {
        return;
    }
    const int64_t i = part;
    const double x = (a + offset)[i];
    const double x_2 = (a_2 + offset_2)[i];
    double v = 0.0;
    double v_2 = 0.0;
    int64_t v_3 = 0;
    for (int64_t i_2 = 0; i_2 < n_2; i_2++) {
        const double v_4 = v * v;
        const double v_5 = v_2 * v_2;
        const double v_6 = v_4 + v_5;
        const bool v_7 = v_6 < 4.0;
        const double v_8 = v_4 - v_5;
        const double v_9 = x + v_8;
        const double v_10 = v * 2.0;
        const double v_11 = v_2 * v_10;
        const double v_12 = x_2 + v_11;
        const int64_t v_13 = (int64_t)((uint64_t)v_3 + (uint64_t)1);
        const double r = v_7 ? v_9 : v;
        const double r_2 = v_7 ? v_12 : v_2;
        const int64_t r_3 = v_7 ? v_13 : v_3;
        v = r;
        v_2 = r_2;
        v_3 = r_3;
    }
    y[i] = v_3;
}

/* lanes, sequential.l0:4:3 */
__kernel void multiloop_lanes(const int64_t parts, __global int64_t *errors, const int64_t n,
        const int64_t size, __global double *a, const int64_t offset, const int64_t size_2,
        __global double *a_2, const int64_t offset_2, __global int64_t *y, const int64_t n_2)
{
    const int64_t part = get_global_id(0);
    if (part >= parts) {
        return;
    }
    const int64_t start = n * part / parts;
    const int64_t stop = n * (part + 1) / parts;
    int64_t i_3 = start;
    while (i_3 + 8 <= stop) {
        const double8 w = vload8(0, a + offset + i_3);
        const double8 w_2 = vload8(0, a_2 + offset_2 + i_3);
        double8 r_4 = (double8)(0.0);
        double8 r_5 = (double8)(0.0);
        long8 r_6 = (long8)(0);
        for (int64_t j = 0; j < n_2; j++) {
            const double8 w_3 = r_4 * r_4;
            const double8 w_4 = r_5 * r_5;
            const double8 w_5 = w_3 + w_4;
            const long8 w_6 = w_5 < (double8)(4.0);
            const double8 w_7 = w_3 - w_4;
            const double8 w_8 = w + w_7;
            const double8 w_9 = r_4 * (double8)(2.0);
            const double8 w_10 = r_5 * w_9;
            const double8 w_11 = w_2 + w_10;
            const long8 w_12 = as_long8(as_ulong8(r_6) + as_ulong8((long8)(1)));
            const double8 w_13 = w_6 ? w_8 : r_4;
            const double8 w_14 = w_6 ? w_11 : r_5;
            const long8 w_15 = w_6 ? w_12 : r_6;
            r_4 = w_13;
            r_5 = w_14;
            r_6 = w_15;
        }
        vstore8(r_6, 0, y + i_3);
        i_3 += 8;
    }
    for (int64_t i = i_3; i < stop; i++) {
        const double x = (a + offset)[i];
        const double x_2 = (a_2 + offset_2)[i];
        double v = 0.0;
        double v_2 = 0.0;
        int64_t v_3 = 0;
        for (int64_t i_2 = 0; i_2 < n_2; i_2++) {
            const double v_4 = v * v;
            const double v_5 = v_2 * v_2;
            const double v_6 = v_4 + v_5;
            const bool v_7 = v_6 < 4.0;
            const double v_8 = v_4 - v_5;
            const double v_9 = x + v_8;
            const double v_10 = v * 2.0;
            const double v_11 = v_2 * v_10;
            const double v_12 = x_2 + v_11;
            const int64_t v_13 = (int64_t)((uint64_t)v_3 + (uint64_t)1);
            const double r = v_7 ? v_9 : v;
            const double r_2 = v_7 ? v_12 : v_2;
            const int64_t r_3 = v_7 ? v_13 : v_3;
            v = r;
            v_2 = r_2;
            v_3 = r_3;
        }
        y[i] = v_3;
    }
}
