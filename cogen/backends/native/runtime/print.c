/* Values -> text: `write`, `display` and `write-shared`, as lang/printer.py defines them. */

#include "inline.h"

#include <stdlib.h>

/* What needs a label: a hash table of compound values */

typedef struct { word value; int label; bool inside, done, labelled; } mark;
typedef struct { mark *at; size_t count, size; } marks;

static mark *mark_of(RT, marks *m, word value) {
    if (2 * m->count >= m->size) {
        marks bigger = {allocate_block(rt, m->size ? 2 * m->size : 256, sizeof(mark)), m->count,
                        m->size ? 2 * m->size : 256};
        for (size_t i = 0; i < m->size; i++)
            if (m->at[i].value) {
                size_t k = ((uword)m->at[i].value >> 3) * 0x9e3779b97f4a7c15u & (bigger.size - 1);
                while (bigger.at[k].value) k = (k + 1) & (bigger.size - 1);
                bigger.at[k] = m->at[i];
            }
        release(rt, m->at);
        *m = bigger;
    }
    size_t i = ((uword)value >> 3) * 0x9e3779b97f4a7c15u & (m->size - 1);
    while (m->at[i].value && m->at[i].value != value) i = (i + 1) & (m->size - 1);
    if (!m->at[i].value) {
        m->count++;
        m->at[i] = (mark){value, -1, false, false, false};
    }
    return &m->at[i];
}

static bool is_compound(word x) {
    return IS_PAIR(x) || (IS_OBJECT(x) && (KIND(x) == VECTOR || KIND(x) == RECORD));
}

/* A stack of things to do */

typedef enum { DATUM, TAIL, ITEMS, CLOSE, LEAVING } task;
typedef struct { task task; word value; size_t next; } todo;
typedef struct { todo *at; size_t count, size; } stack;

static void push_task(RT, stack *s, task task, word value, size_t next) {
    if (s->count == s->size) {
        s->size = s->size ? 2 * s->size : 64;
        s->at = reallocate(rt, s->at, s->size, sizeof *s->at);
    }
    s->at[s->count++] = (todo){task, value, next};
}

static void push_parts(RT, stack *s, word x) {
    if (IS_PAIR(x)) {
        if (is_compound(CDR(x))) push_task(rt, s, DATUM, CDR(x), 0);
        if (is_compound(CAR(x))) push_task(rt, s, DATUM, CAR(x), 0);
        return;
    }
    size_t first = KIND(x) == RECORD ? 1 : 0;
    for (size_t i = LENGTH(x); i > first; i--)
        if (is_compound(FIELD(x, i - 1))) push_task(rt, s, DATUM, FIELD(x, i - 1), 0);
}

/* Is a walk over the value, shared parts walked again, over soon?  Then nothing is circular. */
enum { SOON = 2000 };

static bool is_small(RT, word x, stack *s) {
    push_task(rt, s, DATUM, x, 0);
    for (int steps = 0; s->count > 0; steps++) {
        if (steps == SOON) {
            s->count = 0;
            return false;
        }
        push_parts(rt, s, s->at[--s->count].value);
    }
    return true;
}

/* Label what a depth-first walk meets inside itself. */
static void find_cycles(RT, word x, stack *s, marks *m) {
    push_task(rt, s, DATUM, x, 0);
    while (s->count > 0) {
        todo t = s->at[--s->count];
        mark *found = mark_of(rt, m, t.value);
        if (t.task == LEAVING) {
            found->inside = false;
            found->done = true;
        } else if (found->inside) {
            found->labelled = true;
        } else if (!found->done) {
            found->inside = true;
            push_task(rt, s, LEAVING, t.value, 0);
            push_parts(rt, s, t.value);
        }
    }
}

/* Label what stands at several places. */
static void find_shared(RT, word x, stack *s, marks *m) {
    push_task(rt, s, DATUM, x, 0);
    while (s->count > 0) {
        word value = s->at[--s->count].value;
        mark *found = mark_of(rt, m, value);
        if (found->done) {
            found->labelled = true;
        } else {
            found->done = true;
            push_parts(rt, s, value);
        }
    }
}

/* Atoms */

static void add_hex(text *t, uint32_t c) {
    char digits[8], *p = digits + sizeof digits;
    do *--p = "0123456789abcdef"[c & 15], c >>= 4; while (c);
    text_add(t, p, (size_t)(digits + sizeof digits - p));
}

static void escaped(text *t, word s, uint32_t quote) {
    for (size_t i = 0; i < COUNT(s); i++) {
        uint32_t c = string_at(s, i);
        const char *known = c == '\a' ? "\\a" : c == '\b' ? "\\b" : c == '\t' ? "\\t"
                          : c == '\n' ? "\\n" : c == '\r' ? "\\r" : c == '\\' ? "\\\\" : NULL;
        if (c == quote) text_string(t, "\\"), text_character(t, c);
        else if (known) text_string(t, known);
        else if (has_property(PRINTABLE, c)) text_character(t, c);
        else text_string(t, "\\x"), add_hex(t, c), text_string(t, ";");
    }
}

