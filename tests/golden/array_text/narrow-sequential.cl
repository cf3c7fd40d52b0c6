...

/* main, sequential.l0:4:3 */
__kernel void multiloop_main(const int64_t parts, __global int64_t *errors, const int64_t n,
        const int64_t size, __global float *a, const int64_t offset, const int64_t size_2,
        __global float *a_2, const int64_t offset_2, __global int32_t *y, const int64_t n_2)
{
    const int64_t part = get_global_id(0);
    if (part >= parts) {
        return;
    }
    const int64_t i = part;
    const float x = (a + offset)[i];
    const float x_2 = (a_2 + offset_2)[i];
    float v = 0.0f;
    float v_2 = 0.0f;
    int32_t v_3 = 0;
    for (int64_t i_2 = 0; i_2 < n_2; i_2++) {
        const float v_4 = v * v;
        const float v_5 = v_2 * v_2;
        const float v_6 = v_4 + v_5;
        const bool v_7 = v_6 < 4.0f;
        const float v_8 = v_4 - v_5;
        const float v_9 = x + v_8;
        const float v_10 = v * 2.0f;
        const float v_11 = v_2 * v_10;
        const float v_12 = x_2 + v_11;
        const int32_t v_13 = (int32_t)((uint32_t)v_3 + (uint32_t)1);
        const float r = v_7 ? v_9 : v;
        const float r_2 = v_7 ? v_12 : v_2;
        const int32_t r_3 = v_7 ? v_13 : v_3;
        v = r;
        v_2 = r_2;
        v_3 = r_3;
    }
    y[i] = v_3;
}

/* lanes, sequential.l0:4:3 */
__kernel void multiloop_lanes(const int64_t parts, __global int64_t *errors, const int64_t n,
        const int64_t size, __global float *a, const int64_t offset, const int64_t size_2,
        __global float *a_2, const int64_t offset_2, __global int32_t *y, const int64_t n_2)
{
    const int64_t part = get_global_id(0);
    if (part >= parts) {
        return;
    }
    const int64_t start = n * part / parts;
    const int64_t stop = n * (part + 1) / parts;
    int64_t i_3 = start;
    while (i_3 + 16 <= stop) {
        const float16 w = vload16(0, a + offset + i_3);
        const float16 w_2 = vload16(0, a_2 + offset_2 + i_3);
        float16 r_4 = (float16)(0.0f);
        float16 r_5 = (float16)(0.0f);
        int16 r_6 = (int16)(0);
        for (int64_t j = 0; j < n_2; j++) {
            const float16 w_3 = r_4 * r_4;
            const float16 w_4 = r_5 * r_5;
            const float16 w_5 = w_3 + w_4;
            const int16 w_6 = w_5 < (float16)(4.0f);
            const float16 w_7 = w_3 - w_4;
            const float16 w_8 = w + w_7;
            const float16 w_9 = r_4 * (float16)(2.0f);
            const float16 w_10 = r_5 * w_9;
            const float16 w_11 = w_2 + w_10;
            const int16 w_12 = as_int16(as_uint16(r_6) + as_uint16((int16)(1)));
            const float16 w_13 = w_6 ? w_8 : r_4;
            const float16 w_14 = w_6 ? w_11 : r_5;
            const int16 w_15 = w_6 ? w_12 : r_6;
            r_4 = w_13;
            r_5 = w_14;
            r_6 = w_15;
        }
        vstore16(r_6, 0, y + i_3);
        i_3 += 16;
    }
    for (int64_t i = i_3; i < stop; i++) {
        const float x = (a + offset)[i];
        const float x_2 = (a_2 + offset_2)[i];
        float v = 0.0f;
        float v_2 = 0.0f;
        int32_t v_3 = 0;
        for (int64_t i_2 = 0; i_2 < n_2; i_2++) {
            const float v_4 = v * v;
            const float v_5 = v_2 * v_2;
            const float v_6 = v_4 + v_5;
            const bool v_7 = v_6 < 4.0f;
            const float v_8 = v_4 - v_5;
            const float v_9 = x + v_8;
            const float v_10 = v * 2.0f;
            const float v_11 = v_2 * v_10;
            const float v_12 = x_2 + v_11;
            const int32_t v_13 = (int32_t)((uint32_t)v_3 + (uint32_t)1);
            const float r = v_7 ? v_9 : v;
            const float r_2 = v_7 ? v_12 : v_2;
            const int32_t r_3 = v_7 ? v_13 : v_3;
            v = r;
            v_2 = r_2;
            v_3 = r_3;
        }
        y[i] = v_3;
    }
}
