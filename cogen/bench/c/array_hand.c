/* Careful hand-written C for the programs of arrays.l0: what is fused is written as one loop. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#ifdef _OPENMP
#include <omp.h>
#else
static int omp_get_thread_num(void) { return 0; }
static int omp_get_num_threads(void) { return 1; }
#endif
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__)
__attribute__((simd("notinbranch"))) double exp(double);
__attribute__((simd("notinbranch"))) double log(double);
#endif

#define THREADS 128

double map_reduce(int64_t n, const double *a, int threads)
{
    double sum = 0;
#pragma omp parallel for simd reduction(+:sum) num_threads(threads)
    for (int64_t i = 0; i < n; i++) {
        sum += a[i] * a[i] + 1.0;
    }
    return sum;
}

void three_reductions(int64_t n, const double *a, double *out, int threads)
{
    double sum = 0;
    double least = 1.0e300;
    double most = -1.0e300;
#pragma omp parallel for simd reduction(+:sum) reduction(min:least) reduction(max:most) \
    num_threads(threads)
    for (int64_t i = 0; i < n; i++) {
        const double x = a[i] * a[i] - a[i];
        sum += x;
        least = x < least ? x : least;
        most = most < x ? x : most;
    }
    out[0] = sum;
    out[1] = least;
    out[2] = most;
}

void map_scan(int64_t n, const double *a, double *out, int threads)
{
    double total[THREADS + 1] = {0};
#pragma omp parallel num_threads(threads)
    {
        const int t = omp_get_thread_num();
        const int parts = omp_get_num_threads();
        const int64_t start = n * t / parts;
        const int64_t stop = n * (t + 1) / parts;
        double sum = 0;
        for (int64_t i = start; i < stop; i++) {
            sum += a[i] * 0.5 + 1.0;
            out[i] = sum;
        }
        total[t + 1] = sum;
#pragma omp barrier
        double before = 0;
        for (int k = 1; k <= t; k++) {
            before += total[k];
        }
        if (t > 0) {
            for (int64_t i = start; i < stop; i++) {
                out[i] += before;
            }
        }
    }
}

void scan_map(int64_t n, const double *a, double *out, int threads)
{
    double total[THREADS + 1] = {0};
#pragma omp parallel num_threads(threads)
    {
        const int t = omp_get_thread_num();
        const int parts = omp_get_num_threads();
        const int64_t start = n * t / parts;
        const int64_t stop = n * (t + 1) / parts;
        double sum = 0;
        if (parts > 1) {
#pragma omp simd reduction(+:sum)
            for (int64_t i = start; i < stop; i++) {
                sum += a[i];
            }
            total[t + 1] = sum;
        }
#pragma omp barrier
        sum = 0;
        for (int k = 1; k <= t; k++) {
            sum += total[k];
        }
        for (int64_t i = start; i < stop; i++) {
            sum += a[i];
            out[i] = sum * 0.5 + 1.0;
        }
    }
}

double filter_map_sum(int64_t n, const double *a, int threads)
{
    double sum = 0;
#pragma omp parallel for simd reduction(+:sum) num_threads(threads)
    for (int64_t i = 0; i < n; i++) {
        if (a[i] > 0.5) {
            sum += a[i] * a[i];
        }
    }
    return sum;
}

int64_t compaction(int64_t n, const double *a, double *out, int threads)
{
    int64_t count[THREADS];
    int got = 1;
#pragma omp parallel num_threads(threads)
    {
        const int t = omp_get_thread_num();
        const int parts = omp_get_num_threads();
        const int64_t start = n * t / parts;
        const int64_t stop = n * (t + 1) / parts;
        int64_t k = start;
        for (int64_t i = start; i < stop; i++) {
            out[k] = a[i];
            k += a[i] > 0.5;
        }
        count[t] = k - start;
        if (t == 0) {
            got = parts;
        }
    }
    int64_t total = count[0];
    for (int t = 1; t < got; t++) {
        memmove(out + total, out + n * t / got, (size_t)count[t] * sizeof *out);
        total += count[t];
    }
    return total;
}

int64_t two_buckets(int64_t n, const int64_t *keys, const double *a, int64_t buckets, double *sums,
                    int64_t *counts)
{
    memset(sums, 0, (size_t)buckets * sizeof *sums);
    memset(counts, 0, (size_t)buckets * sizeof *counts);
    for (int64_t i = 0; i < n; i++) {
        const int64_t k = keys[i];
        if (k < 0 || k >= buckets) {
            return 1;
        }
        sums[k] += a[i];
        counts[k]++;
    }
    return 0;
}

static inline double cnd(double d)
{
    const double x = d < 0 ? -d : d;
    const double k = 1.0 / (1.0 + 0.2316419 * x);
    const double p = k * (0.31938153 + k * (-0.356563782
        + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))));
    const double c = 0.39894228040143267793994605993438 * exp(-0.5 * d * d) * p;
    return d > 0 ? 1.0 - c : c;
}

void black_scholes(int64_t n, const uint8_t *call, const double *price, const double *strike,
                   const double *years, double *out, int threads)
{
#pragma omp parallel for simd num_threads(threads)
    for (int64_t i = 0; i < n; i++) {
        const double root = 0.30 * sqrt(years[i]);
        const double d1 = (log(price[i] / strike[i]) + (0.08 + 0.5 * 0.30 * 0.30) * years[i]) / root;
        const double c1 = cnd(d1);
        const double c2 = cnd(d1 - root);
        const double x = strike[i] * exp(-0.08 * years[i]);
        const double bought = price[i] * c1 - x * c2;
        const double sold = x * (1.0 - c2) - price[i] * (1.0 - c1);
        out[i] = call[i] != 0 ? bought : sold;
    }
}

static int64_t *transposed(int64_t n, const int64_t *a)
{
    int64_t *const t = malloc((size_t)(n * n) * sizeof *t);
    for (int64_t i = 0; t != NULL && i < n; i++) {
        for (int64_t j = 0; j < n; j++) {
            t[j * n + i] = a[i * n + j];
        }
    }
    return t;
}

int64_t p1(int64_t n, const int64_t *a, const int64_t *b, int64_t *out, int threads)
{
    int64_t *const t = transposed(n, b);
    if (t == NULL) {
        return 1;
    }
#pragma omp parallel for num_threads(threads)
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < n; j++) {
            int64_t sum = 0;
            for (int64_t k = 0; k < n; k++) {
                sum += a[i * n + k] * t[j * n + k];
            }
            out[i * n + j] = sum;
        }
    }
    free(t);
    return 0;
}

int64_t p2(int64_t n, const int64_t *d, int64_t *out, int threads)
{
    int64_t *const t = transposed(n, d);
    if (t == NULL) {
        return 1;
    }
#pragma omp parallel for num_threads(threads)
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < n; j++) {
            int64_t least = 1200;
            for (int64_t k = 0; k < n; k++) {
                const int64_t sum = t[j * n + k] + d[i * n + k];
                least = least < sum ? least : sum;
            }
            const int64_t old = d[i * n + j];
            out[i * n + j] = least < old ? least : old;
        }
    }
    free(t);
    return 0;
}

void mandelbrot(int64_t n, const double *re, const double *im, int64_t limit, int64_t *out,
                int threads)
{
#pragma omp parallel for num_threads(threads)
    for (int64_t p = 0; p < n; p++) {
        double x = 0;
        double y = 0;
        int64_t count = 0;
        for (int64_t i = 0; i < limit; i++) {
            const double xx = x * x;
            const double yy = y * y;
            if (!(xx + yy < 4.0)) {
                break;
            }
            y = 2.0 * x * y + im[p];
            x = xx - yy + re[p];
            count++;
        }
        out[p] = count;
    }
}

void stencil(int64_t n, const double *a, double *out, int threads)
{
    if (n > 0) {
        out[0] = a[0];
        out[n - 1] = a[n - 1];
    }
#pragma omp parallel for simd num_threads(threads)
    for (int64_t i = 1; i < n - 1; i++) {
        out[i] = 0.25 * a[i - 1] + 0.5 * a[i] + 0.25 * a[i + 1];
    }
}

void n_body(int64_t n, const double *xs, const double *ys, const double *ms, double *ax, double *ay,
            int threads)
{
#pragma omp parallel for num_threads(threads)
    for (int64_t i = 0; i < n; i++) {
        double fx = 0;
        double fy = 0;
#pragma omp simd reduction(+:fx, fy)
        for (int64_t j = 0; j < n; j++) {
            const double dx = xs[j] - xs[i];
            const double dy = ys[j] - ys[i];
            const double d = dx * dx + dy * dy + 0.01;
            const double f = ms[j] / (d * sqrt(d));
            fx += f * dx;
            fy += f * dy;
        }
        ax[i] = fx;
        ay[i] = fy;
    }
}
