// The scaled complementary error function, on which the others of its family stand.
#pragma once
#include "exp.h"

// exp(x^2) erfc(x) for x >= 0 (not infinite) and NaN. The quotient t = (x - 4)/(x + 4) gets a
// correction, because the result depends on it more than once.
INLINE double erfcx_positive(double x) {
    double inverse = div_rn(1.0, x + 4.0);
    double t = (x - 4.0) * inverse;
    t = fma_d(inverse, fma_d(-t, x, fma_d(-4.0, t + 1.0, x)), t);
    return div_rn(0.5 * poly_erfcx(t), x + 0.5);
}
