/* Text -> data: the reader, as lang/lexical.py and lang/reader.py define it.

   The reader takes one datum at a time from an array of characters; nesting takes memory, no C
   stack.  What is wrong is described in `reading.error`. */

#include "inline.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_DEPTH = 100000 };

word op_string_foldcase(RT, word x);

typedef struct {
    word *items;
    size_t count, size, dot;
    const uint32_t *start, *end, *dot_at;
    word label;
    size_t labels; /* how many there were before */
    char kind;
} open_datum;
/* A label: what stands in the places that refer to it, a cell of which the content is its datum. */
typedef struct { int64_t number; word cell; } datum_label;
typedef struct {
    open_datum *at;
    size_t count, size;
    datum_label *labels; /* of the outermost datum */
    size_t label_count, label_size;
    bool refers; /* a label is referred to */
} nest;

static bool wrong(reading *r, const char *format, ...) {
    text t = {.rt = r->rt};
    va_list list;
    va_start(list, format);
    text_format(&t, format, list);
    va_end(list);
    size_t used = t.used < sizeof r->message - 1 ? t.used : sizeof r->message - 1;
    memcpy(r->message, t.bytes, used);
    r->message[used] = 0;
    text_free(&t);
    r->error = r->message;
    return false;
}

/* What characters of ASCII are to words: spaces, other ends of words, not allowed in symbols. */
enum { BLANK = 1, DELIMITS = 2, ODD = 4 };
static const uint8_t classes[128] = {
    [0 ... 8] = ODD, [9 ... 13] = ODD | BLANK, [14 ... 27] = ODD, [28 ... 31] = ODD | BLANK,
    [' '] = BLANK, ['"'] = DELIMITS, ['\''] = ODD, ['('] = DELIMITS, [')'] = DELIMITS, [','] = ODD,
    [';'] = DELIMITS, ['['] = DELIMITS, ['\\'] = ODD, [']'] = DELIMITS, ['`'] = ODD,
    ['{'] = DELIMITS, ['|'] = DELIMITS, ['}'] = DELIMITS, [0x7f] = ODD,
};

