/* Texts, characters, strings and symbols.  Strings are immutable: Latin-1 or four bytes a
   character, the narrowest that holds all; indices count characters.  Those that can be changed have
   four bytes; what is made of them is made of their `content`. */

#include "inline.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* Texts */

void text_add(text *t, const char *bytes, size_t count) {
    runtime *rt = t->rt;
    if (t->used + count > t->size) {
        t->size = 2 * (t->used + count) + 64;
        t->bytes = reallocate(rt, t->bytes, t->size, 1);
    }
    memcpy(t->bytes + t->used, bytes, count);
    t->used += count;
}

void text_string(text *t, const char *s) { text_add(t, s, strlen(s)); }

void text_character(text *t, uint32_t c) {
    char b[4];
    if (c < 0x80) {
        b[0] = (char)c;
        text_add(t, b, 1);
    } else if (c < 0x800) {
        b[0] = (char)(0xc0 | c >> 6), b[1] = (char)(0x80 | (c & 0x3f));
        text_add(t, b, 2);
    } else if (c < 0x10000) {
        b[0] = (char)(0xe0 | c >> 12), b[1] = (char)(0x80 | (c >> 6 & 0x3f));
        b[2] = (char)(0x80 | (c & 0x3f));
        text_add(t, b, 3);
    } else {
        b[0] = (char)(0xf0 | c >> 18), b[1] = (char)(0x80 | (c >> 12 & 0x3f));
        b[2] = (char)(0x80 | (c >> 6 & 0x3f)), b[3] = (char)(0x80 | (c & 0x3f));
        text_add(t, b, 4);
    }
}

void text_integer(text *t, int64_t n) {
    char digits[24];
    text_add(t, digits, (size_t)snprintf(digits, sizeof digits, "%lld", (long long)n));
}

/* %s a C string, %d an int, %i an int64_t, %w a value as messages show it. */
void text_format(text *t, const char *format, va_list list) {
    for (const char *f = format; *f; f++) {
        if (*f != '%') {
            text_add(t, f, 1);
            continue;
        }
        switch (*++f) {
        case 's': text_string(t, va_arg(list, const char *)); break;
        case 'd': text_integer(t, va_arg(list, int)); break;
        case 'i': text_integer(t, va_arg(list, int64_t)); break;
        default: text_brief(t, va_arg(list, word));
        }
    }
}

void text_free(text *t) {
    release(t->rt, t->bytes);
    *t = (text){.rt = t->rt};
}

/* The next character of UTF-8 text; its bytes, 0 where there is none. */
size_t decode(const char *bytes, size_t left, uint32_t *c) {
    const uint8_t *b = (const uint8_t *)bytes;
    if (left == 0) return 0;
    if (b[0] < 0x80) return *c = b[0], 1;
    size_t count = b[0] >= 0xf0 ? 4 : b[0] >= 0xe0 ? 3 : 2;
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    if (b[0] < 0xc2 || b[0] > 0xf4 || count > left) return 0;
    uint32_t made = b[0] & (0xffu >> (count + 1));
    for (size_t i = 1; i < count; i++) {
        if ((b[i] & 0xc0) != 0x80) return 0;
        made = made << 6 | (b[i] & 0x3f);
    }
    if (made < least[count] || made > 0x10ffff || (made >= 0xd800 && made < 0xe000)) return 0;
    return *c = made, count;
}

/* Making strings */

word make_string_of(RT, size_t count, bool wide) {
    size_t words = (wide ? (count + 1) / 2 : (count + 7) / 8) + 1;
    word made = make_object(rt, wide ? WIDE : STRING, words);
    FIELD(made, 0) = (word)count;
    return made;
}

static void set(word s, size_t i, uint32_t c) {
    if (KIND(s) == STRING) DATA(s)[i] = (uint8_t)c;
    else WIDE_DATA(s)[i] = c;
}

