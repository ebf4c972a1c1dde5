"""Writes coefficients.h: every polynomial of the device library, computed from its definition.

usage: coefficients.py [NAME...] > coefficients.h      (needs Python's mpmath)

Each entry of POLYNOMIALS is one inline function: name, type, interval of the variable t, degree,
the function that it approximates, the weight of the error, and a line that says what it is for.
With names as arguments, prints only these and their errors, for development.
"""

import sys

from mpmath import (acos, asin, atan, besselj, bessely, cos, erf, erfc, exp, expm1, gamma, inf, ln,
                    log, loggamma, mp, mpf, pi, sin, sqrt, tan, tanh, besseli, diff, findroot,
                    erfinv, log1p, atan2, floor, psi)

from minimax import minimax

LN2 = ln(2)
TINY = mpf(10) ** -18


def sqrt_argument(f):
    """f as a function of t = x*x, away from the removable singularity in zero."""
    return lambda t: f(sqrt(t + TINY))


def log_series(s):
    """(log((1+s)/(1-s)) - 2s) / s^3"""
    return (log1p(s) - log1p(-s) - 2 * s) / s**3


def erfcx(x):
    if x > 100:
        # The asymptotic series, to far more digits than are needed here.
        total, term = mpf(0), mpf(1)
        for k in range(1, 40):
            total += term
            term *= -(2 * k - 1) / (2 * x * x)
        return total / (x * sqrt(pi))
    return exp(x * x) * erfc(x)


def erfcx_of_quotient(t):
    """erfcx(x) (1 + 2x) where t = (x - 2) / (x + 2)"""
    x = 2 * (1 + t) / (1 - t + TINY)
    return erfcx(x) * (1 + 2 * x)


def erfcinv_by_newton(u):
    """x with erfc(x) = u, for small u > 0."""
    w = -log(u)
    x = sqrt(w)
    for _ in range(60):
        step = (log(erfcx(x)) - x * x + w) * erfcx(x) * sqrt(pi) / 2
        x += step
        if abs(step) < mpf(10) ** -45:
            break
    return x


def erfcinv_of_root(s):
    """erfcinv(u) where u (2 - u) = exp(-s*s)"""
    e = exp(-s * s)
    return erfcinv_by_newton(e / (1 + sqrt(1 - e)))


def erfinv_of_log(w):
    """erfinv(x) / x where 1 - x*x = exp(-w)"""
    w = w + TINY
    x = sqrt(-expm1(-w))
    if w > 3:
        return erfcinv_by_newton(1 - x) / x
    return erfinv(x) / x


def stirling(v):
    """x (lgamma(x) - (x - 1/2) log x + x - log(2 pi)/2) where v = 1/x^2"""
    x = 1 / sqrt(v + TINY * TINY)
    if x > 1000:
        return mpf(1) / 12 - v / 360 + v * v / 1260 - v**3 / 1680
    return x * (loggamma(x) - (x - mpf(1) / 2) * log(x) + x - log(2 * pi) / 2)


def hankel_modulus(n):
    """sqrt(pi x / 2 (Jn^2 + Yn^2)) where v = 1/x^2"""
    def f(v):
        x = 1 / sqrt(v)
        return sqrt(pi * x / 2 * (besselj(n, x)**2 + bessely(n, x)**2))
    return f


def hankel_phase(n):
    """x (arg(Jn + i Yn) - x + (2n + 1) pi/4) where v = 1/x^2"""
    def f(v):
        x = 1 / sqrt(v)
        angle = atan2(bessely(n, x), besselj(n, x)) - x + (2 * n + 1) * pi / 4
        return x * (angle - 2 * pi * floor(angle / (2 * pi) + mpf(1) / 2))
    return f


def without_zero(f, guess):
    """f(x) / (x - z), where z is f's zero near guess."""
    z = findroot(f, guess)

    def g(x):
        if abs(x - z) < mpf(10) ** -15:
            return diff(f, z)
        return f(x) / (x - z)
    return g


def j(n):
    return lambda x: besselj(n, x)


def y(n):
    return lambda x: bessely(n, x)


