...

/* main, unknown_operator.l0:4:3 */
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
    int64_t sum_3 = 1;
    int64_t sum_4 = 0;
    for (int64_t i = start; i < stop; i++) {
        const int64_t x = (a + offset)[i];
        const int64_t v = (int64_t)((uint64_t)sum_3 * (uint64_t)2);
        const int64_t v_2 = (int64_t)((uint64_t)sum_4 * (uint64_t)2);
        const int64_t v_3 = (int64_t)((uint64_t)x + (uint64_t)v_2);
        sum_3 = v;
        sum_4 = v_3;
    }
    parts_2[part] = sum_3;
    parts_3[part] = sum_4;
}

/* join, unknown_operator.l0:4:3 */
__kernel void multiloop_join(const int64_t parts, __global int64_t *errors, const int64_t n,
        const int64_t size, __global int64_t *a, const int64_t offset, __global int64_t *parts_2,
        __global int64_t *parts_3)
{
    const int64_t part = get_global_id(0);
    if (part >= parts) {
        return;
    }
    if (part == 0) {
        int64_t total = parts_2[0];
        int64_t total_2 = parts_3[0];
        for (int64_t t = 1; t < parts; t++) {
            const int64_t v_7 = (int64_t)((uint64_t)total * (uint64_t)parts_2[t]);
            const int64_t v_8 = (int64_t)((uint64_t)total_2 * (uint64_t)parts_2[t]);
            const int64_t v_9 = (int64_t)((uint64_t)parts_3[t] + (uint64_t)v_8);
            const int64_t v_10 = v_7;
            const int64_t v_11 = v_9;
            total = v_10;
            total_2 = v_11;
        }
        parts_2[0] = total;
        parts_3[0] = total_2;
    }
}