word string_of_characters(RT, const uint32_t *characters, size_t count) {
    uint32_t all = 0;
    for (size_t i = 0; i < count; i++) all |= characters[i];
    word made = make_string_of(rt, count, all > 0xff);
    if (all > 0xff) {
        memcpy(WIDE_DATA(made), characters, count * sizeof *characters);
    } else {
        uint8_t *to = DATA(made);
        for (size_t i = 0; i < count; i++) to[i] = (uint8_t)characters[i];
    }
    return made;
}

bool is_ascii(const void *bytes, size_t count) {
    uint8_t all = 0;
    for (size_t i = 0; i < count; i++) all |= ((const uint8_t *)bytes)[i];
    return all < 0x80;
}

/* The string of UTF-8 text. */
word string_of(RT, const char *bytes, size_t used) {
    if (is_ascii(bytes, used)) {
        word made = make_string_of(rt, used, false);
        memcpy(DATA(made), bytes, used);
        return made;
    }
    size_t count = 0, step;
    uint32_t c = 0, all = 0;
    for (size_t i = 0; i < used; i += step, count++) {
        step = decode(bytes + i, used - i, &c);
        if (step == 0) step = 1, c = (uint8_t)bytes[i];
        all |= c;
    }
    word made = make_string_of(rt, count, all > 0xff);
    size_t at = 0;
    for (size_t i = 0; i < used; i += step) {
        step = decode(bytes + i, used - i, &c);
        if (step == 0) step = 1, c = (uint8_t)bytes[i];
        set(made, at++, c);
    }
    return made;
}

void text_of_string(text *t, word s) {
    size_t count = COUNT(s);
    for (size_t i = 0; i < count; i++) text_character(t, string_at(s, i));
}

static word part(RT, word s, size_t first, size_t last) {
    if (KIND(s) == STRING) {
        word made = make_string_of(rt, last - first, false);
        memcpy(DATA(made), DATA(s) + first, last - first);
        return made;
    }
    return string_of_characters(rt, WIDE_DATA(s) + first, last - first);
}

/* The characters that a string has now, as one that does not change. */
static word content(RT, word s) {
    return IS_MUTABLE_STRING(s) ? string_of_characters(rt, WIDE_DATA(s), COUNT(s)) : s;
}

word need_string(RT, const char *name, word x) {
    if (!IS_STRING(x)) fail_expected(rt, name, "a string", x);
    return x;
}

uint32_t need_character(RT, const char *name, word x) {
    if (!IS_CHARACTER(x)) fail_expected(rt, name, "a character", x);
    return CODE_POINT(x);
}

/* Symbols: never moved, never freed */

static int compare_contents(word a, word b) {
    size_t m = COUNT(a), n = COUNT(b), least = m < n ? m : n;
    if (KIND(a) == STRING && KIND(b) == STRING) {
        int found = memcmp(DATA(a), DATA(b), least);
        if (found) return found;
    } else {
        for (size_t i = 0; i < least; i++) {
            uint32_t c = string_at(a, i), d = string_at(b, i);
            if (c != d) return c < d ? -1 : 1;
        }
    }
    return m < n ? -1 : m > n;
}

static size_t hash(word s) {
    uword h = 14695981039346656037u;
    for (size_t i = 0; i < COUNT(s); i++) h = (h ^ string_at(s, i)) * 1099511628211u;
    return (size_t)(h ^ h >> 32);
}

static word *symbol_slot(word *slots, size_t mask, word name) {
    size_t i = hash(name) & mask;
    while (slots[i] && compare_contents(FIELD(slots[i], 0), name) != 0) i = (i + 1) & mask;
    return &slots[i];
}

static void more_symbols(RT) {
    size_t mask = rt->symbols.mask ? 2 * rt->symbols.mask + 1 : 1023;
    word *slots = allocate_block(rt, mask + 1, sizeof *slots);
    for (size_t i = 0; rt->symbols.slots && i <= rt->symbols.mask; i++)
        if (rt->symbols.slots[i]) *symbol_slot(slots, mask, FIELD(rt->symbols.slots[i], 0)) = rt->symbols.slots[i];
    release(rt, rt->symbols.slots);
    keep(rt, slots);
    rt->symbols.slots = slots;
    rt->symbols.mask = mask;
}

