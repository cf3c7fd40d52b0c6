/* Equivalence, pairs, vectors, cells, records, bytevectors and memory: what compiled code does
   not do in line, as lang/primtable/data.py and memory.py define it. */

#include "inline.h"

#include <stdlib.h>

/* Equivalence */

word op_eq_p(word a, word b) { return BOOL(SAME(a, b)); }
word op_eqv_p(word a, word b) { return BOOL(SAME(a, b)); }
word op_earlyeq(word a, word b) { return BOOL(SAME(a, b)); }

typedef struct { word a, b; } couple;
typedef struct { couple *at; size_t count, size; } couples;

static void push_couple(couples *c, word a, word b) {
    if (c->count == c->size) {
        c->size = c->size ? 2 * c->size : 64;
        c->at = realloc(c->at, c->size * sizeof *c->at);
        if (c->at == NULL) fail_limit("there is not enough memory");
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

static bool met(couples *seen, word a, word b) {
    if (2 * seen->count >= seen->size) {
        couples bigger = {calloc(seen->size ? 2 * seen->size : 1024, sizeof(couple)), seen->count,
                          seen->size ? 2 * seen->size : 1024};
        if (bigger.at == NULL) fail_limit("there is not enough memory");
        for (size_t i = 0; i < seen->size; i++)
            if (seen->at[i].a) bigger.at[place_of(&bigger, seen->at[i].a, seen->at[i].b)] = seen->at[i];
        free(seen->at);
        *seen = bigger;
    }
    size_t i = place_of(seen, a, b);
    if (seen->at[i].a) return true;
    seen->at[i] = (couple){a, b};
    seen->count++;
    return false;
}

bool same_contents(word a, word b) {
    if (COUNT(a) != COUNT(b) || KIND(a) != KIND(b)) return false;
    return memcmp(DATA(a), DATA(b), KIND(a) == WIDE ? 4 * COUNT(a) : COUNT(a)) == 0;
}

static bool is_equal(word a, word b) {
    couples work = {0}, seen = {0};
    bool equal = true;
    size_t steps = 0;
    push_couple(&work, a, b);
    while (equal && work.count > 0) {
        a = work.at[--work.count].a, b = work.at[work.count].b;
        steps++;
        if (SAME(a, b)) continue;
        bool compound = IS_PAIR(a) || IS_VECTOR(a);
        if (compound && steps > PATIENCE && met(&seen, a, b)) continue;
        if (IS_PAIR(a) && IS_PAIR(b)) {
            push_couple(&work, CDR(a), CDR(b));
            push_couple(&work, CAR(a), CAR(b));
        } else if (!IS_OBJECT(a) || !IS_OBJECT(b)) {
            equal = false;
        } else if ((IS_STRING(a) && IS_STRING(b)) || (IS_BYTES(a) && IS_BYTES(b))) {
            equal = same_contents(a, b);
        } else if (IS_VECTOR(a) && IS_VECTOR(b) && LENGTH(a) == LENGTH(b)) {
            for (size_t i = LENGTH(a); i > 0; i--) push_couple(&work, FIELD(a, i - 1), FIELD(b, i - 1));
        } else {
            equal = false;
        }
    }
    free(work.at);
    free(seen.at);
    return equal;
}

word op_equal_p(word a, word b) {
    if (SAME(a, b)) return TRUE;
    if (IS_FIX(a) || IS_FIX(b) || TAG(a) != TAG(b) || TAG(a) == IMMEDIATE_TAG) return FALSE;
    if (IS_OBJECT(a) && IS_SYMBOL(a)) return FALSE;
    return BOOL(is_equal(a, b));
}

word op_not(word x) { return BOOL(x == FALSE); }
word op_boolean_p(word x) { return BOOL(x == TRUE || x == FALSE); }
word op_procedure_p(word x) { return BOOL(IS_CLOSURE(x)); }
static word need_boolean(word x) {
    if (x != TRUE && x != FALSE) fail_expected("boolean=?", "a boolean", x);
    return x;
}
word op_booleaneq_p(word a, word b) {
    need_boolean(a);
    return BOOL(a == need_boolean(b));
}

/* Pairs */

word op_cons(word a, word d) { return cons(a, d); }
word op_car(word x) { if (!IS_PAIR(x)) refuse_car(x); return CAR(x); }
word op_cdr(word x) { if (!IS_PAIR(x)) refuse_cdr(x); return CDR(x); }
word op_set_car_x(word x, word value) {
    if (!IS_PAIR(x)) fail_expected("set-car!", "a pair", x);
    put(&CAR(x), value);
    return UNSPECIFIED;
}
word op_set_cdr_x(word x, word value) {
    if (!IS_PAIR(x)) fail_expected("set-cdr!", "a pair", x);
    put(&CDR(x), value);
    return UNSPECIFIED;
}
word op_pair_p(word x) { return BOOL(IS_PAIR(x)); }
word op_null_p(word x) { return BOOL(x == NIL); }

/* Vectors */

enum { MAX_VECTOR = 1 << 27 };

word op_vector_p(word x) { return BOOL(IS_VECTOR(x)); }
word op_vector(long count, const word *items) {
    word made = make_object(VECTOR, (size_t)count);
    for (long i = 0; i < count; i++) FIELD(made, i) = items[i];
    return made;
}
word op_make_vector(word size, word fill) {
    size_t count = need_size("make-vector", size, MAX_VECTOR);
    word item = fill == ABSENT ? UNSPECIFIED : fill, made = make_object(VECTOR, count);
    for (size_t i = 0; i < count; i++) FIELD(made, i) = item;
    return made;
}
static word need_vector(const char *name, word x) {
    if (!IS_VECTOR(x)) fail_expected(name, "a vector", x);
    return x;
}
word op_vector_length(word x) { return FIX(LENGTH(need_vector("vector-length", x))); }
word op_vector_ref(word x, word index) {
    return FIELD(x, need_index("vector-ref", index, LENGTH(need_vector("vector-ref", x)), "index"));
}
word op_vector_set_x(word x, word index, word value) {
    need_vector("vector-set!", x);
    put(&FIELD(x, need_index("vector-set!", index, LENGTH(x), "index")), value);
    return UNSPECIFIED;
}

/* Cells, annotations, values */

static word need_cell(const char *name, word x) {
    if (!IS_KIND(x, CELL)) fail_expected(name, "a cell", x);
    return x;
}
word op_make_cell(word x) {
    word made = make_object(CELL, 1);
    FIELD(made, 0) = x;
    return made;
}
word op_make_barrier_cell(word content, word handler, word other) {
    if (!IS_CLOSURE(handler)) fail_expected("make-barrier-cell", "a procedure", handler);
    if (other != ABSENT && !IS_CLOSURE(other)) fail_expected("make-barrier-cell", "a procedure", other);
    return op_make_cell(content);
}
word op_cell_ref(word x) { return FIELD(need_cell("cell-ref", x), 0); }
word op_cell_ref_over_check(word x, word name) {
    word value = FIELD(need_cell("cell-ref/check", x), 0);
    if (value == UNDEFINED) {
        text t = {0};
        text_of_string(&t, FIELD(name, 0));
        text_string(&t, " is used before its definition");
        word message = string_of(t.bytes, t.used);
        text_free(&t);
        word op_error(long count, const word *values);
        op_error(1, &message);
    }
    return value;
}
word op_cell_set_x(word x, word value) {
    put(&FIELD(need_cell("cell-set!", x), 0), value);
    return UNSPECIFIED;
}
word op_lift(word x) { return x; }
word op_known_p(word x) { return (void)x, TRUE; }
word op_known_size_p(word x) { return (void)x, TRUE; }
word op_pct_constant_vector(word x) { return need_vector("%constant-vector", x); }
word op_early_different_p(word a, word b) { return BOOL(!SAME(a, b)); }
word op_pct_unspecified(void) { return UNSPECIFIED; }
word op_pct_undefined(void) { return UNDEFINED; }

word op_values_p(word x) { return BOOL(IS_KIND(x, VALUES)); }
word op_values_to_list(word x) {
    if (!IS_KIND(x, VALUES)) return cons(x, NIL);
    word made = NIL;
    for (size_t i = LENGTH(x); i > 0; i--) made = cons(FIELD(x, i - 1), made);
    return made;
}

/* Records */

static word need_type(const char *name, word x) {
    if (!IS_KIND(x, RTYPE)) fail_expected(name, "a record type", x);
    return x;
}

word op_make_record(long count, const word *items) {
    int64_t wanted = (int64_t)LENGTH(need_type("make-record", items[0])) - 2;
    if (count - 1 != wanted)
        fail("make-record: expected %i field values, got %i", wanted, (int64_t)count - 1);
    word made = make_object(RECORD, (size_t)count);
    for (long i = 0; i < count; i++) FIELD(made, i) = items[i];
    return made;
}
word op_record_is_p(word type, word x) { return BOOL(IS_RECORD(x, type)); }

NORETURN static void refuse_field(word type, size_t field, const char *suffix, word x) {
    text t = {0};
    text_of_string(&t, FIELD(type, 1));
    text_add(&t, "", 1);
    text accessor = {0};
    text_of_string(&accessor, FIELD(type, field + 2));
    text_add(&accessor, "", 1);
    fail("%s-%s%s: expected a record of type %s, got %w", t.bytes, accessor.bytes, suffix, t.bytes, x);
}

static size_t field_of(const char *name, const char *suffix, word type, word index, word x) {
    need_type(name, type);
    if (!IS_FIX(index) || (uword)UNFIX(index) >= LENGTH(type) - 2)
        fail_expected(name, "the index of a field", index);
    size_t field = (size_t)UNFIX(index);
    if (!IS_RECORD(x, type)) refuse_field(type, field, suffix, x);
    return field + 1;
}
word op_record_ref(word type, word index, word x) {
    return FIELD(x, field_of("record-ref", "", type, index, x));
}
word op_record_set_x(word type, word index, word x, word value) {
    put(&FIELD(x, field_of("record-set!", "-set!", type, index, x)), value);
    return UNSPECIFIED;
}

/* Bytevectors */

static const int64_t MAX_BYTES = (int64_t)1 << 32;

static word need_bytes(const char *name, word x, const char *what) {
    if (!IS_BYTES(x)) fail_expected(name, what, x);
    return x;
}
static uint8_t need_byte(const char *name, word x) {
    if (!IS_INTEGER(x)) fail_expected(name, "a byte", x);
    int64_t n = integer_value(x);
    if (n < 0 || n > 255) fail("%s: %i is no byte (0 to 255)", name, n);
    return (uint8_t)n;
}
static word make_bytes(size_t count) {
    word made = make_object(BYTES, (count + 7) / 8 + 1);
    FIELD(made, 0) = (word)count;
    return made;
}

word op_bytevector_p(word x) { return BOOL(IS_BYTES(x)); }
word op_bytevector(long count, const word *items) {
    word made = make_bytes((size_t)count);
    for (long i = 0; i < count; i++) DATA(made)[i] = need_byte("bytevector", items[i]);
    return made;
}
word op_make_bytevector(word size, word fill) {
    size_t count = need_size("make-bytevector", size, MAX_BYTES);
    uint8_t byte = fill == ABSENT ? 0 : need_byte("make-bytevector", fill);
    word made = make_bytes(count);
    memset(DATA(made), byte, count);
    return made;
}
word op_bytevector_length(word x) {
    return FIX(COUNT(need_bytes("bytevector-length", x, "a bytevector")));
}
word op_bytevector_u8_ref(word x, word index) {
    need_bytes("bytevector-u8-ref", x, "a bytevector");
    return FIX(DATA(x)[need_index("bytevector-u8-ref", index, COUNT(x), "index")]);
}
word op_bytevector_u8_set_x(word x, word index, word value) {
    need_bytes("bytevector-u8-set!", x, "a bytevector");
    size_t i = need_index("bytevector-u8-set!", index, COUNT(x), "index");
    DATA(x)[i] = need_byte("bytevector-u8-set!", value);
    return UNSPECIFIED;
}
word op_bytevector_copy(word x, word start, word end) {
    size_t first, last;
    need_bytes("bytevector-copy", x, "a bytevector");
    need_range("bytevector-copy", COUNT(x), start, end, &first, &last);
    word made = make_bytes(last - first);
    memcpy(DATA(made), DATA(x) + first, last - first);
    return made;
}
word op_bytevector_copy_x(word to, word at, word x, word start, word end) {
    const char *name = "bytevector-copy!";
    size_t first, last;
    need_bytes(name, to, "a bytevector"), need_bytes(name, x, "a bytevector");
    need_range(name, COUNT(x), start, end, &first, &last);
    int64_t place = need_integer(name, at), count = (int64_t)(last - first);
    if (place < 0 || place > (int64_t)COUNT(to) - count)
        fail("%s: %i bytes do not fit at %i of %i", name, count, place, (int64_t)COUNT(to));
    memmove(DATA(to) + place, DATA(x) + first, last - first);
    return UNSPECIFIED;
}
word op_bytevector_fill_x(word to, word value, word start, word end) {
    const char *name = "bytevector-fill!";
    size_t first, last;
    need_range(name, COUNT(need_bytes(name, to, "a bytevector")), start, end, &first, &last);
    memset(DATA(to) + first, need_byte(name, value), last - first);
    return UNSPECIFIED;
}
word op_bytevector_append(long count, const word *parts) {
    size_t total = 0;
    for (long i = 0; i < count; i++)
        total += COUNT(need_bytes("bytevector-append", parts[i], "a bytevector"));
    word made = make_bytes(total);
    uint8_t *at = DATA(made);
    for (long i = 0; i < count; i++) {
        memcpy(at, DATA(parts[i]), COUNT(parts[i]));
        at += COUNT(parts[i]);
    }
    return made;
}
word op_utf8_to_string(word x, word start, word end) {
    const char *name = "utf8->string";
    size_t first, last, step;
    need_range(name, COUNT(need_bytes(name, x, "a bytevector")), start, end, &first, &last);
    const char *bytes = (const char *)DATA(x);
    uint32_t c;
    for (size_t i = first; i < last; i += step) {
        step = decode(bytes + i, last - i, &c);
        if (step == 0) fail("%s: no UTF-8 at byte %i", name, (int64_t)i);
    }
    return string_of(bytes + first, last - first);
}
word op_string_to_utf8(word x, word start, word end) {
    size_t first, last;
    need_range("string->utf8", COUNT(need_string("string->utf8", x)), start, end, &first, &last);
    text t = {0};
    for (size_t i = first; i < last; i++) text_character(&t, string_at(x, i));
    word made = make_bytes(t.used);
    if (t.used) memcpy(DATA(made), t.bytes, t.used);
    text_free(&t);
    return made;
}

/* Memory: little-endian words of rt.word_bytes bytes; the last one may be cut */

static size_t words_of(word buffer) {
    return (COUNT(buffer) + (size_t)rt.word_bytes - 1) / (size_t)rt.word_bytes;
}
static size_t bytes_at(word buffer, size_t at) {
    size_t left = COUNT(buffer) - at, size = (size_t)rt.word_bytes;
    return left < size ? left : size;
}
static size_t word_index(const char *name, word buffer, word index) {
    return need_index(name, index, words_of(buffer), "word index") * (size_t)rt.word_bytes;
}
static int64_t load_at(word buffer, size_t at) {
    int64_t made = 0;
    memcpy(&made, DATA(buffer) + at, bytes_at(buffer, at));
    return made;
}
word op_load_word(word buffer, word index) {
    need_bytes("load-word", buffer, "memory");
    return make_integer(load_at(buffer, word_index("load-word", buffer, index)));
}
word op_store_word_x(word buffer, word index, word value) {
    need_bytes("store-word!", buffer, "memory");
    size_t at = word_index("store-word!", buffer, index);
    int64_t made = need_integer("store-word!", value);
    memcpy(DATA(buffer) + at, &made, bytes_at(buffer, at));
    return UNSPECIFIED;
}
word op_store_bits_x(word buffer, word index, word mask, word value) {
    const char *name = "store-bits!";
    int64_t bits = need_integer(name, mask), made = need_integer(name, value);
    need_bytes(name, buffer, "memory");
    size_t at = word_index(name, buffer, index);
    made = (load_at(buffer, at) & ~bits) | (made & bits);
    memcpy(DATA(buffer) + at, &made, bytes_at(buffer, at));
    return UNSPECIFIED;
}
word op_buffer_words(word buffer) {
    return FIX(words_of(need_bytes("buffer-words", buffer, "memory")));
}
word op_assume_disjoint(word a, word b) {
    word both[] = {need_bytes("assume-disjoint", a, "memory"), need_bytes("assume-disjoint", b, "memory")};
    return make_values(2, both);
}
word op_word_size(void) { return FIX(8 * rt.word_bytes); }
