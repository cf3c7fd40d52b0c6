/* Equivalence, pairs, vectors, cells, records, bytevectors and memory: what compiled code does
   not do in line, as lang/primtable/data.py and memory.py define it. */

#include "inline.h"

#include <stdlib.h>

/* Equivalence */

word op_eq_p(RT, word a, word b) { return BOOL(SAME(a, b)); }
word op_eqv_p(RT, word a, word b) { return BOOL(SAME(a, b)); }
word op_earlyeq(RT, word a, word b) { return BOOL(SAME(a, b)); }

typedef struct { word a, b; } couple;
typedef struct { couple *at; size_t count, size; } couples;

static void push_couple(RT, couples *c, word a, word b) {
    if (c->count == c->size) {
        c->size = c->size ? 2 * c->size : 64;
        c->at = reallocate(rt, c->at, c->size, sizeof *c->at);
    }
    c->at[c->count++] = (couple){a, b};
}

/* Couples met already; looked at only when there have been many. */
enum { PATIENCE = 10000 };

static size_t place_of(const couples *seen, word a, word b) {
    size_t i = ((uword)a * 0x9e3779b97f4a7c15u ^ (uword)b) >> 3 & (seen->size - 1);
    while (seen->at[i].a && (seen->at[i].a != a || seen->at[i].b != b)) i = (i + 1) & (seen->size - 1);
    return i;
}

static bool met(RT, couples *seen, word a, word b) {
    if (2 * seen->count >= seen->size) {
        couples bigger = {allocate_block(rt, seen->size ? 2 * seen->size : 1024, sizeof(couple)), seen->count,
                          seen->size ? 2 * seen->size : 1024};
        for (size_t i = 0; i < seen->size; i++)
            if (seen->at[i].a) bigger.at[place_of(&bigger, seen->at[i].a, seen->at[i].b)] = seen->at[i];
        release(rt, seen->at);
        *seen = bigger;
    }
    size_t i = place_of(seen, a, b);
    if (seen->at[i].a) return true;
    seen->at[i] = (couple){a, b};
    seen->count++;
    return false;
}

bool same_contents(word a, word b) {
    if (COUNT(a) != COUNT(b)) return false;
    if (KIND(a) != KIND(b)) {
        if (!IS_STRING(a) || !IS_STRING(b)) return false;
        for (size_t i = 0; i < COUNT(a); i++)
            if (string_at(a, i) != string_at(b, i)) return false;
        return true;
    }
    return memcmp(DATA(a), DATA(b), KIND(a) == WIDE ? 4 * COUNT(a) : COUNT(a)) == 0;
}

/* The same of objects without parts: numbers, strings, bytevectors, and what is the same as itself only. */
static bool same_leaves(RT, word a, word b) {
    if ((IS_STRING(a) && IS_STRING(b)) || (IS_BYTES(a) && IS_BYTES(b))) return same_contents(a, b);
    return SAME(a, b);
}

/* The same of data that are not very deep, and neither very large nor circular: TRUE or FALSE, or
   ABSENT where they are, so many levels down or after so many steps. */
enum { QUICK_LEVELS = 200, QUICK_STEPS = 1 << 20 };

static word quick_equal(RT, word a, word b, int levels, long *steps) {
    for (;;) {
        if (a == b) return TRUE;
        if (--*steps < 0 || levels == 0) return ABSENT;
        if (IS_PAIR(a) && IS_PAIR(b)) {
            word first = quick_equal(rt, CAR(a), CAR(b), levels - 1, steps);
            if (first != TRUE) return first;
            a = CDR(a), b = CDR(b);
            continue;
        }
        if (!IS_OBJECT(a) || !IS_OBJECT(b)) return FALSE;
        if (!IS_VECTOR(a) || !IS_VECTOR(b)) return BOOL(same_leaves(rt, a, b));
        if (LENGTH(a) != LENGTH(b)) return FALSE;
        for (size_t i = 0; i < LENGTH(a); i++) {
            word part = quick_equal(rt, FIELD(a, i), FIELD(b, i), levels - 1, steps);
            if (part != TRUE) return part;
        }
        return TRUE;
    }
}

