"""Random kernels, as CUDA C++, whose warps multiply matrices in turns of loops: sums that stay in place, of
which some are changed, read, zeroed or stored on some turns, by some warps or lanes; factors in shared
memory that the warps of a block load together, or a warp alone, or two of them, and that are written anew
between products, in one buffer or in two, behind barriers of every kind.

There are no races: of each part of shared memory is known whether it was read or written since its threads
met last. At a loop's head neither is known, so that the first access of a turn comes behind a barrier."""
import random

from random_tree import Node

# Instruction, registers of a factor's two fragments and of the sums, their type, bits of the words that are
# kept and set so that numbers are of like size.
KINDS = [("m16n8k16.row.col.f32.f16.f16.f32", 4, 2, 4, "float", 0x83ff83ff, 0x3c003c00),
         ("m16n8k16.row.col.f32.f16.f16.f32", 4, 2, 4, "float", 0x83ff83ff, 0x3c003c00),
         ("m16n8k16.row.col.f32.bf16.bf16.f32", 4, 2, 4, "float", 0x807f807f, 0x3f803f80),
         ("m16n8k16.row.col.f32.bf16.bf16.f32", 4, 2, 4, "float", 0xffffffff, 0),
         ("m16n8k8.row.col.f32.f16.f16.f32", 2, 1, 4, "float", 0x83ff83ff, 0x3c003c00),
         ("m16n8k16.row.col.f16.f16.f16.f16", 4, 2, 2, "unsigned", 0x83ff83ff, 0x30003000),
         ("m16n8k32.row.col.s32.s8.s8.s32", 4, 2, 4, "int", 0xffffffff, 0), ("m16n8k32.row.col.s32.s8.s8.s32", 4, 2, 4, "int", 0xffffffff, 0),
         ("m16n8k32.row.col.s32.u8.s8.s32", 4, 2, 4, "int", 0xffffffff, 0), ("m16n8k32.row.col.s32.s8.u8.s32", 4, 2, 4, "int", 0xffffffff, 0),
         ("m16n8k32.row.col.s32.u8.u8.s32", 4, 2, 4, "int", 0xffffffff, 0), ("m16n8k16.row.col.s32.s8.u8.s32", 2, 1, 4, "int", 0xffffffff, 0),
         ("m16n8k32.row.col.satfinite.s32.s8.s8.s32", 4, 2, 4, "int", 0xffffffff, 0)]

PRELUDE = """__device__ static unsigned at(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
#define LDMATRIX4(how, r, p) asm volatile("ldmatrix.sync.aligned.m8n8.x4" how ".shared.b16 {%0,%1,%2,%3}, [%4];" \\
    : "=r"((r)[0]), "=r"((r)[1]), "=r"((r)[2]), "=r"((r)[3]) : "r"(p) : "memory")
#define LDMATRIX2(how, r, p) asm volatile("ldmatrix.sync.aligned.m8n8.x2" how ".shared.b16 {%0,%1}, [%2];" \\
    : "=r"((r)[0]), "=r"((r)[1]) : "r"(p) : "memory")
__device__ static unsigned bits(float x) { return __float_as_uint(x); }
__device__ static unsigned bits(int x) { return x; }
__device__ static unsigned bits(unsigned x) { return x; }
__device__ static void arrive(unsigned long long *m) {
    asm volatile("{ .reg .b64 s; mbarrier.arrive.shared.b64 s, [%0]; }" :: "r"(at(m)) : "memory");
}
__device__ static void wait(unsigned long long *m, unsigned parity) {
    for (unsigned done = 0; !done;)
        asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"(at(m)), "r"(parity) : "memory");
}
"""


def operands(letter, n, first):
    return ", ".join('"%s"((%s)[%d])' % (letter, first, k) for k in range(n))


def product_macro(name, kind):
    text, na, nb, nd, ty = kind[:5]
    letter = "f" if ty == "float" else "r"
    numbers = lambda k, n: "{%s}" % ",".join("%%%d" % j for j in range(k, k + n))
    return '#define MMA_%s(c, a, b) asm volatile("mma.sync.aligned.%s %s, %s, %s, %s;" : %s : %s, %s)\n' % (
        name, text, numbers(0, nd), numbers(nd, na), numbers(nd + na, nb), numbers(0, nd), operands("+" + letter, nd, "c"),
        operands("r", na, "a"), operands("r", nb, "b"))


