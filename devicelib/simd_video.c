// The SIMD video functions: two halfwords or four bytes in one word, computed field by field.
//
// Each function is one expression on the fields a and b of both operands, as numbers; the result's
// low 16 or 8 bits go back into the field. The loops have constant bounds and unroll.
#include "libdevice.h"

INLINE int clamp(int value, int low, int high) {
    return value < low ? low : value > high ? high : value;
}

INLINE int smaller(int a, int b) {
    return a < b ? a : b;
}

INLINE int larger(int a, int b) {
    return a > b ? a : b;
}

INLINE int distance(int a, int b) {
    return a > b ? a - b : b - a;
}

// name2 and name4, where low and high are the limits of a field of the given signedness.
#define FIELDS(name, lanes, field, limit_low, limit_high, expression)                              \
    int __nv_v##name##lanes(int first, int second) {                                               \
        const int width = 32 / lanes, low = limit_low, high = limit_high;                          \
        u32 result = 0;                                                                            \
        for (int i = 0; i < lanes; i++) {                                                          \
            int a = (field)((u32)first >> (i * width));                                            \
            int b = (field)((u32)second >> (i * width));                                           \
            (void)low, (void)high;                                                                 \
            result |= ((u32)(expression) & (0xffffffffu >> (32 - width))) << (i * width);          \
        }                                                                                          \
        return (int)result;                                                                        \
    }

#define SIGNED(name, expression)                                                                   \
    FIELDS(name, 2, i16, -32768, 32767, expression)                                                \
    FIELDS(name, 4, i8, -128, 127, expression)
#define UNSIGNED(name, expression)                                                                 \
    FIELDS(name, 2, u16, 0, 65535, expression)                                                     \
    FIELDS(name, 4, u8, 0, 255, expression)

SIGNED(add, a + b)
SIGNED(sub, a - b)
SIGNED(addss, clamp(a + b, low, high))
SIGNED(subss, clamp(a - b, low, high))
UNSIGNED(addus, clamp(a + b, low, high))
UNSIGNED(subus, clamp(a - b, low, high))
SIGNED(absdiffs, distance(a, b))
UNSIGNED(absdiffu, distance(a, b))
// The signed average rounds a half away from zero, the unsigned one up; haddu rounds down.
SIGNED(avgs, (a + b + (a + b >= 0)) >> 1)
UNSIGNED(avgu, (a + b + 1) >> 1)
UNSIGNED(haddu, (a + b) >> 1)
SIGNED(maxs, larger(a, b))
UNSIGNED(maxu, larger(a, b))
SIGNED(mins, smaller(a, b))
UNSIGNED(minu, smaller(a, b))

// cmp gives a field of ones where the relation holds, set gives 1.
#define RELATION(signedness, suffix, operator)                                                     \
    signedness(cmp##suffix, a operator b ? -1 : 0) signedness(set##suffix, a operator b)
RELATION(UNSIGNED, eq, ==)
RELATION(UNSIGNED, ne, !=)
RELATION(SIGNED, ges, >=)
RELATION(UNSIGNED, geu, >=)
RELATION(SIGNED, gts, >)
RELATION(UNSIGNED, gtu, >)
RELATION(SIGNED, les, <=)
RELATION(UNSIGNED, leu, <=)
RELATION(SIGNED, lts, <)
RELATION(UNSIGNED, ltu, <)

// Functions of one word.
#define FIELDS1(name, lanes, field, limit_high, expression)                                        \
    int __nv_v##name##lanes(int first) {                                                           \
        const int width = 32 / lanes, high = limit_high;                                           \
        u32 result = 0;                                                                            \
        for (int i = 0; i < lanes; i++) {                                                          \
            int a = (field)((u32)first >> (i * width));                                            \
            (void)high;                                                                            \
            result |= ((u32)(expression) & (0xffffffffu >> (32 - width))) << (i * width);          \
        }                                                                                          \
        return (int)result;                                                                        \
    }
#define SIGNED1(name, expression)                                                                  \
    FIELDS1(name, 2, i16, 32767, expression)                                                       \
    FIELDS1(name, 4, i8, 127, expression)

SIGNED1(abs, a < 0 ? -a : a)
SIGNED1(absss, smaller(a < 0 ? -a : a, high))
SIGNED1(neg, -a)
SIGNED1(negss, smaller(-a, high))

// Sums of absolute differences over all fields.
#define SUM(name, lanes, field)                                                                    \
    int __nv_v##name##lanes(int first, int second) {                                               \
        int sum = 0;                                                                               \
        for (int i = 0; i < lanes; i++) {                                                          \
            int a = (field)((u32)first >> (i * 32 / lanes));                                       \
            int b = (field)((u32)second >> (i * 32 / lanes));                                      \
            sum += distance(a, b);                                                                 \
        }                                                                                          \
        return sum;                                                                                \
    }
SUM(sads, 2, i16)
SUM(sads, 4, i8)
SUM(sadu, 2, u16)
SUM(sadu, 4, u8)
