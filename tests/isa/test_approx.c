// The approximations stay within the errors that the PTX manual documents, against the C library
// in double precision.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "isa/approx.h"

static unsigned failures;

enum measure { ABSOLUTE, RELATIVE };

// Largest error of f over the floats in lo..hi, about every 2000th of them; at most 2^bound.
static void expect_error(const char *name, float (*f)(float), double (*exact)(double), float lo,
                         float hi, enum measure measure, double bound) {
    double worst = 0;
    float where = 0;
    for (uint32_t u = 0; u < 0xff800000u; u += 1999) {
        float x;
        memcpy(&x, &u, sizeof x);
        if (!(x >= lo && x <= hi))
            continue;
        double want = exact((double)x), error = fabs((double)f(x) - want);
        // A relative error says nothing of results that are subnormal.
        if (measure == RELATIVE)
            error = fabs(want) < 0x1p-126 ? 0 : error / fabs(want);
        if (!(error <= worst)) {
            worst = error;
            where = x;
        }
    }
    if (worst <= exp2(bound))
        return;
    failures++;
    printf("%s in %g..%g: error 2^%.2f at %a, allowed 2^%.2f\n", name, (double)lo, (double)hi,
           log2(worst), (double)where, bound);
}

static double exact_rsqrt(double x) {
    return 1 / sqrt(x);
}

int main(void) {
    const float pi = 3.14159265f, tiny = 0x1p-149f, huge = 0x1.fffffep127f;
    expect_error("sin", approx_sin, sin, -pi, pi, ABSOLUTE, -20.9);
    expect_error("cos", approx_cos, cos, -pi, pi, ABSOLUTE, -20.9);
    expect_error("sin", approx_sin, sin, -10000, 10000, ABSOLUTE, -20.9);
    expect_error("lg2", approx_lg2, log2, 0.5f, 2, ABSOLUTE, -22.6);
    expect_error("lg2", approx_lg2, log2, 2, huge, RELATIVE, -22);
    expect_error("lg2", approx_lg2, log2, tiny, 0.5f, RELATIVE, -22);
    expect_error("ex2", approx_ex2, exp2, -126, 127.99f, RELATIVE, -22.5);
    expect_error("tanh", approx_tanh, tanh, -huge, huge, RELATIVE, -11);
    expect_error("rsqrt", approx_rsqrt, exact_rsqrt, tiny, huge, RELATIVE, -22.9);
    for (float x = 1; x < 0x1p120f; x *= 7.3f)
        if (!(fabsf(approx_sin(x)) <= 1) || !(fabsf(approx_cos(x)) <= 1)) {
            failures++;
            printf("sine or cosine of %g is beyond 1\n", (double)x);
        }
    return failures != 0;
}
