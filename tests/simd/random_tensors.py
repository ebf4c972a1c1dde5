"""Random copies of boxes of tensors: loads, tiled and im2col, from the kernel's input, of which each
thread then reads a word; stores and reductions into a part of a buffer that only the block has.

Tensors describes a kernel's tensor maps; its functions take a body (random_ptx.Body) and give a
statement's lines. One thread copies, coordinates are what its registers hold."""

BYTES = [1, 2, 4, 4, 8, 8, 2, 4, 8, 2]  # by CUtensorMapDataType
BOX_BYTES, INPUT_BYTES = 1024, 1024
FLOATS = range(6, 10)
REDUCTIONS = ["add", "min", "max", "and", "or", "xor"]
REDUCTIONS_OF = {2: REDUCTIONS + ["inc", "dec"], 3: REDUCTIONS, 4: REDUCTIONS, 5: REDUCTIONS, 6: REDUCTIONS[:3], 7: ["add"],
                 8: ["add"], 9: REDUCTIONS[:3]}


def written(numbers):
    return "x".join(str(n) for n in numbers)


def pitch(inner, swizzle):
    """Bytes from row to row in shared memory."""
    return 16 << swizzle if swizzle else inner


class Tensors:
    def __init__(self, r, blocks):
        self.r, self.blocks = r, blocks
        self.loads = [self.tiled(), self.im2col() if r.random() < 0.5 else self.tiled()]
        self.store = self.written_tensor()

    def head(self, kind, ty, swizzle, fill, argument=0):
        return "%s:%d:%d:%d:%d" % (kind, argument, ty, swizzle, fill)

    def shape(self, rank, ty):
        """Sizes and strides of a tensor within the input."""
        r, size = self.r, BYTES[ty]
        row = 16 * r.randint(1, 8)
        sizes, strides, reach = [r.randint(1, row // size)], [], row
        for _ in range(rank - 1):
            stride = r.choice([reach, reach, row, reach + 16])
            n = r.randint(1, 4)
            while n > 1 and reach + (n - 1) * stride > INPUT_BYTES:
                n -= 1
            sizes.append(n)
            strides.append(stride)
            reach += (n - 1) * stride
        return sizes, strides

    def tiled(self):
        r = self.r
        rank, ty = r.randint(1, 5), r.randrange(len(BYTES))
        sizes, strides = self.shape(rank, ty)
        inner = 16 * r.randint(1, 8)
        swizzle = r.choice([k for k in range(4) if k == 0 or inner <= 16 << k])
        box = [inner // BYTES[ty]]
        for _ in range(rank - 1):
            box.append(r.randint(1, max(1, min(4, BOX_BYTES // (pitch(inner, swizzle) * self.product(box[1:]))))))
        steps = [1] + [r.choice([1, 1, 1, 2, 3]) for _ in range(rank - 1)]
        fill = r.randrange(2) if ty in FLOATS else 0
        # Of a dimension in steps, as many elements are copied as the box has steps in it.
        copied = inner * self.product((b + s - 1) // s for b, s in zip(box[1:], steps[1:]))
        text = "%s:%s:%s:%s:%s" % (self.head("map", ty, swizzle, fill), written(sizes), written(strides or [0]),
                                   written(steps), written(box))
        return text, 16 // BYTES[ty], [(-2, 4)] * rank, copied, False

    def im2col(self):
        r = self.r
        rank, ty = r.randint(3, 5), r.randrange(len(BYTES))
        sizes, strides = self.shape(rank, ty)
        inner = 16 * r.randint(1, 4)
        swizzle = r.choice([k for k in range(4) if k == 0 or inner <= 16 << k])
        pixels = r.randint(1, BOX_BYTES // pitch(inner, swizzle))
        lower = [r.randint(-2, 1) for _ in range(rank - 2)]
        upper = [r.randint(-2, 1) for _ in range(rank - 2)]
        # The bounding box has a pixel at least.
        upper = [max(u, low - n + 1) for u, low, n in zip(upper, lower, sizes[1:-1])]
        text = "%s:%s:%s:%s:%s:%s:%dx%d" % (self.head("im2col", ty, swizzle, 0), written(sizes), written(strides),
                                            written([1] * rank), written(lower), written(upper), inner // BYTES[ty],
                                            pixels)
        # Pixels begin within the bounding box.
        inside = [(low, n - 1 + up) for low, up, n in zip(lower, upper, sizes[1:])]
        return text, 16 // BYTES[ty], [(-1, 2)] + inside + [(-1, 3)], inner * pixels, True

    def written_tensor(self):
        """The outermost coordinate is the block's number: nothing else writes there."""
        r = self.r
        rank, ty = r.randint(2, 4), r.randrange(len(BYTES))
        inner = 16 * r.randint(1, 4)
        sizes = [inner // BYTES[ty] + r.choice([0, 0, 16 // BYTES[ty]])]
        strides, box = [sizes[0] * BYTES[ty]], [inner // BYTES[ty]]
        for _ in range(rank - 2):
            sizes.append(r.randint(1, 4))
            box.append(r.randint(1, 2))
            strides.append(strides[-1] * sizes[-1])
        self.store_bytes = strides[-1] * self.blocks
        swizzle = r.choice([k for k in range(4) if k == 0 or inner <= 16 << k])
        text = "%s:%s:%s:%s:%s" % (self.head("map", ty, swizzle, 0, 5), written(sizes + [self.blocks]), written(strides),
                                   written([1] * rank), written(box + [1]))
        return text, rank, ty

    @staticmethod
    def product(numbers):
        n = 1
        for k in numbers:
            n *= k
        return n

    def parameters(self, name):
        """Behind the kernel's first five: the buffer to write to, the maps."""
        return "".join(", .param .u64 %s_%s" % (name, x) for x in ("tensor", "map0", "map1", "map2"))

    def arguments(self):
        return ",buf:%d:zero,%s,%s,%s" % (self.store_bytes // 4, self.loads[0][0], self.loads[1][0], self.store[0])

    @staticmethod
    def start(name, threads):
        """The boxes' place is zero before anything is copied."""
        lines = ["ld.param.u64 %%map%d, [%s_map%d];" % (k, name, k) for k in range(3)]
        for first in range(0, BOX_BYTES // 16, threads):
            lines += ["add.u32 %%i, %%t, %d;" % first, "setp.lt.u32 %%np, %%i, %d;" % (BOX_BYTES // 16),
                      "mul.wide.u32 %x, %i, 16;", "mov.u64 %box, shared_box;", "add.s64 %x, %x, %box;",
                      "@%np st.shared.v4.u32 [%x], {0, 0, 0, 0};"]
        return lines

    DECLARED = ".reg .b64 %map0, %map1, %map2, %box;"
    SHARED = "    .shared .align 1024 .b8 shared_box[%d];" % BOX_BYTES


def coordinate(body, low, high, unit=1):
    """Text and register of a number from low to high, which are few apart, times unit."""
    r, i = body.r, body.temp("r")
    if r.random() < 0.3 or low >= high:
        return "mov.b32 %s, %d;" % (i, unit * r.randint(low, max(low, high))), i
    x = r.choice([body.reg("r"), "%t", "%bx", "%n"])
    return "and.b32 {i}, {x}, 7;\nadd.s32 {i}, {i}, {low};\nmin.s32 {i}, {i}, {high};\nmul.lo.s32 {i}, {i}, {unit};".format(
        i=i, x=x, low=low, high=high, unit=unit), i


def coordinates(body, ranges, unit):
    """Of the innermost dimension, whose rows begin at multiples of unit, and of others."""
    pairs = [coordinate(body, low, high, 1 if k else unit) for k, (low, high) in enumerate(ranges)]
    return [text for text, _ in pairs], [i for _, i in pairs]


def load(body):
    r = body.r
    k = r.randrange(2)
    _, unit, ranges, size, im2col = body.tensors.loads[k]
    rank = len(ranges)
    lines, at = coordinates(body, ranges, unit)
    offsets = ""
    if im2col:
        names = [body.temp("h") for _ in range(rank - 2)]
        lines += ["mov.b16 %s, %d;" % (x, r.randrange(3)) for x in names]
        offsets = ", {%s}" % ", ".join(names)
    p, q, again, a, i = body.temp("p"), body.temp("p"), body.label(), body.temp("l"), body.temp("r")
    mode = ".im2col" if im2col else r.choice(["", ".tile"])
    copy = "cp.async.bulk.tensor.%dd.shared::cluster.global%s.mbarrier::complete_tx::bytes [%s], [%%map%d, {%s}], [%%meet]%s;" % (
        rank, mode, a, k, ", ".join(at), offsets)
    lines += ["bar.sync 0;", "setp.eq.u32 %s, %%t, %d;" % (p, r.randrange(body.threads)), "mov.u64 %s, shared_box;" % a,
              "@%s mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%%meet], %d;" % (p, size), "@%s %s" % (p, copy),
              "mbarrier.arrive.shared.b64 _, [%meet];", again + ":",
              "mbarrier.try_wait.parity.shared.b64 %s, [%%meet], %%parity;" % q, "@!%s bra %s;" % (q, again),
              "and.b32 %s, %s, %d;" % (i, r.choice(["%t", body.reg("r")]), (1 << (size // 4).bit_length() - 1) - 1),
              "mul.wide.u32 %%x, %s, 4;" % i, "add.s64 %s, %s, %%x;" % (a, a),
              "ld.shared.u32 %s, [%s];" % (body.reg("r"), a), "xor.b32 %parity, %parity, 1;", "bar.sync 0;"]
    return lines


def store(body):
    """Threads write words of the box, one copies it into the tensor and waits."""
    r = body.r
    _, rank, ty = body.tensors.store
    lines, at = coordinates(body, [(0, 1)] * (rank - 1), 16 // BYTES[ty])
    p, a, i, block = body.temp("p"), body.temp("l"), body.temp("r"), body.temp("r")
    what = "cp.async.bulk.tensor.%dd.global.shared::cta%s.bulk_group" % (rank, r.choice(["", ".tile"]))
    if r.random() < 0.4 and ty in REDUCTIONS_OF:
        what = "cp.reduce.async.bulk.tensor.%dd.global.shared::cta.%s.bulk_group" % (rank, r.choice(REDUCTIONS_OF[ty]))
    lines += ["bar.sync 0;", "mov.u64 %s, shared_box;" % a, "and.b32 %s, %%t, 255;" % i, "mul.wide.u32 %%x, %s, 4;" % i,
              "add.s64 %x, {a}, %x;".format(a=a), "st.shared.u32 [%%x], %s;" % body.reg("r"), "fence.proxy.async;",
              "bar.sync 0;", "setp.eq.u32 %s, %%t, %d;" % (p, r.randrange(body.threads)), "mov.u32 %s, %%bx;" % block,
              "@%s %s [%%map2, {%s}], [%s];" % (p, what, ", ".join(at + [block]), a),
              "cp.async.bulk.commit_group;", "cp.async.bulk.wait_group 0;", "bar.sync 0;"]
    return lines


def statement(body):
    return (load if body.r.random() < 0.6 else store)(body)