static bool is_space(uint32_t c) { return c < 0x80 ? classes[c] & BLANK : has_property(SPACE, c); }
static bool is_delimiter(uint32_t c) {
    return c < 0x80 ? classes[c] & (BLANK | DELIMITS) : has_property(SPACE, c);
}
static bool may_start_number(uint32_t c) {
    return (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.' || c == '#';
}
static const uint32_t *word_end(const reading *r, const uint32_t *p) {
    while (p < r->end && !is_delimiter(*p)) p++;
    return p;
}

/* A stretch of text as messages show it; the caller frees it by `text_free`. */
static text shown(RT, const uint32_t *p, const uint32_t *end, bool brief) {
    text t = {.rt = rt};
    bool cut = brief && end - p > 60;
    for (const uint32_t *last = cut ? p + 50 : end; p < last; p++) text_character(&t, *p);
    if (cut) text_string(&t, "...");
    text_add(&t, "", 1);
    return t;
}

static bool wrong_about(reading *r, const char *before, const uint32_t *p, const uint32_t *end,
                        const char *after) {
    runtime *rt = r->rt;
    text t = shown(rt, p, end, true);
    wrong(r, "%s`%s`%s", before, t.bytes, after);
    r->where = p;
    text_free(&t);
    return false;
}

static bool scalar(const uint32_t *p, const uint32_t *end, uint32_t *made) {
    uint32_t value = 0;
    if (p == end) return false;
    for (; p < end; p++) {
        if (digit_of(*p) > 15) return false;
        value = value > 0x10ffff ? value : value << 4 | (uint32_t)digit_of(*p);
    }
    *made = value;
    return value <= 0x10ffff && !(value >= 0xd800 && value < 0xe000);
}

/* The characters of the body of a string, or of a symbol between bars. */
static bool unescape(reading *r, const uint32_t *p, const uint32_t *end, bool in_string, word *made) {
    runtime *rt = r->rt;
    uint32_t *out = allocate_block(rt, (size_t)(end - p + 1), sizeof *out);
    size_t count = 0;
    bool fine = true;
    while (fine && p < end) {
        uint32_t c = *p++;
        if (c == '\r') {
            if (p < end && *p == '\n') p++;
            out[count++] = '\n';
        } else if (c != '\\') {
            out[count++] = c;
        } else {
            const uint32_t *q = p;
            uint32_t letter = *q;
            while (q < end && (*q == ' ' || *q == '\t')) q++;
            const char *from = "abtnr\"\\|", *to = "\a\b\t\n\r\"\\|";
            const char *known = letter < 0x80 && letter ? strchr(from, (int)letter) : NULL;
            if (letter == 'x') {
                const uint32_t *digits = ++p;
                while (p < end && digit_of(*p) < 16) p++;
                if (p == digits || p >= end || *p != ';') {
                    r->where = digits - 2;
                    fine = wrong(r, "`\\x` needs hexadecimal digits and a `;`, as in `\\x41;`");
                } else if (!scalar(digits, p, &out[count++])) {
                    fine = wrong_about(r, "", digits - 2, p + 1, " is no Unicode scalar value");
                }
                p++;
            } else if (known) {
                out[count++] = (uint32_t)to[known - from];
                p++;
            } else if (in_string && q < end && (*q == '\n' || *q == '\r')) {
                p = q + 1 + (*q == '\r' && q + 1 < end && q[1] == '\n');
                while (p < end && (*p == ' ' || *p == '\t')) p++;
            } else {
                fine = wrong_about(r, "unknown escape ", p - 1, p + 1 < end ? p + 1 : end, "");
            }
        }
    }
    if (fine) *made = string_of_characters(rt, out, count);
    release(rt, out);
    return fine;
}

static word symbol_of_word(reading *r, const uint32_t *p, const uint32_t *end) {
    runtime *rt = r->rt;
    word name = string_of_characters(rt, p, (size_t)(end - p));
    return symbol_of(rt, r->fold ? op_string_foldcase(rt, name) : name);
}

static const char out_of_range[] = "integer out of range: integers lie in [-2^63, 2^63)";

static bool read_word(reading *r, const uint32_t *p, const uint32_t *end, word *made) {
    runtime *rt = r->rt;
    size_t n = (size_t)(end - p);
    bool large = false, numeric = may_start_number(*p);
    if (numeric && parse_number(rt, p, n, 10, made, &large)) return large ? wrong(r, out_of_range) : true;
    if (numeric && is_exotic(rt, p, n))
        return wrong_about(r, "", p, end, ": there are no rational or complex numbers");
    for (const uint32_t *q = p; q < end; q++) {
        uint32_t c = *q;
        bool odd = c < 0x80 ? classes[c] & ODD
                            : c != 0x200c && c != 0x200d && has_property(OUT_OF_SYMBOLS, c);
        if (!odd) continue;
        if (has_property(PRINTABLE, c)) return wrong_about(r, "", q, q + 1, " cannot be part of a symbol");
        char code[16];
        snprintf(code, sizeof code, "%04X", (unsigned)c);
        r->where = q;
        return wrong(r, "`U+%s` cannot be part of a symbol", code);
    }
    if (numeric && looks_like_number(p, n)) return wrong_about(r, "", p, end, " is no number");
    *made = symbol_of_word(r, p, end);
    return true;
}

static bool read_character(reading *r, const uint32_t *p, const uint32_t *end, word *made) {
    static const struct { const char *name; uint32_t c; } names[] = {
        {"alarm", 7}, {"backspace", 8}, {"delete", 127}, {"escape", 27}, {"newline", 10},
        {"null", 0}, {"return", 13}, {"space", 32}, {"tab", 9}, {"linefeed", 10}, {"nul", 0},
        {"altmode", 27}, {"page", 12}, {"rubout", 127},
    };
    const uint32_t *body = p + 2;
    uint32_t c = *body;
    if (end - body == 1) return *made = CHARACTER(c), true;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t n = strlen(names[i].name), k = 0;
        if ((size_t)(end - body) != n) continue;
        while (k < n && (r->fold ? lower(body[k]) : body[k]) == (uint32_t)names[i].name[k]) k++;
        if (k == n) return *made = CHARACTER(names[i].c), true;
    }
    if ((c == 'x' || c == 'X') && scalar(body + 1, end, &c)) return *made = CHARACTER(c), true;
    return wrong_about(r, "unknown character ", p, end, "");
}

static bool is_word(const uint32_t *p, size_t n, const char *text) {
    size_t k = 0;
    while (k < n && p[k] == (uint8_t)text[k]) k++;
    return k == n && !text[k];
}

