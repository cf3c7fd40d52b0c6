/* Kernels that sort and number keys, with ints of a type INT and elements of a TYPE
   (cogen/array/opencl/groupkeys.py). */

/* ---- keys ---- */
/* One part of the keys of all iterations, among `parts` parts. */
__kernel void group_key_TYPE(__global int64_t *keys, const int64_t parts, const int64_t place,
                             __global const TYPE *x, const int64_t count)
{
    const int64_t i = get_global_id(0);
    if (i < count) {
        keys[i * parts + place] = (int64_t)x[i];
    }
}

/* y[i] = x[order[i]], rows of `width` elements. */
__kernel void group_fetch_TYPE(__global TYPE *y, __global const TYPE *x,
                               __global const int32_t *order, const int64_t width,
                               const int64_t count)
{
    const int64_t i = get_global_id(0);
    if (i < count) {
        y[i] = x[order[i / width] * width + i % width];
    }
}

/* ---- common ---- */
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
                        __global INT *begin)
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
__kernel void group_totals(__global const INT *x, const int64_t count, const int64_t parts,
                           __global INT *totals)
{
    const int64_t part = get_global_id(0);
    if (part < parts) {
        INT sum = 0;
        for (int64_t i = count * part / parts; i < count * (part + 1) / parts; i++) {
            sum += x[i];
        }
        totals[part] = sum;
    }
}

__kernel void group_sums(__global INT *x, const int64_t count, const int64_t parts,
                         __global const INT *totals)
{
    const int64_t part = get_global_id(0);
    if (part < parts) {
        INT sum = 0;
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
                          __global const INT *begin, __global int32_t *order)
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
    for (int probe = 0; probe < MOST_PROBES; probe++) {
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
                           const int64_t count, const int64_t parts, __global INT *totals)
{
    const int64_t part = get_global_id(0);
    if (part < parts) {
        INT sum = 0;
        for (int64_t i = count * part / parts; i < count * (part + 1) / parts; i++) {
            sum += firsts[where[i]] == i;
        }
        totals[part] = sum;
    }
}

__kernel void group_named(__global const int32_t *firsts, __global const int32_t *where,
                          const int64_t count, const int64_t parts, __global const INT *totals,
                          __global int32_t *slots, __global int32_t *order)
{
    const int64_t part = get_global_id(0);
    if (part < parts) {
        INT number = part ? totals[part - 1] : 0;
        for (int64_t i = count * part / parts; i < count * (part + 1) / parts; i++) {
            if (firsts[where[i]] == i) {
                slots[where[i]] = (int32_t)number;
                order[number++] = (int32_t)i;
            }
        }
    }
}

__kernel void group_give(__global const int32_t *slots, __global const int32_t *where,
                         const int64_t count, __global INT *numbers)
{
    const int64_t i = get_global_id(0);
    if (i < count) {
        numbers[i] = slots[where[i]];
    }
}
