"""Formats of 16 bits and less, from the PTX manual's description of them in exact arithmetic: what each code
stands for, and the conversions of cvt. Nothing here is shared with what it tests."""
import bisect
import functools
import struct
from fractions import Fraction


@functools.cache
def power_of_two(n):
    return Fraction(2) ** n


class Format:
    """`exponent` and `digits` bits, a sign above them. special: "ieee" has infinity and NaN, "nan" one NaN of
    all ones, "none" neither."""

    def __init__(self, name, exponent, digits, special, apart):
        self.name, self.exponent, self.digits, self.special, self.apart = name, exponent, digits, special, apart
        self.bias = (1 << (exponent - 1)) - 1
        self.sign = 1 << (exponent + digits)
        self.largest = {"ieee": (((1 << exponent) - 1) << digits) - 1, "nan": self.sign - 2,
                        "none": self.sign - 1}[special]
        self.infinity = self.largest + 1 if special == "ieee" else None
        self.nan = self.largest if special == "none" else self.sign - 1

    @functools.cache
    def magnitude(self, code):
        """Of a code up to the largest: they are in order."""
        e, d = code >> self.digits, code & ((1 << self.digits) - 1)
        return (d + (1 << self.digits if e else 0)) * self.step(code)

    def below(self, size):
        """The code of the greatest magnitude that is not above `size`."""
        low, high = 0, self.largest + 1
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self.magnitude(middle) <= size else (low, middle)
        return low

    def step(self, code):
        """From the magnitude of a code to the next one, as if there were no largest."""
        return power_of_two(max(code >> self.digits, 1) - self.bias - self.digits)


F16 = Format("f16", 5, 10, "ieee", 16)
BF16 = Format("bf16", 8, 7, "ieee", 16)
E4M3 = Format("e4m3", 4, 3, "nan", 8)
E5M2 = Format("e5m2", 5, 2, "ieee", 8)
E2M3 = Format("e2m3", 2, 3, "none", 8)
E3M2 = Format("e3m2", 3, 2, "none", 8)
E2M1 = Format("e2m1", 2, 1, "none", 4)


def parse_float(bits, exponent=8, digits=23):
    """(kind, is negative, magnitude) of an IEEE number's bits."""
    negative, e, d = bits >> (exponent + digits) & 1, bits >> digits & ((1 << exponent) - 1), bits & ((1 << digits) - 1)
    if e == (1 << exponent) - 1:
        return ("nan" if d else "inf"), bool(negative), None
    scale = power_of_two(max(e, 1) - (1 << (exponent - 1)) + 1 - digits)
    return "number", bool(negative), (d + (1 << digits if e else 0)) * scale


def parse_half(bits):
    return parse_float(bits, 5, 10)


def parse_bfloat(bits):
    return parse_float(bits << 16)


def signed(f, negative, code, relu):
    return 0 if relu and negative else code | (f.sign if negative else 0)


def too_large(f, satfinite):
    return f.largest if satfinite or f.infinity is None else f.infinity


def to_nearest(f, x, relu=False, satfinite=True):
    """.rn"""
    kind, negative, size = x
    if kind == "nan":
        return f.nan
    if kind == "inf":
        return signed(f, negative, too_large(f, satfinite), relu)
    code = f.below(size)
    rest = size - f.magnitude(code)
    half = f.step(code) / 2
    if rest > half or (rest == half and code & 1):
        code += 1
    if code > f.largest:
        code = too_large(f, satfinite)
    return signed(f, negative, code, relu)


def by_random_bits(f, x, random, bits, relu, satfinite):
    """.rs: the part of a step that is cut off, as a fraction of `bits` bits, plus the random bits; a carry
    rounds away from zero."""
    kind, negative, size = x
    if kind == "nan":
        return f.nan
    if kind == "inf":
        return signed(f, negative, too_large(f, satfinite), relu)
    code = f.below(size)
    rest = (size - f.magnitude(code)) / f.step(code)  # 1 and more beyond the largest
    cut = int(rest * (1 << bits))
    if cut + random >= 1 << bits:
        code += 1
    if code > f.largest or rest >= 1:
        code = too_large(f, satfinite)
    return signed(f, negative, code, relu)


def reversed16(x):
    return int("{:016b}".format(x)[::-1], 2)


POWERS = [power_of_two(code - 127) for code in range(255)]


def to_power(x, up, satfinite):
    """ue8m0: 2^(code - 127), 255 for NaN. Signs count for nothing, what is too small is 2^-127."""
    kind, _, size = x
    if kind == "nan":
        return 255
    if kind == "number":
        code = bisect.bisect_left(POWERS, size) if up else max(bisect.bisect_right(POWERS, size) - 1, 0)
        if code < 255:
            return code
    return 254 if satfinite else 255


def from_power(code):
    """As bf16."""
    if code == 255:
        return 0x7fff
    return to_nearest(BF16, ("number", False, power_of_two(code - 127)))


def to_half_bits(f, code, relu):
    """A code of a small format as f16, exactly."""
    size = code & (f.sign - 1)
    if size > f.largest:
        if size != f.infinity:
            return 0x7fff
        return signed(F16, bool(code & f.sign), F16.infinity, relu)
    return to_nearest(F16, ("number", bool(code & f.sign), f.magnitude(size)), relu)


def to_fixed(x, scale, relu):
    """s2f6: a signed byte in units of 1/64, of x over a ue8m0."""
    kind, negative, size = x
    if kind == "nan" or scale == 255:
        return 127
    if relu and negative:
        return 0
    if kind == "inf":
        return 128 if negative else 127
    n = round(size * 64 / power_of_two(scale - 127))  # of halves the even one
    return -min(n, 128) & 255 if negative else min(n, 127)


def fixed_number(code):
    return "number", code > 127, Fraction(abs(code - 256 if code > 127 else code), 64)


def small_number(f, code):
    size = code & (f.sign - 1)
    if size > f.largest:
        return "inf" if size == f.infinity else "nan", bool(code & f.sign), None
    return "number", bool(code & f.sign), f.magnitude(size)


def to_scaled_bfloat(x, scale, relu, satfinite):
    kind, negative, size = x
    if kind == "nan" or scale == 255:
        return 0x7fff
    return to_nearest(BF16, (kind, negative, size if kind == "inf" else size * power_of_two(scale - 127)), relu, satfinite)


def packed(f, high, low):
    return high << f.apart | low


def float_bits(x):
    return struct.unpack("<I", struct.pack("<f", x))[0]
