/* Operations that compiled programs do in line: allocation, calls, the common cases of the
   primitives.  A macro's `r` is the variable that takes the result, `s` the site;
   `rt`, `sp` and `hp` are those of the function that it stands in. */

#ifndef COGEN_INLINE_H
#define COGEN_INLINE_H

#include "operations.h"

/* Calls of the run time.  Compiled code keeps everything in registers that C functions may
   change; as such calls are rare, they go by way of `keep_registers`, which saves them, and no
   function has to make room for the case.  In a program without floats there is nothing in the
   registers for floats: `keep_words` saves the others only, in half of the time. */
#if defined __x86_64__ && !defined COGEN_SINGLE_FILE
#ifdef __PIC__
#define ADDRESS_OF(f) "lea " #f "(%%rip), %%rax"
#else
#define ADDRESS_OF(f) "mov $" #f ", %%eax"
#endif
#ifdef WITH_FLOATS
#define KEEPER "keep_registers"
#define NOT_KEPT "memory", "cc"
#else
#define KEEPER "keep_words"
#define NOT_KEPT "memory", "cc", \
    "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", \
    "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15"
#endif
#define KEEPING(f, ...) ({ word r_; register runtime *rt_ asm("r11") = rt; \
    asm volatile(ADDRESS_OF(f) "; call " KEEPER : "=a"(r_) : "r"(rt_), ##__VA_ARGS__ \
                 : NOT_KEPT); r_; })
#define CALL_0(f) KEEPING(f)
#define CALL_1(f, a) KEEPING(f, "S"((word)(a)))
#define CALL_2(f, a, b) KEEPING(f, "S"((word)(a)), "d"((word)(b)))
#define CALL_3(f, a, b, c) KEEPING(f, "S"((word)(a)), "d"((word)(b)), "c"((word)(c)))
#define CALL_4(f, a, b, c, d) ({ register word d_ asm("r8") = (word)(d); \
    KEEPING(f, "S"((word)(a)), "d"((word)(b)), "c"((word)(c)), "r"(d_)); })
#define CALL_5(f, a, b, c, d, e) ({ \
    register word d_ asm("r8") = (word)(d); register word e_ asm("r9") = (word)(e); \
    KEEPING(f, "S"((word)(a)), "d"((word)(b)), "c"((word)(c)), "r"(d_), "r"(e_)); })
/* What never returns needs no room on C's stack either, which every call that the compiler sees does. */
#define REFUSE(call) do { (void)(call); __builtin_unreachable(); } while (0)
#define REFUSE_1(f, a) REFUSE(CALL_1(f, a))
#define REFUSE_2(f, a, b) REFUSE(CALL_2(f, a, b))
#else
#define REFUSE_1(f, a) (f)(rt, a)
#define REFUSE_2(f, a, b) (f)(rt, a, b)
#define CALL_0(f) ((word)(f)(rt))
#define CALL_1(f, a) ((word)(f)(rt, a))
#define CALL_2(f, a, b) ((word)(f)(rt, a, b))
#define CALL_3(f, a, b, c) ((word)(f)(rt, a, b, c))
#define CALL_4(f, a, b, c, d) ((word)(f)(rt, a, b, c, d))
#define CALL_5(f, a, b, c, d, e) ((word)(f)(rt, a, b, c, d, e))
#endif

/* Tell the run time where we are; fetch what it changed. */
#define LEAVE(s) (rt->sp = sp, rt->hp = hp, rt->site = (s))
#define BACK (hp = rt->hp)
#define DO(r, s, call) (LEAVE(s), (r) = (call), BACK)
#define EFFECT(s, call) (LEAVE(s), (void)(call), BACK)
#define RETURN(v) return ((returned)sp[-1])(sp, hp, (v))

/* A call that direct code is not entered for (direct.c) */
#define PAUSE() (rt->pause -= rt->pause != 0)

