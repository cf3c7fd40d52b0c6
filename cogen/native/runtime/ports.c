/* Ports and output.  An OUTPUT object: buffer (bytes, UTF-8), bytes used, open; the buffer of
   standard output is #f.  An INPUT object: string, position, open, data read ahead (pairs of a
   position and a pair of the datum and the position behind it). */

#include "inline.h"

#include <stdio.h>
#include <stdlib.h>

enum { AHEAD = 3 };

static word make_output(word buffer) {
    word made = make_object(OUTPUT, 3);
    FIELD(made, 0) = buffer;
    FIELD(made, 1) = FIX(0);
    FIELD(made, 2) = TRUE;
    return made;
}

void start_ports(void) {
    static char buffer[1 << 16];
    setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
    rt.output = make_output(FALSE);
}

void flush_output(void) { fflush(stdout); }

/* Whether what was last written to standard output ended a line. */
static bool at_line_start = true;

void end_line(void) {
    if (!at_line_start) fputc('\n', stdout);
    at_line_start = true;
}

static word empty_buffer(size_t size) {
    word made = make_object(BYTES, (size + 7) / 8 + 1);
    FIELD(made, 0) = (word)size;
    return made;
}

static void write_to(word port, const char *text, size_t count) {
    if (FIELD(port, 0) == FALSE) {
        if (count == 0) return;
        if (fwrite(text, 1, count, stdout) != count) exit(1);
        at_line_start = text[count - 1] == '\n';
        return;
    }
    size_t used = (size_t)UNFIX(FIELD(port, 1));
    if (used + count > COUNT(FIELD(port, 0))) {
        word bigger = empty_buffer(2 * (used + count) + 48);
        memcpy(DATA(bigger), DATA(FIELD(port, 0)), used);
        put(&FIELD(port, 0), bigger);
    }
    memcpy(DATA(FIELD(port, 0)) + used, text, count);
    FIELD(port, 1) = FIX(used + count);
}

static word need_open(const char *name, word port, kind wanted, const char *what, int field) {
    if (!IS_KIND(port, wanted)) fail_expected(name, what, port);
    if (FIELD(port, field) == FALSE) fail("%s: the port is closed", name);
    return port;
}

static word out(const char *name, word port) {
    if (port == ABSENT) return rt.output;
    return need_open(name, port, OUTPUT, "an output port", 2);
}

static word print_to(const char *name, word x, word port, manner manner) {
    port = out(name, port);
    text t = {0};
    print(&t, x, manner);
    write_to(port, t.bytes, t.used);
    text_free(&t);
    return UNSPECIFIED;
}

word op_display(word x, word port) { return print_to("display", x, port, DISPLAY); }
word op_write(word x, word port) { return print_to("write", x, port, WRITE); }
word op_write_shared(word x, word port) { return print_to("write-shared", x, port, SHARED); }
word op_write_simple(word x, word port) { return print_to("write-simple", x, port, WRITE); }
word op_write_string(word x, word port) {
    port = out("write-string", port);
    need_string("write-string", x);
    return print_to("write-string", x, port == rt.output ? ABSENT : port, DISPLAY);
}
word op_write_char(word x, word port) {
    port = out("write-char", port);
    uint32_t c = need_character("write-char", x);
    if (c < 0x80) {
        char byte = (char)c;
        write_to(port, &byte, 1);
        return UNSPECIFIED;
    }
    return print_to("write-char", x, port == rt.output ? ABSENT : port, DISPLAY);
}
word op_newline(word port) {
    write_to(out("newline", port), "\n", 1);
    return UNSPECIFIED;
}
word op_flush_output_port(word port) {
    if (FIELD(out("flush-output-port", port), 0) == FALSE) flush_output();
    return UNSPECIFIED;
}
word op_current_output_port(void) { return rt.output; }
word op_open_output_string(void) { return make_output(empty_buffer(48)); }
word op_get_output_string(word port) {
    if (!IS_KIND(port, OUTPUT) || FIELD(port, 0) == FALSE)
        fail_expected("get-output-string", "a string output port", port);
    return string_of((const char *)DATA(FIELD(port, 0)), (size_t)UNFIX(FIELD(port, 1)));
}

/* Input */

static word in(const char *name, word port) { return need_open(name, port, INPUT, "an input port", 2); }
static size_t position(word port) { return (size_t)UNFIX(FIELD(port, 1)); }

word op_open_input_string(word x) {
    need_string("open-input-string", x);
    word made = make_object(INPUT, 4);
    FIELD(made, 0) = x;
    FIELD(made, 1) = FIX(0);
    FIELD(made, 2) = TRUE;
    FIELD(made, AHEAD) = NIL;
    return made;
}

