...

/* main, histogram.l0:5:3 */
__kernel void multiloop_main(const int64_t parts, __global int64_t *errors, const int64_t n,
        const int64_t size, __global double *a, const int64_t offset, __global int64_t *y,
        const int64_t n_2, __global int64_t *own, const double x_2)
{
    const int64_t part = get_global_id(0);
    if (part >= parts) {
        return;
    }
    const int64_t start = n * part / parts;
    const int64_t stop = n * (part + 1) / parts;
    __global int64_t *const mine = own + part * n_2;
    for (int64_t i_2 = 0; i_2 < n_2; i_2++) {
        mine[i_2] = 0;
    }
    for (int64_t i = start; i < stop; i++) {
        const double x = (a + offset)[i];
        const double v = x_2 * x;
        const int64_t v_2 = real_trunc(v);
        const bool v_3 = 0 <= v_2;
        const bool v_4 = v_2 < n_2;
        const bool v_5 = v_3 & v_4;
        if (!v_5) {
            errors[part * 43 + 0] = 1;
            errors[part * 43 + 1] = i;
            errors[part * 43 + 2] = v_2;
            errors[part * 43 + 3] = n_2;
            return;
        }
        const int64_t old = mine[v_2];
        mine[v_2] = (int64_t)((uint64_t)old + (uint64_t)1);
    }
}

#ifdef cl_khr_int64_base_atomics

/* buckets, histogram.l0:5:3 */
__kernel void multiloop_buckets(const int64_t parts, __global int64_t *errors, const int64_t n,
        const int64_t size, __global double *a, const int64_t offset, __global int64_t *y,
        const int64_t n_2, __global int64_t *own, const double x_2, __local int64_t *table)
{
    const int64_t part = get_global_id(0);
    __local int64_t *const shared = table;
    for (int64_t k = get_local_id(0); k < n_2; k += get_local_size(0)) {
        shared[k] = get_group_id(0) == 0 ? 0 : 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const int64_t start = n * part / parts;
    const int64_t stop = n * (part + 1) / parts;
    for (int64_t i = start; i < stop; i++) {
        const double x = (a + offset)[i];
        const double v = x_2 * x;
        const int64_t v_2 = real_trunc(v);
        const bool v_3 = 0 <= v_2;
        const bool v_4 = v_2 < n_2;
        const bool v_5 = v_3 & v_4;
        if (!v_5) {
            errors[part * 43 + 0] = 1;
            errors[part * 43 + 1] = i;
            errors[part * 43 + 2] = v_2;
            errors[part * 43 + 3] = n_2;
            goto done;
        }
        into_int_add(shared + v_2, 1);
    }
done:;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int64_t k_2 = get_local_id(0); k_2 < n_2; k_2 += get_local_size(0)) {
        own[get_group_id(0) * n_2 + k_2] = shared[k_2];
    }
}

#endif

/* merge, histogram.l0:5:3 */
__kernel void multiloop_merge(const int64_t parts, __global int64_t *errors, const int64_t n,
        const int64_t size, __global double *a, const int64_t offset, __global int64_t *y,
        const int64_t n_2, __global int64_t *own, const double x_2)
{
    const int64_t part = get_global_id(0);
    if (part >= n_2) {
        return;
    }
    if (part < n_2) {
        int64_t total = own[part];
        for (int64_t t = 1; t < parts; t++) {
            const int64_t v_6 = (int64_t)((uint64_t)total + (uint64_t)own[t * n_2 + part]);
            total = v_6;
        }
        y[part] = total;
    }
}