/* Allocation: the room was asked for at the start of the function */
#define CONS(r, a, d) (hp[0] = (a), hp[1] = (d), (r) = (word)hp + PAIR_TAG, hp += 2)
#define BOX(r, kind, x) \
    (hp[0] = HEADER(kind, 1), hp[1] = (x), (r) = (word)hp + OBJECT_TAG, hp += 2)
#define FLOAT(r, x) do { double x_ = (x); word w_; memcpy(&w_, &x_, 8); BOX(r, FLONUM, w_); } while (0)
#define OBJECT_OF(r, kind, length) \
    (hp[0] = HEADER(kind, length), (r) = (word)hp + OBJECT_TAG, hp += (length) ? (length) + 1 : 2)
#define CLOSURE_OF(r, code, arity, count) \
    (hp[0] = CLOSURE_HEADER((count) + 1, arity), hp[1] = (word)(code), \
     (r) = (word)hp + CLOSURE_TAG, hp += (count) + 2)

/* So many words are moved in place, as frames mostly are few: a call of memcpy would take longer. */
static inline void copy_few(word *to, const word *from, size_t count) {
    for (size_t i = 0; i < count; i++) {
        to[i] = from[i];
        __asm__ volatile("" ::: "memory"); /* lest the compiler makes a call of it */
    }
}

static inline bool in_nursery(RT, word address) {
    return (uword)address - (uword)rt->nursery < rt->nursery_bytes;
}

/* Store into an object; an older one that comes to point to a young one is remembered. */
static inline void put(RT, word *slot, word value) {
    *slot = value;
    if (!IS_FIX(value) && TAG(value) != IMMEDIATE_TAG && in_nursery(rt, value) && !in_nursery(rt, (word)slot))
        CALL_1(remember, slot);
}

/* Arithmetic: both small and the result small; both floats, in programs that have any (WITH_FLOATS);
   or the general operation */
#ifdef WITH_FLOATS
#define BOTH_FLOATS(a, b) (IS_FLONUM(a) && IS_FLONUM(b))
#else
#define BOTH_FLOATS(a, b) false
#endif
#define ADD(r, a, b, s) do { word t_; \
    if (LIKELY(BOTH_FIX(a, b) && !__builtin_add_overflow(a, b, &t_))) (r) = t_; \
    else if (BOTH_FLOATS(a, b)) FLOAT(r, flonum_value(a) + flonum_value(b)); \
    else DO(r, s, CALL_2(op_add, a, b)); } while (0)
#define SUB(r, a, b, s) do { word t_; \
    if (LIKELY(BOTH_FIX(a, b) && !__builtin_sub_overflow(a, b, &t_))) (r) = t_; \
    else if (BOTH_FLOATS(a, b)) FLOAT(r, flonum_value(a) - flonum_value(b)); \
    else DO(r, s, CALL_2(op_sub, a, b)); } while (0)
#define MUL(r, a, b, s) do { word t_; \
    if (LIKELY(BOTH_FIX(a, b) && !__builtin_mul_overflow(UNFIX(a), b, &t_))) (r) = t_; \
    else if (BOTH_FLOATS(a, b)) FLOAT(r, flonum_value(a) * flonum_value(b)); \
    else DO(r, s, CALL_2(op_mul, a, b)); } while (0)
#define DIVIDE(r, a, b, s) do { \
    if (BOTH_FLOATS(a, b) && flonum_value(b) != 0) FLOAT(r, flonum_value(a) / flonum_value(b)); \
    else DO(r, s, CALL_2(op_div, a, b)); } while (0)
/* Floats out of their boxes; zero by zero is no sign of a NaN that differs between machines. */
static inline double float_quotient(double x, double y) {
    return y == 0 && !(x < 0 || x > 0) ? __builtin_nan("") : x / y;
}
static inline double float_root(double x) { return x < 0 ? __builtin_nan("") : __builtin_sqrt(x); }
#define UNBOX(x) flonum_value(x)
/* The one operand is a float out of its box, the other one may be anything. */
#define FLOAT_WITH(r, value, other, s, boxing, call) do { \
    if (LIKELY(IS_FLONUM(other))) (r) = (value); \
    else { word t_; boxing DO(t_, s, call); (r) = flonum_value(t_); } } while (0)
