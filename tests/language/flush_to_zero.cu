// Compiled with -ftz=true: what takes numbers apart sees zeros for subnormal ones, what moves bits
// leaves them alone, and __fmaf_ieee_* does not know of the option.
#include <cmath>

#include "check.h"

struct results {
    float sum, quotient, scaled, far, fraction, whole, part, sign, ieee[4];
    int exponent;
};

__global__ void compute(float tiny, float y, results *r) {
    r->sum = tiny + 0x1p-140f;
    r->quotient = 0x1p-126f / y;
    r->scaled = ldexpf(tiny, 10);
    r->far = scalbnf(tiny, 100);
    r->fraction = frexpf(tiny, &r->exponent);
    r->part = modff(tiny, &r->whole);
    r->sign = copysignf(tiny, y);
    r->ieee[0] = __fmaf_ieee_rn(tiny, y, 0x1p-149f);
    r->ieee[1] = __fmaf_ieee_rz(tiny, y, 0x1p-149f);
    r->ieee[2] = __fmaf_ieee_ru(tiny, y, 0x1p-149f);
    r->ieee[3] = __fmaf_ieee_rd(tiny, y, 0x1p-149f);
}

static bool is_zero(float x, bool negative) {
    return x == 0 && std::signbit(x) == negative;
}

int main() {
    results *r = shared_array<results>(1);
    for (float tiny : {0x1p-130f, -0x1.8p-128f}) {
        bool negative = tiny < 0;
        compute<<<1, 1>>>(tiny, 2, r);
        CUDA(cudaDeviceSynchronize());
        CHECK(is_zero(r->sum, false) && is_zero(r->quotient, false));
        CHECK(is_zero(r->scaled, negative) && is_zero(r->far, negative));
        CHECK(is_zero(r->fraction, negative) && r->exponent == 0);
        CHECK(is_zero(r->whole, negative) && is_zero(r->part, negative));
        CHECK(r->sign == std::fabs(tiny));
        for (float sum : r->ieee)
            CHECK(sum == tiny * 2 + 0x1p-149f);
    }
    printf(failures ? "%d failures\n" : "passed\n", failures);
    return failures != 0;
}