def y0_smooth(t):
    """Y0(x) - 2/pi log(x) J0(x) where t = x^2"""
    x = sqrt(t + TINY)
    return bessely(0, x) - 2 / pi * log(x) * besselj(0, x)


def y1_smooth(t):
    """(Y1(x) - 2/pi (log(x) J1(x) - 1/x)) / x where t = x^2"""
    x = sqrt(t + TINY)
    return (bessely(1, x) - 2 / pi * (log(x) * besselj(1, x) - 1 / x)) / x


def shifted(f, centre):
    """f(centre + t)"""
    return lambda t: f(mpf(centre) + t)


def of_log(f):
    """f(exp(t))"""
    return lambda t: f(exp(t))


def one(t):
    return mpf(1)


# name: (type, low, high, degree, f, weight, comment). Types: d double, f float. A table (suffix
# "table") is an array, for code that picks it at run time.
POLYNOMIALS = {
    # exp
    "exp": ("d", -LN2 / 2 - 1e-6, LN2 / 2 + 1e-6, 9, lambda t: (expm1(t) - t) / t**2,
            lambda t: t**2, "exp(t) = 1 + t + t^2 p(t)"),
    "exp2": ("d", -0.5, 0.5, 10, lambda t: expm1(t * LN2) / t, lambda t: abs(t),
             "2^t = 1 + t p(t)"),
    "expf": ("f", -LN2 / 2 - 1e-5, LN2 / 2 + 1e-5, 4, lambda t: (expm1(t) - t) / t**2,
             lambda t: t**2, "exp(t) = 1 + t + t^2 p(t)"),
    "exp2f": ("f", -0.5, 0.5, 5, lambda t: expm1(t * LN2) / t, lambda t: abs(t),
              "2^t = 1 + t p(t)"),
    "exp10f": ("f", -0.1506, 0.1506, 5, lambda t: expm1(t * ln(10)) / t, lambda t: abs(t),
               "10^t = 1 + t p(t)"),
    "exp2_short": ("d", -0.5, 0.5, 5, lambda t: expm1(t * LN2) / t, lambda t: abs(t),
                   "2^t = 1 + t p(t), for results in float"),
    # log
    "log": ("d", 0, 0.0295, 6, sqrt_argument(log_series), None,
            "log((1+s)/(1-s)) = 2s + s t p(t), t = s^2"),
    "log_long": ("d", 0, 0.0295, 7, lambda t: (sqrt_argument(log_series)(t) - mpf(2) / 3) / (t + TINY),
                 None, "log((1+s)/(1-s)) = 2s + s t (2/3 + t p(t)), t = s^2"),
    "logf": ("f", -1 / mpf(3), 1 / mpf(3), 7, lambda t: (log1p(t) - t + t * t / 2) / t**3,
             lambda t: abs(t**3 / log1p(t)), "log(1+t) = t - t^2/2 + t^3 p(t)"),
    "log2f": ("f", -1 / mpf(3), 1 / mpf(3), 8, lambda t: (log1p(t) - t) / LN2 / t**2,
              lambda t: abs(t**2 / log1p(t)), "log2(1+t) = t/ln(2) + t^2 p(t)"),
    "log2_short": ("d", sqrt(mpf(1) / 2) - 1, sqrt(mpf(2)) - 1, 12, lambda t: log1p(t) / LN2 / t,
                   None, "log2(1+t) = t p(t), for results in float"),
    "logf_pair": ("f", 0, 0.119, 3, sqrt_argument(lambda q: (log((2 + q) / (2 - q)) - q) / q**3),
                  None, "log((2+q)/(2-q)) = q + q t p(t), t = q^2"),
    # trigonometric
    "sin": ("d", 0, (pi / 2 + mpf("1e-2"))**2, 7, sqrt_argument(lambda x: (sin(x) - x) / x**3),
            lambda t: sqrt(t)**3 / sin(sqrt(t)), "sin(x) = x + x^3 p(t), t = x^2, |x| <= pi/2"),
    "sinf": ("f", 0, (pi / 2 + mpf("1e-2"))**2, 3, sqrt_argument(lambda x: (sin(x) - x) / x**3),
             lambda t: sqrt(t)**3 / sin(sqrt(t)), "sin(x) = x + x^3 p(t), t = x^2, |x| <= pi/2"),
    "sinpi": ("d", 0, 1 / mpf(16), 6, sqrt_argument(lambda x: (sin(pi * x) - pi * x) / x**3),
              lambda t: sqrt(t)**3 / sin(pi * sqrt(t)), "sin(pi x) = pi x + x^3 p(t), t = x^2"),
    "cospi": ("d", 0, 1 / mpf(16), 6, sqrt_argument(lambda x: (cos(pi * x) - 1) / x**2),
              lambda t: t, "cos(pi x) = 1 + x^2 p(t), t = x^2"),
    "sinpif": ("f", 0, 1 / mpf(16), 3, sqrt_argument(lambda x: (sin(pi * x) - pi * x) / x**3),
               lambda t: sqrt(t)**3 / sin(pi * sqrt(t)), "sin(pi x) = pi x + x^3 p(t), t = x^2"),
    "cospif": ("f", 0, 1 / mpf(16), 3, sqrt_argument(lambda x: (cos(pi * x) - 1) / x**2),
               lambda t: t, "cos(pi x) = 1 + x^2 p(t), t = x^2"),
    "tan": ("d", 0, (pi / 4 + mpf("1e-3"))**2, 14, sqrt_argument(lambda x: (tan(x) - x) / x**3),
            lambda t: sqrt(t)**3 / tan(sqrt(t)), "tan(x) = x + x^3 p(t), t = x^2"),
    "atan": ("d", 0, mpf("0.184"), 11, sqrt_argument(lambda x: (atan(x) - x) / x**3),
             lambda t: sqrt(t)**3 / atan(sqrt(t)), "atan(x) = x + x^3 p(t), t = x^2"),
    "asin": ("d", 0, 0.25, 12, sqrt_argument(lambda x: (asin(x) - x) / x**3),
             lambda t: sqrt(t)**3 / asin(sqrt(t)), "asin(x) = x + x^3 p(t), t = x^2"),
    "tanf": ("f", 0, (pi / 4 + mpf("1e-3"))**2, 6, sqrt_argument(lambda x: (tan(x) - x) / x**3),
             lambda t: sqrt(t)**3 / tan(sqrt(t)), "tan(x) = x + x^3 p(t), t = x^2"),
    "atanf": ("f", 0, 1, 8, sqrt_argument(lambda x: (atan(x) - x) / x**3),
              lambda t: sqrt(t)**3 / atan(sqrt(t)), "atan(x) = x + x^3 p(t), t = x^2"),
    "asinf": ("f", 0, 0.25, 4, sqrt_argument(lambda x: (asin(x) - x) / x**3),
              lambda t: sqrt(t)**3 / asin(sqrt(t)), "asin(x) = x + x^3 p(t), t = x^2"),
    # hyperbolic
    "sinh": ("d", 0, 1, 6, sqrt_argument(lambda x: (mp.sinh(x) - x) / x**3),
             lambda t: sqrt(t)**3 / mp.sinh(sqrt(t)), "sinh(x) = x + x^3 p(t), t = x^2"),
    "tanh": ("d", 0, 0.3025, 10, sqrt_argument(lambda x: (tanh(x) - x) / x**3),
             lambda t: sqrt(t)**3 / tanh(sqrt(t)), "tanh(x) = x + x^3 p(t), t = x^2"),
    "tanhf": ("f", 0, 0.3025, 4, sqrt_argument(lambda x: (tanh(x) - x) / x**3),
              lambda t: sqrt(t)**3 / tanh(sqrt(t)), "tanh(x) = x + x^3 p(t), t = x^2"),
    "sinhf": ("f", 0, 1, 2, sqrt_argument(lambda x: (mp.sinh(x) - x) / x**3),
              lambda t: sqrt(t)**3 / mp.sinh(sqrt(t)), "sinh(x) = x + x^3 p(t), t = x^2"),
    # roots
    "rcbrt": ("d", 1, 2, 4, lambda t: t ** (-mpf(1) / 3), None, "t^(-1/3), a first guess"),
    "rcbrtf": ("f", 1, 2, 4, lambda t: t ** (-mpf(1) / 3), None, "t^(-1/3), a first guess"),
    # error functions
    "erf": ("d", 0, 1, 12, sqrt_argument(lambda x: erf(x) / x - 1), one,
            "erf(x) = x + x p(t), t = x^2"),
    "erf_large": ("d", 0.99, 6, 17, lambda t: (-log(erfc(t)) - t) / t, lambda t: t * erfc(t),
                  "erf(x) = 1 - exp(-(x + x p(x)))"),
    "erfcx": ("d", -1, 1, 25, lambda t: (lambda x: erfcx(x) * (1 + 2 * x))(4 * (1 + t) / (1 - t)),
              None, "erfcx(x) = p(t) / (1 + 2x), t = (x - 4) / (x + 4), x >= 0"),
    "erff_small": ("f", 0, 1, 6, sqrt_argument(lambda x: erf(x) / x - 1), one,
                   "erf(x) = x + x p(t), t = x^2"),
    "erff_large": ("f", 0.99, 4.0, 6, lambda t: (-log(erfc(t)) - t) / t, lambda t: t * erfc(t),
                   "erf(x) = 1 - exp(-(x + x p(x)))"),
    "erfcf": ("f", -1, 0.685, 10, lambda t: erfcx_of_quotient(t) - 1, one,
              "erfcx(x) = (1 + p(t)) / (1 + 2x), t = (x - 2) / (x + 2), 0 <= x < 10.7"),
    "erfcxf": ("f", -1, 1, 11, lambda t: erfcx_of_quotient(t) - 1, one,
               "erfcx(x) = (1 + p(t)) / (1 + 2x), t = (x - 2) / (x + 2), x >= 0"),
    "erfinv_centre": ("d", -3.125, 3.125, 23, lambda t: erfinv_of_log(t + mpf("3.125")), None,
                      "erfinv(x) = x p(w - 3.125), w = -log(1 - x^2) < 6.25"),
    "erfinv_tail_1": ("d", -0.75, 0.75, 17, lambda t: erfcinv_of_root(t + mpf("3.25")), None,
                      "erfinv = p(s - 3.25), s = sqrt(-log(1 - x^2)) in [2.5, 4]"),
    "erfinv_tail_2": ("d", -2.25, 2.25, 21, lambda t: erfcinv_of_root(t + mpf("6.25")), None,
                      "erfinv = p(s - 6.25), s in [4, 8.5]"),
    "erfinv_tail_3": ("d", -0.6, 0.6, 14, lambda t: (lambda s: erfcinv_of_root(s) / s)(exp(t + mpf("2.72"))),
                      None, "erfinv = s p(log(s) - 2.72), s in [8.5, 27.3]"),
    "erfinvf_centre": ("f", -3.125, 3.125, 10, lambda t: erfinv_of_log(t + mpf("3.125")), None,
                       "erfinv(x) = x p(w - 3.125), w = -log(1 - x^2) < 6.25"),
    "erfinvf_tail": ("f", -0.155, 0.155, 9, lambda t: erfcinv_of_root(1 / (t + mpf("0.25"))) * (t + mpf("0.25")), None,
                     "erfinv = s p(1/s - 0.25), s = sqrt(-log(1 - x^2)) in [2.5, 10.3]"),
    # gamma
    "rgamma_1": ("d", -0.5, 0.5, 13, lambda t: (1 / gamma(1 + t) - 1) / t, lambda t: abs(t),
                 "1/gamma(1+t) = 1 + t p(t)"),
    "rgamma_2": ("d", -0.5, 1, 15, lambda t: (1 / gamma(2 + t) - 1) / t, None,
                 "1/gamma(2+t) = 1 + t p(t)"),
    "lgamma_1": ("d", -0.5, 0.5, 14, lambda t: (1 / gamma(1 + t) - 1) / t, None,
                 "1/gamma(1+t) = 1 + t p(t), relative precision of the second term"),
    "stirling": ("d", 0, mpf(1) / 64, 6, stirling, None,
                 "lgamma(x) = (x - 1/2) log(x) - x + log(2 pi)/2 + p(t)/x, t = 1/x^2, x >= 8"),
    # Bessel functions
    "j0_table": ("d", -2, 2, 17, shifted(without_zero(j(0), 2.4), 2), None,
                 "J0(x) / (x - 2.40...) for x - 2 = t"),
    "j0_table_2": ("d", -1.5, 1.5, 17, shifted(without_zero(j(0), 5.5), 5.5), None,
                   "J0(x) / (x - 5.52...) for x - 5.5 = t"),
    "j0_table_3": ("d", -0.5, 0.5, 17, shifted(without_zero(j(0), 8.65), 7.5), None,
                   "J0(x) / (x - 8.65...) for x - 7.5 = t"),
    "j1_table": ("d", 0, 4, 17, lambda t: sqrt_argument(lambda x: besselj(1, x) / x)(t), None,
                 "J1(x) / x for x^2 = t"),
    "j1_table_2": ("d", -1.75, 1.75, 17, shifted(without_zero(j(1), 3.83), 3.75), None,
                   "J1(x) / (x - 3.83...) for x - 3.75 = t"),
    "j1_table_3": ("d", -1.25, 1.25, 17, shifted(without_zero(j(1), 7.0), 6.75), None,
                   "J1(x) / (x - 7.01...) for x - 6.75 = t"),
    "y0_small": ("d", 0, 0.25, 5, y0_smooth, None,
                 "Y0(x) = 2/pi log(x) J0(x) + p(t), t = x^2, x < 0.5"),
    "y0_table": ("d", -1, 1, 23, lambda t: without_zero(y(0), 0.9)(exp(t * mpf("0.76") + mpf("0.06"))), None,
                 "Y0(x) / (x - 0.89...), t = (log(x) - 0.06) / 0.76, x in [0.5, 2.25]"),
    "y0_table_2": ("d", -1, 1, 23, lambda t: without_zero(y(0), 3.95)(mpf("3.875") + mpf("1.625") * t), None,
                   "Y0(x) / (x - 3.95...), t = (x - 3.875) / 1.625, x in [2.25, 5.5]"),
    "y0_table_3": ("d", -1, 1, 23, lambda t: without_zero(y(0), 7.08)(mpf("6.75") + mpf("1.25") * t), None,
                   "Y0(x) / (x - 7.08...), t = (x - 6.75) / 1.25, x in [5.5, 8]"),
    "y1_small": ("d", 0, 1, 6, y1_smooth, None,
                 "Y1(x) = 2/pi (log(x) J1(x) - 1/x) + x p(t), t = x^2, x < 1"),
    "y1_table": ("d", -1, 1, 23, lambda t: without_zero(y(1), 2.2)(exp(t * mpf("0.68") + mpf("0.67"))), None,
                 "Y1(x) / (x - 2.19...), t = (log(x) - 0.67) / 0.68, x in [1, 3.75]"),
    "y1_table_2": ("d", -1, 1, 23, lambda t: without_zero(y(1), 5.43)(mpf("5.25") + mpf("1.5") * t), None,
                   "Y1(x) / (x - 5.42...), t = (x - 5.25) / 1.5, x in [3.75, 6.75]"),
    "y1_table_3": ("d", -1, 1, 23, lambda t: without_zero(y(1), 8.59)(mpf("7.375") + mpf("0.625") * t), None,
                   "Y1(x) / (x - 8.59...), t = (x - 7.375) / 0.625, x in [6.75, 8]"),
    "modulus_0": ("d", 0, mpf(1) / 64, 9, hankel_modulus(0), None,
                  "sqrt(pi x / 2 (J0^2 + Y0^2)), t = 1/x^2, x >= 8"),
    "phase_0": ("d", 0, mpf(1) / 64, 9, hankel_phase(0), None,
                "x (phase of J0 + i Y0 - x + pi/4), t = 1/x^2, x >= 8"),
    "modulus_1": ("d", 0, mpf(1) / 64, 9, hankel_modulus(1), None,
                  "sqrt(pi x / 2 (J1^2 + Y1^2)), t = 1/x^2, x >= 8"),
    "phase_1": ("d", 0, mpf(1) / 64, 9, hankel_phase(1), None,
                "x (phase of J1 + i Y1 - x + 3 pi/4), t = 1/x^2, x >= 8"),
    "i0_small": ("d", 0, 64, 14, sqrt_argument(lambda x: (besseli(0, x) - 1) / x**2), None,
                 "I0(x) = 1 + t p(t), t = x^2, x < 8"),
    "i1_small": ("d", 0, 64, 14, sqrt_argument(lambda x: (besseli(1, x) / x - 0.5) / x**2), None,
                 "I1(x) = x (1/2 + t p(t)), t = x^2, x < 8"),
    "i0_large": ("d", -1, 1, 22, lambda t: (lambda x: besseli(0, x) * exp(-x) * sqrt(x))(16 / (1 + t)),
                 None, "I0(x) = exp(x) / sqrt(x) p(16/x - 1), x >= 8"),
    "i1_large": ("d", -1, 1, 22, lambda t: (lambda x: besseli(1, x) * exp(-x) * sqrt(x))(16 / (1 + t)),
                 None, "I1(x) = exp(x) / sqrt(x) p(16/x - 1), x >= 8"),
}