#define LESS(r, a, sign, b, op, s) do { \
    if (LIKELY(BOTH_FIX(a, b))) (r) = (a) sign (b); \
    else if (BOTH_FLOATS(a, b)) (r) = flonum_value(a) sign flonum_value(b); \
    else { word t_; DO(t_, s, CALL_2(op, a, b)); (r) = t_ == TRUE; } } while (0)
#define SIGN(r, a, sign, op, s) do { \
    if (LIKELY(IS_FIX(a))) (r) = (a) sign 0; \
    else { word t_; DO(t_, s, CALL_1(op, a)); (r) = t_ == TRUE; } } while (0)
#define BITS(r, a, sign, b, op, s) do { \
    if (LIKELY(BOTH_FIX(a, b))) (r) = (a) sign (b); else DO(r, s, CALL_2(op, a, b)); } while (0)
#define PARITY(r, a, bit, op, s) do { \
    if (LIKELY(IS_FIX(a))) (r) = (((a) >> 1) & 1) == (bit); \
    else { word t_; DO(t_, s, CALL_1(op, a)); (r) = t_ == TRUE; } } while (0)
/* Divisors -1 and 0 are left to the general operation: the one overflows, the other fails. */
#define SMALL_DIVISOR(b) ((b) != 0 && (b) != FIX(-1))
#define QUOTIENT(r, a, b, op, s) do { \
    if (LIKELY(BOTH_FIX(a, b) && SMALL_DIVISOR(b))) (r) = FIX((a) / (b)); \
    else DO(r, s, CALL_2(op, a, b)); } while (0)
#define REMAINDER(r, a, b, op, s) do { \
    if (LIKELY(BOTH_FIX(a, b) && SMALL_DIVISOR(b))) (r) = (a) % (b); \
    else DO(r, s, CALL_2(op, a, b)); } while (0)
#define FLOOR_QUOTIENT(r, a, b, op, s) do { \
    if (LIKELY(BOTH_FIX(a, b) && SMALL_DIVISOR(b))) { \
        word q_ = (a) / (b), m_ = (a) % (b); (r) = FIX(q_ - (m_ != 0 && (m_ ^ (b)) < 0)); } \
    else DO(r, s, CALL_2(op, a, b)); } while (0)
#define FLOOR_REMAINDER(r, a, b, op, s) do { \
    if (LIKELY(BOTH_FIX(a, b) && SMALL_DIVISOR(b))) { \
        word m_ = (a) % (b); (r) = m_ != 0 && (m_ ^ (b)) < 0 ? m_ + (b) : m_; } \
    else DO(r, s, CALL_2(op, a, b)); } while (0)

/* The next character of an open port of which there is text */
static inline bool has_text(word port) {
    if (!IS_KIND(port, INPUT) || FIELD(port, 2) != TRUE) return false;
    word all = FIELD(port, 0);
    return IS_STRING(all) && (uword)UNFIX(FIELD(port, 1)) < COUNT(all);
}
#define NEXT_CHARACTER(port) CHARACTER(string_at(FIELD(port, 0), (size_t)UNFIX(FIELD(port, 1))))
#define PEEK_CHAR(r, port, s) do { \
    if (LIKELY(has_text(port))) (r) = NEXT_CHARACTER(port); \
    else DO(r, s, CALL_1(op_peek_char, port)); } while (0)
#define READ_CHAR(r, port, s) do { word p_ = (port); \
    if (LIKELY(has_text(p_))) { (r) = NEXT_CHARACTER(p_); FIELD(p_, 1) += FIX(1); } \
    else DO(r, s, CALL_1(op_read_char, p_)); } while (0)