static bool is_equal(RT, word a, word b) {
    couples work = {0}, seen = {0};
    bool equal = true;
    size_t steps = 0;
    push_couple(rt, &work, a, b);
    while (equal && work.count > 0) {
        a = work.at[--work.count].a, b = work.at[work.count].b;
        steps++;
        if (SAME(a, b)) continue;
        bool compound = IS_PAIR(a) || IS_VECTOR(a);
        if (compound && steps > PATIENCE && met(rt, &seen, a, b)) continue;
        if (IS_PAIR(a) && IS_PAIR(b)) {
            push_couple(rt, &work, CDR(a), CDR(b));
            push_couple(rt, &work, CAR(a), CAR(b));
        } else if (!IS_OBJECT(a) || !IS_OBJECT(b)) {
            equal = false;
        } else if ((IS_STRING(a) && IS_STRING(b)) || (IS_BYTES(a) && IS_BYTES(b))) {
            equal = same_contents(a, b);
        } else if (IS_VECTOR(a) && IS_VECTOR(b) && LENGTH(a) == LENGTH(b)) {
            for (size_t i = LENGTH(a); i > 0; i--) push_couple(rt, &work, FIELD(a, i - 1), FIELD(b, i - 1));
        } else {
            equal = false;
        }
    }
    release(rt, work.at);
    release(rt, seen.at);
    return equal;
}

word op_equal_p(RT, word a, word b) {
    if (a == b) return TRUE;
    if (IS_FIX(a) || IS_FIX(b) || TAG(a) != TAG(b) || TAG(a) == IMMEDIATE_TAG) return FALSE;
    if (IS_OBJECT(a) && !IS_VECTOR(a)) return BOOL(same_leaves(rt, a, b));
    long steps = QUICK_STEPS;
    word found = quick_equal(rt, a, b, QUICK_LEVELS, &steps);
    return found != ABSENT ? found : BOOL(is_equal(rt, a, b));
}

/* Hashing, as equal_hash in lang/primtable/data.py: the first parts of a datum, each with its kind in
   the low bits; texts by the CRC-32 of their UTF-8. */
enum { HASHED = 1000, TAGGED = 16 };

static uint32_t checked(uint32_t crc, uint8_t byte) {
    static const uint32_t table[16] = {
        0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
        0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c, 0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c,
    };
    crc ^= byte;
    crc = crc >> 4 ^ table[crc & 15];
    return crc >> 4 ^ table[crc & 15];
}

static uint32_t checked_character(uint32_t crc, uint32_t c) {
    if (c < 0x80) return checked(crc, (uint8_t)c);
    if (c < 0x800) return checked(checked(crc, (uint8_t)(0xc0 | c >> 6)), (uint8_t)(0x80 | (c & 0x3f)));
    crc = c < 0x10000 ? checked(crc, (uint8_t)(0xe0 | c >> 12))
                      : checked(checked(crc, (uint8_t)(0xf0 | c >> 18)), (uint8_t)(0x80 | (c >> 12 & 0x3f)));
    return checked(checked(crc, (uint8_t)(0x80 | (c >> 6 & 0x3f))), (uint8_t)(0x80 | (c & 0x3f)));
}

static uword checked_string(word s) {
    uint32_t crc = ~0u;
    for (size_t i = 0; i < COUNT(s); i++) crc = checked_character(crc, string_at(s, i));
    return (uint32_t)~crc;
}

static uword checked_bytes(word b) {
    uint32_t crc = ~0u;
    for (size_t i = 0; i < COUNT(b); i++) crc = checked(crc, DATA(b)[i]);
    return (uint32_t)~crc;
}

static uword hashed_float(word x) {
    double value = flonum_value(x);
    uword bits = 0x7ff8000000000000u;
    if (value == value) memcpy(&bits, &value, sizeof bits);
    return bits * TAGGED + (bits >> 60) * (TAGGED << 8) + 7;
}

static uword hashed_part(word x) {
    if (IS_INTEGER(x)) return (uword)integer_value(x) * TAGGED + 1;
    if (IS_STRING(x)) return checked_string(x) * TAGGED + 2;
    if (IS_SYMBOL(x)) return checked_string(FIELD(x, 0)) * TAGGED + 3;
    if (IS_PAIR(x)) return 4;
    if (IS_VECTOR(x)) return LENGTH(x) * TAGGED + 5;
    if (IS_CHARACTER(x)) return (uword)CODE_POINT(x) * TAGGED + 6;
    if (IS_FLONUM(x)) return hashed_float(x);
    if (IS_BYTES(x)) return checked_bytes(x) * TAGGED + 8;
    if (x == NIL || x == TRUE || x == FALSE) return (x == NIL ? 0u : x == TRUE ? 1u : 2u) * TAGGED + 9;
    return 10;
}