/* The symbol of that name, always the same object. */
word symbol_of(RT, word name) {
    if (2 * rt->symbols.count >= rt->symbols.mask) more_symbols(rt);
    word *slot = symbol_slot(rt->symbols.slots, rt->symbols.mask, name);
    if (*slot) return *slot;
    size_t words = LENGTH(name) + 1;
    word *made = allocate_block(rt, words + 2, sizeof *made);
    keep(rt, made);
    memcpy(made + 2, OBJECT(name), words * sizeof *made);
    made[0] = HEADER(SYMBOL, 1);
    made[1] = (word)(made + 2) + OBJECT_TAG;
    rt->symbols.count++;
    return *slot = (word)made + OBJECT_TAG;
}

static word need_symbol(RT, const char *name, word x) {
    if (!IS_SYMBOL(x)) fail_expected(rt, name, "a symbol", x);
    return x;
}

word op_symbol_p(RT, word x) { return BOOL(IS_SYMBOL(x)); }
word op_symboleq_p(RT, word a, word b) {
    return BOOL(need_symbol(rt, "symbol=?", a) == need_symbol(rt, "symbol=?", b));
}
word op_symbol_to_string(RT, word x) { return FIELD(need_symbol(rt, "symbol->string", x), 0); }
word op_string_to_symbol(RT, word x) {
    return symbol_of(rt, content(rt, need_string(rt, "string->symbol", x)));
}

/* Characters */

word op_char_p(RT, word x) { return BOOL(IS_CHARACTER(x)); }
word op_char_to_integer(RT, word x) { return FIX(need_character(rt, "char->integer", x)); }
word op_integer_to_char(RT, word x) {
    int64_t code = need_integer(rt, "integer->char", x);
    if (code < 0 || (code >= 0xd800 && code < 0xe000) || code >= 0x110000)
        fail(rt, "integer->char: %i is the code of no character", code);
    return CHARACTER(code);
}

#define CHARACTER_TEST(op, name, property) \
    word op(RT, word x) { return BOOL(has_property(property, need_character(rt, name, x))); }
CHARACTER_TEST(op_char_alphabetic_p, "char-alphabetic?", ALPHABETIC)
CHARACTER_TEST(op_char_numeric_p, "char-numeric?", DECIMAL)
CHARACTER_TEST(op_char_whitespace_p, "char-whitespace?", SPACE)
CHARACTER_TEST(op_char_upper_case_p, "char-upper-case?", UPPER)
CHARACTER_TEST(op_char_lower_case_p, "char-lower-case?", LOWER)

static word changed_character(RT, const char *name, word x, change change) {
    uint32_t made[3], c = need_character(rt, name, x);
    return change_case(change, c, made) == 1 ? CHARACTER(made[0]) : x;
}
word op_char_upcase(RT, word x) { return changed_character(rt, "char-upcase", x, TO_UPPER); }
word op_char_downcase(RT, word x) { return changed_character(rt, "char-downcase", x, TO_LOWER); }
word op_char_foldcase(RT, word x) { return changed_character(rt, "char-foldcase", x, TO_FOLDED); }

word op_digit_value(RT, word x) {
    int value = decimal_value(need_character(rt, "digit-value", x));
    return value < 0 ? FALSE : FIX(value);
}

/* Comparison */

/* Characters that are put together: `few` as long as they have room there. */
enum { FEW_CHARACTERS = 64 };
typedef struct { uint32_t *at; size_t count, size; uint32_t few[FEW_CHARACTERS]; } characters;

static inline void no_characters(characters *c) {
    c->at = c->few;
    c->count = 0;
    c->size = FEW_CHARACTERS;
}

__attribute__((noinline)) static void more_room(RT, characters *c) {
    bool first = c->at == c->few;
    c->size *= 2;
    c->at = reallocate(rt, first ? NULL : c->at, c->size, sizeof *c->at);
    if (first) memcpy(c->at, c->few, sizeof c->few);
}

static inline void add_character(RT, characters *c, uint32_t x) {
    if (UNLIKELY(c->count == c->size)) more_room(rt, c);
    c->at[c->count++] = x;
}

