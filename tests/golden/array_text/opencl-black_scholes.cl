...

/* main, black_scholes.l0:24:55 */
__kernel void multiloop_main(const int64_t parts, __global int64_t *errors, const int64_t n,
        const int64_t size, __global uint8_t *a, const int64_t offset, const int64_t size_2,
        __global double *a_2, const int64_t offset_2, const int64_t size_3, __global double *a_3,
        const int64_t offset_3, const int64_t size_4, __global double *a_4, const int64_t offset_4,
        __global double *y)
{
    const int64_t part = get_global_id(0);
    if (part >= parts) {
        return;
    }
    const int64_t i = part;
    const bool x = (a + offset)[i] != 0;
    const double x_2 = (a_2 + offset_2)[i];
    const double x_3 = (a_3 + offset_3)[i];
    const double x_4 = (a_4 + offset_4)[i];
    const double v = sqrt(x_4);
    const double v_2 = v * 0.3;
    const double v_3 = x_2 / x_3;
    const double v_4 = log(v_3);
    const double v_5 = x_4 * 0.125;
    const double v_6 = v_4 + v_5;
    const double v_7 = v_6 / v_2;
    const double v_8 = v_7 - v_2;
    const double v_9 = fabs(v_7);
    const double v_10 = v_9 * 0.2316419;
    const double v_11 = v_10 + 1.0;
    const double v_12 = 1.0 / v_11;
    const double v_13 = v_12 * 1.330274429;
    const double v_14 = v_13 + -1.821255978;
    const double v_15 = v_12 * v_14;
    const double v_16 = v_15 + 1.781477937;
    const double v_17 = v_12 * v_16;
    const double v_18 = v_17 + -0.356563782;
    const double v_19 = v_12 * v_18;
    const double v_20 = v_19 + 0.31938153;
    const double v_21 = v_12 * v_20;
    const double v_22 = v_7 * 0.5;
    const double v_23 = v_7 * v_22;
    const double v_24 = -v_23;
    const double v_25 = exp(v_24);
    const double v_26 = v_25 * 0.3989422804014327;
    const double v_27 = v_21 * v_26;
    const bool v_28 = 0.0 < v_7;
    const double v_29 = 1.0 - v_27;
    const double r = v_28 ? v_29 : v_27;
    const double v_30 = fabs(v_8);
    const double v_31 = v_30 * 0.2316419;
    const double v_32 = v_31 + 1.0;
    const double v_33 = 1.0 / v_32;
    const double v_34 = v_33 * 1.330274429;
    const double v_35 = v_34 + -1.821255978;
    const double v_36 = v_33 * v_35;
    const double v_37 = v_36 + 1.781477937;
    const double v_38 = v_33 * v_37;
    const double v_39 = v_38 + -0.356563782;
    const double v_40 = v_33 * v_39;
    const double v_41 = v_40 + 0.31938153;
    const double v_42 = v_33 * v_41;
    const double v_43 = v_8 * 0.5;
    const double v_44 = v_8 * v_43;
    const double v_45 = -v_44;
    const double v_46 = exp(v_45);
    const double v_47 = v_46 * 0.3989422804014327;
    const double v_48 = v_42 * v_47;
    const bool v_49 = 0.0 < v_8;
    const double v_50 = 1.0 - v_48;
    const double r_2 = v_49 ? v_50 : v_48;
    const double v_51 = x_4 * 0.08;
    const double v_52 = -v_51;
    const double v_53 = exp(v_52);
    const double v_54 = x_3 * v_53;
    const double v_55 = x_2 * r;
    const double v_56 = r_2 * v_54;
    const double v_57 = v_55 - v_56;
    const double v_58 = 1.0 - r_2;
    const double v_59 = v_54 * v_58;
    const double v_60 = 1.0 - r;
    const double v_61 = x_2 * v_60;
    const double v_62 = v_59 - v_61;
    const double r_3 = x ? v_57 : v_62;
    y[i] = r_3;
}

