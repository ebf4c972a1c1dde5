"""Random variants, as CUDA C++, of what kernels are usually made of: loops that count, stencils, tiles,
transpositions, reductions, scans, sorting networks, histograms, lists, searches, rows of sparse
matrices, products, tickets, tables, scatters. Most passes look for such a shape; variants are near it
and now and then just beside it.

The same rules as random_cuda: no races, every launch ends, one result whatever the implementation."""
import random

from random_tree import Node

CAP = 2048  # elements of a and of b, and of each half of c
CELLS = 256
TYPES = {"unsigned": ("u", 4), "int": ("i", 4), "float": ("f", 4), "double": ("d", 8), "long long": ("l", 8),
         "unsigned char": ("c", 1), "short": ("s", 2), "unsigned short": ("h", 2)}
LINES = [(32, 1, 1), (64, 1, 1), (96, 1, 1), (128, 1, 1), (256, 1, 1), (33, 1, 1), (100, 1, 1), (7, 1, 1), (250, 1, 1)]
PLANES = [(16, 16, 1), (32, 8, 1), (32, 4, 1), (8, 8, 1), (24, 6, 1), (64, 2, 1), (32, 16, 1), (16, 8, 1), (8, 32, 1)]

PRELUDE = """enum { CAP = 2048, LAST = CAP - 1, CELLS = 256 };
#define FULL 0xffffffffu
__device__ static inline double quiet(double d) { return d == d ? d : 7.0; }
__device__ static inline unsigned bits(float x) { return __float_as_uint(x); }
__device__ static inline unsigned bits(double x) {
    return (unsigned)(__double_as_longlong(quiet(x)) >> 20);
}
__device__ static inline unsigned bits(unsigned x) { return x; }
__device__ static inline unsigned bits(int x) { return (unsigned)x; }
__device__ static inline unsigned bits(long long x) { return (unsigned)(x ^ x >> 32); }
__device__ static inline unsigned bits(unsigned char x) { return x; }
__device__ static inline unsigned bits(short x) { return (unsigned)x; }
__device__ static inline unsigned bits(unsigned short x) { return x; }
template <typename T> __device__ static inline T least(T x, T y) { return y < x ? y : x; }
template <typename T> __device__ static inline T most(T x, T y) { return x < y ? y : x; }
__constant__ int weights[16] = {3, -1, 4, 1, -5, 9, 2, 6, 5, 3, -5, 8, 9, 7, 9, 3};
"""


def tree(text):
    """Lines as statements; what stands between a line that ends in a brace and the one that closes it
    are children."""
    top, stack, pragma = [], [], ""
    for line in (x.strip() for x in text.split("\n")):
        if line.startswith("#"):
            pragma = line + "\n"
            continue
        line, pragma = pragma + line, ""
        into = stack[-1].children if stack else top
        if line.startswith("}") and line.endswith("{"):
            into.append(Node(line))
        elif line.startswith("}"):
            stack.pop().tail = line
        elif line.endswith("{"):
            into.append(Node(line, [], "", True))
            stack.append(into[-1])
        elif line:
            into.append(Node(line))
    return top


