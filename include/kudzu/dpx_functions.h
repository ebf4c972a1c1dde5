// Dynamic programming functions (guide 10.25): minima and maxima of up to three integers, after an
// addition and not below zero where the name says so, on whole words (s32, u32) and on the halves
// of words (s16x2, u16x2). Sums wrap around. On host and device.
#ifndef KUDZU_DPX_FUNCTIONS_H
#define KUDZU_DPX_FUNCTIONS_H

#pragma push_macro("KUDZU_DPX")
#define KUDZU_DPX static __inline__ __host__ __device__

namespace kudzu {

// T is the type of an operand, or of each half of one.
template <typename T> KUDZU_DPX T dpx_max(T a, T b) {
    return a > b ? a : b;
}
template <typename T> KUDZU_DPX T dpx_min(T a, T b) {
    return a < b ? a : b;
}
KUDZU_DPX int dpx_sum(int a, int b) {
    return (int)((unsigned int)a + (unsigned int)b);
}
KUDZU_DPX unsigned int dpx_sum(unsigned int a, unsigned int b) {
    return a + b;
}
KUDZU_DPX short dpx_sum(short a, short b) {
    return (short)(a + b);
}
KUDZU_DPX unsigned short dpx_sum(unsigned short a, unsigned short b) {
    return (unsigned short)(a + b);
}

} // namespace kudzu

// The function `name` on words of type W, and `half` on two halves of type H: value is an
// expression of a, b, c, each of type T.
#define KUDZU_DPX_HALVES(H, value)                                                                 \
    H low, high;                                                                                   \
    {                                                                                              \
        typedef H T;                                                                               \
        T a = (T)va, b = (T)vb, c = (T)vc;                                                         \
        (void)c;                                                                                   \
        low = value;                                                                               \
    }                                                                                              \
    {                                                                                              \
        typedef H T;                                                                               \
        T a = (T)(va >> 16), b = (T)(vb >> 16), c = (T)(vc >> 16);                                 \
        (void)c;                                                                                   \
        high = value;                                                                              \
    }                                                                                              \
    return (unsigned int)(unsigned short)high << 16 | (unsigned short)low;
#define KUDZU_DPX_THREE(name, W, value)                                                            \
    KUDZU_DPX W name(W a, W b, W c) {                                                              \
        typedef W T;                                                                               \
        return value;                                                                              \
    }
#define KUDZU_DPX_THREE_HALVES(name, H, value)                                                     \
    KUDZU_DPX unsigned int name(unsigned int va, unsigned int vb, unsigned int vc) {               \
        KUDZU_DPX_HALVES(H, value)                                                                 \
    }
#define KUDZU_DPX_TWO(name, W, value)                                                              \
    KUDZU_DPX W name(W a, W b) {                                                                   \
        typedef W T;                                                                               \
        return value;                                                                              \
    }
#define KUDZU_DPX_TWO_HALVES(name, H, value)                                                       \
    KUDZU_DPX unsigned int name(unsigned int va, unsigned int vb) {                                \
        const unsigned int vc = 0;                                                                 \
        KUDZU_DPX_HALVES(H, value)                                                                 \
    }
// All four types of a function of three operands without a limit, and the signed ones with it.
#define KUDZU_DPX_FAMILY(name, value)                                                              \
    KUDZU_DPX_THREE(name##_s32, int, (value))                                                      \
    KUDZU_DPX_THREE(name##_u32, unsigned int, (value))                                             \
    KUDZU_DPX_THREE_HALVES(name##_s16x2, short, (value))                                           \
    KUDZU_DPX_THREE_HALVES(name##_u16x2, unsigned short, (value))                                  \
    KUDZU_DPX_THREE(name##_s32_relu, int, kudzu::dpx_max<T>(value, 0))                             \
    KUDZU_DPX_THREE_HALVES(name##_s16x2_relu, short, kudzu::dpx_max<T>(value, 0))

KUDZU_DPX_FAMILY(__vimax3, kudzu::dpx_max<T>(kudzu::dpx_max<T>(a, b), c))
KUDZU_DPX_FAMILY(__vimin3, kudzu::dpx_min<T>(kudzu::dpx_min<T>(a, b), c))
KUDZU_DPX_FAMILY(__viaddmax, kudzu::dpx_max<T>(kudzu::dpx_sum(a, b), c))
KUDZU_DPX_FAMILY(__viaddmin, kudzu::dpx_min<T>(kudzu::dpx_sum(a, b), c))
KUDZU_DPX_TWO(__vimax_s32_relu, int, kudzu::dpx_max<T>(kudzu::dpx_max<T>(a, b), 0))
KUDZU_DPX_TWO(__vimin_s32_relu, int, kudzu::dpx_max<T>(kudzu::dpx_min<T>(a, b), 0))
KUDZU_DPX_TWO_HALVES(__vimax_s16x2_relu, short, kudzu::dpx_max<T>(kudzu::dpx_max<T>(a, b), 0))
KUDZU_DPX_TWO_HALVES(__vimin_s16x2_relu, short, kudzu::dpx_max<T>(kudzu::dpx_min<T>(a, b), 0))

// Which operand was taken: *pred is set where it is a (on equality, too).
#define KUDZU_DPX_WHICH(name, W, compare)                                                          \
    KUDZU_DPX W name(W a, W b, bool *pred) {                                                       \
        *pred = a compare b;                                                                       \
        return a compare b ? a : b;                                                                \
    }
#define KUDZU_DPX_WHICH_HALVES(name, H, compare)                                                   \
    KUDZU_DPX unsigned int name(unsigned int a, unsigned int b, bool *pred_hi, bool *pred_lo) {    \
        *pred_hi = (H)(a >> 16) compare(H)(b >> 16);                                               \
        *pred_lo = (H)a compare(H) b;                                                              \
        return ((*pred_hi ? a : b) & 0xffff0000u) | ((*pred_lo ? a : b) & 0xffffu);                \
    }
KUDZU_DPX_WHICH(__vibmax_s32, int, >=)
KUDZU_DPX_WHICH(__vibmax_u32, unsigned int, >=)
KUDZU_DPX_WHICH(__vibmin_s32, int, <=)
KUDZU_DPX_WHICH(__vibmin_u32, unsigned int, <=)
KUDZU_DPX_WHICH_HALVES(__vibmax_s16x2, short, >=)
KUDZU_DPX_WHICH_HALVES(__vibmax_u16x2, unsigned short, >=)
KUDZU_DPX_WHICH_HALVES(__vibmin_s16x2, short, <=)
KUDZU_DPX_WHICH_HALVES(__vibmin_u16x2, unsigned short, <=)

#undef KUDZU_DPX_WHICH_HALVES
#undef KUDZU_DPX_WHICH
#undef KUDZU_DPX_FAMILY
#undef KUDZU_DPX_TWO_HALVES
#undef KUDZU_DPX_TWO
#undef KUDZU_DPX_THREE_HALVES
#undef KUDZU_DPX_THREE
#undef KUDZU_DPX_HALVES
#pragma pop_macro("KUDZU_DPX")

#endif
