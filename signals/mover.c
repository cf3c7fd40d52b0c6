/* Move samples from one buffer to another: the loop above for the bulk, one by one at the ends.

   The text above defines `convert`, which moves whole rounds of PERIOD samples between whole words,
   and says in macros and tables how samples lie on both sides (see signals/driver.py).  A sample
   that is no part of a whole round, or whose round has words beyond an end of a buffer, is moved
   bit by bit; of the target only the samples' own bits change then.  No byte outside of the
   buffers is touched.

   Addresses (`at`) are in bits from the start of a buffer, lengths and pitches in bytes.  Samples
   lie wholly inside of their buffers; that is the caller's to see to.  The result is 0; 2, with
   nothing moved, if the buffers of cogen_move share bytes; 3 if an element of an array does not fit
   in the samples that it is packed as; else something is wrong with this code.
   */

typedef struct {
    uint8_t is_signed, size;
    int32_t first, pieces; /* of the table of pieces, the one with the high bits first */
} cogen_field;

typedef struct {
    int64_t at;
    int64_t size;
} cogen_piece;

static const cogen_field in_fields[] = IN_TABLE;
static const cogen_piece in_pieces[] = IN_PIECES;
static const cogen_field out_fields[] = OUT_TABLE;
static const cogen_piece out_pieces[] = OUT_PIECES;

/* The whole words that hold groups of samples: bytes [start, start + words * WORD / 8), and the
   address in them of the first group. */
typedef struct {
    int64_t start, words, at;
} cogen_window;

static inline cogen_window cogen_words(int64_t at, int64_t groups, int64_t step, int64_t low,
                                       int64_t high)
{
    const int64_t last = at + (groups - 1) * step;
    cogen_window window;
    if (step > 0) {
        window.start = at >> 3;
        window.words = (last + high - 8 * window.start + WORD - 1) / WORD;
    } else {
        const int64_t top = (at + high + 7) >> 3;
        window.words = (8 * top - last - low + WORD - 1) / WORD;
        window.start = top - window.words * (WORD / 8);
    }
    window.at = at - 8 * window.start;
    return window;
}

static inline bool cogen_inside(cogen_window window, int64_t bytes)
{
    return window.start >= 0 && window.start + window.words * (WORD / 8) <= bytes;
}

static inline uint64_t cogen_get(const uint8_t *buffer, int64_t at, int64_t size, bool big)
{
    uint64_t bits = 0;
    for (int64_t got = 0; got < size;) {
        const int64_t bit = at & 7;
        const int64_t here = 8 - bit < size - got ? 8 - bit : size - got;
        const uint64_t byte = buffer[at >> 3], ones = (1u << here) - 1;
        bits = big ? bits << here | (byte >> (8 - bit - here) & ones)
                   : bits | (byte >> bit & ones) << got;
        got += here;
        at += here;
    }
    return bits;
}

static inline void cogen_put(uint8_t *buffer, int64_t at, int64_t size, bool big, uint64_t bits)
{
    for (int64_t left = size; left > 0;) {
        const int64_t bit = at & 7;
        const int64_t here = 8 - bit < left ? 8 - bit : left;
        const int64_t shift = big ? 8 - bit - here : bit;
        const uint64_t part = big ? bits >> (left - here) : bits >> (size - left);
        const uint8_t ones = (uint8_t)(((1u << here) - 1) << shift);
        buffer[at >> 3] = (uint8_t)((buffer[at >> 3] & ~ones) | ((part << shift) & ones));
        left -= here;
        at += here;
    }
}

static inline int64_t cogen_signed(uint64_t bits, int64_t size)
{
    return (int64_t)(bits << (64 - size)) >> (64 - size);
}

static inline int64_t cogen_clamped(int64_t x, cogen_field to)
{
    if (to.size == 64) {
        return to.is_signed || x > 0 ? x : 0;
    }
    const int64_t most = (INT64_C(1) << (to.size - to.is_signed)) - 1;
    const int64_t least = to.is_signed ? -most - 1 : 0;
    return x < least ? least : x > most ? most : x;
}

/* Move one sample: the field number i of the group at `in_at` to the field number j. */
__attribute__((cold, noinline))
static void cogen_move_one(const uint8_t *in, int64_t in_at, int64_t i, uint8_t *out,
                           int64_t out_at, int64_t j)
{
    const cogen_field from = in_fields[i], to = out_fields[j];
    uint64_t bits = 0;
    for (int32_t k = from.first; k < from.first + from.pieces; k++) {
        const cogen_piece piece = in_pieces[k];
        const uint64_t part = cogen_get(in, in_at + piece.at, piece.size, IN_BIG);
        bits = k == from.first ? part : bits << piece.size | part;
    }
    int64_t x = from.is_signed ? cogen_signed(bits, from.size) : (int64_t)bits;
    if (SATURATE) {
        x = cogen_clamped(x, to);
    }
    int64_t left = to.size;
    for (int32_t k = to.first; k < to.first + to.pieces; k++) {
        const cogen_piece piece = out_pieces[k];
        left -= piece.size;
        cogen_put(out, out_at + piece.at, piece.size, OUT_BIG, (uint64_t)x >> left);
    }
}

