#include "inline.h"

#define GLOBALS 4

#pragma GCC visibility push(hidden)

word op_pct_walked(runtime *rt, word a0, word a1);
word op_add(runtime *rt, word a0, word a1);
word op_sub(runtime *rt, word a0, word a1);
word op_lt(runtime *rt, word a0, word a1);
word op_gt(runtime *rt, word a0, word a1);
word op_car(runtime *rt, word a0);
word op_cdr(runtime *rt, word a0);
word op_cell_ref(runtime *rt, word a0);
word op_cell_set_x(runtime *rt, word a0, word a1);
word op_error(runtime *rt, long count, const word *words);
word op_error_object_message(runtime *rt, word a0);
word op_raise(runtime *rt, word a0);
word op_values(runtime *rt, long count, const word *words);
word op_values_to_list(runtime *rt, word a0);

#pragma GCC visibility pop

static void s_guarded_1(word *sp, word *hp, word self, word a, word b);
static void guarded_1(word *sp, word *hp, word f_14, word x_15);
static void guarded_k_1_13(word *sp, word *hp, word value);
static void guard_2(word *sp, word *hp, word winds_21, word common_22, word percent_winds_17_23);
static void guard_k_22_19(word *sp, word *hp, word value);
static void guard_k_23_20(word *sp, word *hp, word value);
static void length_3(word *sp, word *hp, word items_1_percent_31);
static void lambda_4(word *sp, word *hp, word k_2_41, word cell_16, word f_14, word x_15);
static void guard_5(word *sp, word *hp, word self, word e_45);
static void guard_k_5_44(word *sp, word *hp, word value);
static void guard_6(word *sp, word *hp, word self);
static void guard_k_18_49(word *sp, word *hp, word value);
static void lambda_7(word *sp, word *hp, word k_6_58, word percent_winds_46, word cell_16, word e_45);
static void lambda_guard_4_54(word *sp, word *hp);
static void lambda_guard_11_55(word *sp, word *hp, word percent_winds_12_64);
static void lambda_k_15_56(word *sp, word *hp, word value);
static void lambda_k_16_57(word *sp, word *hp, word value);
static void guard_8(word *sp, word *hp, word self);
static void guard_guard_8_86(word *sp, word *hp, word percent_winds_5_99);
static void guard_k_10_87(word *sp, word *hp, word value);
static void guard_k_11_88(word *sp, word *hp, word value);
static void guard_k_12_89(word *sp, word *hp, word value);
static void guard_k_14_90(word *sp, word *hp, word value);
static void guard_9(word *sp, word *hp, word self);
static void guard_10(word *sp, word *hp, word self);
static void s_guard_11(word *sp, word *hp, word self, word a);
static void guard_11(word *sp, word *hp, word results_130);
static void guard_12(word *sp, word *hp, word self);

static const word c_guarded_1[2] = {CLOSURE_HEADER(1, 2), (word)s_guarded_1};

static const word c_guard_11[2] = {CLOSURE_HEADER(1, LEAST | 0), (word)s_guard_11};

static const primitive d_values_132 = {"values", 0, -1, 0, -1, 0, ABSENT, ABSENT, op_values, NULL};

static const word p_values_132[3] = {PRIMITIVE_HEADER(ANY_NUMBER), 0, (word)&d_values_132};

static void s_guarded_1(word *sp, word *hp, word self, word a, word b)
{
    return guarded_1(sp, hp, a, b);
}

static void guarded_1(word *sp, word *hp, word f_14, word x_15)
{
    word cell_16;
    word continuation_17;
    runtime *rt = runtime_of(sp);
    bool c_;
    if (UNLIKELY(hp > rt->heap_limit || sp > rt->stack_limit)) {
        sp[0] = f_14;
        sp[1] = x_15;
        CALL_3(enter, sp, hp, 2);
        sp = rt->sp;
        hp = rt->hp;
        f_14 = sp[0];
        x_15 = sp[1];
    }
    BOX(cell_16, CELL, NIL);
    sp[0] = (word)guarded_k_1_13;
    CAPTURE_FRAME(continuation_17, 1, 1);
    return lambda_4(sp, hp, continuation_17, cell_16, f_14, x_15);
}