static void release_characters(RT, characters *c) {
    if (c->at != c->few) release(rt, c->at);
}

static word taken_characters(RT, characters *c) {
    word made = string_of_characters(rt, c->at, c->count);
    release_characters(rt, c);
    return made;
}

/* A sigma at the end of a word has a form of its own. */
static bool is_final_sigma(word s, size_t i) {
    size_t before = i, after = i + 1;
    while (before > 0 && has_property(CASE_IGNORABLE, string_at(s, before - 1))) before--;
    if (before == 0 || !has_property(CASED, string_at(s, before - 1))) return false;
    while (after < COUNT(s) && has_property(CASE_IGNORABLE, string_at(s, after))) after++;
    return after == COUNT(s) || !has_property(CASED, string_at(s, after));
}

static word changed_string(RT, word s, change change) {
    characters made;
    no_characters(&made);
    for (size_t i = 0; i < COUNT(s); i++) {
        uint32_t c = string_at(s, i), parts[3];
        if (change == TO_LOWER && c == 0x3a3) {
            add_character(rt, &made, is_final_sigma(s, i) ? 0x3c2 : 0x3c3);
            continue;
        }
        int count = change_case(change, c, parts);
        for (int k = 0; k < count; k++) add_character(rt, &made, parts[k]);
    }
    return taken_characters(rt, &made);
}

word op_string_upcase(RT, word x) { return changed_string(rt, need_string(rt, "string-upcase", x), TO_UPPER); }
word op_string_downcase(RT, word x) {
    return changed_string(rt, need_string(rt, "string-downcase", x), TO_LOWER);
}
word op_string_foldcase(RT, word x) {
    return changed_string(rt, need_string(rt, "string-foldcase", x), TO_FOLDED);
}

static word folded_character(RT, word x) {
    uint32_t parts[3];
    int count = change_case(TO_FOLDED, CODE_POINT(x), parts);
    return string_of_characters(rt, parts, (size_t)count);
}

static int compare_characters(RT, const char *name, word a, word b) {
    uint32_t c = need_character(rt, name, a), d = need_character(rt, name, b);
    return c < d ? -1 : c > d;
}
static int compare_folded_characters(RT, const char *name, word a, word b) {
    need_character(rt, name, a), need_character(rt, name, b);
    return compare_contents(folded_character(rt, a), folded_character(rt, b));
}
static int compare_strings(RT, const char *name, word a, word b) {
    need_string(rt, name, a), need_string(rt, name, b);
    return a == b ? 0 : compare_contents(a, b);
}
static int compare_folded_strings(RT, const char *name, word a, word b) {
    need_string(rt, name, a), need_string(rt, name, b);
    return compare_contents(changed_string(rt, a, TO_FOLDED), changed_string(rt, b, TO_FOLDED));
}

#define COMPARISONS(op, name, compare) \
    word op##eq_p(RT, word a, word b) { return BOOL(compare(rt, name "=?", a, b) == 0); } \
    word op##lt_p(RT, word a, word b) { return BOOL(compare(rt, name "<?", a, b) < 0); } \
    word op##gt_p(RT, word a, word b) { return BOOL(compare(rt, name ">?", a, b) > 0); } \
    word op##lteq_p(RT, word a, word b) { return BOOL(compare(rt, name "<=?", a, b) <= 0); } \
    word op##gteq_p(RT, word a, word b) { return BOOL(compare(rt, name ">=?", a, b) >= 0); }
COMPARISONS(op_char, "char", compare_characters)
COMPARISONS(op_char_ci, "char-ci", compare_folded_characters)
COMPARISONS(op_string, "string", compare_strings)
COMPARISONS(op_string_ci, "string-ci", compare_folded_strings)

/* Strings */

enum { MAX_STRING = 1 << 30 };

word op_string_p(RT, word x) { return BOOL(IS_STRING(x)); }

