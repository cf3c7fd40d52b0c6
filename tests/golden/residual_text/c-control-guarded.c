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
static void guard_guard_8_85(word *sp, word *hp, word percent_winds_5_98);
static void guard_k_10_86(word *sp, word *hp, word value);
static void guard_k_11_87(word *sp, word *hp, word value);
static void guard_k_12_88(word *sp, word *hp, word value);
static void guard_k_14_89(word *sp, word *hp, word value);
static void guard_9(word *sp, word *hp, word self);
static void guard_10(word *sp, word *hp, word self);
static void s_guard_11(word *sp, word *hp, word self, word a);
static void guard_11(word *sp, word *hp, word results_129);
static void guard_12(word *sp, word *hp, word self);

static const word c_guarded_1[2] = {CLOSURE_HEADER(1, 2), (word)s_guarded_1};

static const word c_guard_11[2] = {CLOSURE_HEADER(1, LEAST | 0), (word)s_guard_11};

static const primitive d_values_131 = {"values", 0, -1, 0, -1, 0, ABSENT, ABSENT, op_values, NULL};

static const word p_values_131[3] = {PRIMITIVE_HEADER(ANY_NUMBER), 0, (word)&d_values_131};

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
    word t_27_18;
    runtime *rt = runtime_of(sp);
    bool c_;
    sp--;
    t_27_18 = value;
    LEAVE(1);
    if (LIKELY(TAKES(t_27_18, 0))) {
        return ((void (*)(word *, word *, word))CLOSURE_CODE(t_27_18))(sp, hp, t_27_18);
    }
    return tail_apply(sp, hp, t_27_18, 0);
}

static void guard_2(word *sp, word *hp, word winds_21, word common_22, word percent_winds_17_23)
{
    word t_28_25;
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
    READ_CDR(t_28_25, winds_21, 3);
    sp[0] = percent_winds_17_23;
    sp[1] = winds_21;
    sp[2] = (word)guard_k_22_19;
    return guard_2(sp + 3, hp, t_28_25, common_22, percent_winds_17_23);
L_24:;
    RETURN(UNSPECIFIED);
}

static void guard_k_22_19(word *sp, word *hp, word value)
{
    word t_29_26;
    word t_30_27;
    word t_31_28;
    word winds_21;
    runtime *rt = runtime_of(sp);
    bool c_;
    sp -= 3;
    winds_21 = sp[1];
    t_29_26 = value;
    READ_CAR(t_30_27, winds_21, 4);
    READ_CAR(t_31_28, t_30_27, 4);
    LEAVE(2);
    sp[2] = (word)guard_k_23_20;
    if (LIKELY(TAKES(t_31_28, 0))) {
        return ((void (*)(word *, word *, word))CLOSURE_CODE(t_31_28))(sp + 3, hp, t_31_28);
    }
    return apply(sp + 3, hp, t_31_28, 0);
}

static void guard_k_23_20(word *sp, word *hp, word value)
{
    word t_32_29;
    word percent_winds_18_30;
    word percent_winds_17_23;
    word winds_21;
    runtime *rt = runtime_of(sp);
    bool c_;
    sp -= 3;
    percent_winds_17_23 = sp[0];
    winds_21 = sp[1];
    t_32_29 = value;
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
    word guard_12_43;
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
    CLOSURE_OF(guard_12_43, guard_6, 0, 2);
    FREE(guard_12_43, 0) = f_14;
    FREE(guard_12_43, 1) = x_15;
    LEAVE(7);
    rt->arguments[0] = guard_3_42;
    rt->arguments[1] = guard_12_43;
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
    word t_23_48;
    runtime *rt = runtime_of(sp);
    bool c_;
    sp--;
    t_23_48 = value;
    LEAVE(2);
    if (LIKELY(TAKES(t_23_48, 0))) {
        return ((void (*)(word *, word *, word))CLOSURE_CODE(t_23_48))(sp, hp, t_23_48);
    }
    return tail_apply(sp, hp, t_23_48, 0);
}

