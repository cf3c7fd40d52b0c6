/* Opponents of the case study of linear algebra. */
#include <math.h>
#include <stdint.h>

/* A round of k-means in one pass: new centres into `out_x` and `out_y`. At most 64 centres. */
void k_means(int64_t n, const double *x, const double *y, int64_t count, const double *centre_x,
             const double *centre_y, double *out_x, double *out_y)
{
    double sum_x[64] = {0}, sum_y[64] = {0};
    int64_t members[64] = {0};
    for (int64_t i = 0; i < n; i++) {
        double best = INFINITY;
        int64_t found = 0;
        for (int64_t k = 0; k < count; k++) {
            const double dx = x[i] - centre_x[k], dy = y[i] - centre_y[k];
            const double here = dx * dx + dy * dy;
            found = here < best ? k : found;
            best = here < best ? here : best;
        }
        sum_x[found] += x[i];
        sum_y[found] += y[i];
        members[found]++;
    }
    for (int64_t k = 0; k < count; k++) {
        const double own = (double)(members[k] > 1 ? members[k] : 1);
        out_x[k] = sum_x[k] / own;
        out_y[k] = sum_y[k] / own;
    }
}

/* The inner product of complex numbers, with four sums in turn. */
void inner(int64_t n, const double *restrict a, const double *restrict b, double *restrict out)
{
    double re = 0, im = 0;
#pragma omp simd reduction(+ : re, im)
    for (int64_t i = 0; i < n; i++) {
        re += a[2 * i] * b[2 * i] + a[2 * i + 1] * b[2 * i + 1];
        im += a[2 * i] * b[2 * i + 1] - a[2 * i + 1] * b[2 * i];
    }
    out[0] = re;
    out[1] = im;
}
