// Numbers as the unevaluated sum of two doubles, hi + lo, about 106 bits.
#pragma once
#include "device.h"

typedef struct {
    double hi, lo;
} dd;

// a + b for |a| >= |b| (or a == 0), exactly.
INLINE dd fast_two_sum(double a, double b) {
    double s = add_rn(a, b);
    return (dd){s, add_rn(b, -add_rn(s, -a))};
}

// a + b, exactly.
INLINE dd two_sum(double a, double b) {
    double s = add_rn(a, b);
    double t = add_rn(s, -a);
    return (dd){s, add_rn(add_rn(a, -add_rn(s, -t)), add_rn(b, -t))};
}

// a * b, exactly.
INLINE dd two_product(double a, double b) {
    double p = mul_rn(a, b);
    return (dd){p, fma_d(a, b, -p)};
}

INLINE dd dd_multiply(dd a, dd b) {
    dd p = two_product(a.hi, b.hi);
    p.lo = fma_d(a.hi, b.lo, fma_d(a.lo, b.hi, p.lo));
    return fast_two_sum(p.hi, p.lo);
}

INLINE dd dd_add(dd a, dd b) {
    dd s = two_sum(a.hi, b.hi);
    return fast_two_sum(s.hi, add_rn(s.lo, add_rn(a.lo, b.lo)));
}
