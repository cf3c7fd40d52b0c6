...

/* main, scatter.l0:3:49 */
__kernel void multiloop_main(const int64_t parts, __global int64_t *errors, const int64_t n,
        const int64_t size, __global int64_t *a, const int64_t offset, const int64_t size_2,
        __global int64_t *a_2, const int64_t offset_2, __global int64_t *y, const int64_t size_3,
        __global int64_t *a_3, const int64_t offset_3, const int64_t n_2)
{
    const int64_t part = get_global_id(0);
    if (part >= parts) {
        return;
    }
    const int64_t start = n * part / parts;
    const int64_t stop = n * (part + 1) / parts;
    for (int64_t i = start; i < stop; i++) {
        const int64_t x = (a + offset)[i];
        const int64_t x_2 = (a_2 + offset_2)[i];
        const bool v = 0 <= x_2;
        const bool v_2 = x_2 < n_2;
        const bool v_3 = v & v_2;
        if (!v_3) {
            errors[part * 43 + 0] = 1;
            errors[part * 43 + 1] = i;
            errors[part * 43 + 2] = x_2;
            errors[part * 43 + 3] = n_2;
            return;
        }
        const int64_t v_4 = (int64_t)((uint64_t)x * (uint64_t)2);
        y[x_2] = v_4;
    }
}
