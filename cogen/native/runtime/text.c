/* Texts, characters, strings and symbols.  Strings are immutable: Latin-1 or four bytes a
   character, the narrowest that holds all; indices count characters. */

#include "inline.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* Texts */

void text_add(text *t, const char *bytes, size_t count) {
    if (t->used + count > t->size) {
        t->size = 2 * (t->used + count) + 64;
        t->bytes = realloc(t->bytes, t->size);
        if (t->bytes == NULL) fail_limit("there is not enough memory");
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
    free(t->bytes);
    *t = (text){0};
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

word make_string_of(size_t count, bool wide) {
    size_t words = (wide ? (count + 1) / 2 : (count + 7) / 8) + 1;
    word made = make_object(wide ? WIDE : STRING, words);
    FIELD(made, 0) = (word)count;
    return made;
}

static void set(word s, size_t i, uint32_t c) {
    if (KIND(s) == STRING) DATA(s)[i] = (uint8_t)c;
    else WIDE_DATA(s)[i] = c;
}

word string_of_characters(const uint32_t *characters, size_t count) {
    uint32_t all = 0;
    for (size_t i = 0; i < count; i++) all |= characters[i];
    word made = make_string_of(count, all > 0xff);
    for (size_t i = 0; i < count; i++) set(made, i, characters[i]);
    return made;
}

/* The string of UTF-8 text. */
word string_of(const char *bytes, size_t used) {
    size_t count = 0, step;
    uint32_t c = 0, all = 0;
    for (size_t i = 0; i < used; i += step, count++) {
        step = decode(bytes + i, used - i, &c);
        if (step == 0) step = 1, c = (uint8_t)bytes[i];
        all |= c;
    }
    word made = make_string_of(count, all > 0xff);
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

static word part(word s, size_t first, size_t last) {
    if (KIND(s) == STRING) {
        word made = make_string_of(last - first, false);
        memcpy(DATA(made), DATA(s) + first, last - first);
        return made;
    }
    return string_of_characters(WIDE_DATA(s) + first, last - first);
}

word need_string(const char *name, word x) {
    if (!IS_STRING(x)) fail_expected(name, "a string", x);
    return x;
}

uint32_t need_character(const char *name, word x) {
    if (!IS_CHARACTER(x)) fail_expected(name, "a character", x);
    return CODE_POINT(x);
}

/* Symbols: never moved, never freed */

static struct { word *slots; size_t mask, count; } symbols;

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

static void more_symbols(void) {
    size_t mask = symbols.mask ? 2 * symbols.mask + 1 : 1023;
    word *slots = calloc(mask + 1, sizeof *slots);
    if (slots == NULL) fail_limit("there is not enough memory");
    for (size_t i = 0; symbols.slots && i <= symbols.mask; i++)
        if (symbols.slots[i]) *symbol_slot(slots, mask, FIELD(symbols.slots[i], 0)) = symbols.slots[i];
    free(symbols.slots);
    symbols.slots = slots;
    symbols.mask = mask;
}

/* The symbol of that name, always the same object. */
word symbol_of(word name) {
    if (2 * symbols.count >= symbols.mask) more_symbols();
    word *slot = symbol_slot(symbols.slots, symbols.mask, name);
    if (*slot) return *slot;
    size_t words = LENGTH(name) + 1;
    word *made = malloc((words + 2) * sizeof *made);
    if (made == NULL) fail_limit("there is not enough memory");
    memcpy(made + 2, OBJECT(name), words * sizeof *made);
    made[0] = HEADER(SYMBOL, 1);
    made[1] = (word)(made + 2) + OBJECT_TAG;
    symbols.count++;
    return *slot = (word)made + OBJECT_TAG;
}

static word need_symbol(const char *name, word x) {
    if (!IS_SYMBOL(x)) fail_expected(name, "a symbol", x);
    return x;
}

word op_symbol_p(word x) { return BOOL(IS_SYMBOL(x)); }
word op_symboleq_p(word a, word b) {
    return BOOL(need_symbol("symbol=?", a) == need_symbol("symbol=?", b));
}
word op_symbol_to_string(word x) { return FIELD(need_symbol("symbol->string", x), 0); }
word op_string_to_symbol(word x) { return symbol_of(need_string("string->symbol", x)); }

/* Characters */

word op_char_p(word x) { return BOOL(IS_CHARACTER(x)); }
word op_char_to_integer(word x) { return FIX(need_character("char->integer", x)); }
word op_integer_to_char(word x) {
    int64_t code = need_integer("integer->char", x);
    if (code < 0 || (code >= 0xd800 && code < 0xe000) || code >= 0x110000)
        fail("integer->char: %i is the code of no character", code);
    return CHARACTER(code);
}

#define CHARACTER_TEST(op, name, property) \
    word op(word x) { return BOOL(has_property(property, need_character(name, x))); }
CHARACTER_TEST(op_char_alphabetic_p, "char-alphabetic?", ALPHABETIC)
CHARACTER_TEST(op_char_numeric_p, "char-numeric?", DECIMAL)
CHARACTER_TEST(op_char_whitespace_p, "char-whitespace?", SPACE)
CHARACTER_TEST(op_char_upper_case_p, "char-upper-case?", UPPER)
CHARACTER_TEST(op_char_lower_case_p, "char-lower-case?", LOWER)

static word changed_character(const char *name, word x, change change) {
    uint32_t made[3], c = need_character(name, x);
    return change_case(change, c, made) == 1 ? CHARACTER(made[0]) : x;
}
word op_char_upcase(word x) { return changed_character("char-upcase", x, TO_UPPER); }
word op_char_downcase(word x) { return changed_character("char-downcase", x, TO_LOWER); }
word op_char_foldcase(word x) { return changed_character("char-foldcase", x, TO_FOLDED); }

word op_digit_value(word x) {
    int value = decimal_value(need_character("digit-value", x));
    return value < 0 ? FALSE : FIX(value);
}

/* Comparison */

typedef struct { uint32_t *at; size_t count, size; } characters;

static void add_character(characters *c, uint32_t x) {
    if (c->count == c->size) {
        c->size = 2 * c->size + 64;
        c->at = realloc(c->at, c->size * sizeof *c->at);
        if (c->at == NULL) fail_limit("there is not enough memory");
    }
    c->at[c->count++] = x;
}

static word taken_characters(characters *c) {
    word made = string_of_characters(c->at, c->count);
    free(c->at);
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

static word changed_string(word s, change change) {
    characters made = {0};
    for (size_t i = 0; i < COUNT(s); i++) {
        uint32_t c = string_at(s, i), parts[3];
        if (change == TO_LOWER && c == 0x3a3) {
            add_character(&made, is_final_sigma(s, i) ? 0x3c2 : 0x3c3);
            continue;
        }
        int count = change_case(change, c, parts);
        for (int k = 0; k < count; k++) add_character(&made, parts[k]);
    }
    return taken_characters(&made);
}

word op_string_upcase(word x) { return changed_string(need_string("string-upcase", x), TO_UPPER); }
word op_string_downcase(word x) {
    return changed_string(need_string("string-downcase", x), TO_LOWER);
}
word op_string_foldcase(word x) {
    return changed_string(need_string("string-foldcase", x), TO_FOLDED);
}

static word folded_character(word x) {
    uint32_t parts[3];
    int count = change_case(TO_FOLDED, CODE_POINT(x), parts);
    return string_of_characters(parts, (size_t)count);
}

static int compare_characters(const char *name, word a, word b) {
    uint32_t c = need_character(name, a), d = need_character(name, b);
    return c < d ? -1 : c > d;
}
static int compare_folded_characters(const char *name, word a, word b) {
    need_character(name, a), need_character(name, b);
    return compare_contents(folded_character(a), folded_character(b));
}
static int compare_strings(const char *name, word a, word b) {
    need_string(name, a), need_string(name, b);
    return a == b ? 0 : compare_contents(a, b);
}
static int compare_folded_strings(const char *name, word a, word b) {
    need_string(name, a), need_string(name, b);
    return compare_contents(changed_string(a, TO_FOLDED), changed_string(b, TO_FOLDED));
}

#define COMPARISONS(op, name, compare) \
    word op##eq_p(word a, word b) { return BOOL(compare(name "=?", a, b) == 0); } \
    word op##lt_p(word a, word b) { return BOOL(compare(name "<?", a, b) < 0); } \
    word op##gt_p(word a, word b) { return BOOL(compare(name ">?", a, b) > 0); } \
    word op##lteq_p(word a, word b) { return BOOL(compare(name "<=?", a, b) <= 0); } \
    word op##gteq_p(word a, word b) { return BOOL(compare(name ">=?", a, b) >= 0); }
COMPARISONS(op_char, "char", compare_characters)
COMPARISONS(op_char_ci, "char-ci", compare_folded_characters)
COMPARISONS(op_string, "string", compare_strings)
COMPARISONS(op_string_ci, "string-ci", compare_folded_strings)

/* Strings */

enum { MAX_STRING = 1 << 30 };

word op_string_p(word x) { return BOOL(IS_STRING(x)); }

static word of_words(const char *name, size_t count, const word *v) {
    uint32_t all = 0;
    for (size_t i = 0; i < count; i++) all |= need_character(name, v[i]);
    word made = make_string_of(count, all > 0xff);
    for (size_t i = 0; i < count; i++) set(made, i, CODE_POINT(v[i]));
    return made;
}

word op_string(long count, const word *v) { return of_words("string", (size_t)count, v); }

word op_make_string(word size, word fill) {
    size_t count = need_size("make-string", size, MAX_STRING);
    uint32_t c = fill == ABSENT ? ' ' : need_character("make-string", fill);
    word made = make_string_of(count, c > 0xff);
    for (size_t i = 0; i < count; i++) set(made, i, c);
    return made;
}

word op_string_length(word x) { return FIX(COUNT(need_string("string-length", x))); }

word op_string_ref(word x, word index) {
    need_string("string-ref", x);
    return CHARACTER(string_at(x, need_index("string-ref", index, COUNT(x), "index")));
}

static word string_part(const char *name, word x, word start, word end) {
    size_t first, last;
    need_range(name, COUNT(need_string(name, x)), start, end, &first, &last);
    return first == 0 && last == COUNT(x) ? x : part(x, first, last);
}

word op_substring(word x, word start, word end) { return string_part("substring", x, start, end); }
word op_string_copy(word x, word start, word end) { return string_part("string-copy", x, start, end); }

word op_string_append(long count, const word *v) {
    size_t total = 0;
    bool wide = false;
    for (long i = 0; i < count; i++) {
        total += COUNT(need_string("string-append", v[i]));
        wide |= KIND(v[i]) == WIDE;
    }
    if (total > MAX_STRING) fail_limit("there is not enough memory");
    word made = make_string_of(total, wide);
    size_t at = 0;
    for (long i = 0; i < count; i++) {
        size_t n = COUNT(v[i]);
        if (!wide) memcpy(DATA(made) + at, DATA(v[i]), n);
        else
            for (size_t k = 0; k < n; k++) WIDE_DATA(made)[at + k] = string_at(v[i], k);
        at += n;
    }
    return made;
}

word op_string_to_list(word x, word start, word end) {
    size_t first, last;
    need_range("string->list", COUNT(need_string("string->list", x)), start, end, &first, &last);
    word made = NIL;
    for (size_t i = last; i > first; i--) made = cons(CHARACTER(string_at(x, i - 1)), made);
    return made;
}

word op_string_to_vector(word x, word start, word end) {
    size_t first, last;
    need_range("string->vector", COUNT(need_string("string->vector", x)), start, end, &first, &last);
    word made = make_object(VECTOR, last - first);
    for (size_t i = first; i < last; i++) FIELD(made, i - first) = CHARACTER(string_at(x, i));
    return made;
}

word op_list_to_string(word x) {
    characters made = {0};
    word rest = x;
    for (; IS_PAIR(rest); rest = CDR(rest)) {
        if (!IS_CHARACTER(CAR(rest))) {
            free(made.at);
            fail_expected("list->string", "a character", CAR(rest));
        }
        add_character(&made, CODE_POINT(CAR(rest)));
    }
    if (rest != NIL) {
        free(made.at);
        fail_expected("list->string", "a list of characters", x);
    }
    return taken_characters(&made);
}

word op_vector_to_string(word x, word start, word end) {
    size_t first, last;
    if (!IS_VECTOR(x)) fail_expected("vector->string", "a vector", x);
    need_range("vector->string", LENGTH(x), start, end, &first, &last);
    return of_words("vector->string", last - first, &FIELD(x, first));
}