static uword hashed(word x, uword made, size_t *left) {
    for (; *left > 0; x = CDR(x)) {
        --*left;
        made = (made ^ hashed_part(x)) * 0x9e3779b97f4a7c15u;
        made ^= made >> 32;
        if (IS_VECTOR(x))
            for (size_t i = 0; i < LENGTH(x) && *left > 0; i++) made = hashed(FIELD(x, i), made, left);
        if (!IS_PAIR(x)) break;
        made = hashed(CAR(x), made, left);
    }
    return made;
}

word op_equal_hash(RT, word x) {
    (void)rt;
    size_t left = HASHED;
    return FIX(hashed(x, 0, &left) >> 3);
}

word op_not(RT, word x) { return BOOL(x == FALSE); }
word op_boolean_p(RT, word x) { return BOOL(x == TRUE || x == FALSE); }
word op_procedure_p(RT, word x) { return BOOL(IS_CLOSURE(x)); }
bool need_boolean(RT, const char *name, word x) {
    if (x != TRUE && x != FALSE) fail_expected(rt, name, "a boolean", x);
    return x == TRUE;
}

/* Pairs */

word op_cons(RT, word a, word d) { return cons(rt, a, d); }
word op_car(RT, word x) { if (!IS_PAIR(x)) refuse_car(rt, x); return CAR(x); }
word op_cdr(RT, word x) { if (!IS_PAIR(x)) refuse_cdr(rt, x); return CDR(x); }
word op_set_car_x(RT, word x, word value) {
    if (!IS_PAIR(x)) fail_expected(rt, "set-car!", "a pair", x);
    put(rt, &CAR(x), value);
    return UNSPECIFIED;
}
word op_set_cdr_x(RT, word x, word value) {
    if (!IS_PAIR(x)) fail_expected(rt, "set-cdr!", "a pair", x);
    put(rt, &CDR(x), value);
    return UNSPECIFIED;
}
word op_pair_p(RT, word x) { return BOOL(IS_PAIR(x)); }
word op_null_p(RT, word x) { return BOOL(x == NIL); }

/* Vectors */

enum { MAX_VECTOR = 1 << 27 };

word op_vector_p(RT, word x) { return BOOL(IS_VECTOR(x)); }
word op_vector(RT, long count, const word *items) {
    word made = make_object(rt, VECTOR, (size_t)count);
    for (long i = 0; i < count; i++) FIELD(made, i) = items[i];
    return made;
}
word op_make_vector(RT, word size, word fill) {
    size_t count = need_size(rt, "make-vector", size, MAX_VECTOR);
    word item = fill == ABSENT ? UNSPECIFIED : fill, made = make_object(rt, VECTOR, count);
    for (size_t i = 0; i < count; i++) FIELD(made, i) = item;
    return made;
}
static word need_vector(RT, const char *name, word x) {
    if (!IS_VECTOR(x)) fail_expected(rt, name, "a vector", x);
    return x;
}
word op_vector_length(RT, word x) { return FIX(LENGTH(need_vector(rt, "vector-length", x))); }
word op_vector_ref(RT, word x, word index) {
    return FIELD(x, need_index(rt, "vector-ref", index, LENGTH(need_vector(rt, "vector-ref", x)), "index"));
}
word op_vector_set_x(RT, word x, word index, word value) {
    need_vector(rt, "vector-set!", x);
    put(rt, &FIELD(x, need_index(rt, "vector-set!", index, LENGTH(x), "index")), value);
    return UNSPECIFIED;
}

/* Cells, annotations, values */

