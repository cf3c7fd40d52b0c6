/* Ports.  An OUTPUT object: buffer (bytes; of characters, UTF-8), bytes used, open, stream, whether of
   bytes; a port with a stream has no buffer.  An INPUT object: a string or bytes, position, open,
   stream, whether `read` takes names without case.  A stream is a number, or #f. */

#include "inline.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* A stream is NULL once it is closed.  The standard ones are there from the start. */
struct stream { FILE *file; };
enum { IN_STREAM, OUT_STREAM, ERROR_STREAM, FIRST_STREAM };

static word make_output(RT, word buffer, word stream, bool of_bytes) {
    word made = make_object(rt, OUTPUT, 5);
    FIELD(made, 0) = buffer;
    FIELD(made, 1) = FIX(0);
    FIELD(made, 2) = TRUE;
    FIELD(made, 3) = stream;
    FIELD(made, 4) = BOOL(of_bytes);
    return made;
}

static word make_input(RT, word content, word stream) {
    word made = make_object(rt, INPUT, 5);
    FIELD(made, 0) = content;
    FIELD(made, 1) = FIX(0);
    FIELD(made, 2) = TRUE;
    FIELD(made, 3) = stream;
    FIELD(made, 4) = FALSE;
    return made;
}

/* The number of a stream. */
static word add_stream(RT, FILE *file) {
    struct stream *all = reallocate(rt, rt->streams, (size_t)rt->stream_count + 1, sizeof *all);
    keep(rt, all);
    all[rt->stream_count].file = file;
    rt->streams = all;
    return FIX(rt->stream_count++);
}

void start_ports(RT) {
    rt->input = make_input(rt, make_string_of(rt, 0, false), add_stream(rt, stdin));
    rt->output = make_output(rt, FALSE, add_stream(rt, stdout), false);
    rt->errors = make_output(rt, FALSE, add_stream(rt, stderr), false);
    rt->at_line_start = true;
}