static void guard_6(word *sp, word *hp, word self)
{
    word t_26_51;
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
    DO(t_26_51, 10, CALL_1(op_raise, rt->cells[2]));
    RETURN(t_26_51);
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
    word t_24_52;
    word t_25_53;
    runtime *rt = runtime_of(sp);
    bool c_;
    if (UNLIKELY(hp > rt->heap_limit)) {
        *sp = value;
        CALL_2(collect_garbage, sp, hp);
        hp = rt->hp;
        value = *sp;
    }
    sp--;
    t_24_52 = value;
    DO(t_25_53, 7, op_values_to_list(rt, t_24_52));
    LEAVE(7);
    PASS(7);
    rt->arguments[0] = CONSTANT_CLOSURE(c_guard_11);
    rt->arguments[1] = t_25_53;
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
    word t_22_78;
    word t_20_79;
    word t_21_80;
    word t_19_81;
    word percent_winds_11_82;
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
    if (c_) {
        goto L_76;
    }
    NUMBERS_LT(c_, FIX(0LL), n_1_72, 2);
    if (c_) {
        goto L_77;
    }
    READ_CDR(t_22_78, NIL, 13);
    RETURN(t_22_78);
L_77:;
    READ_CDR(t_20_79, b_1_73, 13);
    SUB(t_21_80, n_1_72, FIX(1LL), 2);
    n_1_72 = t_21_80;
    b_1_73 = t_20_79;
    goto L_74;
L_76:;
    READ_CDR(t_19_81, NIL, 13);
    RETURN(t_19_81);
L_75:;
    CELL_REF(percent_winds_11_82, cell_16, 2);
    return lambda_guard_11_55(sp, hp, percent_winds_11_82);
}

static void lambda_k_16_57(word *sp, word *hp, word value)
{
    word t_18_83;
    word percent_winds_16_84;
    word cell_16;
    runtime *rt = runtime_of(sp);
    bool c_;
    sp -= 6;
    cell_16 = sp[1];
    t_18_83 = value;
    CELL_REF(percent_winds_16_84, cell_16, 2);
    return lambda_guard_11_55(sp, hp, percent_winds_16_84);
}

static void guard_8(word *sp, word *hp, word self)
{
    word percent_winds_2_92;
    word guard_6_94;
    word t_95;
    word pair_96;
    word pair_1_97;
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
        goto L_90;
    }
    if (IS_KIND(FREE(self, 2), CONDITION)) {
        goto L_91;
    }
    CELL_REF(percent_winds_2_92, FREE(self, 1), 2);
    if (SAME(FREE(self, 0), percent_winds_2_92)) {
        goto L_93;
    }
    sp[0] = self;
    sp[1] = (word)guard_k_10_86;
    return length_3(sp + 2, hp, FREE(self, 0));
L_93:;
    CLOSURE_OF(guard_6_94, guard_9, 0, 1);
    FREE(guard_6_94, 0) = FREE(self, 2);
    LEAVE(2);
    if (LIKELY(TAKES(FREE(self, 3), 1))) {
        return ((void (*)(word *, word *, word, word))CLOSURE_CODE(FREE(self, 3)))(sp, hp,
                FREE(self, 3), guard_6_94);
    }
    rt->arguments[0] = guard_6_94;
    return tail_apply(sp, hp, FREE(self, 3), 1);
L_91:;
    DO(t_95, 16, op_error_object_message(rt, FREE(self, 2)));
    RETURN(t_95);
L_90:;
    CONS(pair_96, FREE(self, 2), NIL);
    CONS(pair_1_97, rt->cells[3], pair_96);
    RETURN(pair_1_97);
}

static void guard_guard_8_85(word *sp, word *hp, word percent_winds_5_98)
{
    word percent_winds_6_101;
    word t_4_102;
    word t_5_103;
    word percent_winds_7_104;
    word percent_winds_8_105;
    word a_99;
    word self;
    runtime *rt = runtime_of(sp);
    bool c_;
    self = sp[0];
    a_99 = sp[1];
    if (SAME(percent_winds_5_98, a_99)) {
        goto L_100;
    }
    CELL_REF(percent_winds_6_101, FREE(self, 1), 2);
    READ_CAR(t_4_102, percent_winds_6_101, 11);
    READ_CDR(t_5_103, t_4_102, 11);
    READ_CDR(percent_winds_7_104, percent_winds_6_101, 12);
    CELL_SET(FREE(self, 1), percent_winds_7_104, 2);
    percent_winds_8_105 = UNSPECIFIED;
    LEAVE(2);
    sp[2] = (word)guard_k_14_89;
    if (LIKELY(TAKES(t_5_103, 0))) {
        return ((void (*)(word *, word *, word))CLOSURE_CODE(t_5_103))(sp + 3, hp, t_5_103);
    }
    return apply(sp + 3, hp, t_5_103, 0);
L_100:;
    sp[1] = (word)guard_k_12_88;
    return guard_2(sp + 2, hp, FREE(self, 0), a_99, FREE(self, 1));
}

static void guard_k_10_86(word *sp, word *hp, word value)
{
    word t_1_106;
    word percent_winds_3_107;
    word self;
    runtime *rt = runtime_of(sp);
    bool c_;
    sp -= 2;
    self = sp[0];
    t_1_106 = value;
    CELL_REF(percent_winds_3_107, FREE(self, 1), 2);
    sp[1] = percent_winds_3_107;
    sp[2] = t_1_106;
    sp[3] = (word)guard_k_11_87;
    return length_3(sp + 4, hp, percent_winds_3_107);
}

