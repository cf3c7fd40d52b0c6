...

/* totals, scan_stored.l0:5:7 */
__kernel void multiloop_totals(const int64_t parts, __global int64_t *errors, const int64_t n,
        const int64_t size, __global int32_t *a, const int64_t offset, __global int32_t *y,
        __global int32_t *parts_2, __global int32_t *y_2)
{
    const int64_t part = get_global_id(0);
    if (part >= parts) {
        return;
    }
    const int64_t start = n * part / parts;
    const int64_t stop = n * (part + 1) / parts;
    int32_t sum_3 = 0;
    for (int64_t i_2 = start; i_2 < stop; i_2++) {
        const int32_t x_2 = (a + offset)[i_2];
        const int32_t v_3 = (int32_t)((uint32_t)x_2 * (uint32_t)3);
        sum_3 = (int32_t)((uint32_t)sum_3 + (uint32_t)v_3);
    }
    parts_2[part] = sum_3;
}

/* before, scan_stored.l0:5:7 */
__kernel void multiloop_before(const int64_t parts, __global int64_t *errors, const int64_t n,
        const int64_t size, __global int32_t *a, const int64_t offset, __global int32_t *y,
        __global int32_t *parts_2, __global int32_t *y_2)
{
    const int64_t part = get_global_id(0);
    if (part >= parts) {
        return;
    }
    if (part == 0) {
        int32_t total = 0;
        for (int64_t t = 0; t < parts; t++) {
            const int32_t own = parts_2[t];
            parts_2[t] = total;
            if (t == 0) {
                total = own;
            } else {
                const int32_t v_4 = (int32_t)((uint32_t)total + (uint32_t)own);
                total = v_4;
            }
        }
    }
}

/* main, scan_stored.l0:5:7 */
__kernel void multiloop_main(const int64_t parts, __global int64_t *errors, const int64_t n,
        const int64_t size, __global int32_t *a, const int64_t offset, __global int32_t *y,
        __global int32_t *parts_2, __global int32_t *y_2)
{
    const int64_t part = get_global_id(0);
    if (part >= parts) {
        return;
    }
    const int64_t start = n * part / parts;
    const int64_t stop = n * (part + 1) / parts;
    int32_t sum_2 = parts_2[part];
    for (int64_t i = start; i < stop; i++) {
        const int32_t x = (a + offset)[i];
        const int32_t v = (int32_t)((uint32_t)x * (uint32_t)3);
        sum_2 = (int32_t)((uint32_t)sum_2 + (uint32_t)v);
        const int32_t v_2 = cogen_floor_quotient(sum_2, 2);
        y[i] = sum_2;
        y_2[i] = v_2;
    }
}
