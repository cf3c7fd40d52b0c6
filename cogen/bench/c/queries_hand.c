/* Opponents of the case study of queries: one loop over columns as Arrow has them. */
#include <stdint.h>

typedef struct {
    double quantity, base, price, charge, discount;
    int64_t count;
} sums;

/* Q1, into out[flag * 2 + status]: two tables in turn, so that additions wait less. */
void q1(int64_t n, const double *quantity, const double *extended, const double *discount,
        const double *tax, const int8_t *flag, const int8_t *status, const int32_t *shipped,
        int32_t until, sums *restrict out)
{
    sums table[2][6] = {{{0, 0, 0, 0, 0, 0}}};
    for (int64_t i = 0; i < n; i++) {
        if (shipped[i] <= until) {
            const double price = extended[i] * (1 - discount[i]);
            sums *const s = &table[i & 1][flag[i] * 2 + status[i]];
            s->quantity += quantity[i];
            s->base += extended[i];
            s->price += price;
            s->charge += price * (1 + tax[i]);
            s->discount += discount[i];
            s->count += 1;
        }
    }
    for (int k = 0; k < 6; k++) {
        const sums *const a = &table[0][k], *const b = &table[1][k];
        out[k] = (sums){a->quantity + b->quantity, a->base + b->base, a->price + b->price,
                        a->charge + b->charge, a->discount + b->discount, a->count + b->count};
    }
}

double q6(int64_t n, const double *quantity, const double *extended, const double *discount,
          const int32_t *shipped, int32_t since, int32_t until, double low, double high,
          double most)
{
    double total[16] = {0};
    int64_t i = 0;
    for (; i + 16 <= n; i += 16) {
        for (int k = 0; k < 16; k++) {
            const int64_t j = i + k;
            const double x = extended[j] * discount[j];
            total[k] += (shipped[j] >= since) & (shipped[j] < until) & (discount[j] >= low)
                    & (discount[j] <= high) & (quantity[j] < most) ? x : 0;
        }
    }
    double all = 0;
    for (; i < n; i++) {
        if (shipped[i] >= since && shipped[i] < until && discount[i] >= low && discount[i] <= high
            && quantity[i] < most) {
            all += extended[i] * discount[i];
        }
    }
    for (int k = 0; k < 16; k++) {
        all += total[k];
    }
    return all;
}
