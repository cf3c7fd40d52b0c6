#include "inline.h"

#define GLOBALS 0

#pragma GCC visibility push(hidden)

word op_mul(runtime *rt, word a0, word a1);
word op_add(runtime *rt, word a0, word a1);
word op_sub(runtime *rt, word a0, word a1);
word op_div(runtime *rt, word a0, word a1);
word op_lteq(runtime *rt, word a0, word a1);
word op_gteq(runtime *rt, word a0, word a1);
word op_bitwise_and(runtime *rt, word a0, word a1);
word op_bitwise_ior(runtime *rt, word a0, word a1);
word op_bitwise_xor(runtime *rt, word a0, word a1);
word op_bytevector(runtime *rt, long count, const word *words);
word op_bytevector_length(runtime *rt, word a0);
word op_bytevector_u8_ref(runtime *rt, word a0, word a1);
word op_bytevector_u8_set_x(runtime *rt, word a0, word a1, word a2);
word op_charlteq_p(runtime *rt, word a0, word a1);
word op_charlt_p(runtime *rt, word a0, word a1);
word op_chareq_p(runtime *rt, word a0, word a1);
word op_chargteq_p(runtime *rt, word a0, word a1);
word op_chargt_p(runtime *rt, word a0, word a1);
word op_even_p(runtime *rt, word a0);
word op_floor_quotient(runtime *rt, word a0, word a1);
word op_floor_remainder(runtime *rt, word a0, word a1);
word op_modulo(runtime *rt, word a0, word a1);
word op_negative_p(runtime *rt, word a0);
word op_odd_p(runtime *rt, word a0);
word op_positive_p(runtime *rt, word a0);
word op_quotient(runtime *rt, word a0, word a1);
word op_remainder(runtime *rt, word a0, word a1);
word op_set_cdr_x(runtime *rt, word a0, word a1);
word op_truncate_quotient(runtime *rt, word a0, word a1);
word op_truncate_remainder(runtime *rt, word a0, word a1);
word op_vector_length(runtime *rt, word a0);
word op_vector_ref(runtime *rt, word a0, word a1);
word op_zero_p(runtime *rt, word a0);

#pragma GCC visibility pop

static void s_within_1(word *sp, word *hp, word self, word a, word b, word c);
static void within_1(word *sp, word *hp, word items_2, word a_3, word b_4);

static const word c_within_1[2] = {CLOSURE_HEADER(1, 3), (word)s_within_1};

static void s_within_1(word *sp, word *hp, word self, word a, word b, word c)
{
    return within_1(sp, hp, a, b, c);
}

