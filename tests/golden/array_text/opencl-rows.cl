...

/* main, rows.l0:4:3 */
__kernel void multiloop_main(const int64_t parts, __global int64_t *errors, const int64_t n,
        const int64_t size, const int64_t size_2, __global int64_t *a, const int64_t offset,
        __global int64_t *y, const int64_t n_2, const int64_t size_3, const int64_t size_4,
        __global int64_t *a_2, const int64_t offset_2, const int64_t n_3)
{
    const int64_t part = get_global_id(0);
    if (part >= parts) {
        return;
    }
    const int64_t i = part;
    __global int64_t *const row = a + offset + i * size_2;
    __global int64_t *const y_2 = y + i * n_2;
    for (int64_t i_2 = 0; i_2 < n_2; i_2++) {
        __global int64_t *const row_2 = a_2 + offset_2 + i_2 * size_4;
        int64_t sum = 0;
        for (int64_t i_3 = 0; i_3 < n_3; i_3++) {
            const int64_t x = row[i_3];
            const int64_t x_2 = row_2[i_3];
            const int64_t v = (int64_t)((uint64_t)x * (uint64_t)x_2);
            sum = (int64_t)((uint64_t)sum + (uint64_t)v);
        }
        y_2[i_2] = sum;
    }
}

/* nest, rows.l0:4:3 */
__kernel void multiloop_nest(const int64_t parts, __global int64_t *errors, const int64_t n,
        const int64_t size, const int64_t size_2, __global int64_t *a, const int64_t offset,
        __global int64_t *y, const int64_t n_2, const int64_t size_3, const int64_t size_4,
        __global int64_t *a_2, const int64_t offset_2, const int64_t n_3)
{
    const int64_t part = get_global_id(0);
    if (part >= parts) {
        return;
    }
    const int64_t i_2 = part % n_2;
    const int64_t k = part / n_2;
    const int64_t i = k;
    __global int64_t *const row = a + offset + i * size_2;
    __global int64_t *const y_2 = y + i * n_2;
    __global int64_t *const row_2 = a_2 + offset_2 + i_2 * size_4;
    int64_t sum = 0;
    for (int64_t i_3 = 0; i_3 < n_3; i_3++) {
        const int64_t x = row[i_3];
        const int64_t x_2 = row_2[i_3];
        const int64_t v = (int64_t)((uint64_t)x * (uint64_t)x_2);
        sum = (int64_t)((uint64_t)sum + (uint64_t)v);
    }
    y_2[i_2] = sum;
}
