...

/* One part of the keys of all iterations, among `parts` parts. */
__kernel void group_key_uint8_t(__global int64_t *keys, const int64_t parts, const int64_t place,
                             __global const uint8_t *x, const int64_t count)
{
    const int64_t i = get_global_id(0);
    if (i < count) {
        keys[i * parts + place] = (int64_t)x[i];
    }
}

/* y[i] = x[order[i]], rows of `width` elements. */
__kernel void group_fetch_uint8_t(__global uint8_t *y, __global const uint8_t *x,
                               __global const int32_t *order, const int64_t width,
                               const int64_t count)
{
    const int64_t i = get_global_id(0);
    if (i < count) {
        y[i] = x[order[i / width] * width + i % width];
    }
}

/* One part of the keys of all iterations, among `parts` parts. */
__kernel void group_key_int32_t(__global int64_t *keys, const int64_t parts, const int64_t place,
                             __global const int32_t *x, const int64_t count)
{
    const int64_t i = get_global_id(0);
    if (i < count) {
        keys[i * parts + place] = (int64_t)x[i];
    }
}

/* y[i] = x[order[i]], rows of `width` elements. */
__kernel void group_fetch_int32_t(__global int32_t *y, __global const int32_t *x,
                               __global const int32_t *order, const int64_t width,
                               const int64_t count)
{
    const int64_t i = get_global_id(0);
    if (i < count) {
        y[i] = x[order[i / width] * width + i % width];
    }
}

/* One part of the keys of all iterations, among `parts` parts. */
__kernel void group_key_int64_t(__global int64_t *keys, const int64_t parts, const int64_t place,
                             __global const int64_t *x, const int64_t count)
{
    const int64_t i = get_global_id(0);
    if (i < count) {
        keys[i * parts + place] = (int64_t)x[i];
    }
}

/* y[i] = x[order[i]], rows of `width` elements. */
__kernel void group_fetch_int64_t(__global int64_t *y, __global const int64_t *x,
                               __global const int32_t *order, const int64_t width,
                               const int64_t count)
{
    const int64_t i = get_global_id(0);
    if (i < count) {
        y[i] = x[order[i / width] * width + i % width];
    }
}

__kernel void group_fill(__global int32_t *x, const int32_t value, const int64_t count)
{
    const int64_t i = get_global_id(0);
    if (i < count) {
        x[i] = value;
    }
}

__kernel void group_count(__global const int64_t *keys, const int64_t count, const int64_t parts,
                          __global int32_t *counts, const int64_t buckets)
{
    const int64_t part = get_global_id(0);
    if (part < parts) {
        __global int32_t *own = counts + part * buckets;
        for (int64_t i = count * part / parts; i < count * (part + 1) / parts; i++) {
            own[keys[i]]++;
        }
    }
}

__kernel void group_sum(__global int32_t *counts, const int64_t buckets, const int64_t parts,
                        __global int64_t *begin)
{
    const int64_t key = get_global_id(0);
    if (key < buckets) {
        int32_t sum = 0;
        for (int64_t part = 0; part < parts; part++) {
            const int32_t own = counts[part * buckets + key];
            counts[part * buckets + key] = sum;
            sum += own;
        }
        begin[key + 1] = sum;
    }
}

/* Sums of parts of x, then with them the sums of all up to each element. */
__kernel void group_totals(__global const int64_t *x, const int64_t count, const int64_t parts,
                           __global int64_t *totals)
{
    const int64_t part = get_global_id(0);
    if (part < parts) {
        int64_t sum = 0;
        for (int64_t i = count * part / parts; i < count * (part + 1) / parts; i++) {
            sum += x[i];
        }
        totals[part] = sum;
    }
}

__kernel void group_sums(__global int64_t *x, const int64_t count, const int64_t parts,
                         __global const int64_t *totals)
{
    const int64_t part = get_global_id(0);
    if (part < parts) {
        int64_t sum = 0;
        for (int64_t before = 0; before < part; before++) {
            sum += totals[before];
        }
        for (int64_t i = count * part / parts; i < count * (part + 1) / parts; i++) {
            sum += x[i];
            x[i] = sum;
        }
    }
}