static word need_cell(RT, const char *name, word x) {
    if (!IS_KIND(x, CELL)) fail_expected(rt, name, "a cell", x);
    return x;
}
word op_make_cell(RT, word x) {
    word made = make_object(rt, CELL, 1);
    FIELD(made, 0) = x;
    return made;
}
word op_make_barrier_cell(RT, word content, word handler, word other) {
    if (!IS_CLOSURE(handler)) fail_expected(rt, "make-barrier-cell", "a procedure", handler);
    if (other != ABSENT && !IS_CLOSURE(other)) fail_expected(rt, "make-barrier-cell", "a procedure", other);
    return op_make_cell(rt, content);
}
word op_cell_ref(RT, word x) { return FIELD(need_cell(rt, "cell-ref", x), 0); }
word op_cell_ref_over_check(RT, word x, word name) {
    word value = FIELD(need_cell(rt, "cell-ref/check", x), 0);
    if (value == UNDEFINED) {
        text t = {.rt = rt};
        text_of_string(&t, FIELD(name, 0));
        text_string(&t, " is used before its definition");
        word message = string_of(rt, t.bytes, t.used);
        text_free(&t);
        word op_error(RT, long count, const word *values);
        op_error(rt, 1, &message);
    }
    return value;
}
word op_cell_set_x(RT, word x, word value) {
    put(rt, &FIELD(need_cell(rt, "cell-set!", x), 0), value);
    return UNSPECIFIED;
}
word op_lift(RT, word x) { return x; }
word op_pct_lift_any(RT, word x) { return x; }
word op_pct_lift_value(RT, word x) { return x; }
word op_pct_lift_data(RT, word x) { return x; }
word op_pct_lift_made(RT, word x) { return x; }
word op_pct_lift_numbers(RT, word x) { return x; }
word op_pct_lift_code(RT, word x) { return x; }
word op_pct_reveal(RT, word x, word family) { return (void)family, x; }
word op_pct_reveal_among(RT, word x, word family, word field) { return (void)family, (void)field, x; }
word op_pct_point(RT, word x) { return x; }
word op_pct_one_of(RT, word x) { return x; }
word op_pct_boxed(RT, word x, word family) { return (void)family, x; }
word op_pct_unboxed(RT, word x, word family) { return (void)family, x; }
word op_pct_rebound(RT, word x, word entry, word rest) { return (void)entry, (void)rest, x; }
word op_known_p(RT, word x) { return (void)x, TRUE; }
word op_known_size_p(RT, word x) { return (void)x, TRUE; }
/* Whether a list is circular (Brent: one mark, moved ever less often). */
static bool is_circular(word x) {
    word rest = x;
    for (long steps = 64;; steps *= 2) {
        word mark = rest;
        for (long i = 0; i < steps; i++) {
            if (!IS_PAIR(rest)) return false;
            rest = CDR(rest);
            if (rest == mark) return true;
        }
    }
}

/* It is an error of the procedure of that name. */
void refuse_circular(RT, const char *name, word x) {
    if (is_circular(x)) fail_expected(rt, name, "a list", x);
}

word op_pct_circular_p(RT, word x) { return BOOL(is_circular(x)); }

word op_pct_finite(RT, word name, word x) {
    char text[32] = "";
    size_t count = COUNT(need_string(rt, "%finite", name));
    if (!is_circular(x)) return x;
    for (size_t k = 0; k < count && k + 1 < sizeof text; k++) text[k] = (char)string_at(name, k);
    fail_expected(rt, text, "a list", x);
}

word op_pct_walked(RT, word name, word x) {
    op_pct_finite(rt, name, x);
    return UNSPECIFIED;
}

word op_pct_constant_vector(RT, word x) { return need_vector(rt, "%constant-vector", x); }
word op_early_different_p(RT, word a, word b) { return BOOL(!SAME(a, b)); }
word op_pct_unspecified(RT) { return UNSPECIFIED; }
word op_pct_undefined(RT) { return UNDEFINED; }

word op_values_p(RT, word x) { return BOOL(IS_KIND(x, VALUES)); }
word op_values_to_list(RT, word x) {
    if (!IS_KIND(x, VALUES)) return cons(rt, x, NIL);
    word made = NIL;
    for (size_t i = LENGTH(x); i > 0; i--) made = cons(rt, FIELD(x, i - 1), made);
    return made;
}

/* Records */

static word need_type(RT, const char *name, word x) {
    if (!IS_KIND(x, RTYPE)) fail_expected(rt, name, "a record type", x);
    return x;
}

word op_make_record(RT, long count, const word *items) {
    int64_t wanted = (int64_t)LENGTH(need_type(rt, "make-record", items[0])) - 2;
    if (count - 1 != wanted)
        fail(rt, "make-record: expected %i field values, got %i", wanted, (int64_t)count - 1);
    word made = make_object(rt, RECORD, (size_t)count);
    for (long i = 0; i < count; i++) FIELD(made, i) = items[i];
    return made;
}
word op_record_is_p(RT, word type, word x) { return BOOL(IS_RECORD(x, type)); }

NORETURN static void refuse_field(RT, word type, size_t field, const char *suffix, word x) {
    text t = {.rt = rt};
    text_of_string(&t, FIELD(type, 1));
    text_add(&t, "", 1);
    text accessor = {.rt = rt};
    text_of_string(&accessor, FIELD(type, field + 2));
    text_add(&accessor, "", 1);
    fail(rt, "%s-%s%s: expected a record of type %s, got %w", t.bytes, accessor.bytes, suffix, t.bytes, x);
}

