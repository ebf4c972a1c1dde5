"""Kernels with tcgen05 instructions, and what they must leave behind: see matrix_kernels.py. Tensor
memory is a grid of 128 lanes of 512 columns here; what lies where is written as the PTX manual and
its figures say, products are computed with Python's integers from values whose sums are exact.

Each kernel allocates, fills the grid by 32x32b stores, does what is tested, and reads the grid back.
"""
import random
import struct
from fractions import Fraction
from operator import mul

from matrix_kernels import BITS, ENCODE, RANGE, Kernel, braces, draw, f16, f32, fill_shared, number_list

HEAD = ".version 8.8\n.target sm_103a\n.address_size 64\n"
LANES = 128
PLACE = 64  # columns of the grid that a kernel uses


class TensorKernel(Kernel):
    def __init__(self, name, columns=PLACE, image=None):
        super().__init__(name)
        self.threads, self.columns = LANES, columns
        self.body += [".shared .align 8 .b64 %s_bar;" % name, ".shared .align 4 .b32 %s_at;" % name,
                      ".reg .pred %first, %done, %yes;", ".reg .b32 %tm, %row, %warp;", ".reg .b64 %mb;",
                      "setp.eq.u32 %first, %t, 0;", "setp.eq.u32 %yes, %t, %t;",
                      "mov.u64 %%mb, %s_bar;" % name,
                      "@%%first mbarrier.init.shared::cta.b64 [%s_bar], 1;" % name, "shr.u32 %warp, %t, 5;",
                      "setp.eq.u32 %done, %warp, 0;",
                      "@%%done tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%s_at], 512;" % name,
                      "tcgen05.fence::before_thread_sync;", "bar.sync 0;", "tcgen05.fence::after_thread_sync;",
                      "ld.shared.b32 %%tm, [%s_at];" % name, "shl.b32 %row, %warp, 21;", "add.u32 %row, %row, %tm;"]
        fill_shared(self, image or [0] * LANES)

    def constants(self, name, words):
        self.data += ".global .align 16 .u32 %s_%s[%d] = {\n%s};\n" % (self.name, name, len(words), number_list(words))

    def put(self, grid):
        """Every thread's lane, 32 columns at a time."""
        self.constants("grid", [grid[lane][c] for c in range(self.columns) for lane in range(LANES)])
        self.body += ["mov.u64 %%p, %s_grid;" % self.name, "mad.wide.u32 %p, %t, 4, %p;"]
        regs = self.results("g", min(32, self.columns))
        for first in range(0, self.columns, len(regs)):
            self.body += ["ld.global.u32 %s, [%%p+%d];" % (r, (first + i) * LANES * 4) for i, r in enumerate(regs)]
            self.body.append("tcgen05.st.sync.aligned.32x32b.x%d.b32 [%%row+%d], %s;" % (
                len(regs), first, braces(regs)))
        self.body += ["tcgen05.wait::st.sync.aligned;", "tcgen05.fence::before_thread_sync;", "bar.sync 0;",
                      "tcgen05.fence::after_thread_sync;"]

    def one(self, *lines):
        """What the first thread issues; all wait for it."""
        self.body += ["@!%first bra issued;", "fence.proxy.async.shared::cta;"] + list(lines)
        self.body += ["tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%mb];", "issued:",
                      "mbarrier.try_wait.parity.shared::cta.b64 %%done, [%s_bar], 0;" % self.name,
                      "@!%done bra issued;", "tcgen05.fence::after_thread_sync;"]

    def get(self):
        regs = self.results("o", min(32, self.columns))
        for first in range(0, self.columns, len(regs)):
            self.body += ["tcgen05.ld.sync.aligned.32x32b.x%d.b32 %s, [%%row+%d];" % (len(regs), braces(regs), first),
                          "tcgen05.wait::ld.sync.aligned;"]
            self.store(regs)

    def finish(self):
        self.body += ["bar.sync 0;", "setp.eq.u32 %done, %warp, 0;",
                      "@%done tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;",
                      "@%done tcgen05.dealloc.cta_group::1.sync.aligned.b32 %tm, 512;"]
        return self


def random_grid(rng, columns=PLACE):
    return [[rng.getrandbits(32) for _ in range(columns)] for _ in range(LANES)]


def grid_words(grid):
    return [grid[lane][c] for c in range(len(grid[0])) for lane in range(LANES)]


# ---- ld and st ---------------------------------------------------------------------------------
def fragment(shape, thread, reg, split):
    """(lane, column) of a register, by the figures: which thread has which piece of a row."""
    quad, member = divmod(thread, 4)
    if shape == "32x32b":
        return thread, reg
    if shape == "16x32bx2":
        return thread % 16, reg + (split if thread >= 16 else 0)
    if shape == "16x64b":  # threads 0, 2 have row 0's two words; 1, 3 those of row 8
        return quad + 8 * (member & 1), 2 * reg + (member >> 1)
    if shape == "16x128b":  # rows of four words: register 0 rows 0 to 7, register 1 rows 8 to 15
        return quad + 8 * (reg & 1), 4 * (reg >> 1) + member
    return quad + 8 * (reg >> 1 & 1), 8 * (reg >> 2) + 2 * member + (reg & 1)  # 16x256b


