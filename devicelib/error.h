// The scaled complementary error function, on which the others of its family stand.
#pragma once
#include "exp.h"

// exp(x^2) erfc(x) for x >= 0 (not infinite) and NaN.
INLINE double erfcx_positive(double x) {
    double t = div_rn(x - 4.0, x + 4.0);
    return div_rn(poly_erfcx(t), fma_d(2.0, x, 1.0));
}