static size_t field_of(RT, const char *name, const char *suffix, word type, word index, word x) {
    need_type(rt, name, type);
    if (!IS_FIX(index) || (uword)UNFIX(index) >= LENGTH(type) - 2)
        fail_expected(rt, name, "the index of a field", index);
    size_t field = (size_t)UNFIX(index);
    if (!IS_RECORD(x, type)) refuse_field(rt, type, field, suffix, x);
    return field + 1;
}
word op_record_ref(RT, word type, word index, word x) {
    return FIELD(x, field_of(rt, "record-ref", "", type, index, x));
}
word op_record_set_x(RT, word type, word index, word x, word value) {
    put(rt, &FIELD(x, field_of(rt, "record-set!", "-set!", type, index, x)), value);
    return UNSPECIFIED;
}

/* Bytevectors */

static const int64_t MAX_BYTES = (int64_t)1 << 32;

word need_bytes(RT, const char *name, word x, const char *what) {
    if (!IS_BYTES(x)) fail_expected(rt, name, what, x);
    return x;
}
static uint8_t need_byte(RT, const char *name, word x) {
    if (!IS_INTEGER(x)) fail_expected(rt, name, "a byte", x);
    int64_t n = integer_value(x);
    if (n < 0 || n > 255) fail(rt, "%s: %i is no byte (0 to 255)", name, n);
    return (uint8_t)n;
}
static word make_bytes(RT, size_t count) {
    word made = make_object(rt, BYTES, (count + 7) / 8 + 1);
    FIELD(made, 0) = (word)count;
    return made;
}

word bytes_copied(RT, const uint8_t *bytes, size_t count) {
    word made = make_bytes(rt, count);
    memcpy(DATA(made), bytes, count);
    return made;
}

word op_bytevector_p(RT, word x) { return BOOL(IS_BYTES(x)); }
word op_bytevector(RT, long count, const word *items) {
    word made = make_bytes(rt, (size_t)count);
    for (long i = 0; i < count; i++) DATA(made)[i] = need_byte(rt, "bytevector", items[i]);
    return made;
}
word op_make_bytevector(RT, word size, word fill) {
    size_t count = need_size(rt, "make-bytevector", size, MAX_BYTES);
    uint8_t byte = fill == ABSENT ? 0 : need_byte(rt, "make-bytevector", fill);
    word made = make_bytes(rt, count);
    memset(DATA(made), byte, count);
    return made;
}
word op_bytevector_length(RT, word x) {
    return FIX(COUNT(need_bytes(rt, "bytevector-length", x, "a bytevector")));
}
word op_bytevector_u8_ref(RT, word x, word index) {
    need_bytes(rt, "bytevector-u8-ref", x, "a bytevector");
    return FIX(DATA(x)[need_index_of(rt, "bytevector-u8-ref", x, index, COUNT(x), "index")]);
}
word op_bytevector_u8_set_x(RT, word x, word index, word value) {
    need_bytes(rt, "bytevector-u8-set!", x, "a bytevector");
    size_t i = need_index_of(rt, "bytevector-u8-set!", x, index, COUNT(x), "index");
    DATA(x)[i] = need_byte(rt, "bytevector-u8-set!", value);
    return UNSPECIFIED;
}
word op_bytevector_copy(RT, word x, word start, word end) {
    size_t first, last;
    need_bytes(rt, "bytevector-copy", x, "a bytevector");
    need_range(rt, "bytevector-copy", COUNT(x), start, end, &first, &last);
    word made = make_bytes(rt, last - first);
    memcpy(DATA(made), DATA(x) + first, last - first);
    return made;
}
word op_pct_copy_called(RT, word x, word name) {
    word made = op_bytevector_copy(rt, x, FIX(0), ABSENT);
    rt->copies = cons(rt, cons(rt, made, name), rt->copies);
    return made;
}
word op_bytevector_copy_x(RT, word to, word at, word x, word start, word end) {
    const char *name = "bytevector-copy!";
    size_t first, last;
    need_bytes(rt, name, to, "a bytevector"), need_bytes(rt, name, x, "a bytevector");
    need_range(rt, name, COUNT(x), start, end, &first, &last);
    int64_t place = need_integer(rt, name, at), count = (int64_t)(last - first);
    if (place < 0 || place > (int64_t)COUNT(to) - count)
        fail(rt, "%s: %i bytes do not fit at %i of %i", name, count, place, (int64_t)COUNT(to));
    memmove(DATA(to) + place, DATA(x) + first, last - first);
    return UNSPECIFIED;
}
word op_bytevector_fill_x(RT, word to, word value, word start, word end) {
    const char *name = "bytevector-fill!";
    size_t first, last;
    need_range(rt, name, COUNT(need_bytes(rt, name, to, "a bytevector")), start, end, &first, &last);
    memset(DATA(to) + first, need_byte(rt, name, value), last - first);
    return UNSPECIFIED;
}
word op_bytevector_append(RT, long count, const word *parts) {
    size_t total = 0;
    for (long i = 0; i < count; i++)
        total += COUNT(need_bytes(rt, "bytevector-append", parts[i], "a bytevector"));
    word made = make_bytes(rt, total);
    uint8_t *at = DATA(made);
    for (long i = 0; i < count; i++) {
        memcpy(at, DATA(parts[i]), COUNT(parts[i]));
        at += COUNT(parts[i]);
    }
    return made;
}
word op_utf8_to_string(RT, word x, word start, word end) {
    const char *name = "utf8->string";
    size_t first, last, step;
    need_range(rt, name, COUNT(need_bytes(rt, name, x, "a bytevector")), start, end, &first, &last);
    const char *bytes = (const char *)DATA(x);
    uint32_t c;
    for (size_t i = first; i < last; i += step) {
        step = decode(bytes + i, last - i, &c);
        if (step == 0) fail(rt, "%s: no UTF-8 at byte %i", name, (int64_t)i);
    }
    return string_of(rt, bytes + first, last - first);
}
word op_string_to_utf8(RT, word x, word start, word end) {
    size_t first, last;
    need_range(rt, "string->utf8", COUNT(need_string(rt, "string->utf8", x)), start, end, &first, &last);
    text t = {.rt = rt};
    for (size_t i = first; i < last; i++) text_character(&t, string_at(x, i));
    word made = make_bytes(rt, t.used);
    if (t.used) memcpy(DATA(made), t.bytes, t.used);
    text_free(&t);
    return made;
}

