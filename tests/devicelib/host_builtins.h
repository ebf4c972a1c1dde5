// Stand-ins for the NVVM builtins that the device library uses, so that its sources run on the
// host. Only what the library's arithmetic needs is faithful: the approximate instructions are
// replaced by exact ones, since no hardware is there to ask.
#pragma once
#include <fenv.h>
#include <math.h>

#define HOST static inline __attribute__((unused))

// One operation under a rounding mode; volatile keeps it between the two changes of the mode.
#define UNDER(mode, type, expression)                                                              \
    int before = fegetround();                                                                     \
    fesetround(mode);                                                                              \
    volatile type result = expression;                                                             \
    fesetround(before);                                                                            \
    return result
#define ARITHMETIC_TYPE(nvvm, mode, suffix, type, root, fused)                                     \
    HOST type __nvvm_add_##nvvm##_##suffix(type a, type b) {                                       \
        volatile type x = a, y = b;                                                                \
        UNDER(mode, type, x + y);                                                                  \
    }                                                                                              \
    HOST type __nvvm_mul_##nvvm##_##suffix(type a, type b) {                                       \
        volatile type x = a, y = b;                                                                \
        UNDER(mode, type, x *y);                                                                   \
    }                                                                                              \
    HOST type __nvvm_div_##nvvm##_##suffix(type a, type b) {                                       \
        volatile type x = a, y = b;                                                                \
        UNDER(mode, type, x / y);                                                                  \
    }                                                                                              \
    HOST type __nvvm_rcp_##nvvm##_##suffix(type a) {                                               \
        volatile type x = a;                                                                       \
        UNDER(mode, type, (type)1 / x);                                                            \
    }                                                                                              \
    HOST type __nvvm_sqrt_##nvvm##_##suffix(type a) {                                              \
        volatile type x = a;                                                                       \
        UNDER(mode, type, root(x));                                                                \
    }                                                                                              \
    HOST type __nvvm_fma_##nvvm##_##suffix(type a, type b, type c) {                               \
        volatile type x = a, y = b, z = c;                                                         \
        UNDER(mode, type, fused(x, y, z));                                                         \
    }
#define ARITHMETIC_MODE(nvvm, mode)                                                                \
    ARITHMETIC_TYPE(nvvm, mode, d, double, sqrt, fma)                                              \
    ARITHMETIC_TYPE(nvvm, mode, f, float, sqrtf, fmaf)                                             \
    ARITHMETIC_TYPE(nvvm##_ftz, mode, f, float, sqrtf, fmaf)
ARITHMETIC_MODE(rz, FE_TOWARDZERO)
ARITHMETIC_MODE(rp, FE_UPWARD)
ARITHMETIC_MODE(rm, FE_DOWNWARD)

// To nearest, which is the mode that everything runs in. The empty asm keeps results from being
// fused into what follows, as the instructions do that these stand for.
#define NEAREST_TYPE(nvvm, suffix, type, root, fused)                                              \
    HOST type __nvvm_add_##nvvm##_##suffix(type a, type b) {                                       \
        type r = a + b;                                                                            \
        __asm__("" : "+x"(r));                                                                     \
        return r;                                                                                  \
    }                                                                                              \
    HOST type __nvvm_mul_##nvvm##_##suffix(type a, type b) {                                       \
        type r = a * b;                                                                            \
        __asm__("" : "+x"(r));                                                                     \
        return r;                                                                                  \
    }                                                                                              \
    HOST type __nvvm_div_##nvvm##_##suffix(type a, type b) {                                       \
        return a / b;                                                                              \
    }                                                                                              \
    HOST type __nvvm_rcp_##nvvm##_##suffix(type a) {                                               \
        return (type)1 / a;                                                                        \
    }                                                                                              \
    HOST type __nvvm_sqrt_##nvvm##_##suffix(type a) {                                              \
        return root(a);                                                                            \
    }                                                                                              \
    HOST type __nvvm_fma_##nvvm##_##suffix(type a, type b, type c) {                               \
        return fused(a, b, c);                                                                     \
    }
NEAREST_TYPE(rn, d, double, sqrt, fma)
NEAREST_TYPE(rn, f, float, sqrtf, fmaf)
NEAREST_TYPE(rn_ftz, f, float, sqrtf, fmaf)

// Conversions to integers saturate, and NaN gives 0 (64 bits: the smallest value).
#define TO_INTEGER(name, from, round, to, low, high, nan_value)                                    \
    HOST to __nvvm_##name(from a) {                                                                \
        if (a != a)                                                                                \
            return nan_value;                                                                      \
        long double r = round((long double)a);                                                     \
        return r <= (long double)(low) ? (low) : r >= (long double)(high) ? (high) : (to)r;        \
    }
