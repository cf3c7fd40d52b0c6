...

/* main, rearranging.l0:4:19 */
__kernel void multiloop_main(const int64_t parts, __global int64_t *errors, const int64_t n,
        const int64_t size, __global int32_t *a, const int64_t offset, const int64_t size_2,
        __global int32_t *a_2, const int64_t offset_2, __global int32_t *taken,
        __global int32_t *taken_2)
{
    const int64_t part = get_global_id(0);
    if (part >= parts) {
        return;
    }
    const int64_t i = part;
    const int32_t x = (a + offset)[i];
    const int32_t x_2 = (a_2 + offset_2)[i];
    taken[i] = x;
    taken_2[i] = x_2;
}
