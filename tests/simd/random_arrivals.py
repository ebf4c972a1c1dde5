"""Random CUDA kernels whose lanes come to barriers and warp operations by different ways.

Each thread that has not ended passes the same sequence of barriers and operations, which is made first; by which ways
it comes to them, in which branches, at which turns of which loops, is its own. So each kernel ends, and its result does not
depend on the order in which lanes run: what is exchanged lies in two buffers by turns."""
import random

from random_tree import Node

OPS = ["bar", "count", "or", "and", "ballot", "any", "all", "match", "warp", "shfl", "xor", "down", "add"]


class Kernel:
    def __init__(self, rng, name):
        self.rng, self.name = rng, name
        self.threads = rng.choice([32, 64, 64, 96, 128, 40, 100, 7])
        self.grid = rng.choice([1, 1, 2, 3])
        self.pattern = rng.choice(["rand", "small", "small", "iota"])
        self.loops, self.ends = 0, rng.random() < 0.4
        kinds = rng.choice([OPS, OPS[:4], OPS[4:], ["bar", "shfl"], ["bar", "warp"]])
        self.ops = [rng.choice(kinds) for _ in range(rng.randrange(2, 7))]
        for _ in range(rng.randrange(3)):  # repeated ones, for loops
            at = rng.randrange(len(self.ops))
            self.ops[at:at] = [self.ops[at]] * rng.randrange(1, 4)
        self.body = self.sequence(self.ops, 0)

    def cond(self):
        r = self.rng
        return r.choice(["x %% %d == %d" % (r.choice([2, 3, 5]), r.randrange(2)), "(t & %d) != 0" % (1 << r.randrange(5)),
                         "t %% 32 < %d" % r.randrange(33), "t < %d" % r.randrange(self.threads + 1),
                         "(in[(t + %d) %% 128] & 1) != 0" % r.randrange(40), "n > %d" % r.randrange(60),
                         "t / 32 == %d" % r.randrange(3), "(y & 3) == %d" % r.randrange(4)])

    def work(self):
        r = self.rng
        return Node(r.choice(["x = x * %d + y;" % r.randrange(3, 99), "y ^= x >> %d;" % r.randrange(1, 9),
                              "z += x * 3.0 + t;", "x += (unsigned)z;", "p += x & 1;", "y += *p;",
                              "big += (unsigned long long)x << 20;", "own[g] += x;", "f = f * 0.5f + (x & 15);",
                              "if (%s) x += %d;" % (self.cond(), r.randrange(99)),
                              "for (unsigned j = 0; j < x % 5; j++) y = y * 7 + j;"]))

    def op(self, kind):
        r = self.rng
        c, k = r.randrange(1, 31), self.threads
        bar = "s[at & 1][t] = x; %s x = x * 3 + s[at++ & 1][(t + %d) %% T];"
        warp = {"ballot": "x += __ballot_sync(~0u, y & %d);" % (1 << c % 4), "any": "x += __any_sync(~0u, (x & 7) == %d);" % (c % 8),
                "all": "x = x * 3 + __all_sync(~0u, (x & 1) == 0);", "match": "x = x * 5 + __match_any_sync(~0u, x & 3);",
                "shfl": "x = x * 3 + __shfl_sync(~0u, x, (t + %d) & 31);" % c, "xor": "x += __shfl_xor_sync(~0u, y, %d) * 5;" % c,
                "down": "f += __shfl_down_sync(~0u, f, %d);" % (c % 16), "add": "x += __reduce_add_sync(~0u, y);"}
        if kind == "bar":
            return Node(bar % ("__syncthreads();", c), fixed=True)
        if kind in ("count", "or", "and"):
            return Node("x = x * 3 + __syncthreads_%s((x & %d) == 0);" % (kind, 1 << c % 3), fixed=True)
        if kind == "warp":
            return Node("w[wt & 1][t] = x; __syncwarp(); y += w[wt++ & 1][t ^ %d] * 3;" % (c if k % 32 == 0 else 0), fixed=True)
        # What lanes that have ended, or are not there, would give is not defined.
        if (self.ends or k % 32) and kind in ("shfl", "xor", "down"):
            return Node(warp["ballot"], fixed=True)
        return Node(warp[kind], fixed=True)

    def sequence(self, ops, depth):
        r, out = self.rng, []
        at = 0
        while at < len(ops):
            if r.random() < 0.5:
                out.append(self.work())
            if self.ends and r.random() < 0.15:
                out.append(Node("if (%s) {" % self.cond(), [self.work()], "own[g] += x * 7; return; }", loose=False, fixed=True))
            n = r.randrange(1, len(ops) - at + 1)
            out += self.part(ops[at:at + n], depth)
            at += n
        if r.random() < 0.4:
            out.append(self.work())
        return out

    def part(self, ops, depth):
        r = self.rng
        way = r.randrange(7) if depth < 3 else 0
        same = all(o == ops[0] for o in ops)
        if way in (1, 2):
            inner = self.sequence(ops, depth + 1)
            return [Node("if (%s) {" % self.cond(), inner + [Node("} else {", fixed=True)] +
                         self.sequence(ops, depth + 1), "}", loose=False, fixed=True)]
        if way == 3 and same:
            self.loops += 1
            k, n = "k%d" % self.loops, len(ops)
            first = "m%d" % self.loops
            return [Node("unsigned %s = %s %% %d;" % (first, r.choice(["x", "t", "y", "(t / 32)"]), n + 1), fixed=True),
                    Node("for (unsigned %s = 0; %s < %s; %s++) {" % (k, k, first, k),
                         [self.op(ops[0]), self.work()], "}", loose=False, fixed=True),
                    Node("for (unsigned %s = %s; %s < %d; %s++) {" % (k, first, k, n, k),
                         [self.work(), self.op(ops[0]), Node("x += %s;" % k)], "}", loose=False, fixed=True)]
        if way == 4 and same:
            self.loops += 1
            k, p = "k%d" % self.loops, "p%d" % self.loops
            return [Node("unsigned %s = 0;" % p, fixed=True),
                    Node("for (unsigned %s = 0; %s < %d; %s++) {" % (k, p, len(ops), k),
                         [self.work(), Node("if (%s < (x >> 3) %% 3 && %s < 4) continue;" % (k, k)),
                          self.op(ops[0]), Node("%s++;" % p, fixed=True)], "}", loose=False, fixed=True)]
        if way == 5:
            cases = []
            for c in range(3):
                cases += [Node("case %d:" % c if c < 2 else "default:", fixed=True)]
                cases += [Node("{", self.sequence(ops, depth + 1), "}", loose=False, fixed=True), Node("break;", fixed=True)]
            return [Node("switch (%s) {" % r.choice(["x % 4", "t & 3", "t / 32", "n % 3"]), cases, "}", loose=False, fixed=True)]
        out = []
        for o in ops:
            out += [self.op(o)] + ([self.work()] if r.random() < 0.4 else [])
        return out

    def render(self, out):
        r = out.append
        r('extern "C" __global__ void %s(const unsigned *in, unsigned *own, unsigned n) {' % self.name)
        r("    const unsigned T = %d;" % self.threads)
        r("    __shared__ unsigned s[2][T], w[2][T];")
        r("    unsigned t = threadIdx.x, g = blockIdx.x * T + t, x = in[t], y = in[(t * 3 + blockIdx.x) % 128];")
        r("    unsigned at = 0, wt = 0; const unsigned *p = in; unsigned long long big = x; double z = t; float f = t;")
        r("    s[0][t] = s[1][t] = w[0][t] = w[1][t] = t; __syncthreads();")
        for node in self.body:
            node.render(out, 1)
        r("    own[g] += x + y * 3 + (unsigned)(big >> 20) + (unsigned)z + (unsigned)(p - in) + __float_as_uint(f);")
        r("}")

    def bodies(self):
        return [self.body]

    def run_line(self):
        return "// run: %s grid=%d block=%d args=buf:512:%s,buf:%d:zero,u32:%d" % (
            self.name, self.grid, self.threads, self.pattern, self.threads * self.grid, self.rng.randrange(100))


def make_file(seed, per_file=3):
    rng = random.Random(seed)
    return [Kernel(rng, "k%d" % k) for k in range(per_file)]


def text_of(kernels):
    body, lines = [], []
    for k in kernels:
        k.render(body)
        lines.append(k.run_line())
    return "\n".join(lines + body) + "\n"