/* A word that starts with #; `skip` when it stands for nothing. */
static bool read_hashed(reading *r, const uint32_t *p, const uint32_t *end, word *made, bool *skip) {
    runtime *rt = r->rt;
    size_t n = (size_t)(end - p);
    *skip = false;
    if ((n == 2 && lower(p[1]) == 't') || (n == 5 && matches(p, 0, n, "#true"))) return *made = TRUE, true;
    if ((n == 2 && lower(p[1]) == 'f') || (n == 6 && matches(p, 0, n, "#false"))) return *made = FALSE, true;
    bool large = false;
    if (parse_number(rt, p, n, 10, made, &large)) return large ? wrong(r, out_of_range) : true;
    if (is_word(p, n, "#!fold-case") || is_word(p, n, "#!no-fold-case")) {
        r->fold = p[2] == 'f';
        return *skip = true;
    }
    if (is_exotic(rt, p, n)) return wrong_about(r, "", p, end, ": there are no rational or complex numbers");
    if (n > 1 && p[1] == '!') return wrong_about(r, "unknown directive ", p, end, "");
    if (n == 2 && p[1] == '\\') return wrong(r, "the text ends inside a character");
    return wrong_about(r, "", p, end, " starts nothing that is known");
}

static open_datum *innermost(nest *n) { return n->count ? &n->at[n->count - 1] : NULL; }

static bool open_one(reading *r, nest *n, char kind, const uint32_t *start, const uint32_t *end) {
    runtime *rt = r->rt;
    if (n->count >= MAX_DEPTH) return wrong(r, "nesting deeper than 100,000 levels");
    if (n->count == n->size) {
        n->size = n->size ? 2 * n->size : 16;
        n->at = reallocate(rt, n->at, n->size, sizeof *n->at);
    }
    if (n->count == 0) n->label_count = 0;
    n->at[n->count++] =
        (open_datum){.start = start, .end = end, .labels = n->label_count, .kind = kind};
    r->at = end;
    return true;
}

static bool nothing_after(reading *r, open_datum *o) {
    runtime *rt = r->rt;
    text t = shown(rt, o->start, o->end, false);
    wrong(r, "no datum after `%s`", t.bytes);
    r->where = o->start;
    text_free(&t);
    return false;
}

static bool is_prefix(char kind) { return strchr("'`,@;=", kind) != NULL; }

/* Datum labels.  What refers to one is a cell until the datum is complete (`tie`). */

static word label_cell(nest *n, int64_t number) {
    for (size_t i = 0; i < n->label_count; i++)
        if (n->labels[i].number == number) return n->labels[i].cell;
    return ABSENT;
}

static word meant(word x) {
    while (IS_KIND(x, CELL)) x = FIELD(x, 0);
    return x;
}

/* `#0=` or `#0#`, which ends after so many digits. */
static bool read_label(reading *r, nest *n, size_t digits, word *made) {
    runtime *rt = r->rt;
    const uint32_t *p = r->at;
    int64_t number = 0;
    for (size_t i = 1; i <= digits; i++) number = 10 * number + (p[i] - '0');
    word cell = n->count ? label_cell(n, number) : ABSENT;
    if (p[digits + 1] == '#') {
        if (cell == ABSENT) return wrong(r, "`#%i#` refers to no datum", number);
        r->at += digits + 2;
        n->refers = true;
        return *made = cell, true;
    }
    if (cell != ABSENT) return wrong(r, "`#%i=` labels two data", number);
    if (!open_one(r, n, '=', p, p + digits + 2)) return false;
    if (n->label_count == n->label_size) {
        n->label_size = n->label_size ? 2 * n->label_size : 8;
        n->labels = reallocate(rt, n->labels, n->label_size, sizeof *n->labels);
    }
    cell = make_object(rt, CELL, 1);
    FIELD(cell, 0) = FIX(number);
    n->labels[n->label_count++] = (datum_label){number, cell};
    innermost(n)->label = cell;
    return true;
}

/* The datum of a label is complete. */
static bool labelled(reading *r, open_datum *o, word datum) {
    for (word x = datum; IS_KIND(x, CELL); x = FIELD(x, 0)) {
        if (x != o->label) continue;
        r->where = o->start;
        return wrong(r, "`#%i=` labels itself", (int64_t)UNFIX(FIELD(x, 0)));
    }
    FIELD(o->label, 0) = datum;
    return true;
}

/* Put what labels stand for in the place of what refers to them.  Without these the datum is a tree,
   so each part of it is met once. */
