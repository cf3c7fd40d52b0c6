/* Ports and output.  An OUTPUT object: buffer (bytes, UTF-8), bytes used, open; the buffer of
   standard output is #f.  An INPUT object: string, position, open. */

#include "inline.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static word make_output(RT, word buffer) {
    word made = make_object(rt, OUTPUT, 3);
    FIELD(made, 0) = buffer;
    FIELD(made, 1) = FIX(0);
    FIELD(made, 2) = TRUE;
    return made;
}

void start_ports(RT) {
    rt->output = make_output(rt, FALSE);
    rt->at_line_start = true;
}

/* Hand on what was written, which waits in `output_bytes`, so that instances do not mix words of a
   line; the message if that fails.  It is lost then.  Where nobody reads any more, a command ends. */
const char *hand_on(RT) {
    size_t used = rt->output_used;
    rt->output_used = 0;
    if (used == 0) return NULL;
    if (fwrite(rt->output_bytes, 1, used, stdout) == used && fflush(stdout) == 0) return NULL;
    if (errno == EPIPE && rt->failed == NULL) exit(1);
    text t = {.rt = rt};
    text_string(&t, "cannot write standard output: ");
    text_string(&t, strerror(errno));
    text_add(&t, "", 1);
    clearerr(stdout);
    return t.bytes;
}

void flush_output(RT) {
    const char *problem = hand_on(rt);
    if (problem) die(rt, "error", problem, NULL);
}

/* Write to standard output. */
void write_out(RT, const char *bytes, size_t count) {
    if (count == 0) return;
    rt->at_line_start = bytes[count - 1] == '\n';
    while (count > 0) {
        size_t room = OUTPUT_BYTES - rt->output_used, some = count < room ? count : room;
        memcpy(rt->output_bytes + rt->output_used, bytes, some);
        rt->output_used += some;
        bytes += some, count -= some;
        if (rt->output_used == OUTPUT_BYTES) flush_output(rt);
    }
}

void end_line(RT) {
    if (!rt->at_line_start) write_out(rt, "\n", 1);
}

static word empty_buffer(RT, size_t size) {
    word made = make_object(rt, BYTES, (size + 7) / 8 + 1);
    FIELD(made, 0) = (word)size;
    return made;
}

static void write_to(RT, word port, const char *text, size_t count) {
    if (FIELD(port, 0) == FALSE) return write_out(rt, text, count);
    size_t used = (size_t)UNFIX(FIELD(port, 1));
    if (used + count > COUNT(FIELD(port, 0))) {
        word bigger = empty_buffer(rt, 2 * (used + count) + 48);
        memcpy(DATA(bigger), DATA(FIELD(port, 0)), used);
        put(rt, &FIELD(port, 0), bigger);
    }
    memcpy(DATA(FIELD(port, 0)) + used, text, count);
    FIELD(port, 1) = FIX(used + count);
}

static word need_open(RT, const char *name, word port, kind wanted, const char *what, int field) {
    if (!IS_KIND(port, wanted)) fail_expected(rt, name, what, port);
    if (FIELD(port, field) == FALSE) fail(rt, "%s: the port is closed", name);
    return port;
}

static word out(RT, const char *name, word port) {
    if (port == ABSENT) return rt->output;
    return need_open(rt, name, port, OUTPUT, "an output port", 2);
}

static word print_to(RT, const char *name, word x, word port, manner manner) {
    port = out(rt, name, port);
    text t = {.rt = rt};
    print(&t, x, manner);
    write_to(rt, port, t.bytes, t.used);
    text_free(&t);
    return UNSPECIFIED;
}

word op_display(RT, word x, word port) { return print_to(rt, "display", x, port, DISPLAY); }
word op_write(RT, word x, word port) { return print_to(rt, "write", x, port, WRITE); }
word op_write_shared(RT, word x, word port) { return print_to(rt, "write-shared", x, port, SHARED); }
word op_write_simple(RT, word x, word port) { return print_to(rt, "write-simple", x, port, WRITE); }
word op_substring(RT, word x, word start, word end);

word op_write_string(RT, word x, word port, word start, word end) {
    port = out(rt, "write-string", port);
    size_t first, last, count = COUNT(need_string(rt, "write-string", x));
    need_range(rt, "write-string", count, start, end, &first, &last);
    if (last - first < count) x = op_substring(rt, x, FIX(first), FIX(last));
    return print_to(rt, "write-string", x, port == rt->output ? ABSENT : port, DISPLAY);
}
word op_write_char(RT, word x, word port) {
    port = out(rt, "write-char", port);
    uint32_t c = need_character(rt, "write-char", x);
    if (c < 0x80) {
        char byte = (char)c;
        write_to(rt, port, &byte, 1);
        return UNSPECIFIED;
    }
    return print_to(rt, "write-char", x, port == rt->output ? ABSENT : port, DISPLAY);
}
word op_newline(RT, word port) {
    write_to(rt, out(rt, "newline", port), "\n", 1);
    return UNSPECIFIED;
}
word op_flush_output_port(RT, word port) {
    if (FIELD(out(rt, "flush-output-port", port), 0) == FALSE) flush_output(rt);
    return UNSPECIFIED;
}
word op_current_output_port(RT) { return rt->output; }
word op_open_output_string(RT) { return make_output(rt, empty_buffer(rt, 48)); }
word op_get_output_string(RT, word port) {
    if (!IS_KIND(port, OUTPUT) || FIELD(port, 0) == FALSE)
        fail_expected(rt, "get-output-string", "a string output port", port);
    return string_of(rt, (const char *)DATA(FIELD(port, 0)), (size_t)UNFIX(FIELD(port, 1)));
}

