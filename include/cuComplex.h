// Complex numbers in C style, on host and device. x is the real part, y the imaginary part.
#ifndef CU_COMPLEX_H_
#define CU_COMPLEX_H_

#include <math.h>

#include "vector_functions.h"

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

#define KUDZU_COMPLEX static __inline__ __host__ __device__

// The quotient and the absolute value scale their operands, so that no intermediate result
// overflows where the result does not.
#define KUDZU_COMPLEX_FUNCTIONS(T, C, f, m, make)                                                  \
    KUDZU_COMPLEX T cuCreal##m(C z) {                                                              \
        return z.x;                                                                                \
    }                                                                                              \
    KUDZU_COMPLEX T cuCimag##m(C z) {                                                              \
        return z.y;                                                                                \
    }                                                                                              \
    KUDZU_COMPLEX C make(T r, T i) {                                                               \
        C z;                                                                                       \
        z.x = r;                                                                                   \
        z.y = i;                                                                                   \
        return z;                                                                                  \
    }                                                                                              \
    KUDZU_COMPLEX C cuConj##m(C z) {                                                               \
        return make(z.x, -z.y);                                                                    \
    }                                                                                              \
    KUDZU_COMPLEX C cuCadd##m(C a, C b) {                                                          \
        return make(a.x + b.x, a.y + b.y);                                                         \
    }                                                                                              \
    KUDZU_COMPLEX C cuCsub##m(C a, C b) {                                                          \
        return make(a.x - b.x, a.y - b.y);                                                         \
    }                                                                                              \
    KUDZU_COMPLEX C cuCmul##m(C a, C b) {                                                          \
        return make(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);                                 \
    }                                                                                              \
    KUDZU_COMPLEX C cuCdiv##m(C a, C b) {                                                          \
        T s = 1 / (fabs##f(b.x) + fabs##f(b.y));                                                   \
        T ar = a.x * s, ai = a.y * s, br = b.x * s, bi = b.y * s;                                  \
        T d = 1 / (br * br + bi * bi);                                                             \
        return make((ar * br + ai * bi) * d, (ai * br - ar * bi) * d);                             \
    }                                                                                              \
    KUDZU_COMPLEX T cuCabs##m(C z) {                                                               \
        return hypot##f(z.x, z.y);                                                                 \
    }                                                                                              \
    KUDZU_COMPLEX C cuCfma##m(C a, C b, C c) {                                                     \
        T re = a.x * b.x + c.x, im = a.x * b.y + c.y;                                              \
        return make(re - a.y * b.y, im + a.y * b.x);                                               \
    }

KUDZU_COMPLEX_FUNCTIONS(float, cuFloatComplex, f, f, make_cuFloatComplex)
KUDZU_COMPLEX_FUNCTIONS(double, cuDoubleComplex, , , make_cuDoubleComplex)

KUDZU_COMPLEX cuComplex make_cuComplex(float x, float y) {
    return make_cuFloatComplex(x, y);
}
KUDZU_COMPLEX cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex z) {
    return make_cuFloatComplex((float)z.x, (float)z.y);
}
KUDZU_COMPLEX cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex z) {
    return make_cuDoubleComplex(z.x, z.y);
}

#undef KUDZU_COMPLEX_FUNCTIONS
#undef KUDZU_COMPLEX

#endif