static void guard_k_11_87(word *sp, word *hp, word value)
{
    word t_2_108;
    word a_99;
    word m_109;
    word n_110;
    word b_111;
    word t_11_116;
    word t_12_117;
    word t_13_118;
    word t_14_119;
    word t_9_120;
    word t_10_121;
    word t_7_122;
    word t_8_123;
    word percent_winds_4_124;
    word self;
    word t_1_106;
    word percent_winds_3_107;
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
    percent_winds_3_107 = sp[1];
    t_1_106 = sp[2];
    t_2_108 = value;
    a_99 = FREE(self, 0);
    m_109 = t_1_106;
    n_110 = t_2_108;
    b_111 = percent_winds_3_107;
L_112:;
    if (UNLIKELY(hp > rt->heap_limit)) {
        sp[3] = a_99;
        sp[4] = m_109;
        sp[5] = n_110;
        sp[6] = b_111;
        CALL_3(enter, sp, hp, 7);
        sp = rt->sp;
        hp = rt->hp;
        a_99 = sp[3];
        m_109 = sp[4];
        n_110 = sp[5];
        b_111 = sp[6];
        self = sp[0];
        percent_winds_3_107 = sp[1];
        t_1_106 = sp[2];
    }
    if (SAME(a_99, b_111)) {
        goto L_113;
    }
    NUMBERS_GT(c_, m_109, n_110, 2);
    if (c_) {
        goto L_114;
    }
    NUMBERS_LT(c_, m_109, n_110, 2);
    if (c_) {
        goto L_115;
    }
    READ_CDR(t_11_116, a_99, 13);
    SUB(t_12_117, m_109, FIX(1LL), 2);
    READ_CDR(t_13_118, b_111, 13);
    SUB(t_14_119, n_110, FIX(1LL), 2);
    a_99 = t_11_116;
    m_109 = t_12_117;
    n_110 = t_14_119;
    b_111 = t_13_118;
    goto L_112;
L_115:;
    READ_CDR(t_9_120, b_111, 13);
    SUB(t_10_121, n_110, FIX(1LL), 2);
    n_110 = t_10_121;
    b_111 = t_9_120;
    goto L_112;
L_114:;
    READ_CDR(t_7_122, a_99, 13);
    SUB(t_8_123, m_109, FIX(1LL), 2);
    a_99 = t_7_122;
    m_109 = t_8_123;
    goto L_112;
L_113:;
    CELL_REF(percent_winds_4_124, FREE(self, 1), 2);
    sp[1] = a_99;
    return guard_guard_8_85(sp, hp, percent_winds_4_124);
}

static void guard_k_12_88(word *sp, word *hp, word value)
{
    word t_3_125;
    word guard_9_126;
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
    t_3_125 = value;
    CLOSURE_OF(guard_9_126, guard_10, 0, 1);
    FREE(guard_9_126, 0) = FREE(self, 2);
    LEAVE(2);
    if (LIKELY(TAKES(FREE(self, 3), 1))) {
        return ((void (*)(word *, word *, word, word))CLOSURE_CODE(FREE(self, 3)))(sp, hp,
                FREE(self, 3), guard_9_126);
    }
    rt->arguments[0] = guard_9_126;
    return tail_apply(sp, hp, FREE(self, 3), 1);
}

static void guard_k_14_89(word *sp, word *hp, word value)
{
    word t_6_127;
    word percent_winds_9_128;
    word self;
    runtime *rt = runtime_of(sp);
    bool c_;
    sp -= 3;
    self = sp[0];
    t_6_127 = value;
    CELL_REF(percent_winds_9_128, FREE(self, 1), 2);
    return guard_guard_8_85(sp, hp, percent_winds_9_128);
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

static void guard_11(word *sp, word *hp, word results_129)
{
    word guard_14_130;
    runtime *rt = runtime_of(sp);
    bool c_;
    if (UNLIKELY(hp > rt->heap_limit)) {
        sp[0] = results_129;
        CALL_3(enter, sp, hp, 1);
        sp = rt->sp;
        hp = rt->hp;
        results_129 = sp[0];
    }
    CLOSURE_OF(guard_14_130, guard_12, 0, 1);
    FREE(guard_14_130, 0) = results_129;
    RETURN(guard_14_130);
}

static void guard_12(word *sp, word *hp, word self)
{
    runtime *rt = runtime_of(sp);
    bool c_;
    LEAVE(7);
    PASS(7);
    rt->arguments[0] = CONSTANT_CLOSURE(p_values_131);
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
    {(code)guard_k_10_86, 2, 2},
    {(code)guard_k_11_87, 4, 2},
    {(code)guard_k_12_88, 2, 2},
    {(code)guard_k_14_89, 3, 2}
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