#ifndef AT_ONCE
__attribute__((noinline))
static int64_t cogen_move_all(const uint8_t *in, int64_t in_bytes, int64_t in_at, uint8_t *out,
                              int64_t out_bytes, int64_t out_at, int64_t samples)
{
    int64_t rounds = samples / PERIOD;
    for (; rounds > 0; rounds--) {
        const cogen_window a =
            cogen_words(in_at, rounds * (PERIOD / IN_FIELDS), IN_STEP, IN_LOW, IN_HIGH);
        const cogen_window b =
            cogen_words(out_at, rounds * (PERIOD / OUT_FIELDS), OUT_STEP, OUT_LOW, OUT_HIGH);
        if (cogen_inside(a, in_bytes) && cogen_inside(b, out_bytes)) {
            CONVERT(in + a.start, a.words, a.at, out + b.start, b.words, b.at, rounds);
            break;
        }
    }
    for (int64_t done = rounds * PERIOD; done < samples; done++) {
        cogen_move_one(in, in_at + done / IN_FIELDS * IN_STEP, done % IN_FIELDS, out,
                       out_at + done / OUT_FIELDS * OUT_STEP, done % OUT_FIELDS);
    }
    return 0;
}
#endif

#ifdef AT_ONCE
/* The samples become numbers where the loop above stores them. */
__attribute__((noinline))
static int64_t cogen_row(const uint8_t *in, int64_t in_bytes, int64_t in_at, uint8_t *out,
                         int64_t out_bytes, int64_t out_at, int64_t samples, double scale)
{
    cogen_value *to = (cogen_value *)(out + out_at / 8);
    int64_t rounds = samples / PERIOD;
    (void)out_bytes;
    for (; rounds > 0; rounds--) {
        const cogen_window a =
            cogen_words(in_at, rounds * (PERIOD / IN_FIELDS), IN_STEP, IN_LOW, IN_HIGH);
        if (cogen_inside(a, in_bytes)) {
            SET_SCALE(scale);
            CONVERT(in + a.start, a.words, a.at, (uint8_t *)to, samples, 0, rounds);
            break;
        }
    }
    for (int64_t done = rounds * PERIOD; done < samples; done++) {
        SAMPLE one = 0;
        cogen_move_one(in, in_at + done / IN_FIELDS * IN_STEP, done % IN_FIELDS, (uint8_t *)&one,
                       0, 0);
        to[done] = VALUE(one, scale);
    }
    return 0;
}
#elif defined VALUE
/* The samples pass through a block, which stays in the processor's cache, to numbers of another
   type. */
__attribute__((noinline))
static int64_t cogen_row(const uint8_t *in, int64_t in_bytes, int64_t in_at, uint8_t *out,
                         int64_t out_bytes, int64_t out_at, int64_t samples, double scale)
{
    SAMPLE block[BLOCK];
    (void)out_bytes;
    (void)scale;
    for (int64_t first = 0; first < samples; first += BLOCK) {
        const int64_t count = samples - first < BLOCK ? samples - first : BLOCK;
        if (cogen_move_all(in, in_bytes, in_at + first / IN_FIELDS * IN_STEP, (uint8_t *)block,
                           sizeof block, 0, count)) {
            return 1;
        }
        cogen_value *to = (cogen_value *)(out + out_at / 8) + first;
        for (int64_t i = 0; i < count; i++) {
            to[i] = VALUE(block[i], scale);
        }
    }
    return 0;
}
#else
static inline int64_t cogen_row(const uint8_t *in, int64_t in_bytes, int64_t in_at, uint8_t *out,
                                int64_t out_bytes, int64_t out_at, int64_t samples, double scale)
{
    (void)scale;
    return cogen_move_all(in, in_bytes, in_at, out, out_bytes, out_at, samples);
}
#endif

int64_t cogen_move(const uint8_t *in, int64_t in_bytes, int64_t in_at, uint8_t *out,
                   int64_t out_bytes, int64_t out_at, int64_t samples, double scale)
{
    const uintptr_t from = (uintptr_t)in, to = (uintptr_t)out;
    if (from < to + (uintptr_t)out_bytes && to < from + (uintptr_t)in_bytes) {
        return 2;
    }
    return cogen_row(in, in_bytes, in_at, out, out_bytes, out_at, samples, scale);
}