static void within_1(word *sp, word *hp, word items_2, word a_3, word b_4)
{
    word x_5;
    word bytes_6;
    word t_7;
    word t_1_8;
    word t_2_9;
    word test_10;
    word test_6_18;
    word test_7_19;
    word test_8_20;
    word test_9_21;
    word test_10_22;
    word test_11_23;
    word test_12_24;
    word test_13_25;
    word pair_10_26;
    word pair_11_27;
    word pair_12_28;
    word pair_13_29;
    word pair_14_30;
    word pair_15_31;
    word pair_16_32;
    word pair_17_33;
    word pair_18_34;
    word pair_19_35;
    word t_3_37;
    word t_4_38;
    word t_5_39;
    word t_6_40;
    word t_7_41;
    word t_8_42;
    word t_9_43;
    word t_10_44;
    word t_11_45;
    word t_12_46;
    word t_13_47;
    word t_14_48;
    word t_15_49;
    word t_16_50;
    word t_17_51;
    word t_18_52;
    word pair_53;
    word pair_1_54;
    word pair_2_55;
    word pair_3_56;
    word pair_4_57;
    word pair_5_58;
    word pair_6_59;
    word pair_7_60;
    word pair_8_61;
    word pair_9_62;
    runtime *rt = runtime_of(sp);
    bool c_;
    if (UNLIKELY(hp > rt->heap_limit)) {
        sp[0] = items_2;
        sp[1] = a_3;
        sp[2] = b_4;
        CALL_3(enter, sp, hp, 3);
        sp = rt->sp;
        hp = rt->hp;
        items_2 = sp[0];
        a_3 = sp[1];
        b_4 = sp[2];
    }
    VECTOR_REF(x_5, items_2, a_3, 1);
    rt->arguments[0] = FIX(1LL);
    rt->arguments[1] = FIX(2LL);
    rt->arguments[2] = FIX(3LL);
    DO(bytes_6, 2, op_bytevector(rt, 3, rt->arguments));
    MUL(t_7, a_3, b_4, 3);
    PUT_CDR(items_2, t_7, 4);
    t_1_8 = UNSPECIFIED;
    BYTE_SET(bytes_6, a_3, b_4, 5);
    t_2_9 = UNSPECIFIED;
    NUMBERS_LTEQ(c_, a_3, b_4, 6);
    test_10 = BOOL(c_);
    if (test_10 != FALSE) {
        goto L_11;
    }
L_12:;
    ZERO(c_, b_4, 8);
    if (c_) {
        goto L_13;
    }
    POSITIVE(c_, a_3, 9);
    if (c_) {
        goto L_14;
    }
    NEGATIVE(c_, b_4, 10);
    if (c_) {
        goto L_15;
    }
    EVEN(c_, a_3, 11);
    if (c_) {
        goto L_16;
    }
    ODD(c_, b_4, 12);
    if (c_) {
        goto L_17;
    }
    CHARS_EQ(c_, x_5, CHARACTER(97), 13);
    test_6_18 = BOOL(c_);
    CHARS_LT(c_, x_5, CHARACTER(98), 14);
    test_7_19 = BOOL(c_);
    CHARS_LTEQ(c_, x_5, CHARACTER(99), 15);
    test_8_20 = BOOL(c_);
    CHARS_GT(c_, x_5, CHARACTER(100), 16);
    test_9_21 = BOOL(c_);
    CHARS_GTEQ(c_, x_5, CHARACTER(101), 17);
    test_10_22 = BOOL(c_);
    test_11_23 = BOOL(x_5 == END_OF_FILE);
    test_12_24 = BOOL(IS_BYTES(x_5));
    test_13_25 = BOOL(x_5 == FALSE);
    CONS(pair_10_26, test_10_22, NIL);
    CONS(pair_11_27, test_9_21, pair_10_26);
    CONS(pair_12_28, test_8_20, pair_11_27);
    CONS(pair_13_29, test_7_19, pair_12_28);
    CONS(pair_14_30, test_6_18, pair_13_29);
    CONS(pair_15_31, END_OF_FILE, pair_14_30);
    CONS(pair_16_32, test_13_25, pair_15_31);
    CONS(pair_17_33, test_12_24, pair_16_32);
    CONS(pair_18_34, test_11_23, pair_17_33);
    CONS(pair_19_35, FALSE, pair_18_34);
    RETURN(pair_19_35);
L_17:;
L_36:;
    PLAIN_QUOTIENT(t_3_37, a_3, b_4, 21);
    PLAIN_REMAINDER(t_4_38, a_3, b_4, 22);
    ADD(t_5_39, t_3_37, t_4_38, 23);
    MODULO(t_6_40, a_3, b_4, 24);
    DOWN_QUOTIENT(t_7_41, a_3, b_4, 25);
    SUB(t_8_42, t_6_40, t_7_41, 26);
    BITS_XOR(t_9_43, a_3, FIX(5LL), 27);
    BITS_IOR(t_10_44, b_4, t_9_43, 28);
    BITS_AND(t_11_45, a_3, t_10_44, 29);
    DIVIDE(t_12_46, a_3, b_4, 30);
    BYTES_LENGTH(t_13_47, bytes_6, 31);
    BYTE_REF(t_14_48, bytes_6, a_3, 32);
    VECTOR_LENGTH(t_15_49, items_2, 33);
    TRUNCATE_QUOTIENT(t_16_50, a_3, FIX(3LL), 34);
    TRUNCATE_REMAINDER(t_17_51, a_3, FIX(3LL), 35);
    DOWN_REMAINDER(t_18_52, a_3, FIX(3LL), 36);
    CONS(pair_53, t_18_52, NIL);
    CONS(pair_1_54, t_17_51, pair_53);
    CONS(pair_2_55, t_16_50, pair_1_54);
    CONS(pair_3_56, t_15_49, pair_2_55);
    CONS(pair_4_57, t_14_48, pair_3_56);
    CONS(pair_5_58, t_13_47, pair_4_57);
    CONS(pair_6_59, t_12_46, pair_5_58);
    CONS(pair_7_60, t_11_45, pair_6_59);
    CONS(pair_8_61, t_8_42, pair_7_60);
    CONS(pair_9_62, t_5_39, pair_8_61);
    RETURN(pair_9_62);
L_16:;
    goto L_36;
L_15:;
    goto L_36;
L_14:;
    goto L_36;
L_13:;
    goto L_36;
L_11:;
    NUMBERS_GTEQ(c_, a_3, FIX(0LL), 37);
    if (c_) {
        goto L_63;
    }
    goto L_12;
L_63:;
    goto L_36;
}

