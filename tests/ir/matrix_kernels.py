"""Kernels with matrix instructions, and what they must leave behind. Layouts are the PTX manual's,
shape by shape; products are computed with Python's integers, from values whose sums are exact.

A case: name, PTX of one kernel that writes words to its parameter `out`, the number of words, and
the words expected (None where any value may be).
"""
import random
import re
import struct


def f16(v):
    return struct.unpack("<H", struct.pack("<e", v))[0]


def f32(v):
    return struct.unpack("<I", struct.pack("<f", v))[0]


def f64(v):
    return struct.unpack("<Q", struct.pack("<d", v))[0]


def small(v, exponent_bits, fraction_bits):
    """A float of at most 8 bits from the small integer v."""
    if not v:
        return 0
    e = abs(v).bit_length() - 1
    fraction = (abs(v) << fraction_bits >> e) & ((1 << fraction_bits) - 1)
    bias = (1 << exponent_bits - 1) - 1
    return (v < 0) << exponent_bits + fraction_bits | (e + bias) << fraction_bits | fraction


ENCODE = dict(f16=f16, bf16=lambda v: f32(v) >> 16, tf32=lambda v: f32(v) | 0x1234 & 0x1fff,
              f32=f32, f64=f64, e4m3=lambda v: small(v, 4, 3), e5m2=lambda v: small(v, 5, 2),
              e2m3=lambda v: small(v, 2, 3) | 0xc0, e3m2=lambda v: small(v, 3, 2) | 0x40,
              e2m1=lambda v: small(v, 2, 1) << 2 | 0x81, e2m1_packed=lambda v: small(v, 2, 1),
              s8=lambda v: v & 255, u8=lambda v: v, s4=lambda v: v & 15, u4=lambda v: v,
              b1=lambda v: v, s32=lambda v: v & 0xffffffff)
BITS = dict(f16=16, bf16=16, tf32=32, f32=32, f64=64, e4m3=8, e5m2=8, e2m3=8, e3m2=8, e2m1=8, e2m1_packed=4, s8=8, u8=8, s4=4, u4=4, b1=1,
            s32=32)
RANGE = dict(u8=(0, 255), s8=(-128, 127), u4=(0, 15), s4=(-8, 7), b1=(0, 1))

