...

/* main, branches.l0:4:17 */
__kernel void multiloop_main(const int64_t parts, __global int64_t *errors, const int64_t n,
        const int64_t size, __global int64_t *a, const int64_t offset, __global int64_t *y)
{
    const int64_t part = get_global_id(0);
    if (part >= parts) {
        return;
    }
    const int64_t i = part;
    const int64_t x = (a + offset)[i];
    const int64_t v = (int64_t)((uint64_t)x + (uint64_t)1);
    y[i] = v;
}

/* lanes, branches.l0:4:17 */
__kernel void multiloop_lanes(const int64_t parts, __global int64_t *errors, const int64_t n,
        const int64_t size, __global int64_t *a, const int64_t offset, __global int64_t *y)
{
    const int64_t part = get_global_id(0);
    if (part >= parts) {
        return;
    }
    const int64_t start = n * part / parts;
    const int64_t stop = n * (part + 1) / parts;
    int64_t i_2 = start;
    while (i_2 + 8 <= stop) {
        const long8 w = vload8(0, a + offset + i_2);
        const long8 w_2 = as_long8(as_ulong8(w) + as_ulong8((long8)(1)));
        vstore8(w_2, 0, y + i_2);
        i_2 += 8;
    }
    for (int64_t i = i_2; i < stop; i++) {
        const int64_t x = (a + offset)[i];
        const int64_t v = (int64_t)((uint64_t)x + (uint64_t)1);
        y[i] = v;
    }
}