/* Input */

static word in(RT, const char *name, word port) { return need_open(rt, name, port, INPUT, "an input port", 2); }
static size_t position(word port) { return (size_t)UNFIX(FIELD(port, 1)); }

word op_open_input_string(RT, word x) {
    need_string(rt, "open-input-string", x);
    word made = make_object(rt, INPUT, 3);
    FIELD(made, 0) = x;
    FIELD(made, 1) = FIX(0);
    FIELD(made, 2) = TRUE;
    return made;
}

static word peek(word port) {
    size_t i = position(port);
    return i < COUNT(FIELD(port, 0)) ? CHARACTER(string_at(FIELD(port, 0), i)) : END_OF_FILE;
}
word op_peek_char(RT, word port) { return peek(in(rt, "peek-char", port)); }
word op_read_char(RT, word port) {
    word found = peek(in(rt, "read-char", port));
    FIELD(port, 1) += FIX(1);
    return found;
}

word op_read_line(RT, word port) {
    word s = FIELD(in(rt, "read-line", port), 0);
    size_t start = position(port), end = start;
    if (start >= COUNT(s)) return END_OF_FILE;
    while (end < COUNT(s) && string_at(s, end) != '\n') end++;
    FIELD(port, 1) = FIX(end + 1);
    return op_substring(rt, s, FIX(start), FIX(end));
}

word op_read_string(RT, word count, word port) {
    int64_t wanted = need_integer(rt, "read-string", count);
    word s = FIELD(in(rt, "read-string", port), 0);
    if (wanted < 0) fail(rt, "read-string: the count %i is negative", wanted);
    size_t start = position(port);
    if (wanted && start >= COUNT(s)) return END_OF_FILE;
    if (start > COUNT(s)) start = COUNT(s);
    size_t left = COUNT(s) - start, end = start + ((uword)wanted < left ? (size_t)wanted : left);
    if (end > start) FIELD(port, 1) = FIX(end);
    return op_substring(rt, s, FIX(start), FIX(end));
}

/* The next datum; the port then stands behind it.  After an error nothing is left to read.  Of the
   text only so much is looked at as it takes to see where the datum ends. */
word op_read(RT, word port) {
    word text = FIELD(in(rt, "read", port), 0), datum;
    size_t count = COUNT(text), start = position(port);
    if (start > count) start = count;
    for (size_t part = 256;; part *= 4) {
        size_t end = count - start > part ? start + part : count;
        uint32_t *characters = allocate_block(rt, end - start + 1, sizeof *characters);
        for (size_t i = start; i < end; i++) characters[i - start] = string_at(text, i);
        reading r = {.rt = rt, .at = characters, .start = start ? NULL : characters,
                     .end = characters + (end - start)};
        bool found = read_one(&r, &datum);
        size_t behind = start + (size_t)(r.at - characters);
        release(rt, characters);
        if (end < count && (!found || behind == end)) continue;
        FIELD(port, 1) = FIX(found ? behind : count);
        if (r.error) fail(rt, "read: %s", r.error == r.message ? r.message : r.error);
        return found ? datum : END_OF_FILE;
    }
}

word op_eof_object(RT) { return END_OF_FILE; }
word op_eof_object_p(RT, word x) { return BOOL(x == END_OF_FILE); }

/* Ports */

word op_port_p(RT, word x) { return BOOL(IS_KIND(x, INPUT) || IS_KIND(x, OUTPUT)); }
word op_textual_port_p(RT, word x) { return op_port_p(rt, x); }
word op_input_port_p(RT, word x) { return BOOL(IS_KIND(x, INPUT)); }
word op_output_port_p(RT, word x) { return BOOL(IS_KIND(x, OUTPUT)); }
word op_input_port_open_p(RT, word x) {
    if (!IS_KIND(x, INPUT)) fail_expected(rt, "input-port-open?", "an input port", x);
    return FIELD(x, 2);
}
word op_output_port_open_p(RT, word x) {
    if (!IS_KIND(x, OUTPUT)) fail_expected(rt, "output-port-open?", "an output port", x);
    return FIELD(x, 2);
}
word op_close_input_port(RT, word x) {
    if (!IS_KIND(x, INPUT)) fail_expected(rt, "close-input-port", "an input port", x);
    FIELD(x, 2) = FALSE;
    return UNSPECIFIED;
}
word op_close_output_port(RT, word x) {
    if (!IS_KIND(x, OUTPUT)) fail_expected(rt, "close-output-port", "an output port", x);
    FIELD(x, 2) = FALSE;
    return UNSPECIFIED;
}
word op_close_port(RT, word x) { return IS_KIND(x, INPUT) ? op_close_input_port(rt, x) : op_close_output_port(rt, x); }

/* Error objects */

word op_error_object_p(RT, word x) { return BOOL(IS_KIND(x, CONDITION)); }
word op_error_object_message(RT, word x) {
    if (!IS_KIND(x, CONDITION)) fail_expected(rt, "error-object-message", "an error object", x);
    return FIELD(x, 0);
}
word op_error_object_irritants(RT, word x) {
    if (!IS_KIND(x, CONDITION)) fail_expected(rt, "error-object-irritants", "an error object", x);
    return FIELD(x, 1);
}
