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

/* Reductions go through four parts of a thread's share at once: four accumulators for each vector. */
#define SHARE                                         \
    const int t = omp_get_thread_num();               \
    const int parts = omp_get_num_threads();          \
    const int64_t start = n * t / parts;              \
    const int64_t stop = n * (t + 1) / parts;         \
    const int64_t q = (stop - start) / 4;             \
    const double *const a0 = a + start;               \
    const double *const a1 = a0 + q, *const a2 = a1 + q, *const a3 = a2 + q

double map_reduce(int64_t n, const double *a, int threads)
{
    double sum = 0;
#pragma omp parallel reduction(+:sum) num_threads(threads)
    {
        SHARE;
        double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
#pragma omp simd reduction(+:s0, s1, s2, s3)
        for (int64_t i = 0; i < q; i++) {
            s0 += a0[i] * a0[i] + 1.0;
            s1 += a1[i] * a1[i] + 1.0;
            s2 += a2[i] * a2[i] + 1.0;
            s3 += a3[i] * a3[i] + 1.0;
        }
        for (int64_t i = start + 4 * q; i < stop; i++) {
            s0 += a[i] * a[i] + 1.0;
        }
        sum = (s0 + s1) + (s2 + s3);
    }
    return sum;
}

static inline double smaller(double x, double y)
{
    return x < y ? x : y;
}

static inline double larger(double x, double y)
{
    return x < y ? y : x;
}

void three_reductions(int64_t n, const double *a, double *out, int threads)
{
    double sum = 0;
    double least = 1.0e300;
    double most = -1.0e300;
#pragma omp parallel reduction(+:sum) reduction(min:least) reduction(max:most) num_threads(threads)
    {
        SHARE;
        double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
        double l0 = 1.0e300, l1 = l0, l2 = l0, l3 = l0;
        double m0 = -1.0e300, m1 = m0, m2 = m0, m3 = m0;
#pragma omp simd reduction(+:s0, s1, s2, s3) reduction(min:l0, l1, l2, l3) \
    reduction(max:m0, m1, m2, m3)
        for (int64_t i = 0; i < q; i++) {
            const double x0 = a0[i] * a0[i] - a0[i], x1 = a1[i] * a1[i] - a1[i];
            const double x2 = a2[i] * a2[i] - a2[i], x3 = a3[i] * a3[i] - a3[i];
            s0 += x0, s1 += x1, s2 += x2, s3 += x3;
            l0 = smaller(x0, l0), l1 = smaller(x1, l1), l2 = smaller(x2, l2), l3 = smaller(x3, l3);
            m0 = larger(m0, x0), m1 = larger(m1, x1), m2 = larger(m2, x2), m3 = larger(m3, x3);
        }
        for (int64_t i = start + 4 * q; i < stop; i++) {
            const double x = a[i] * a[i] - a[i];
            s0 += x, l0 = smaller(x, l0), m0 = larger(m0, x);
        }
        sum = (s0 + s1) + (s2 + s3);
        least = smaller(smaller(l0, l1), smaller(l2, l3));
        most = larger(larger(m0, m1), larger(m2, m3));
    }
    out[0] = sum;
    out[1] = least;
    out[2] = most;
}

/* The prefix sums of a vector's elements: log2 n additions, which wait for no other vector. */
#if defined(__AVX512F__) && (defined(__clang__) || __GNUC__ >= 12)
enum { LANES = 8 };
typedef double vector __attribute__((vector_size(64)));
typedef double loaded __attribute__((vector_size(64), aligned(8), may_alias));
static inline vector prefixes(vector x)
{
    const vector zero = {0};
    x += __builtin_shufflevector(zero, x, 0, 8, 9, 10, 11, 12, 13, 14);
    x += __builtin_shufflevector(zero, x, 0, 1, 8, 9, 10, 11, 12, 13);
    return x + __builtin_shufflevector(zero, x, 0, 1, 2, 3, 8, 9, 10, 11);
}
static inline vector last(vector x)
{
    return __builtin_shufflevector(x, x, 7, 7, 7, 7, 7, 7, 7, 7);
}
#elif defined(__AVX__) && (defined(__clang__) || __GNUC__ >= 12)
enum { LANES = 4 };
typedef double vector __attribute__((vector_size(32)));
typedef double loaded __attribute__((vector_size(32), aligned(8), may_alias));
static inline vector prefixes(vector x)
{
    const vector zero = {0};
    x += __builtin_shufflevector(zero, x, 0, 4, 5, 6);
    return x + __builtin_shufflevector(zero, x, 0, 1, 4, 5);
}
static inline vector last(vector x)
{
    return __builtin_shufflevector(x, x, 3, 3, 3, 3);
}
#else
enum { LANES = 1 };
typedef double vector, loaded;
static inline vector prefixes(vector x)
{
    return x;
}
static inline vector last(vector x)
{
    return x;
}
#endif