REGISTERS = {"16x128b": 2, "16x256b": 4}


def move_case(rng, shape, num, pack, load, half):
    """half: the lanes from 16 on, of each warp's 32; of 32x32b there is none."""
    registers, split = num * REGISTERS.get(shape, 1), (2 if pack else 1) * num + 3
    k = TensorKernel("%s_%s_x%d%s%s" % ("ld" if load else "st", shape, num, "_pack" if pack else "",
                                        "_high" if half else ""), 128 if num > 1 else PLACE)
    grid = random_grid(rng, k.columns)
    k.put(grid)
    k.body.append("add.u32 %%row, %%row, %d;" % ((16 << 16 if half else 0) + 5))
    operand = "[%%row]%s" % (", %d" % split if shape == "16x32bx2" else "")

    def cells(thread, reg):
        lane, column = fragment(shape, thread % 32, reg, 0)
        column = column * (2 if pack else 1) + 5
        column += split if shape == "16x32bx2" and thread % 32 >= 16 else 0
        return thread // 32 * 32 + lane + 16 * half, column

    if load:
        regs = k.results("x", registers)
        k.body += ["tcgen05.ld.sync.aligned.%s.x%d%s.b32 %s, %s;" % (
            shape, num, ".pack::16b" if pack else "", braces(regs), operand), "tcgen05.wait::ld.sync.aligned;"]
        k.store(regs)
        want = []
        for reg in range(registers):
            for thread in range(LANES):
                lane, column = cells(thread, reg)
                word = grid[lane][column]
                want.append(word & 0xffff | grid[lane][column + 1] << 16 & 0xffff0000 if pack else word)
    else:
        words = [[rng.getrandbits(32) for _ in range(LANES)] for _ in range(registers)]
        k.constants("in", [w for row in words for w in row])
        k.body += ["mov.u64 %%p, %s_in;" % k.name, "mad.wide.u32 %p, %t, 4, %p;"]
        regs = k.results("x", registers)
        k.body += ["ld.global.u32 %s, [%%p+%d];" % (r, i * LANES * 4) for i, r in enumerate(regs)]
        k.body += ["tcgen05.st.sync.aligned.%s.x%d%s.b32 %s, %s;" % (
            shape, num, ".unpack::16b" if pack else "", operand, braces(regs)),
            "tcgen05.wait::st.sync.aligned;", "shl.b32 %row, %warp, 21;", "add.u32 %row, %row, %tm;"]
        for reg in range(registers):
            for thread in range(LANES):
                lane, column = cells(thread, reg)
                word = words[reg][thread]
                if pack:
                    grid[lane][column], grid[lane][column + 1] = word & 0xffff, word >> 16
                else:
                    grid[lane][column] = word
        k.get()
        want = grid_words(grid)
    return k.finish(), want


def float_of(word):
    return struct.unpack("<f", struct.pack("<I", word))[0]


def extreme(words, text):
    """redval of a lane: +0 is more than -0; NaNs count where .NaN says so, else only if there is nothing else."""
    pick = min if ".min" in text else max
    if "f32" not in text:
        signed = "s32" in text
        return pick(words, key=lambda w: w - (w >> 31 << 32) if signed else w)
    words = [w & 0x7fffffff for w in words] if ".abs" in text else words
    numbers = [w for w in words if w & 0x7fffffff <= 0x7f800000]
    if not numbers or (".NaN" in text and len(numbers) < len(words)):
        return 0x7fffffff
    return pick(numbers, key=lambda w: (float_of(w), -(w >> 31)))


