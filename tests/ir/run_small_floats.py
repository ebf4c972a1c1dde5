"""Conversions to and from numbers of 8, 6 and 4 bits, powers of two, and by random bits, against
small_floats.py.  run_small_floats.py KIR_RUN [FILTER]"""
import os
import random
import subprocess
import sys
import tempfile

from small_floats import (BF16, E2M1, E2M3, E3M2, E4M3, E5M2, F16, by_random_bits, fixed_number, float_bits, from_power,
                          packed, parse_bfloat, parse_float, parse_half, reversed16, small_number, to_fixed, to_half_bits,
                          to_nearest, to_power, to_scaled_bfloat)

THREADS = 1024
HEAD = ".version 9.2\n.target sm_100a\n.address_size 64\n"
SPECIAL = [0, 1, 0x7fffff, 0x800000, 0x3f800000, 0x7f7fffff, 0x7f800000, 0x7fc00000, 0x7f800001, 0x400000, 0x400001,
           0x3fffff, 0x7f000000, 0x7f000001, float_bits(448.0), float_bits(464.0), float_bits(465.0),
           float_bits(57344.0), float_bits(61440.0), float_bits(65504.0), float_bits(65520.0), float_bits(65535.0),
           float_bits(6.0), float_bits(7.0), float_bits(7.5), float_bits(7.99), float_bits(28.0), float_bits(29.0),
           float_bits(0.25), float_bits(0.75), float_bits(0.0625), float_bits(0.03125), float_bits(2.0 ** -9),
           float_bits(2.0 ** -10), float_bits(2.0 ** -24), float_bits(2.0 ** -25), float_bits(1e30)]


def floats(rng, n):
    """Numbers of all sizes, most of them where the formats are, some in the middle between two of theirs."""
    out = []
    while len(out) < n:
        k = len(out)
        x = SPECIAL[k] if k < len(SPECIAL) else rng.getrandbits(32)
        if k >= len(SPECIAL) and k % 4:
            x = x & 0x807fffff | rng.randrange(0x60, 0x90) << 23
        if k % 8 == 5:
            x = x & ~0xfffff | rng.choice([0, 0x80000, 0x7ffff, 0x80001])
        out.append(x & 0xffffffff if k >= 2 * len(SPECIAL) or k < len(SPECIAL) else SPECIAL[k - len(SPECIAL)] | 1 << 31)
    return out


class Case:
    """A conversion: its text with operands {d}, {a}, {b}, {c}, {e}, {r}; what it makes of five words."""

    def __init__(self, text, reference, width=32, inputs=None):
        self.text, self.reference, self.width, self.inputs = text, reference, width, inputs


KINDS = [(E2M1, 8), (E2M3, 16), (E3M2, 16), (E4M3, 16), (E5M2, 16)]


def nearest_cases():
    for f, width in KINDS:
        for relu in (False, True):
            r = ".relu" if relu else ""
            kind = f.name + "x2"

            def floats_to(w, f=f, relu=relu):
                return packed(f, *(to_nearest(f, parse_float(x), relu) for x in w[:2]))

            def halves_to(w, parse, f=f, relu=relu):
                return packed(f, *(to_nearest(f, parse(x), relu) for x in (w[0] >> 16, w[0] & 0xffff)))

            def to_halves(w, f=f, relu=relu):
                mask = 2 * f.sign - 1
                return to_half_bits(f, w[0] >> f.apart & mask, relu) << 16 | to_half_bits(f, w[0] & mask, relu)

            yield Case("cvt.rn.satfinite%s.%s.f32 {d}, {a}, {b};" % (r, kind), floats_to, width)
            yield Case("cvt.rn.satfinite%s.%s.f16x2 {d}, {a};" % (r, kind),
                       lambda w, g=halves_to: g(w, parse_half), width)
            yield Case("cvt.rn.satfinite%s.%s.bf16x2 {d}, {a};" % (r, kind),
                       lambda w, g=halves_to: g(w, parse_bfloat), width)
            yield Case("cvt.rn%s.f16x2.%s {d}, {a%d};" % (r, kind, width), to_halves)