# ---- layouts: (lane's group, lane in group, element) -> (row, column) --------------------------
A_LAYOUT = {
    "8x4x64": lambda g, t, i: (g, t),
    "16x4x64": lambda g, t, i: (g + 8 * i, t),
    "16x8x64": lambda g, t, i: (g + 8 * (i in (1, 3)), t + 4 * (i >= 2)),
    "16x16x64": lambda g, t, i: (g + 8 * (i % 2), i * 2 + t - 2 * (i % 2)),
    "16x4x32": lambda g, t, i: (g + 8 * i, t),
    "16x8x32": lambda g, t, i: (g + 8 * (i in (1, 3)), t + 4 * (i >= 2)),
    "16x8x16": lambda g, t, i: (g + 8 * (i >= 2), t * 2 + (i & 1)),
    "16x16x16": lambda g, t, i: (g + 8 * (not (i < 2 or 4 <= i < 6)), t * 2 + (i & 1) + 8 * (i >= 4)),
    "8x16x8": lambda g, t, i: (g, t * 4 + i),
    "16x16x8": lambda g, t, i: (g + 8 * (i >= 4), t * 4 + (i & 3)),
    "16x32x8": lambda g, t, i: (g + 8 * (not (i < 4 or 8 <= i < 12)), t * 4 + (i & 3) + 16 * (i >= 8)),
    "8x32x4": lambda g, t, i: (g, t * 8 + i),
    "16x32x4": lambda g, t, i: (g + 8 * (i >= 8), t * 8 + (i & 7)),
    "16x64x4": lambda g, t, i: (g + 8 * (not (i < 8 or 16 <= i < 24)), t * 8 + (i & 7) + 32 * (i >= 16)),
    "8x128x1": lambda g, t, i: (g, t * 32 + i),
    "16x128x1": lambda g, t, i: (g + 8 * (i >= 32), t * 32 + (i & 31)),
    "16x256x1": lambda g, t, i: (g + 8 * (not (i < 32 or 64 <= i < 96)), t * 32 + (i & 31) + 128 * (i >= 64)),
}
B_LAYOUT = {
    "4x64": lambda g, t, i: (t, g),
    "8x64": lambda g, t, i: (t + 4 * i, g),
    "16x64": lambda g, t, i: (t + 4 * i, g),
    "4x32": lambda g, t, i: (t, g),
    "8x32": lambda g, t, i: (t + 4 * i, g),
    "16x32": lambda g, t, i: (t + 4 * i, g),
    "8x16": lambda g, t, i: (t * 2 + i, g),
    "16x16": lambda g, t, i: (t * 2 + (i & 1) + 8 * (i >= 2), g),
    "32x16": lambda g, t, i: (t * 2 + (i & 1) + i // 2 * 8, g),
    "16x8": lambda g, t, i: (t * 4 + i, g),
    "32x8": lambda g, t, i: (t * 4 + (i & 3) + 16 * (i >= 4), g),
    "64x8": lambda g, t, i: (t * 4 + (i & 3) + i // 4 * 16, g),
    "32x4": lambda g, t, i: (t * 8 + i, g),
    "64x4": lambda g, t, i: (t * 8 + (i & 7) + 32 * (i >= 8), g),
    "128x4": lambda g, t, i: (t * 8 + (i & 7) + i // 8 * 32, g),
    "128x1": lambda g, t, i: (t * 32 + i, g),
    "256x1": lambda g, t, i: (t * 32 + (i & 31) + 128 * (i >= 32), g),
}


def c_place(m, lane, i):
    return lane // 4 + (8 * (i >= 2) if m == 16 else 0), lane % 4 * 2 + (i & 1)


def quad_place(which, elem, col, lane, i):
    """mma.m8n8k4 with f16: (row, column) in the product of the lane's quad pair."""
    low, high = lane % 4, 4 * (lane >= 16)
    if which == "a":
        return (i % 4 + high, low) if col else (low + high, i)
    if which == "b":
        return (i, low + high) if col else (low, i + high)
    if elem == "f16":
        return low + high, i
    return (lane & 1) + (i & 2) + high, (i & 4) + (lane & 2) + (i & 1)


# ---- PTX text ----------------------------------------------------------------------------------
def number_list(values, per_line=16):
    rows = [values[k:k + per_line] for k in range(0, len(values), per_line)]
    return ",\n".join(", ".join(str(v) for v in r) for r in rows)


class Kernel:
    """One kernel in the making: lane data in, registers, words out."""

    def __init__(self, name):
        self.name, self.body, self.data, self.regs, self.words = name, [], "", 0, 0
        self.threads = 32
        self.shared = ""

    def lane_words(self, name, rows, wide=False):
        """Registers, one a row of 32 values, loaded from an array."""
        flat = [v for r in rows for v in r]
        kind, size = ("u64", 8) if wide else ("u32", 4)
        self.data += ".global .align 16 .%s %s_%s[%d] = {\n%s};\n" % (
            kind, self.name, name, len(flat), number_list(flat))
        out = []
        self.body += ["mov.u64 %%p, %s_%s;" % (self.name, name), "mad.wide.u32 %%p, %%lane, %d, %%p;" % size]
        for k in range(len(rows)):
            r = "%%%s%s%d" % ("w" if wide else "r", name, k)
            self.body += [".reg .%s %s;" % ("b64" if wide else "b32", r),
                          "ld.global.%s %s, [%%p+%d];" % (kind, r, k * 32 * size)]
            out.append(r)
        return out

    def results(self, name, count, wide=False):
        out = ["%%%s%s%d" % ("w" if wide else "r", name, k) for k in range(count)]
        self.body += [".reg .%s %s;" % ("b64" if wide else "b32", r) for r in out]
        return out

    def store(self, regs, wide=False):
        size, kind = (8, "b64") if wide else (4, "b32")
        self.body += ["mad.wide.u32 %%p, %%t, %d, %%out;" % size]
        for k, r in enumerate(regs):
            self.body.append("st.global.%s [%%p+%d], %s;" % (kind, self.words * 4 + k * self.threads * size, r))
        self.words += len(regs) * self.threads * size // 4

    def text(self):
        return ("%s.visible .entry %s(.param .u64 out) {\n%s  .reg .u32 %%t, %%lane;\n  .reg .u64 %%p, %%q, %%out;\n"
                "  ld.param.u64 %%out, [out];\n  mov.u32 %%t, %%tid.x;\n  and.b32 %%lane, %%t, 31;\n  %s\n  ret;\n}\n" % (
                    self.data, self.name, self.shared, "\n  ".join(self.body)))


def braces(regs):
    return "{" + ", ".join(regs) + "}"


def pack(values, bits):
    """Elements to 32-bit registers, lowest first (64-bit ones stay)."""
    if bits == 64:
        return values
    per = 32 // bits
    return [sum(values[k + j] << j * bits for j in range(per)) for k in range(0, len(values), per)]


# ---- mma ---------------------------------------------------------------------------------------
def draw(rng, kind, wide):
    if kind in RANGE:
        return rng.randint(*RANGE[kind])
    return rng.randint(-4, 4) if not wide else rng.randint(-100, 100)


def rows_of(place, count, encode, bits):
    """Registers by row of 32 lanes from place(lane, i) -> value."""
    lanes = [pack([encode(place(lane, i)) for i in range(count)], bits) for lane in range(32)]
    return [[lanes[lane][r] for lane in range(32)] for r in range(len(lanes[0]))]


def product(a, b, c, kind, op, clamp):
    m, n, depth = len(a), len(b[0]), len(b)
    out = [row[:] for row in c]
    for i in range(m):
        for j in range(n):
            for k in range(depth):
                if kind == "b1":
                    out[i][j] += (a[i][k] & b[k][j]) if op == "and" else (a[i][k] ^ b[k][j])
                else:
                    out[i][j] += a[i][k] * b[k][j]
            if clamp:
                out[i][j] = max(-2**31, min(2**31 - 1, out[i][j]))
    return out


def expected_words(rows):
    return [w for r in rows for v in r for w in (v if isinstance(v, tuple) else [v])]


def scale_code(kind, v):
    """2^v as a scale."""
    return v + 127 if kind == "ue8m0" else (v + 7) << 3


def scales_of(rng, kind, count, scales, byte, thread, of_a):
    """Scales of `count` rows or columns, `scales` of each, and the words that hold them: the PTX manual has
    row m in a pair of the quad's lanes m % 8, column n in one of its lanes. The rest is noise."""
    powers = [[rng.randint(-1, 2) for _ in range(scales)] for _ in range(count)]
    words = [rng.getrandbits(32) for _ in range(32)]
    for n, row in enumerate(powers):
        lane = n % 8 * 4 + (thread * 2 + n // 8 if of_a else thread)
        for s, v in enumerate(row):
            shift = 8 * (byte + s)
            words[lane] = words[lane] & ~(0xff << shift) | scale_code(kind, v) << shift
    return powers, words


def mma_case(rng, m, n, k, d, a, b, c, extra="", clamp=False, op="", sparse=None, selector=0, scale=None):
    """scale: (type, number of scales, byte and thread of a's, of b's)"""
    kind = Kernel("mma%s_m%dn%dk%d_%s_%s_%s_%s%s%s%d%s" % (
        {"sp": "_sp", None: ""}.get(sparse, "_spo"), m, n, k, d, a, b, c, "_sat" if clamp else "", "_" + op if op else "",
        selector, re.sub(r"\W+", "_", extra) + ("_%s_%d%d%d%d%d" % scale if scale else "")))
    depth = k // 2 if sparse else k
    A = [[draw(rng, a, False) for _ in range(depth)] for _ in range(m)]
    B = [[draw(rng, b, False) for _ in range(n)] for _ in range(k)]
    C = [[draw(rng, c, True) for _ in range(n)] for _ in range(m)]
    if c == "s32":
        C = [[rng.choice([2**31 - 5, -2**31 + 5, v]) if clamp else v for v in row] for row in C]
    dense, meta = (spread(rng, A, a, k, selector) if sparse else (A, None))
    more = []
    if scale:
        stype, scales, byte_a, thread_a, byte_b, thread_b = scale
        pa, wa = scales_of(rng, stype, m, scales, byte_a, thread_a, True)
        pb, wb = scales_of(rng, stype, n, scales, byte_b, thread_b, False)
        per = k // scales
        D = [[C[i][j] + sum(dense[i][s] * B[s][j] * 2.0 ** (pa[i][s // per] + pb[j][s // per]) for s in range(k))
              for j in range(n)] for i in range(m)]
        more = [(kind.lane_words("sa", [wa])[0], byte_a, thread_a), (kind.lane_words("sb", [wb])[0], byte_b, thread_b)]
    else:
        D = product(dense, B, C, a, op, clamp)
    la, lb = A_LAYOUT["%dx%dx%d" % (m, depth, BITS[a])], B_LAYOUT["%dx%d" % (k, BITS[b])]
    na, nb, nc = m * depth // 32, k * n // 32, m * n // 32
    wide = d == "f64"

    def at(matrix, place):
        return lambda lane, i: matrix[place(lane, i)[0]][place(lane, i)[1]]

    ra = kind.lane_words("a", rows_of(at(A, lambda l, i: la(l // 4, l % 4, i)), na, ENCODE[a], BITS[a]), wide)
    rb = kind.lane_words("b", rows_of(at(B, lambda l, i: lb(l // 4, l % 4, i)), nb, ENCODE[b], BITS[b]), wide)
    rc = kind.lane_words("c", rows_of(at(C, lambda l, i: c_place(m, l, i)), nc, ENCODE[c], BITS[c]), wide)
    want = rows_of(at(D, lambda l, i: c_place(m, l, i)), nc, ENCODE[d], BITS[d])
    rd = kind.results("d", len(want), wide)
    head = "mma%s.sync.aligned.m%dn%dk%d.row.col%s%s.%s.%s.%s.%s%s " % (
        "." + sparse if sparse else "", m, n, k, ".satfinite" if clamp else "", extra, d, a.split("_")[0],
        b.split("_")[0], c, "." + op + ".popc" if op else "." + scale[0] if scale else "")
    tail = "".join(", {%s}, {%d, %d}" % where for where in more)
    if sparse:
        tail = ", %s, %d" % (kind.lane_words("e", [meta])[0], selector) + tail
    kind.body.append(head + ", ".join(braces(r) for r in (rd, ra, rb, rc)) + tail + ";")
    kind.store(rd, wide)
    if wide:
        want = [[(v & 0xffffffff, v >> 32) for v in r] for r in want]
    return kind, expected_words(want)


def spread(rng, A, kind, k, selector):
    """The dense matrix that stored rows A stand for, and the metadata of each lane (the bits of other
    selectors are noise)."""
    dense = [[0] * k for _ in A]
    bits = [0] * 16  # of each row, lowest first
    for row, stored in enumerate(A):
        at = 0
        if kind == "tf32":
            for chunk, v in enumerate(stored):
                which = rng.randint(0, 1)
                dense[row][chunk * 2 + which] = v
                bits[row] |= (0b1110 if which else 0b0100) << at
                at += 4
            continue
        unit = 2 if kind in ("s4", "u4", "e2m1_packed") else 1
        for chunk in range(k // (4 * unit)):
            for n, which in enumerate(sorted(rng.sample(range(4), 2))):
                for e in range(unit):
                    dense[row][(chunk * 4 + which) * unit + e] = stored[(chunk * 2 + n) * unit + e]
                bits[row] |= which << at
                at += 2
    meta = [rng.getrandbits(32) for _ in range(32)]
    halves = kind in ("f16", "bf16", "tf32")
    for g in range(8):
        first = g * 4
        if halves and at == 16:
            meta[first + selector] = bits[g] | bits[g + 8] << 16
        elif halves:
            for j in range(2):
                meta[first + selector * 2 + j] = (bits[g] >> 16 * j & 0xffff) | (bits[g + 8] >> 16 * j & 0xffff) << 16
        elif at == 32:
            meta[first + selector * 2] = bits[g]
            meta[first + selector * 2 + 1] = bits[g + 8]
        else:
            for j in range(2):
                meta[first + 2 * j] = bits[g] >> 32 * j & 0xffffffff
                meta[first + 2 * j + 1] = bits[g + 8] >> 32 * j & 0xffffffff
    return dense, meta


def quad_case(rng, col_a, col_b, d, c):
    kind = Kernel("mma_m8n8k4_%d%d_%s_%s" % (col_a, col_b, d, c))
    A = [[[rng.randint(-4, 4) for _ in range(4)] for _ in range(8)] for _ in range(4)]
    B = [[[rng.randint(-4, 4) for _ in range(8)] for _ in range(4)] for _ in range(4)]
    C = [[[rng.randint(-100, 100) for _ in range(8)] for _ in range(8)] for _ in range(4)]
    D = [product(A[q], B[q], C[q], "f16", "", False) for q in range(4)]

    def at(matrices, which, elem, col):
        def value(lane, i):
            row, column = quad_place(which, elem, col, lane, i)
            return matrices[lane % 16 // 4][row][column]
        return value

    ra = kind.lane_words("a", rows_of(at(A, "a", "f16", col_a), 4, f16, 16))
    rb = kind.lane_words("b", rows_of(at(B, "b", "f16", col_b), 4, f16, 16))
    rc = kind.lane_words("c", rows_of(at(C, "c", c, 0), 8, ENCODE[c], BITS[c]))
    want = rows_of(at(D, "d", d, 0), 8, ENCODE[d], BITS[d])
    rd = kind.results("d", len(want))
    kind.body.append("mma.sync.aligned.m8n8k4.%s.%s.%s.f16.f16.%s %s;" % (
        "col" if col_a else "row", "col" if col_b else "row", d, c, ", ".join(braces(r) for r in (rd, ra, rb, rc))))
    kind.store(rd)
    return kind, expected_words(want)


# ---- ldmatrix, stmatrix, movmatrix -------------------------------------------------------------
def halves_of(words):
    return [w >> s & 0xffff for w in words for s in (0, 16)]


def move_cases(rng):
    words = [rng.getrandbits(32) for _ in range(256)]  # 32 rows of 16 bytes, then as many to store to
    order = list(range(32))
    rng.shuffle(order)
    halves = halves_of(words)

    def fragment(n, trans):
        """Matrix n's register of each lane: rows in `order`."""
        out = []
        for lane in range(32):
            pair = []
            for e in range(2):
                row, column = (lane % 4 * 2 + e, lane // 4) if trans else (lane // 4, lane % 4 * 2 + e)
                pair.append(halves[order[n * 8 + row] * 8 + column])
            out.append(pair[0] | pair[1] << 16)
        return out

    for num in (1, 2, 4):
        for trans in ("", ".trans"):
            k = Kernel("ldmatrix_x%d%s" % (num, trans.replace(".", "_")))
            fill_shared(k, words)
            row = k.lane_words("o", [[o * 16 for o in order]])[0]
            k.body.append("add.u32 %s, %s, %%s;" % (row, row))
            rd = k.results("d", num)
            k.body.append("ldmatrix.sync.aligned.m8n8.x%d%s.shared.b16 %s, [%s];" % (num, trans, braces(rd), row))
            k.store(rd)
            yield k, [w for n in range(num) for w in fragment(n, trans)]

            k = Kernel("stmatrix_x%d%s" % (num, trans.replace(".", "_")))
            fill_shared(k, [0] * 128)
            row = k.lane_words("o", [[o * 16 for o in order]])[0]
            k.body.append("add.u32 %s, %s, %%s;" % (row, row))
            regs = k.lane_words("v", [fragment(n, trans) for n in range(num)])
            k.body.append("stmatrix.sync.aligned.m8n8.x%d%s.shared.b16 [%s], %s;" % (num, trans, row, braces(regs)))
            k.body.append("bar.sync 0;")
            back = k.results("d", 4)
            k.body += ["shl.b32 %lane, %t, 2;", "add.u32 %lane, %lane, %s;"]
            k.body += ["ld.shared.b32 %s, [%%lane+%d];" % (r, n * 128) for n, r in enumerate(back)]
            k.store(back)
            want = [0] * 128
            for o in order[:num * 8]:
                want[o * 4:o * 4 + 4] = words[o * 4:o * 4 + 4]
            yield k, want
    yield from byte_moves(rng, words, order)
    k = Kernel("movmatrix")
    source = k.lane_words("a", [words[:32]])[0]
    rd = k.results("d", 1)
    k.body.append("movmatrix.sync.aligned.m8n8.trans.b16 %s, %s;" % (rd[0], source))
    k.store(rd)
    flat = halves_of(words[:32])
    yield k, [flat[(lane % 4 * 2) * 8 + lane // 4] | flat[(lane % 4 * 2 + 1) * 8 + lane // 4] << 16
              for lane in range(32)]


def byte_moves(rng, words, order):
    """Matrices of bytes, and of 6 and 4 bits that become bytes: row n of 16 bytes at order[n]."""
    rows = [b"".join(w.to_bytes(4, "little") for w in words[o * 4:o * 4 + 4]) for o in order]

    def unpacked(row, bits):
        whole = int.from_bytes(row, "little")
        return [whole >> bits * k & (1 << bits) - 1 for k in range(16)]

    def register(values):
        return int.from_bytes(bytes(values), "little")

    for kind, bits in (("b8", 8), ("b8x16.b6x16_p32", 6), ("b8x16.b4x16_p64", 4)):
        tiles = [unpacked(row, bits) for row in rows]
        for shape, counts in (("m16n16", (1, 2)), ("m8n16", (1, 2, 4))):
            for num in counts if shape == "m16n16" or bits < 8 else ():
                square = shape == "m16n16"
                k = Kernel("ldmatrix_%s_x%d_%d" % (shape, num, bits))
                fill_shared(k, words)
                row = k.lane_words("o", [[o * 16 for o in order]])[0]
                k.body.append("add.u32 %s, %s, %%s;" % (row, row))
                rd = k.results("d", num * (2 if square else 1))
                k.body.append("ldmatrix.sync.aligned.%s.x%d%s.shared.%s %s, [%s];" % (
                    shape, num, ".trans" if square else "", kind, braces(rd), row))
                k.store(rd)
                want = []
                for n in range(num):
                    for half in range(2) if square else (0,):
                        for lane in range(32):
                            group, at = lane // 4, lane % 4 * 4
                            want.append(register(tiles[n * 16 + at + e][group + 8 * half] if square else
                                                 tiles[n * 8 + group][at + e] for e in range(4)))
                yield k, want
    for num in (1, 2, 4):
        k = Kernel("stmatrix_m16n8_x%d" % num)
        fill_shared(k, [0] * 128)
        row = k.lane_words("o", [[o * 16 for o in order]])[0]
        k.body.append("add.u32 %s, %s, %%s;" % (row, row))
        values = [[rng.getrandbits(32) for _ in range(32)] for _ in range(num)]
        regs = k.lane_words("v", values)
        k.body.append("stmatrix.sync.aligned.m16n8.x%d.trans.shared.b8 [%s], %s;" % (num, row, braces(regs)))
        k.body.append("bar.sync 0;")
        back = k.results("d", 4)
        k.body += ["shl.b32 %lane, %t, 2;", "add.u32 %lane, %lane, %s;"]
        k.body += ["ld.shared.b32 %s, [%%lane+%d];" % (r, n * 128) for n, r in enumerate(back)]
        k.store(back)
        memory = bytearray(512)
        for n in range(num):
            for lane in range(32):
                for e, v in enumerate(values[n][lane].to_bytes(4, "little")):
                    line, column = lane // 4 + 8 * (e // 2), lane % 4 * 2 + e % 2  # of a matrix of 16 by 8
                    memory[order[n * 8 + column] * 16 + line] = v
        yield k, [int.from_bytes(memory[4 * n:4 * n + 4], "little") for n in range(128)]


def fill_shared(k, words):
    """Copies an array to shared memory, whose address becomes %s; threads t, t + n, ..."""
    k.data += ".global .align 16 .u32 %s_s[%d] = {\n%s};\n" % (k.name, len(words), number_list(words))
    k.shared = "  .shared .align 1024 .b8 mem[%d];\n" % (len(words) * 4)
    k.body += [".reg .u32 %s, %i, %v, %at;", ".reg .pred %more;", "mov.u32 %s, mem;", "mov.u32 %i, %t;",
               "mov.u64 %%q, %s_s;" % k.name, "fill:", "mad.wide.u32 %p, %i, 4, %q;", "ld.global.u32 %v, [%p];",
               "mad.lo.u32 %at, %i, 4, %s;", "st.shared.u32 [%at], %v;", "add.u32 %%i, %%i, %d;" % k.threads,
               "setp.lt.u32 %%more, %%i, %d;" % len(words), "@%more bra fill;", "bar.sync 0;"]


# ---- wmma --------------------------------------------------------------------------------------
def memory_words(matrix, encode, bits, col, stride):
    rows, columns = len(matrix), len(matrix[0])
    flat = [0] * (stride * (columns if col else rows))
    for i in range(rows):
        for j in range(columns):
            flat[j * stride + i if col else i * stride + j] = encode(matrix[i][j])
    total = sum(v << n * bits for n, v in enumerate(flat))
    count = (len(flat) * bits + 31) // 32
    return [total >> 32 * n & 0xffffffff for n in range(count)]


def fragment_registers(m, n, k, kind, which):
    if kind == "f16" and which in "ab":
        return 8
    size = m * k if which == "a" else k * n if which == "b" else m * n
    return size * BITS[kind] // 32 // (64 if kind == "f64" else 32)


def wmma_case(rng, m, n, k, d, a, c, col_a, col_b, col_d, pad, op="", clamp=False):
    kind = Kernel("wmma_m%dn%dk%d_%s_%s_%s_%d%d%d_%d%s%s" % (m, n, k, d, a, c, col_a, col_b, col_d, pad, op,
                                                          "_sat" if clamp else ""))
    A = [[draw(rng, a, False) for _ in range(k)] for _ in range(m)]
    B = [[draw(rng, a, False) for _ in range(n)] for _ in range(k)]
    C = [[draw(rng, c, True) for _ in range(n)] for _ in range(m)]
    if clamp:
        C = [[rng.choice([2**31 - 5, -2**31 + 5]) for _ in row] for row in C]
    D = product(A, B, C, a, op, clamp)
    shape = "m%dn%dk%d" % (m, n, k)
    lines = []
    name = ("row", "col")
    frags = {}
    for which, matrix, elem, col in (("a", A, a, col_a), ("b", B, a, col_b), ("c", C, c, 0)):
        unit = max(1, 128 // BITS[elem])
        stride = (len(matrix) if col else len(matrix[0])) + pad * unit
        words = memory_words(matrix, ENCODE[elem], BITS[elem], col, stride)
        kind.data += ".global .align 32 .u32 %s_%s[%d] = {\n%s};\n" % (kind.name, which, len(words), number_list(words))
        wide = elem == "f64"
        regs = kind.results(which, fragment_registers(m, n, k, elem, which), wide)
        lines += ["mov.u64 %%p, %s_%s;" % (kind.name, which),
                  "wmma.load.%s.sync.aligned.%s.%s.global.%s %s, [%%p]%s;" % (
                      which, name[col], shape, elem, braces(regs), ", %d" % stride if pad else "")]
        frags[which] = regs
    regs = kind.results("d", fragment_registers(m, n, k, d, "d"), d == "f64")
    types = ".%s.%s" % (d, c) if a == "f16" else ".%s.%s.%s.%s" % (d, a, a, c)
    lines.append("wmma.mma%s.sync.aligned.%s.%s.%s%s%s %s;" % (
        "." + op + ".popc" if op else "", name[col_a], name[col_b], shape, types, ".satfinite" if clamp else "",
        ", ".join(braces(r) for r in (regs, frags["a"], frags["b"], frags["c"]))))
    stride = (m if col_d else n) + pad * 8
    lines.append("wmma.store.d.sync.aligned.%s.%s.%s [%%out], %s%s;" % (
        name[col_d], shape, d, braces(regs), ", %d" % stride if pad else ""))
    kind.body += lines
    want = memory_words(D, ENCODE[d], BITS[d], col_d, stride)
    kind.words = len(want)
    return kind, want


# ---- wgmma -------------------------------------------------------------------------------------
def shared_offset(mn, k, bits, trans, width, leading, stride):
    """Byte offset (and bit) of an element, from the canonical layouts: units of 16 bytes."""
    per = 128 // bits
    units = width // 16
    if not trans:
        off = mn % 8 * width + mn // 8 * stride + k // per * (leading if units == 1 else 16)
        inner = k % per
    else:
        i1, i2 = mn // per % units, mn // per // units
        off = i1 * 16 + i2 * (stride if units == 1 else leading)
        off += k % 8 * width + k // 8 * (leading if units == 1 else stride)
        inner = mn % per
    swizzled = off ^ ((off >> 7) & (units - 1)) << 4
    return swizzled * 8 + inner * bits


def place_in_shared(image, matrix, kind, base, trans, width, leading, stride):
    for mn, row in enumerate(matrix):
        for k, v in enumerate(row):
            bit = base * 8 + shared_offset(mn, k, BITS[kind], trans, width, leading, stride)
            image[bit // 32] |= ENCODE[kind](v) << bit % 32


def descriptor(base, width, leading, stride):
    mode = {16: 0, 128: 1, 64: 2, 32: 3}[width]
    return base >> 4 | leading >> 4 << 16 | stride >> 4 << 32 | mode << 62


def wgmma_case(rng, n, d, a, b, width, trans_a=0, trans_b=0, from_registers=False, scale=(1, 1), add=True,
               clamp=False, sparse=False, op=""):
    k = {16: 16, 32: 8, 8: 32, 1: 256}[BITS[a]] * (2 if sparse else 1)
    depth = k // 2 if sparse else k
    kind = Kernel("wgmma_n%d_%s_%s_%s_w%d_%d%d%s%s%s%s%s" % (
        n, d, a, b, width, trans_a, trans_b, "_r" if from_registers else "", "_neg" if scale != (1, 1) else "",
        "" if add else "_zero", "_sat" if clamp else "", "_sp" if sparse else ""))
    kind.threads = 128
    A = [[draw(rng, a, False) for _ in range(depth)] for _ in range(64)]
    B = [[draw(rng, b, False) for _ in range(n)] for _ in range(k)]
    C = [[draw(rng, d, True) for _ in range(n)] for _ in range(64)]
    if clamp:
        C = [[rng.choice([2**31 - 5, -2**31 + 5]) for _ in row] for row in C]
    dense, meta = A, None
    if sparse:
        parts = [spread(rng, A[w * 16:w * 16 + 16], a, k, 0) for w in range(4)]
        dense, meta = [r for p in parts for r in p[0]], [w for p in parts for w in p[1]]
    sign = scale[0] * scale[1]
    zero = [[0] * n for _ in range(64)]
    D = product([[v * sign for v in r] for r in dense] if a != "b1" else dense, B, C if add else zero, a, op, clamp)
    BT = [[B[i][j] for i in range(k)] for j in range(n)]
    image = [0] * 12288

    def region(rows, length, bits, trans):
        """leading, stride for tightly laid out tiles"""
        if not trans:
            line = width
            if width == 16:
                return 8 * 16, 8 * 16 * (length * bits // 128)
            chunks = length * bits // 8 // width or 1
            return 16, 8 * line * chunks
        # mn next to each other: blocks of 8 k by `width` bytes
        if width == 16:
            return 8 * 16, 8 * 16 * (length // 8)
        return 8 * width * (length // 8), 8 * width

    la, sa = region(64, depth, BITS[a], trans_a)
    lb, sb = region(n, k, BITS[b], trans_b)
    base_b = 16384
    if not from_registers:
        place_in_shared(image, A, a, 0, trans_a, width, la, sa)
    place_in_shared(image, BT, b, base_b, trans_b, width, lb, sb)
    fill_shared(kind, image)
    per = 1 if BITS[d] == 32 else 2
    count = n // 2

    def lane_value(matrix, warp, lane, i):
        row = warp * 16 + lane // 4 + 8 * (i // 2 % 2)
        return matrix[row][i // 4 * 8 + lane % 4 * 2 + i % 2]

    def sums(matrix):
        rows = []
        for warp in range(4):
            rows.append(rows_of(lambda l, i: lane_value(matrix, warp, l, i), count, ENCODE[d], BITS[d]))
        return [[rows[t // 32][r][t % 32] for t in range(128)] for r in range(count // per)]

    def thread_words(name, rows):
        flat = [v for r in rows for v in r]
        kind.data += ".global .align 16 .u32 %s_%s[%d] = {\n%s};\n" % (kind.name, name, len(flat), number_list(flat))
        kind.body += ["mov.u64 %%p, %s_%s;" % (kind.name, name), "mad.wide.u32 %p, %t, 4, %p;"]
        regs = kind.results(name, len(rows))
        kind.body += ["ld.global.u32 %s, [%%p+%d];" % (r, i * 512) for i, r in enumerate(regs)]
        return regs

    rd = thread_words("d", sums(C))
    kind.body += [".reg .b64 %da, %db, %base;", ".reg .pred %add;", "cvt.u64.u32 %base, %s;",
                  "shr.u64 %base, %base, 4;",
                  "add.u64 %%da, %%base, %d;" % descriptor(0, width, la, sa),
                  "add.u64 %%db, %%base, %d;" % descriptor(base_b, width, lb, sb),
                  "setp.eq.u32 %%add, %d, 1;" % add]
    first = "%da"
    if from_registers:
        layout = A_LAYOUT["16x%dx%d" % (depth, BITS[a])]
        rows = []
        for warp in range(4):
            def value(l, i, w=warp):
                r, c = layout(l // 4, l % 4, i)
                return A[w * 16 + r][c]
            rows.append(rows_of(value, 16 * depth // 32, ENCODE[a], BITS[a]))
        first = braces(thread_words("a", [[rows[t // 32][r][t % 32] for t in range(128)]
                                          for r in range(len(rows[0]))]))
    tail = []
    if sparse:
        tail += [thread_words("e", [meta])[0], "0"]
    tail.append("%add")
    if a not in ("s8", "u8", "b1"):
        tail += [str(scale[0]), str(scale[1])]
    if a in ("f16", "bf16"):
        tail += ([] if from_registers else [str(trans_a)]) + [str(trans_b)]
    kind.body += ["wgmma.fence.sync.aligned;",
                  "wgmma.mma_async%s.sync.aligned.m64n%dk%d.%s.%s.%s%s%s %s, %s, %%db, %s;" % (
                      ".sp" if sparse else "", n, k, d, a, b, ".satfinite" if clamp else "",
                      "." + op + ".popc" if op else "", braces(rd), first, ", ".join(tail)),
                  "wgmma.commit_group.sync.aligned;", "wgmma.wait_group.sync.aligned 0;"]
    kind.store(rd)
    return kind, expected_words(sums(D))


# ---- all ---------------------------------------------------------------------------------------
def cases(seed):
    rng = random.Random(seed)
    for col_a in (0, 1):
        for col_b in (0, 1):
            for d, c in (("f16", "f16"), ("f32", "f16"), ("f32", "f32")):
                yield quad_case(rng, col_a, col_b, d, c)
    for k in (8, 16):
        for f in ("f16", "f32"):
            yield mma_case(rng, 16, 8, k, f, "f16", "f16", f)
        yield mma_case(rng, 16, 8, k, "f32", "bf16", "bf16", "f32")
    for k in (4, 8):
        yield mma_case(rng, 16, 8, k, "f32", "tf32", "tf32", "f32")
    for a in ("e4m3", "e5m2"):
        for b in ("e4m3", "e5m2"):
            yield mma_case(rng, 16, 8, 32, "f32", a, b, "f32")
    for d, c in (("f16", "f16"), ("f16", "f32"), ("f32", "f16")):
        yield mma_case(rng, 16, 8, 32, d, "e4m3", "e5m2", c)
        yield mma_case(rng, 16, 8, 16, d, "e5m2", "e4m3", c)
    yield mma_case(rng, 16, 8, 16, "f32", "e4m3", "e4m3", "f32")
    small_kinds = ("e4m3", "e5m2", "e3m2", "e2m3", "e2m1")
    for n, a in enumerate(small_kinds):
        for b in small_kinds:
            yield mma_case(rng, 16, 8, 32, "f32", a, b, "f32", ".kind::f8f6f4")
        b = small_kinds[n - 1]
        yield mma_case(rng, 16, 8, 32, "f16", a, b, "f16", ".kind::f8f6f4")
        yield mma_case(rng, 16, 8, 32, "f32", a, b, "f32", ".kind::mxf8f6f4.block_scale.scale_vec::1X",
                       scale=("ue8m0", 1, n % 4, n % 2, (n + 1) % 4, (n + 2) % 4))
    for kind, stype, count in (("mxf4", "ue8m0", 2), ("mxf4nvf4", "ue8m0", 2), ("mxf4nvf4", "ue8m0", 4),
                               ("mxf4nvf4", "ue4m3", 4)):
        for n in range(4):
            byte = 0 if count == 4 else n // 2 * 2
            yield mma_case(rng, 16, 8, 64, "f32", "e2m1_packed", "e2m1_packed", "f32",
                           ".kind::%s.block_scale.scale_vec::%dX" % (kind, count),
                           scale=(stype, count, byte, n % 2, (2 - byte) % 4 if count == 2 else 0, n))
    yield mma_case(rng, 8, 8, 4, "f64", "f64", "f64", "f64")
    for k in (4, 8, 16):
        yield mma_case(rng, 16, 8, k, "f64", "f64", "f64", "f64")
    for bits, shapes in ((8, ((8, 16), (16, 16), (16, 32))), (4, ((8, 32), (16, 32), (16, 64)))):
        for m, k in shapes:
            for a in "us":
                for b in "us":
                    for clamp in (False, True):
                        yield mma_case(rng, m, 8, k, "s32", "%s%d" % (a, bits), "%s%d" % (b, bits), "s32", clamp=clamp)
    for m, k in ((8, 128), (16, 128), (16, 256)):
        for op in ("xor", "and"):
            yield mma_case(rng, m, 8, k, "s32", "b1", "b1", "s32", op=op)
    for sp in ("sp", "sp::ordered_metadata"):
        for f in ("f16", "f32"):
            for selector in range(4):
                yield mma_case(rng, 16, 8, 16, f, "f16", "f16", f, sparse=sp, selector=selector)
            for selector in range(2):
                yield mma_case(rng, 16, 8, 32, f, "f16", "f16", f, sparse=sp, selector=selector)
        yield mma_case(rng, 16, 8, 32, "f32", "bf16", "bf16", "f32", sparse=sp, selector=1)
        yield mma_case(rng, 16, 8, 8, "f32", "tf32", "tf32", "f32", sparse=sp, selector=2)
        yield mma_case(rng, 16, 8, 16, "f32", "tf32", "tf32", "f32", sparse=sp, selector=1)
        yield mma_case(rng, 16, 8, 64, "f32", "e4m3", "e5m2", "f32", sparse=sp)
        for a, k, most in (("s8", 32, 2), ("u8", 64, 1), ("s4", 64, 2), ("u4", 128, 1)):
            for selector in range(most):
                yield mma_case(rng, 16, 8, k, "s32", a, a, "s32", sparse=sp, selector=selector, clamp=selector == 1)
    sp = "sp::ordered_metadata"
    for n, a in enumerate(small_kinds):
        b = small_kinds[n - 2]
        yield mma_case(rng, 16, 8, 64, ("f16", "f32")[n % 2], a, b, ("f16", "f32")[n % 2], ".kind::f8f6f4", sparse=sp)
        yield mma_case(rng, 16, 8, 64, "f32", b, a, "f32", ".kind::mxf8f6f4.block_scale.scale_vec::1X", sparse=sp,
                       scale=("ue8m0", 1, n % 4, n % 2, (n + 1) % 4, (n + 2) % 4))
    for n, (kind, stype, count) in enumerate((("mxf4", "ue8m0", 2), ("mxf4nvf4", "ue8m0", 2),
                                              ("mxf4nvf4", "ue8m0", 4), ("mxf4nvf4", "ue4m3", 4))):
        yield mma_case(rng, 16, 8, 128, "f32", "e2m1_packed", "e2m1_packed", "f32",
                       ".kind::%s.block_scale.scale_vec::%dX" % (kind, count), sparse=sp,
                       scale=(stype, count, 0 if count == 4 else 2 * (n % 2), n % 2, 0, n))
    yield from move_cases(rng)
    for m, n in ((16, 16), (8, 32), (32, 8)):
        for lay in range(8):
            cols = lay & 1, lay >> 1 & 1, lay >> 2
            yield wmma_case(rng, m, n, 16, ("f16", "f32")[lay & 1], "f16", ("f16", "f32")[lay >> 1 & 1], *cols, pad=lay % 2)
            yield wmma_case(rng, m, n, 16, "f32", "bf16", "f32", *cols, pad=lay % 2)
            yield wmma_case(rng, m, n, 16, "s32", ("s8", "u8")[lay & 1], "s32", *cols, pad=lay % 2, clamp=lay == 3)
    for lay in range(8):
        cols = lay & 1, lay >> 1 & 1, lay >> 2
        yield wmma_case(rng, 16, 16, 8, "f32", "tf32", "f32", *cols, pad=lay % 2)
        yield wmma_case(rng, 8, 8, 4, "f64", "f64", "f64", *cols, pad=lay % 2)
    for pad in (0, 1):
        for a in ("s4", "u4"):
            yield wmma_case(rng, 8, 8, 32, "s32", a, "s32", 0, 1, pad, pad=pad)
        for op in ("xor", "and"):
            yield wmma_case(rng, 8, 8, 128, "s32", "b1", "s32", 0, 1, pad, pad=pad, op=op)
    for width in (16, 32, 64, 128):
        for trans in range(4):
            yield wgmma_case(rng, 64 if trans else 8, "f32", "f16", "f16", width, trans & 1, trans >> 1)
    for n in (24, 136, 256):
        yield wgmma_case(rng, n, "f16", "f16", "f16", 32)
    yield wgmma_case(rng, 256, "f32", "bf16", "bf16", 128, trans_b=1, from_registers=True)
    yield wgmma_case(rng, 16, "f32", "tf32", "tf32", 32, scale=(-1, 1))
    yield wgmma_case(rng, 16, "f32", "tf32", "tf32", 16, from_registers=True, scale=(1, -1))
    yield wgmma_case(rng, 16, "f32", "e4m3", "e5m2", 64, add=False)
    yield wgmma_case(rng, 16, "f16", "e5m2", "e4m3", 32, from_registers=True, scale=(-1, -1))
    for clamp in (False, True):
        yield wgmma_case(rng, 32, "s32", "s8", "u8", 32, clamp=clamp)
    yield wgmma_case(rng, 16, "s32", "u8", "s8", 16, from_registers=True)
    yield wgmma_case(rng, 16, "s32", "b1", "b1", 32, op="and")
    for a, d in (("f16", "f32"), ("bf16", "f32"), ("tf32", "f32"), ("e4m3", "f16"), ("s8", "s32")):
        yield wgmma_case(rng, 16, d, a, a, 64, sparse=True)


HEAD = ".version 8.7\n.target sm_120a\n.address_size 64\n"