static void guarded_k_1_13(word *sp, word *hp, word value)
{
    word t_26_18;
    runtime *rt = runtime_of(sp);
    bool c_;
    sp--;
    t_26_18 = value;
    LEAVE(1);
    if (LIKELY(TAKES(t_26_18, 0))) {
        return ((void (*)(word *, word *, word))CLOSURE_CODE(t_26_18))(sp, hp, t_26_18);
    }
    return tail_apply(sp, hp, t_26_18, 0);
}

static void guard_2(word *sp, word *hp, word winds_21, word common_22, word percent_winds_17_23)
{
    word t_27_25;
    runtime *rt = runtime_of(sp);
    bool c_;
    if (UNLIKELY(sp > rt->stack_limit)) {
        sp[0] = winds_21;
        sp[1] = common_22;
        sp[2] = percent_winds_17_23;
        CALL_3(enter, sp, hp, 3);
        sp = rt->sp;
        hp = rt->hp;
        winds_21 = sp[0];
        common_22 = sp[1];
        percent_winds_17_23 = sp[2];
    }
    if (SAME(winds_21, common_22)) {
        goto L_24;
    }
    READ_CDR(t_27_25, winds_21, 3);
    sp[0] = percent_winds_17_23;
    sp[1] = winds_21;
    sp[2] = (word)guard_k_22_19;
    return guard_2(sp + 3, hp, t_27_25, common_22, percent_winds_17_23);
L_24:;
    RETURN(UNSPECIFIED);
}

static void guard_k_22_19(word *sp, word *hp, word value)
{
    word t_28_26;
    word t_29_27;
    word t_30_28;
    word winds_21;
    runtime *rt = runtime_of(sp);
    bool c_;
    sp -= 3;
    winds_21 = sp[1];
    t_28_26 = value;
    READ_CAR(t_29_27, winds_21, 4);
    READ_CAR(t_30_28, t_29_27, 4);
    LEAVE(2);
    sp[2] = (word)guard_k_23_20;
    if (LIKELY(TAKES(t_30_28, 0))) {
        return ((void (*)(word *, word *, word))CLOSURE_CODE(t_30_28))(sp + 3, hp, t_30_28);
    }
    return apply(sp + 3, hp, t_30_28, 0);
}

static void guard_k_23_20(word *sp, word *hp, word value)
{
    word t_31_29;
    word percent_winds_18_30;
    word percent_winds_17_23;
    word winds_21;
    runtime *rt = runtime_of(sp);
    bool c_;
    sp -= 3;
    percent_winds_17_23 = sp[0];
    winds_21 = sp[1];
    t_31_29 = value;
    CELL_SET(percent_winds_17_23, winds_21, 2);
    percent_winds_18_30 = UNSPECIFIED;
    RETURN(UNSPECIFIED);
}

static void length_3(word *sp, word *hp, word items_1_percent_31)
{
    unsigned k_ = 0;
    word rest_percent_32;
    word n_percent_33;
    word walked_35;
    word t_8_percent_38;
    word t_5_percent_39;
    word t_6_percent_40;
    runtime *rt = runtime_of(sp);
    bool c_;
    if (UNLIKELY(hp > rt->heap_limit)) {
        sp[0] = items_1_percent_31;
        CALL_3(enter, sp, hp, 1);
        sp = rt->sp;
        hp = rt->hp;
        items_1_percent_31 = sp[0];
    }
    rest_percent_32 = items_1_percent_31;
    n_percent_33 = FIX(0LL);
L_34:;
    if (UNLIKELY(hp > rt->heap_limit)) {
        sp[0] = rest_percent_32;
        sp[1] = n_percent_33;
        sp[2] = items_1_percent_31;
        CALL_3(enter, sp, hp, 3);
        sp = rt->sp;
        hp = rt->hp;
        rest_percent_32 = sp[0];
        n_percent_33 = sp[1];
        items_1_percent_31 = sp[2];
    }
    ROUND(walked_35, rt->cells[0], items_1_percent_31, 5);
    if (IS_PAIR(rest_percent_32)) {
        goto L_36;
    }
    if (rest_percent_32 == NIL) {
        goto L_37;
    }
    rt->arguments[0] = rt->cells[1];
    rt->arguments[1] = items_1_percent_31;
    DO(t_8_percent_38, 5, CALL_2(op_error, 2, rt->arguments));
    RETURN(t_8_percent_38);
L_37:;
    RETURN(n_percent_33);
L_36:;
    READ_CDR(t_5_percent_39, rest_percent_32, 6);
    ADD(t_6_percent_40, n_percent_33, FIX(1LL), 5);
    rest_percent_32 = t_5_percent_39;
    n_percent_33 = t_6_percent_40;
    goto L_34;
}