static word of_words(RT, const char *name, size_t count, const word *v) {
    uint32_t all = 0;
    for (size_t i = 0; i < count; i++) all |= need_character(rt, name, v[i]);
    word made = make_string_of(rt, count, all > 0xff);
    if (all > 0xff) for (size_t i = 0; i < count; i++) WIDE_DATA(made)[i] = CODE_POINT(v[i]);
    else for (size_t i = 0; i < count; i++) DATA(made)[i] = (uint8_t)CODE_POINT(v[i]);
    return made;
}

word op_string(RT, long count, const word *v) { return of_words(rt, "string", (size_t)count, v); }

word op_make_string(RT, word size, word fill) {
    size_t count = need_size(rt, "make-string", size, MAX_STRING);
    uint32_t c = fill == ABSENT ? ' ' : need_character(rt, "make-string", fill);
    word made = make_string_of(rt, count, c > 0xff);
    for (size_t i = 0; i < count; i++) set(made, i, c);
    return made;
}

word op_string_length(RT, word x) { return FIX(COUNT(need_string(rt, "string-length", x))); }

word op_string_ref(RT, word x, word index) {
    need_string(rt, "string-ref", x);
    return CHARACTER(string_at(x, need_index(rt, "string-ref", index, COUNT(x), "index")));
}

static word string_part(RT, const char *name, word x, word start, word end) {
    size_t first, last;
    need_range(rt, name, COUNT(need_string(rt, name, x)), start, end, &first, &last);
    return first == 0 && last == COUNT(x) ? content(rt, x) : part(rt, x, first, last);
}

word op_substring(RT, word x, word start, word end) { return string_part(rt, "substring", x, start, end); }
word op_string_copy(RT, word x, word start, word end) { return string_part(rt, "string-copy", x, start, end); }

/* Whether a wide string holds Latin-1 characters alone, as one that can be changed may. */
static bool is_narrow(word s) {
    if (!IS_MUTABLE(s)) return false;
    uint32_t all = 0;
    for (size_t i = 0; i < COUNT(s); i++) all |= WIDE_DATA(s)[i];
    return all <= 0xff;
}

word op_string_append(RT, long count, const word *v) {
    size_t total = 0;
    bool wide = false;
    for (long i = 0; i < count; i++) {
        total += COUNT(need_string(rt, "string-append", v[i]));
        wide |= KIND(v[i]) == WIDE && !is_narrow(v[i]);
    }
    if (total > MAX_STRING) out_of_memory(rt);
    word made = make_string_of(rt, total, wide);
    size_t at = 0;
    for (long i = 0; i < count; i++) {
        size_t n = COUNT(v[i]);
        if (!wide && KIND(v[i]) == STRING) memcpy(DATA(made) + at, DATA(v[i]), n);
        else if (!wide)
            for (size_t k = 0; k < n; k++) DATA(made)[at + k] = (uint8_t)WIDE_DATA(v[i])[k];
        else
            for (size_t k = 0; k < n; k++) WIDE_DATA(made)[at + k] = string_at(v[i], k);
        at += n;
    }
    return made;
}

word op_string_to_list(RT, word x, word start, word end) {
    size_t first, last;
    need_range(rt, "string->list", COUNT(need_string(rt, "string->list", x)), start, end, &first, &last);
    word made = NIL;
    for (size_t i = last; i > first; i--) made = cons(rt, CHARACTER(string_at(x, i - 1)), made);
    return made;
}

word op_string_to_vector(RT, word x, word start, word end) {
    size_t first, last;
    need_range(rt, "string->vector", COUNT(need_string(rt, "string->vector", x)), start, end, &first, &last);
    word made = make_object(rt, VECTOR, last - first);
    for (size_t i = first; i < last; i++) FIELD(made, i - first) = CHARACTER(string_at(x, i));
    return made;
}

word op_list_to_string(RT, word x) {
    characters made;
    no_characters(&made);
    word rest = x;
    refuse_circular(rt, "list->string", x);
    for (; IS_PAIR(rest); rest = CDR(rest)) {
        if (!IS_CHARACTER(CAR(rest))) {
            release_characters(rt, &made);
            fail_expected(rt, "list->string", "a character", CAR(rest));
        }
        add_character(rt, &made, CODE_POINT(CAR(rest)));
    }
    if (rest != NIL) {
        release_characters(rt, &made);
        fail_expected(rt, "list->string", "a list of characters", x);
    }
    return taken_characters(rt, &made);
}

