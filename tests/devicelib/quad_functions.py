#!/usr/bin/env python3
"""Quad precision's functions on the device, held to the guide's bound (17.1, table 20): at most one
unit in the last place from the correctly rounded result.

usage: quad_functions.py KUDZU SOURCE [COUNT [SEED]]

mpmath computes the results to 300 bits and more. SOURCE is compiled and run: it reads lines with a
function's number and two arguments, and writes results, all as hexadecimal digits.
"""

import os
import random
import subprocess
import sys
import tempfile

try:
    import mpmath
    from mpmath import mp, mpf
except ImportError:
    print("mpmath is not installed")
    sys.exit(77)

NAN = 0x7FFF8 << 108
INF = 0x7FFF << 112
SIGN = 1 << 127
LEAST = -16494  # the exponent of the least subnormal number


def to_mpf(bits):
    field, fraction = bits >> 112 & 0x7FFF, bits & (1 << 112) - 1
    if field:
        fraction |= 1 << 112
    value = mpmath.ldexp(mpf(fraction), max(field, 1) - 16383 - 112)
    return -value if bits & SIGN else value


def from_mpf(x, sign_of_zero=0):
    """Rounded to the nearest quad, ties to even."""
    if x == 0:
        return sign_of_zero
    sign, man, exp, bc = x._mpf_
    unit = max(exp + bc - 113, LEAST)
    shift = unit - exp
    if shift > 0:
        kept, rest, half = man >> shift, man & (1 << shift) - 1, 1 << shift - 1
        kept += rest > half or (rest == half and kept & 1)
    else:
        kept = man << -shift
    bits = kept + ((unit - LEAST) << 112)
    return min(bits, INF) | (SIGN if sign else 0)


def power(x, y):
    """For arguments of which x is positive, or y an integer."""
    exponent = y * mpmath.log(abs(x))
    if abs(exponent) > 12000:
        result = mpmath.ldexp(mpf(1), 20000 if exponent > 0 else -20000)
    else:
        result = mpmath.exp(exponent)
    odd = y == mpmath.floor(y) and abs(y) < 2**120 and int(y) & 1
    return -result if x < 0 and odd else result


def bounded(function, least=-12000, most=12000):
    return lambda x: function(min(max(x, mpf(least)), mpf(most)))


def tanh(x):
    """mpmath's loses what lies below its precision."""
    with mp.extraprec(64):
        e = mpmath.expm1(2 * min(abs(x), mpf(200)))
        return mpmath.sign(x) * e / (e + 2)


def sinh(x):
    with mp.extraprec(64):
        e = mpmath.expm1(min(abs(x), mpf(12000)))
        return mpmath.sign(x) * (e + e / (e + 1)) / 2


def asinh(x):
    with mp.extraprec(64):
        y = abs(x)
        return mpmath.sign(x) * mpmath.log1p(y + y * y / (1 + mpmath.sqrt(1 + y * y)))


def acosh(x):
    with mp.extraprec(200):
        return mpmath.log1p((x - 1) + mpmath.sqrt((x - 1) * (x + 1)))


def atanh(x):
    with mp.extraprec(200):
        return mpmath.sign(x) * mpmath.log1p(2 * abs(x) / (1 - abs(x))) / 2


# Name, reference, whether a number is in its domain, exponents of arguments.
ALL = (-16500, 16384)
ANY = lambda x: True
POSITIVE = lambda x: x > 0
FUNCTIONS = [
    ("exp", bounded(mpmath.exp), ANY, [(-8, 6), (-120, 14), (12, 14)]),
    ("exp2", bounded(lambda x: mpmath.exp(x * mpmath.ln(2)), -17000, 17000), ANY,
     [(-8, 6), (-120, 14), (12, 15)]),
    ("exp10", bounded(lambda x: mpmath.exp(x * mpmath.ln(10)), -6000, 6000), ANY,
     [(-8, 6), (-120, 13), (11, 13)]),
    ("expm1", bounded(mpmath.expm1), ANY, [(-8, 3), (-120, 14), ALL]),
    ("log", mpmath.log, POSITIVE, [(-1, 1), (-100, 100), ALL]),
    ("log2", lambda x: mpmath.log(x) / mpmath.ln(2), POSITIVE, [(-1, 1), (-100, 100), ALL]),
    ("log10", lambda x: mpmath.log(x) / mpmath.ln(10), POSITIVE, [(-1, 1), (-100, 100), ALL]),
    ("log1p", mpmath.log1p, lambda x: x > -1, [(-10, 1), (-130, 100), ALL]),
    ("sin", mpmath.sin, ANY, [(-4, 5), (-100, 120), ALL]),
    ("cos", mpmath.cos, ANY, [(-4, 5), (-100, 120), ALL]),
    ("tan", mpmath.tan, ANY, [(-4, 5), (-100, 120), ALL]),
    ("asin", mpmath.asin, lambda x: abs(x) <= 1, [(-3, 0), (-120, 0), (-16500, 0)]),
    ("acos", mpmath.acos, lambda x: abs(x) <= 1, [(-3, 0), (-120, 0)]),
    ("atan", mpmath.atan, ANY, [(-5, 5), (-120, 120), ALL]),
    ("sinh", sinh, ANY, [(-5, 5), (-120, 14), ALL]),
    ("cosh", bounded(mpmath.cosh), ANY, [(-5, 5), (-120, 14)]),
    ("tanh", tanh, ANY, [(-5, 5), (-120, 8), ALL]),
    ("asinh", asinh, ANY, [(-5, 5), (-120, 120), ALL]),
    ("acosh", acosh, lambda x: x >= 1, [(0, 1), (0, 120), (0, 16384)]),
    ("atanh", atanh, lambda x: abs(x) < 1, [(-5, 0), (-120, 0), (-16500, 0)]),
    ("pow", power, lambda x, y: x > 0 or (x < 0 and y == mpmath.floor(y)), [(-3, 3), (-20, 20), ALL]),
    ("hypot", lambda x, y: mpmath.sqrt(x * x + y * y), lambda x, y: x != 0 and y != 0,
     [(-3, 3), (-100, 100), ALL]),
]
TWO_ARGUMENTS = ("pow", "hypot")