static void lambda_4(word *sp, word *hp, word k_2_41, word cell_16, word f_14, word x_15)
{
    word guard_3_42;
    word guard_13_43;
    runtime *rt = runtime_of(sp);
    bool c_;
    if (UNLIKELY(hp > rt->heap_limit)) {
        sp[0] = k_2_41;
        sp[1] = cell_16;
        sp[2] = f_14;
        sp[3] = x_15;
        CALL_3(enter, sp, hp, 4);
        sp = rt->sp;
        hp = rt->hp;
        k_2_41 = sp[0];
        cell_16 = sp[1];
        f_14 = sp[2];
        x_15 = sp[3];
    }
    CLOSURE_OF(guard_3_42, guard_5, 1, 2);
    FREE(guard_3_42, 0) = cell_16;
    FREE(guard_3_42, 1) = k_2_41;
    CLOSURE_OF(guard_13_43, guard_6, 0, 2);
    FREE(guard_13_43, 0) = f_14;
    FREE(guard_13_43, 1) = x_15;
    LEAVE(7);
    rt->arguments[0] = guard_3_42;
    rt->arguments[1] = guard_13_43;
    return control_with_exception_handler(sp, hp, 2);
}

static void guard_5(word *sp, word *hp, word self, word e_45)
{
    word percent_winds_46;
    word continuation_47;
    runtime *rt = runtime_of(sp);
    bool c_;
    if (UNLIKELY(hp > rt->heap_limit || sp > rt->stack_limit)) {
        sp[0] = self;
        sp[1] = e_45;
        CALL_3(enter, sp, hp, 2);
        sp = rt->sp;
        hp = rt->hp;
        self = sp[0];
        e_45 = sp[1];
    }
    CELL_REF(percent_winds_46, FREE(self, 0), 2);
    sp[0] = (word)guard_k_5_44;
    CAPTURE_FRAME(continuation_47, 1, 2);
    rt->arguments[4] = FREE(self, 1);
    return lambda_7(sp, hp, continuation_47, percent_winds_46, FREE(self, 0), e_45);
}

static void guard_k_5_44(word *sp, word *hp, word value)
{
    word t_22_48;
    runtime *rt = runtime_of(sp);
    bool c_;
    sp--;
    t_22_48 = value;
    LEAVE(2);
    if (LIKELY(TAKES(t_22_48, 0))) {
        return ((void (*)(word *, word *, word))CLOSURE_CODE(t_22_48))(sp, hp, t_22_48);
    }
    return tail_apply(sp, hp, t_22_48, 0);
}

static void guard_6(word *sp, word *hp, word self)
{
    word t_25_51;
    runtime *rt = runtime_of(sp);
    bool c_;
    if (UNLIKELY(hp > rt->heap_limit || sp > rt->stack_limit)) {
        sp[0] = self;
        CALL_3(enter, sp, hp, 1);
        sp = rt->sp;
        hp = rt->hp;
        self = sp[0];
    }
    if (IS_CLOSURE(FREE(self, 0))) {
        goto L_50;
    }
    DO(t_25_51, 10, CALL_1(op_raise, rt->cells[2]));
    RETURN(t_25_51);
L_50:;
    LEAVE(8);
    sp[0] = (word)guard_k_18_49;
    if (LIKELY(TAKES(FREE(self, 0), 1))) {
        return ((void (*)(word *, word *, word, word))CLOSURE_CODE(FREE(self, 0)))(sp + 1, hp,
                FREE(self, 0), FREE(self, 1));
    }
    rt->arguments[0] = FREE(self, 1);
    return apply(sp + 1, hp, FREE(self, 0), 1);
}

static void guard_k_18_49(word *sp, word *hp, word value)
{
    word t_23_52;
    word t_24_53;
    runtime *rt = runtime_of(sp);
    bool c_;
    if (UNLIKELY(hp > rt->heap_limit)) {
        *sp = value;
        CALL_2(collect_garbage, sp, hp);
        hp = rt->hp;
        value = *sp;
    }
    sp--;
    t_23_52 = value;
    DO(t_24_53, 7, op_values_to_list(rt, t_23_52));
    LEAVE(7);
    PASS(7);
    rt->arguments[0] = CONSTANT_CLOSURE(c_guard_11);
    rt->arguments[1] = t_24_53;
    return control_apply(sp, hp, 2);
}

