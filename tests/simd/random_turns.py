"""Random kernels, as CUDA C++, whose blocks pass words to each other through shared memory, in turns of
loops: stores to places that are known, and to places that nobody knows before, in conditional blocks and
loops; atomic operations; words that all threads store alike; one thread's; what is read in the same
turn, in the next one, or behind the loop.

There are no races. Between two barriers each array has one mode: threads store to, and look at, places of
their own; or one thread does, wherever it likes; or all store the same; or one kind of atomic operation is
made; or it is read."""
import random

from random_tree import Node

BLOCKS = [32, 64, 64, 64, 128, 128, 128, 256, 256, 96, 16, 48, 33, 100]
OPS = ["Add", "Xor", "Max", "Or", "Min", "And"]
ARRAYS = ["s0", "s1", "s2"]


class Place:
    """What may stand here. sync: all threads are here together; turn: a counter that they have alike, and
    that grows behind barriers; own: further names for a place of the thread's own; loops: how many there are
    around; leave: a turn may be left or a loop ended here."""

    def __init__(self, sync=True, turn=None, own=None, loops=0, depth=0, leave=False):
        self.sync, self.turn, self.own, self.loops, self.depth, self.leave = sync, turn, own, loops, depth, leave

    def inner(self, **changed):
        return Place(**dict(self.__dict__, depth=self.depth + 1, **changed))