/* An open port for characters of which the buffer has room for one more */
static inline bool has_room(word port) {
    if (!IS_KIND(port, OUTPUT) || FIELD(port, 0) == FALSE || FIELD(port, 2) != TRUE || FIELD(port, 4) != FALSE)
        return false;
    return (uword)UNFIX(FIELD(port, 1)) < COUNT(FIELD(port, 0));
}
#define WRITE_CHAR(r, c, port, s) do { word p_ = (port); (r) = UNSPECIFIED; \
    if (LIKELY(IS_ASCII(c) && has_room(p_))) { \
        DATA(FIELD(p_, 0))[UNFIX(FIELD(p_, 1))] = (uint8_t)CODE_POINT(c); FIELD(p_, 1) += FIX(1); } \
    else EFFECT(s, CALL_2(op_write_char, c, p_)); } while (0)

/* Identity: different words are the same only if both are boxed numbers or strings */
#define SAME(a, b) \
    ((a) == (b) || (UNLIKELY(IS_OBJECT(a) && KIND(a) <= WIDE && IS_OBJECT(b)) && \
                    CALL_2(same_value, a, b) != 0))

/* Whatever is no number has to be looked into only if it may have parts, or as many characters. */
static inline bool differ_in_count(word a, word b) {
    return IS_STRING(a) && IS_STRING(b) && COUNT(a) != COUNT(b);
}
#define EQUAL(r, a, b, s) do { \
    if ((a) == (b)) (r) = true; \
    else if (IS_FIX(a) || IS_FIX(b) || TAG(a) != TAG(b) || TAG(a) == IMMEDIATE_TAG || differ_in_count(a, b)) (r) = false; \
    else { word t_; DO(t_, s, CALL_2(op_equal_p, a, b)); (r) = t_ == TRUE; } } while (0)

/* Characters: in line those of ASCII, here the printable ones and what is between words */
#define IS_ASCII(c) (IS_CHARACTER(c) && CODE_POINT(c) < 0x80)
#define BETWEEN(c, first, last) ((uint32_t)(CODE_POINT(c) - (first)) <= (uint32_t)((last) - (first)))
#define CHAR_TEST(r, c, is, test, op, s) do { \
    if (LIKELY(is)) (r) = (test); \
    else { word t_; DO(t_, s, CALL_1(op, c)); (r) = t_ == TRUE; } } while (0)
#define IS_LETTER(c) BETWEEN((c) | CHARACTER_BIT(0x20), 'a', 'z')
#define CHARACTER_BIT(bit) ((word)(bit) << 8)
#define CHAR_ALPHABETIC(r, c, s) CHAR_TEST(r, c, IS_ASCII(c), IS_LETTER(c), op_char_alphabetic_p, s)
#define CHAR_NUMERIC(r, c, s) CHAR_TEST(r, c, IS_ASCII(c), BETWEEN(c, '0', '9'), op_char_numeric_p, s)
#define CHAR_UPPER(r, c, s) CHAR_TEST(r, c, IS_ASCII(c), BETWEEN(c, 'A', 'Z'), op_char_upper_case_p, s)
#define CHAR_LOWER(r, c, s) CHAR_TEST(r, c, IS_ASCII(c), BETWEEN(c, 'a', 'z'), op_char_lower_case_p, s)
#define CHAR_WHITESPACE(r, c, s) CHAR_TEST(r, c, \
    IS_CHARACTER(c) && (BETWEEN(c, ' ', '~') || (c) == CHARACTER('\n')), CODE_POINT(c) <= ' ', \
    op_char_whitespace_p, s)
#define CHAR_CODE(r, c, s) do { \
    if (LIKELY(IS_CHARACTER(c))) (r) = FIX(CODE_POINT(c)); else DO(r, s, CALL_1(op_char_to_integer, c)); } while (0)
#define CHAR_CASE(r, c, first, last, op, s) do { \
    if (LIKELY(IS_ASCII(c))) (r) = BETWEEN(c, first, last) ? (c) ^ CHARACTER_BIT(0x20) : (c); \
    else DO(r, s, CALL_1(op, c)); } while (0)
#define CHAR_UPCASE(r, c, s) CHAR_CASE(r, c, 'a', 'z', op_char_upcase, s)
#define CHAR_DOWNCASE(r, c, s) CHAR_CASE(r, c, 'A', 'Z', op_char_downcase, s)