def power_cases():
    for mode in ("rz", "rp"):
        for sat in (False, True):
            head = "cvt.%s%s.ue8m0x2" % (mode, ".satfinite" if sat else "")

            def power(x, up=mode == "rp", sat=sat):
                return to_power(x, up, sat)

            yield Case(head + ".f32 {d}, {a}, {b};",
                       lambda w, p=power: p(parse_float(w[0])) << 8 | p(parse_float(w[1])), 16)
            yield Case(head + ".bf16x2 {d}, {a};",
                       lambda w, p=power: p(parse_bfloat(w[0] >> 16)) << 8 | p(parse_bfloat(w[0] & 0xffff)), 16)
    yield Case("cvt.rn.bf16x2.ue8m0x2 {d}, {a16};",
               lambda w: from_power(w[0] >> 8 & 255) << 16 | from_power(w[0] & 255), inputs=range(THREADS))


def scales(word, scaled):
    """Of the upper and the lower number: of all powers, most often one of the middle, sometimes NaN or the last."""
    if not scaled:
        return 127, 127
    return word >> 8 & 255, word & 255


def scaled_cases():
    """s2f6x2 from floats and bfloats, and bf16x2 from s2f6x2 and the small formats, also with two powers of two."""
    for relu in ("", ".relu"):
        for scaled, operand in (("", ""), (".scaled::n2::ue8m0", ", {s}")):
            def fixed(w, upper, lower, relu=relu, scaled=scaled):
                high, low = scales(w[3], scaled)
                return to_fixed(upper, high, bool(relu)) << 8 | to_fixed(lower, low, bool(relu))

            yield Case("cvt.rn.satfinite%s%s.s2f6x2.f32 {d}, {a}, {b}%s;" % (relu, scaled, operand),
                       lambda w, g=fixed: g(w, parse_float(w[0]), parse_float(w[1])), 16)
            yield Case("cvt.rn.satfinite%s%s.s2f6x2.bf16x2 {d}, {a}%s;" % (relu, scaled, operand),
                       lambda w, g=fixed: g(w, parse_bfloat(w[0] >> 16), parse_bfloat(w[0] & 0xffff)), 16)
            for sat in ("", ".satfinite"):
                for f, width in [(None, 16)] + KINDS:
                    def back(w, f=f, relu=relu, sat=sat, scaled=scaled):
                        apart = f.apart if f else 8
                        codes = [w[0] >> apart & (1 << apart) - 1, w[0] & (1 << apart) - 1]
                        numbers = [small_number(f, c & 2 * f.sign - 1) if f else fixed_number(c) for c in codes]
                        high, low = (to_scaled_bfloat(x, s, bool(relu), bool(sat)) for x, s in zip(numbers, scales(w[3], scaled)))
                        return high << 16 | low

                    yield Case("cvt.rn%s%s%s.bf16x2.%s {d}, {a%d}%s;" % (
                        sat, relu, scaled, f.name + "x2" if f else "s2f6x2", width, operand), back)


def random_cases():
    for relu in ("", ".relu"):
        for f, bits in ((F16, 13), (BF16, 16)):
            for sat in ("", ".satfinite"):
                def two(w, f=f, bits=bits, relu=relu, sat=sat):
                    mask = (1 << bits) - 1
                    return packed(f, *(by_random_bits(f, parse_float(x), r & mask, bits, bool(relu), bool(sat))
                                       for x, r in ((w[0], w[4] >> 16), (w[1], w[4]))))

                yield Case("cvt.rs%s%s.%sx2.f32 {d}, {a}, {b}, {r};" % (relu, sat, f.name), two)
        for f, _ in KINDS:
            def four(w, f=f, relu=relu):
                r = w[4]
                upper, lower = r >> 16, r & 0xffff
                if f is E2M1:
                    upper, lower = r >> 24 << 8 | r >> 8 & 255, (r >> 16 & 255) << 8 | r & 255
                d = 0
                for x, bits in zip(w, (reversed16(upper), upper, reversed16(lower), lower)):
                    d = d << f.apart | by_random_bits(f, parse_float(x), bits, 16, bool(relu), True)
                return d

            yield Case("cvt.rs%s.satfinite.%sx4.f32 {d}, {{{a}, {b}, {c}, {e}}}, {r};" % (relu, f.name), four,
                       16 if f is E2M1 else 32)