__kernel void group_place(__global const int64_t *keys, const int64_t count, const int64_t parts,
                          __global int32_t *counts, const int64_t buckets,
                          __global const int64_t *begin, __global int32_t *order)
{
    const int64_t part = get_global_id(0);
    if (part < parts) {
        __global int32_t *own = counts + part * buckets;
        for (int64_t i = count * part / parts; i < count * (part + 1) / parts; i++) {
            const int64_t key = keys[i];
            order[begin[key] + own[key]++] = (int32_t)i;
        }
    }
}

/* slots: the iteration that came first to each, or -1; firsts: the first of those with its key. */
__kernel void group_insert(__global const int64_t *keys, const int64_t parts, const int64_t count,
                           volatile __global int32_t *slots, volatile __global int32_t *firsts,
                           const int64_t mask, __global int32_t *where,
                           volatile __global int32_t *full)
{
    const int64_t i = get_global_id(0);
    if (i >= count || *full) {
        return;
    }
    uint64_t hash = 0;
    for (int64_t k = 0; k < parts; k++) {
        hash = (hash ^ (uint64_t)keys[i * parts + k]) * 0x9E3779B97F4A7C15UL;
        hash ^= hash >> 29;
    }
    int64_t at = (int64_t)(hash >> 7) & mask;
    for (int probe = 0; probe < 32; probe++) {
        int32_t found = slots[at];
        if (found < 0) {
            found = atomic_cmpxchg(&slots[at], -1, (int32_t)i);
        }
        bool same = true;
        for (int64_t k = 0; k < parts && found >= 0; k++) {
            same = same && keys[found * parts + k] == keys[i * parts + k];
        }
        if (same) {
            if (firsts[at] > (int32_t)i) {
                atomic_min(&firsts[at], (int32_t)i);
            }
            where[i] = (int32_t)at;
            return;
        }
        at = (at + 1) & mask;
    }
    *full = 1;
}

__kernel void group_firsts(__global const int32_t *firsts, __global const int32_t *where,
                           const int64_t count, const int64_t parts, __global int64_t *totals)
{
    const int64_t part = get_global_id(0);
    if (part < parts) {
        int64_t sum = 0;
        for (int64_t i = count * part / parts; i < count * (part + 1) / parts; i++) {
            sum += firsts[where[i]] == i;
        }
        totals[part] = sum;
    }
}

__kernel void group_named(__global const int32_t *firsts, __global const int32_t *where,
                          const int64_t count, const int64_t parts, __global const int64_t *totals,
                          __global int32_t *slots, __global int32_t *order)
{
    const int64_t part = get_global_id(0);
    if (part < parts) {
        int64_t number = part ? totals[part - 1] : 0;
        for (int64_t i = count * part / parts; i < count * (part + 1) / parts; i++) {
            if (firsts[where[i]] == i) {
                slots[where[i]] = (int32_t)number;
                order[number++] = (int32_t)i;
            }
        }
    }
}

__kernel void group_give(__global const int32_t *slots, __global const int32_t *where,
                         const int64_t count, __global int64_t *numbers)
{
    const int64_t i = get_global_id(0);
    if (i < count) {
        numbers[i] = slots[where[i]];
    }
}

...

/* main, group_by.l0:4:14 */
__kernel void multiloop_main(const int64_t parts, __global int64_t *errors, const int64_t n,
        const int64_t size, __global uint32_t *a, const int64_t offset, const int64_t size_2,
        __global uint8_t *a_2, const int64_t offset_2, const int64_t size_3, __global int64_t *a_3,
        const int64_t offset_3, const int64_t size_4, __global double *a_4, const int64_t offset_4,
        __global uint32_t *y, __global uint8_t *y_2, __global int64_t *y_3, __global double *y_4,
        __global int64_t *counts, __global uint32_t *kept, __global uint8_t *kept_2,
        __global int64_t *kept_3, __global double *kept_4)
{
    const int64_t part = get_global_id(0);
    if (part >= parts) {
        return;
    }
    const int64_t start = n * part / parts;
    const int64_t stop = n * (part + 1) / parts;
    int64_t count_2 = start;
    for (int64_t i = start; i < stop; i++) {
        const uint32_t x = (a + offset)[i];
        const bool x_2 = (a_2 + offset_2)[i] != 0;
        const int64_t x_3 = (a_3 + offset_3)[i];
        const double x_4 = (a_4 + offset_4)[i];
        const bool v = 0.0 <= x_4;
        y[count_2] = x;
        y_2[count_2] = x_2;
        y_3[count_2] = x_3;
        y_4[count_2] = x_4;
        count_2 += (int64_t)v;
    }
    counts[part] = count_2 - start;
}