# What annex F of C says: function, arguments, result.
ONE, MINUS_ONE = 0x3FFF << 112, 0xBFFF << 112
TWO, THREE, HALF = 0x4000 << 112, 0x40008 << 108, 0x3FFE << 112
PI_2 = 0x3FFF921FB54442D18469898CC51701B8
SPECIAL = [
    ("exp", INF, 0, INF), ("exp", INF | SIGN, 0, 0), ("exp", 0, 0, ONE), ("exp2", TWO, 0, 0x4001 << 112),
    ("exp2", INF, 0, INF), ("exp10", INF | SIGN, 0, 0), ("exp10", TWO, 0, from_mpf(mpf(100))),
    ("expm1", SIGN, 0, SIGN), ("expm1", INF | SIGN, 0, MINUS_ONE), ("expm1", INF, 0, INF),
    ("log", 0, 0, INF | SIGN), ("log", SIGN, 0, INF | SIGN), ("log", ONE, 0, 0), ("log", MINUS_ONE, 0, NAN),
    ("log", INF, 0, INF), ("log2", from_mpf(mpf(8)), 0, THREE), ("log10", from_mpf(mpf(1000)), 0, THREE),
    ("log1p", MINUS_ONE, 0, INF | SIGN), ("log1p", SIGN, 0, SIGN), ("log1p", INF, 0, INF),
    ("log1p", TWO | SIGN, 0, NAN), ("sin", SIGN, 0, SIGN), ("sin", INF, 0, NAN), ("cos", 0, 0, ONE),
    ("cos", INF | SIGN, 0, NAN), ("tan", SIGN, 0, SIGN), ("tan", INF, 0, NAN), ("asin", SIGN, 0, SIGN),
    ("asin", TWO, 0, NAN), ("asin", ONE, 0, PI_2), ("asin", MINUS_ONE, 0, PI_2 | SIGN), ("acos", ONE, 0, 0),
    ("acos", MINUS_ONE, 0, PI_2 + (1 << 112)), ("acos", TWO, 0, NAN), ("acos", 0, 0, PI_2),
    ("atan", INF, 0, PI_2), ("atan", INF | SIGN, 0, PI_2 | SIGN), ("atan", SIGN, 0, SIGN),
    ("sinh", SIGN, 0, SIGN), ("sinh", INF | SIGN, 0, INF | SIGN), ("cosh", INF | SIGN, 0, INF),
    ("cosh", 0, 0, ONE), ("tanh", INF, 0, ONE), ("tanh", INF | SIGN, 0, MINUS_ONE), ("tanh", SIGN, 0, SIGN),
    ("asinh", SIGN, 0, SIGN), ("asinh", INF | SIGN, 0, INF | SIGN), ("acosh", ONE, 0, 0), ("acosh", HALF, 0, NAN),
    ("acosh", INF, 0, INF), ("atanh", SIGN, 0, SIGN), ("atanh", ONE, 0, INF), ("atanh", MINUS_ONE, 0, INF | SIGN),
    ("atanh", TWO, 0, NAN), ("pow", 0, MINUS_ONE, INF), ("pow", SIGN, MINUS_ONE, INF | SIGN),
    ("pow", SIGN, TWO, 0), ("pow", SIGN, THREE, SIGN), ("pow", MINUS_ONE, INF, ONE), ("pow", ONE, NAN, ONE),
    ("pow", NAN, SIGN, ONE), ("pow", MINUS_ONE, HALF, NAN), ("pow", HALF, INF, 0), ("pow", HALF, INF | SIGN, INF),
    ("pow", TWO, INF, INF), ("pow", TWO, INF | SIGN, 0), ("pow", INF | SIGN, THREE, INF | SIGN),
    ("pow", INF | SIGN, TWO, INF), ("pow", INF | SIGN, THREE | SIGN, SIGN), ("pow", INF, HALF, INF),
    ("pow", THREE, TWO, from_mpf(mpf(9))), ("pow", THREE | SIGN, THREE, from_mpf(mpf(-27))),
    ("hypot", INF | SIGN, NAN, INF), ("hypot", NAN, INF, INF), ("hypot", NAN, ONE, NAN),
    ("hypot", THREE, from_mpf(mpf(4)), from_mpf(mpf(5))), ("hypot", SIGN, SIGN, 0),
] + [(name, NAN, ONE, NAN) for name, *_ in FUNCTIONS]