# Where the value is much smaller than the first coefficient, halves would cancel.
PLAIN_HORNER = {"lgamma_1", "rgamma_2", "erfcx", "i0_large", "i1_large", "erfinvf_centre",
                "erfinvf_tail"}


def nearest(value, type_):
    """The nearest double, or float, as a C literal."""
    import struct
    number = float(value)
    if type_ == "d":
        return number.hex()
    return struct.unpack("f", struct.pack("f", number))[0].hex() + "f"


def function_text(name, type_, coefficients, error, comment):
    """Horner's scheme, in even and odd halves where that shortens the chain of dependent steps."""
    suffix, word = ("d", "double") if type_ == "d" else ("f", "float")
    fma = "fma_" + suffix
    degree = len(coefficients) - 1
    literal = [nearest(c, type_) for c in coefficients]
    lines = [f"// {comment}; error 2^{float(mp.log(error, 2)):.1f}."]
    if "_table" in name:
        lines.append(f"static const double {name}[{degree + 1}] = {{")
        lines += [f"    {c}," for c in literal]
        return "\n".join(lines + ["};"])
    lines.append(f"INLINE {word} poly_{name}({word} t) {{")
    if degree < 6 or name in PLAIN_HORNER:
        lines.append(f"    {word} p = {literal[degree]};")
        lines += [f"    p = {fma}(p, t, {literal[i]});" for i in range(degree - 1, -1, -1)]
        return "\n".join(lines + ["    return p;", "}"])
    even, odd = degree - degree % 2, degree - 1 + degree % 2
    lines.append(f"    {word} t2 = t * t;")
    lines.append(f"    {word} even = {literal[even]};")
    lines.append(f"    {word} odd = {literal[odd]};")
    for i in range(max(even, odd) - 2, -1, -1):
        half = "odd" if i % 2 else "even"
        lines.append(f"    {half} = {fma}({half}, t2, {literal[i]});")
    return "\n".join(lines + [f"    return {fma}(odd, t, even);", "}"])


def main():
    chosen = sys.argv[1:] or list(POLYNOMIALS)
    print("// Generated by tools/coefficients.py from the definitions in it: minimax polynomials.")
    print("#pragma once\n#include \"device.h\"")
    for name in chosen:
        type_, low, high, degree, f, weight, comment = POLYNOMIALS[name]
        coefficients, error = minimax(f, low, high, degree, weight)
        print(f"{name}: 2^{float(mp.log(error, 2)):.1f}", file=sys.stderr)
        print("\n" + function_text(name, type_, coefficients, error, comment))


if __name__ == "__main__":
    main()