/* Parts of objects; what is refused goes to the operation, which says why */
#define READ_CAR(r, x, s) do { \
    if (UNLIKELY(!IS_PAIR(x))) { LEAVE(s); REFUSE_1(refuse_car, x); } (r) = CAR(x); } while (0)
#define READ_CDR(r, x, s) do { \
    if (UNLIKELY(!IS_PAIR(x))) { LEAVE(s); REFUSE_1(refuse_cdr, x); } (r) = CDR(x); } while (0)
/* Most lists are short: that these end is seen here. */
static inline bool ends_soon(word x) {
    for (int k = 0; k < 32; k++, x = CDR(x)) if (!IS_PAIR(x)) return true;
    return false;
}
#define FINITE(r, n, x, s) do { \
    if (LIKELY(ends_soon(x))) (r) = (x); else DO(r, s, CALL_2(op_pct_finite, n, x)); } while (0)
/* A search looks whether its list ends, every 2^20 rounds of all searches. */
#define WALKED(r, n, x, s) do { \
    (r) = UNSPECIFIED; \
    if (UNLIKELY((++rt->rounds & 0xfffff) == 0)) EFFECT(s, CALL_2(op_pct_walked, n, x)); } while (0)
/* The same in a loop, which has a count of its own, in `k_`. */
#define ROUND(r, n, x, s) do { \
    (r) = UNSPECIFIED; \
    if (UNLIKELY((++k_ & 0xfffff) == 0)) EFFECT(s, CALL_2(op_pct_walked, n, x)); } while (0)
#define PUT_CAR(x, v, s) do { \
    if (LIKELY(IS_PAIR(x))) put(rt, &CAR(x), v); else EFFECT(s, CALL_2(op_set_car_x, x, v)); } while (0)
#define PUT_CDR(x, v, s) do { \
    if (LIKELY(IS_PAIR(x))) put(rt, &CDR(x), v); else EFFECT(s, CALL_2(op_set_cdr_x, x, v)); } while (0)
#define IN_VECTOR(v, i) (IS_VECTOR(v) && IS_FIX(i) && (uword)UNFIX(i) < LENGTH(v))
#define VECTOR_REF(r, v, i, s) do { \
    if (UNLIKELY(!IN_VECTOR(v, i))) { LEAVE(s); REFUSE_2(refuse_vector_ref, v, i); } \
    (r) = FIELD(v, UNFIX(i)); } while (0)
#define VECTOR_SET(v, i, x, s) do { \
    if (LIKELY(IN_VECTOR(v, i))) put(rt, &FIELD(v, UNFIX(i)), x); \
    else EFFECT(s, CALL_3(op_vector_set_x, v, i, x)); } while (0)
#define STRING_REF(r, v, i, s) do { \
    if (LIKELY(IS_STRING(v) && IS_FIX(i) && (uword)UNFIX(i) < COUNT(v))) \
        (r) = CHARACTER(string_at(v, (size_t)UNFIX(i))); \
    else DO(r, s, CALL_2(op_string_ref, v, i)); } while (0)
#define STRING_SET(v, i, c, s) do { \
    if (LIKELY(IS_MUTABLE_STRING(v) && IS_FIX(i) && (uword)UNFIX(i) < COUNT(v) && IS_CHARACTER(c))) \
        WIDE_DATA(v)[UNFIX(i)] = CODE_POINT(c); \
    else EFFECT(s, CALL_3(op_string_set_x, v, i, c)); } while (0)
#define IN_BYTES(v, i) (IS_BYTES(v) && IS_FIX(i) && (uword)UNFIX(i) < COUNT(v))
#define BYTE_REF(r, v, i, s) do { \
    if (LIKELY(IN_BYTES(v, i))) (r) = FIX(DATA(v)[UNFIX(i)]); \
    else DO(r, s, CALL_2(op_bytevector_u8_ref, v, i)); } while (0)
