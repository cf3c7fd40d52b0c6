...

/* main, map_reduce.l0:3:27 */
__kernel void multiloop_main(const int64_t parts, __global int64_t *errors, const int64_t n,
        const int64_t size, __global double *a, const int64_t offset, __global double *parts_2)
{
    const int64_t part = get_global_id(0);
    if (part >= parts) {
        return;
    }
    const int64_t start = n * part / parts;
    const int64_t stop = n * (part + 1) / parts;
    double sum_2 = part == 0 ? 0.0 : -0.0;
    for (int64_t i = start; i < stop; i++) {
        const double x = (a + offset)[i];
        const double v = x * x;
        const double v_2 = v + 1.0;
        sum_2 = sum_2 + v_2;
    }
    parts_2[part] = sum_2;
}

/* lanes, map_reduce.l0:3:27 */
__kernel void multiloop_lanes(const int64_t parts, __global int64_t *errors, const int64_t n,
        const int64_t size, __global double *a, const int64_t offset, __global double *parts_2)
{
    const int64_t part = get_global_id(0);
    if (part >= parts) {
        return;
    }
    const int64_t start = n * part / parts;
    const int64_t stop = n * (part + 1) / parts;
    double sum_2 = part == 0 ? 0.0 : -0.0;
    int64_t i_2 = start;
    double8 lanes = (double8)(-0.0);
    while (i_2 + 8 <= stop) {
        const double8 w = vload8(0, a + offset + i_2);
        const double8 w_2 = w * w;
        const double8 w_3 = w_2 + (double8)(1.0);
        lanes = lanes + w_3;
        i_2 += 8;
    }
    sum_2 = sum_2 + lanes.s0;
    sum_2 = sum_2 + lanes.s1;
    sum_2 = sum_2 + lanes.s2;
    sum_2 = sum_2 + lanes.s3;
    sum_2 = sum_2 + lanes.s4;
    sum_2 = sum_2 + lanes.s5;
    sum_2 = sum_2 + lanes.s6;
    sum_2 = sum_2 + lanes.s7;
    for (int64_t i = i_2; i < stop; i++) {
        const double x = (a + offset)[i];
        const double v = x * x;
        const double v_2 = v + 1.0;
        sum_2 = sum_2 + v_2;
    }
    parts_2[part] = sum_2;
}

/* groups, map_reduce.l0:3:27 */
__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void multiloop_groups(const int64_t parts,
        __global int64_t *errors, const int64_t n, const int64_t size, __global double *a,
        const int64_t offset, __global double *parts_2)
{
    const int64_t part = get_global_id(0);
    double sum_2 = part == 0 ? 0.0 : -0.0;
    for (int64_t i = part; i < n; i += parts) {
        const double x = (a + offset)[i];
        const double v = x * x;
        const double v_2 = v + 1.0;
        sum_2 = sum_2 + v_2;
    }
    const int item = get_local_id(0);
    __local double shared[256];
    shared[item] = sum_2;
    barrier(CLK_LOCAL_MEM_FENCE);
    int step = 128;
    while (step > 0) {
        if (item < step) {
            shared[item] = shared[item] + shared[item + step];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        step /= 2;
    }
    if (item == 0) {
        parts_2[get_group_id(0)] = shared[0];
    }
}

/* join, map_reduce.l0:3:27 */
__kernel void multiloop_join(const int64_t parts, __global int64_t *errors, const int64_t n,
        const int64_t size, __global double *a, const int64_t offset, __global double *parts_2)
{
    const int64_t part = get_global_id(0);
    if (part >= parts) {
        return;
    }
    if (part == 0) {
        double total = parts_2[0];
        for (int64_t t = 1; t < parts; t++) {
            const double v_3 = total + parts_2[t];
            total = v_3;
        }
        parts_2[0] = total;
    }
}
