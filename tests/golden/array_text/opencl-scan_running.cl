...

/* totals, scan_running.l0:5:3 */
__kernel void multiloop_totals(const int64_t parts, __global int64_t *errors, const int64_t n,
        const int64_t size, __global int64_t *a, const int64_t offset, __global int64_t *parts_2,
        __global int64_t *parts_3)
{
    const int64_t part = get_global_id(0);
    if (part >= parts) {
        return;
    }
    const int64_t start = n * part / parts;
    const int64_t stop = n * (part + 1) / parts;
    int64_t sum_5 = 0;
    for (int64_t i_2 = start; i_2 < stop; i_2++) {
        const int64_t x_2 = (a + offset)[i_2];
        sum_5 = (int64_t)((uint64_t)sum_5 + (uint64_t)x_2);
    }
    parts_2[part] = sum_5;
}

/* before, scan_running.l0:5:3 */
__kernel void multiloop_before(const int64_t parts, __global int64_t *errors, const int64_t n,
        const int64_t size, __global int64_t *a, const int64_t offset, __global int64_t *parts_2,
        __global int64_t *parts_3)
{
    const int64_t part = get_global_id(0);
    if (part >= parts) {
        return;
    }
    if (part == 0) {
        int64_t total = 0;
        for (int64_t t = 0; t < parts; t++) {
            const int64_t own = parts_2[t];
            parts_2[t] = total;
            if (t == 0) {
                total = own;
            } else {
                const int64_t v = (int64_t)((uint64_t)total + (uint64_t)own);
                total = v;
            }
        }
    }
}

/* main, scan_running.l0:5:3 */
__kernel void multiloop_main(const int64_t parts, __global int64_t *errors, const int64_t n,
        const int64_t size, __global int64_t *a, const int64_t offset, __global int64_t *parts_2,
        __global int64_t *parts_3)
{
    const int64_t part = get_global_id(0);
    if (part >= parts) {
        return;
    }
    const int64_t start = n * part / parts;
    const int64_t stop = n * (part + 1) / parts;
    int64_t sum_3 = parts_2[part];
    int64_t sum_4 = -1000;
    for (int64_t i = start; i < stop; i++) {
        const int64_t x = (a + offset)[i];
        sum_3 = (int64_t)((uint64_t)sum_3 + (uint64_t)x);
        sum_4 = sum_4 < sum_3 ? sum_3 : sum_4;
    }
    parts_3[part] = sum_4;
}

/* join, scan_running.l0:5:3 */
__kernel void multiloop_join(const int64_t parts, __global int64_t *errors, const int64_t n,
        const int64_t size, __global int64_t *a, const int64_t offset, __global int64_t *parts_2,
        __global int64_t *parts_3)
{
    const int64_t part = get_global_id(0);
    if (part >= parts) {
        return;
    }
    if (part == 0) {
        int64_t total_2 = parts_3[0];
        for (int64_t t_2 = 1; t_2 < parts; t_2++) {
            const int64_t v_2 = total_2 < parts_3[t_2] ? parts_3[t_2] : total_2;
            total_2 = v_2;
        }
        parts_3[0] = total_2;
    }
}
