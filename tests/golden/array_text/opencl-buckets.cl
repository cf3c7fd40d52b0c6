...

/* main, buckets.l0:5:4 */
__kernel void multiloop_main(const int64_t parts, __global int64_t *errors, const int64_t n,
        const int64_t size, __global int64_t *a, const int64_t offset, const int64_t size_2,
        __global double *a_2, const int64_t offset_2, __global double *y, const int64_t n_2,
        __global double *own, __global int64_t *y_2, __global int64_t *own_2)
{
    const int64_t part = get_global_id(0);
    if (part >= parts) {
        return;
    }
    const int64_t start = n * part / parts;
    const int64_t stop = n * (part + 1) / parts;
    __global double *const mine = own + part * n_2;
    for (int64_t i_2 = 0; i_2 < n_2; i_2++) {
        mine[i_2] = part == 0 ? 0.0 : -0.0;
    }
    __global int64_t *const mine_2 = own_2 + part * n_2;
    for (int64_t i_3 = 0; i_3 < n_2; i_3++) {
        mine_2[i_3] = 0;
    }
    for (int64_t i = start; i < stop; i++) {
        const int64_t x = (a + offset)[i];
        const double x_2 = (a_2 + offset_2)[i];
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
        const double old = mine[x];
        mine[x] = old + x_2;
        const int64_t old_2 = mine_2[x];
        mine_2[x] = (int64_t)((uint64_t)old_2 + (uint64_t)1);
    }
}

#ifdef cl_khr_int64_base_atomics

/* buckets, buckets.l0:5:4 */
__kernel void multiloop_buckets(const int64_t parts, __global int64_t *errors, const int64_t n,
        const int64_t size, __global int64_t *a, const int64_t offset, const int64_t size_2,
        __global double *a_2, const int64_t offset_2, __global double *y, const int64_t n_2,
        __global double *own, __global int64_t *y_2, __global int64_t *own_2,
        __local int64_t *table)
{
    const int64_t part = get_global_id(0);
    __local int64_t *const shared = table;
    for (int64_t k = get_local_id(0); k < n_2; k += get_local_size(0)) {
        shared[k] = as_long(get_group_id(0) == 0 ? 0.0 : -0.0);
    }
    __local int64_t *const shared_2 = table + n_2;
    for (int64_t k_2 = get_local_id(0); k_2 < n_2; k_2 += get_local_size(0)) {
        shared_2[k_2] = get_group_id(0) == 0 ? 0 : 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const int64_t start = n * part / parts;
    const int64_t stop = n * (part + 1) / parts;
    for (int64_t i = start; i < stop; i++) {
        const int64_t x = (a + offset)[i];
        const double x_2 = (a_2 + offset_2)[i];
        const bool v = 0 <= x;
        const bool v_2 = x < n_2;
        const bool v_3 = v & v_2;
        if (!v_3) {
            errors[part * 43 + 0] = 1;
            errors[part * 43 + 1] = i;
            errors[part * 43 + 2] = x;
            errors[part * 43 + 3] = n_2;
            goto done;
        }
        into_real_add(shared + x, x_2);
        into_int_add(shared_2 + x, 1);
    }
done:;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int64_t k_3 = get_local_id(0); k_3 < n_2; k_3 += get_local_size(0)) {
        own[get_group_id(0) * n_2 + k_3] = as_double(shared[k_3]);
    }
    for (int64_t k_4 = get_local_id(0); k_4 < n_2; k_4 += get_local_size(0)) {
        own_2[get_group_id(0) * n_2 + k_4] = shared_2[k_4];
    }
}

#endif

/* merge, buckets.l0:5:4 */
__kernel void multiloop_merge(const int64_t parts, __global int64_t *errors, const int64_t n,
        const int64_t size, __global int64_t *a, const int64_t offset, const int64_t size_2,
        __global double *a_2, const int64_t offset_2, __global double *y, const int64_t n_2,
        __global double *own, __global int64_t *y_2, __global int64_t *own_2)
{
    const int64_t part = get_global_id(0);
    if (part >= n_2) {
        return;
    }
    if (part < n_2) {
        double total = own[part];
        for (int64_t t = 1; t < parts; t++) {
            const double v_4 = total + own[t * n_2 + part];
            total = v_4;
        }
        y[part] = total;
        int64_t total_2 = own_2[part];
        for (int64_t t_2 = 1; t_2 < parts; t_2++) {
            const int64_t v_5 = (int64_t)((uint64_t)total_2 + (uint64_t)own_2[t_2 * n_2 + part]);
            total_2 = v_5;
        }
        y_2[part] = total_2;
    }
}