def kernel(case, words):
    names = dict(zip("abcer", ("%x0", "%x1", "%x2", "%x3", "%x4")), a8="%c", a16="%h", s="%s")
    names["d"] = {8: "%c", 16: "%h", 32: "%y"}[case.width]
    lines = [HEAD, ".global .align 4 .b32 inputs[%d] = {%s};" % (5 * THREADS, ", ".join(
        str(w) for row in words for w in row)),
             ".visible .entry k(.param .u64 out) {", ".reg .b8 %c;\n.reg .b16 %h, %s;\n.reg .b32 %t, %y, %x<5>;",
             ".reg .b64 %a, %o, %d;", "ld.param.u64 %o, [out];", "mov.u32 %t, %tid.x;", "mov.u64 %a, inputs;",
             "mul.wide.u32 %d, %t, 20;", "add.u64 %a, %a, %d;", "mul.wide.u32 %d, %t, 4;", "add.u64 %o, %o, %d;"]
    lines += ["ld.global.b32 %%x%d, [%%a+%d];" % (k, 4 * k) for k in range(5)]
    lines += ["ld.global.b8 %c, [%a];", "ld.global.b16 %h, [%a];", "ld.global.b16 %s, [%a+12];", case.text.format(**names)]
    if case.width < 32:
        lines.append("cvt.u32.u%d %%y, %s;" % (case.width, names["d"]))
    return "\n".join(lines + ["st.global.b32 [%o], %y;", "ret;", "}", ""])


def run(tool, path):
    p = subprocess.run([tool, path, "k", "1", "1", "1", str(THREADS), "1", "1", "buf:%d" % THREADS],
                       capture_output=True, text=True, timeout=60)
    words = [int(w, 16) for line in p.stdout.splitlines() if line.startswith("0: ") for w in line[3:].split()]
    return words, p.stderr + ("" if words else p.stdout)


def main(tool, only=""):
    bad = total = 0
    rng = random.Random(1)
    with tempfile.TemporaryDirectory() as out:
        path = os.path.join(out, "k.ptx")
        for case in [*nearest_cases(), *power_cases(), *scaled_cases(), *random_cases()]:
            if only not in case.text:
                continue
            columns = [floats(rng, THREADS) for _ in range(4)]
            for column in columns[1:]:
                rng.shuffle(column)
            if "scaled" in case.text:  # powers that keep the numbers in range, and the least and the last ones
                columns[3] = [rng.choice((rng.getrandbits(16), rng.randrange(110, 145) * 256 + rng.randrange(110, 145),
                                          rng.choice((0, 1, 253, 254, 255, 127)) * 256 + rng.choice((0, 254, 255))))
                              for _ in range(THREADS)]
            if case.inputs:
                columns[0] = [k * 0x101 & 0xffff for k in case.inputs]
            words = list(zip(*columns, (rng.getrandbits(32) for _ in range(THREADS))))
            with open(path, "w") as f:
                f.write(kernel(case, words))
            got, err = run(tool, path)
            want = [case.reference(w) for w in words]
            total += 1
            wrong = [k for k in range(THREADS) if k >= len(got) or got[k] != want[k]]
            if wrong or err:
                bad += 1
                k = wrong[0] if wrong else 0
                print("%s %d wrong; of %s: %s, expected %#x %s" % (
                    case.text, len(wrong), [hex(w) for w in words[k]], [hex(w) for w in got[k:k + 1]], want[k],
                    err[:300]))
    print("%d conversions, %d problems" % (total, bad))
    return bad != 0 or total == 0


sys.exit(main(*sys.argv[1:]))