void close_streams(RT) {
    for (int i = FIRST_STREAM; i < rt->stream_count; i++)
        if (rt->streams[i].file) fclose(rt->streams[i].file);
    rt->stream_count = 0;
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

/* What failed when a stream was written, as an error of the program. */
NORETURN static void fail_to_write(RT) {
    FAIL_OF(FILE_FAILURE, "write: %s", strerror(errno));
}

/* Where the next bytes go, so many, in a port with a buffer. */
static uint8_t *room_in(RT, word port, size_t count) {
    size_t used = (size_t)UNFIX(FIELD(port, 1));
    if (UNLIKELY(used + count > COUNT(FIELD(port, 0)))) {
        word bigger = empty_buffer(rt, 2 * (used + count) + 48);
        memcpy(DATA(bigger), DATA(FIELD(port, 0)), used);
        put(rt, &FIELD(port, 0), bigger);
    }
    FIELD(port, 1) = FIX(used + count);
    return DATA(FIELD(port, 0)) + used;
}

static void write_to(RT, word port, const char *text, size_t count) {
    if (FIELD(port, 0) == FALSE) {
        word stream = UNFIX(FIELD(port, 3));
        if (stream == OUT_STREAM) return write_out(rt, text, count);
        if (count == 1 && stream >= FIRST_STREAM) { /* files are an instance's own */
            if (putc_unlocked(text[0], rt->streams[stream].file) == EOF) fail_to_write(rt);
            return;
        }
        if (fwrite(text, 1, count, rt->streams[stream].file) != count) fail_to_write(rt);
        return;
    }
    memcpy(room_in(rt, port, count), text, count);
}

static bool is_of_bytes(word port) {
    return KIND(port) == INPUT ? IS_BYTES(FIELD(port, 0)) : FIELD(port, 4) == TRUE;
}

/* The port, of characters or of bytes; refused if it is another thing, or closed. */
static word need_open(RT, const char *name, word port, kind wanted, bool of_bytes) {
    const char *sort = of_bytes ? "a binary" : IS_KIND(port, wanted) ? "a textual" : "an";
    if (!IS_KIND(port, wanted) || is_of_bytes(port) != of_bytes)
        fail(rt, "%s: expected %s %s port, got %w", name, sort, wanted == INPUT ? "input" : "output", port);
    if (FIELD(port, 2) == FALSE) fail(rt, "%s: the port is closed", name);
    return port;
}

static word out(RT, const char *name, word port) {
    return need_open(rt, name, port == ABSENT ? rt->output : port, OUTPUT, false);
}

/* Whether characters are written to a file by an open port. */
static bool is_open_file(word port) {
    if (!IS_KIND(port, OUTPUT) || FIELD(port, 0) != FALSE || FIELD(port, 2) != TRUE) return false;
    return FIELD(port, 4) == FALSE && UNFIX(FIELD(port, 3)) >= FIRST_STREAM;
}

/* A short string of wide characters, if it is ASCII. */
static bool print_wide(RT, word x, word port) {
    enum { SHORT = 128 };
    char bytes[SHORT];
    size_t count = COUNT(x);
    const uint32_t *all = WIDE_DATA(x);
    uint32_t any = 0;
    if (count > SHORT) return false;
    for (size_t i = 0; i < count; i++) any |= all[i];
    if (any >= 0x80) return false;
    uint8_t *to = FIELD(port, 0) == FALSE ? (uint8_t *)bytes : room_in(rt, port, count);
    for (size_t i = 0; i < count; i++) to[i] = (uint8_t)all[i];
    if (to == (uint8_t *)bytes) write_to(rt, port, bytes, count);
    return true;
}

/* What most programs write most: small integers, and text in ASCII that is displayed. */
static bool print_plain(RT, word x, word port, manner manner) {
    char digits[24], *end = digits + sizeof digits, *p = end;
    if (IS_FIX(x)) {
        uword left = x < 0 ? -(uword)UNFIX(x) : (uword)UNFIX(x);
        do *--p = (char)('0' + left % 10), left /= 10; while (left);
        if (x < 0) *--p = '-';
        write_to(rt, port, p, (size_t)(end - p));
        return true;
    }
    if (manner != DISPLAY) return false;
    if (IS_CHARACTER(x) && CODE_POINT(x) < 0x80) {
        *--p = (char)CODE_POINT(x);
        write_to(rt, port, p, 1);
        return true;
    }
    if (IS_KIND(x, WIDE)) return print_wide(rt, x, port);
    if (!IS_KIND(x, STRING) || !is_ascii(DATA(x), COUNT(x))) return false;
    write_to(rt, port, (const char *)DATA(x), COUNT(x));
    return true;
}

static word print_to(RT, const char *name, word x, word port, manner manner) {
    port = out(rt, name, port);
    if (print_plain(rt, x, port, manner)) return UNSPECIFIED;
    text t = {.rt = rt};
    print(&t, x, manner);
    write_to(rt, port, t.bytes, t.used);
    text_free(&t);
    return UNSPECIFIED;
}

/* A string in ASCII goes into a port's buffer as it is looked at, if there is room; what is put
   there otherwise does not count. */
static bool display_text(word x, word port) {
    size_t count = COUNT(x), used = (size_t)UNFIX(FIELD(port, 1));
    if (count > COUNT(FIELD(port, 0)) - used) return false;
    uint8_t *to = DATA(FIELD(port, 0)) + used;
    uint32_t any = 0;
    if (KIND(x) == STRING) for (size_t i = 0; i < count; i++) any |= to[i] = DATA(x)[i];
    else for (size_t i = 0; i < count; i++) any |= WIDE_DATA(x)[i], to[i] = (uint8_t)WIDE_DATA(x)[i];
    if (any < 0x80) FIELD(port, 1) = FIX(used + count);
    return any < 0x80;
}

word op_display(RT, word x, word port) {
    if (IS_KIND(x, SYMBOL)) x = FIELD(x, 0);
    if (IS_STRING(x) && has_room(port) && display_text(x, port)) return UNSPECIFIED;
    return print_to(rt, "display", x, port, DISPLAY);
}
word op_write(RT, word x, word port) { return print_to(rt, "write", x, port, WRITE); }
word op_write_shared(RT, word x, word port) { return print_to(rt, "write-shared", x, port, SHARED); }
word op_write_simple(RT, word x, word port) { return print_to(rt, "write-simple", x, port, WRITE); }
word op_substring(RT, word x, word start, word end);

word op_write_string(RT, word x, word port, word start, word end) {
    if (start == ABSENT && IS_STRING(x) && has_room(port) && display_text(x, port)) return UNSPECIFIED;
    port = out(rt, "write-string", port);
    size_t first, last, count = COUNT(need_string(rt, "write-string", x));
    need_range(rt, "write-string", count, start, end, &first, &last);
    if (last - first < count) x = op_substring(rt, x, FIX(first), FIX(last));
    return print_to(rt, "write-string", x, port == rt->output ? ABSENT : port, DISPLAY);
}
word op_write_char(RT, word x, word port) {
    if (IS_ASCII(x) && is_open_file(port)) { /* it is an instance's own */
        if (putc_unlocked((char)CODE_POINT(x), rt->streams[UNFIX(FIELD(port, 3))].file) == EOF) fail_to_write(rt);
        return UNSPECIFIED;
    }
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
    if (port == ABSENT || !IS_KIND(port, OUTPUT) || !is_of_bytes(port)) port = out(rt, "flush-output-port", port);
    if (FIELD(port, 0) != FALSE) return UNSPECIFIED;
    word stream = UNFIX(FIELD(port, 3));
    if (stream == OUT_STREAM) flush_output(rt);
    else if (FIELD(port, 2) == FALSE) fail(rt, "flush-output-port: the port is closed");
    else if (fflush(rt->streams[stream].file) != 0) fail_to_write(rt);
    return UNSPECIFIED;
}
word op_current_input_port(RT) { return rt->input; }
word op_current_output_port(RT) { return rt->output; }
word op_current_error_port(RT) { return rt->errors; }
word op_pct_swap_port_x(RT, word number, word port) {
    static const char *const names[] = {"current-input-port", "current-output-port", "current-error-port"};
    word which = UNFIX(number), *place = which == 0 ? &rt->input : which == 1 ? &rt->output : &rt->errors;
    if (!IS_KIND(port, which == 0 ? INPUT : OUTPUT))
        fail_expected(rt, names[which], which == 0 ? "an input port" : "an output port", port);
    word before = *place;
    *place = port;
    return before;
}
word op_open_output_string(RT) { return make_output(rt, empty_buffer(rt, 48), FALSE, false); }
word op_get_output_string(RT, word port) {
    if (!IS_KIND(port, OUTPUT) || FIELD(port, 0) == FALSE || is_of_bytes(port))
        fail_expected(rt, "get-output-string", "a string output port", port);
    return string_of(rt, (const char *)DATA(FIELD(port, 0)), (size_t)UNFIX(FIELD(port, 1)));
}

/* Input of characters.  Of a stream, the string of the port is a part: what was read is dropped when
   more is taken, a line at a time and at least so many bytes. */

enum { LINE_BY_LINE = 64, LEAST_READ = 1 << 16, LEAST_OF_FILES = 1 << 13 };

/* Whether nobody waits at the other end for what is answered to each line. */
static bool is_plain_file(FILE *file) {
    struct stat found;
    return fstat(fileno(file), &found) == 0 && S_ISREG(found.st_mode);
}

static word in(RT, const char *name, word port) {
    return need_open(rt, name, port == ABSENT ? rt->input : port, INPUT, false);
}
static size_t position(word port) { return (size_t)UNFIX(FIELD(port, 1)); }
static size_t left(word port) {
    size_t count = COUNT(FIELD(port, 0)), start = position(port);
    return start < count ? count - start : 0;
}

/* So many bytes of a stream, or all that there are. */
static void take_block(text *t, FILE *file, size_t count) {
    char part[LEAST_OF_FILES];
    while (count > 0) {
        size_t some = fread(part, 1, count < sizeof part ? count : sizeof part, file);
        if (some == 0) return;
        text_add(t, part, some);
        count -= some;
    }
}

/* The bytes of the next line of a stream, or of so many if that is more, whole characters. */
static void take_line(text *t, FILE *file, size_t least) {
    char part[256];
    size_t used = 0;
    if (least >= LEAST_OF_FILES) take_block(t, file, least - 1);
    flockfile(file);
    for (int c; (c = getc_unlocked(file)) != EOF;) {
        part[used++] = (char)c;
        if (used == sizeof part) text_add(t, part, used), used = 0;
        size_t all = t->used + used;
        if (all < least || (c != '\n' && all < LEAST_READ)) continue;
        int next = c < 0x80 ? c : getc_unlocked(file);
        if (c >= 0x80 && next != EOF) ungetc(next, file);
        if (c < 0x80 || (next & 0xc0) != 0x80) break;
    }
    funlockfile(file);
    if (used) text_add(t, part, used);
}

/* Whether there was more to read. */
static bool more(RT, const char *name, word port, size_t least) {
    if (FIELD(port, 3) == FALSE) return false;
    FILE *file = rt->streams[UNFIX(FIELD(port, 3))].file;
    if (file == stdin) flush_output(rt); /* a question before its answer */
    text t = {.rt = rt};
    take_line(&t, file, least < LEAST_OF_FILES && is_plain_file(file) ? LEAST_OF_FILES : least);
    if (t.used == 0) {
        if (ferror(file)) FAIL_OF(FILE_FAILURE, "%s: cannot read: %s", name, strerror(errno));
        clearerr(file);
        return false;
    }
    size_t before = left(port), count = before;
    if (before == 0 && is_ascii(t.bytes, t.used)) {
        put(rt, &FIELD(port, 0), string_of(rt, t.bytes, t.used));
        FIELD(port, 1) = FIX(0);
        text_free(&t);
        return true;
    }
    uint32_t *characters = allocate_block(rt, before + t.used + 1, sizeof *characters);
    for (size_t i = 0; i < before; i++) characters[i] = string_at(FIELD(port, 0), position(port) + i);
    for (size_t i = 0, step; i < t.used; i += step, count++)
        if (!(step = decode(t.bytes + i, t.used - i, &characters[count])))
            FAIL_OF(FILE_FAILURE, "%s: the file is not UTF-8 text", name);
    put(rt, &FIELD(port, 0), string_of_characters(rt, characters, count));
    FIELD(port, 1) = FIX(0);
    release(rt, characters);
    text_free(&t);
    return true;
}

word op_open_input_string(RT, word x) { return make_input(rt, need_string(rt, "open-input-string", x), FALSE); }

static word peek(RT, const char *name, word port) {
    if (left(port) == 0 && !more(rt, name, port, 0)) return END_OF_FILE;
    return CHARACTER(string_at(FIELD(port, 0), position(port)));
}
word op_peek_char(RT, word port) { return peek(rt, "peek-char", in(rt, "peek-char", port)); }
word op_read_char(RT, word port) {
    port = in(rt, "read-char", port);
    word found = peek(rt, "read-char", port);
    if (found != END_OF_FILE) FIELD(port, 1) += FIX(1);
    return found;
}
word op_char_ready_p(RT, word port) {
    port = in(rt, "char-ready?", port);
    if (left(port) > 0 || FIELD(port, 3) == FALSE) return TRUE;
    struct pollfd one = {.fd = fileno(rt->streams[UNFIX(FIELD(port, 3))].file), .events = POLLIN};
    return BOOL(poll(&one, 1, 0) != 0);
}

word op_read_line(RT, word port) {
    port = in(rt, "read-line", port);
    if (left(port) == 0 && !more(rt, "read-line", port, 0)) return END_OF_FILE;
    for (size_t looked = 0;;) {
        word s = FIELD(port, 0);
        size_t start = position(port), end = start + looked;
        while (end < COUNT(s) && string_at(s, end) != '\n') end++;
        bool ends = end < COUNT(s);
        looked = end - start;
        if (!ends && more(rt, "read-line", port, 0)) continue;
        FIELD(port, 1) = FIX(end + ends);
        return op_substring(rt, s, FIX(start), FIX(end));
    }
}

word op_read_string(RT, word count, word port) {
    int64_t wanted = need_integer(rt, "read-string", count);
    port = in(rt, "read-string", port);
    if (wanted < 0) fail(rt, "read-string: the count %i is negative", wanted);
    while (left(port) < (uword)wanted && more(rt, "read-string", port, (uword)wanted - left(port))) continue;
    if (wanted && left(port) == 0) return END_OF_FILE;
    size_t start = position(port), some = (uword)wanted < left(port) ? (size_t)wanted : left(port);
    if (start > COUNT(FIELD(port, 0))) start = COUNT(FIELD(port, 0));
    if (some) FIELD(port, 1) = FIX(start + some);
    return op_substring(rt, FIELD(port, 0), FIX(start), FIX(start + some));
}

/* The next datum; the port then stands behind it.  After an error nothing is left to read.  Of the
   text only so much is looked at as it takes to see where the datum ends. */
word op_read(RT, word port) {
    port = in(rt, "read", port);
    word datum;
    size_t lines = 0;
    for (size_t part = 256;;) {
        word text = FIELD(port, 0);
        size_t count = COUNT(text), start = position(port) < count ? position(port) : count;
        size_t end = count - start > part ? start + part : count;
        uint32_t *characters = allocate_block(rt, end - start + 1, sizeof *characters);
        for (size_t i = start; i < end; i++) characters[i - start] = string_at(text, i);
        reading r = {.rt = rt, .at = characters, .start = start ? NULL : characters,
                     .end = characters + (end - start), .fold = FIELD(port, 4) == TRUE};
        bool found = read_one(&r, &datum);
        size_t behind = start + (size_t)(r.at - characters);
        release(rt, characters);
        bool may_go_on = !found || behind == end;
        if (may_go_on && end < count) {
            part *= 4;
            continue;
        }
        if (may_go_on && more(rt, "read", port, ++lines > LINE_BY_LINE ? end - start : 0)) continue;
        FIELD(port, 1) = FIX(found ? behind : count);
        FIELD(port, 4) = BOOL(r.fold);
        if (r.error) FAIL_OF(READ_FAILURE, "read: %s", r.error == r.message ? r.message : r.error);
        return found ? datum : END_OF_FILE;
    }
}

word op_eof_object(RT) { return END_OF_FILE; }
word op_eof_object_p(RT, word x) { return BOOL(x == END_OF_FILE); }

/* Bytes */

static word bytes_of(RT, const uint8_t *data, size_t count) {
    word made = empty_buffer(rt, count);
    memcpy(DATA(made), data, count);
    return made;
}

static word in_bytes(RT, const char *name, word port) {
    return need_open(rt, name, port == ABSENT ? rt->input : port, INPUT, true);
}
static word out_bytes(RT, const char *name, word port) {
    return need_open(rt, name, port == ABSENT ? rt->output : port, OUTPUT, true);
}

/* How many bytes there are to be read, so many at most. */
static size_t has(RT, const char *name, word port, size_t count) {
    size_t before = left(port);
    if (before < count && FIELD(port, 3) != FALSE) {
        FILE *file = rt->streams[UNFIX(FIELD(port, 3))].file;
        size_t room = before + (count - before > LEAST_READ ? count - before : LEAST_READ);
        word made = empty_buffer(rt, room);
        memcpy(DATA(made), DATA(FIELD(port, 0)) + position(port), before);
        size_t some = fread(DATA(made) + before, 1, room - before, file);
        if (ferror(file)) FAIL_OF(FILE_FAILURE, "%s: cannot read: %s", name, strerror(errno));
        FIELD(made, 0) = (word)(before + some);
        put(rt, &FIELD(port, 0), made);
        FIELD(port, 1) = FIX(0);
    }
    return left(port) < count ? left(port) : count;
}

static const uint8_t *next_bytes(word port) { return DATA(FIELD(port, 0)) + position(port); }

word op_open_input_bytevector(RT, word x) {
    need_bytes(rt, "open-input-bytevector", x, "a bytevector");
    return make_input(rt, bytes_of(rt, DATA(x), COUNT(x)), FALSE);
}
word op_open_output_bytevector(RT) { return make_output(rt, empty_buffer(rt, 48), FALSE, true); }
word op_get_output_bytevector(RT, word port) {
    if (!IS_KIND(port, OUTPUT) || FIELD(port, 0) == FALSE || !is_of_bytes(port))
        fail_expected(rt, "get-output-bytevector", "a bytevector output port", port);
    return bytes_of(rt, DATA(FIELD(port, 0)), (size_t)UNFIX(FIELD(port, 1)));
}
word op_peek_u8(RT, word port) {
    port = in_bytes(rt, "peek-u8", port);
    return has(rt, "peek-u8", port, 1) ? FIX(*next_bytes(port)) : END_OF_FILE;
}
word op_read_u8(RT, word port) {
    port = in_bytes(rt, "read-u8", port);
    if (has(rt, "read-u8", port, 1) == 0) return END_OF_FILE;
    word found = FIX(*next_bytes(port));
    FIELD(port, 1) += FIX(1);
    return found;
}
word op_u8_ready_p(RT, word port) {
    in_bytes(rt, "u8-ready?", port);
    return TRUE;
}
word op_read_bytevector(RT, word count, word port) {
    int64_t wanted = need_integer(rt, "read-bytevector", count);
    port = in_bytes(rt, "read-bytevector", port);
    if (wanted < 0) fail(rt, "read-bytevector: the count %i is negative", wanted);
    size_t some = has(rt, "read-bytevector", port, (size_t)wanted);
    if (wanted && some == 0) return END_OF_FILE;
    word made = bytes_of(rt, next_bytes(port), some);
    FIELD(port, 1) += FIX(some);
    return made;
}
word op_read_bytevector_x(RT, word x, word port, word start, word end) {
    const char *name = "read-bytevector!";
    size_t first, last;
    need_bytes(rt, name, x, "a bytevector");
    port = in_bytes(rt, name, port);
    need_range(rt, name, COUNT(x), start == ABSENT ? FIX(0) : start, end, &first, &last);
    size_t some = has(rt, name, port, last - first);
    if (first < last && some == 0) return END_OF_FILE;
    memcpy(DATA(x) + first, next_bytes(port), some);
    FIELD(port, 1) += FIX(some);
    return FIX(some);
}
word op_write_u8(RT, word x, word port) {
    if (!IS_INTEGER(x)) fail_expected(rt, "write-u8", "a byte", x);
    if (integer_value(x) < 0 || integer_value(x) > 255) fail(rt, "write-u8: %i is no byte (0 to 255)", integer_value(x));
    char byte = (char)UNFIX(x);
    write_to(rt, out_bytes(rt, "write-u8", port), &byte, 1);
    return UNSPECIFIED;
}
word op_write_bytevector(RT, word x, word port, word start, word end) {
    size_t first, last;
    need_bytes(rt, "write-bytevector", x, "a bytevector");
    port = out_bytes(rt, "write-bytevector", port);
    need_range(rt, "write-bytevector", COUNT(x), start == ABSENT ? FIX(0) : start, end, &first, &last);
    write_to(rt, port, (const char *)DATA(x) + first, last - first);
    return UNSPECIFIED;
}

/* Files */

/* The bytes of a file's name, which go with the text. */
static const char *path_of(RT, const char *name, text *t, word x) {
    text_of_string(t, need_string(rt, name, x));
    text_add(t, "", 1);
    return t->bytes;
}

static word open_file(RT, const char *name, word x, const char *mode) {
    text t = {.rt = rt};
    const char *path = path_of(rt, name, &t, x), *problem = NULL;
    bool is_whole = strlen(path) + 1 == t.used;
    struct stat about;
    FILE *file = is_whole ? fopen(path, mode) : NULL;
    if (!is_whole) problem = "embedded null byte";
    else if (file == NULL) problem = strerror(errno);
    else if (*mode == 'r' && fstat(fileno(file), &about) == 0 && S_ISDIR(about.st_mode)) problem = strerror(EISDIR);
    if (problem && file) fclose(file);
    if (problem) FAIL_OF(FILE_FAILURE, "%s: cannot open %s: %s", name, path, problem);
    text_free(&t);
    return add_stream(rt, file);
}

word op_open_input_file(RT, word x) {
    word stream = open_file(rt, "open-input-file", x, "rb");
    return make_input(rt, make_string_of(rt, 0, false), stream);
}
word op_open_output_file(RT, word x) {
    return make_output(rt, FALSE, open_file(rt, "open-output-file", x, "wb"), false);
}
word op_open_binary_input_file(RT, word x) {
    word stream = open_file(rt, "open-binary-input-file", x, "rb");
    return make_input(rt, empty_buffer(rt, 0), stream);
}
word op_open_binary_output_file(RT, word x) {
    return make_output(rt, FALSE, open_file(rt, "open-binary-output-file", x, "wb"), true);
}
word op_file_exists_p(RT, word x) {
    text t = {.rt = rt};
    const char *path = path_of(rt, "file-exists?", &t, x);
    struct stat about;
    bool found = strlen(path) + 1 == t.used && stat(path, &about) == 0;
    text_free(&t);
    return BOOL(found);
}
word op_delete_file(RT, word x) {
    text t = {.rt = rt};
    const char *path = path_of(rt, "delete-file", &t, x), *problem = NULL;
    if (strlen(path) + 1 != t.used) problem = "embedded null byte";
    else if (unlink(path) != 0) problem = strerror(errno);
    if (problem) FAIL_OF(FILE_FAILURE, "delete-file: cannot delete %s: %s", path, problem);
    text_free(&t);
    return UNSPECIFIED;
}

static word is_failure(word x, failure_kind sort) { return BOOL(IS_KIND(x, CONDITION) && FIELD(x, 6) == FIX(sort)); }
word op_file_error_p(RT, word x) { return is_failure(x, FILE_FAILURE); }
word op_read_error_p(RT, word x) { return is_failure(x, READ_FAILURE); }

/* Ports */

word op_port_p(RT, word x) { return BOOL(IS_KIND(x, INPUT) || IS_KIND(x, OUTPUT)); }
word op_textual_port_p(RT, word x) { return BOOL(op_port_p(rt, x) == TRUE && !is_of_bytes(x)); }
word op_binary_port_p(RT, word x) { return BOOL(op_port_p(rt, x) == TRUE && is_of_bytes(x)); }
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
static word close_port(RT, word port) {
    FIELD(port, 2) = FALSE;
    word number = FIELD(port, 3);
    if (number == FALSE || UNFIX(number) < FIRST_STREAM) return UNSPECIFIED;
    struct stream *stream = &rt->streams[UNFIX(number)];
    FILE *file = stream->file;
    stream->file = NULL;
    if (file && fclose(file) != 0) fail_to_write(rt);
    return UNSPECIFIED;
}
word op_close_input_port(RT, word x) {
    if (!IS_KIND(x, INPUT)) fail_expected(rt, "close-input-port", "an input port", x);
    return close_port(rt, x);
}
word op_close_output_port(RT, word x) {
    if (!IS_KIND(x, OUTPUT)) fail_expected(rt, "close-output-port", "an output port", x);
    return close_port(rt, x);
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
