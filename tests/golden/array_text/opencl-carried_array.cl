...

/* main, carried_array.l0:5:13 */
__kernel void multiloop_main(const int64_t parts, __global int64_t *errors, const int64_t n,
        const int64_t size, __global int64_t *a, const int64_t offset, __global int64_t *parts_2,
        const int64_t n_2)
{
    const int64_t part = get_global_id(0);
    if (part >= parts) {
        return;
    }
    const int64_t start = n * part / parts;
    const int64_t stop = n * (part + 1) / parts;
    int64_t sum_2 = part == 0 ? n_2 : 0;
    for (int64_t i = start; i < stop; i++) {
        const int64_t x = (a + offset)[i];
        sum_2 = (int64_t)((uint64_t)sum_2 + (uint64_t)x);
    }
    parts_2[part] = sum_2;
}

/* lanes, carried_array.l0:5:13 */
__kernel void multiloop_lanes(const int64_t parts, __global int64_t *errors, const int64_t n,
        const int64_t size, __global int64_t *a, const int64_t offset, __global int64_t *parts_2,
        const int64_t n_2)
{
    const int64_t part = get_global_id(0);
    if (part >= parts) {
        return;
    }
    const int64_t start = n * part / parts;
    const int64_t stop = n * (part + 1) / parts;
    int64_t sum_2 = part == 0 ? n_2 : 0;
    int64_t i_2 = start;
    long8 lanes = (long8)(0);
    while (i_2 + 8 <= stop) {
        const long8 w = vload8(0, a + offset + i_2);
        lanes = as_long8(as_ulong8(lanes) + as_ulong8(w));
        i_2 += 8;
    }
    sum_2 = (int64_t)((uint64_t)sum_2 + (uint64_t)lanes.s0);
    sum_2 = (int64_t)((uint64_t)sum_2 + (uint64_t)lanes.s1);
    sum_2 = (int64_t)((uint64_t)sum_2 + (uint64_t)lanes.s2);
    sum_2 = (int64_t)((uint64_t)sum_2 + (uint64_t)lanes.s3);
    sum_2 = (int64_t)((uint64_t)sum_2 + (uint64_t)lanes.s4);
    sum_2 = (int64_t)((uint64_t)sum_2 + (uint64_t)lanes.s5);
    sum_2 = (int64_t)((uint64_t)sum_2 + (uint64_t)lanes.s6);
    sum_2 = (int64_t)((uint64_t)sum_2 + (uint64_t)lanes.s7);
    for (int64_t i = i_2; i < stop; i++) {
        const int64_t x = (a + offset)[i];
        sum_2 = (int64_t)((uint64_t)sum_2 + (uint64_t)x);
    }
    parts_2[part] = sum_2;
}

/* groups, carried_array.l0:5:13 */
__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void multiloop_groups(const int64_t parts,
        __global int64_t *errors, const int64_t n, const int64_t size, __global int64_t *a,
        const int64_t offset, __global int64_t *parts_2, const int64_t n_2)
{
    const int64_t part = get_global_id(0);
    int64_t sum_2 = part == 0 ? n_2 : 0;
    for (int64_t i = part; i < n; i += parts) {
        const int64_t x = (a + offset)[i];
        sum_2 = (int64_t)((uint64_t)sum_2 + (uint64_t)x);
    }
    const int item = get_local_id(0);
    __local int64_t shared[256];
    shared[item] = sum_2;
    barrier(CLK_LOCAL_MEM_FENCE);
    int step = 128;
    while (step > 0) {
        if (item < step) {
            shared[item] = (int64_t)((uint64_t)shared[item] + (uint64_t)shared[item + step]);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        step /= 2;
    }
    if (item == 0) {
        parts_2[get_group_id(0)] = shared[0];
    }
}

/* join, carried_array.l0:5:13 */
__kernel void multiloop_join(const int64_t parts, __global int64_t *errors, const int64_t n,
        const int64_t size, __global int64_t *a, const int64_t offset, __global int64_t *parts_2,
        const int64_t n_2)
{
    const int64_t part = get_global_id(0);
    if (part >= parts) {
        return;
    }
    if (part == 0) {
        int64_t total = parts_2[0];
        for (int64_t t = 1; t < parts; t++) {
            const int64_t v = (int64_t)((uint64_t)total + (uint64_t)parts_2[t]);
            total = v;
        }
        parts_2[0] = total;
    }
}