static void lambda_7(word *sp, word *hp, word k_6_58, word percent_winds_46, word cell_16,
        word e_45)
{
    word percent_winds_1_59;
    word test_60;
    word percent_winds_10_62;
    runtime *rt = runtime_of(sp);
    bool c_;
    word k_2_41 = rt->arguments[4];
    if (UNLIKELY(sp > rt->stack_limit)) {
        sp[0] = k_6_58;
        sp[1] = percent_winds_46;
        sp[2] = cell_16;
        sp[3] = e_45;
        sp[4] = k_2_41;
        CALL_3(enter, sp, hp, 5);
        sp = rt->sp;
        hp = rt->hp;
        k_6_58 = sp[0];
        percent_winds_46 = sp[1];
        cell_16 = sp[2];
        e_45 = sp[3];
        k_2_41 = sp[4];
    }
    CELL_REF(percent_winds_1_59, cell_16, 2);
    test_60 = BOOL(NIL == percent_winds_1_59);
    if (test_60 != FALSE) {
        goto L_61;
    }
    CELL_REF(percent_winds_10_62, cell_16, 2);
    sp[0] = percent_winds_46;
    sp[5] = percent_winds_10_62;
    sp[1] = cell_16;
    sp[2] = e_45;
    sp[3] = k_2_41;
    sp[4] = k_6_58;
    sp[6] = (word)lambda_k_15_56;
    return length_3(sp + 7, hp, percent_winds_10_62);
L_61:;
    sp[0] = percent_winds_46;
    sp[1] = cell_16;
    sp[2] = e_45;
    sp[3] = k_2_41;
    sp[4] = k_6_58;
    return lambda_guard_4_54(sp, hp);
}

static void lambda_guard_4_54(word *sp, word *hp)
{
    word guard_5_63;
    word percent_winds_46;
    word cell_16;
    word e_45;
    word k_6_58;
    word k_2_41;
    runtime *rt = runtime_of(sp);
    bool c_;
    if (UNLIKELY(hp > rt->heap_limit)) {
        CALL_3(enter, sp, hp, 5);
        sp = rt->sp;
        hp = rt->hp;
    }
    percent_winds_46 = sp[0];
    cell_16 = sp[1];
    e_45 = sp[2];
    k_2_41 = sp[3];
    k_6_58 = sp[4];
    CLOSURE_OF(guard_5_63, guard_8, 0, 4);
    FREE(guard_5_63, 0) = percent_winds_46;
    FREE(guard_5_63, 1) = cell_16;
    FREE(guard_5_63, 2) = e_45;
    FREE(guard_5_63, 3) = k_6_58;
    LEAVE(2);
    if (LIKELY(TAKES(k_2_41, 1))) {
        return ((void (*)(word *, word *, word, word))CLOSURE_CODE(k_2_41))(sp, hp, k_2_41,
                guard_5_63);
    }
    rt->arguments[0] = guard_5_63;
    return apply(sp, hp, k_2_41, 1);
}

static void lambda_guard_11_55(word *sp, word *hp, word percent_winds_12_64)
{
    word percent_winds_13_66;
    word t_16_67;
    word t_17_68;
    word percent_winds_14_69;
    word percent_winds_15_70;
    word cell_16;
    runtime *rt = runtime_of(sp);
    bool c_;
    cell_16 = sp[1];
    if (percent_winds_12_64 == NIL) {
        goto L_65;
    }
    CELL_REF(percent_winds_13_66, cell_16, 2);
    READ_CAR(t_16_67, percent_winds_13_66, 11);
    READ_CDR(t_17_68, t_16_67, 11);
    READ_CDR(percent_winds_14_69, percent_winds_13_66, 12);
    CELL_SET(cell_16, percent_winds_14_69, 2);
    percent_winds_15_70 = UNSPECIFIED;
    LEAVE(2);
    sp[5] = (word)lambda_k_16_57;
    if (LIKELY(TAKES(t_17_68, 0))) {
        return ((void (*)(word *, word *, word))CLOSURE_CODE(t_17_68))(sp + 6, hp, t_17_68);
    }
    return apply(sp + 6, hp, t_17_68, 0);
L_65:;
    return lambda_guard_4_54(sp, hp);
}

