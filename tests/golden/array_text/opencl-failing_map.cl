...

/* main, failing_map.l0:3:37 */
__kernel void multiloop_main(const int64_t parts, __global int64_t *errors, const int64_t n,
        const int64_t size, __global int64_t *a, const int64_t offset, __global int64_t *y,
        const int64_t n_2, const int64_t size_2, __global int64_t *a_2, const int64_t offset_2)
{
    const int64_t part = get_global_id(0);
    if (part >= parts) {
        return;
    }
    for (int64_t i = part; i < n; i += parts) {
        const int64_t x = (a + offset)[i];
        const bool v = 0 <= x;
        const bool v_2 = x < n_2;
        const bool v_3 = v & v_2;
        if (!v_3) {
            errors[part * 43 + 0] = 1;
            errors[part * 43 + 1] = i;
            errors[part * 43 + 2] = x;
            errors[part * 43 + 3] = n_2;
            return;
        }
        const int64_t x_2 = (a_2 + offset_2)[x];
        const bool v_4 = x_2 == 0;
        const bool v_5 = !v_4;
        if (!v_5) {
            errors[part * 43 + 0] = 2;
            errors[part * 43 + 1] = i;
            return;
        }
        const int64_t v_6 = cogen_floor_quotient(100, x_2);
        y[i] = v_6;
    }
}