static word tie(RT, word datum) {
    size_t count = 0, size = 64;
    word *work = allocate_block(rt, size, sizeof *work);
    word root = datum = meant(datum);
    for (;;) {
        size_t parts = IS_PAIR(datum) ? 2 : IS_VECTOR(datum) ? LENGTH(datum) : 0;
        word *at = IS_PAIR(datum) ? &CAR(datum) : parts ? &FIELD(datum, 0) : NULL;
        if (count + parts > size) {
            size = 2 * size + parts;
            work = reallocate(rt, work, size, sizeof *work);
        }
        for (size_t i = 0; i < parts; i++) {
            if (IS_KIND(at[i], CELL)) at[i] = meant(at[i]);
            else work[count++] = at[i];
        }
        if (count == 0) break;
        datum = work[--count];
    }
    release(rt, work);
    return root;
}

/* The value of something that is closed. */
static bool closed(reading *r, open_datum *o, word *made) {
    runtime *rt = r->rt;
    if (o->kind == 'v') {
        *made = make_object(rt, VECTOR, o->count);
        for (size_t i = 0; i < o->count; i++) FIELD(*made, i) = o->items[i];
        return true;
    }
    if (o->kind == 'b') {
        *made = make_object(rt, BYTES, (o->count + 7) / 8 + 1);
        FIELD(*made, 0) = (word)o->count;
        for (size_t i = 0; i < o->count; i++) {
            if (!IS_FIX(o->items[i]) || (uword)o->items[i] > FIX(255))
                return r->where = o->start, wrong(r, "a bytevector holds integers from 0 to 255 only");
            DATA(*made)[i] = (uint8_t)UNFIX(o->items[i]);
        }
        return true;
    }
    *made = NIL;
    size_t count = o->count;
    if (o->dot) {
        r->where = o->dot_at;
        if (count == o->dot) return wrong(r, "no datum after the dot");
        if (count > o->dot + 1) return wrong(r, "more than one datum after a dot");
        *made = o->items[--count];
    }
    while (count > 0) *made = cons(rt, o->items[--count], *made);
    return true;
}

/* A datum is complete: put it where it belongs; true when it is the one that was asked for, or when
   something is wrong. */
static bool add(reading *r, nest *n, word *datum) {
    runtime *rt = r->rt;
    static const char *const marks[] = {"quote", "quasiquote", "unquote", "unquote-splicing"};
    for (;;) {
        open_datum *o = innermost(n);
        if (o == NULL) return true;
        if (!is_prefix(o->kind)) {
            if (o->count == o->size) {
                o->size = o->size ? 2 * o->size : 8;
                o->items = reallocate(rt, o->items, o->size, sizeof *o->items);
            }
            o->items[o->count++] = *datum;
            return false;
        }
        n->count--;
        if (o->kind == ';') return n->label_count = o->labels, false;
        if (o->kind == '=') {
            if (!labelled(r, o, *datum)) return true;
            continue;
        }
        const char *mark = marks[strchr("'`,@", o->kind) - "'`,@"];
        *datum = cons(rt, symbol_of(rt, string_of(rt, mark, strlen(mark))), cons(rt, *datum, NIL));
    }
}

static bool close_one(reading *r, nest *n, word *made) {
    open_datum *o = innermost(n);
    if (o && is_prefix(o->kind)) return nothing_after(r, o);
    if (o == NULL) return wrong(r, "unexpected `)`");
    bool fine = closed(r, o, made);
    release(r->rt, o->items);
    n->count--;
    r->at++;
    return fine;
}

static bool dot(reading *r, nest *n) {
    open_datum *o = innermost(n);
    if (o == NULL || o->kind != 'l' || o->count == 0)
        return wrong(r, "a dot may only stand in a list, after at least one datum");
    if (o->dot) return wrong(r, "a second dot in one list");
    o->dot = o->count;
    o->dot_at = r->at++;
    return true;
}

static bool skip_block(reading *r) {
    int depth = 0;
    for (const uint32_t *p = r->at; p + 1 < r->end; p++) {
        if (p[0] == '#' && p[1] == '|') depth++, p++;
        else if (p[0] == '|' && p[1] == '#') {
            depth--, p++;
            if (depth == 0) return r->at = p + 1, true;
        }
    }
    return wrong(r, "unterminated comment");
}