static void lambda_k_15_56(word *sp, word *hp, word value)
{
    word t_15_71;
    word n_1_72;
    word b_1_73;
    word test_10_76;
    word t_19_80;
    word t_20_81;
    word t_21_82;
    word percent_winds_11_83;
    word percent_winds_10_62;
    word cell_16;
    runtime *rt = runtime_of(sp);
    bool c_;
    if (UNLIKELY(hp > rt->heap_limit)) {
        *sp = value;
        CALL_2(collect_garbage, sp, hp);
        hp = rt->hp;
        value = *sp;
    }
    sp -= 7;
    percent_winds_10_62 = sp[5];
    cell_16 = sp[1];
    t_15_71 = value;
    n_1_72 = t_15_71;
    b_1_73 = percent_winds_10_62;
L_74:;
    if (UNLIKELY(hp > rt->heap_limit)) {
        sp[6] = n_1_72;
        sp[7] = b_1_73;
        CALL_3(enter, sp, hp, 8);
        sp = rt->sp;
        hp = rt->hp;
        n_1_72 = sp[6];
        b_1_73 = sp[7];
        percent_winds_10_62 = sp[5];
        cell_16 = sp[1];
    }
    if (NIL == b_1_73) {
        goto L_75;
    }
    NUMBERS_GT(c_, FIX(0LL), n_1_72, 2);
    test_10_76 = BOOL(c_);
    if (test_10_76 != FALSE) {
        goto L_77;
    }
    NUMBERS_LT(c_, FIX(0LL), n_1_72, 2);
    if (c_) {
        goto L_78;
    }
L_79:;
    READ_CDR(t_19_80, NIL, 13);
    RETURN(t_19_80);
L_78:;
    READ_CDR(t_20_81, b_1_73, 13);
    SUB(t_21_82, n_1_72, FIX(1LL), 2);
    n_1_72 = t_21_82;
    b_1_73 = t_20_81;
    goto L_74;
L_77:;
    goto L_79;
L_75:;
    CELL_REF(percent_winds_11_83, cell_16, 2);
    return lambda_guard_11_55(sp, hp, percent_winds_11_83);
}

static void lambda_k_16_57(word *sp, word *hp, word value)
{
    word t_18_84;
    word percent_winds_16_85;
    word cell_16;
    runtime *rt = runtime_of(sp);
    bool c_;
    sp -= 6;
    cell_16 = sp[1];
    t_18_84 = value;
    CELL_REF(percent_winds_16_85, cell_16, 2);
    return lambda_guard_11_55(sp, hp, percent_winds_16_85);
}

static void guard_8(word *sp, word *hp, word self)
{
    word percent_winds_2_93;
    word guard_6_95;
    word t_96;
    word pair_97;
    word pair_1_98;
    runtime *rt = runtime_of(sp);
    bool c_;
    if (UNLIKELY(hp > rt->heap_limit || sp > rt->stack_limit)) {
        sp[0] = self;
        CALL_3(enter, sp, hp, 1);
        sp = rt->sp;
        hp = rt->hp;
        self = sp[0];
    }
    if (IS_KIND(FREE(self, 2), SYMBOL)) {
        goto L_91;
    }
    if (IS_KIND(FREE(self, 2), CONDITION)) {
        goto L_92;
    }
    CELL_REF(percent_winds_2_93, FREE(self, 1), 2);
    if (SAME(FREE(self, 0), percent_winds_2_93)) {
        goto L_94;
    }
    sp[0] = self;
    sp[1] = (word)guard_k_10_87;
    return length_3(sp + 2, hp, FREE(self, 0));
L_94:;
    CLOSURE_OF(guard_6_95, guard_9, 0, 1);
    FREE(guard_6_95, 0) = FREE(self, 2);
    LEAVE(2);
    if (LIKELY(TAKES(FREE(self, 3), 1))) {
        return ((void (*)(word *, word *, word, word))CLOSURE_CODE(FREE(self, 3)))(sp, hp,
                FREE(self, 3), guard_6_95);
    }
    rt->arguments[0] = guard_6_95;
    return tail_apply(sp, hp, FREE(self, 3), 1);
L_92:;
    DO(t_96, 16, op_error_object_message(rt, FREE(self, 2)));
    RETURN(t_96);
L_91:;
    CONS(pair_97, FREE(self, 2), NIL);
    CONS(pair_1_98, rt->cells[3], pair_97);
    RETURN(pair_1_98);
}

