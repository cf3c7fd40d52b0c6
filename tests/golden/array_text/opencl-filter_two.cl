...

/* main, filter_two.l0:5:7 */
__kernel void multiloop_main(const int64_t parts, __global int64_t *errors, const int64_t n,
        const int64_t size, __global int64_t *a, const int64_t offset, __global int64_t *y,
        __global double *y_2, __global int64_t *counts, __global int64_t *kept,
        __global double *kept_2)
{
    const int64_t part = get_global_id(0);
    if (part >= parts) {
        return;
    }
    const int64_t start = n * part / parts;
    const int64_t stop = n * (part + 1) / parts;
    int64_t count_2 = start;
    for (int64_t i = start; i < stop; i++) {
        const int64_t x = (a + offset)[i];
        const bool v = 0 < x;
        if (v) {
            const double v_2 = (double)x;
            const double v_3 = log(v_2);
            y[count_2] = x;
            y_2[count_2] = v_3;
            count_2++;
        }
    }
    counts[part] = count_2 - start;
}

/* join, filter_two.l0:5:7 */
__kernel void multiloop_join(const int64_t parts, __global int64_t *errors, const int64_t n,
        const int64_t size, __global int64_t *a, const int64_t offset, __global int64_t *y,
        __global double *y_2, __global int64_t *counts, __global int64_t *kept,
        __global double *kept_2)
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

/* finish, filter_two.l0:5:7 */
__kernel void multiloop_finish(const int64_t parts, __global int64_t *errors, const int64_t n,
        const int64_t size, __global int64_t *a, const int64_t offset, __global int64_t *y,
        __global double *y_2, __global int64_t *counts, __global int64_t *kept,
        __global double *kept_2)
{
    const int64_t part = get_global_id(0);
    if (part >= parts) {
        return;
    }
    const int64_t start = n * part / parts;
    __global int64_t *const source = y + start;
    __global int64_t *const target = kept + counts[part];
    for (int64_t i_2 = 0; i_2 < counts[part + 1] - counts[part]; i_2++) {
        target[i_2] = source[i_2];
    }
    __global double *const source_2 = y_2 + start;
    __global double *const target_2 = kept_2 + counts[part];
    for (int64_t i_3 = 0; i_3 < counts[part + 1] - counts[part]; i_3++) {
        target_2[i_3] = source_2[i_3];
    }
}
