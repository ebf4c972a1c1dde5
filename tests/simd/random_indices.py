"""Random kernels, as CUDA C++, whose threads go to places that follow from their indices: rows and columns
of matrices, structures in arrays, strides and divisors that only the launch knows; behind tests that most
blocks pass as a whole, in grid-stride loops, in blocks of one and two dimensions.

Every index is computed here for all threads, so that nothing lies outside of the arrays and no sum of
signed numbers leaves 32 bits. What is stored goes to places of the thread's own."""
import random

from random_tree import Node

BLOCKS = [(64, 1), (256, 1), (100, 1), (33, 1), (16, 16), (32, 4), (8, 8), (16, 3), (32, 8), (24, 2), (128, 2)]
ELEMENTS = [("unsigned char", 1), ("unsigned short", 2), ("unsigned", 4), ("float", 4), ("unsigned long long", 8)]
IN_WORDS, OUT_WORDS = 16384, 65536


class Outside(Exception):
    """A kernel that is made anew."""


class Kernel:
    def __init__(self, rng, name):
        self.r, self.name = rng, name
        while True:
            try:
                self.make()
                return
            except Outside:
                pass

    def make(self):
        r = self.r
        self.bx, self.by = r.choice(BLOCKS)
        self.gx = r.choice([1, 2, 3, 5, 9])
        self.gy = r.choice([1, 2, 3]) if self.by > 1 else 1
        self.index = r.choice(["int", "int", "unsigned", "size_t"])
        self.w, self.h = self.gx * self.bx, self.gy * self.by
        self.loop = self.by == 1 and r.random() < 0.3
        if self.loop:
            self.w *= r.randint(1, 3)
        self.n = max(1, self.w - r.choice([0, 0, 1, 5, self.bx, self.bx + 3]))
        self.m = max(1, self.h - r.choice([0, 0, 1, 2, self.by]))
        self.s, self.d = r.choice([0, 1, 2, 3, 5, 8]), r.choice([1, 2, 7, 8, 16, 30, 64])
        self.pattern = r.choice(["rand", "small", "iota"])
        self.tests = self.make_tests()
        self.threads = [(x, y) for y in range(self.h) for x in range(self.w) if self.passes(x, y)]
        self.used = 0
        self.body = [self.load(k) for k in range(r.randint(1, 4))]
        if r.random() < 0.3:
            self.body.append(self.row(len(self.body)))
        self.body += [self.store() for _ in range(r.randint(1, 2))]

    # What the kernel asks of its threads: text and the same in Python.
    def make_tests(self):
        r = self.r
        tests = [("x < n", lambda x, y: x < self.n)]
        if self.by > 1 or r.random() < 0.3:
            tests.append(("y < m", lambda x, y: y < self.m))
        more = [("x > 0", lambda x, y: x > 0), ("x < n - 1", lambda x, y: x < self.n - 1),
                ("x * s < 3 * n", lambda x, y: x * self.s < 3 * self.n), ("y >= 1", lambda x, y: y >= 1),
                ("x + d < n", lambda x, y: x + self.d < self.n), ("s != 3", lambda x, y: self.s != 3)]
        return tests + r.sample(more, r.choice([0, 0, 1, 2]))

    def passes(self, x, y):
        return all(t[1](x, y) for t in self.tests)

    # An index: text, and a function of x, y and k.
    def place(self):
        r = self.r
        forms = [("y * n + x", lambda x, y, k: y * self.n + x), ("x * m + y", lambda x, y, k: x * self.m + y),
                 ("x * s", lambda x, y, k: x * self.s), ("x * s + y * d", lambda x, y, k: x * self.s + y * self.d),
                 ("x", lambda x, y, k: x), ("x * 3 + y", lambda x, y, k: 3 * x + y),
                 ("x / d * s + x % d", lambda x, y, k: x // self.d * self.s + x % self.d),
                 ("x % d * s + x / d", lambda x, y, k: x % self.d * self.s + x // self.d),
                 ("x / d / 2 * d + x / d % 2 + x % d", lambda x, y, k: x // self.d // 2 * self.d + x // self.d % 2 + x % self.d),
                 ("(x + y) % n * 2 + (x + y) / n", lambda x, y, k: (x + y) % self.n * 2 + (x + y) // self.n),
                 ("x % (d * 3) % d + x / (d * 3) * d + x % (d * 3) / d",
                  lambda x, y, k: x % (self.d * 3) % self.d + x // (self.d * 3) * self.d + x % (self.d * 3) // self.d),
                 ("(x + k) % d * s + (x + k) / d", lambda x, y, k: (x + k) % self.d * self.s + (x + k) // self.d),
                 ("(n - 1 - x) * s + y", lambda x, y, k: (self.n - 1 - x) * self.s + y),
                 ("x * d + k", lambda x, y, k: x * self.d + k), ("k * n + x", lambda x, y, k: k * self.n + x)]
        text, f = r.choice(forms)
        c = r.choice([0, 0, 1, 2, 9])
        if c:
            return "%s + %d" % (text, c), lambda x, y, k: f(x, y, k) + c
        return text, f

    def inside(self, f, most, ks=(0,)):
        for x, y in self.threads:
            for k in ks:
                if not 0 <= f(x, y, k) < most:
                    raise Outside

    def load(self, number):
        """Some members of a structure of equal elements."""
        r = self.r
        element, size = r.choice(ELEMENTS)
        count = r.choice([1, 1, 2, 3, 4, 5, 7, 8])
        text, f = self.place()
        self.inside(lambda x, y, k: f(x, y, 0) * count + count - 1, IN_WORDS * 4 // size)
        members = sorted(r.sample(range(count), r.randint(1, min(count, 4))))
        i = "i%d" % number
        lines = ["const I %s = (%s) * %d;" % (i, text.replace("k", "0"), count)]
        for j in members:
            lines.append("sum = sum * 31 + bits(((const %s *)in)[%s + %d]);" % (element, i, j))
        return Node("\n".join(lines))

    def row(self, number):
        """A loop along memory."""
        r = self.r
        element, size = r.choice(ELEMENTS)
        steps = r.choice([1, 2, 5, 9])
        text, f = self.place()
        self.inside(f, IN_WORDS * 4 // size, range(steps))
        return Node("#pragma unroll 1\nfor (int k = 0; k < %d; k++) {" % steps,
                    [Node("sum = sum * 7 + bits(((const %s *)in)[%s]);" % (element, text))], "}")

    def store(self):
        r = self.r
        element, size = r.choice(ELEMENTS)
        count = r.choice([1, 1, 2, 3, 4, 8])
        transposed = r.random() < 0.3
        text = "x * %d + y" % self.h if transposed else "y * %d + x" % self.w
        base = -(-self.used // size)
        self.used = (base + self.w * self.h * count) * size
        if self.used > OUT_WORDS * 4:
            raise Outside
        members = r.sample(range(count), count if r.random() < 0.6 else r.randint(1, count))
        lines = ["{ const I o = (%s) * %d + %d;" % (text, count, base)]
        for j in members:
            lines.append("    ((%s *)out)[o + %d] = (%s)(sum %s %d);" % (element, j, element, r.choice("+^"), r.randrange(99)))
        return Node("\n".join(lines) + "\n}")

    def render(self, out):
        r = out.append
        r('extern "C" __global__ void %s(const unsigned *in, unsigned *out, int n, int m, int s, int d) {' % self.name)
        r("    typedef %s I;" % self.index)
        r("    I y = blockIdx.y * blockDim.y + threadIdx.y;")
        r("    (void)m, (void)s, (void)d;")
        first = "(I)(blockIdx.x * blockDim.x + threadIdx.x)"
        tests = [t[0] for t in self.tests]
        if self.loop:
            r("    for (I x = %s; x < n; x += gridDim.x * blockDim.x) {" % first)
            tests = tests[1:]
        else:
            r("    I x = %s;" % first)
        if tests:
            r("    if (%s) {" % " && ".join(tests))
        r("    unsigned sum = x + y;")
        for node in self.body:
            node.render(out, 2)
        r("    %s%s" % ("}" * bool(tests), "}" * self.loop))
        r("}")

    def bodies(self):
        return [self.body]

    def run_line(self):
        return "// run: %s grid=%d,%d,1 block=%d,%d,1 shared=0 args=buf:%d:%s,buf:%d:zero,u32:%d,u32:%d,u32:%d,u32:%d" % (
            self.name, self.gx, self.gy, self.bx, self.by, IN_WORDS, self.pattern, OUT_WORDS, self.n, self.m, self.s, self.d)


PRELUDE = """__device__ static unsigned bits(float x) { return __float_as_uint(x); }
__device__ static unsigned bits(unsigned long long x) { return (unsigned)(x ^ x >> 32); }
__device__ static unsigned bits(unsigned x) { return x; }
__device__ static unsigned bits(unsigned short x) { return x; }
__device__ static unsigned bits(unsigned char x) { return x; }
"""


def make_file(seed, per_file=4):
    rng = random.Random(seed)
    return [Kernel(rng, "k%d" % k) for k in range(per_file)]


def text_of(kernels):
    body = []
    for k in kernels:
        k.render(body)
    return "\n".join([k.run_line() for k in kernels]) + "\n" + PRELUDE + "\n".join(body) + "\n"