static void guard_guard_8_86(word *sp, word *hp, word percent_winds_5_99)
{
    word percent_winds_6_102;
    word t_4_103;
    word t_5_104;
    word percent_winds_7_105;
    word percent_winds_8_106;
    word a_100;
    word self;
    runtime *rt = runtime_of(sp);
    bool c_;
    self = sp[0];
    a_100 = sp[1];
    if (SAME(percent_winds_5_99, a_100)) {
        goto L_101;
    }
    CELL_REF(percent_winds_6_102, FREE(self, 1), 2);
    READ_CAR(t_4_103, percent_winds_6_102, 11);
    READ_CDR(t_5_104, t_4_103, 11);
    READ_CDR(percent_winds_7_105, percent_winds_6_102, 12);
    CELL_SET(FREE(self, 1), percent_winds_7_105, 2);
    percent_winds_8_106 = UNSPECIFIED;
    LEAVE(2);
    sp[2] = (word)guard_k_14_90;
    if (LIKELY(TAKES(t_5_104, 0))) {
        return ((void (*)(word *, word *, word))CLOSURE_CODE(t_5_104))(sp + 3, hp, t_5_104);
    }
    return apply(sp + 3, hp, t_5_104, 0);
L_101:;
    sp[1] = (word)guard_k_12_89;
    return guard_2(sp + 2, hp, FREE(self, 0), a_100, FREE(self, 1));
}

static void guard_k_10_87(word *sp, word *hp, word value)
{
    word t_1_107;
    word percent_winds_3_108;
    word self;
    runtime *rt = runtime_of(sp);
    bool c_;
    sp -= 2;
    self = sp[0];
    t_1_107 = value;
    CELL_REF(percent_winds_3_108, FREE(self, 1), 2);
    sp[1] = percent_winds_3_108;
    sp[2] = t_1_107;
    sp[3] = (word)guard_k_11_88;
    return length_3(sp + 4, hp, percent_winds_3_108);
}

static void guard_k_11_88(word *sp, word *hp, word value)
{
    word t_2_109;
    word a_100;
    word m_110;
    word n_111;
    word b_112;
    word t_11_117;
    word t_12_118;
    word t_13_119;
    word t_14_120;
    word t_9_121;
    word t_10_122;
    word t_7_123;
    word t_8_124;
    word percent_winds_4_125;
    word self;
    word t_1_107;
    word percent_winds_3_108;
    runtime *rt = runtime_of(sp);
    bool c_;
    if (UNLIKELY(hp > rt->heap_limit)) {
        *sp = value;
        CALL_2(collect_garbage, sp, hp);
        hp = rt->hp;
        value = *sp;
    }
    sp -= 4;
    self = sp[0];
    percent_winds_3_108 = sp[1];
    t_1_107 = sp[2];
    t_2_109 = value;
    a_100 = FREE(self, 0);
    m_110 = t_1_107;
    n_111 = t_2_109;
    b_112 = percent_winds_3_108;
L_113:;
    if (UNLIKELY(hp > rt->heap_limit)) {
        sp[3] = a_100;
        sp[4] = m_110;
        sp[5] = n_111;
        sp[6] = b_112;
        CALL_3(enter, sp, hp, 7);
        sp = rt->sp;
        hp = rt->hp;
        a_100 = sp[3];
        m_110 = sp[4];
        n_111 = sp[5];
        b_112 = sp[6];
        self = sp[0];
        percent_winds_3_108 = sp[1];
        t_1_107 = sp[2];
    }
    if (SAME(a_100, b_112)) {
        goto L_114;
    }
    NUMBERS_GT(c_, m_110, n_111, 2);
    if (c_) {
        goto L_115;
    }
    NUMBERS_LT(c_, m_110, n_111, 2);
    if (c_) {
        goto L_116;
    }
    READ_CDR(t_11_117, a_100, 13);
    SUB(t_12_118, m_110, FIX(1LL), 2);
    READ_CDR(t_13_119, b_112, 13);
    SUB(t_14_120, n_111, FIX(1LL), 2);
    a_100 = t_11_117;
    m_110 = t_12_118;
    n_111 = t_14_120;
    b_112 = t_13_119;
    goto L_113;
L_116:;
    READ_CDR(t_9_121, b_112, 13);
    SUB(t_10_122, n_111, FIX(1LL), 2);
    n_111 = t_10_122;
    b_112 = t_9_121;
    goto L_113;
L_115:;
    READ_CDR(t_7_123, a_100, 13);
    SUB(t_8_124, m_110, FIX(1LL), 2);
    a_100 = t_7_123;
    m_110 = t_8_124;
    goto L_113;
L_114:;
    CELL_REF(percent_winds_4_125, FREE(self, 1), 2);
    sp[1] = a_100;
    return guard_guard_8_86(sp, hp, percent_winds_4_125);
}