/* Does the name, written without bars, read back as the symbol? */
static bool is_plain(RT, word name) {
    size_t count = COUNT(name);
    if (count == 0 || string_at(name, 0) == '#' || string_at(name, 0) == '@') return false;
    if (count == 1 && string_at(name, 0) == '.') return false;
    for (size_t i = 0; i < count; i++) {
        uint32_t c = string_at(name, i);
        if (c < 0x80) {
            if (c <= ' ' || c == 0x7f || strchr("()[]{}\";|'`,\\", (int)c)) return false;
        } else if (has_property(SPACE, c)) {
            return false;
        } else if (c != 0x200c && c != 0x200d && has_property(OUT_OF_SYMBOLS, c)) {
            return false;
        }
    }
    uint32_t first = string_at(name, 0);
    if (first > 0x7f || !strchr("+-.0123456789iInN", (int)first)) return true; /* no number */
    uint32_t *s = allocate_block(rt, count, sizeof *s);
    for (size_t i = 0; i < count; i++) s[i] = string_at(name, i);
    word number;
    bool large = false;
    bool plain = !parse_number(rt, s, count, 10, &number, &large) && !large &&
                 !looks_like_number(s, count) && !looks_infinite(s, count) && !is_exotic(rt, s, count);
    release(rt, s);
    return plain;
}

static void write_symbol(text *t, word name) {
    runtime *rt = t->rt;
    if (is_plain(rt, name)) return text_of_string(t, name);
    text_string(t, "|");
    escaped(t, name, '|');
    text_string(t, "|");
}

static void write_character(text *t, uint32_t c) {
    static const struct { uint32_t c; const char *name; } names[] = {
        {7, "alarm"}, {8, "backspace"}, {127, "delete"}, {27, "escape"}, {'\n', "newline"},
        {0, "null"}, {'\r', "return"}, {' ', "space"}, {'\t', "tab"},
    };
    text_string(t, "#\\");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].c == c) return text_string(t, names[i].name);
    if (has_property(PRINTABLE, c) && !has_property(MARK, c)) return text_character(t, c);
    text_string(t, "x");
    add_hex(t, c);
}

static void special(text *t, word x) {
    switch (x) {
    case FALSE: return text_string(t, "#f");
    case TRUE: return text_string(t, "#t");
    case NIL: return text_string(t, "()");
    case UNSPECIFIED: return text_string(t, "#<unspecified>");
    case END_OF_FILE: return text_string(t, "#<eof>");
    case DEFAULT: return text_string(t, "#<default>");
    default: return text_string(t, "#<undefined>");
    }
}

static void write_procedure(text *t, word x) {
    runtime *rt = t->rt;
    const char *name = procedure_name_of(rt, x);
    text_string(t, *name ? "#<procedure " : "#<procedure");
    text_string(t, name);
    text_string(t, ">");
}

static void write_bytes(text *t, word x) {
    text_string(t, "#u8(");
    for (size_t i = 0; i < COUNT(x); i++) {
        if (i) text_string(t, " ");
        text_integer(t, DATA(x)[i]);
    }
    text_string(t, ")");
}

static void object(text *t, word x, manner manner) {
    switch (KIND(x)) {
    case FLONUM: return text_float(t, flonum_value(x));
    case INTEGER: return text_integer(t, FIELD(x, 0));
    case STRING:
    case WIDE:
        if (manner == DISPLAY) return text_of_string(t, x);
        text_string(t, "\"");
        escaped(t, x, '"');
        return text_string(t, "\"");
    case SYMBOL:
        if (manner == DISPLAY) return text_of_string(t, FIELD(x, 0));
        return write_symbol(t, FIELD(x, 0));
    case BYTES: return write_bytes(t, x);
    case CELL: return text_string(t, "#<cell>");
    case RTYPE:
        text_string(t, "#<record-type ");
        text_of_string(t, FIELD(x, 0));
        return text_string(t, ">");
    case VALUES:
        if (LENGTH(x) == 0) return text_string(t, "#<no values>");
        text_string(t, "#<");
        text_integer(t, (int64_t)LENGTH(x));
        return text_string(t, " values>");
    case CONDITION:
        text_string(t, "#<error ");
        print(t, FIELD(x, 0), DISPLAY);
        return text_string(t, ">");
    case INPUT: return text_string(t, IS_BYTES(FIELD(x, 0)) ? "#<binary input port>" : "#<input port>");
    case OUTPUT: return text_string(t, FIELD(x, 4) == TRUE ? "#<binary output port>" : "#<output port>");
    default: return text_string(t, "#<object>");
    }
}

static void atom(text *t, word x, manner manner) {
    if (IS_FIX(x)) return text_integer(t, UNFIX(x));
    if (IS_CHARACTER(x)) {
        if (manner == DISPLAY) return text_character(t, CODE_POINT(x));
        return write_character(t, CODE_POINT(x));
    }
    if (IS_CLOSURE(x)) return write_procedure(t, x);
    if (IS_OBJECT(x)) return object(t, x, manner);
    special(t, x);
}

/* Compound values */

typedef struct { text *t; manner manner; stack work; marks labels; int used; } printer;

