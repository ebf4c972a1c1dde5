// The numbers of 16 bits that a size rounds to, found by bisection.
#ifndef HALF_EXPECTED_H
#define HALF_EXPECTED_H

#include <cmath>

static long double size_of(unsigned short code, bool bf) {
    int digits = bf ? 7 : 10, bias = bf ? 127 : 15;
    int exponent = code >> digits, fraction = code & ((1 << digits) - 1);
    return exponent ? ldexpl(fraction + (1 << digits), exponent - bias - digits)
                    : ldexpl(fraction, 1 - bias - digits);
}

// The next number at or below `size`, that above it, or the nearest one.
static unsigned short rounded(long double size, bool bf, bool away, bool nearest) {
    const unsigned short infinity = bf ? 0x7f80 : 0x7c00;
    int low = 0, high = infinity; // size_of(low) <= size < size_of(high)
    while (high - low > 1) {
        int middle = (low + high) / 2;
        (size_of((unsigned short)middle, bf) <= size ? low : high) = middle;
    }
    long double below = size_of((unsigned short)low, bf), above = size_of((unsigned short)high, bf);
    if (size == below)
        return (unsigned short)low;
    if (!nearest)
        return (unsigned short)(away ? high : low);
    if (size - below == above - size)
        return (unsigned short)(low % 2 ? high : low);
    return (unsigned short)(size - below < above - size ? low : high);
}

#endif