#define I64_MIN (-0x7fffffffffffffffll - 1)
#define FROM_MODE(from, prefix, suffix, round)                                                     \
    TO_INTEGER(prefix##2i_##suffix, from, round, int, -0x7fffffff - 1, 0x7fffffff, 0)              \
    TO_INTEGER(prefix##2ui_##suffix, from, round, unsigned, 0u, 0xffffffffu, 0)                    \
    TO_INTEGER(prefix##2ll_##suffix, from, round, long long, I64_MIN, 0x7fffffffffffffffll,        \
               I64_MIN)                                                                            \
    TO_INTEGER(prefix##2ull_##suffix, from, round, unsigned long long, 0ull, ~0ull,                \
               0x8000000000000000ull)
#define FROM_BOTH(suffix, round)                                                                   \
    FROM_MODE(double, d, suffix, round)                                                            \
    FROM_MODE(float, f, suffix, round)                                                             \
    FROM_MODE(float, f, suffix##_ftz, round)
FROM_BOTH(rn, rintl)
FROM_BOTH(rz, truncl)
FROM_BOTH(rp, ceill)
FROM_BOTH(rm, floorl)

#define TO_FLOAT(name, from, to, mode)                                                             \
    HOST to __nvvm_##name(from a) {                                                                \
        volatile from x = a;                                                                       \
        UNDER(mode, to, (to)x);                                                                    \
    }
#define TO_FLOAT_MODE(suffix, mode)                                                                \
    TO_FLOAT(d2f_##suffix, double, float, mode)                                                    \
    TO_FLOAT(d2f_##suffix##_ftz, double, float, mode)                                              \
    TO_FLOAT(i2f_##suffix, int, float, mode)                                                       \
    TO_FLOAT(ui2f_##suffix, unsigned, float, mode)                                                 \
    TO_FLOAT(ll2f_##suffix, long long, float, mode)                                                \
    TO_FLOAT(ull2f_##suffix, unsigned long long, float, mode)                                      \
    TO_FLOAT(ll2d_##suffix, long long, double, mode)                                               \
    TO_FLOAT(ull2d_##suffix, unsigned long long, double, mode)
TO_FLOAT_MODE(rn, FE_TONEAREST)
TO_FLOAT_MODE(rz, FE_TOWARDZERO)
TO_FLOAT_MODE(rp, FE_UPWARD)
TO_FLOAT_MODE(rm, FE_DOWNWARD)

#define APPROXIMATE(name, expression)                                                              \
    HOST float __nvvm_##name##_f(float a) {                                                        \
        return (float)(expression);                                                                \
    }                                                                                              \
    HOST float __nvvm_##name##_ftz_f(float a) {                                                    \
        return (float)(expression);                                                                \
    }
APPROXIMATE(ex2_approx, exp2((double)a))
APPROXIMATE(lg2_approx, log2((double)a))
APPROXIMATE(sin_approx, sin((double)a))
APPROXIMATE(cos_approx, cos((double)a))
APPROXIMATE(rsqrt_approx, 1.0 / sqrt((double)a))
APPROXIMATE(saturate, a != a ? 0.0 : a < 0.0f ? 0.0 : a > 1.0f ? 1.0 : a)

HOST float __nvvm_div_approx_f(float a, float b) {
    return a / b;
}

HOST float __nvvm_div_approx_ftz_f(float a, float b) {
    return a / b;
}

HOST float __nvvm_rcp_approx_ftz_f(float a) {
    return 1.0f / a;
}

HOST double __nvvm_rcp_approx_ftz_d(double a) {
    return 1.0 / a;
}

HOST int __nvvm_mulhi_i(int a, int b) {
    return (int)((long long)a * b >> 32);
}

HOST unsigned __nvvm_mulhi_ui(unsigned a, unsigned b) {
    return (unsigned)((unsigned long long)a * b >> 32);
}

HOST long long __nvvm_mulhi_ll(long long a, long long b) {
    return (long long)((__int128)a * b >> 64);
}

HOST unsigned long long __nvvm_mulhi_ull(unsigned long long a, unsigned long long b) {
    return (unsigned long long)((unsigned __int128)a * b >> 64);
}

HOST int __nvvm_mul24_i(int a, int b) {
    return (int)((unsigned)((int)((unsigned)a << 8) >> 8) *
                 (unsigned)((int)((unsigned)b << 8) >> 8));
}

HOST unsigned __nvvm_mul24_ui(unsigned a, unsigned b) {
    return (a & 0xffffffu) * (b & 0xffffffu);
}

HOST unsigned __nvvm_prmt(unsigned a, unsigned b, unsigned selector) {
    unsigned long long both = (unsigned long long)b << 32 | a;
    unsigned result = 0;
    for (int i = 0; i < 4; i++)
        result |= (unsigned)(both >> (selector >> 4 * i & 7) * 8 & 255) << 8 * i;
    return result;
}

HOST unsigned bitreverse32(unsigned a) {
    unsigned r = 0;
    for (int i = 0; i < 32; i++)
        r |= (a >> i & 1) << (31 - i);
    return r;
}

HOST unsigned long long bitreverse64(unsigned long long a) {
    return (unsigned long long)bitreverse32((unsigned)a) << 32 | bitreverse32((unsigned)(a >> 32));
}