static word peek(word port) {
    size_t i = position(port);
    return i < COUNT(FIELD(port, 0)) ? CHARACTER(string_at(FIELD(port, 0), i)) : END_OF_FILE;
}
word op_peek_char(word port) { return peek(in("peek-char", port)); }
word op_read_char(word port) {
    word found = peek(in("read-char", port));
    FIELD(port, 1) += FIX(1);
    return found;
}

word op_substring(word x, word start, word end);

word op_read_line(word port) {
    word s = FIELD(in("read-line", port), 0);
    size_t start = position(port), end = start;
    if (start >= COUNT(s)) return END_OF_FILE;
    while (end < COUNT(s) && string_at(s, end) != '\n') end++;
    FIELD(port, 1) = FIX(end + 1);
    return op_substring(s, FIX(start), FIX(end));
}

word op_read_string(word count, word port) {
    int64_t wanted = need_integer("read-string", count);
    word s = FIELD(in("read-string", port), 0);
    if (wanted < 0) fail("read-string: the count %i is negative", wanted);
    size_t start = position(port);
    if (wanted && start >= COUNT(s)) return END_OF_FILE;
    if (start > COUNT(s)) start = COUNT(s);
    size_t left = COUNT(s) - start, end = start + ((uword)wanted < left ? (size_t)wanted : left);
    if (end > start) FIELD(port, 1) = FIX(end);
    return op_substring(s, FIX(start), FIX(end));
}

/* The first of the data read ahead; those before it are not needed any more. */
static word next_read(word port, word ahead) {
    put(&FIELD(port, AHEAD), ahead);
    FIELD(port, 1) = CDR(CDR(CAR(ahead)));
    return CAR(CDR(CAR(ahead)));
}

/* The next datum.  The rest of the text is read at once and remembered by position. */
word op_read(word port) {
    in("read", port);
    word here = FIELD(port, 1);
    for (word known = FIELD(port, AHEAD); known != NIL; known = CDR(known))
        if (CAR(CAR(known)) == here) return next_read(port, known);
    size_t count = COUNT(FIELD(port, 0)), start = position(port);
    if (start > count) start = count;
    uint32_t *characters = malloc((count + 1) * sizeof *characters);
    if (characters == NULL) fail_limit("there is not enough memory");
    for (size_t i = 0; i < count; i++) characters[i] = string_at(FIELD(port, 0), i);
    reading r = {.at = characters + start, .start = characters + start, .end = characters + count};
    word all = NIL, datum, from = here;
    while (read_one(&r, &datum)) {
        word behind = FIX(r.at - characters);
        all = cons(cons(from, cons(datum, behind)), all);
        from = behind;
    }
    free(characters);
    if (r.error) fail("read: %s", r.error == r.message ? r.message : r.error);
    word ahead = cons(cons(from, cons(END_OF_FILE, FIX(count))), NIL);
    for (; all != NIL; all = CDR(all)) ahead = cons(CAR(all), ahead);
    return next_read(port, ahead);
}

word op_eof_object(void) { return END_OF_FILE; }
word op_eof_object_p(word x) { return BOOL(x == END_OF_FILE); }

/* Ports */

word op_port_p(word x) { return BOOL(IS_KIND(x, INPUT) || IS_KIND(x, OUTPUT)); }
word op_textual_port_p(word x) { return op_port_p(x); }
word op_input_port_p(word x) { return BOOL(IS_KIND(x, INPUT)); }
word op_output_port_p(word x) { return BOOL(IS_KIND(x, OUTPUT)); }
word op_input_port_open_p(word x) {
    if (!IS_KIND(x, INPUT)) fail_expected("input-port-open?", "an input port", x);
    return FIELD(x, 2);
}
word op_output_port_open_p(word x) {
    if (!IS_KIND(x, OUTPUT)) fail_expected("output-port-open?", "an output port", x);
    return FIELD(x, 2);
}
word op_close_input_port(word x) {
    if (!IS_KIND(x, INPUT)) fail_expected("close-input-port", "an input port", x);
    FIELD(x, 2) = FALSE;
    return UNSPECIFIED;
}
word op_close_output_port(word x) {
    if (!IS_KIND(x, OUTPUT)) fail_expected("close-output-port", "an output port", x);
    FIELD(x, 2) = FALSE;
    return UNSPECIFIED;
}
word op_close_port(word x) { return IS_KIND(x, INPUT) ? op_close_input_port(x) : op_close_output_port(x); }

/* Error objects */

word op_error_object_p(word x) { return BOOL(IS_KIND(x, CONDITION)); }
word op_error_object_message(word x) {
    if (!IS_KIND(x, CONDITION)) fail_expected("error-object-message", "an error object", x);
    return FIELD(x, 0);
}
word op_error_object_irritants(word x) {
    if (!IS_KIND(x, CONDITION)) fail_expected("error-object-irritants", "an error object", x);
    return FIELD(x, 1);
}
