// The formats of small floats by their definitions, and the nearest code of a number, found by
// looking at all of them.
#ifndef SMALL_FORMATS_H
#define SMALL_FORMATS_H

#include <cmath>

#include "check.h"

enum { E4M3, E5M2, E2M3, E3M2, E2M1, FORMATS };

struct format {
    int exponent_bits, digits, bias;
    bool ieee, nan; // infinities and NaNs as in IEEE 754; one NaN
} const formats[FORMATS] = {
    {4, 3, 7, false, true},  {5, 2, 15, true, true},  {2, 3, 1, false, false},
    {3, 2, 3, false, false}, {2, 1, 1, false, false},
};

static int bits_of(int f) {
    return 1 + formats[f].exponent_bits + formats[f].digits;
}

static double value_of(int f, unsigned int code) {
    const format &t = formats[f];
    unsigned int sign = code >> (bits_of(f) - 1), digits = code & ((1u << t.digits) - 1);
    int exponent = (int)(code >> t.digits & ((1u << t.exponent_bits) - 1));
    int top = (1 << t.exponent_bits) - 1;
    double size;
    if (t.ieee && exponent == top)
        size = digits ? NAN : INFINITY;
    else if (t.nan && !t.ieee && exponent == top && digits == (1u << t.digits) - 1)
        size = NAN;
    else if (exponent == 0)
        size = ldexp(digits, 1 - t.bias - t.digits);
    else
        size = ldexp(digits + (1 << t.digits), exponent - t.bias - t.digits);
    return sign ? -size : size;
}

// Among all codes: the one next to x in the given direction, the even one of two that are as near.
static unsigned int nearest(int f, double x, cudaRoundMode mode, bool saturate) {
    const unsigned int sign = 1u << (bits_of(f) - 1);
    unsigned int largest = 0;
    for (unsigned int c = 0; c < sign; c++)
        if (std::isfinite(value_of(f, c)) && value_of(f, c) > value_of(f, largest))
            largest = c;
    if (std::isnan(x))
        return formats[f].nan ? sign - 1 : largest;
    const unsigned int negative = std::signbit(x) ? sign : 0;
    const unsigned int beyond = formats[f].ieee ? largest + 1 : sign - 1;
    double size = fabs(x), top = value_of(f, largest);
    bool up = mode == cudaRoundPosInf ? !negative : mode == cudaRoundMinInf ? negative != 0 : false;
    // What the next number after the largest would be.
    double next = top + (top - value_of(f, largest - 1));
    bool over = mode == cudaRoundNearest
                    ? size > (top + next) / 2 || (size == (top + next) / 2 && (largest & 1))
                    : std::isinf(size) || (up && size > top) || size >= next;
    if (over)
        return negative | (saturate ? largest : beyond);
    unsigned int best = 0;
    for (unsigned int c = 0; c <= largest; c++) {
        double a = value_of(f, c), b = value_of(f, best);
        bool better;
        if (mode == cudaRoundNearest)
            better =
                fabs(a - size) < fabs(b - size) || (fabs(a - size) == fabs(b - size) && c % 2 == 0);
        else if (up)
            better = a >= size && (b < size || a < b);
        else
            better = a <= size && a > b;
        if (better)
            best = c;
    }
    return negative | best;
}

#endif