def reduce_case(rng, num, text, split=None):
    """tcgen05.ld.red: a thread's words, and the smallest or largest of them. split: of shape 16x32bx2, whose halves are
    two loads with a reduction each."""
    k = TensorKernel("ld_red_x%d%s%s" % (num, text.replace(".", "_"), "" if split is None else "_split_%d" % split))
    floats = [0, 1 << 31, 0x7f800000, 0xff800000, 0x7fc00001, 0xffc00000, 1, 0x80000001]
    grid = [[rng.choice(floats) if lane % 3 == 0 else rng.choice(floats[4:6]) if lane % 16 == 1 else rng.getrandbits(32)
             for _ in range(PLACE)] for lane in range(LANES)]
    k.put(grid)
    regs = k.results("x", num + 1)
    k.body += ["tcgen05.ld.red.sync.aligned.%s.x%d%s %s, %s, [%%row+5]%s;" % (
        "32x32b" if split is None else "16x32bx2", num, text, braces(regs[1:]), regs[0], "" if split is None else ", %d" % split),
        "tcgen05.wait::ld.sync.aligned;"]
    k.store(regs)
    loads = [grid[thread][5:] for thread in range(LANES)]
    if split is not None:
        loads = [grid[thread // 32 * 32 + thread % 16][5 + thread // 16 % 2 * split:] for thread in range(LANES)]
    want = [extreme(words[:num], text) for words in loads]
    return k.finish(), want + [words[r] for r in range(num) for words in loads]


# ---- shared memory -----------------------------------------------------------------------------
MODES = {"none": (16, 0), "32": (32, 6), "64": (64, 4), "128": (128, 2), "128_32": (128, 1)}


def byte_offset(mn, piece_k, per, trans, mode, leading, stride):
    """Where the 16 bytes with element (mn, k) are: canonical layouts in units of 16 bytes."""
    width = MODES[mode][0]
    units, plain = width // 16, mode == "none"
    if not trans:
        off = mn % 8 * width + mn // 8 * stride + piece_k // per * (leading if plain else 16)
    else:
        rows = 4 if mode == "128_32" else 8
        inner, outer = mn // per % units, mn // per // units
        off = inner * 16 + outer * (stride if plain else leading)
        off += piece_k % rows * width + piece_k // rows * (leading if plain else stride)
    if mode == "128_32":  # 32 bytes change places
        return off ^ (off >> 7 & 3) << 5
    return off ^ (off >> 7 & units - 1) << 4


def shared_bits(kind):
    """(bits of an element in shared memory, elements of 16 bytes)"""
    bits = {"e2m3": 6, "e3m2": 6, "e2m1": 4}.get(kind, BITS[kind])
    return bits, 16 if kind in ("e2m3", "e3m2", "e2m1") else 128 // bits


def encode(kind, v):
    code = ENCODE[kind](v)
    return {"e2m1": code >> 2 & 15, "e2m3": code & 63, "e3m2": code & 63}.get(kind, code)


def place_matrix(image, rows, kind, base, trans, mode):
    """Rows (mn) of k; the descriptor of the matrix."""
    bits, per = shared_bits(kind)
    count, depth = len(rows), len(rows[0])
    width, code = MODES[mode]
    if not trans:
        leading, stride = (8 * 16, 8 * 16 * (depth // per)) if mode == "none" else (16, 8 * width)
    elif mode == "none":
        leading, stride = 8 * 16 * (count // per), 8 * 16
    else:
        group = 4 if mode == "128_32" else 8
        leading, stride = depth * width, group * width
    for mn, row in enumerate(rows):
        for k, v in enumerate(row):
            off = byte_offset(mn, k, per, trans, mode, leading, stride)
            bit = (base + off) * 8 + (mn if trans else k) % per * bits
            code_of = encode(kind, v)
            image[bit // 32] |= code_of << bit % 32 & 0xffffffff
            if bit % 32 + bits > 32:
                image[bit // 32 + 1] |= code_of >> 32 - bit % 32
    return base >> 4 | leading >> 4 << 16 | stride >> 4 << 32 | 1 << 46 | code << 61


def place_split(image, rows, base, further, first):
    """Rows of 96 numbers of four bits, K-major with the swizzle of 128 bytes: the first of their three pieces of 16 bytes
    is number `first` of the eight in 128 bytes. What these have no place for begins the 128 bytes of the row at `further`."""
    for mn, row in enumerate(rows):
        for piece in range(3):
            at, unit = (base, first + piece) if first + piece < 8 else (further, first + piece - 8)
            word = (at + byte_offset(mn, unit, 1, False, "128", 16, 1024)) // 4
            for k, v in enumerate(row[32 * piece:32 * piece + 32]):
                image[word + k // 8] |= encode("e2m1_packed", v) << k % 8 * 4
    return base + 16 * first >> 4 | further >> 4 << 16 | 1024 >> 4 << 32 | 1 << 46 | 1 << 52 | MODES["128"][1] << 61


# ---- cp and shift ------------------------------------------------------------------------------
def copy_case(rng, shape, multicast, pack, mode):
    rows, pieces = {"128x256b": (128, 2), "4x256b": (4, 2), "128x128b": (128, 1), "64x128b": (64, 1),
                    "32x128b": (32, 1)}[shape]
    image = [rng.getrandbits(32) for _ in range(4096)]
    width, code = MODES[mode]
    leading, stride = (128 * 17, 128) if mode == "none" else (16, 8 * width)
    name = "cp_%s%s%s_%s" % (shape, multicast.replace("::", "_").replace(".", "_"), pack.replace(".", "_"), mode)
    k = TensorKernel(name, image=image)
    grid = random_grid(rng)
    k.put(grid)
    k.body += [".reg .b64 %da;", "cvt.u64.u32 %da, %s;", "shr.u64 %da, %da, 4;",
               "add.u64 %%da, %%da, %d;" % (leading >> 4 << 16 | stride >> 4 << 32 | 1 << 46 | code << 61),
               "add.u32 %row, %tm, 9;"]
    k.one("tcgen05.cp.cta_group::1.%s%s%s [%%row], %%da;" % (shape, multicast, pack))
    k.body += ["shl.b32 %row, %warp, 21;", "add.u32 %row, %row, %tm;"]
    k.get()
    for row in range(rows):
        for piece in range(pieces):
            at = byte_offset(row, piece, 1, 0, mode, leading, stride) // 4
            words = image[at:at + 4]
            if pack:
                whole, bits = sum(w << 32 * i for i, w in enumerate(words)), 4 if "b4" in pack else 6
                numbers = [whole >> bits * i & (1 << bits) - 1 for i in range(16)]
                if bits == 4:  # sign, exponent and fraction in the middle of the lower six bits
                    numbers = [v << 2 for v in numbers]
                words = [sum(numbers[4 * i + j] << 8 * j for j in range(4)) for i in range(4)]
            lanes = {"4x256b": [row * 32], "32x128b": [row, row + 32, row + 64, row + 96],
                     "64x128b": [row, row + 64] if "02_13" in multicast else
                     [row % 32 + row // 32 * 64, row % 32 + row // 32 * 64 + 32]}.get(shape, [row])
            for lane in lanes:
                grid[lane][9 + 4 * piece:13 + 4 * piece] = words
    return k.finish(), grid_words(grid)


def shift_case(rng):
    k = TensorKernel("shift")
    grid = random_grid(rng)
    k.put(grid)
    k.body.append("add.u32 %%row, %%tm, %d;" % ((64 << 16) + 3))
    k.one("tcgen05.shift.cta_group::1.down [%row];")
    k.body += ["shl.b32 %row, %warp, 21;", "add.u32 %row, %row, %tm;"]
    k.get()
    for lane in range(64, 95):
        grid[lane][3:11] = grid[lane + 1][3:11]
    return k.finish(), grid_words(grid)


# ---- products ----------------------------------------------------------------------------------
A_CODE = dict(f16=0, bf16=1, tf32=2, e4m3=0, e5m2=1, e2m3=3, e3m2=4, e2m1=5, e2m1_packed=1, u8=0, s8=1)
D_CODE = dict(f16=0, f32=1, s32=2)
DEPTH = {"f16": 16, "tf32": 8, "f8f6f4": 32, "i8": 32, "mxf8f6f4": 32, "mxf4": 64, "mxf4nvf4": 64}


def d_cell(m, n, rows, columns, ws, half):
    """(lane, column) of an element of d."""
    if rows == 128:
        return m, n
    if not ws:
        return m % 16 + m // 16 * 32 + 16 * half, n
    across = columns * rows // 128
    return m + n // across * rows, n % across


def in_columns(rows, kind, lane_of, grid, first):
    """a in tensor memory: elements from the low bits up, those of 4 and 6 bits a byte each."""
    bits = 8 if kind in ("e2m3", "e3m2", "e2m1") else BITS[kind]
    for m, row in enumerate(rows):
        lane = lane_of(m)
        for c in range(len(row) * bits // 32):
            grid[lane][first + c] = 0
        for k, v in enumerate(row):
            code = ENCODE[kind](v) & 63 if kind in ("e2m3", "e3m2") else ENCODE[kind](v)
            code = code & 0x3c if kind == "e2m1" else code
            grid[lane][first + k * bits // 32] |= code << k * bits % 32


def draws(rng, kind, wide, rows, columns):
    low, high = RANGE.get(kind, (-100, 100) if wide else (-4, 4))
    return [rng.choices(range(low, high + 1), k=columns) for _ in range(rows)]


def spread(rng, A, kind, selector, grid, column, lanes=lambda group: [16 * group], places=None):
    """The matrix that sparse rows A stand for, and in `places` where its numbers are from; its metadata go to columns `column` and the next, those of each 16 rows
    to 16 lanes (lanes(group): the first ones, of each copy). Their bits of a row, lowest first: of bytes and less in
    the row's lane; of f16 and tf32 as CUTLASS has them (tmem_e_frg): the 16 rows share their lanes, first the half of
    k, then the row in its eight; the eighth row has the higher 16 bits."""
    unit = 2 if kind in ("mxf4", "mxf4nvf4") else 1
    dense, places = [[0] * (2 * len(row)) for row in A], [] if places is None else places
    for row, stored in enumerate(A):
        codes = []
        places.append([])
        for chunk in range(len(stored) if kind == "tf32" else len(stored) // (2 * unit)):
            if kind == "tf32":  # one of two
                which = rng.randrange(2)
                codes.append(0b1110 if which else 0b0100)
                places[row].append(2 * chunk + which)
                continue
            pair = sorted(rng.sample(range(4), 2))
            codes.append(pair[0] | pair[1] << 2)
            for which in pair:
                places[row] += [(chunk * 4 + which) * unit + e for e in range(unit)]
        for at, v in zip(places[row], stored):
            dense[row][at] = v
        for n, code in enumerate(codes):
            if kind in ("f16", "tf32"):
                (half, at), (high, low) = divmod(n, 4), divmod(row % 16, 8)
                lane, c, bit = half * 8 + low, column + selector, high * 16 + at * 4
            else:
                lane, c, bit = row % 16, column + n // 8, n % 8 * 4
            for first in lanes(row // 16):
                grid[first + lane][c] = grid[first + lane][c] & ~(15 << bit) | code << bit
    return dense


def metadata_lanes(m, ws, half):
    """Where the metadata of each 16 rows are: beside those of d; of .ws in each part of the lanes."""
    if ws:
        return lambda group: range(16 * group, LANES, m)
    return lambda group: [16 * group if m == 128 else 32 * group + 16 * half]


def left_out(m, n, starts, firsts, skip, use):
    """The zero-column mask of the manual, and its descriptor but for the shift: spans of use + 1 columns that are used
    and of skip + 1 that are not, in each of the parts that m rows leave; the first of them begins with firsts' kind
    and lacks as many columns as starts says."""
    parts, mask = 128 // m, []
    for first, late in zip(firsts[:parts], starts):
        bits = []
        while len(bits) < n // parts + late:
            bits += [1] * (skip + 1) if first else [0] * (use + 1)
            first = not first
        mask += bits[late:late + n // parts]
    word = sum(s << 8 * i for i, s in enumerate(starts)) | sum(f << 32 + i for i, f in enumerate(firsts))
    return mask, word | 1 << 39 | skip << 40 | use << 48


def scaled_sum(a, b, of_a, of_b):
    """Sums of blocks, each with its scales."""
    size = len(a) // len(of_a)
    return sum(float(sa * sb) * sum(map(mul, a[k * size:k * size + size], b[k * size:k * size + size]))
               for k, (sa, sb) in enumerate(zip(of_a, of_b)))


def d_code(d, total, clamp):
    """An element of d; sums of floats are exact, also as Python's."""
    if d != "s32":
        return (f16 if d == "f16" else f32)(float(total))
    return int(max(-2**31, min(2**31 - 1, total)) if clamp else total) & 0xffffffff


def product_case(rng, kind, d, a, b, m, n, mode="128", trans=(0, 0), inside=False, ws=False, negative=(0, 0),
                 add=True, off=False, shift=None, clamp=False, scales=0, ue4m3=False, byte=(0, 0), half=0, end="", sparse=None, down=False, spans=None, further=0,
                 split=None):
    """sparse: the selector. down: .ashift, and the same product again with what it leaves of a. spans, further: of
    .ws, the arguments of left_out that follow n, and the first column. split: K = 96; where a and b begin in 128 bytes."""
    depth = 96 if split else DEPTH[kind]
    A = draws(rng, a, False, m, depth)
    B = draws(rng, b, False, n + further, depth * (1 if sparse is None else 2))
    image = [0] * (4608 + 32 * n if split else 9216 if further else 8192)
    if split:
        desc_a, desc_b = place_split(image, A, 0, 1024, split[0]), place_split(image, B, 17408, 18432, split[1])
    else:
        desc_a = place_matrix(image, A, a, 0, trans[0], mode if trans[0] or mode != "128_32" else "128")
        desc_b = place_matrix(image, B, b, 16384, trans[1], mode if trans[1] or mode != "128_32" else "128")
    across = n * m // 128 if ws else n
    columns = (across + 48 + 31 if split else across + 32 + 31) // 32 * 32
    name = "mma%s_%s_%s_%s_%s_m%dn%d_%s_%d%d%s" % (
        "" if sparse is None else "_sp%d" % sparse, kind, d, a, b, m, n, mode, *trans,
        "".join("_" + w for w, c in (("ts", inside), ("ws", ws), ("neg", negative != (0, 0)), ("zero", not add),
                                     ("off", off), ("scaled", shift is not None), ("sat", clamp),
                                     ("x%d" % scales, scales), ("nv", ue4m3), ("high", half),
                                     ("b%d%d" % byte, byte != (0, 0)), ("down", down), ("spans", spans),
                                     ("from%d" % further, further), ("k96_%d%d" % (split or (0, 0)), split),
                                     (end.replace("::", "_").replace(".", "_"), end))
                if c))
    k = TensorKernel(name, columns, image)
    grid = random_grid(rng, columns)
    at_a, at_sa, at_sb = across, across + (12 if split else 8), across + (20 if split else 16)
    apart = 4, 8 if n > 128 else 4  # columns to the next four scales
    D = draws(rng, d, True, m, n)
    places = []
    dense = A if sparse is None else spread(rng, A, kind, sparse, grid, across + 24, metadata_lanes(m, ws, half), places)
    if clamp:
        D = [[rng.choice([2**31 - 5, -2**31 + 5]) for _ in row] for row in D]
    for i in range(m):
        for j in range(n):
            lane, c = d_cell(i, j, m, n, ws, half)
            grid[lane][c] = ENCODE[d](D[i][j]) | (0xabcd0000 if d == "f16" else 0)
    if inside:
        in_columns(A, a, lambda i: d_cell(i, 0, m, n, ws, half)[0], grid, at_a)

    def scale_values(rows, first, start, apart):
        out = []
        for row in range(rows):
            values = [rng.choice([1, 2, 4] if ue4m3 else [-2, -1, 0, 1, 2]) for _ in range(scales)]
            for copy in range(4):
                for s, v in enumerate(values):
                    code = ENCODE["e4m3"](v) if ue4m3 else 127 + v
                    more, byte = divmod(start + s, 4)
                    c = first + row // 32 + more * apart
                    word = grid[row % 32 + 32 * copy][c]
                    grid[row % 32 + 32 * copy][c] = word & ~(255 << 8 * byte) | code << 8 * byte
            out.append([Fraction(v) if ue4m3 else Fraction(2) ** v for v in values])
        return out

    SA, SB = (scale_values(m, at_sa, byte[0], apart[0]), scale_values(n, at_sb, byte[1], apart[1])) if scales else (None, None)
    k.put(grid)
    idesc = 0 if sparse is None else 4 | sparse
    idesc |= A_CODE[a] << 7 | A_CODE[b] << 10 | negative[0] << 13 | negative[1] << 14 | trans[0] << 15 | trans[1] << 16
    idesc |= n // 8 << 17 | m // 16 << 24 | (1 << 31 if split else 0)
    idesc |= byte[1] << 4 | byte[0] << 29 | (not ue4m3) << 23 if scales else D_CODE[d] << 4 | clamp << 3
    mask = [rng.getrandbits(32) for _ in range(4)] if off else []
    k.body += [".reg .b64 %base, %da, %db;", ".reg .b32 %dd, %ta, %sa, %sb, %me;", ".reg .pred %add;",
               "cvt.u64.u32 %base, %s;", "shr.u64 %base, %base, 4;",
               *(["mul.lo.u64 %base, %base, 0x10001;"] if split else []),  # the other address, too
               "add.u64 %%da, %%base, %d;" % desc_a, "add.u64 %%db, %%base, %d;" % desc_b,
               "add.u32 %%dd, %%tm, %d;" % (half << 20), "add.u32 %%ta, %%tm, %d;" % (at_a + (half << 20)),
               "add.u32 %%me, %%tm, %d;" % (across + 24 + (half << 20)), "add.u32 %%sa, %%tm, %d;" % at_sa, "add.u32 %%sb, %%tm, %d;" % at_sb,
               "setp.eq.u32 %%add, %d, 1;" % add]
    operands = ["[%dd]", "[%ta]" if inside else "%da", "%db"] + ([] if sparse is None else ["[%me]"]) + ["%d" % idesc]
    operands += ["[%sa]", "[%sb]"] if scales else []
    operands += [braces([str(w) for w in mask])] if off else []
    operands += ["%add"] + ([str(shift)] if shift is not None else [])
    zero, word = left_out(m, n, *spans) if spans else ([0] * n, 0)
    operands += ["%d" % (word | further << 56)] if spans or further else []
    k.one(*["tcgen05.mma%s%s.cta_group::1.kind::%s%s %s;" % (
        ".ws" if ws else "", "" if sparse is None else ".sp", kind, (".block_scale" if scales else "") + shift_a + end,
        ", ".join(operands)) for shift_a in ([".ashift", ""] if down else [""])])
    k.get()
    sign = (-1 if negative[0] else 1) * (-1 if negative[1] else 1)
    times = [dense]
    if down:  # a's cells go one lane down, but for the last of 32; so do its rows
        for first in range(0, LANES, 32):
            for lane in range(first, first + 31):
                grid[lane][at_a:at_a + 8] = grid[lane + 1][at_a:at_a + 8]
        moved = [A[i] if i % 32 == 31 else A[i + 1] for i in range(m)]
        if sparse is not None:  # the metadata stay
            moved = [[dict(zip(at, row)).get(k, 0) for k in range(2 * depth)] for at, row in zip(places, moved)]
        times.append(moved)
    for i in range(m):
        for j in range(n):
            lane, c = d_cell(i, j, m, n, ws, half)
            if off and mask[lane // 32] >> lane % 32 & 1:
                continue
            column = [0] * len(B[0]) if zero[j] else B[j + further]
            for rows in times:
                total = sign * (scaled_sum(rows[i], column, SA[i], SB[j]) if scales else sum(map(mul, rows[i], column)))
                D[i][j] = D[i][j] / (1 << (shift or 0)) + total if add else total
            grid[lane][c] = d_code(d, D[i][j], clamp)
    return k.finish(), grid_words(grid)


def sparse_cases(rng):
    """Of tf32, of 64 rows, of .ws."""
    for selector in (0, 1):
        yield product_case(rng, "tf32", "f32", "tf32", "tf32", 128, 24, sparse=selector)
        yield product_case(rng, "tf32", "f32", "tf32", "tf32", 64, 16, "none", sparse=selector, half=selector)
        yield product_case(rng, "f16", "f32", "f16", "bf16", 64, 40, "64", sparse=selector, half=1 - selector)
    yield product_case(rng, "tf32", "f32", "tf32", "tf32", 128, 16, "none", inside=True, sparse=1, off=True)
    yield product_case(rng, "f16", "f16", "f16", "f16", 64, 16, inside=True, sparse=0, half=1, off=True)
    yield product_case(rng, "f8f6f4", "f32", "e4m3", "e2m1", 64, 16, sparse=0, half=1)
    yield product_case(rng, "i8", "s32", "s8", "u8", 64, 16, inside=True, sparse=0)
    for m in (32, 64, 128):
        yield product_case(rng, "f16", "f32", "f16", "bf16", m, 64, ws=True, sparse=m // 64 % 2, end=".collector::b2::fill")
        yield product_case(rng, "tf32", "f32", "tf32", "tf32", m, 128, "64", ws=True, sparse=1 - m // 64 % 2)
        yield product_case(rng, "f8f6f4", "f16", "e5m2", "e4m3", m, 64, "64", ws=True, sparse=0)
    yield product_case(rng, "i8", "s32", "u8", "s8", 64, 64, ws=True, sparse=0, inside=True)


def column_cases(rng):
    """Columns of b that .ws leaves out: spans of the manual's examples, and others."""
    yield product_case(rng, "f16", "f32", "f16", "f16", 128, 64, ws=True, spans=((0, 0, 0, 0), (0, 0, 0, 0), 2, 3))
    yield product_case(rng, "f16", "f32", "f16", "f16", 64, 128, ws=True, spans=((0, 0, 0, 0), (1, 0, 0, 0), 2, 3))
    yield product_case(rng, "f16", "f32", "bf16", "f16", 32, 128, ws=True, spans=((0, 1, 2, 1), (1, 1, 0, 0), 2, 3), further=2)
    yield product_case(rng, "i8", "s32", "s8", "s8", 64, 64, ws=True, spans=((7, 3, 9, 9), (0, 1, 1, 1), 0, 8), sparse=0)
    yield product_case(rng, "tf32", "f32", "tf32", "tf32", 128, 256, "32", ws=True, further=32, add=False)


def shifted_cases(rng):
    yield product_case(rng, "tf32", "f32", "tf32", "tf32", 128, 16, inside=True, down=True)
    yield product_case(rng, "f16", "f32", "f16", "bf16", 128, 32, inside=True, down=True, off=True, end=".collector::a::discard")
    yield product_case(rng, "f8f6f4", "f32", "e4m3", "e3m2", 128, 16, inside=True, down=True, add=False)
    yield product_case(rng, "i8", "s32", "s8", "u8", 128, 16, inside=True, down=True, sparse=0)


def long_cases(rng):
    """K = 96: the parts of 128 bytes that CUTLASS's main loop takes, scales that go on in the next columns."""
    packed = "e2m1_packed", "e2m1_packed", 128
    for first, byte in ((0, 0), (3, 3), (6, 2), (1, 1)):
        yield product_case(rng, "mxf4", "f32", *packed, 16, scales=3, split=(first, first), byte=(byte, byte))
    yield product_case(rng, "mxf4nvf4", "f32", *packed, 48, scales=6, ue4m3=True, end=".block16", split=(7, 2), byte=(2, 0))
    yield product_case(rng, "mxf4nvf4", "f32", *packed, 192, scales=6, end=".scale_vec::4X", split=(5, 7), byte=(0, 2),
                       negative=(1, 0))
    yield product_case(rng, "mxf4nvf4", "f32", *packed, 136, scales=3, end=".block32", split=(4, 6), byte=(1, 3), add=False)
    yield product_case(rng, "mxf4nvf4", "f32", *packed, 32, scales=3, end=".scale_vec::2X", split=(0, 6), byte=(3, 2), inside=True)


def cases(seed):
    rng = random.Random(seed)
    for shape, most in (("16x64b", 16), ("16x128b", 8), ("16x256b", 4), ("16x32bx2", 16), ("32x32b", 16)):
        num = 1
        while num <= most:
            for load in (True, False):
                yield move_case(rng, shape, num, num in (2, 4), load, num == 1 and shape != "32x32b")
            num *= 2
    for num, text in ((2, ".min.f32"), (32, ".max.f32"), (4, ".max.abs.f32"), (8, ".min.abs.NaN.f32"),
                      (16, ".max.NaN.f32"), (4, ".min.u32"), (8, ".max.s32"), (32, ".s32.min"), (2, ".u32.max")):
        yield reduce_case(rng, num, text)
    halves = random.Random(seed + 1)
    for num, text, split in ((2, ".min.u32", 16), (4, ".max.abs.NaN.f32", 24), (16, ".s32.max", 3), (8, ".min.f32", 0)):
        yield reduce_case(halves, num, text, split)
    for shape, multicast, pack, mode in (
            ("128x256b", "", "", "128"), ("128x256b", "", ".b8x16.b6x16_p32", "none"), ("4x256b", "", "", "none"),
            ("128x128b", "", ".b8x16.b4x16_p64", "64"), ("128x128b", "", "", "32"),
            ("64x128b", ".warpx2::02_13", "", "none"), ("64x128b", ".warpx2::01_23", "", "128"),
            ("32x128b", ".warpx4", "", "none")):
        yield copy_case(rng, shape, multicast, pack, mode)
    yield shift_case(rng)
    for mode in MODES:
        if mode != "128_32":
            yield product_case(rng, "f16", "f32", "f16", "f16", 128, 16, mode)
        for trans in ((0, 1), (1, 0), (1, 1)):
            if mode == "128_32":
                yield product_case(rng, "tf32", "f32", "tf32", "tf32", 128, 32, mode, trans)
            else:
                yield product_case(rng, "f16", "f32", "f16", "bf16", 128, 64, mode, trans)
    yield product_case(rng, "f16", "f16", "f16", "f16", 64, 24, off=True)
    yield product_case(rng, "f16", "f32", "bf16", "bf16", 64, 8, half=1, negative=(1, 0))
    yield product_case(rng, "f16", "f32", "bf16", "f16", 128, 32, inside=True, shift=3, end=".collector::a::fill")
    yield product_case(rng, "f16", "f32", "f16", "f16", 64, 16, inside=True, add=False, half=1)
    yield product_case(rng, "tf32", "f32", "tf32", "tf32", 128, 16, "32", negative=(0, 1), off=True, shift=0)
    yield product_case(rng, "tf32", "f32", "tf32", "tf32", 64, 40, "none", inside=True)
    for a, b in (("e4m3", "e5m2"), ("e5m2", "e2m3"), ("e3m2", "e2m1"), ("e2m1", "e4m3"), ("e2m3", "e3m2")):
        yield product_case(rng, "f8f6f4", "f32", a, b, 128, 16, "32")
        yield product_case(rng, "f8f6f4", "f16", a, b, 64, 16, "none", inside=True)
    yield product_case(rng, "f8f6f4", "f32", "e4m3", "e5m2", 128, 32, "64", (1, 1))
    for a, b in (("s8", "u8"), ("u8", "s8"), ("s8", "s8")):
        yield product_case(rng, "i8", "s32", a, b, 128, 32, clamp=a == b)
    yield product_case(rng, "i8", "s32", "u8", "u8", 64, 24, "64", inside=True, off=True, add=False)
    for m in (32, 64, 128):
        yield product_case(rng, "f16", "f32", "f16", "f16", m, 64, ws=True, end=".collector::b1::fill")
    yield product_case(rng, "i8", "s32", "s8", "s8", 32, 128, "32", ws=True)
    yield product_case(rng, "tf32", "f32", "tf32", "tf32", 64, 64, ws=True, inside=True)
    yield product_case(rng, "mxf8f6f4", "f32", "e4m3", "e5m2", 128, 16, scales=1, byte=(3, 1))
    yield product_case(rng, "mxf8f6f4", "f32", "e2m1", "e3m2", 128, 40, "32", scales=1, inside=True, end=".block32")
    yield product_case(rng, "mxf4", "f32", "e2m1_packed", "e2m1_packed", 128, 64, scales=2, byte=(2, 0))
    yield product_case(rng, "mxf4nvf4", "f32", "e2m1_packed", "e2m1_packed", 128, 32, "32", scales=4, ue4m3=True,
                       negative=(1, 0), end=".scale_vec::4X")
    yield product_case(rng, "mxf4nvf4", "f32", "e2m1_packed", "e2m1_packed", 128, 16, "64", scales=4, inside=True,
                       end=".block16")
    yield product_case(rng, "mxf4nvf4", "f32", "e2m1_packed", "e2m1_packed", 128, 16, "64", scales=2, byte=(0, 2),
                       end=".scale_vec::2X")
    for selector in (0, 1):
        yield product_case(rng, "f16", "f32", "f16", "bf16", 128, 24, sparse=selector)
    yield product_case(rng, "f16", "f16", "f16", "f16", 128, 32, "64", (1, 1), sparse=0, negative=(1, 0))
    yield product_case(rng, "f16", "f32", "bf16", "f16", 128, 16, inside=True, off=True, shift=2, sparse=1)
    yield product_case(rng, "f8f6f4", "f32", "e4m3", "e5m2", 128, 32, "64", (0, 1), sparse=0)
    yield product_case(rng, "f8f6f4", "f16", "e2m3", "e2m1", 128, 16, "none", inside=True, sparse=0)
    yield product_case(rng, "i8", "s32", "s8", "u8", 128, 16, sparse=0, clamp=True)
    yield product_case(rng, "mxf8f6f4", "f32", "e3m2", "e4m3", 128, 40, scales=1, byte=(1, 2), sparse=0)
    yield product_case(rng, "mxf4", "f32", "e2m1_packed", "e2m1_packed", 128, 16, scales=2, byte=(2, 0), sparse=0)
    yield product_case(rng, "mxf4nvf4", "f32", "e2m1_packed", "e2m1_packed", 128, 32, "64", scales=4, inside=True,
                       ue4m3=True, end=".block16", sparse=0)
    yield product_case(rng, "f16", "f32", "f16", "f16", 128, 256, "32")
    yield from sparse_cases(rng)
    yield from column_cases(rng)
    yield from shifted_cases(rng)
    yield from long_cases(rng)