static bool quoted(reading *r, uint32_t mark, word *made) {
    const uint32_t *p = r->at + 1;
    while (p < r->end && *p != mark) p += 1 + (*p == '\\');
    if (p >= r->end) return wrong(r, mark == '"' ? "unterminated string" : "unterminated `|`");
    if (!unescape(r, r->at + 1, p, mark == '"', made)) return false;
    if (mark == '|') *made = symbol_of(r->rt, *made);
    r->at = p + 1;
    return true;
}

typedef enum { FAILED, NOTHING, ATOM, ENDED } found;

/* One token; ATOM when a datum is complete. */
static found token(reading *r, nest *n, word *made) {
    while (r->at < r->end && (is_space(*r->at) || *r->at == ';')) {
        if (*r->at == ';')
            while (r->at < r->end && *r->at != '\n') r->at++;
        else r->at++;
    }
    const uint32_t *p = r->where = r->at;
    if (p == r->end) return ENDED;
    if (n->count == 0) r->datum = p;
    uint32_t c = *p, next = p + 1 < r->end ? p[1] : 0;
    const uint32_t *end = word_end(r, p + 1);
    switch (c) {
    case '(': return open_one(r, n, 'l', p, p + 1) ? NOTHING : FAILED;
    case ')': return close_one(r, n, made) ? ATOM : FAILED;
    case '\'': case '`': return open_one(r, n, (char)c, p, p + 1) ? NOTHING : FAILED;
    case ',':
        return open_one(r, n, next == '@' ? '@' : ',', p, p + (next == '@' ? 2 : 1)) ? NOTHING : FAILED;
    case '"': case '|': return quoted(r, c, made) ? ATOM : FAILED;
    case '[': case ']':
        return wrong_about(r, "", p, p + 1, " is no bracket of the language"), FAILED;
    case '{': case '}':
        return wrong_about(r, "", p, p + 1, " has no meaning in the language"), FAILED;
    case '#': break;
    default:
        if (c == '.' && end == p + 1) return dot(r, n) ? NOTHING : FAILED;
        r->at = end;
        return read_word(r, p, end, made) ? ATOM : FAILED;
    }
    if (next == '(') return open_one(r, n, 'v', p, p + 2) ? NOTHING : FAILED;
    if (next == '\\' && p + 2 < r->end) {
        r->at = end = word_end(r, p + 3);
        return read_character(r, p, end, made) ? ATOM : FAILED;
    }
    if (lower(next) == 'u' && p + 3 < r->end && p[2] == '8' && p[3] == '(')
        return open_one(r, n, 'b', p, p + 4) ? NOTHING : FAILED;
    if (next == '|') return skip_block(r) ? NOTHING : FAILED;
    if (next == ';') return open_one(r, n, ';', p, p + 2) ? NOTHING : FAILED;
    size_t digits = digits_from(p, 1, (size_t)(r->end - p)) - 1;
    if (digits && digits <= 18 && p + digits + 1 < r->end && (p[digits + 1] == '=' || p[digits + 1] == '#'))
        return !read_label(r, n, digits, made) ? FAILED : p[digits + 1] == '=' ? NOTHING : ATOM;
    bool skip;
    r->at = end;
    if (!read_hashed(r, p, end, made, &skip)) return FAILED;
    return skip ? NOTHING : ATOM;
}

static void skip_first_line(reading *r) {
    const uint32_t *p = r->at;
    if (p < r->end && *p == 0xfeff) p++;
    if (r->end - p > 2 && p[0] == '#' && p[1] == '!' && (p[2] == ' ' || p[2] == '/'))
        while (p < r->end && *p != '\n') p++;
    r->at = p;
}

/* The next datum; false at the end of the text, or, with `error` set, where there is none. */
bool read_one(reading *r, word *made) {
    runtime *rt = r->rt;
    nest n = {0};
    bool done = false;
    if (r->at == r->start) skip_first_line(r);
    for (found f = NOTHING; !done && (f == NOTHING || f == ATOM);) {
        f = token(r, &n, made);
        if (f == ATOM) {
            done = add(r, &n, made) && !r->error;
            if (r->error) break;
        } else if (f == ENDED && n.count) {
            open_datum *o = innermost(&n);
            if (is_prefix(o->kind)) {
                nothing_after(r, o);
            } else {
                text t = shown(rt, o->start, o->end, false);
                wrong(r, "unclosed `%s`", t.bytes);
                r->where = o->start;
                text_free(&t);
            }
        }
    }
    if (done && n.refers) *made = tie(rt, *made);
    while (n.count > 0) release(rt, n.at[--n.count].items);
    release(rt, n.at);
    release(rt, n.labels);
    return done;
}