#define BYTE_SET(v, i, x, s) do { \
    if (LIKELY(IN_BYTES(v, i) && IS_FIX(x) && (uword)(x) < FIX(256))) \
        DATA(v)[UNFIX(i)] = (uint8_t)UNFIX(x); \
    else EFFECT(s, CALL_3(op_bytevector_u8_set_x, v, i, x)); } while (0)
#define LENGTH_OF(r, v, test, count, op, s) do { \
    if (LIKELY(test(v))) (r) = FIX(count(v)); else DO(r, s, CALL_1(op, v)); } while (0)
#define CHARS(r, a, sign, b, op, s) do { \
    if (LIKELY(IS_CHARACTER(a) && IS_CHARACTER(b))) (r) = (a) sign (b); \
    else { word t_; DO(t_, s, CALL_2(op, a, b)); (r) = t_ == TRUE; } } while (0)
#define CELL_REF(r, c, s) do { \
    if (LIKELY(IS_KIND(c, CELL))) (r) = FIELD(c, 0); else DO(r, s, CALL_1(op_cell_ref, c)); } while (0)
#define CELL_SET(c, x, s) do { \
    if (LIKELY(IS_KIND(c, CELL))) put(rt, &FIELD(c, 0), x); else EFFECT(s, CALL_2(op_cell_set_x, c, x)); } while (0)
#define IS_RECORD(x, type) (IS_KIND(x, RECORD) && FIELD(x, 0) == (type))
#define RECORD_REF(r, type, i, x, s) do { \
    if (LIKELY(IS_RECORD(x, type))) (r) = FIELD(x, (i) + 1); \
    else DO(r, s, CALL_3(op_record_ref, type, FIX(i), x)); } while (0)
#define RECORD_SET(type, i, x, v, s) do { \
    if (LIKELY(IS_RECORD(x, type))) put(rt, &FIELD(x, (i) + 1), v); \
    else EFFECT(s, CALL_4(op_record_set_x, type, FIX(i), x, v)); } while (0)
#define GLOBAL_REF(r, g, name, s) do { (r) = (g); \
    if (UNLIKELY((r) == UNDEFINED)) { LEAVE(s); REFUSE_1(refuse_undefined, name); } } while (0)

/* The continuation of a call, whose frame of so many words has just been stored above `sp`.  Afterwards
   the stack buffer is empty, as `capture` leaves it.  In line where hardly anything else was in the
   buffer, as after another one; CAPTURE_PLACE is for tail calls, whose place stays in the buffer. */
#define CAPTURE(r, words, s) \
    (LEAVE(s), (r) = CALL_1(capture, sp + (words)), hp = rt->hp, sp = rt->sp)
static inline word continuation_at(RT, word *made, word older, word older_words) {
    made[0] = CLOSURE_HEADER(4, 1);
    made[1] = (word)continue_with;
    made[2] = older;
    made[3] = older_words;
    made[4] = rt->handlers;
    return (word)made + CLOSURE_TAG;
}
static inline word *stack_object(RT, word *made, size_t words) {
    made[0] = HEADER(STACK, words + 2);
    made[1] = rt->older;
    made[2] = rt->older_words;
    return made + 3;
}
#define CAPTURE_FRAME(r, words, s) do { \
    word *bottom_ = stack_bottom(rt); \
    if (LIKELY(sp == bottom_ || sp == bottom_ + 2)) { \
        size_t all_ = (size_t)(sp - bottom_) + (words); \
        word *to_ = stack_object(rt, hp, all_); \
        if (sp != bottom_) to_[0] = bottom_[0], to_[1] = bottom_[1], to_ += 2; \
        copy_few(to_, sp, words); \
        rt->older = (word)hp + OBJECT_TAG, rt->older_words = FIX(all_); \
        hp = to_ + (words), (r) = continuation_at(rt, hp, rt->older, rt->older_words), hp += 5; \
        sp = bottom_; \
    } else CAPTURE(r, words, s); } while (0)
