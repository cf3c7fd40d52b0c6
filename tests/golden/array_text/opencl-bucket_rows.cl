...

/* main, bucket_rows.l0:4:3 */
__kernel void multiloop_main(const int64_t parts, __global int64_t *errors, const int64_t n,
        const int64_t size, __global int64_t *a, const int64_t offset, const int64_t size_2,
        const int64_t size_3, __global int64_t *a_2, const int64_t offset_2, __global int64_t *y,
        const int64_t n_2, const int64_t n_3, const int64_t size_4, const int64_t value,
        __global int64_t *scratch)
{
    const int64_t part = get_global_id(0);
    if (part >= parts) {
        return;
    }
    const int64_t start = n * part / parts;
    const int64_t stop = n * (part + 1) / parts;
    for (int64_t i = 0; i < n_3; i++) {
        for (int64_t i_2 = 0; i_2 < n_2; i_2++) {
            y[i * n_2 + i_2] = value;
        }
    }
    for (int64_t i_3 = start; i_3 < stop; i_3++) {
        const int64_t x = (a + offset)[i_3];
        __global int64_t *const row = a_2 + offset_2 + i_3 * size_3;
        const bool v = 0 <= x;
        const bool v_2 = x < n_3;
        const bool v_3 = v & v_2;
        if (!v_3) {
            errors[part * 43 + 0] = 1;
            errors[part * 43 + 1] = i_3;
            errors[part * 43 + 2] = x;
            errors[part * 43 + 3] = n_3;
            return;
        }
        __global int64_t *const row_2 = y + x * n_2;
        __global int64_t *const y_2 = scratch + part * n_2;
        for (int64_t i_4 = 0; i_4 < n_2; i_4++) {
            const int64_t x_2 = row_2[i_4];
            const int64_t x_3 = row[i_4];
            const int64_t v_4 = (int64_t)((uint64_t)x_2 + (uint64_t)x_3);
            y_2[i_4] = v_4;
        }
        __global int64_t *const row_3 = y + x * n_2;
        for (int64_t i_5 = 0; i_5 < n_2; i_5++) {
            row_3[i_5] = y_2[i_5];
        }
    }
}
