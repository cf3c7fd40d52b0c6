...

/* main, booleans.l0:5:32 */
__kernel void multiloop_main(const int64_t parts, __global int64_t *errors, const int64_t n,
        const int64_t size, __global int64_t *a, const int64_t offset, const int64_t size_2,
        __global uint32_t *a_2, const int64_t offset_2, __global uint8_t *y,
        __global uint8_t *parts_2, __global uint32_t *y_2)
{
    const int64_t part = get_global_id(0);
    if (part >= parts) {
        return;
    }
    const int64_t start = n * part / parts;
    const int64_t stop = n * (part + 1) / parts;
    bool sum_2 = false;
    for (int64_t i = start; i < stop; i++) {
        const int64_t x = (a + offset)[i];
        const uint32_t x_2 = (a_2 + offset_2)[i];
        const bool v = x < 3;
        const bool v_2 = x == 7;
        const bool v_3 = v | v_2;
        const uint32_t r = v_3 ? 97 : x_2;
        y[i] = v_3;
        sum_2 = sum_2 | v_3;
        y_2[i] = r;
    }
    parts_2[part] = (uint8_t)sum_2;
}

/* groups, booleans.l0:5:32 */
__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void multiloop_groups(const int64_t parts,
        __global int64_t *errors, const int64_t n, const int64_t size, __global int64_t *a,
        const int64_t offset, const int64_t size_2, __global uint32_t *a_2, const int64_t offset_2,
        __global uint8_t *y, __global uint8_t *parts_2, __global uint32_t *y_2)
{
    const int64_t part = get_global_id(0);
    bool sum_2 = false;
    for (int64_t i = part; i < n; i += parts) {
        const int64_t x = (a + offset)[i];
        const uint32_t x_2 = (a_2 + offset_2)[i];
        const bool v = x < 3;
        const bool v_2 = x == 7;
        const bool v_3 = v | v_2;
        const uint32_t r = v_3 ? 97 : x_2;
        y[i] = v_3;
        sum_2 = sum_2 | v_3;
        y_2[i] = r;
    }
    const int item = get_local_id(0);
    __local bool shared[256];
    shared[item] = sum_2;
    barrier(CLK_LOCAL_MEM_FENCE);
    int step = 128;
    while (step > 0) {
        if (item < step) {
            shared[item] = shared[item] | shared[item + step];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        step /= 2;
    }
    if (item == 0) {
        parts_2[get_group_id(0)] = (uint8_t)shared[0];
    }
}

/* join, booleans.l0:5:32 */
__kernel void multiloop_join(const int64_t parts, __global int64_t *errors, const int64_t n,
        const int64_t size, __global int64_t *a, const int64_t offset, const int64_t size_2,
        __global uint32_t *a_2, const int64_t offset_2, __global uint8_t *y,
        __global uint8_t *parts_2, __global uint32_t *y_2)
{
    const int64_t part = get_global_id(0);
    if (part >= parts) {
        return;
    }
    if (part == 0) {
        bool total = parts_2[0] != 0;
        for (int64_t t = 1; t < parts; t++) {
            const bool v_4 = total | (parts_2[t] != 0);
            total = v_4;
        }
        parts_2[0] = (uint8_t)total;
    }
}
