...

/* main, extremes.l0:6:4 */
__kernel void multiloop_main(const int64_t parts, __global int64_t *errors, const int64_t n,
        const int64_t size, __global double *a, const int64_t offset, __global double *parts_2,
        __global double *parts_3)
{
    const int64_t part = get_global_id(0);
    if (part >= parts) {
        return;
    }
    const int64_t start = n * part / parts;
    const int64_t stop = n * (part + 1) / parts;
    double sum_3 = 1e+300;
    double sum_4 = -1e+300;
    for (int64_t i = start; i < stop; i++) {
        const double x = (a + offset)[i];
        const double v = x * x;
        const double v_2 = v - x;
        sum_3 = sum_3 < v_2 ? sum_3 : v_2;
        sum_4 = sum_4 < v_2 ? v_2 : sum_4;
    }
    parts_2[part] = sum_3;
    parts_3[part] = sum_4;
}

/* lanes, extremes.l0:6:4 */
__kernel void multiloop_lanes(const int64_t parts, __global int64_t *errors, const int64_t n,
        const int64_t size, __global double *a, const int64_t offset, __global double *parts_2,
        __global double *parts_3)
{
    const int64_t part = get_global_id(0);
    if (part >= parts) {
        return;
    }
    const int64_t start = n * part / parts;
    const int64_t stop = n * (part + 1) / parts;
    double sum_3 = 1e+300;
    double sum_4 = -1e+300;
    int64_t i_2 = start;
    double8 lanes = (double8)(1e+300);
    double8 lanes_2 = (double8)(-1e+300);
    while (i_2 + 8 <= stop) {
        const double8 w = vload8(0, a + offset + i_2);
        const double8 w_2 = w * w;
        const double8 w_3 = w_2 - w;
        lanes = lanes < w_3 ? lanes : w_3;
        lanes_2 = lanes_2 < w_3 ? w_3 : lanes_2;
        i_2 += 8;
    }
    sum_3 = sum_3 < lanes.s0 ? sum_3 : lanes.s0;
    sum_3 = sum_3 < lanes.s1 ? sum_3 : lanes.s1;
    sum_3 = sum_3 < lanes.s2 ? sum_3 : lanes.s2;
    sum_3 = sum_3 < lanes.s3 ? sum_3 : lanes.s3;
    sum_3 = sum_3 < lanes.s4 ? sum_3 : lanes.s4;
    sum_3 = sum_3 < lanes.s5 ? sum_3 : lanes.s5;
    sum_3 = sum_3 < lanes.s6 ? sum_3 : lanes.s6;
    sum_3 = sum_3 < lanes.s7 ? sum_3 : lanes.s7;
    sum_4 = sum_4 < lanes_2.s0 ? lanes_2.s0 : sum_4;
    sum_4 = sum_4 < lanes_2.s1 ? lanes_2.s1 : sum_4;
    sum_4 = sum_4 < lanes_2.s2 ? lanes_2.s2 : sum_4;
    sum_4 = sum_4 < lanes_2.s3 ? lanes_2.s3 : sum_4;
    sum_4 = sum_4 < lanes_2.s4 ? lanes_2.s4 : sum_4;
    sum_4 = sum_4 < lanes_2.s5 ? lanes_2.s5 : sum_4;
    sum_4 = sum_4 < lanes_2.s6 ? lanes_2.s6 : sum_4;
    sum_4 = sum_4 < lanes_2.s7 ? lanes_2.s7 : sum_4;
    for (int64_t i = i_2; i < stop; i++) {
        const double x = (a + offset)[i];
        const double v = x * x;
        const double v_2 = v - x;
        sum_3 = sum_3 < v_2 ? sum_3 : v_2;
        sum_4 = sum_4 < v_2 ? v_2 : sum_4;
    }
    parts_2[part] = sum_3;
    parts_3[part] = sum_4;
}

/* groups, extremes.l0:6:4 */
__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void multiloop_groups(const int64_t parts,
        __global int64_t *errors, const int64_t n, const int64_t size, __global double *a,
        const int64_t offset, __global double *parts_2, __global double *parts_3)
{
    const int64_t part = get_global_id(0);
    double sum_3 = 1e+300;
    double sum_4 = -1e+300;
    for (int64_t i = part; i < n; i += parts) {
        const double x = (a + offset)[i];
        const double v = x * x;
        const double v_2 = v - x;
        sum_3 = sum_3 < v_2 ? sum_3 : v_2;
        sum_4 = sum_4 < v_2 ? v_2 : sum_4;
    }
    const int item = get_local_id(0);
    __local double shared[256];
    shared[item] = sum_3;
    __local double shared_2[256];
    shared_2[item] = sum_4;
    barrier(CLK_LOCAL_MEM_FENCE);
    int step = 128;
    while (step > 0) {
        if (item < step) {
            shared[item] = shared[item] < shared[item + step] ? shared[item] : shared[item + step];
            shared_2[item] = shared_2[item] < shared_2[item + step] ? shared_2[item
                    + step] : shared_2[item];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        step /= 2;
    }
    if (item == 0) {
        parts_2[get_group_id(0)] = shared[0];
        parts_3[get_group_id(0)] = shared_2[0];
    }
}

/* join, extremes.l0:6:4 */
__kernel void multiloop_join(const int64_t parts, __global int64_t *errors, const int64_t n,
        const int64_t size, __global double *a, const int64_t offset, __global double *parts_2,
        __global double *parts_3)
{
    const int64_t part = get_global_id(0);
    if (part >= parts) {
        return;
    }
    if (part == 0) {
        double total = parts_2[0];
        for (int64_t t = 1; t < parts; t++) {
            const double v_3 = total < parts_2[t] ? total : parts_2[t];
            total = v_3;
        }
        parts_2[0] = total;
        double total_2 = parts_3[0];
        for (int64_t t_2 = 1; t_2 < parts; t_2++) {
            const double v_4 = total_2 < parts_3[t_2] ? parts_3[t_2] : total_2;
            total_2 = v_4;
        }
        parts_3[0] = total_2;
    }
}