class Kernel:
    def __init__(self, rng, name):
        self.r, self.name, self.fresh = rng, name, 0
        r = rng
        self.kind = r.choice(KINDS)
        self.warps = r.choice([1, 2, 2, 4, 4, 4, 8])
        self.T, self.grid = 32 * self.warps, r.choice([1, 1, 2])
        self.down, self.across = r.choice([(1, 2), (2, 4), (2, 4), (2, 4), (2, 2), (1, 4), (4, 4), (2, 8), (3, 4), (2, 5), (1, 1)])
        self.steps = r.choice([1, 2, 2, 4])
        self.pieces = r.choice([2 * self.steps, 2 * self.steps, 8])  # of 16 bytes, in a row
        self.rows = r.choice([32, 64, 64, 128])
        self.layout = r.choice(["swizzled", "swizzled", "plain", "padded"])
        self.pitch = self.pieces + (self.layout == "padded")
        parts = ["A", "B"] + [x for x in "CDO" if r.random() < 0.4]
        if self.warps > 1 and r.random() < 0.12:
            parts.append("P")
        while self.bytes(parts) > 45000:
            self.rows //= 2
        self.parts, self.doubled = parts, r.random() < 0.3
        if self.doubled and self.bytes(parts) > 22000:
            self.doubled = False
        self.style = r.choice(["syncthreads"] * 12 + ["named", "mbarrier", "elected", "counter", "any"])
        self.n, self.pattern = r.choice([0, 1, 2, 3, 5, 6]), r.choice(["rand", "rand", "iota", "small"])
        self.state = dict.fromkeys(parts + ["next"])
        self.budget, self.hands = r.randint(3, 9), r.random() < 0.2
        self.body = self.whole()

    def bytes(self, parts):
        area = self.rows * self.pitch * 16
        return sum({"O": area // 4 * self.warps, "P": area // 4 * (self.warps // 2)}.get(p, area) for p in parts) + 512

    def rows_of(self, part):
        return self.rows if part in "ABCD" else self.rows // 4

    def new(self, stem):
        self.fresh += 1
        return "%s%d" % (stem, self.fresh)

    # Meetings.
    def meet(self):
        """All threads of the block, in one way or another."""
        self.state = dict.fromkeys(self.state)
        style = self.r.choice(["syncthreads", "named", "mbarrier", "elected", "counter"]) if self.style == "any" else self.style
        return Node({"syncthreads": "__syncthreads();", "named": 'asm volatile("bar.sync 1, %d;" ::: "memory");' % self.T,
                     "mbarrier": "arrive(&all); wait(&all, turn_of_all); turn_of_all ^= 1;",
                     "elected": "__syncwarp(); if (lane == 0) arrive(&some); wait(&some, turn_of_some); turn_of_some ^= 1; __syncwarp();",
                     "counter": "__threadfence_block(); __syncwarp(); round += %d; if (lane == 0) { atomicAdd(&ticket, 1u); "
                                "while (*(volatile unsigned *)&ticket < round); } __syncwarp(); __threadfence_block();" % self.warps}[style],
                    fixed=True)

    def meet_for(self, part):
        """Those that use the part."""
        r = self.r
        if part == "O" and r.random() < 0.8:
            self.state["O"] = None
            return Node("__syncwarp();", fixed=True)
        if part == "P" and r.random() < 0.6:
            self.state["P"] = self.state["O"] = None
            return Node('asm volatile("bar.sync %0, 64;" :: "r"(2 + warp / 2) : "memory");', fixed=True)
        return self.meet()

    def use(self, part, mode, out):
        have = self.state[part]
        if have and not (have == mode == "read"):
            out.append(self.meet_for(part if part != "next" else "A"))
        self.state[part] = mode

    # Small parts.
    def same(self):
        return self.r.choice(["(turn & 1) == %d" % self.r.randrange(2), "turn %% 3 == %d" % self.r.randrange(3), "turn > 0", "(n & 1) == 0",
                              "(in[(turn + n) & 1023] & 1) != 0", "(bx ^ turn) & 1", "n > 2"])

    def some(self):
        """A test that warps agree on, or lanes do not."""
        r, w = self.r, self.warps
        return r.choice([self.same(), self.same(), "warp == %d" % r.randrange(w), "warp != turn %% %d" % w, "warp %% %d == turn %% %d" % (w, w),
                         "(in[(warp + turn) & 1023] & 3) != 0", "warp >= %d" % (w // 2)])

    def lanes(self):
        return self.r.choice(["lane & 1", "lane == turn", "t < %d" % self.r.choice([5, 16, 40]), "(in[(t + turn) & 1023] & 4) != 0", "lane / 4 == 2"])

    def offset(self):
        """By how much the rows, or pieces, of a warp are shifted."""
        r = self.r
        return r.choice(["0", "0", "0", "warp * 16", "warp % 2 * 16", "warp / 2 * 16", "warp * 32", "turn * 8", "(in[warp] & 3) * 8", "(warp ^ n) * 8",
                         "(int)(in[turn] & 3) * 16", "lane / 16 * 0"])

    def base(self, part, next_one=False):
        text = "s" + part
        if part in "OP":
            text += " + %s * %d" % ({"O": "warp", "P": "warp / 2"}[part], self.rows_of(part) * self.pitch * 4)
        if part == "A" and self.doubled:
            text += " + (turn + %d & 1) * %d" % (next_one, self.rows * self.pitch * 4)
        return text

    def address(self, part, row, piece):
        row = "((%s) & %d)" % (row, self.rows_of(part) - 1)
        piece = "((%s) %% %d)" % (piece, self.pieces)
        if self.layout == "swizzled":
            low = min(8, self.pieces)
            piece = "(%s ^ (%s & %d))" % (piece, row, low - 1) if self.pieces & self.pieces - 1 == 0 else piece
        return "at(%s + (%s * %d + %s) * 4)" % (self.base(part), row, self.pitch, piece)

    def word(self, place):
        keep, put = self.kind[5:]
        word = "in[(%s) & 1023]" % place
        return word if keep == 0xffffffff else "(%s & %#xu | %#xu)" % (word, keep, put)

    # Statements: lists of nodes.
    def fill(self, part, guarded=True):
        r, out, next_one = self.r, [], part == "A" and self.doubled and self.r.random() < 0.6
        self.use("next" if next_one else part, "written", out)
        count = self.rows_of(part) * self.pitch * 4
        first, step = {"O": ("lane", "32"), "P": ("t % 64", "64")}.get(part, ("t", "%d" % self.T))
        k, base = self.new("k"), self.base(part, next_one)
        place = "%s * %d + turn * %d + bx" % (k, r.choice([1, 1, 3]), r.choice([7, 64, 5])) + {"O": " + warp * 5", "P": " + warp / 2 * 9"}.get(part, "")
        way = r.randrange(5)
        unroll = r.choice(["", "#pragma unroll 1\n"])
        if way == 0 and self.kind[5] == 0xffffffff:
            text = "%sfor (unsigned %s = %s; %s < %d; %s += %s) asm volatile(\"cp.async.ca.shared.global [%%0], [%%1], 16;\" :: \"r\"(at(" \
                   "%s + %s * 4)), \"l\"(in + ((%s) * 4 & 1020)) : \"memory\");\nasm volatile(\"cp.async.wait_all;\" ::: \"memory\");" % (
                       unroll, k, first, k, count // 4, k, step, base, k, place)
        elif way == 1:
            text = "%sfor (unsigned %s = %s; %s < %d; %s += %s) { uint4 v; v.x = %s; v.y = %s; v.z = v.x ^ %d; v.w = v.y; ((uint4 *)(%s))[%s] = v; }" % (
                unroll, k, first, k, count // 4, k, step, self.word(place), self.word(place + " + 77"), r.choice([0, 1, 0x10001]), base, k)
        elif way == 2:  # a part of it
            text = "%sfor (unsigned %s = %s; %s < %d; %s += %s) (%s)[%s] = %s;" % (
                unroll, k, first, k, r.choice([count // 2, 32, 64, count // 4]), k, step, base, k, self.word(place))
        elif way == 3:  # the threads' words change
            text = "%sfor (unsigned %s = %s; %s < %d; %s += %s) (%s)[%s] ^= in[%s & 1023] & 0x10001;" % (
                unroll, k, first, k, count, k, step, base, k, place)
        else:
            text = "%sfor (unsigned %s = %s; %s < %d; %s += %s) (%s)[%s] = %s;" % (unroll, k, first, k, count, k, step, base, k, self.word(place))
        if guarded and r.random() < 0.25:
            test = self.some() if part == "O" or (part in "ABCD" and r.random() < 0.5) else self.same()
            return out + [Node("if (%s) {" % test, [Node(text)], "}")]
        return out + [Node(text)]

    def handed(self):
        """One warp writes, and does not wait for the others, which read."""
        r, part, k = self.r, self.r.choice([p for p in self.parts if p in "ABCD"]), self.new("k")
        if self.warps == 1:
            return self.fill(part)
        out = [self.meet()]
        who = r.choice(["0", "%d" % (self.warps - 1), "turn %% %d" % self.warps])
        text = "if (warp == %s) {\nfor (unsigned %s = lane; %s < %d; %s += 32) (%s)[%s] = %s;\n" % (
            who, k, k, self.rows * self.pitch * 4, k, self.base(part), k, self.word(k + " * 3 + turn"))
        text += '__threadfence_block(); __syncwarp(); asm volatile("bar.arrive 7, %d;" ::: "memory");\n} else asm volatile("bar.sync 7, %d;" ::: "memory");' % (
            self.T, self.T)
        self.state[part] = "read"
        return out + [Node(text, fixed=True)]

    def fragments(self, name, part, factor, step):
        """Text that loads a factor's fragments of one step."""
        r, kind = self.r, self.kind
        rows, regs = (self.down, kind[1]) if factor == "a" else (self.across, kind[2])
        shift, k = self.shift[factor], "%s * 2" % step
        halves = "f16" in kind[0]
        if self.ways[factor] == "memory":
            return "_Pragma(\"unroll\") for (int i = 0; i < %d; i++) for (int j = 0; j < %d; j++) %s[i][j] = %s;" % (
                rows, regs, name, self.word("i * 64 + j * 32 + lane + %s * 7 + turn + %s" % (step, shift)))
        if self.ways[factor] == "words":
            return "_Pragma(\"unroll\") for (int i = 0; i < %d; i++) for (int j = 0; j < %d; j++) %s[i][j] = *(const unsigned *)__cvta_shared_to_generic(%s + lane %% 4 * 4);" % (
                rows, regs, name, self.address(part, "i * %d + lane / 4 + j %% 2 * 8 + %s" % (16 if factor == "a" else 8, shift), k + " + j / 2"))
        if factor == "a":
            how = ".trans" if halves and self.ways["a"] == "trans" else ""
            place = self.address(part, "i * 16 + lane %% 16 + %s" % shift, k + " + lane / 16")
            if how:
                place = self.address(part, "%s * 16 + lane / 16 * 8 + lane %% 8" % step, "i * 2 + lane / 8 %% 2 + (%s) / 8" % shift)
            return "_Pragma(\"unroll\") for (int i = 0; i < %d; i++) LDMATRIX4(\"%s\", %s[i], %s);" % (rows, how, name, place.replace("%%", "%"))
        how = ".trans" if halves and self.ways["b"] == "trans" else ""
        pairs = rows % 2 == 0 and regs == 2
        if how:
            place = self.address(part, "%s * 16 + lane %% 16" % step, "j * %d + lane / 16 + (%s) / 8" % (2 if pairs else 1, shift))
        elif pairs:
            place = self.address(part, "j * 16 + lane / 16 * 8 + lane %% 8 + %s" % shift, k + " + lane / 8 %% 2")
        else:
            place = self.address(part, "j * 8 + lane %% 8 + %s" % shift, k + " + lane / 8 %% 2")
        place = place.replace("%%", "%")
        if pairs:
            return "_Pragma(\"unroll\") for (int j = 0; j < %d; j++) LDMATRIX4(\"%s\", %s[j * 2], %s);" % (rows // 2, how, name, place)
        return "_Pragma(\"unroll\") for (int j = 0; j < %d; j++) LDMATRIX2(\"%s\", %s[j], %s);" % (rows, how, name, place)

    def products(self):
        r, out = self.r, []
        pa, pb = r.choice(self.parts + ["A"] * 3), r.choice(self.parts + ["B"] * 3)
        self.ways = {"a": r.choice(["rows"] * 8 + ["memory", "words", "trans"]), "b": r.choice(["rows"] * 7 + ["memory", "words", "trans", "trans"])}
        self.shift = {"a": self.offset(), "b": self.offset()}
        used = [part for part, way in ((pa, self.ways["a"]), (pb, self.ways["b"])) if way != "memory"]
        for part in used:
            self.use(part, "read", out)
        self.state.update(dict.fromkeys(used, "read"))  # behind the last barrier
        step = self.new("step")
        lines = ["unsigned fa[%d][4], fb[%d][2];" % (self.down, self.across + 1), self.fragments("fa", pa, "a", step), self.fragments("fb", pb, "b", step)]
        pairs = r.choice([""] * 8 + ["if (i * %d + j != %d) " % (self.across, r.randrange(self.down * self.across)), "if ((i ^ j) & 1) ", "if (j < 2) "])
        loops = ["_Pragma(\"unroll\") for (int i = 0; i < %d; i++)" % self.down, "_Pragma(\"unroll\") for (int j = 0; j < %d; j++)" % self.across]
        sums = "c" if self.second is None or r.random() < 0.6 else "d"
        lines += ["%s %sMMA_%s(%s[i][j], fa[i], fb[j]);" % (" ".join(loops if r.random() < 0.8 else loops[::-1]), pairs, self.name, sums)]
        loop = Node("%sfor (int %s = 0; %s < %d; %s++) {" % (r.choice(["#pragma unroll\n"] * 4 + ["#pragma unroll 1\n"]), step, step, self.steps, step),
                    [Node("\n".join(lines))], "}", False)
        # What is not loaded together is not the same in all lanes: a warp takes part, or it does not.
        return out + ([loop] if r.random() < 0.75 else [Node("if (%s) {" % self.some(), [loop], "}")])

    def touched(self):
        """Some of the sums are looked at or changed."""
        r, kind = self.r, self.kind
        sums = r.choice(["c", "c", "d"]) if self.second is not None else "c"
        whole = r.random() < 0.25
        cell = "%s[%s][%s][%d]" % (sums, r.randrange(self.down), r.randrange(self.across), r.randrange(kind[3]))
        if whole:  # of a tile, or all
            cell = "%s[i][j][r]" % sums
        number = {"float": "1.5f", "int": "1000001", "unsigned": "0x3c003c00u"}[kind[4]]
        text = r.choice(["%s = 0;" % cell, "%s = %s;" % (cell, number), "%s %s %s;" % (cell, "+=" if kind[4] != "unsigned" else "^=", number),
                         "seen = seen * 3 + bits(%s);" % cell, "out[%d + g] += bits(%s);" % (self.T * self.grid, cell),
                         "out[%d + g] = bits(%s) + turn;" % (2 * self.T * self.grid, cell)])
        if not whole and r.random() < 0.15:
            text = "{ %s x = %s; %s = c[0][0][0]; c[0][0][0] = x; }" % (kind[4], cell, cell)
        if whole:
            down, across = r.choice([(self.down, self.across), (1, self.across), (self.down, min(2, self.across)), (1, 1)])
            text = "_Pragma(\"unroll\") for (int i = 0; i < %d; i++) _Pragma(\"unroll\") for (int j = 0; j < %d; j++) _Pragma(\"unroll\") for (int r = 0; r < %d; r++) %s" % (
                down, across, kind[3], text)
        test = r.choice([None, self.same(), self.same(), self.some(), self.some(), self.lanes()])
        return [Node(text)] if not test else [Node("if (%s) {" % test, [Node(text)], "}")]

    def statement(self, depth):
        r = self.r
        self.budget -= 1
        kinds = [self.products] * 5 + [self.touched] * 5 + [lambda: self.fill(r.choice(self.parts))] * 5 + [lambda: [self.meet()]]
        kinds += [self.handed] if self.hands else []
        if depth < 2 and self.budget > 0:
            kinds += [lambda: self.turns(depth + 1)]
        return r.choice(kinds)()

    def turns(self, depth):
        r, k = self.r, self.new("k")
        self.state = dict.fromkeys(self.state, "unknown")
        children = [x for _ in range(r.randint(2, 5)) for x in self.statement(depth)]
        if not any("MMA" in y for x in children for y in rendered(x)):
            children += self.products()
        # Buffers change their places, and turns their number.
        self.state = dict.fromkeys(self.state, "unknown")
        end = r.choice(["(n & 3) + 1", "%d" % r.randint(1, 4), "3", "n & 3", "bx + 2"])
        head = "%sfor (int %s = 0, e%s = %s; %s < e%s; %s++, turn++) {" % (r.choice(["", "#pragma unroll 1\n"]), k, k, end, k, k, k)
        return [Node(head, children, "}", False, True)]

    def whole(self):
        r = self.r
        self.second = r.choice([None, None, None, 1])
        nodes = []
        for _ in range(r.randint(1, 2)):
            nodes += self.turns(1) if r.random() < 0.8 else self.statement(0) + self.turns(1)
        return nodes + (self.touched() if r.random() < 0.3 else [])

    # Text.
    def render(self, out):
        r, kind = out.append, self.kind
        r(product_macro(self.name, kind))
        r('extern "C" __global__ void %s(const unsigned *in, unsigned *out, int n) {' % self.name)
        for p in self.parts:
            words = self.rows_of(p) * self.pitch * 4
            words *= {"O": self.warps, "P": self.warps // 2, "A": 1 + self.doubled}.get(p, 1)
            r("    __shared__ alignas(128) unsigned s%s[%d];" % (p, words))
            r("    for (unsigned k = threadIdx.x; k < %d; k += %d) s%s[k] = %s;" % (words, self.T, p, self.word("k * 5 + %d" % ord(p))))
        r("    __shared__ unsigned long long all, some; __shared__ unsigned ticket;")
        r("    unsigned turn_of_all = 0, turn_of_some = 0, round = 0;")
        r("    if (threadIdx.x == 0) {")
        r('        ticket = 0; asm volatile("mbarrier.init.shared.b64 [%%0], %d;" :: "r"(at(&all)) : "memory");' % self.T)
        r('        asm volatile("mbarrier.init.shared.b64 [%%0], %d;" :: "r"(at(&some)) : "memory");' % self.warps)
        r("    }")
        r("    __syncthreads();")
        r("    unsigned t = threadIdx.x, lane = t & 31, warp = t / 32, bx = blockIdx.x, g = bx * %d + t; (void)warp; (void)lane;" % self.T)
        r("    unsigned seen = 0; int turn = 0;")
        dims = "[%d][%d][%d]" % (self.down, self.across, kind[3])
        r("    %s c%s = {}%s;" % (kind[4], dims, ", d%s = {}" % dims if self.second is not None else ""))
        for node in self.body:
            node.render(out, 1)
        r("    out[g] = seen;")
        for n, sums in enumerate("cd" if self.second is not None else "c"):
            r("    _Pragma(\"unroll\") for (int i = 0; i < %d; i++) _Pragma(\"unroll\") for (int j = 0; j < %d; j++) _Pragma(\"unroll\") for (int r = 0; r < %d; r++)" % (
                self.down, self.across, kind[3]))
            r("        out[(3 + %d + (i * %d + j) * %d + r) * %d + g] = bits(%s[i][j][r]);" % (
                n * self.down * self.across * kind[3], self.across, kind[3], self.T * self.grid, sums))
        r("}")

    def bodies(self):
        return [self.body]

    def run_line(self):
        words = (3 + 2 * self.down * self.across * self.kind[3]) * self.T * self.grid
        return "// run: %s grid=%d block=%d args=buf:1024:%s,buf:%d:zero,u32:%d" % (self.name, self.grid, self.T, self.pattern, words, self.n)


def rendered(node):
    lines = []
    node.render(lines, 0)
    return lines


def make_file(seed, per_file=2):
    rng = random.Random(seed)
    return [Kernel(rng, "k%d" % k) for k in range(per_file)]


def text_of(kernels):
    body = []
    for k in kernels:
        k.render(body)
    return "\n".join([k.run_line() for k in kernels] + [PRELUDE] + body) + "\n"