void map_scan(int64_t n, const double *a, double *out, int threads)
{
    double total[THREADS + 1] = {0};
#pragma omp parallel num_threads(threads)
    {
        const int t = omp_get_thread_num();
        const int parts = omp_get_num_threads();
        const int64_t start = n * t / parts;
        const int64_t stop = n * (t + 1) / parts;
        vector all = (vector){0} + 0.0;
        int64_t i = start;
        for (; i + LANES <= stop; i += LANES) {
            const vector x = prefixes(*(const loaded *)(a + i) * 0.5 + 1.0);
            *(loaded *)(out + i) = all + x;
            all += last(x);
        }
        double sum = *(double *)&all;
        for (; i < stop; i++) {
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
        vector all = (vector){0} + sum;
        int64_t i = start;
        for (; i + LANES <= stop; i += LANES) {
            const vector x = prefixes(*(const loaded *)(a + i));
            *(loaded *)(out + i) = (all + x) * 0.5 + 1.0;
            all += last(x);
        }
        sum = *(double *)&all;
        for (; i < stop; i++) {
            sum += a[i];
            out[i] = sum * 0.5 + 1.0;
        }
    }
}

static inline double kept(double x)
{
    return x > 0.5 ? x * x : 0.0;
}

double filter_map_sum(int64_t n, const double *a, int threads)
{
    double sum = 0;
#pragma omp parallel reduction(+:sum) num_threads(threads)
    {
        SHARE;
        double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
#pragma omp simd reduction(+:s0, s1, s2, s3)
        for (int64_t i = 0; i < q; i++) {
            s0 += kept(a0[i]), s1 += kept(a1[i]), s2 += kept(a2[i]), s3 += kept(a3[i]);
        }
        for (int64_t i = start + 4 * q; i < stop; i++) {
            s0 += kept(a[i]);
        }
        sum = (s0 + s1) + (s2 + s3);
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

/* One thread: threads would have to know how many the others let through. */
int64_t positions(int64_t n, const double *a, int64_t *out)
{
    int64_t k = 0;
    for (int64_t i = 0; i < n; i++) {
        out[k] = k + (int64_t)(a[i] * 4.0);
        k += a[i] > 0.5;
    }
    return k;
}

double scanned_sum(int64_t n, const double *a)
{
    double running = 0, sum = 0;
    for (int64_t i = 0; i < n; i++) {
        const double x = a[i] > 0.5 ? a[i] : 0.0;
        running += x;
        sum += a[i] > 0.5 ? running : 0.0;
    }
    return sum;
}

/* The number of a pair of ints below 2^31 in a table by hash; one more if it was not there. */
typedef struct {
    int64_t *keys, *numbers, mask, count;
} pair_table;

static int64_t pair_number(pair_table *table, int64_t a, int64_t b)
{
    const int64_t key = a << 31 | b;
    int64_t at = (int64_t)((uint64_t)key * 0x9E3779B97F4A7C15u >> 20) & table->mask;
    while (table->numbers[at] != 0 && table->keys[at] != key) {
        at = (at + 1) & table->mask;
    }
    if (table->numbers[at] == 0) {
        table->keys[at] = key;
        table->numbers[at] = ++table->count;
    }
    return table->numbers[at] - 1;
}

static pair_table pairs_of(int64_t n)
{
    int64_t slots = 64;
    while (slots < 2 * n) {
        slots *= 2;
    }
    return (pair_table){
        malloc((size_t)slots * 8), calloc((size_t)slots, 8), slots - 1, 0
    };
}

static void end_pairs(pair_table *table)
{
    free(table->keys);
    free(table->numbers);
}

int64_t distinct_kept(int64_t n, const int64_t *keys, int64_t most, int64_t *out)
{
    pair_table table = pairs_of(most);
    int64_t count = 0;
    for (int64_t i = 0; i < n; i++) {
        if ((keys[i] & 1) == 0 && pair_number(&table, 0, keys[i]) == count) {
            out[count++] = keys[i];
        }
    }
    end_pairs(&table);
    return count;
}

/* The different values by key: a table of pairs, and one of keys. The counts are 0 before. */
int64_t distinct_by_key(int64_t n, const int64_t *keys, const int64_t *values, int64_t *found,
                        int64_t *counts)
{
    pair_table pairs = pairs_of(n), table = pairs_of(n);
    for (int64_t i = 0; i < n; i++) {
        const int64_t before = pairs.count;
        if (pair_number(&pairs, keys[i], values[i]) == before) {
            const int64_t k = pair_number(&table, 0, keys[i]);
            found[k] = keys[i];
            counts[k]++;
        }
    }
    end_pairs(&pairs);
    end_pairs(&table);
    return table.count;
}

/* Sums and counts side by side, in a table for each thread. */
typedef struct {
    double sum;
    int64_t count;
} counted;

int64_t two_buckets(int64_t n, const int64_t *keys, const double *a, int64_t buckets, double *sums,
                    int64_t *counts, int threads)
{
    counted *const tables = calloc((size_t)(threads * buckets), sizeof *tables);
    int64_t failed = 0;
#pragma omp parallel for num_threads(threads) reduction(|:failed)
    for (int64_t t = 0; t < threads; t++) {
        counted *const own = tables + t * buckets;
        for (int64_t i = n * t / threads; i < n * (t + 1) / threads; i++) {
            const int64_t k = keys[i];
            if (k < 0 || k >= buckets) {
                failed = 1;
                break;
            }
            own[k].sum += a[i];
            own[k].count++;
        }
    }
    for (int64_t k = 0; k < buckets; k++) {
        sums[k] = 0.0;
        counts[k] = 0;
        for (int64_t t = 0; t < threads; t++) {
            sums[k] += tables[t * buckets + k].sum;
            counts[k] += tables[t * buckets + k].count;
        }
    }
    free(tables);
    return failed;
}

typedef struct {
    double first, second;
} pair;

int64_t shared_buckets(int64_t n, const int64_t *keys, const double *a, int64_t buckets,
                       double *first, double *second, int threads)
{
    pair *const tables = calloc((size_t)(threads * buckets), sizeof *tables);
    int64_t failed = 0;
#pragma omp parallel for num_threads(threads) reduction(|:failed)
    for (int64_t t = 0; t < threads; t++) {
        pair *const own = tables + t * buckets;
        for (int64_t i = n * t / threads; i < n * (t + 1) / threads; i++) {
            const int64_t k = keys[i];
            if (k < 0 || k >= buckets) {
                failed = 1;
                break;
            }
            const double b = a[i] * 2.0 + 1.0;
            own[k].first += b;
            own[k].second += b * b;
        }
    }
    for (int64_t k = 0; k < buckets; k++) {
        first[k] = second[k] = 0.0;
        for (int64_t t = 0; t < threads; t++) {
            first[k] += tables[t * buckets + k].first;
            second[k] += tables[t * buckets + k].second;
        }
    }
    free(tables);
    return failed;
}

int64_t histogram(int64_t n, const double *a, int64_t bins, int64_t *out, int threads)
{
    int64_t *const tables = calloc((size_t)(threads * bins), sizeof *tables);
    int64_t failed = 0;
#pragma omp parallel for num_threads(threads) reduction(|:failed)
    for (int64_t t = 0; t < threads; t++) {
        int64_t *const own = tables + t * bins;
        for (int64_t i = n * t / threads; i < n * (t + 1) / threads; i++) {
            const int64_t k = (int64_t)(a[i] * (double)bins);
            if (k < 0 || k >= bins) {
                failed = 1;
                break;
            }
            own[k]++;
        }
    }
    for (int64_t k = 0; k < bins; k++) {
        out[k] = 0;
        for (int64_t t = 0; t < threads; t++) {
            out[k] += tables[t * bins + k];
        }
    }
    free(tables);
    return failed;
}

/* A counting sort. */
int64_t grouping(int64_t n, const int64_t *keys, const double *a, int64_t buckets, int64_t *offsets,
                 double *out)
{
    memset(offsets, 0, (size_t)(buckets + 1) * sizeof *offsets);
    for (int64_t i = 0; i < n; i++) {
        if (keys[i] < 0 || keys[i] >= buckets) {
            return 1;
        }
        offsets[keys[i] + 1]++;
    }
    for (int64_t k = 0; k < buckets; k++) {
        offsets[k + 1] += offsets[k];
    }
    int64_t *const places = malloc((size_t)(buckets + 1) * sizeof *places);
    memcpy(places, offsets, (size_t)(buckets + 1) * sizeof *places);
    for (int64_t i = 0; i < n; i++) {
        out[places[keys[i]]++] = a[i];
    }
    free(places);
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

/* Four rows at a time: the other matrix is read a quarter as often, and four sums advance at once. */
int64_t p1(int64_t n, const int64_t *a, const int64_t *b, int64_t *out, int threads)
{
    int64_t *const t = transposed(n, b);
    if (t == NULL) {
        return 1;
    }
    const int64_t whole = n / 4 * 4;
#pragma omp parallel for num_threads(threads)
    for (int64_t i = 0; i < whole; i += 4) {
        const int64_t *const a0 = a + i * n, *const a1 = a0 + n, *const a2 = a1 + n,
                      *const a3 = a2 + n;
        for (int64_t j = 0; j < n; j++) {
            const int64_t *const row = t + j * n;
            int64_t s0 = 0, s1 = 0, s2 = 0, s3 = 0;
#pragma omp simd reduction(+:s0, s1, s2, s3)
            for (int64_t k = 0; k < n; k++) {
                s0 += a0[k] * row[k];
                s1 += a1[k] * row[k];
                s2 += a2[k] * row[k];
                s3 += a3[k] * row[k];
            }
            int64_t *const o = out + i * n + j;
            o[0] = s0, o[n] = s1, o[2 * n] = s2, o[3 * n] = s3;
        }
    }
    for (int64_t i = whole; i < n; i++) {
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

static inline int64_t lesser(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

int64_t p2(int64_t n, const int64_t *d, int64_t *out, int threads)
{
    int64_t *const t = transposed(n, d);
    if (t == NULL) {
        return 1;
    }
    const int64_t whole = n / 4 * 4;
#pragma omp parallel for num_threads(threads)
    for (int64_t i = 0; i < whole; i += 4) {
        const int64_t *const d0 = d + i * n, *const d1 = d0 + n, *const d2 = d1 + n,
                      *const d3 = d2 + n;
        for (int64_t j = 0; j < n; j++) {
            const int64_t *const row = t + j * n;
            int64_t s0 = 1200, s1 = 1200, s2 = 1200, s3 = 1200;
#pragma omp simd reduction(min:s0, s1, s2, s3)
            for (int64_t k = 0; k < n; k++) {
                s0 = lesser(row[k] + d0[k], s0);
                s1 = lesser(row[k] + d1[k], s1);
                s2 = lesser(row[k] + d2[k], s2);
                s3 = lesser(row[k] + d3[k], s3);
            }
            int64_t *const o = out + i * n + j;
            o[0] = lesser(s0, d0[j]), o[n] = lesser(s1, d1[j]);
            o[2 * n] = lesser(s2, d2[j]), o[3 * n] = lesser(s3, d3[j]);
        }
    }
    for (int64_t i = whole; i < n; i++) {
        for (int64_t j = 0; j < n; j++) {
            int64_t least = 1200;
            for (int64_t k = 0; k < n; k++) {
                least = lesser(t[j * n + k] + d[i * n + k], least);
            }
            out[i * n + j] = lesser(least, d[i * n + j]);
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

void simulation(int64_t n, const double *a, int64_t steps, double *out, int threads)
{
    memcpy(out, a, (size_t)n * sizeof *a);
    for (int64_t step = 0; step < steps; step++) {
#pragma omp parallel for simd num_threads(threads)
        for (int64_t i = 0; i < n; i++) {
            out[i] = out[i] + 0.01 * (1.0 - out[i] * out[i]);
        }
    }
}

void small_rows(int64_t n, const double *a, double *out)
{
    double sums[4] = {0};
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < 4; j++) {
            sums[j] += a[4 * i + j];
        }
    }
    memcpy(out, sums, sizeof sums);
}

void continued(int64_t m, const double *a, int64_t n, const double *b, double *out)
{
    double sum = 0;
    for (int64_t i = 0; i < m; i++) {
        sum += a[i] * 2.0;
        out[i] = sum;
    }
    for (int64_t i = 0; i < n; i++) {
        sum += b[i] + 1.0;
        out[m + i] = sum;
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

void life(int64_t n, const int64_t *cells, int64_t *out, int threads)
{
#pragma omp parallel for num_threads(threads)
    for (int64_t i = 0; i < n; i++) {
        const int64_t *const up = cells + n * (i == 0 ? n - 1 : i - 1);
        const int64_t *const row = cells + n * i;
        const int64_t *const down = cells + n * (i == n - 1 ? 0 : i + 1);
        int64_t *const made = out + n * i;
        for (int64_t edge = 0; edge < 2; edge++) {
            const int64_t j = edge * (n - 1);
            const int64_t l = j == 0 ? n - 1 : j - 1;
            const int64_t r = j == n - 1 ? 0 : j + 1;
            const int64_t around =
                up[l] + up[j] + up[r] + row[l] + row[r] + down[l] + down[j] + down[r];
            made[j] = (around == 3) | ((around == 2) & (row[j] == 1));
        }
#pragma omp simd
        for (int64_t j = 1; j < n - 1; j++) {
            const int64_t around = up[j - 1] + up[j] + up[j + 1] + row[j - 1] + row[j + 1] +
                                   down[j - 1] + down[j] + down[j + 1];
            made[j] = (around == 3) | ((around == 2) & (row[j] == 1));
        }
    }
}

void nearest(int64_t n, const double *points, int64_t m, const double *centres, int64_t k,
             int64_t *out)
{
    for (int64_t i = 0; i < n; i++) {
        double least = 1e300;
        int64_t at = -1;
        for (int64_t c = 0; c < m; c++) {
            double far = 0;
            for (int64_t d = 0; d < k; d++) {
                const double x = points[k * i + d] - centres[k * c + d];
                far += x * x;
            }
            if (far < least) {
                least = far;
                at = c;
            }
        }
        out[i] = at;
    }
}

void row_scans(int64_t n, int64_t m, const double *rows, double *out)
{
    for (int64_t i = 0; i < n; i++) {
        double sum = 0;
        for (int64_t j = 0; j < m; j++) {
            sum += rows[m * i + j];
            out[m * i + j] = sum;
        }
    }
}

void column_sums(int64_t n, int64_t m, const double *a, double *out)
{
    memset(out, 0, (size_t)m * sizeof *out);
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < m; j++) {
            out[j] += a[m * i + j];
        }
    }
}

void column_maxima(int64_t n, int64_t m, const double *a, double *out)
{
    for (int64_t j = 0; j < m; j++) {
        out[j] = -1e300;
    }
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < m; j++) {
            out[j] = out[j] < a[m * i + j] ? a[m * i + j] : out[j];
        }
    }
}

int64_t extreme(int64_t n, const double *a)
{
    double least = 1e300;
    int64_t at = -1;
    for (int64_t i = 0; i < n; i++) {
        if (a[i] < least) {
            least = a[i];
            at = i;
        }
    }
    return at;
}

void convolution(int64_t n, const double *a, int64_t m, const double *weights, double *out)
{
    for (int64_t i = 0; i < n; i++) {
        double sum = 0;
        for (int64_t j = 0; j < m; j++) {
            sum += a[i + j] * weights[j];
        }
        out[i] = sum;
    }
}

static void sink(double *a, int64_t root, int64_t end)
{
    for (int64_t child; (child = 2 * root + 1) < end;) {
        child += child + 1 < end && a[child] < a[child + 1];
        if (!(a[root] < a[child])) {
            return;
        }
        const double x = a[root];
        a[root] = a[child];
        a[child] = x;
        root = child;
    }
}

void heap_sort(int64_t n, const double *given, double *a)
{
    memcpy(a, given, (size_t)n * sizeof *a);
    for (int64_t start = n / 2 - 1; start >= 0; start--) {
        sink(a, start, n);
    }
    for (int64_t end = n - 1; end > 0; end--) {
        const double x = a[0];
        a[0] = a[end];
        a[end] = x;
        sink(a, 0, end);
    }
}