static const place the_places[] = {
    {0},
    {"data.scm:54:12", "(vector-ref items a)", " 54 |   (let ((x (vector-ref items a)) (bytes (bytevector 1 2 3)) (end (eof-object)))\012    |            ^^^^^^^^^^^^^^^^^^^^\012", NULL, 0, 1919, 1939, 0},
    {"data.scm:54:41", "(bytevector 1 2 3)", " 54 |   (let ((x (vector-ref items a)) (bytes (bytevector 1 2 3)) (end (eof-object)))\012    |                                         ^^^^^^^^^^^^^^^^^^\012", NULL, 0, 1948, 1966, 0},
    {"data.scm:55:21", "(* a b)", " 55 |     (set-cdr! items (* a b))\012    |                     ^^^^^^^\012", NULL, 0, 2008, 2015, 0},
    {"data.scm:55:5", "(set-cdr! items (* a b))", " 55 |     (set-cdr! items (* a b))\012    |     ^^^^^^^^^^^^^^^^^^^^^^^^\012", NULL, 0, 1992, 2016, 0},
    {"data.scm:56:5", "(bytevector-u8-set! bytes a b)", " 56 |     (bytevector-u8-set! bytes a b)\012    |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\012", NULL, 0, 2021, 2051, 0},
    {"data.scm:57:18", "(<= a b)", " 57 |     (if (or (and (<= a b) (>= a 0)) (zero\077 b) (positive\077 a) (negative\077 b) (even\077 a) (odd\077 b))\012    |                  ^^^^^^^^\012", NULL, 0, 2069, 2077, 0},
    {"data.scm:57:13", "(and (<= a b) (>= a 0))", " 57 |     (if (or (and (<= a b) (>= a 0)) (zero\077 b) (positive\077 a) (negative\077 b) (even\077 a) (odd\077 b))\012    |             ^^^^^^^^^^^^^^^^^^^^^^^\012", NULL, 0, 2064, 2087, 0},
    {"data.scm:57:37", "(zero\077 b)", " 57 |     (if (or (and (<= a b) (>= a 0)) (zero\077 b) (positive\077 a) (negative\077 b) (even\077 a) (odd\077 b))\012    |                                     ^^^^^^^^^\012", NULL, 0, 2088, 2097, 0},
    {"data.scm:57:47", "(positive\077 a)", " 57 |     (if (or (and (<= a b) (>= a 0)) (zero\077 b) (positive\077 a) (negative\077 b) (even\077 a) (odd\077 b))\012    |                                               ^^^^^^^^^^^^^\012", NULL, 0, 2098, 2111, 0},
    {"data.scm:57:61", "(negative\077 b)", " 57 |     (if (or (and (<= a b) (>= a 0)) (zero\077 b) (positive\077 a) (negative\077 b) (even\077 a) (odd\077 b))\012    |                                                             ^^^^^^^^^^^^^\012", NULL, 0, 2112, 2125, 0},
    {"data.scm:57:75", "(even\077 a)", " 57 |     (if (or (and (<= a b) (>= a 0)) (zero\077 b) (positive\077 a) (negative\077 b) (even\077 a) (odd\077 b))\012    |                                                                           ^^^^^^^^^\012", NULL, 0, 2126, 2135, 0},
    {"data.scm:57:85", "(odd\077 b)", " 57 |     (if (or (and (<= a b) (>= a 0)) (zero\077 b) (positive\077 a) (negative\077 b) (even\077 a) (odd\077 b))\012    |                                                                                     ^^^^^^^^\012", NULL, 0, 2136, 2144, 0},
    {"data.scm:63:15", "(char=\077 x #\\a)", " 63 |               (char=\077 x #\\a) (char<\077 x #\\b) (char<=\077 x #\\c) (char>\077 x #\\d) (char>=\077 x #\\e)))))\012    |               ^^^^^^^^^^^^^^\012", NULL, 0, 2566, 2580, 0},
    {"data.scm:63:30", "(char<\077 x #\\b)", " 63 |               (char=\077 x #\\a) (char<\077 x #\\b) (char<=\077 x #\\c) (char>\077 x #\\d) (char>=\077 x #\\e)))))\012    |                              ^^^^^^^^^^^^^^\012", NULL, 0, 2581, 2595, 0},
    {"data.scm:63:45", "(char<=\077 x #\\c)", " 63 |               (char=\077 x #\\a) (char<\077 x #\\b) (char<=\077 x #\\c) (char>\077 x #\\d) (char>=\077 x #\\e)))))\012    |                                             ^^^^^^^^^^^^^^^\012", NULL, 0, 2596, 2611, 0},
    {"data.scm:63:61", "(char>\077 x #\\d)", " 63 |               (char=\077 x #\\a) (char<\077 x #\\b) (char<=\077 x #\\c) (char>\077 x #\\d) (char>=\077 x #\\e)))))\012    |                                                             ^^^^^^^^^^^^^^\012", NULL, 0, 2612, 2626, 0},
    {"data.scm:63:76", "(char>=\077 x #\\e)", " 63 |               (char=\077 x #\\a) (char<\077 x #\\b) (char<=\077 x #\\c) (char>\077 x #\\d) (char>=\077 x #\\e)))))\012    |                                                                            ^^^^^^^^^^^^^^^\012", NULL, 0, 2627, 2642, 0},
    {"data.scm:62:9", "(list (boolean\077 x) (eof-object\077 x) (bytevector\077 x) (not x) \342\200\246", " 62 |         (list (boolean\077 x) (eof-object\077 x) (bytevector\077 x) (not x) end\012    |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\012", NULL, 0, 2489, 2643, 0},
    {"data.scm:62:28", "(eof-object\077 x)", " 62 |         (list (boolean\077 x) (eof-object\077 x) (bytevector\077 x) (not x) end\012    |                            ^^^^^^^^^^^^^^^\012", NULL, 0, 2508, 2523, 0},
    {"data.scm:62:44", "(bytevector\077 x)", " 62 |         (list (boolean\077 x) (eof-object\077 x) (bytevector\077 x) (not x) end\012    |                                            ^^^^^^^^^^^^^^^\012", NULL, 0, 2524, 2539, 0},
    {"data.scm:62:60", "(not x)", " 62 |         (list (boolean\077 x) (eof-object\077 x) (bytevector\077 x) (not x) end\012    |                                                            ^^^^^^^\012", NULL, 0, 2540, 2547, 0},
    {"data.scm:58:18", "(quotient a b)", " 58 |         (list (+ (quotient a b) (remainder a b)) (- (modulo a b) (floor-quotient a b))\012    |                  ^^^^^^^^^^^^^^\012", NULL, 0, 2163, 2177, 0},
    {"data.scm:58:33", "(remainder a b)", " 58 |         (list (+ (quotient a b) (remainder a b)) (- (modulo a b) (floor-quotient a b))\012    |                                 ^^^^^^^^^^^^^^^\012", NULL, 0, 2178, 2193, 0},
    {"data.scm:58:15", "(+ (quotient a b) (remainder a b))", " 58 |         (list (+ (quotient a b) (remainder a b)) (- (modulo a b) (floor-quotient a b))\012    |               ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\012", NULL, 0, 2160, 2194, 0},
    {"data.scm:58:53", "(modulo a b)", " 58 |         (list (+ (quotient a b) (remainder a b)) (- (modulo a b) (floor-quotient a b))\012    |                                                     ^^^^^^^^^^^^\012", NULL, 0, 2198, 2210, 0},
    {"data.scm:58:66", "(floor-quotient a b)", " 58 |         (list (+ (quotient a b) (remainder a b)) (- (modulo a b) (floor-quotient a b))\012    |                                                                  ^^^^^^^^^^^^^^^^^^^^\012", NULL, 0, 2211, 2231, 0},
    {"data.scm:58:50", "(- (modulo a b) (floor-quotient a b))", " 58 |         (list (+ (quotient a b) (remainder a b)) (- (modulo a b) (floor-quotient a b))\012    |                                                  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\012", NULL, 0, 2195, 2232, 0},
    {"data.scm:59:45", "(bitwise-xor a 5)", " 59 |               (bitwise-and a (bitwise-ior b (bitwise-xor a 5))) (/ a b)\012    |                                             ^^^^^^^^^^^^^^^^^\012", NULL, 0, 2277, 2294, 0},
    {"data.scm:59:30", "(bitwise-ior b (bitwise-xor a 5))", " 59 |               (bitwise-and a (bitwise-ior b (bitwise-xor a 5))) (/ a b)\012    |                              ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\012", NULL, 0, 2262, 2295, 0},
    {"data.scm:59:15", "(bitwise-and a (bitwise-ior b (bitwise-xor a 5)))", " 59 |               (bitwise-and a (bitwise-ior b (bitwise-xor a 5))) (/ a b)\012    |               ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\012", NULL, 0, 2247, 2296, 0},
    {"data.scm:59:65", "(/ a b)", " 59 |               (bitwise-and a (bitwise-ior b (bitwise-xor a 5))) (/ a b)\012    |                                                                 ^^^^^^^\012", NULL, 0, 2297, 2304, 0},
    {"data.scm:60:15", "(bytevector-length bytes)", " 60 |               (bytevector-length bytes) (bytevector-u8-ref bytes a) (vector-length items)\012    |               ^^^^^^^^^^^^^^^^^^^^^^^^^\012", NULL, 0, 2319, 2344, 0},
    {"data.scm:60:41", "(bytevector-u8-ref bytes a)", " 60 |               (bytevector-length bytes) (bytevector-u8-ref bytes a) (vector-length items)\012    |                                         ^^^^^^^^^^^^^^^^^^^^^^^^^^^\012", NULL, 0, 2345, 2372, 0},
    {"data.scm:60:69", "(vector-length items)", " 60 |               (bytevector-length bytes) (bytevector-u8-ref bytes a) (vector-length items)\012    |                                                                     ^^^^^^^^^^^^^^^^^^^^^\012", NULL, 0, 2373, 2394, 0},
    {"data.scm:61:15", "(truncate-quotient a 3)", " 61 |               (truncate-quotient a 3) (truncate-remainder a 3) (floor-remainder a 3))\012    |               ^^^^^^^^^^^^^^^^^^^^^^^\012", NULL, 0, 2409, 2432, 0},
    {"data.scm:61:39", "(truncate-remainder a 3)", " 61 |               (truncate-quotient a 3) (truncate-remainder a 3) (floor-remainder a 3))\012    |                                       ^^^^^^^^^^^^^^^^^^^^^^^^\012", NULL, 0, 2433, 2457, 0},
    {"data.scm:61:64", "(floor-remainder a 3)", " 61 |               (truncate-quotient a 3) (truncate-remainder a 3) (floor-remainder a 3))\012    |                                                                ^^^^^^^^^^^^^^^^^^^^^\012", NULL, 0, 2458, 2479, 0},
    {"data.scm:57:27", "(>= a 0)", " 57 |     (if (or (and (<= a b) (>= a 0)) (zero\077 b) (positive\077 a) (negative\077 b) (even\077 a) (odd\077 b))\012    |                           ^^^^^^^^\012", NULL, 0, 2078, 2086, 0},
    {"data.scm:53:1", "(define (within items a b) (let ((x (vector-ref items a)) (\342\200\246", " 53 | (define (within items a b)\012    | ^^^^^^^^^^^^^^^^^^^^^^^^^^\012", NULL, 0, 1881, 2646, 0}
};

