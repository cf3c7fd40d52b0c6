...

/* main, rearranging.l0:5:55 */
__kernel void multiloop_main(const int64_t parts, __global int64_t *errors, const int64_t n,
        const int64_t size, __global int32_t *a, const int64_t offset, __global int32_t *taken,
        __global int32_t *taken_2)
{
    const int64_t part = get_global_id(0);
    if (part >= parts) {
        return;
    }
    const int64_t i = part;
    const int32_t x = (a + offset)[i];
    const int32_t v = x & 7;
    taken[i] = v;
    taken_2[i] = x;
}

/* main, rearranging.l0:4:19 */
__kernel void multiloop_main_2(const int64_t parts, __global int64_t *errors, const int64_t n_2,
        const int64_t size_2, __global int32_t *a_2, const int64_t offset_2, const int64_t size_3,
        __global int32_t *a_3, const int64_t offset_3, __global int32_t *taken_3,
        __global int32_t *taken_4)
{
    const int64_t part = get_global_id(0);
    if (part >= parts) {
        return;
    }
    const int64_t i_2 = part;
    const int32_t x_2 = (a_2 + offset_2)[i_2];
    const int32_t x_3 = (a_3 + offset_3)[i_2];
    taken_3[i_2] = x_2;
    taken_4[i_2] = x_3;
}
