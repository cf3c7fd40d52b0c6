...

/* main, stencil.l0:5:3 */
__kernel void multiloop_main(const int64_t parts, __global int64_t *errors, const int64_t n,
        __global double *y, const int64_t n_2, const int64_t size, __global double *a,
        const int64_t offset)
{
    const int64_t part = get_global_id(0);
    if (part >= parts) {
        return;
    }
    const int64_t i = part;
    const bool v = i < 1;
    const bool v_2 = n_2 < i;
    const bool v_3 = v | v_2;
    const double x = (a + offset)[i];
    double r;
    if (v_3) {
        r = x;
    } else {
        const int64_t v_4 = (int64_t)((uint64_t)i + (uint64_t)-1);
        const double x_2 = (a + offset)[v_4];
        const double v_5 = x_2 * 0.25;
        const double v_6 = x * 0.5;
        const double v_7 = v_5 + v_6;
        const int64_t v_8 = (int64_t)((uint64_t)i + (uint64_t)1);
        const double x_3 = (a + offset)[v_8];
        const double v_9 = x_3 * 0.25;
        const double v_10 = v_7 + v_9;
        r = v_10;
    }
    y[i] = r;
}