#define CAPTURE_PLACE(r, s) do { \
    if (LIKELY(sp == stack_bottom(rt) + 2)) { \
        copy_few(stack_object(rt, hp, 2), sp - 2, 2); \
        (r) = continuation_at(rt, hp + 5, (word)hp + OBJECT_TAG, FIX(2)), hp += 10; \
    } else CAPTURE(r, 0, s); } while (0)

/* The operations of the primitive table by name: what compiled programs write. */
#define NUMBERS_EQ(r, a, b, s) LESS(r, a, ==, b, op_eq, s)
#define NUMBERS_LT(r, a, b, s) LESS(r, a, <, b, op_lt, s)
#define NUMBERS_GT(r, a, b, s) LESS(r, a, >, b, op_gt, s)
#define NUMBERS_LTEQ(r, a, b, s) LESS(r, a, <=, b, op_lteq, s)
#define NUMBERS_GTEQ(r, a, b, s) LESS(r, a, >=, b, op_gteq, s)
#define CHARS_EQ(r, a, b, s) CHARS(r, a, ==, b, op_chareq_p, s)
#define CHARS_LT(r, a, b, s) CHARS(r, a, <, b, op_charlt_p, s)
#define CHARS_GT(r, a, b, s) CHARS(r, a, >, b, op_chargt_p, s)
#define CHARS_LTEQ(r, a, b, s) CHARS(r, a, <=, b, op_charlteq_p, s)
#define CHARS_GTEQ(r, a, b, s) CHARS(r, a, >=, b, op_chargteq_p, s)
#define ZERO(r, a, s) SIGN(r, a, ==, op_zero_p, s)
#define POSITIVE(r, a, s) SIGN(r, a, >, op_positive_p, s)
#define NEGATIVE(r, a, s) SIGN(r, a, <, op_negative_p, s)
#define EVEN(r, a, s) PARITY(r, a, 0, op_even_p, s)
#define ODD(r, a, s) PARITY(r, a, 1, op_odd_p, s)
#define PLAIN_QUOTIENT(r, a, b, s) QUOTIENT(r, a, b, op_quotient, s)
#define TRUNCATE_QUOTIENT(r, a, b, s) QUOTIENT(r, a, b, op_truncate_quotient, s)
#define PLAIN_REMAINDER(r, a, b, s) REMAINDER(r, a, b, op_remainder, s)
#define TRUNCATE_REMAINDER(r, a, b, s) REMAINDER(r, a, b, op_truncate_remainder, s)
#define DOWN_QUOTIENT(r, a, b, s) FLOOR_QUOTIENT(r, a, b, op_floor_quotient, s)
#define DOWN_REMAINDER(r, a, b, s) FLOOR_REMAINDER(r, a, b, op_floor_remainder, s)
#define MODULO(r, a, b, s) FLOOR_REMAINDER(r, a, b, op_modulo, s)
#define BITS_AND(r, a, b, s) BITS(r, a, &, b, op_bitwise_and, s)
#define BITS_IOR(r, a, b, s) BITS(r, a, |, b, op_bitwise_ior, s)
#define BITS_XOR(r, a, b, s) BITS(r, a, ^, b, op_bitwise_xor, s)
#define VECTOR_LENGTH(r, v, s) LENGTH_OF(r, v, IS_VECTOR, LENGTH, op_vector_length, s)
#define STRING_LENGTH(r, v, s) LENGTH_OF(r, v, IS_STRING, COUNT, op_string_length, s)
#define BYTES_LENGTH(r, v, s) LENGTH_OF(r, v, IS_BYTES, COUNT, op_bytevector_length, s)

/* The procedure whose closure is a table of the program. */
#define CONSTANT_CLOSURE(words) ((word)(words) + CLOSURE_TAG)

/* A tail call from the program into the prelude leaves its place behind for diagnostics; it
   takes the place of one left before, so that tail calls need no space. */
#define PASS(s) do { \
    if (sp[-1] != (word)passing) { sp[1] = (word)passing; sp += 2; } sp[-2] = FIX(s); } while (0)

#endif