static void guard_k_12_89(word *sp, word *hp, word value)
{
    word t_3_126;
    word guard_9_127;
    word self;
    runtime *rt = runtime_of(sp);
    bool c_;
    if (UNLIKELY(hp > rt->heap_limit)) {
        *sp = value;
        CALL_2(collect_garbage, sp, hp);
        hp = rt->hp;
        value = *sp;
    }
    sp -= 2;
    self = sp[0];
    t_3_126 = value;
    CLOSURE_OF(guard_9_127, guard_10, 0, 1);
    FREE(guard_9_127, 0) = FREE(self, 2);
    LEAVE(2);
    if (LIKELY(TAKES(FREE(self, 3), 1))) {
        return ((void (*)(word *, word *, word, word))CLOSURE_CODE(FREE(self, 3)))(sp, hp,
                FREE(self, 3), guard_9_127);
    }
    rt->arguments[0] = guard_9_127;
    return tail_apply(sp, hp, FREE(self, 3), 1);
}

static void guard_k_14_90(word *sp, word *hp, word value)
{
    word t_6_128;
    word percent_winds_9_129;
    word self;
    runtime *rt = runtime_of(sp);
    bool c_;
    sp -= 3;
    self = sp[0];
    t_6_128 = value;
    CELL_REF(percent_winds_9_129, FREE(self, 1), 2);
    return guard_guard_8_86(sp, hp, percent_winds_9_129);
}

static void guard_9(word *sp, word *hp, word self)
{
    runtime *rt = runtime_of(sp);
    bool c_;
    LEAVE(2);
    PASS(2);
    rt->arguments[0] = FREE(self, 0);
    return control_raise_continuable(sp, hp, 1);
}

static void guard_10(word *sp, word *hp, word self)
{
    runtime *rt = runtime_of(sp);
    bool c_;
    LEAVE(2);
    PASS(2);
    rt->arguments[0] = FREE(self, 0);
    return control_raise_continuable(sp, hp, 1);
}

static void s_guard_11(word *sp, word *hp, word self, word a)
{
    return guard_11(sp, hp, a);
}

static void guard_11(word *sp, word *hp, word results_130)
{
    word guard_15_131;
    runtime *rt = runtime_of(sp);
    bool c_;
    if (UNLIKELY(hp > rt->heap_limit)) {
        sp[0] = results_130;
        CALL_3(enter, sp, hp, 1);
        sp = rt->sp;
        hp = rt->hp;
        results_130 = sp[0];
    }
    CLOSURE_OF(guard_15_131, guard_12, 0, 1);
    FREE(guard_15_131, 0) = results_130;
    RETURN(guard_15_131);
}

static void guard_12(word *sp, word *hp, word self)
{
    runtime *rt = runtime_of(sp);
    bool c_;
    LEAVE(7);
    PASS(7);
    rt->arguments[0] = CONSTANT_CLOSURE(p_values_132);
    rt->arguments[1] = FREE(self, 0);
    return control_apply(sp, hp, 2);
}