class Kernel:
    def __init__(self, rng, name):
        self.r, self.name = rng, name
        self.T = rng.choice(["unsigned", "int", "float", "float", "unsigned", "int"] + list(TYPES))
        self.kind, self.size = TYPES[self.T]
        self.block, self.grid = rng.choice(LINES), (rng.choice([1, 1, 2, 3]), 1)
        self.n = rng.choice([0, 1, 7, 31, 32, 33, 64, 100, 255, 256, 257, 500, 700, 1000])
        self.m = rng.choice([1, 3, 5, 17, 32, 33, 64, 100, rng.getrandbits(32)])
        self.w = rng.choice([1, 2, 3, 5, 7, 8, 16, 31, 32, 33, 40])
        self.patterns = [self.pattern(), self.pattern()]
        self.shared = 0
        self.text = ""
        shapes = [self.stride_loop] * 3 + [self.vectors, self.plane, self.march, self.halo, self.transposed, self.reduced,
                                           self.scanned, self.rows, self.bins, self.appended, self.searched, self.sparse,
                                           self.product, self.network, self.ticket, self.scattered, self.looked_up,
                                           self.chased, self.stepped, self.stepped, self.wrapped, self.counted, self.one_thread, self.exchanged]
        shape = rng.choice(shapes)
        shape()
        self.body = tree(self.text)
        for _ in range(rng.choice([0, 0, 0, 1, 2])):
            self.body.insert(rng.randrange(len(self.body) + 1), Node(self.aside()))

    # Small parts.
    def pattern(self):
        if self.T == "double":
            return "double"
        if self.T == "float":
            return self.r.choice(["float", "float", "special", "small"])
        return self.r.choice(["small", "rand", "iota", "rand"])

    @property
    def threads(self):
        return self.block[0] * self.block[1] * self.block[2]

    @property
    def total(self):
        return self.threads * self.grid[0] * self.grid[1]

    def add(self, text, **form):
        """Lines; names in braces' place are written <so>."""
        for key, value in form.items():
            text = text.replace("<%s>" % key, str(value))
        self.text += text.strip("\n") + "\n"

    def one_of(self, *texts):
        return self.r.choice(texts)

    def f(self, x, y):
        """x and y combined, of type T."""
        r = self.r
        if self.kind == "d":
            return "quiet(%s)" % r.choice(["%s + %s", "%s - %s", "%s * 0.5 + %s", "fmax(%s, %s)", "%s * %s"]) % (x, y)
        if self.kind == "f":
            return r.choice(["%s + %s", "%s - %s", "%s * 0.5f + %s", "fmaxf(%s, %s)", "fminf(%s, %s)", "%s * %s",
                             "%s < %s ? 1.0f : 2.5f", "(%s) / (fabsf(%s) + 1.0f)"]) % (x, y)
        return "(T)(%s)" % (r.choice(["%s + %s", "%s - %s", "%s * 3 + %s", "%s ^ %s", "%s & %s", "least((T)(%s), (T)(%s))",
                                               "most((T)(%s), (T)(%s))", "%s < %s ? 3 : 7", "(%s >> 1) + %s", "%s | %s"]) % (x, y))

    def test(self, x, y):
        r = self.r
        return r.choice(["%s < %s", "%s != %s", "bits(%s) & 1 && bits(%s) & 2", "%s >= %s", "(bits(%s) ^ bits(%s)) % 3"
                         .replace("% 3", "%% 3")]) % (x, y)

    def near(self, i):
        """An index of a or b near i or made of it, for any i."""
        r = self.r
        k = r.choice([1, 2, 3, 4, 7, 16, 32, 100])
        return r.choice(["(%s + %d) & LAST", "(%s ^ %d) & LAST", "(%s * %d) & LAST", "(%s / %d) & LAST", "(%s % %d)",
                         "(%s & %d)", "(%s + %d) & (CAP - 1)", "(CAP - 1 - %s & LAST) / %d",
                         "(%s + m % 64 + %d) & LAST"]).replace("%s", "((unsigned)(%s))" % i).replace("%d", str(k))

    def aside(self):
        """Something that changes no result of note, in uniform flow."""
        return self.one_of("__syncthreads();", "if (m == 12345678u) return;", "__threadfence();",
                           "if (t == %d) atomicAdd(&acc[250], 3u);" % self.r.choice([0, 5, 31]), "atomicMax(&acc[251], g);",
                           "if (n < 0) c[g] = 0;", "atomicAdd(&acc[252], bits(a[g & LAST]));",
                           "unsigned aside%d = __ballot_sync(__activemask(), t & 1); (void)aside%d;" % (
                               (self.r.randrange(1 << 30),) * 2))

    def index_type(self):
        return self.one_of("int", "int", "unsigned", "size_t", "long long")

    def unroll(self):
        return self.one_of("", "", "", "#pragma unroll 1\n", "#pragma unroll 2\n", "#pragma unroll 4\n", "#pragma unroll\n")

    # Loops along the elements.
    def loop(self, body, step, first="g"):
        """A loop whose i begins at first and goes on by step while it is below n."""
        r = self.r
        it = self.index_type()
        end = "(%s)n" % it
        k = r.randrange(5)
        form = dict(IT=it, first=first, step=step, end=end, body=body, unroll=self.unroll())
        if k < 2:
            self.add("<IT> i = <first>;\n<unroll>for (; i < <end>; i += <step>) {\n<body>\n}", **form)
        elif k == 2:
            self.add("<IT> i = <first>;\nwhile (i < <end>) {\n<body>\ni += <step>;\n}", **form)
        elif k == 3:
            self.add("<IT> i = <first>;\nif (i < <end>) {\ndo {\n<body>\ni += <step>;\n} while (i < <end>);\n}", **form)
        else:
            self.add("<IT> i = <first>;\n<unroll>for (int k = 0; k < 20; k++) {\nif (i >= <end>) break;\n<body>\n"
                     "i += <step>;\n}", **form)

    def stride_loop(self):
        r = self.r
        step = "gridDim.x * blockDim.x"
        if r.random() < 0.2:
            step, self.m = "m", self.total
        if r.random() < 0.2:
            step = "2 * " + step
        parts = []
        for _ in range(r.randint(1, 4)):
            k = r.choice([1, 3, 16, 100, 256, self.threads])
            parts.append(r.choice([
                "c[i] = %s;" % self.f("a[i]", "b[i]"), "s = %s;" % self.f("s", "a[i]"),
                "c[i] = %s;" % self.f("c[i]", "a[%s]" % self.near("i")), "c[i] = %s;" % self.f("a[i]", "b[n - 1 - i]"),
                "if (i + %d < n) s = %s;" % (k, self.f("s", "b[i + %d]" % k)),
                "if (i > 0) c[i] = %s;" % self.f("a[i - 1]", "a[i]"),
                "if (%s) c[i] = %s;" % (self.test("a[i]", "b[i]"), self.f("b[i]", "s")),
                "if (%s) s = %s;" % (self.test("a[i]", "s"), self.f("a[%s]" % self.near("i"), "s")),
                "for (int k = 0; k < w; k++) s = %s;" % self.f("s", "a[(i + k) & (CAP - 1)]"),
                "s = %s;" % self.f("s", "a[i / w]"), "s = %s;" % self.f("s", "b[i % w]"),
                "s = %s;" % self.f("a[least<int>((int)i + 1, n - 1)]", "a[most<int>((int)i - 1, 0)]"),
                "atomicAdd(&acc[bits(a[i]) & 63], 1u);", "atomicMax(&acc[64 + (i & 7)], bits(b[i]));",
                "if (i == n - 1) acc[80] = i;", "if (%s) continue;" % self.test("a[i]", "b[i]")]))
        if any("continue" in x for x in parts):  # in the other loops it would go round the step
            parts = [x for x in parts if "continue" not in x] + ["if (%s) s = 0;" % self.test("a[i]", "b[i]")]
        self.add("T s = 0;")
        self.loop("\n".join(parts), step)
        self.add("c[CAP + (g & LAST)] = s;")

    def counted(self):
        """Rows of each thread's own, by loops that threads leave at different turns."""
        r = self.r
        it = self.index_type()
        start, end = self.one_of(("0", "t % 9"), ("t % 5", "w"), ("g", "g + w"), ("t", "w + t / 3"), ("w", "w + (bits(b[g & LAST]) & 15)"),
                                 ("-(t % 3)", "w"), ("t & 1", "n < 60 ? n : 60"), ("(int)(bits(a[g & LAST]) & 15)", "17"))
        step = self.one_of("1", "1", "1", "2", "3", "(t & 1) + 1", "w")
        body = ["s = %s;" % self.f("s", "a[(unsigned)(%s) & LAST]" % self.one_of(
            "i", "i + t", "i * 32 + t", "t * w + i", "t * 16 + i", "i * (m & 63) + t", "b[0] == b[1] ? i : i + 1"))]
        body += self.one_of([], ["if (%s) break;" % self.test("s", "a[(unsigned)i & LAST]")], ["if (i & 1) s += 1;"],
                            ["k2 = k2 * 3 + i;"], ["if (i + 4 < w) s = %s;" % self.f("s", "b[(unsigned)(i + 4) & LAST]")],
                            ["c[CAP / 2 + (g & LAST / 2)] = s;"], ["k2++;"])
        self.add("T s = 1; unsigned k2 = 0;\n<IT> i = (<IT>)(<start>), e = (<IT>)(<end>);\n<unroll>for (; i < e; i += <step>) {\n"
                 + "\n".join(body) + "\n}\nc[g & LAST / 2] = s;\nc[CAP + (g & LAST)] = (T)(<left>);", IT=it, start=start, end=end,
                 step=step, unroll=self.unroll(), left=self.one_of("i", "k2", "i == e", "i < e ? 1 : k2", "(unsigned char)i"))

    def vectors(self):
        """Several elements a thread, as vectors."""
        r = self.r
        v, n, element = r.choice([("uint4", 4, "unsigned"), ("float4", 4, "float"), ("int2", 2, "int"), ("uchar4", 4, "unsigned char"),
                                  ("short4", 4, "short"), ("double2", 2, "double"), ("ushort2", 2, "unsigned short"),
                                  ("float2", 2, "float"), ("uint3", 3, "unsigned")])
        self.T, (self.kind, self.size) = element, TYPES[element]
        self.patterns = [self.pattern(), self.pattern()]
        at = self.one_of("g", "g", "g * 2", "g ^ 1", "(CAP / 4 - 1 - g)", "g + w", "(unsigned)(g * 2 + w)")
        parts, names = [], "xyzw"[:n]
        for k in range(r.randint(1, 5)):
            parts.append("p.%s = %s;" % (r.choice(names), self.f("p.%s" % r.choice(names), "q.%s" % r.choice(names))))
        if r.random() < 0.3:
            parts.append("p = q;")
        if r.random() < 0.3:
            parts.append("if (%s) p.x = q.%s;" % (self.test("p.x", "q.x"), r.choice(names)))
        two = r.random() < 0.4
        self.add("""
            const unsigned LEN = CAP / 4;
            unsigned at = (<at>) % LEN, to = <to>;
            <V> p = ((const <V> *)a)[at], q = ((const <V> *)b)[<other>];
            <parts>
            if (to < LEN) {
            ((<V> *)c)[to] = p;
            <second>
            }""", at=at, V=v, parts="\n".join(parts), to=self.one_of("g", "g", "g * 2", "LEN - 1 - g") if not two else "g * 2",
                 other=self.one_of("at", "(at + 1) % LEN", "at ^ 1", "bits(((const T *)a)[at]) % LEN"),
                 second="((%s *)c)[to + 1] = %s;" % (v, r.choice("pq")) if two else "")

    # Planes.
    def set_plane(self):
        r = self.r
        self.block, self.grid = r.choice(PLANES), (r.choice([1, 1, 2]), r.choice([1, 1, 2]))
        width, height = self.block[0] * self.grid[0], self.block[1] * self.grid[1]
        self.w, self.n = width - r.choice([0, 0, 1, 5]), height - r.choice([0, 0, 1, 3])
        self.m = r.choice([width, width, width + 1, width + 4])
        if self.m * self.n > CAP:
            self.m = width
        self.add("int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, h = n, pitch = (int)m;")

    def neighbours(self, count):
        """Lines that take neighbours into s, by one rule for what lies outside."""
        r = self.r
        rule = r.randrange(5)
        out = []
        for _ in range(count):
            dx, dy = r.randint(-2, 2), r.randint(-2, 2)
            x, y = "x + %d" % dx, "y + %d" % dy
            if rule == 0:
                e = "a[most(least(%s, h - 1), 0) * pitch + most(least(%s, w - 1), 0)]" % (y, x)
            elif rule == 1:
                e = "a[(%s + h) %% h * pitch + (%s + w) %% w]" % (y, x)
            elif rule == 2:
                e = "(%s >= 0 && %s < w && %s >= 0 && %s < h ? a[(%s) * pitch + %s] : (T)0)" % (x, x, y, y, y, x)
            elif rule == 3:
                out.append("if ((unsigned)(%s) < (unsigned)w && (unsigned)(%s) < (unsigned)h) s = %s;" % (
                    x, y, self.f("s", "a[(%s) * pitch + %s]" % (y, x))))
                continue
            else:
                e = "a[((%s) * pitch + %s) & (CAP - 1)]" % (y, x)
            out.append("s = %s;" % self.f("s", e))
        return "\n".join(out)

    def plane(self):
        self.set_plane()
        store = self.one_of("c[y * pitch + x] = s;", "c[y * pitch + x] = s;", "c[x * h + y] = s;",
                            "c[y * pitch + x] = <f>;".replace("<f>", self.f("s", "b[y * pitch + x]")),
                            "c[y * w + w - 1 - x] = s;")
        guard = self.one_of("if (x < w && y < h) {", "if (x < w) if (y < h) {", "if (x >= w || y >= h) return;\n{")
        self.add("<guard>\nT s = a[y * pitch + x];\n<near>\n<store>\n}", guard=guard,
                 near=self.neighbours(self.r.randint(1, 6)), store=store)

    def march(self):
        """Planes of three dimensions, one after the other, of which some are kept in registers."""
        self.set_plane()
        depth = self.r.randint(2, 4)
        while self.m * self.n * depth > CAP:
            depth -= 1
        self.add("""
            const int D = <D>, plane = pitch * h;
            if (x < w && y < h) {
            int at = y * pitch + x;
            T below = 0, here = a[at];
            <unroll>for (int z = 0; z < D; z++, at += plane) {
            T above = z + 1 < D ? a[at + plane] : (T)<edge>, s = <f1>;
            <sides>
            c[at] = <f2>;
            below = here;
            here = above;
            }
            }""", D=max(depth, 1), unroll=self.unroll(), edge=self.one_of("0", "1", "here"), f1=self.f("below", "above"),
                 f2=self.f("s", "here"), sides=self.one_of("", "if (x > 0) s = %s;" % self.f("s", "a[at - 1]"),
                                                          "if (x > 0 && x + 1 < w && y > 0) s = %s;" % self.f("a[at - 1]", "a[at - pitch]"),
                                                          "s = %s;" % self.f("s", "(x ? a[at - 1] : here)")))

    def halo(self):
        """A tile with its surroundings in shared memory, then a filter."""
        self.set_plane()
        radius = self.r.randint(1, 2)
        across, down = self.block[0] + 2 * radius, self.block[1] + 2 * radius
        fill = self.one_of(
            """for (int j = threadIdx.y; j < DOWN; j += blockDim.y) {
            for (int i = threadIdx.x; i < ACROSS; i += blockDim.x) {
            <fill>
            }
            }""",
            """for (int k = t; k < DOWN * ACROSS; k += blockDim.x * blockDim.y) {
            int j = k / ACROSS, i = k % ACROSS;
            <fill>
            }""")
        one = self.one_of(
            """int gx = x0 + i - R, gy = y0 + j - R;
            tile[j][i] = gx >= 0 && gy >= 0 && gx < w && gy < h ? a[gy * pitch + gx] : (T)0;""",
            """int gx = most(least(x0 + i - R, w - 1), 0), gy = most(least(y0 + j - R, h - 1), 0);
            tile[j][i] = a[gy * pitch + gx];""")
        taps = self.one_of(
            """<unroll>for (int j = 0; j < 2 * R + 1; j++) {
            <unroll>for (int i = 0; i < 2 * R + 1; i++) {
            s += (T)(tile[threadIdx.y + j][threadIdx.x + i] * (T)weights[(j * 3 + i) & 15]);
            }
            }""",
            """#pragma unroll
            for (int j = 0; j < 2 * R + 1; j++) s = <f>;""".replace("<f>", self.f("s", "tile[threadIdx.y + j][threadIdx.x + R]")))
        self.add("""
            const int R = <R>, ACROSS = <ACROSS>, DOWN = <DOWN>;
            __shared__ T tile[DOWN][ACROSS + <pad>];
            int x0 = blockIdx.x * blockDim.x, y0 = blockIdx.y * blockDim.y;
            """ + fill.replace("<fill>", one) + """
            __syncthreads();
            T s = 0;
            """ + taps + """
            if (x < w && y < h) c[y * pitch + x] = <q>;""", R=radius, ACROSS=across, DOWN=down, pad=self.one_of("0", "0", "1"),
                 unroll=self.one_of("", "#pragma unroll\n"), q="quiet(s)" if self.kind == "d" else "s")

    def transposed(self):
        """Tiles that are written the other way round, by blocks that are as high as a tile or less."""
        r = self.r
        side = r.choice([8, 16, 32])
        high = r.choice([h for h in (side, side // 2, side // 4) if h >= 2])
        self.block = (side, high, 1)
        tiles = r.choice([1, 2]) if side < 32 else 1
        self.grid = (tiles, r.choice([1, tiles]))
        self.w, self.n = side * self.grid[0], side * self.grid[1]
        cut = r.choice([0, 0, 0, 3])
        self.w -= cut
        self.m = self.w + r.choice([0, 0, 1])
        k = r.randrange(3)
        self.add("""
            const int SIDE = <side>;
            __shared__ T tile[SIDE][SIDE + <pad>];
            int x = blockIdx.x * SIDE + threadIdx.x, y = blockIdx.y * SIDE + threadIdx.y, h = n, pitch = (int)m;""",
                 side=side, pad=self.one_of("0", "1"))
        if k == 0:
            self.add("for (int j = 0; j < SIDE; j += blockDim.y) {\nif (x < w && y + j < h) c[x * h + y + j] = a[(y + j) * pitch + x];\n}")
            return
        self.add("""
            <unroll>for (int j = 0; j < SIDE; j += blockDim.y) {
            <guard>tile[threadIdx.y + j][threadIdx.x] = <load>;
            }
            __syncthreads();
            x = blockIdx.y * SIDE + threadIdx.x;
            y = blockIdx.x * SIDE + threadIdx.y;
            <unroll>for (int j = 0; j < SIDE; j += blockDim.y) {
            if (x < h && y + j < w) c[(y + j) * h + x] = tile[<row>][<column>];
            }""", unroll=self.unroll(), guard="if (x < w && y + j < h) " if cut else "",
                 load=self.one_of("a[(y + j) * pitch + x]", "a[(y + j) * pitch + x]", self.f("a[(y + j) * pitch + x]", "b[x]")),
                 row="threadIdx.x", column="threadIdx.y + j")

    # What a block does together.
    def power(self):
        self.block = (self.r.choice([32, 64, 128, 256, 16, 8]), 1, 1)

    def join(self, x, y):
        """An operation whose order is the text's."""
        if self.kind in "fd":
            return self.one_of("%s + %s", "%s + %s", "fmax%s(%%s, %%s)" % ("f" if self.kind == "f" else "")) % (x, y)
        return self.one_of("(T)(%s + %s)", "(T)(%s ^ %s)", "most((T)(%s), (T)(%s))", "least((T)(%s), (T)(%s))") % (x, y)

    def quieted(self, x):
        return "quiet(%s)" % x if self.kind == "d" else x

    def reduced(self):
        r = self.r
        self.power()
        B = self.threads
        join = self.join("X", "Y")
        j = lambda x, y: join.replace("X", x).replace("Y", y)
        first = self.one_of("g < (unsigned)n ? a[g & LAST] : (T)0", "a[g & LAST]", self.f("a[g & LAST]", "b[(g + B) & LAST]"))
        self.add("const unsigned B = %d;\n__shared__ T s[%d];" % (B, B))
        if r.random() < 0.3:
            self.add("T v0 = (T)0;\nfor (unsigned i = g; i < (unsigned)n; i += gridDim.x * blockDim.x) v0 = %s;\ns[t] = v0;" % j("v0", "a[i]"))
        else:
            self.add("s[t] = <first>;", first=first)
        self.add("__syncthreads();")
        k = r.randrange(4)
        if k == 0:
            self.add("<unroll>for (unsigned d = B / 2; d > <last>; d >>= 1) {\nif (t < d) s[t] = <join>;\n__syncthreads();\n}",
                     unroll=self.unroll(), last=self.one_of("0", "0", "B / 4"), join=j("s[t]", "s[t + d]"))
        elif k == 1:
            self.add("for (unsigned d = 1; d < <end>; d *= 2) {\nif (t % (2 * d) == 0) s[t] = <join>;\n__syncthreads();\n}",
                     end=self.one_of("B", "blockDim.x"), join=j("s[t]", "s[t + d]"))
        elif k == 2:
            self.add("for (unsigned d = 1; d < B; d *= 2) {\nunsigned k = 2 * d * t;\nif (k + d < B) s[k] = <join>;\n"
                     "__syncthreads();\n}", join=j("s[k]", "s[k + d]"))
        else:
            lanes = min(B, 32)
            shuffle = self.one_of("__shfl_xor_sync", "__shfl_down_sync")
            if self.size < 4:
                self.T, (self.kind, self.size) = "int", TYPES["int"]
                self.patterns = ["rand", "rand"]
            mask = "FULL" if lanes == 32 else "0x%xu" % ((1 << lanes) - 1)
            self.add("T v = s[t];\n<unroll>for (int d = <half>; d > 0; d /= 2) {\nT o = <sh>(<mask>, v, d);\nv = <join>;\n}\n"
                     "if (t % 32 == 0) c[CAP + blockIdx.x * 32 + t / 32] = <v>;\nc[g & LAST] = <v2>;", unroll=self.unroll(), half=lanes // 2,
                     sh=shuffle, mask=mask, join=j("v", "o"), v=self.quieted("v"),
                     v2=self.quieted(self.f("v", "a[g & LAST]") if shuffle.endswith("xor_sync") else "s[t]"))
            return
        self.add("if (t == 0) c[CAP + blockIdx.x] = <v>;\n<more>", v=self.quieted("s[0]"),
                 more=self.one_of("", "c[g & LAST] = %s;" % self.f("s[0]", "a[g & LAST]"), "c[g & LAST] = %s;" % self.quieted("s[t]")))

    def scanned(self):
        self.power()
        B = self.threads
        join = self.join("X", "Y")
        j = lambda x, y: join.replace("X", x).replace("Y", y)
        self.add("const unsigned B = %d;\n__shared__ T s[2][B];\ns[0][t] = a[g & LAST];\n__syncthreads();" % B)
        k = self.r.randrange(3)
        if k == 0:
            self.add("int in = 0;\n<unroll>for (unsigned d = 1; d < B; d *= 2) {\ns[1 - in][t] = t >= d ? <join> : s[in][t];\nin = 1 - in;\n"
                     "__syncthreads();\n}\nc[g & LAST] = <v>;", unroll=self.unroll(), join=j("s[in][t]", "s[in][t - d]"),
                     v=self.quieted("s[in][t]"))
        elif k == 1:
            self.add("for (unsigned d = 1; d < B; d *= 2) {\nT v = t >= d ? s[0][t - d] : (T)0;\n__syncthreads();\n"
                     "if (t >= d) s[0][t] = <join>;\n__syncthreads();\n}\nc[g & LAST] = <v>;", join=j("v", "s[0][t]"),
                     v=self.quieted("s[0][t]"))
        else:
            self.add("unsigned off = 1;\nfor (unsigned d = B / 2; d > 0; d /= 2) {\n__syncthreads();\nif (t < d) {\n"
                     "unsigned i = off * (2 * t + 1) - 1, k = off * (2 * t + 2) - 1;\ns[0][k] = <join>;\n}\noff *= 2;\n}\n"
                     "if (t == 0) s[0][B - 1] = (T)0;\nfor (unsigned d = 1; d < B; d *= 2) {\noff /= 2;\n__syncthreads();\nif (t < d) {\n"
                     "unsigned i = off * (2 * t + 1) - 1, k = off * (2 * t + 2) - 1;\nT v = s[0][i];\ns[0][i] = s[0][k];\n"
                     "s[0][k] = <join2>;\n}\n}\n__syncthreads();\nc[g & LAST] = <v>;", join=j("s[0][k]", "s[0][i]"),
                     join2=j("s[0][k]", "v"), v=self.quieted("s[0][t]"))

    def rows(self):
        """A warp, or a block's row, for each row of a matrix: sums over it, then all of it again."""
        r = self.r
        if self.kind not in "fui":
            self.T, (self.kind, self.size) = "float", TYPES["float"]
            self.patterns = [self.pattern(), self.pattern()]
        self.block = (32, r.choice([1, 2, 4]), 1)
        per = r.choice([1, 1, 2, 4])
        count = self.block[1] * self.grid[0] * per
        self.w = min(self.w * r.choice([1, 3, 8]), CAP // count)
        join = self.join("X", "Y")
        j = lambda x, y: join.replace("X", x).replace("Y", y)
        step = r.choice(["32", "32", "blockDim.x"])
        order = r.choice(["16 8 4 2 1", "16 8 4 2 1", "1 2 4 8 16", "16 8 4", "8 4 2 1"]).split()
        butterfly = "\n".join("<v> = <join>;".replace("<join>", j("<v>", "__shfl_xor_sync(FULL, <v>, %s)" % d)) for d in order)
        lines = []
        for p in range(per):
            v, row = "v%d" % p, "((blockIdx.x * blockDim.y + threadIdx.y) * %d + %d)" % (per, p)
            lines.append("T %s = 0; const T *q%d = a + %s * w; T *o%d = c + %s * w;" % (v, p, row, p, row))
        for p in range(per):
            lines.append("for (int k = threadIdx.x; k < w; k += %s) v%d = %s;" % (step, p, j("v%d" % p, "q%d[k]" % p)))
        for p in range(per):
            lines.append(butterfly.replace("<v>", "v%d" % p))
            if self.kind == "f" and r.random() < 0.8:
                lines.append("v%d = %s;" % (p, r.choice(["__expf(v%d * 1e-6f)", "v%d * 0.5f + 1.0f", "1.0f / (v%d * v%d + 2.0f)",
                                                        "sqrtf(v%d * v%d + 1.0f)"]).replace("%d", str(p))))
        g1 = self.f("q0[k]", "v0").replace("q0", "q<p>").replace("v0", "v<p>")
        for p in range(per):
            lines.append("for (int k = threadIdx.x; k < w; k += %s) o%d[k] = %s;" % (step, p, g1.replace("<p>", str(p))))
        self.add("\n".join(lines))

    def network(self):
        """A sorting network in shared memory, or in registers by shuffles."""
        self.power()
        T = max(self.threads, 8)
        self.add("""
            const unsigned B = <N>;
            __shared__ T s[B];
            s[t] = a[g & LAST];
            __syncthreads();
            <u1>for (unsigned k = 2; k <= B; k *= 2) {
            <u2>for (unsigned d = k / 2; d > 0; d /= 2) {
            unsigned o = t ^ d;
            if (o > t) {
            T x = s[t], y = s[o];
            if ((<cmp>) == ((t & k) == 0)) {
            s[t] = y;
            s[o] = x;
            }
            }
            __syncthreads();
            }
            }
            c[g & LAST] = <v>;""", N=T, u1=self.unroll(), u2=self.unroll(), cmp=self.one_of("x > y", "x < y", "x >= y", "bits(x) > bits(y)"),
                 v=self.quieted("s[t]"))

    def exchanged(self):
        """Words of shared memory at places that a block's threads know, between barriers."""
        r = self.r
        B = self.threads
        self.add("const unsigned B = %d;\n__shared__ T s[2 * B];\ns[t] = a[g & LAST];\ns[B + t] = b[g & LAST];\nT v = (T)1;" % B)
        for _ in range(r.randint(2, 6)):
            k = r.choice([1, 2, 3, 5, 8, 16, 31, 32])
            place = lambda: r.choice(["t", "B - 1 - t", "(t + %d) %% B" % k, "B + t", "(t ^ 1) < B ? t ^ 1 : t", "2 * B - 1 - t",
                                      "B + (t * %d) %% B" % k, "t / %d" % k, "t %% %d %% B" % k])
            own = r.choice(["t", "B + t", "B - 1 - t", "2 * B - 1 - t", "2 * t", "2 * t + 1"])
            form = dict(own=own, place=place(), f=self.f("v", "s[%s]" % place()), k=k)
            self.add("__syncthreads();\nv = <f>;\n__syncthreads();", **form)
            self.add(self.one_of("s[<own>] = v;", "if (t % 2 == 0) s[<own>] = v;", "if (t < <k>) s[<own>] = v;",
                                 "if (t + <k> < B) s[<own>] = v;", "if (t == 0) s[<own>] = v;"), **form)
        self.add("c[g & LAST] = <v>;", v=self.quieted("v"))

    # Additions, lists, searches.
    def bins(self):
        r = self.r
        shared = r.random() < 0.4
        where = "s" if shared else "acc"
        bin_ = self.one_of("bits(a[i]) & 63", "bits(a[i]) % 100", "(bits(a[i]) >> 4) & 127", "i & 31", "bits(a[i]) & 1 ? 7 : i & 15",
                           "i / 8 & 63", "(bits(a[i]) & 3) * 64 + (i & 31)", "t & 31", "0")
        what = self.one_of("1u", "1u", "bits(b[i])", "(unsigned)i", "bits(a[i]) & 15")
        op = self.one_of("atomicAdd", "atomicAdd", "atomicAdd", "atomicXor", "atomicMax", "atomicOr", "atomicSub")
        if shared:
            self.add("__shared__ unsigned s[CELLS];\nfor (unsigned k = t; k < CELLS; k += blockDim.x * blockDim.y) s[k] = 0;\n__syncthreads();")
        body = "%s(&%s[%s], %s);" % (op, where, bin_, what)
        if r.random() < 0.3:
            body = "if (%s) %s" % (self.test("a[i]", "b[i]"), body)
        if r.random() < 0.2:
            body += "\n%s(&%s[128 + (i & 7)], 2u);" % (op, where)
        if r.random() < 0.2:
            body += "\nc[i] = %s;" % self.f("a[i]", "b[i]")
        self.loop(body, "gridDim.x * blockDim.x")
        if shared:
            join = {"atomicSub": "atomicAdd"}.get(op, op)
            self.add("__syncthreads();\nfor (unsigned k = t; k < CELLS; k += blockDim.x * blockDim.y) <join>(&acc[k], s[k]);", join=join)

    def appended(self):
        """Lists of one block each, of which sums that no order changes are stored."""
        r = self.r
        self.T, (self.kind, self.size) = "unsigned", TYPES["unsigned"]
        self.patterns = ["rand", "small"]
        self.grid = (r.choice([1, 2, 3]), 1)
        item = self.one_of("i + 1", "a[i]", "a[i] ^ i", "5")
        test = self.one_of("a[i] % 3", "a[i] & 1", "true", "a[i] % 17 == 0", "(i & 3) != 1", "a[i] != b[i]")
        body = "if (%s) list[atomicAdd(count, 1u)] = %s;" % (test, item)
        if r.random() < 0.2:
            body = "if (%s) {\nunsigned at = atomicAdd(count, 1u);\nif (at < 1100) list[at] = %s;\n}" % (test, item)
        if r.random() < 0.2:
            body += "\nif (a[i] & 2) list[atomicAdd(count, 1u)] = %s;" % item
        self.add("const unsigned SPAN = 512;\nunsigned *list = c + blockIdx.x * 1200, *count = acc + blockIdx.x * 4;")
        form = self.one_of("for (unsigned i = t; i < (unsigned)n % SPAN; i += blockDim.x) {\n<body>\n}",
                           "unsigned i = g;\n<body>",
                           "for (unsigned k = 0; k < (bits(b[g & LAST]) % 3); k++) {\nunsigned i = g + k;\n<body>\n}")
        self.add(form.replace("<body>", body))
        self.add("""
            __syncthreads();
            if (t == 0) {
            unsigned x = 0, y = 0, all = *count;
            for (unsigned k = 0; k < all; k++) {
            x += list[k] * 2654435761u ^ list[k];
            y ^= list[k];
            }
            for (unsigned k = 0; k < all; k++) list[k] = 0;
            acc[blockIdx.x * 4 + 1] = x;
            acc[blockIdx.x * 4 + 2] = y;
            }""")

    def searched(self):
        r = self.r
        length = self.one_of("w", "16", "(int)(t & 15)", "8")
        compare = self.one_of("a[(g + k) & LAST] == b[k]", "(bits(a[(g + k) & LAST]) & 1) == (bits(b[k]) & 1)",
                              "(bits(a[(g + k) & LAST]) & 3) != 2", "bits(a[(g * 4 + k) & LAST]) % 5 != 1", "a[(g + k) & LAST] < b[(k + 1) & LAST]")
        k = r.randrange(3)
        it = self.index_type()
        if k == 0:
            self.add("<IT> k = 0;\nwhile (k < <len> && (<cmp>)) k++;", IT=it, len=length, cmp=compare)
        elif k == 1:
            self.add("<IT> k;\n<unroll>for (k = 0; k < <len>; k++) {\nif (!(<cmp>)) break;\n}", IT=it, len=length, cmp=compare, unroll=self.unroll())
        else:
            self.add("<IT> k = 0, hi = n, key = bits(b[g & LAST]) & 1023;\nwhile (k < hi) {\n<IT> mid = (k + hi) / 2;\n"
                     "if ((<IT>)(mid * 3 + (bits(a[mid]) & 1)) < key) k = mid + 1;\nelse hi = mid;\n}", IT=it)
        self.add(self.one_of("c[g & LAST] = (T)k;", "c[g & LAST] = (T)(k == <len> ? 1 : 2);".replace("<len>", length if k < 2 else "n"),
                             "unsigned found = __ballot_sync(__activemask(), k >= 4);\nif (t % 32 == 0) acc[g / 32 % 64] = found & 1;",
                             "if (k < 5) c[g & LAST] = a[(unsigned)k & LAST];"))

    def sparse(self):
        """A row for each thread, of a length that memory tells."""
        self.patterns[1] = "small" if self.kind not in "d" else "double"
        start = self.one_of("(int)(g % 64 * 16)", "(int)(bits(b[g & LAST]) % 900)", "(int)(g * 3)")
        length = self.one_of("(int)(bits(b[(g + 7) & LAST]) & 15)", "(int)(bits(b[(g + 7) & LAST]) % 23) - 4", "(int)(t % 7)", "w")
        body = ["s = %s;" % self.f("s", self.one_of("a[j & LAST]", "a[bits(b[j & LAST]) & LAST]", "a[(j * 2 + 1) & LAST]"))]
        body += self.one_of([], [], ["u += (unsigned)j;"], ["if (%s) u++;" % self.test("a[j & LAST]", "s")])
        self.add("T s = 0; unsigned u = 0;\n<IT> first = <start>, last = first + <length>;\n<unroll>for (<IT> j = first; j < last; j++) {\n"
                 + "\n".join(body) + "\n}\nc[g & LAST] = s;\nif (u) c[CAP + (g & LAST)] = (T)u;", IT=self.one_of("int", "int", "long long"), start=start, length=length,
                 unroll=self.unroll())

    def chased(self):
        """Where one load says where the next one is."""
        self.patterns = [self.one_of("rand", "iota", "small"), self.one_of("small", "rand", "iota")]
        self.T, (self.kind, self.size) = "unsigned", TYPES["unsigned"]
        self.add("""
            unsigned first = b[g & LAST] & LAST, s = 0;
            <pre>
            unsigned at = a[first] & LAST, turns = b[at] % <most>;
            for (unsigned k = 0; k < turns; k++) {
            s = s * 31 + a[(at + k) & LAST];
            <more>
            }
            c[g & LAST] = s;""", most=self.one_of("9", "23", "2"), pre=self.one_of("", "if (first & 1) first = b[first] & LAST;",
                                                                               "if (g >= (unsigned)n) return;"),
                 more=self.one_of("", "at = a[at] & LAST;", "if (s % 13 == 0) break;", "atomicAdd(&acc[a[(at + k) & LAST] & 63], 1u);"))

    def product(self):
        """Tiles of matrices that are multiplied, with rows as long as the launch says."""
        r = self.r
        side = r.choice([4, 8, 16, 16])
        per = r.choice([1, 1, 1, 2])
        self.block, self.grid = (side, side // per, 1), (r.choice([1, 2]), 1)
        size = side * 2
        self.w = size if r.random() < 0.7 else size + 4
        self.add("""
            const int S = <S>, PER = <PER>, SIZE = 2 * S;
            __shared__ T x[S][S + <pad>], y[S][S];
            int tx = threadIdx.x, ty = threadIdx.y, column = blockIdx.x * S + tx;
            T sum[PER];
            for (int p = 0; p < PER; p++) sum[p] = 0;
            <u0>for (int k = 0; k < SIZE; k += S) {
            for (int p = 0; p < PER; p++) {
            int row = ty + p * (S / PER);
            <X> = a[(row * w + k + tx) & LAST];
            y[row][tx] = b[((k + row) * w + column) & LAST];
            }
            __syncthreads();
            <u1>for (int i = 0; i < S; i++) {
            for (int p = 0; p < PER; p++) sum[p] += <XU> * y[i][tx];
            }
            __syncthreads();
            }
            for (int p = 0; p < PER; p++) c[((ty + p * (S / PER)) * w + column) & LAST] = <v>;""", S=side, PER=per,
                 pad=self.one_of("0", "0", "1"), u0=self.unroll(), u1=self.unroll(), v=self.quieted("sum[p]"),
                 **self.one_of(dict(X="x[row][tx]", XU="x[ty + p * (S / PER)][i]"), dict(X="x[tx][row]", XU="x[i][ty + p * (S / PER)]")))

    def ticket(self):
        """Blocks that take the number of their tile from a counter."""
        T = self.threads
        tiles = self.grid[0]
        queue = self.r.random() < 0.4
        self.n = min(tiles * (1 if not queue else self.r.randint(1, 3)), CAP // T)
        body = "unsigned at = tile * %d + t;\nc[at & LAST] = %s;\n%s" % (
            T, self.f("a[at & LAST]", "b[at & LAST]"), self.one_of("", "c[CAP + (at & LAST)] = a[(at + %d) & LAST];" % self.r.randrange(64),
                                                               "acc[tile %% 200] = tile * 3;"))
        body = body.replace("%%", "%")
        take = "if (t == <who>) taken = atomicAdd(&acc[255], 1u);\n__syncthreads();\nunsigned tile = taken;"
        self.add("__shared__ unsigned taken;")
        if queue:
            self.add("while (true) {\n" + take + "\nif (tile >= (unsigned)n) break;\n" + body + "\n__syncthreads();\n}\n"
                     "__syncthreads();", who=self.one_of("0", "0", "3"))
        else:
            self.add(take + "\n" + body, who=self.one_of("0", "0", "3"))

    def scattered(self):
        """Stores to places that follow from the index, no two alike."""
        log = self.r.choice([5, 6, 8, 10])
        size = 1 << log
        place = self.one_of("g ^ %d" % self.r.randrange(size), "g * %d" % self.r.choice([3, 5, 37, 129]), "__brev(g) >> %d" % (32 - log),
                            "(g << 3 | g >> %d)" % (log - 3), "g + (g / 16) * 16", "size - 1 - g", "g", "(g & 1 ? size / 2 : 0) + g / 2",
                            "g + m", "g - m", "(g + w) * 7")
        wide = self.one_of("", "", "2 * ", "3 * ")
        # Twice the size where the place is not folded: what is a multiple of 16 further still fits.
        where = "%s(((unsigned)(%s)) & (size - 1))" % (wide, place if "g / 16" not in place else "g")
        self.add("const unsigned size = <size>;\nif (g < size<more>) {\n<store>\n}", size=size,
                 more=self.one_of("", "", " && %s" % self.test("a[g]", "b[g]"), " && g % 32 == 3", " && (a[g] != a[(g + 1) & LAST])"),
                 store="c[%s] = %s;" % (where, self.one_of("a[g]", "(T)g", self.f("a[g]", "b[g]"))))

    def looked_up(self):
        """A small table in shared memory, at an index that memory says."""
        length = self.r.choice([8, 16, 32, 32, 64])
        self.add("""
            __shared__ T table[<len>];
            if (t < <len>) table[t] = <fill>;
            <also>
            __syncthreads();
            T s = table[<k0>];
            for (int k = 0; k < <turns>; k++) s = <f>;
            c[g & LAST] = s;""", len=length, fill=self.f("a[t]", "b[t]"), turns=self.r.randint(1, 4),
                 also="" if self.threads >= length else "for (unsigned k = t + blockDim.x; k < %d; k += blockDim.x) table[k] = b[k];" % length,
                 k0="bits(a[g & LAST]) & %d" % (length - 1),
                 f=self.f("s", "table[%s]" % self.one_of("(bits(b[(g + k) & LAST]) >> 3) & %d" % (length - 1), "(t + k) %% %d" % length,
                                                        "bits(b[(g + k) & LAST]) %% %d" % length)).replace("%%", "%"))

    def one_thread(self):
        """What one thread, or one of each warp, does for others, between barriers and not."""
        self.add("__shared__ T s[40];\nif (t < 32) s[t] = a[t];\nif (t == 0) s[32] = 0;\n__syncthreads();")
        for _ in range(self.r.randint(1, 3)):
            self.add(self.one_of("if (t == <k>) {\n<what>\n}", "if (t % 32 == <k> % 32) {\n<what2>\n}", "if (t / 32 == 0 && (t & 31) == <k> % 32) {\n<what>\n}",
                                 "if (g == <k>) {\n<what>\n}"),
                     k=self.r.choice([0, 0, 0, 5, 31]),
                     what=self.one_of("s[33 + t % 4] = <f>;", "for (int k = 0; k < 8; k++) s[34] = <f>;", "c[CAP + blockIdx.x] = <f>;",
                                      "acc[90 + blockIdx.x] = bits(s[t & 31]);").replace("<f>", self.f("a[t & 63]", "b[blockIdx.x]")),
                     what2="c[CAP + 64 + bx * 16 + t / 32] = %s;" % self.f("a[t]", "a[t / 32]"))
            self.add("__syncthreads();")
        self.add("c[g & LAST] = <f>;", f=self.f("s[t & 31]", "a[g & LAST]"))

    def stepped(self):
        """Four words a thread, which it tests one by one, and stores where the test says so."""
        r = self.r
        self.T = r.choice(["unsigned", "unsigned", "int"])
        self.kind, self.size = TYPES[self.T]
        self.patterns = [r.choice(["rand", "small", "iota"]) for _ in range(2)]
        self.block = r.choice([(32, 1, 1), (64, 1, 1), (64, 1, 1), (128, 1, 1), (128, 1, 1), (256, 1, 1), (96, 1, 1), (50, 1, 1)])
        self.grid = (r.choice([1, 1, 2]), 1)
        sorted_words = r.random() < 0.4
        if sorted_words:
            self.patterns[0] = "iota"
        words = 128
        while words < 4 * self.threads:
            words *= 2
        shift = self.one_of("3", "5", "w", "w", "w")
        self.w = r.choice([4, 5, 6, 9]) if shift == "w" else self.w
        load = "T k[4];\nfor (int i = 0; i < 4; i++) k[i] = %s;" % (
            "a[4 * t + i]" if sorted_words else self.one_of("a[4 * (g & 511) + i]", "a[(4 * g + i) & LAST]", "b[i * 512 + (g & 511)]"))
        if not sorted_words and r.random() < 0.6:
            load = "uint4 x = ((const uint4 *)a)[g & 511];\nT k[4] = {(T)x.x, (T)x.y, (T)x.z, (T)x.w};"
        front = r.choice([0, 0, 1, 4])
        fill = self.one_of("for (int i = 0; i < 4; i++) s[4 * t + i + <front>] = <what>;", "s[4 * t + <front>] = k[0]; s[4 * t + 1 + <front>] = k[1];\n"
                           "s[4 * t + 2 + <front>] = k[2]; s[4 * t + 3 + <front>] = k[3];")
        it = self.one_of("int", "int", "unsigned")
        at = self.one_of("4 * p + i", "4 * p + i", "4 * p + i + %d" % r.choice([0, front, 4]), "(4 * p + i) ^ 1", "p + i * %d" % self.threads)
        if sorted_words or front and r.random() < 0.5:
            at = "4 * p + i + %d" % (front - 1)
        digit, last = "(k[i] >> %s & 15)" % shift, "(s[%s] >> %s & 15)" % (at, shift)
        test = self.one_of("%s != %s" % (last, digit), "%s != %s" % (last, digit), "%s > %s" % (last, digit), "%s < %s" % (digit, last), "%s == 3" % last, "k[i] & 4", "%s %% 3 == 1" % digit,
                           "k[i] > (T)m", "s[%s] != k[i]" % at, "(s[%s] ^ k[i]) & 1" % at)
        odd, behind = r.choice([1, 3, 37, 101]), r.choice([0, 1, 2, 5])
        place = "(4 * p + i + %d) * %d & %d" % (behind, odd, words - 1)
        if sorted_words:
            test, place = "%s != %s" % (last, digit), digit.replace("15", str(words - 1)) if r.random() < 0.2 else "(k[i] >> %s) & 255" % shift
            test = test.replace("& 15", "& 255")
        first = self.one_of("", "", "4 * p + i == 0 || ", "(p == 3 && i == 2) || ", "(p == (int)w && i == 0) || ", "i == 1 || ")
        if sorted_words:  # where a digit begins one thread stores
            first = "4 * p + i == 0 || " if front == 0 else self.one_of("", "4 * p + i == 0 || ")
        into = self.one_of("u[<place>]", "u[<place>]", "s[<behind> + (<place>)]", "(c + blockIdx.x * 1024)[<place>]")
        what = self.one_of("4 * p + i", "7 * p + i + 1", "k[i]", "k[i] ^ (i + 1)", "5", "(k[i] >> 3) + p")
        more = self.one_of("", "", "", "", "n2 += k[i];", "u[<words> + 4 * p + i] = 1;")
        rest = "#pragma unroll\nfor (unsigned j = 0; j < <turns>; j++) {\nunsigned i = t + j * <threads>;\nif (i < <%s>) <do>\n}\n"
        if r.random() < 0.1:
            rest = "for (unsigned i = t; i < <%s>; i += blockDim.x) <do>\n"
        self.add("__shared__ T s[<all>], u[<two>];\n" + rest.replace("<do>", "u[i] = 0;") % "two" + rest.replace("<do>", "s[i] = 0;") % "all"
                 + "__syncthreads();\n<IT> p = t; unsigned n2 = 0;\n"
                 + load + "\n" + fill + "\n__syncthreads();\n<some>for (<IT> i = 0; i < 4; i++) {\nif (" + first + test + ") {\n"
                 + into + " = <value>;\n" + more + "\n}\n}\n__syncthreads();\n" + rest.replace("<do>", "c[CAP + (blockIdx.x * <words> + i & LAST)] = u[i] ^ s[<behind> + i] + (T)n2;") % "words",
                 turns=-(-(2 * words + 8) // self.threads), threads=self.threads,
                 some=self.one_of("", "", "", "if (m != 64u) ", "if (n > 32) "), place=place, what="k[i]" if sorted_words else self.one_of("k[i]", "k[i] * 3", "(T)p + i"), IT=it, front=front, value=what, words=words, two=2 * words,
                 behind=words + 8, all=2 * words + 8)

    def wrapped(self):
        """Sums of 32 bits that may wrap, or not fit, before they become addresses."""
        r = self.r
        self.n = r.choice([0, 2147483647, 2147483640, -2147483648, -5, -100, 300, 2147483500])
        self.m = r.choice([4294967295, 4294967200, 4294967280, 2147483648, 2147483600, 100])
        for k in range(r.randint(1, 4)):
            i = self.one_of("t + m", "m - t", "(unsigned)n + t", "g * 16 + m", "t - 5", "m + g / 2", "(unsigned)n - g", "(m + t) * 2",
                            "(m >> 1) + t", "t * m", "(unsigned)((int)t - w)")
            how = r.randrange(5)
            form = dict(i=i, k=k, bound=r.choice(["256u", "CAP", "100u", "(unsigned)w"]))
            if how == 0:
                self.add("unsigned i<k> = <i>;\nif (i<k> < <bound>) s = <f>;", f=self.f("s", "a[i%d]" % k), **form)
            elif how == 1:
                self.add("int i<k> = (int)(<i>);\nif (i<k> >= 0 && i<k> < (int)<bound>) s = <f>;", f=self.f("s", "b[i%d]" % k), **form)
            elif how == 2:
                self.add("long long i<k> = (long long)(int)(<i>) - n;\nif (i<k> >= 0 && i<k> < <bound>) s = <f>;", f=self.f("s", "a[i%d]" % k), **form)
            elif how == 3:
                self.add("unsigned long long i<k> = (unsigned long long)(<i>) + <big>;\nif (i<k> - <big> < <bound>) s = <f>;",
                         f=self.f("s", "a[i%d - <big>]" % k).replace("<big>", "4294967290ull"), big="4294967290ull", **form)
            else:
                self.add("for (unsigned k = 0; k < 4; k++) {\nunsigned i = <i> + k * <step>;\nif (i < <bound>) s = <f>;\n}", step=r.choice(["1", "32", "m"]),
                         f=self.f("s", "a[i]"), **form)
        self.text = "T s = 1;\n" + self.text
        self.add("c[g & LAST] = s;\nunsigned to = <to>;\nif (to < CAP) c[CAP + to] = s;", to=r.choice(["m + g", "m - g", "(unsigned)n + g", "(unsigned)n - g"]))

    # Text.
    def render(self, out):
        r = out.append
        words = self.T + " "
        r("namespace ns_%s { typedef %s T;" % (self.name, self.T))
        r('extern "C" __global__ void %s(const T *a, const T *b, T *c, unsigned *acc, int n, unsigned m, int w) {' % self.name)
        r("    unsigned t = threadIdx.x + blockDim.x * threadIdx.y, bx = blockIdx.x + gridDim.x * blockIdx.y;")
        r("    unsigned g = bx * %d + t; (void)g;" % self.threads)
        for node in self.body:
            node.render(out, 1)
        r("} }")

    def bodies(self):
        """What may be made smaller: between barriers nothing may go, or there would be races."""
        return [] if "__syncthreads" in self.text else [self.body]

    def run_line(self):
        words = CAP * self.size // 4
        return "// run: %s grid=%d,%d block=%d,%d,%d args=buf:%d:%s,buf:%d:%s,buf:%d:zero,buf:%d:zero,u32:%d,u32:%d,u32:%d" % (
            self.name, *self.grid, *self.block, words, self.patterns[0], words, self.patterns[1], max(4096, 2 * words), CELLS,
            self.n & 0xffffffff, self.m & 0xffffffff, self.w & 0xffffffff)


def make_file(seed, per_file=3):
    rng = random.Random(seed)
    return [Kernel(rng, "k%d" % k) for k in range(per_file)]


def text_of(kernels):
    body = []
    for k in kernels:
        k.render(body)
    return "\n".join([k.run_line() for k in kernels] + [PRELUDE] + body) + "\n"
