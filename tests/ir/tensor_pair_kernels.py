"""Kernels with tcgen05 instructions of a pair of blocks, and what they must leave behind: see
tensor_memory_kernels.py. Each has a cluster of two blocks; the words of the even one come first."""
import random
from operator import mul

from matrix_kernels import ENCODE, braces, number_list
from tensor_memory_kernels import (A_CODE, D_CODE, DEPTH, LANES, MODES, PLACE, TensorKernel, byte_offset, d_code, draws,
                                   grid_words, in_columns, place_matrix, place_split, random_grid, scaled_sum,
                                   spread)

MEET = ["barrier.cluster.arrive.aligned;", "barrier.cluster.wait.aligned;"]


class PairKernel(TensorKernel):
    """images, grids: one for each block"""

    def __init__(self, name, columns=PLACE, images=None):
        images = images or [[0] * LANES] * 2
        super().__init__(name, columns, images[0])
        self.data = ""
        self.constants("s", images[0] + images[1])
        self.offset("mov.u64 %%q, %s_s;" % name, "%q", len(images[0]))

    def offset(self, after, register, words):
        at = self.body.index(after)
        self.body.insert(at + 1, "mad.wide.u32 %s, %%rank, %d, %s;" % (register, 4 * words, register))

    def put(self, grids):
        super().put(grids[0])
        count = LANES * self.columns
        data = self.data[:self.data.index(".global .align 16 .u32 %s_grid" % self.name)]
        self.data = data + ".global .align 16 .u32 %s_grid[%d] = {\n%s};\n" % (
            self.name, 2 * count, number_list(grid_words(grids[0]) + grid_words(grids[1])))
        self.offset("mov.u64 %%p, %s_grid;" % self.name, "%p", count)

    def one(self, *lines, issuer=0):
        """What the first thread of one block issues; both blocks wait for it."""
        self.body += MEET + [".reg .pred %issue;", "setp.eq.and.u32 %%issue, %%rank, %d, %%first;" % issuer,
                             "@!%issue bra issued;", "fence.proxy.async.shared::cta;"] + list(lines)
        self.body += ["tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%mb], 3;",
                      "issued:", "mbarrier.try_wait.parity.shared::cta.b64 %%done, [%s_bar], 0;" % self.name,
                      "@!%done bra issued;", "tcgen05.fence::after_thread_sync;"]

    def finish(self):
        self.body += MEET
        super().finish()
        self.body = [".reg .b32 %rank;", "mov.u32 %rank, %cluster_ctarank;",
                     "mad.wide.u32 %%out, %%rank, %d, %%out;" % (4 * self.words)] + [
                         line.replace("cta_group::1", "cta_group::2") for line in self.body]
        self.words *= 2
        return self


def both(grids):
    return grid_words(grids[0]) + grid_words(grids[1])


def copy_case(rng, mode, issuer):
    images = [[rng.getrandbits(32) for _ in range(4096)] for _ in range(2)]
    width, code = MODES[mode]
    leading, stride = (128 * 17, 128) if mode == "none" else (16, 8 * width)
    k = PairKernel("pair_cp_" + mode, images=images)
    grids = [random_grid(rng) for _ in range(2)]
    k.put(grids)
    k.body += [".reg .b64 %da;", "cvt.u64.u32 %da, %s;", "and.b64 %da, %da, 0x3ffff;", "shr.u64 %da, %da, 4;",
               "add.u64 %%da, %%da, %d;" % (leading >> 4 << 16 | stride >> 4 << 32 | 1 << 46 | code << 61),
               "add.u32 %row, %tm, 9;"]
    k.one("tcgen05.cp.cta_group::1.128x128b [%row], %da;", issuer=issuer)
    k.body += ["shl.b32 %row, %warp, 21;", "add.u32 %row, %row, %tm;"]
    k.get()
    for image, grid in zip(images, grids):
        for row in range(LANES):
            at = byte_offset(row, 0, 1, 0, mode, leading, stride) // 4
            grid[row][9:13] = image[at:at + 4]
    return k.finish(), both(grids)


def shift_case(rng):
    k = PairKernel("pair_shift")
    grids = [random_grid(rng) for _ in range(2)]
    k.put(grids)
    k.body.append("add.u32 %%row, %%tm, %d;" % ((32 << 16) + 5))
    k.one("tcgen05.shift.cta_group::1.down [%row];", issuer=1)
    k.body += ["shl.b32 %row, %warp, 21;", "add.u32 %row, %row, %tm;"]
    k.get()
    for grid in grids:
        for lane in range(32, 63):
            grid[lane][5:13] = grid[lane + 1][5:13]
    return k.finish(), both(grids)