/* join, group_by.l0:4:14 */
__kernel void multiloop_join(const int64_t parts, __global int64_t *errors, const int64_t n,
        const int64_t size, __global uint32_t *a, const int64_t offset, const int64_t size_2,
        __global uint8_t *a_2, const int64_t offset_2, const int64_t size_3, __global int64_t *a_3,
        const int64_t offset_3, const int64_t size_4, __global double *a_4, const int64_t offset_4,
        __global uint32_t *y, __global uint8_t *y_2, __global int64_t *y_3, __global double *y_4,
        __global int64_t *counts, __global uint32_t *kept, __global uint8_t *kept_2,
        __global int64_t *kept_3, __global double *kept_4)
{
    const int64_t part = get_global_id(0);
    if (part >= parts) {
        return;
    }
    if (part == 0) {
        int64_t total = 0;
        for (int64_t t = 0; t < parts; t++) {
            const int64_t own = counts[t];
            counts[t] = total;
            total += own;
        }
        counts[parts] = total;
    }
}

/* finish, group_by.l0:4:14 */
__kernel void multiloop_finish(const int64_t parts, __global int64_t *errors, const int64_t n,
        const int64_t size, __global uint32_t *a, const int64_t offset, const int64_t size_2,
        __global uint8_t *a_2, const int64_t offset_2, const int64_t size_3, __global int64_t *a_3,
        const int64_t offset_3, const int64_t size_4, __global double *a_4, const int64_t offset_4,
        __global uint32_t *y, __global uint8_t *y_2, __global int64_t *y_3, __global double *y_4,
        __global int64_t *counts, __global uint32_t *kept, __global uint8_t *kept_2,
        __global int64_t *kept_3, __global double *kept_4)
{
    const int64_t part = get_global_id(0);
    if (part >= parts) {
        return;
    }
    const int64_t start = n * part / parts;
    __global uint32_t *const source = y + start;
    __global uint32_t *const target = kept + counts[part];
    for (int64_t i_2 = 0; i_2 < counts[part + 1] - counts[part]; i_2++) {
        target[i_2] = source[i_2];
    }
    __global uint8_t *const source_2 = y_2 + start;
    __global uint8_t *const target_2 = kept_2 + counts[part];
    for (int64_t i_3 = 0; i_3 < counts[part + 1] - counts[part]; i_3++) {
        target_2[i_3] = source_2[i_3];
    }
    __global int64_t *const source_3 = y_3 + start;
    __global int64_t *const target_3 = kept_3 + counts[part];
    for (int64_t i_4 = 0; i_4 < counts[part + 1] - counts[part]; i_4++) {
        target_3[i_4] = source_3[i_4];
    }
    __global double *const source_4 = y_4 + start;
    __global double *const target_4 = kept_4 + counts[part];
    for (int64_t i_5 = 0; i_5 < counts[part + 1] - counts[part]; i_5++) {
        target_4[i_5] = source_4[i_5];
    }
}

/* main, group_by.l0:6:5 */
__kernel void multiloop_main_2(const int64_t parts, __global int64_t *errors, const int64_t n_2,
        const int64_t size_5, __global uint32_t *a_5, const int64_t offset_5, const int64_t size_6,
        __global uint8_t *a_6, const int64_t offset_6, const int64_t size_7, __global int64_t *a_7,
        const int64_t offset_7, __global uint32_t *taken, __global uint8_t *taken_2,
        __global int64_t *taken_3)
{
    const int64_t part = get_global_id(0);
    if (part >= parts) {
        return;
    }
    const int64_t i_6 = part;
    const uint32_t x_5 = (a_5 + offset_5)[i_6];
    const bool x_6 = (a_6 + offset_6)[i_6] != 0;
    const int64_t x_7 = (a_7 + offset_7)[i_6];
    taken[i_6] = x_5;
    taken_2[i_6] = x_6;
    taken_3[i_6] = x_7;
}