/* Memory: little-endian words of rt->word_bytes bytes; the last one may be cut */

static size_t words_of(RT, word buffer) {
    return (COUNT(buffer) + (size_t)rt->word_bytes - 1) / (size_t)rt->word_bytes;
}
static size_t bytes_at(RT, word buffer, size_t at) {
    size_t left = COUNT(buffer) - at, size = (size_t)rt->word_bytes;
    return left < size ? left : size;
}
static size_t word_index(RT, const char *name, word buffer, word index) {
    size_t limit = words_of(rt, buffer);
    return need_index_of(rt, name, buffer, index, limit, "word index") * (size_t)rt->word_bytes;
}
static int64_t load_at(RT, word buffer, size_t at) {
    int64_t made = 0;
    memcpy(&made, DATA(buffer) + at, bytes_at(rt, buffer, at));
    return made;
}
word op_load_word(RT, word buffer, word index) {
    need_bytes(rt, "load-word", buffer, "memory");
    return make_integer(rt, load_at(rt, buffer, word_index(rt, "load-word", buffer, index)));
}
word op_store_word_x(RT, word buffer, word index, word value) {
    need_bytes(rt, "store-word!", buffer, "memory");
    size_t at = word_index(rt, "store-word!", buffer, index);
    int64_t made = need_integer(rt, "store-word!", value);
    memcpy(DATA(buffer) + at, &made, bytes_at(rt, buffer, at));
    return UNSPECIFIED;
}
word op_store_bits_x(RT, word buffer, word index, word mask, word value) {
    const char *name = "store-bits!";
    int64_t bits = need_integer(rt, name, mask), made = need_integer(rt, name, value);
    need_bytes(rt, name, buffer, "memory");
    size_t at = word_index(rt, name, buffer, index);
    made = (load_at(rt, buffer, at) & ~bits) | (made & bits);
    memcpy(DATA(buffer) + at, &made, bytes_at(rt, buffer, at));
    return UNSPECIFIED;
}
word op_buffer_words(RT, word buffer) {
    return FIX(words_of(rt, need_bytes(rt, "buffer-words", buffer, "memory")));
}
word op_assume_disjoint(RT, word a, word b) {
    word both[] = {need_bytes(rt, "assume-disjoint", a, "memory"), need_bytes(rt, "assume-disjoint", b, "memory")};
    return make_values(rt, 2, both);
}
word op_word_size(RT) { return FIX(8 * rt->word_bytes); }