def draw(random_bits, low, high):
    field = min(max(random_bits.randint(low, high) + 16383, 0), 0x7FFE)
    fraction = random_bits.getrandbits(112)
    if random_bits.random() < 0.3:  # a few leading bits, or all ones
        keep = random_bits.randint(0, 111)
        fraction = fraction >> keep << keep
        if random_bits.random() < 0.3:
            fraction = (1 << 112) - 1 - fraction
    return random_bits.getrandbits(1) << 127 | field << 112 | fraction


def near_multiple(random_bits):
    """A number next to a multiple of pi/2."""
    with mp.workprec(17000):
        n = mpf(random_bits.getrandbits(random_bits.choice((3, 20, 100, 1000, 12000))) | 1)
        return from_mpf(n * mp.pi / 2)


def cases(count, random_bits):
    for number, (name, reference, inside, ranges) in enumerate(FUNCTIONS):
        for i in range(count):
            low, high = ranges[i % len(ranges)]
            x, y = draw(random_bits, low, high), draw(random_bits, low, high)
            if name in ("sin", "cos", "tan") and i % 8 == 7:
                x = near_multiple(random_bits)
            if name == "pow" and i % 4 == 3:
                y = from_mpf(mpf(random_bits.randint(-300, 300)))
            if name == "pow" and i % 8 == 2:  # a result that is not out of range
                x, y = draw(random_bits, -9, 9) & ~SIGN, draw(random_bits, 0, 10)
            values = (to_mpf(x), to_mpf(y)) if name in TWO_ARGUMENTS else (to_mpf(x),)
            if values[0] != 0 and inside(*values):
                yield number, x, y, values


def distance(a, b):
    order = lambda q: -(q & ~SIGN) if q & SIGN else q
    return abs(order(a) - order(b))


def main():
    kudzu, source = sys.argv[1:3]
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 150
    random_bits = random.Random(int(sys.argv[4]) if len(sys.argv) > 4 else 1)
    mp.prec = 400
    tests = list(cases(count, random_bits))
    names = [f[0] for f in FUNCTIONS]
    text = "".join("%d %016x %016x %016x %016x\n" % (n, x >> 64, x & 2**64 - 1, y >> 64, y & 2**64 - 1)
                   for n, x, y in [t[:3] for t in tests] + [(names.index(s[0]), s[1], s[2]) for s in SPECIAL])
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "program")
        if kudzu == "-":  # a program that is there already
            program = source
        else:
            subprocess.run([kudzu, "cc", "-arch=sm_100", source, "-o", program], check=True)
        output = subprocess.run([program], input=text, stdout=subprocess.PIPE, text=True, check=True).stdout
    results = [int(line, 16) for line in output.split()]
    assert len(results) == len(tests) + len(SPECIAL), "results are missing"
    failures = 0
    worst = [0] * len(names)
    inexact = [0] * len(names)
    for (n, x, y, values), got in zip(tests, results):
        wanted = from_mpf(FUNCTIONS[n][1](*values), x & SIGN)
        off = distance(got, wanted)
        worst[n] = max(worst[n], off)
        inexact[n] += off != 0
        if off > 1:
            failures += 1
            if failures < 40:
                print("%s(%032x, %032x) = %032x, not %032x" % (names[n], x, y, got, wanted))
    for (name, x, y, wanted), got in zip(SPECIAL, results[len(tests):]):
        is_nan = got & ~SIGN > INF
        if got != wanted and not (wanted == NAN and is_nan):
            failures += 1
            print("%s(%032x, %032x) = %032x, not %032x" % (name, x, y, got, wanted))
    for n, name in enumerate(names):
        print("%-6s at most %d off, %d of %d not rounded correctly" %
              (name, worst[n], inexact[n], sum(t[0] == n for t in tests)))
    print("%d failures" % failures)
    return failures != 0


if __name__ == "__main__":
    sys.exit(main())