#ifdef FIT_TESTED
/* Whether the elements of whole groups of an array are in the range of the target's samples. */
static bool cogen_fit(const uint8_t *at, int64_t samples)
{
    FIT_UNIONS
    for (int64_t i = 0; i < samples / FIT_SAMPLES; i++) {
        FIT_LOOK(at + i * FIT_STEP)
    }
    return FIT_FITTING;
}

#ifdef cogen_looked
#define COGEN_LOOK_FROM(place) (cogen_seen.end = (place), cogen_seen.all = 0)

/* The same of elements that were moved, of which the first may have been looked at. */
static bool cogen_were_fit(const uint8_t *at, int64_t samples)
{
    const cogen_element all0 = cogen_seen.all;
    return FIT_FITTING && cogen_fit(cogen_seen.end, samples - (cogen_seen.end - at) / FIT_STEP);
}
#else
#define COGEN_LOOK_FROM(place)
#define cogen_were_fit cogen_fit
#endif

int64_t cogen_fits(const uint8_t *in, int64_t in_at, int64_t in_pitch, int64_t samples,
                   int64_t rows)
{
    for (int64_t row = 0; row < rows; row++) {
        if (!cogen_fit(in + row * in_pitch + in_at / 8, samples)) {
            return 3;
        }
    }
    return 0;
}

/* Where what is in the target shall not be lost, all elements are looked at before any is moved;
   else those of a block when it is moved, most of them by the loop that moves them. */
static int64_t cogen_packed(const uint8_t *in, int64_t in_bytes, int64_t in_at, uint8_t *out,
                            int64_t out_bytes, int64_t out_at, int64_t samples, double scale)
{
    const int64_t block = FIT_BLOCK ? FIT_BLOCK : samples;
    if (!FIT_BLOCK && !cogen_fit(in + in_at / 8, samples)) {
        return 3;
    }
    for (int64_t first = 0; first < samples; first += block) {
        const int64_t count = samples - first < block ? samples - first : block;
        const int64_t at = in_at + first / IN_FIELDS * IN_STEP;
        COGEN_LOOK_FROM(in + at / 8);
        if (cogen_row(in, in_bytes, at, out, out_bytes, out_at + first / OUT_FIELDS * OUT_STEP,
                      count, scale)) {
            return 1;
        }
        if (FIT_BLOCK && !cogen_were_fit(in + at / 8, count)) {
            return 3;
        }
    }
    return 0;
}

int64_t cogen_pack(const uint8_t *in, int64_t in_bytes, int64_t in_at, uint8_t *out,
                   int64_t out_bytes, int64_t out_at, int64_t samples, double scale)
{
    const uintptr_t from = (uintptr_t)in, to = (uintptr_t)out;
    if (from < to + (uintptr_t)out_bytes && to < from + (uintptr_t)in_bytes) {
        return 2;
    }
    return cogen_packed(in, in_bytes, in_at, out, out_bytes, out_at, samples, scale);
}
#endif

#ifdef FIT_TESTED
/* The same, where all elements are in range: else 3, and nothing is moved where what is in the
   target shall not be lost. */
int64_t cogen_pack_rows(const uint8_t *in, int64_t in_bytes, int64_t in_at, int64_t in_pitch,
                        int64_t in_less, uint8_t *out, int64_t out_bytes, int64_t out_at,
                        int64_t out_pitch, int64_t out_less, int64_t samples, int64_t rows,
                        double scale)
{
    if (!FIT_BLOCK && cogen_fits(in, in_at, in_pitch, samples, rows)) {
        return 3;
    }
    for (int64_t row = 0; row < rows; row++) {
        const int64_t failed = (FIT_BLOCK ? cogen_packed : cogen_row)(
            in + row * in_pitch, in_bytes - row * in_less, in_at, out + row * out_pitch,
            out_bytes - row * out_less, out_at, samples, scale);
        if (failed) {
            return failed;
        }
    }
    return 0;
}
#endif

int64_t cogen_move_rows(const uint8_t *in, int64_t in_bytes, int64_t in_at, int64_t in_pitch,
                        int64_t in_less, uint8_t *out, int64_t out_bytes, int64_t out_at,
                        int64_t out_pitch, int64_t out_less, int64_t samples, int64_t rows,
                        double scale)
{
    for (int64_t row = 0; row < rows; row++) {
        if (cogen_row(in + row * in_pitch, in_bytes - row * in_less, in_at, out + row * out_pitch,
                      out_bytes - row * out_less, out_at, samples, scale)) {
            return 1;
        }
    }
    return 0;
}