/* lanes, black_scholes.l0:24:55 */
__kernel void multiloop_lanes(const int64_t parts, __global int64_t *errors, const int64_t n,
        const int64_t size, __global uint8_t *a, const int64_t offset, const int64_t size_2,
        __global double *a_2, const int64_t offset_2, const int64_t size_3, __global double *a_3,
        const int64_t offset_3, const int64_t size_4, __global double *a_4, const int64_t offset_4,
        __global double *y)
{
    const int64_t part = get_global_id(0);
    if (part >= parts) {
        return;
    }
    const int64_t start = n * part / parts;
    const int64_t stop = n * (part + 1) / parts;
    int64_t i_2 = start;
    while (i_2 + 8 <= stop) {
        const long8 w = convert_long8(vload8(0, a + offset + i_2)) != 0;
        const double8 w_2 = vload8(0, a_2 + offset_2 + i_2);
        const double8 w_3 = vload8(0, a_3 + offset_3 + i_2);
        const double8 w_4 = vload8(0, a_4 + offset_4 + i_2);
        const double8 w_5 = sqrt(w_4);
        const double8 w_6 = w_5 * (double8)(0.3);
        const double8 w_7 = w_2 / w_3;
        const double8 w_8 = log(w_7);
        const double8 w_9 = w_4 * (double8)(0.125);
        const double8 w_10 = w_8 + w_9;
        const double8 w_11 = w_10 / w_6;
        const double8 w_12 = w_11 - w_6;
        const double8 w_13 = fabs(w_11);
        const double8 w_14 = w_13 * (double8)(0.2316419);
        const double8 w_15 = w_14 + (double8)(1.0);
        const double8 w_16 = (double8)(1.0) / w_15;
        const double8 w_17 = w_16 * (double8)(1.330274429);
        const double8 w_18 = w_17 + (double8)(-1.821255978);
        const double8 w_19 = w_16 * w_18;
        const double8 w_20 = w_19 + (double8)(1.781477937);
        const double8 w_21 = w_16 * w_20;
        const double8 w_22 = w_21 + (double8)(-0.356563782);
        const double8 w_23 = w_16 * w_22;
        const double8 w_24 = w_23 + (double8)(0.31938153);
        const double8 w_25 = w_16 * w_24;
        const double8 w_26 = w_11 * (double8)(0.5);
        const double8 w_27 = w_11 * w_26;
        const double8 w_28 = -w_27;
        const double8 w_29 = exp(w_28);
        const double8 w_30 = w_29 * (double8)(0.3989422804014327);
        const double8 w_31 = w_25 * w_30;
        const long8 w_32 = (double8)(0.0) < w_11;
        const double8 w_33 = (double8)(1.0) - w_31;
        const double8 w_34 = w_32 ? w_33 : w_31;
        const double8 w_35 = fabs(w_12);
        const double8 w_36 = w_35 * (double8)(0.2316419);
        const double8 w_37 = w_36 + (double8)(1.0);
        const double8 w_38 = (double8)(1.0) / w_37;
        const double8 w_39 = w_38 * (double8)(1.330274429);
        const double8 w_40 = w_39 + (double8)(-1.821255978);
        const double8 w_41 = w_38 * w_40;
        const double8 w_42 = w_41 + (double8)(1.781477937);
        const double8 w_43 = w_38 * w_42;
        const double8 w_44 = w_43 + (double8)(-0.356563782);
        const double8 w_45 = w_38 * w_44;
        const double8 w_46 = w_45 + (double8)(0.31938153);
        const double8 w_47 = w_38 * w_46;
        const double8 w_48 = w_12 * (double8)(0.5);
        const double8 w_49 = w_12 * w_48;
        const double8 w_50 = -w_49;
        const double8 w_51 = exp(w_50);
        const double8 w_52 = w_51 * (double8)(0.3989422804014327);
        const double8 w_53 = w_47 * w_52;
        const long8 w_54 = (double8)(0.0) < w_12;
        const double8 w_55 = (double8)(1.0) - w_53;
        const double8 w_56 = w_54 ? w_55 : w_53;
        const double8 w_57 = w_4 * (double8)(0.08);
        const double8 w_58 = -w_57;
        const double8 w_59 = exp(w_58);
        const double8 w_60 = w_3 * w_59;
        const double8 w_61 = w_2 * w_34;
        const double8 w_62 = w_56 * w_60;
        const double8 w_63 = w_61 - w_62;
        const double8 w_64 = (double8)(1.0) - w_56;
        const double8 w_65 = w_60 * w_64;
        const double8 w_66 = (double8)(1.0) - w_34;
        const double8 w_67 = w_2 * w_66;
        const double8 w_68 = w_65 - w_67;
        const double8 w_69 = w ? w_63 : w_68;
        vstore8(w_69, 0, y + i_2);
        i_2 += 8;
    }
    for (int64_t i = i_2; i < stop; i++) {
        const bool x = (a + offset)[i] != 0;
        const double x_2 = (a_2 + offset_2)[i];
        const double x_3 = (a_3 + offset_3)[i];
        const double x_4 = (a_4 + offset_4)[i];
        const double v = sqrt(x_4);
        const double v_2 = v * 0.3;
        const double v_3 = x_2 / x_3;
        const double v_4 = log(v_3);
        const double v_5 = x_4 * 0.125;
        const double v_6 = v_4 + v_5;
        const double v_7 = v_6 / v_2;
        const double v_8 = v_7 - v_2;
        const double v_9 = fabs(v_7);
        const double v_10 = v_9 * 0.2316419;
        const double v_11 = v_10 + 1.0;
        const double v_12 = 1.0 / v_11;
        const double v_13 = v_12 * 1.330274429;
        const double v_14 = v_13 + -1.821255978;
        const double v_15 = v_12 * v_14;
        const double v_16 = v_15 + 1.781477937;
        const double v_17 = v_12 * v_16;
        const double v_18 = v_17 + -0.356563782;
        const double v_19 = v_12 * v_18;
        const double v_20 = v_19 + 0.31938153;
        const double v_21 = v_12 * v_20;
        const double v_22 = v_7 * 0.5;
        const double v_23 = v_7 * v_22;
        const double v_24 = -v_23;
        const double v_25 = exp(v_24);
        const double v_26 = v_25 * 0.3989422804014327;
        const double v_27 = v_21 * v_26;
        const bool v_28 = 0.0 < v_7;
        const double v_29 = 1.0 - v_27;
        const double r = v_28 ? v_29 : v_27;
        const double v_30 = fabs(v_8);
        const double v_31 = v_30 * 0.2316419;
        const double v_32 = v_31 + 1.0;
        const double v_33 = 1.0 / v_32;
        const double v_34 = v_33 * 1.330274429;
        const double v_35 = v_34 + -1.821255978;
        const double v_36 = v_33 * v_35;
        const double v_37 = v_36 + 1.781477937;
        const double v_38 = v_33 * v_37;
        const double v_39 = v_38 + -0.356563782;
        const double v_40 = v_33 * v_39;
        const double v_41 = v_40 + 0.31938153;
        const double v_42 = v_33 * v_41;
        const double v_43 = v_8 * 0.5;
        const double v_44 = v_8 * v_43;
        const double v_45 = -v_44;
        const double v_46 = exp(v_45);
        const double v_47 = v_46 * 0.3989422804014327;
        const double v_48 = v_42 * v_47;
        const bool v_49 = 0.0 < v_8;
        const double v_50 = 1.0 - v_48;
        const double r_2 = v_49 ? v_50 : v_48;
        const double v_51 = x_4 * 0.08;
        const double v_52 = -v_51;
        const double v_53 = exp(v_52);
        const double v_54 = x_3 * v_53;
        const double v_55 = x_2 * r;
        const double v_56 = r_2 * v_54;
        const double v_57 = v_55 - v_56;
        const double v_58 = 1.0 - r_2;
        const double v_59 = v_54 * v_58;
        const double v_60 = 1.0 - r;
        const double v_61 = x_2 * v_60;
        const double v_62 = v_59 - v_61;
        const double r_3 = x ? v_57 : v_62;
        y[i] = r_3;
    }
}