static const site the_sites[] = {
    {0},
    {1, 0, NULL},
    {2, 0, NULL},
    {3, 0, NULL},
    {4, 0, NULL},
    {5, 0, NULL},
    {6, 0, NULL},
    {7, 0, NULL},
    {8, 0, NULL},
    {9, 0, NULL},
    {10, 0, NULL},
    {11, 0, NULL},
    {12, 0, NULL},
    {13, 0, NULL},
    {14, 0, NULL},
    {15, 0, NULL},
    {16, 0, NULL},
    {17, 0, NULL},
    {19, 1, NULL},
    {20, 4, NULL},
    {21, 7, NULL},
    {22, 0, NULL},
    {23, 0, NULL},
    {24, 0, NULL},
    {25, 0, NULL},
    {26, 0, NULL},
    {27, 0, NULL},
    {28, 0, NULL},
    {29, 0, NULL},
    {30, 0, NULL},
    {31, 0, NULL},
    {32, 0, NULL},
    {33, 0, NULL},
    {34, 0, NULL},
    {35, 0, NULL},
    {36, 0, NULL},
    {37, 0, NULL},
    {38, 0, NULL},
    {39, 0, NULL}
};

static const int the_calls[] = {
    0, 18, 1, 0, 18, 1, 0, 18,
    1, 0
};

static const frame the_frames[] = {
    0
};

static const procedure_name the_names[] = {
    {(void *)s_within_1, "within"}
};

static const returned the_items[] = {
    0
};

static const int the_item_sites[] = {
    0
};

static const char the_constants[] = "";

static const char *const the_parameters[] = {
    "items",
    "a",
    "b",
    NULL
};

static const named_cell the_named_cells[] = {
    {NULL, 0}
};

static word the_entry(runtime *rt)
{
    (void)rt;
    return CONSTANT_CLOSURE(c_within_1);
}

const program the_compiled_program = {
    .places = the_places,
    .sites = the_sites,
    .calls = the_calls,
    .frames = the_frames,
    .names = the_names,
    .items = the_items,
    .item_sites = the_item_sites,
    .constants = the_constants,
    .parameters = the_parameters,
    .named_cells = the_named_cells,
    .frame_count = 0,
    .name_count = 1,
    .constant_count = 0,
    .shared_count = 0,
    .global_count = 1,
    .item_count = 0,
    .word_bytes = 4,
    .entry_site = 38,
    .entry = the_entry
};