class Kernel:
    def __init__(self, rng, name):
        self.r, self.name, self.fresh = rng, name, 0
        self.T = rng.choice(BLOCKS)
        self.per = rng.choice([k for k in (1, 1, 2, 4, 8, 12) if k * self.T < 2800])
        # Each of these keeps groups from running together, which most kernels should do.
        self.atomics, self.warps, self.parting = (rng.random() < 0.2 for _ in range(3))
        self.M = self.T * self.per
        self.grid = rng.choice([1, 2, 3])
        self.n = rng.choice([0, 1, 2, 3, 5, 6, 9, 28, 100, rng.getrandbits(32)])
        self.pattern = rng.choice(["rand", "small", "iota", "rand"])
        self.arrays = ARRAYS[:rng.randint(1, 3)]
        self.modes, self.budget = {}, rng.randint(2, 10)
        self.body = self.statements(Place(), rng.randint(2, 6)) + [self.barrier()]

    def new(self, stem):
        self.fresh += 1
        return "%s%d" % (stem, self.fresh)

    # Modes.
    def barrier(self):
        self.modes = {}
        return Node("__syncthreads();", fixed=True)

    def want(self, place, array, mode, out):
        """May the array be used in this mode here? If need be, behind a barrier that goes to out."""
        have = self.modes.setdefault(array, mode)
        if have == mode:
            return True
        if not place.sync:
            return False
        out.append(self.barrier())
        self.modes[array] = mode
        return True

    # Numbers.
    def uniform(self, place):
        return self.r.choice(["un0", "n", "bx", "un1"] + ([place.turn] * 3 if place.turn else []))

    def number(self, place):
        r = self.r
        x, y = (r.choice(["u0", "u1", "u2", "t", "g", self.uniform(place), place.own or "t"]) for _ in range(2))
        return r.choice(["(%s * 5 + %s)", "(%s ^ %s)", "(%s + %s)", "((%s >> 3) - %s)", "in[(%s + %s) & 1023]", "(%s | %s)"]) % (x, y)

    def lanes(self):
        """A test of the thread's number alone."""
        r, T = self.r, self.T
        return r.choice(["t < %d" % r.choice([1, 8, 16, T // 2, T - 1, 31]), "t >= %d" % r.choice([1, 8, T // 2, 5]),
                         "t == %d" % r.choice([0, 5, T - 1]), "t % 32 == 0", "(t & 1)", "t % 32 < 8", "t / 16 == 1"])

    def same(self, place):
        """A test that all threads agree on."""
        return "(%s & %d) %s %d" % (self.uniform(place), self.r.choice([1, 3, 3, 7]), self.r.choice(["==", "!=", "<", ">"]),
                                    self.r.randrange(3))

    def data(self, place):
        r = self.r
        return r.choice(["(%s & %d) != 0" % (self.number(place), r.choice([1, 3, 4, 64])), "%s %% 3 == 0" % self.number(place),
                         "(int)%s < 0" % self.number(place), "u0 > u1", "(in[(g + %s) & 1023] & 4) == 0" % self.uniform(place)])

    def test(self, place):
        r = self.r
        k = r.randrange(10)
        if k < 5:
            return self.data(place)
        if k < 7:
            return self.lanes()
        if k < 8:
            return self.same(place)
        x, y = r.sample([self.data(place), self.lanes(), self.same(place)], 2)
        return "(%s) %s (%s)" % (x, r.choice(["&&", "||"]), y)

    def guard(self, place):
        return self.r.choice(["", "", "if (%s) " % self.test(place)])

    # Places.
    def own(self, place):
        """A mode and a place of the thread's own: no two threads' are alike in one mode."""
        r, T = self.r, self.T
        if place.own and r.random() < 0.8:  # of all M, in a loop that goes along them
            return "all", r.choice([place.own, place.own, "(%s + zero)" % place.own, "mine[%s]" % place.own])
        c = r.choice([1, 2, 5, 7, 15, T // 2])
        ways = ["t", "T - 1 - t", "(t + %d) %% T" % c, "(t + un0) % T", "(t + bx * 5) % T"]
        ways += ["(t + %s) %% T" % place.turn] * 2 if place.turn else []
        ways += ["t ^ %d" % (c & 7), "(t ^ un0) % T", "(t * 5 + un1) % T"] if T & T - 1 == 0 else []
        way = r.choice(ways + ["t"] * 5)
        known = way
        if way == "t":  # the same place by names that say less
            known = r.choice(["t", "t", "t", "mine[t]", "(t + zero)", "mine[t] + zero", "(mine[t] ^ zero)"])
        at = "(%s) + %d" % (known, T * r.randrange(self.per)) if self.per > 1 else known
        return "all" if way == "t" else way, at

    def anywhere(self, place):
        return self.r.choice(["%s %% M" % self.number(place), "u0 % M", "u1 % M", "(t + %s) %% M" % self.uniform(place),
                              "mine[u2 % M]", "%s %% M" % self.uniform(place), "(t * 7) % M"])

    def neighbour(self, place):
        r = self.r
        return r.choice(["(%s + %d) %% M" % (place.own or "t", r.choice([1, 2, 5, 31])), "(%s ^ 1) %% M" % (place.own or "t"), "M - 1 - t",
                         "t", place.own or "t", "t / 2", "(t * 2) % M", "t / 32 * 32", self.anywhere(place)])

    # Statements without others in them: None where their mode does not fit.
    def store(self, place, out):
        r, s = self.r, self.r.choice(self.arrays)
        mode, at = self.own(place)
        if not self.want(place, s, mode, out):
            return None
        k = r.randrange(12)
        cell, e = "%s[%s]" % (s, at), self.number(place)
        text = "%s %s %s;" % (cell, r.choice(["=", "=", "=", "+=", "^="]), e)
        if k == 0:
            text = "((unsigned char *)%s)[4 * (%s) + %d] = %s;" % (s, at, r.randrange(4), e)
        elif k == 1:
            text = "u%d %s %s;" % (r.randrange(3), r.choice(["+=", "^="]), cell)
        elif k == 2 and self.atomics:
            text = "u2 += atomic%s(&%s, %s);" % (r.choice(OPS + ["Exch"]), cell, e)
        elif k == 3:
            text = "*(volatile unsigned *)&%s = %s;" % (cell, e)
        elif k == 4:
            text = "{ unsigned *p = %s ? %s : out + %d + bx * M; p[%s] = %s; }" % (
                self.same(place), s, 8 * self.M * self.grid, at if mode == "all" else "t", e)
            if mode != "all":
                return None
        elif k == 5:
            text = "{ unsigned old = %s; %s = %s; u0 ^= old; }" % (cell, cell, e)
        return self.guard(place) + text

    def read(self, place, out):
        r, s = self.r, self.r.choice(self.arrays)
        if not self.want(place, s, "read", out):
            return None
        return "%su%d %s %s[%s];" % (self.guard(place), r.randrange(3), r.choice(["+=", "^=", "=", "+= 3 *"]), s, self.neighbour(place))

    def atomic(self, place, out):
        r, s, op = self.r, self.r.choice(self.arrays + ["few"]), self.r.choice(OPS)
        if not self.atomics or not self.want(place, s, op, out):
            return None
        at = self.anywhere(place) if s != "few" else "u%d & 15" % r.randrange(3)
        return "%satomic%s(&%s[%s], %s);" % (self.guard(place), op, s, at, r.choice(["1u", self.number(place)]))

    def alike(self, place, out):
        """Threads that a test picks store the same, wherever their data say."""
        s, e = self.r.choice(self.arrays), self.r.choice(["7u", "un0", "bx * 3"] + ([place.turn] if place.turn else []))
        if not self.want(place, s, "alike " + e, out):
            return None
        return "%s%s[%s] = %s;" % (self.guard(place), s, self.anywhere(place), e)

    def one(self, place, out):
        s, who = self.r.choice(self.arrays), self.r.choice(["0", "5", "un0 % T", "T - 1", "bx"])
        if not self.want(place, s, "one " + who, out):
            return None
        test = "t == %s%s" % (who, self.r.choice(["", " && (%s)" % self.data(place)]))
        return "if (%s) %s[%s] %s %s;" % (test, s, self.anywhere(place), self.r.choice(["=", "^="]), self.number(place))

    def ranked(self, place, out):
        """Lanes that a test picks store side by side."""
        s = self.r.choice(self.arrays)
        if not self.warps or not place.sync or not self.want(place, s, self.new("rank"), out):
            return None
        return "{ bool c = %s; unsigned m = __ballot_sync(full, c); if (c) %s[t / 32 * 32 + __popc(m & ((1u << (t & 31)) - 1))] = %s; }" % (
            self.test(place), s, self.number(place))

    def heads(self, place, out):
        """Where numbers that grow along the array change, as a sort's buckets begin."""
        if not place.sync or len(self.arrays) < 2:
            return None
        s, first = self.r.sample(self.arrays, 2)
        i, digit = self.new("i"), self.new("d")
        length, shift = self.r.choice([("M / 16 + 1", "28"), ("(un0 & 31) + 4", "un1"), ("16", "3"), ("(in[bx] & 15) + 3", "0")])
        loop = "for (unsigned %s = t; %s < M; %s += blockDim.x) " % (i, i, i)
        out.append(self.barrier())
        out.append(Node("%s%s[%s] = (%s / (%s) << %s) | (%s);" % (
            loop, s, i, i, length, shift, self.r.choice(["0", "in[%s] & 7 & (1 << %s) - 1" % (i, shift)]))))
        out.append(self.barrier())
        out.append(Node(loop + "{ unsigned %s = %s[%s] >> %s; if (%s == 0 || %s[%s - 1] >> %s != %s) %s[%s %% M] = %s; }" % (
            digit, s, i, shift, i, s, i, shift, digit, first, digit, self.r.choice([i, "u0 + " + i]))))
        self.modes = {s: "read", first: "heads"}
        return "u0 += %s;" % self.number(place)

    def elsewhere(self, place, out):
        r = self.r
        k = r.randrange(5)
        if k == 0 and self.atomics:
            return "%satomicAdd(&acc[%s & 63], %s);" % (self.guard(place), self.number(place), self.number(place))
        if k == 1:
            return "%sout[%d + g] %s %s;" % (self.guard(place), 9 * self.M * self.grid, r.choice(["=", "+="]), self.number(place))
        if k == 2 and place.sync and self.warps:
            return "u0 += __shfl_xor_sync(full, u1, %d) * 3;" % r.choice([1, 2, 16]) if self.T % 32 == 0 else "u1 += __popc(__ballot_sync(full, u0 & 1));"
        return "%su%d = %s;" % (self.guard(place), r.randrange(3), self.number(place))

    def simple(self, place):
        out = []
        kinds = [self.store] * 6 + [self.read] * 4 + [self.atomic] * 2 + [self.alike] * 2 + [self.one, self.ranked, self.heads, self.elsewhere]
        text = self.r.choice(kinds)(place, out)
        if text is None:
            text = self.elsewhere(place, out)
        return out + [Node(text)]

    # Statements with others in them.
    def statements(self, place, n):
        return [node for _ in range(n) for node in self.statement(place)]

    def statement(self, place):
        r = self.r
        self.budget -= 1
        if self.budget < 0 or place.depth >= 4:
            return self.simple(place)
        kinds = [self.simple] * 8 + [self.block] * 3 + [self.along] * 2 + [self.some_turns]
        if place.sync:
            kinds += [self.turns] * (4 if place.loops == 0 else 1) + [self.uniform_block] * 2 + [lambda place: [self.barrier()]]
        if place.leave:
            kinds += [lambda place: [Node("if (%s) %s;" % (self.same(place), place.leave))]]
        return r.choice(kinds)(place)

    def few(self, place):
        return self.statements(place, self.r.randint(1, 3))

    def block(self, place):
        inner = place.inner(sync=False, leave=False)
        children = self.few(inner)
        if self.r.random() < 0.3:
            children += [Node("} else {", fixed=True)] + self.few(inner)
        return [Node("if (%s) {" % self.test(place), children, "}")]

    def uniform_block(self, place):
        return [Node("if (%s) {" % self.same(place), self.few(place.inner()), "}", fixed=True), self.barrier()]

    def along(self, place):
        """A loop that goes along the array, in which all threads begin and end together."""
        i = self.new("i")
        head = self.r.choice(["", "", "#pragma unroll 1\n"]) + "for (unsigned %s = t; %s < M; %s += %s) {" % (
            i, i, i, self.r.choice(["T", "blockDim.x", "blockDim.x"]))
        return [Node(head, self.few(place.inner(sync=False, own=i, loops=place.loops + 1, leave=False)), "}", False)]

    def some_turns(self, place):
        """A loop without barriers whose turns are each thread's own, or the same for all."""
        k = self.new("j")
        end = self.r.choice(["u0", "t", "t / 32"] if self.parting else ["un0", "n", "un1"])
        head = "for (unsigned %s = 0; %s < (%s & 3); %s++) {" % (k, k, end, k)
        return [Node(head, self.few(place.inner(sync=False, loops=place.loops + 1, leave=False)), "}", False)]

    def turns(self, place):
        """A loop with barriers."""
        r, k = self.r, self.new("k")
        first = r.random() < 0.6  # the barrier between turns
        before = [] if first else [self.barrier()]
        self.modes = {}
        inner = place.inner(turn=k, loops=place.loops + 1, leave=r.choice([None, None, "break", "continue"]) if first else None)
        children = ([self.barrier()] if first else []) + self.statements(inner, r.randint(2, 5)) + ([] if first else [self.barrier()])
        end = r.choice(["n & 7", "%d" % r.randint(1, 5), "(un0 & 3) + 1", "7", "bx + 1"])
        head = r.choice(["", "", "#pragma unroll 1\n"]) + "for (unsigned %s = 0, e%s = %s; %s < e%s; %s++) {" % (k, k, end, k, k, k)
        return before + [Node(head, children, "}", False, True), self.barrier()]

    # Text.
    def render(self, out):
        r = out.append
        r('extern "C" __global__ void %s(const unsigned *in, unsigned *out, unsigned *acc, unsigned n, unsigned zero) {' % self.name)
        r("    const unsigned T = %d, M = %d;" % (self.T, self.M))
        r("    __shared__ alignas(16) unsigned %s, mine[%d];" % (", ".join("%s[%d]" % (s, self.M + 32) for s in self.arrays), self.M))
        r("    unsigned t = threadIdx.x, bx = blockIdx.x, g = bx * T + t, un0 = n >> 2, un1 = bx + 2%s;" % (", full = __ballot_sync(~0u, true)" if self.warps else ""))
        r("    unsigned u0 = in[g & 1023], u1 = in[g * 3 & 1023], u2 = t * 7;")
        if self.atomics:
            r("    __shared__ unsigned few[16];")
            r("    if (t < 16) few[t] = t * 9;")
        r("    for (unsigned i = t; i < M; i += T) { mine[i] = i; %s }" % " ".join("%s[i] = i * %d;" % (s, k + 1) for k, s in enumerate(self.arrays)))
        r("    __syncthreads();")
        for node in self.body:
            node.render(out, 1)
        if self.atomics:
            r("    if (t < 16) atomicAdd(&acc[64 + t], few[t] * (bx + 1));")
        r("    for (unsigned i = t; i < M; i += T) {")
        for k, s in enumerate(self.arrays):
            r("        out[%d + bx * M + i] = %s[i];" % (k * self.M * self.grid, s))
        r("    }")
        for k in range(3):
            r("    out[%d + g] = u%d;" % ((4 + k) * self.M * self.grid, k))
        r("}")

    def bodies(self):
        return [self.body]

    def run_line(self):
        return "// run: %s grid=%d block=%d args=buf:1024:%s,buf:%d:zero,buf:128:zero,u32:%d,u32:0" % (
            self.name, self.grid, self.T, self.pattern, 10 * self.M * self.grid, self.n)


def make_file(seed, per_file=3):
    rng = random.Random(seed)
    return [Kernel(rng, "k%d" % k) for k in range(per_file)]


def text_of(kernels):
    body = []
    for k in kernels:
        k.render(body)
    return "\n".join([k.run_line() for k in kernels] + body) + "\n"