def product_case(rng, kind, d, a, b, m, n, mode="128", trans=(0, 0), inside=False, add=True, off=False, shift=None,
                 scales=0, byte=(0, 0), sparse=None, issuer=0, end="", split=None):
    depth, rows, folded = 96 if split else DEPTH[kind], m // 2, m == 128 and sparse is None
    apart = m == 128 and sparse is not None  # 16 rows in each 32 lanes
    A = draws(rng, a, False, m, depth)
    B = draws(rng, b, False, n, depth * (1 if sparse is None else 2))
    D = draws(rng, d, True, m, n)
    images = [[0] * (4608 + 32 * n // 2 if split else 8192) for _ in range(2)]
    across = n // 2 if folded else n
    at_a, at_sa, at_sb, at_meta = across, across + 8, across + 16, across + 24
    columns = (across + 32 + 31) // 32 * 32
    k_name = "pair_mma_%s_%s_%s_%s_m%dn%d_%s%s" % (kind, d, a, b, m, n, mode, "".join("_" + w for w, c in (
        ("ts", inside), ("zero", not add), ("off", off), ("scaled", shift is not None), ("x%d" % scales, scales),
        ("sp", sparse is not None), ("t%d%d" % trans, trans != (0, 0)), ("k96", split)) if c))
    grids = [random_grid(rng, columns) for _ in range(2)]
    for rank, (image, grid) in enumerate(zip(images, grids)):
        if split:
            desc_a = place_split(image, A[rank * rows:][:rows], 0, 1024, split[0])
            desc_b = place_split(image, B[rank * n // 2:][:n // 2], 17408, 18432, split[1])
        else:
            desc_a = place_matrix(image, A[rank * rows:][:rows], a, 0, trans[0], mode)
            desc_b = place_matrix(image, B[rank * n // 2:][:n // 2], b, 16384, trans[1], mode)
        if inside:  # a copy for each half of the columns
            for first in [0] if apart else range(0, LANES, rows):
                in_columns(A[rank * rows:][:rows], a, lambda i: first + i % 16 + i // 16 * 32 if apart else first + i, grid, at_a)
    k = PairKernel(k_name, columns, images)

    def cell(i, j):
        if apart:
            return i // rows, i % 16 + i % rows // 16 * 32, j
        return i // rows, i % rows + (j // across * rows if folded else 0), j % across

    for i in range(m):
        for j in range(n):
            rank, lane, c = cell(i, j)
            grids[rank][lane][c] = ENCODE[d](D[i][j]) | (0xabcd0000 if d == "f16" else 0)

    def scale(rank, lane, column, first, powers, further):
        for s, v in enumerate(powers):
            at, byte = column + (first + s) // 4 * further, (first + s) % 4
            grids[rank][lane][at] = grids[rank][lane][at] & ~(255 << 8 * byte) | 127 + v << 8 * byte

    if scales:
        SA, SB = ([[rng.randint(-2, 2) for _ in range(scales)] for _ in range(count)] for count in (m, n))
        for i, powers in enumerate(SA):
            for copy in range(4):
                scale(i // rows, i % rows % 32 + 32 * copy, at_sa + i % rows // 32, byte[0], powers, 4)
        for j, powers in enumerate(SB):
            half, at = divmod(j, n // 2) if folded else (0, j)
            for rank in range(2):
                for copy in range(2 if folded else 4):
                    scale(rank, 64 * half + 32 * copy + at % 32, at_sb + at // 32, byte[1], powers, (8 if n > 128 else 4) // (2 if folded else 1))
        SA, SB = ([[2.0 ** v for v in row] for row in rows_of] for rows_of in (SA, SB))
    dense = A if sparse is None else [row for rank in range(2) for row in spread(
        rng, A[rank * rows:][:rows], kind, sparse, grids[rank], at_meta,
        lambda group: [(32 if apart else 16) * group])]
    k.put(grids)
    idesc = A_CODE[a] << 7 | A_CODE[b] << 10 | trans[0] << 15 | trans[1] << 16 | n // 8 << 17 | m // 16 << 24 | (1 << 31 if split else 0)
    idesc |= byte[1] << 4 | byte[0] << 29 | 1 << 23 if scales else D_CODE[d] << 4
    idesc |= 0 if sparse is None else 4 | sparse
    mask = [rng.getrandbits(32) for _ in range(8)] if off else []
    k.body += [".reg .b64 %base, %da, %db;", ".reg .b32 %ta, %sa, %sb, %me;", ".reg .pred %add;",
               "cvt.u64.u32 %base, %s;", "and.b64 %base, %base, 0x3ffff;", "shr.u64 %base, %base, 4;",
               *(["mul.lo.u64 %base, %base, 0x10001;"] if split else []),  # the other address, too
               "add.u64 %%da, %%base, %d;" % desc_a, "add.u64 %%db, %%base, %d;" % desc_b,
               "add.u32 %%ta, %%tm, %d;" % at_a, "add.u32 %%me, %%tm, %d;" % at_meta,
               "add.u32 %%sa, %%tm, %d;" % at_sa, "add.u32 %%sb, %%tm, %d;" % at_sb, "setp.eq.u32 %%add, %d, 1;" % add]
    operands = ["[%tm]", "[%ta]" if inside else "%da", "%db"] + (["[%me]"] if sparse is not None else []) + ["%d" % idesc]
    operands += ["[%sa]", "[%sb]"] if scales else []
    operands += [braces([str(w) for w in mask])] if off else []
    operands += ["%add"] + ([str(shift)] if shift is not None else [])
    k.one("tcgen05.mma%s.cta_group::1.kind::%s%s %s;" % (
        "" if sparse is None else ".sp", kind, (".block_scale" if scales else "") + end, ", ".join(operands)), issuer=issuer)
    k.get()
    for i in range(m):
        for j in range(n):
            rank, lane, c = cell(i, j)
            if off and mask[4 * rank + lane // 32] >> lane % 32 & 1:
                continue
            total = scaled_sum(dense[i], B[j], SA[i], SB[j]) if scales else sum(map(mul, dense[i], B[j]))
            grids[rank][lane][c] = d_code(d, D[i][j] / (1 << (shift or 0)) + total if add else total, False)
    return k.finish(), both(grids)


def cases(seed):
    rng = random.Random(seed)
    yield copy_case(rng, "none", 0)
    yield copy_case(rng, "64", 1)
    yield shift_case(rng)
    for m in (128, 256):
        yield product_case(rng, "f16", "f32", "f16", "bf16", m, 32, off=True, shift=1)
        yield product_case(rng, "f16", "f16", "f16", "f16", m, 64, "64", (0, 1), issuer=1, add=False)
        yield product_case(rng, "tf32", "f32", "tf32", "tf32", m, 32, "32", inside=True)
        yield product_case(rng, "f8f6f4", "f32", "e4m3", "e3m2", m, 48, "none")
        yield product_case(rng, "i8", "s32", "s8", "u8", m, 32, inside=True, issuer=1)
        yield product_case(rng, "mxf8f6f4", "f32", "e5m2", "e4m3", m, 96, scales=1, byte=(3, 1))
        yield product_case(rng, "mxf4", "f32", "e2m1_packed", "e2m1_packed", m, 32, "64", inside=True, scales=2, byte=(0, 2))
    yield product_case(rng, "f16", "f32", "bf16", "bf16", 256, 32, sparse=1, off=True, shift=2)
    yield product_case(rng, "f8f6f4", "f32", "e4m3", "e5m2", 256, 32, sparse=0, inside=True, off=True)
    yield product_case(rng, "tf32", "f32", "tf32", "tf32", 256, 32, "64", sparse=0)
    yield product_case(rng, "tf32", "f32", "tf32", "tf32", 128, 32, "64", sparse=1, issuer=1)
    yield product_case(rng, "f16", "f32", "f16", "bf16", 128, 48, inside=True, sparse=0, off=True)
    yield product_case(rng, "i8", "s32", "u8", "s8", 128, 32, sparse=0)
    packed = "e2m1_packed", "e2m1_packed"
    for m, n in ((128, 64), (256, 96), (128, 256), (256, 192)):
        yield product_case(rng, "mxf4nvf4", "f32", *packed, m, n, scales=6, split=(6, 3), byte=(0, 2), end=".block16")
        yield product_case(rng, "mxf4", "f32", *packed, m, n, scales=3, split=(2, 7), byte=(3, 1), issuer=1)