word op_vector_to_string(RT, word x, word start, word end) {
    size_t first, last;
    if (!IS_VECTOR(x)) fail_expected(rt, "vector->string", "a vector", x);
    need_range(rt, "vector->string", LENGTH(x), start, end, &first, &last);
    return of_words(rt, "vector->string", last - first, &FIELD(x, first));
}

/* Strings that can be changed */

word op_pct_fresh_string(RT, word x) {
    size_t count = COUNT(need_string(rt, "%fresh-string", x));
    word made = make_string_of(rt, count, true);
    OBJECT(made)[0] |= MUTABLE;
    uint32_t *to = WIDE_DATA(made);
    if (KIND(x) == WIDE) memcpy(to, WIDE_DATA(x), count * sizeof *to);
    else for (size_t i = 0; i < count; i++) to[i] = DATA(x)[i];
    return made;
}

/* The same of a string that nobody else has, unless it is `from`: where it is the last object that was
   made, it grows in its place. */
word own_string(RT, word x, word from) {
    word *made = OBJECT(x);
    size_t words = LENGTH(x), count = COUNT(x), wide = (count + 1) / 2 + 1;
    if (x == from || made + 1 + words != rt->hp || made + 1 + wide > rt->heap_limit) return op_pct_fresh_string(rt, x);
    if (KIND(x) == STRING) {
        for (size_t i = count; i > 0; i--) WIDE_DATA(x)[i - 1] = DATA(x)[i - 1];
        made[0] = HEADER(WIDE, wide);
        rt->hp = made + 1 + wide;
    }
    made[0] |= MUTABLE;
    return x;
}

word op_pct_string_content(RT, word name, word x) {
    if (IS_STRING(x)) return content(rt, x);
    char text[40];
    size_t count = COUNT(name) < sizeof text ? COUNT(name) : sizeof text - 1;
    for (size_t i = 0; i < count; i++) text[i] = (char)string_at(name, i);
    text[count] = 0;
    fail_expected(rt, text, "a string", x);
}

word op_pct_string_ref(RT, word x, word index) { return op_string_ref(rt, x, index); }

static word need_mutable(RT, const char *name, word x) {
    if (IS_MUTABLE_STRING(need_string(rt, name, x))) return x;
    fail_expected(rt, name, "a string that can be changed, not a constant", x);
}

word op_string_set_x(RT, word x, word index, word c) {
    const char *name = "string-set!";
    need_mutable(rt, name, x);
    size_t at = need_index(rt, name, index, COUNT(x), "index");
    WIDE_DATA(x)[at] = need_character(rt, name, c);
    return UNSPECIFIED;
}

word op_string_fill_x(RT, word x, word c, word start, word end) {
    const char *name = "string-fill!";
    need_mutable(rt, name, x);
    uint32_t fill = need_character(rt, name, c);
    size_t first, last;
    need_range(rt, name, COUNT(x), start, end, &first, &last);
    for (size_t i = first; i < last; i++) WIDE_DATA(x)[i] = fill;
    return UNSPECIFIED;
}

word op_string_copy_x(RT, word to, word at, word from, word start, word end) {
    const char *name = "string-copy!";
    need_mutable(rt, name, to), need_string(rt, name, from);
    size_t first, last;
    need_range(rt, name, COUNT(from), start, end, &first, &last);
    int64_t position = need_integer(rt, name, at), size = (int64_t)COUNT(to), n = (int64_t)(last - first);
    if (position < 0 || position > size - n)
        fail(rt, "string-copy!: %i characters do not fit at %i of %i", n, position, size);
    if (KIND(from) == WIDE) memmove(WIDE_DATA(to) + position, WIDE_DATA(from) + first, 4 * (last - first));
    else
        for (size_t i = first; i < last; i++) WIDE_DATA(to)[(size_t)position + i - first] = DATA(from)[i];
    return UNSPECIFIED;
}