/* main, group_by.l0:10:60 */
__kernel void multiloop_main_3(const int64_t parts, __global int64_t *errors, const int64_t n_3,
        const int64_t size_8, __global int64_t *a_8, const int64_t offset_8, const int64_t size_9,
        __global double *a_9, const int64_t offset_9, __global double *y_5, const int64_t n_4,
        __global double *own_2, __global int64_t *y_6, __global int64_t *own_3)
{
    const int64_t part = get_global_id(0);
    if (part >= parts) {
        return;
    }
    const int64_t start_3 = n_3 * part / parts;
    const int64_t stop_3 = n_3 * (part + 1) / parts;
    __global double *const mine = own_2 + part * n_4;
    for (int64_t i_8 = 0; i_8 < n_4; i_8++) {
        mine[i_8] = part == 0 ? 0.0 : -0.0;
    }
    __global int64_t *const mine_2 = own_3 + part * n_4;
    for (int64_t i_9 = 0; i_9 < n_4; i_9++) {
        mine_2[i_9] = 0;
    }
    for (int64_t i_7 = start_3; i_7 < stop_3; i_7++) {
        const int64_t x_8 = (a_8 + offset_8)[i_7];
        const double x_9 = (a_9 + offset_9)[i_7];
        const double v_2 = x_9 * 0.5;
        const double old = mine[x_8];
        mine[x_8] = old + v_2;
        const int64_t old_2 = mine_2[x_8];
        mine_2[x_8] = (int64_t)((uint64_t)old_2 + (uint64_t)1);
    }
}

#ifdef cl_khr_int64_base_atomics

/* buckets, group_by.l0:10:60 */
__kernel void multiloop_buckets(const int64_t parts, __global int64_t *errors, const int64_t n_3,
        const int64_t size_8, __global int64_t *a_8, const int64_t offset_8, const int64_t size_9,
        __global double *a_9, const int64_t offset_9, __global double *y_5, const int64_t n_4,
        __global double *own_2, __global int64_t *y_6, __global int64_t *own_3,
        __local int64_t *table)
{
    const int64_t part = get_global_id(0);
    __local int64_t *const shared = table;
    for (int64_t k = get_local_id(0); k < n_4; k += get_local_size(0)) {
        shared[k] = as_long(get_group_id(0) == 0 ? 0.0 : -0.0);
    }
    __local int64_t *const shared_2 = table + n_4;
    for (int64_t k_2 = get_local_id(0); k_2 < n_4; k_2 += get_local_size(0)) {
        shared_2[k_2] = get_group_id(0) == 0 ? 0 : 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const int64_t start_3 = n_3 * part / parts;
    const int64_t stop_3 = n_3 * (part + 1) / parts;
    for (int64_t i_7 = start_3; i_7 < stop_3; i_7++) {
        const int64_t x_8 = (a_8 + offset_8)[i_7];
        const double x_9 = (a_9 + offset_9)[i_7];
        const double v_2 = x_9 * 0.5;
        into_real_add(shared + x_8, v_2);
        into_int_add(shared_2 + x_8, 1);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int64_t k_3 = get_local_id(0); k_3 < n_4; k_3 += get_local_size(0)) {
        own_2[get_group_id(0) * n_4 + k_3] = as_double(shared[k_3]);
    }
    for (int64_t k_4 = get_local_id(0); k_4 < n_4; k_4 += get_local_size(0)) {
        own_3[get_group_id(0) * n_4 + k_4] = shared_2[k_4];
    }
}

#endif

/* merge, group_by.l0:10:60 */
__kernel void multiloop_merge(const int64_t parts, __global int64_t *errors, const int64_t n_3,
        const int64_t size_8, __global int64_t *a_8, const int64_t offset_8, const int64_t size_9,
        __global double *a_9, const int64_t offset_9, __global double *y_5, const int64_t n_4,
        __global double *own_2, __global int64_t *y_6, __global int64_t *own_3)
{
    const int64_t part = get_global_id(0);
    if (part >= n_4) {
        return;
    }
    if (part < n_4) {
        double total_2 = own_2[part];
        for (int64_t t_2 = 1; t_2 < parts; t_2++) {
            const double v_3 = total_2 + own_2[t_2 * n_4 + part];
            total_2 = v_3;
        }
        y_5[part] = total_2;
        int64_t total_3 = own_3[part];
        for (int64_t t_3 = 1; t_3 < parts; t_3++) {
            const int64_t v_4 = (int64_t)((uint64_t)total_3 + (uint64_t)own_3[t_3 * n_4 + part]);
            total_3 = v_4;
        }
        y_6[part] = total_3;
    }
}