static bool is_labelled(printer *p, word x) {
    runtime *rt = p->t->rt;
    return p->labels.size && mark_of(rt, &p->labels, x)->labelled;
}

static const char *abbreviation(printer *p, word x) {
    word rest = CDR(x);
    if (!IS_SYMBOL(CAR(x)) || !IS_PAIR(rest) || CDR(rest) != NIL || is_labelled(p, rest)) return NULL;
    static const char *const names[] = {"quote", "quasiquote", "unquote", "unquote-splicing"};
    static const char *const shown[] = {"'", "`", ",", ",@"};
    word name = FIELD(CAR(x), 0);
    for (int i = 0; i < 4; i++)
        if (KIND(name) == STRING && COUNT(name) == strlen(names[i]) &&
            memcmp(DATA(name), names[i], COUNT(name)) == 0)
            return shown[i];
    return NULL;
}

static void label(printer *p, int number, const char *after) {
    text_string(p->t, "#");
    text_integer(p->t, number);
    text_string(p->t, after);
}

static void datum(printer *p, word x) {
    runtime *rt = p->t->rt;
    if (!is_compound(x)) return atom(p->t, x, p->manner);
    if (is_labelled(p, x)) {
        mark *m = mark_of(rt, &p->labels, x);
        if (m->label >= 0) return label(p, m->label, "#");
        m->label = p->used++;
        label(p, m->label, "=");
    }
    if (IS_PAIR(x)) {
        const char *abbreviated = abbreviation(p, x);
        if (abbreviated) {
            text_string(p->t, abbreviated);
            push_task(rt, &p->work, DATUM, CAR(CDR(x)), 0);
            return;
        }
        text_string(p->t, "(");
        push_task(rt, &p->work, TAIL, CDR(x), 0);
        push_task(rt, &p->work, DATUM, CAR(x), 0);
    } else if (KIND(x) == RECORD) {
        text_string(p->t, "#<");
        text_of_string(p->t, FIELD(FIELD(x, 0), 0));
        push_task(rt, &p->work, ITEMS, x, 1);
    } else {
        text_string(p->t, "#(");
        push_task(rt, &p->work, ITEMS, x, 0);
    }
}

static void tail(printer *p, word rest) {
    runtime *rt = p->t->rt;
    if (rest == NIL) return text_string(p->t, ")");
    if (IS_PAIR(rest) && !is_labelled(p, rest)) {
        text_string(p->t, " ");
        push_task(rt, &p->work, TAIL, CDR(rest), 0);
        push_task(rt, &p->work, DATUM, CAR(rest), 0);
        return;
    }
    text_string(p->t, " . ");
    push_task(rt, &p->work, CLOSE, NIL, 0);
    push_task(rt, &p->work, DATUM, rest, 0);
}

static void items(printer *p, word x, size_t next) {
    runtime *rt = p->t->rt;
    bool record = KIND(x) == RECORD;
    if (next == LENGTH(x)) return text_string(p->t, record ? ">" : ")");
    if (record) {
        text_string(p->t, " ");
        text_of_string(p->t, FIELD(FIELD(x, 0), next + 1));
        text_string(p->t, ": ");
    } else if (next) {
        text_string(p->t, " ");
    }
    push_task(rt, &p->work, ITEMS, x, next + 1);
    push_task(rt, &p->work, DATUM, FIELD(x, next), 0);
}

void print(text *t, word x, manner manner) {
    runtime *rt = t->rt;
    if (!is_compound(x)) return atom(t, x, manner);
    printer p = {t, manner, {0}, {0}, 0};
    if (manner == SHARED) find_shared(rt, x, &p.work, &p.labels);
    else if (!is_small(rt, x, &p.work)) find_cycles(rt, x, &p.work, &p.labels);
    push_task(rt, &p.work, DATUM, x, 0);
    while (p.work.count > 0) {
        todo next = p.work.at[--p.work.count];
        switch (next.task) {
        case DATUM: datum(&p, next.value); break;
        case TAIL: tail(&p, next.value); break;
        case ITEMS: items(&p, next.value, next.next); break;
        default: text_string(t, ")");
        }
    }
    release(rt, p.work.at);
    release(rt, p.labels.at);
}

/* A value as messages show it: 60 characters at most. */
void text_brief(text *t, word x) {
    enum { LONGEST = 60 };
    if (IS_KIND(x, VALUES)) {
        if (LENGTH(x) == 0) return text_string(t, "no value");
        text_integer(t, (int64_t)LENGTH(x));
        return text_string(t, " values");
    }
    text shown = {.rt = t->rt};
    print(&shown, x, WRITE);
    size_t count = 0, cut = 0, step;
    uint32_t c;
    for (size_t i = 0; i < shown.used; i += step, count++) {
        if (count == LONGEST - 1) cut = i;
        step = decode(shown.bytes + i, shown.used - i, &c);
        if (step == 0) step = 1;
    }
    text_add(t, shown.bytes, count > LONGEST ? cut : shown.used);
    if (count > LONGEST) text_string(t, "\u2026");
    text_free(&shown);
}