static const place the_places[] = {
    {0},
    {"control.scm:15:1", "(define (guarded f x) (guard (e ((symbol\077 e) (list 'symbol \342\200\246", " 15 | (define (guarded f x)\012    | ^^^^^^^^^^^^^^^^^^^^^\012", NULL, 0, 358, 534, 0},
    {"control.scm:16:3", "(guard (e ((symbol\077 e) (list 'symbol e)) ((error-object\077 e)\342\200\246", " 16 |   (guard (e ((symbol\077 e) (list 'symbol e))\012    |   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\012", NULL, 0, 382, 533, 0},
    {"control.scm:16:10", "(e ((symbol\077 e) (list 'symbol e)) ((error-object\077 e) (error\342\200\246", " 16 |   (guard (e ((symbol\077 e) (list 'symbol e))\012    |          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\012", NULL, 0, 389, 480, 0},
    {"", "", "", "", 1, 0, 0, 0},
    {"control.scm:18:24", "(f x)", " 18 |     (if (procedure\077 f) (f x) (raise 'no-procedure))))\012    |                        ^^^^^\012", NULL, 0, 504, 509, 0},
    {"control.scm:18:9", "(procedure\077 f)", " 18 |     (if (procedure\077 f) (f x) (raise 'no-procedure))))\012    |         ^^^^^^^^^^^^^^\012", NULL, 0, 489, 503, 0},
    {"control.scm:18:30", "(raise 'no-procedure)", " 18 |     (if (procedure\077 f) (f x) (raise 'no-procedure))))\012    |                              ^^^^^^^^^^^^^^^^^^^^^\012", NULL, 0, 510, 531, 0},
    {"control.scm:16:14", "(symbol\077 e)", " 16 |   (guard (e ((symbol\077 e) (list 'symbol e))\012    |              ^^^^^^^^^^^\012", NULL, 0, 393, 404, 0},
    {"control.scm:17:14", "(error-object\077 e)", " 17 |             ((error-object\077 e) (error-object-message e)))\012    |              ^^^^^^^^^^^^^^^^^\012", NULL, 0, 436, 453, 0},
    {"control.scm:17:32", "(error-object-message e)", " 17 |             ((error-object\077 e) (error-object-message e)))\012    |                                ^^^^^^^^^^^^^^^^^^^^^^^^\012", NULL, 0, 454, 478, 0}
};

static const site the_sites[] = {
    {0},
    {2, 1, NULL},
    {3, 0, NULL},
    {3, 0, "wind-in"},
    {3, 0, "caar"},
    {4, 0, NULL},
    {4, 0, "length"},
    {2, 0, NULL},
    {5, 4, NULL},
    {6, 7, NULL},
    {7, 10, NULL},
    {3, 0, "cdar"},
    {3, 0, "wind-out"},
    {3, 0, "common-tail"},
    {8, 0, NULL},
    {9, 0, NULL},
    {10, 0, NULL},
    {1, 0, NULL}
};

static const int the_calls[] = {
    0, 1, 1, 0, 2, 1, 0, 2,
    1, 0, 2, 1, 0
};

static const frame the_frames[] = {
    {(code)guarded_k_1_13, 1, 1},
    {(code)guard_k_22_19, 3, 2},
    {(code)guard_k_23_20, 3, 2},
    {(code)guard_k_5_44, 1, 2},
    {(code)guard_k_18_49, 1, 8},
    {(code)lambda_k_15_56, 7, 2},
    {(code)lambda_k_16_57, 6, 2},
    {(code)guard_k_10_87, 2, 2},
    {(code)guard_k_11_88, 4, 2},
    {(code)guard_k_12_89, 2, 2},
    {(code)guard_k_14_90, 3, 2}
};

static const procedure_name the_names[] = {
    {(void *)s_guarded_1, "guarded"},
    {(void *)guard_5, "guard"},
    {(void *)guard_6, "guard"},
    {(void *)guard_8, "guard"},
    {(void *)guard_9, "guard"},
    {(void *)guard_10, "guard"},
    {(void *)s_guard_11, "guard"},
    {(void *)guard_12, "guard"}
};

static const returned the_items[] = {
    0
};

static const int the_item_sites[] = {
    0
};

static const char the_constants[] = "\"6,length;\"28,length: expected a list, got;\"12,no-procedurey;\"6,symboly;";

static const char *const the_parameters[] = {
    "f",
    "x",
    NULL
};

static const named_cell the_named_cells[] = {
    {NULL, 0}
};

static word the_entry(runtime *rt)
{
    (void)rt;
    return CONSTANT_CLOSURE(c_guarded_1);
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
    .frame_count = 11,
    .name_count = 8,
    .constant_count = 4,
    .shared_count = 0,
    .global_count = 1,
    .item_count = 0,
    .word_bytes = 4,
    .entry_site = 17,
    .entry = the_entry
};
