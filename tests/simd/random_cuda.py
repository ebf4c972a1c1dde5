"""Random kernels as CUDA C++. They end, have no races and print the same on every correct implementation:
threads store to places of their own, loops spend fuel, barriers stand in uniform flow, warp operations
name masks made by votes, atomics commute, and NaNs of f64 are never looked at bit by bit."""
import random

from random_tree import Context, Node

SHAPES = [(32, 1, 1), (64, 1, 1), (7, 1, 1), (33, 1, 1), (100, 1, 1), (5, 3, 1), (8, 8, 1),
          (16, 4, 1), (3, 5, 7), (4, 4, 4), (2, 17, 1), (1, 40, 1), (64, 2, 1), (128, 1, 1),
          (1, 1, 1), (32, 3, 1), (12, 2, 3), (96, 1, 1)]
TYPES = {"u": "unsigned", "i": "int", "h": "unsigned short", "k": "short", "c": "signed char",
         "l": "unsigned long long", "q": "long long", "f": "float", "d": "double", "p": "bool"}
INTS = "uihkclq"
VARS_PER_TYPE = {"u": 3, "i": 2, "h": 1, "k": 1, "c": 1, "l": 2, "q": 1, "f": 2, "d": 1, "p": 2}
REGIONS = 6  # words a thread has of its own for stores in divergent flow

PRELUDE = """struct pair { unsigned a; float b; unsigned long long c; };
struct wide { unsigned w[6]; };
__device__ static inline double quiet(double d) { return d == d ? d : 7.0; }
__device__ __constant__ unsigned table[16] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};
__device__ __noinline__ unsigned descend(unsigned n, unsigned x) {
    if (n == 0 || (x & 15) == 3)
        return x;
    unsigned y = descend(n - 1, x * 5 + n);
    return (y & 1) ? y ^ x : descend(n / 2, y + x);
}
__device__ __noinline__ unsigned f_add(unsigned a, unsigned b) { return a + b * 3; }
__device__ __noinline__ unsigned f_early(unsigned a, unsigned b) {
    for (unsigned k = 0; k < (b & 7); k++) {
        if ((a >> k & 3) == 2)
            return a + k;
        a = a * 7 + k;
    }
    return a ^ b;
}
__device__ __noinline__ unsigned f_rot(unsigned a, unsigned b) { return a << (b & 31) | a >> 5; }
typedef unsigned (*fn_t)(unsigned, unsigned);
__device__ fn_t fns[4] = {f_add, f_early, f_rot, f_add};
__device__ __noinline__ pair make_pair(unsigned a, float b) {
    pair p;
    p.a = a * 9;
    p.b = b + 1.0f;
    p.c = ((unsigned long long)a << 20) - 1;
    if (a & 4)
        p.b = -b;
    return p;
}
__device__ __noinline__ unsigned take_wide(wide w, unsigned k) {
    w.w[k % 6] += 5;
    return w.w[0] ^ w.w[1] * 3 ^ w.w[2] ^ w.w[(k + 3) % 6] ^ w.w[5];
}
__device__ __noinline__ void by_pointer(unsigned *p, unsigned char *b, unsigned k) {
    *p += k;
    if (k & 1)
        b[k & 3] = (unsigned char)(k >> 3);
}
"""


class Kernel:
    def __init__(self, rng, name):
        self.r, self.name = rng, name
        self.names = {t: ["%s%d" % (t, k) for k in range(n)] for t, n in VARS_PER_TYPE.items()}
        self.fresh = 0
        self.block = rng.choice(SHAPES)
        self.grid = rng.choice([(1, 1), (2, 1), (3, 1), (2, 2)])
        self.threads = self.block[0] * self.block[1] * self.block[2]
        self.total = self.threads * self.grid[0] * self.grid[1]
        self.returns = rng.random() < 0.4
        # A thread that has left makes a barrier wait for the others alone; the compiler's threads
        # of their own stacks take much time, so that few kernels need them.
        self.parted_barriers = not self.returns and rng.random() < 0.15
        self.pattern = rng.choice(["small", "rand", "iota", "special", "float"])
        self.n = rng.choice([0, 1, 5, 7, 32, 100, 4294967280, 2147483640, rng.getrandbits(32)])
        self.budget = rng.randint(4, 16)
        self.body = self.statements(Context(True, "full"), rng.randint(3, 7))

    def name_of(self, stem):
        self.fresh += 1
        return "%s%d" % (stem, self.fresh)

    # Expressions. Signed sums are made unsigned and cast, so that nothing is undefined in C++.
    def index(self, n):
        """An index below n, a power of two, of one of many shapes."""
        r = self.r
        form = r.choice(["t", "t + %d", "%d - t", "t * %d", "tx + ty * %d", "ty * %d + tx * 2",
                         "g + %d", "n + t + %d", "u0 + %d", "t / %d", "t %% %d", "tz + ty + %d",
                         "(unsigned)((int)t - %d)", "(t ^ %d)", "bx * %d", "n * %d", "un0 + %d",
                         "un1 + tx + %d", "(t << 3) + %d", "(unsigned short)(t * %d)",
                         "(unsigned)(signed char)(t + %d)", "(unsigned)(((long long)t - %d) >> 1)"])
        if "%d" in form:
            form = form % r.choice([1, 2, 3, 4, 5, 7, 8, 16, 33, 100, 127, 250])
        return "(%s) %% %du" % (form, n)

    def uniform_int(self, depth=1):
        r = self.r
        k = r.randrange(8)
        if k < 3 or depth <= 0:
            return r.choice(["n", "bx", "un0", "un1", "gridDim.x", "%du" % r.randrange(9)])
        if k == 3:
            return "in[%s]" % r.choice(["n & 255", "un0 & 255", "bx & 255", "un1 & 15"])
        return "(%s %s %s)" % (self.uniform_int(depth - 1), r.choice(["+", "*", "^", "-", "&"]),
                               self.uniform_int(depth - 1))

    def uniform_cond(self):
        return "(%s & %d) %s %d" % (self.uniform_int(), self.r.choice([1, 3, 7]),
                                    self.r.choice(["==", "!=", "<", ">"]), self.r.randrange(4))

    def cond(self):
        r = self.r
        k = r.randrange(10)
        if k < 2:
            return r.choice(self.names["p"])
        if k < 4:
            return "t %s %d" % (r.choice(["<", ">", "==", "!=", ">="]), r.choice([0, 1, 5, 16, 33]))
        if k < 7:
            return "(%s & %d) %s %d" % (self.expr("u", 1), r.choice([1, 3, 7]),
                                        r.choice(["==", "!=", "<"]), r.randrange(1, 5))
        t = r.choice("uihkclqfd")
        c = "%s %s %s" % (self.expr(t, 1), r.choice(["<", "<=", ">", "==", "!="]), self.expr(t, 1))
        return "(%s) %s (%s)" % (c, r.choice(["&&", "||", "!="]), self.cond()) if k == 9 else c

    def leaf(self, t):
        r = self.r
        k = r.randrange(6)
        if k < 3:
            return r.choice(self.names[t])
        if t == "p":
            return "(%s)" % self.cond()
        if k == 3 and t in INTS:
            return "(%s)%s" % (TYPES[t], r.choice(["t", "tx", "ty", "n", "bx", "g", "un0", "lane"]))
        if k == 4:
            if t == "f":
                return r.choice(["__uint_as_float(in[%s])" % self.index(256),
                                 "((const float2 *)in)[%s].y" % self.index(128)])
            if t == "d":
                return "(double)(int)in[%s]" % self.index(256)
            size = {"u": 256, "i": 256, "h": 512, "k": 512, "c": 1024, "l": 128, "q": 128}[t]
            return r.choice(["((const %s *)in)[%s]" % (TYPES[t], self.index(size)),
                             "(%s)((const uint4 *)in)[%s].%s" % (TYPES[t], self.index(64),
                                                                r.choice("xyzw")),
                             "(%s)loc[%s]" % (TYPES[t], self.index(8)),
                             "(%s)lob[%s]" % (TYPES[t], self.index(16)),
                             "(%s)table[%s]" % (TYPES[t], self.index(16))])
        if t == "f":
            return r.choice(["0.0f", "1.5f", "-2.0f", "1e30f", "-0.0f", "1e-40f", "3.0f"])
        if t == "d":
            return r.choice(["0.0", "1.5", "-2.0", "1e300", "-0.0", "3.0"])
        v = r.choice([0, 1, 2, 3, 7, 31, 255, 0x7fff, 0x80, 0x7fffffff, r.getrandbits(31)])
        return "(%s)%d" % (TYPES[t], v)

    def expr(self, t, depth):
        r = self.r
        if depth <= 0 or r.random() < 0.2:
            return self.leaf(t)
        e = lambda s=t: self.expr(s, depth - 1)
        if t == "p":
            return r.choice(["(%s)" % self.cond(), "(%s && %s)" % (e(), e()), "(!%s)" % e(),
                             "(%s != %s)" % (e(), e()), "(%s || %s)" % (e(), e())])
        if t == "f":
            return r.choice([
                "(%s %s %s)" % (e(), r.choice("+-*/"), e()), "fmaf(%s, %s, %s)" % (e(), e(), e()),
                "fminf(%s, %s)" % (e(), e()), "fmaxf(%s, %s)" % (e(), e()), "fabsf(%s)" % e(),
                "sqrtf(%s)" % e(), "(-(%s))" % e(), "(float)%s" % e(r.choice("uilqcd")),
                "(%s ? %s : %s)" % (self.cond(), e(), e()), "floorf(%s)" % e(),
                "__uint_as_float(%s)" % e("u"), "copysignf(%s, %s)" % (e(), e())])
        if t == "d":
            return r.choice([
                "(%s %s %s)" % (e(), r.choice("+-*/"), e()), "quiet(fma(%s, %s, %s))" %
                (e(), e(), e()), "fabs(%s)" % e(), "(double)%s" % e(r.choice("uilqc")),
                "(%s ? %s : %s)" % (self.cond(), e(), e()), "fmin(%s, 3.0)" % e(), "trunc(%s)" % e()])
        c = TYPES[t]
        wide = t in "lq"
        u = "(unsigned long long)" if wide else "(unsigned)"
        s = "(long long)" if wide else "(int)"
        bits = 63 if wide else 31
        k = r.randrange(18)
        if k < 5:
            return "(%s)(%s%s %s %s%s)" % (c, u, e(), r.choice("+-*&|^"), u, e())
        if k == 5:
            return "(%s)(%s%s %s (%s & %d))" % (c, r.choice([u, s]), e(), ">>", e("u"), bits)
        if k == 6:
            return "(%s)(%s%s << (%s & %d))" % (c, u, e(), e("u"), bits)
        if k == 7:
            return "(%s)(%s %s (%s)((%s & 63) + 1))" % (c, e(), r.choice("/%"), c, e("u"))
        if k == 8:
            return "(%s ? %s : %s)" % (self.cond(), e(), e())
        if k == 9:
            return "(%s)%s" % (c, e(r.choice("uihkclqp")))
        if k == 10:
            return "(%s)%s" % (c, r.choice(["__float2int_rz(%s)", "__float2uint_rn(%s)",
                                            "__float_as_uint(%s)", "__float2ll_rz(%s)"]) % e("f"))
        if k == 11:
            return "(%s)%s" % (c, r.choice(["__double2int_rz(%s)", "__double2uint_rn(%s)",
                                            "__double_as_longlong(quiet(%s))"]) % e("d"))
        if k == 12:
            return "(%s)%s" % (c, r.choice(["__popc(%s)", "__clz(%s)", "__brev(%s)", "__ffs(%s)"])
                               % e("u"))
        if k == 13:
            return "(%s)%s(%s, %s)" % (c, r.choice(["min", "max"]), e(), e())
        if k == 14:
            return "(%s)__umulhi(%s, %s)" % (c, e("u"), e("u"))
        if k == 15:
            return "(%s)__byte_perm(%s, %s, %s)" % (c, e("u"), e("u"), e("u"))
        if k == 16:
            return "(%s)__funnelshift_l(%s, %s, %s)" % (c, e("u"), e("u"), e("u"))
        return "(%s)(~%s%s)" % (c, u, e())

    # Statements.
    def statements(self, ctx, n):
        return [self.statement(ctx) for _ in range(n)]

    def few(self, ctx):
        return self.statements(ctx, self.r.randint(1, 3))

    def statement(self, ctx):
        r = self.r
        self.budget -= 1
        if ctx.depth >= 5 or self.budget < 0:
            return self.simple(ctx)
        kinds = [self.simple] * 8 + [self.divergent_if] * 3 + [self.uniform_if] * 2
        kinds += [self.divergent_loop] * 3 + [self.uniform_loop] * 2 + [self.switch, self.gotos]
        if ctx.loop:
            kinds += [self.escape] * 3
        kinds += [self.abreast]
        if self.returns:
            kinds += [self.leave]
        if ctx.mask:
            kinds += [self.warp_op] * 4 + [self.masked_if, self.masked_loop]
        if ctx.uniform:
            kinds += [self.barrier] * 3 + [self.warp_uniform_if, self.turns]
            if not self.returns:
                kinds += [self.split, self.pitched]
            if self.parted_barriers:
                kinds += [self.parted_barrier] * 2
        # What leaves a place where lanes are known to be together would make that untrue.
        node = r.choice(kinds)(ctx)
        return node

    def simple(self, ctx):
        r = self.r
        k = r.randrange(16)
        if k == 0:
            return Node("loc[%s] = %s;" % (self.index(8), self.expr("u", 2)))
        if k == 1:
            return Node("lob[%s] = (unsigned char)%s;" % (self.index(16), self.expr("u", 2)))
        if k == 2:
            return self.atomic()
        if k == 3:
            return self.store()
        if k == 4:
            return self.call()
        if k == 5 and ctx.uniform:
            return Node("%s = %s;" % (r.choice(["un0", "un1"]), self.uniform_int(2)))
        if k == 6:
            i = self.name_of("x")
            return Node("{ unsigned %s = t %s n; if (%s < 256) u1 += in[%s]; }" %
                        (i, r.choice("+-"), i, i))
        if k == 7:
            return Node("{ unsigned *lp = loc + %s; by_pointer(lp, lob + 4, %s); }" %
                        (self.index(8), self.expr("u", 1)))
        t = r.choice("uuuuiihkcllqffdpp")
        return Node("%s = %s;" % (r.choice(self.names[t]), self.expr(t, r.randint(1, 3))))

    def place(self):
        """Where this thread stores: always the same thread for the same place."""
        return self.r.choice(["g", "(N - 1 - g)", "g", "(g + N / 2) % N"])

    def store(self):
        r = self.r
        k = r.randrange(REGIONS)
        base = "own + %d * N" % k
        # Each region has one way to hand out its places.
        way = ["g", "(N - 1 - g)", "((g + N / 2) % N)", "g", "g", "(N - 1 - g)"][k]
        if k == 3:
            return Node("((unsigned short *)(%s))[2 * %s + %d] = (unsigned short)%s;" %
                        (base, way, r.randrange(2), self.expr("h", 2)))
        if k == 4:
            return Node("((unsigned char *)(%s))[4 * %s + (%s & 3)] = (unsigned char)%s;" %
                        (base, way, self.expr("u", 1), self.expr("c", 2)))
        return Node("(%s)[%s] %s %s;" % (base, way, r.choice(["=", "+=", "^="]),
                                         self.expr("u", 2)))

    def atomic(self):
        r = self.r
        k = r.randrange(7)
        e, cell = self.expr("u", 1), self.index(4)
        return Node([
            "atomicAdd(&acc[%s], %s);", "atomicXor(&acc[4 + %s], %s);",
            "atomicMax(&acc[8 + %s], %s);", "atomicMin((int *)&acc[12 + %s], (int)%s);",
            "atomicOr(&acc[16 + %s], %s);",
            "atomicAdd((unsigned long long *)&acc[20] + %s, (unsigned long long)%s);",
            "atomicAnd(&acc[28 + %s], %s);"][k] % (cell, e))

    def call(self):
        r = self.r
        a, b = self.expr("u", 1), self.expr("u", 1)
        return Node([
            "u2 = descend(%s & 3, %s);" % (a, b), "u1 ^= fns[%s & 3](%s, t);" % (a, b),
            "{ pair pp = make_pair(%s, f0); u0 += pp.a; f1 = pp.b; l0 ^= pp.c; }" % a,
            "{ wide ww; for (unsigned k = 0; k < 6; k++) ww.w[k] = u0 + k * t; "
            "u1 += take_wide(ww, %s); }" % b,
            "u0 = f_early(%s, %s);" % (a, b)][r.randrange(5)])

    def escape(self, ctx):
        word = self.r.choice(["break", "continue"])
        return Node("if (%s)" % self.cond() + " %s;" % word)

    def leave(self, ctx):
        return Node("if ((%s & 31) == %d) { own[5 * N + N - 1 - g] ^= u0; return; }" %
                    (self.expr("u", 1), self.r.randrange(32)))

    def divergent_if(self, ctx):
        inner = ctx.inner()
        if self.r.random() < 0.5:
            return Node("if (%s) {" % self.cond(), self.few(inner), "}")
        return Node("if (%s) {" % self.cond(),
                    self.few(inner) + [Node("} else {")] + self.few(inner), "}")

    def uniform_if(self, ctx):
        # An escape in here would part the lanes; the loop around allows none then.
        inner = ctx.inner(ctx.uniform, ctx.mask)
        kids = self.few(inner)
        if self.r.random() < 0.5:
            kids += [Node("} else {")] + self.few(inner)
        return Node("if (%s) {" % self.uniform_cond(), kids, "}")

    def warp_uniform_if(self, ctx):
        return Node("if ((t / 32 + %s) & 1) {" % self.r.choice(["0", "1", "n", "bx"]),
                    self.few(ctx.inner(False, ctx.mask, False)), "}")

    def divergent_loop(self, ctx):
        r, inner = self.r, ctx.inner(loop=True)
        v = self.name_of("x")
        k = r.randrange(3)
        if k == 0:
            return Node("for (unsigned %s = 0; %s < (%s & %d) && --fuel > 0; %s++) {" %
                        (v, v, self.expr("u", 1), r.choice([3, 7, 15]), v),
                        self.few(inner) + [Node("u0 += %s;" % v)], "}")
        if k == 1:
            return Node("while (--fuel > 0 && (%s)) {" % self.cond(), self.few(inner), "}")
        return Node("do {", self.few(inner), "} while (--fuel > 0 && (%s));" % self.cond())

    def uniform_loop(self, ctx):
        r, v = self.r, self.name_of("x")
        together = r.random() < 0.7
        inner = ctx.inner(ctx.uniform and together, ctx.mask if together else None, not together)
        bound = r.choice(["%d" % r.randint(1, 4), "(%s & 3)" % self.uniform_int()])
        # Bound read once: what is in the loop may change what it is made of.
        kids = self.few(inner)
        kids += [Node(r.choice(["u0 += in[(%s + t) %% 256];", "u1 = u1 * 3 + %s;",
                                "f0 += (float)in[(%s * 8 + tx) %% 256];"]) % v)]
        return Node("for (unsigned %s = 0, %se = %s; %s < %se; %s++) {" % (v, v, bound, v, v, v),
                    kids, "}")

    def switch(self, ctx):
        r = self.r
        uniform = r.random() < 0.3
        inner = ctx.inner(ctx.uniform and uniform, ctx.mask if uniform else None,
                          False)
        kids = []
        for c in range(r.randint(2, 6)):
            kids += [Node("case %d:" % c)] + self.statements(inner, r.randint(1, 2))
            # Falling through would bring lanes together that a mask does not know of.
            if r.random() < 0.7 or uniform:
                kids += [Node("break;")]
        if r.random() < 0.6:
            kids += [Node("default:")] + self.few(inner)
        what = self.uniform_int() if uniform else self.expr("u", 2)
        return Node("switch (%s & 7) {" % what, kids, "}")

    def gotos(self, ctx):
        r = self.r
        n = r.randint(2, 4)
        labels = [self.name_of("L") for _ in range(n)]
        end = self.name_of("L")
        inner = ctx.inner(loop=False)
        kids = [Node("if (%s) goto %s;" % (self.cond(), r.choice(labels))) for _ in range(2)]
        for lab in labels:
            kids.append(Node("%s: if (--fuel < 0) goto %s;" % (lab, end)))
            kids += self.statements(inner, r.randint(1, 2))
            kids.append(Node("if (%s) goto %s;" %
                             (self.cond() if r.random() < 0.8 else self.uniform_cond(),
                              r.choice(labels + [end]))))
        return Node("{", kids + [Node("%s:;" % end)], "}")

    def warp_op(self, ctx):
        r, m = self.r, self.name_of("w")
        head = "{ unsigned %s = __ballot_sync(%s, true); " % (m, ctx.mask)
        t = r.choice("uilfd")
        v = r.choice(self.names[t])
        d = r.randrange(1, 32)
        k = r.randrange(9)
        if k < 4:
            op, src = [("__shfl_sync(%s, %s, %d)", "%d" % d),
                       ("__shfl_xor_sync(%s, %s, %d)", "(lane ^ %d)" % d),
                       ("__shfl_down_sync(%s, %s, %d)", "(lane + %d > 31 ? lane : lane + %d)" %
                        (d, d)),
                       ("__shfl_up_sync(%s, %s, %d)", "(lane < %d ? lane : lane - %d)" % (d, d))][k]
            x = op % (m, v, d)
            return Node(head + "%s y = %s; if (%s >> %s & 1) %s = y; }" % (TYPES[t], x, m, src, v))
        if k == 4:
            s = self.expr("u", 1)
            return Node(head + "unsigned s = %s & 31, y = __shfl_sync(%s, u0, s); "
                        "if (%s >> s & 1) u1 += y; }" % (s, m, m))
        if k == 5:
            return Node(head + "u2 ^= __ballot_sync(%s, %s); }" % (m, self.cond()))
        if k == 6:
            return Node(head + "p0 = %s(%s, %s); }" % (r.choice(["__any_sync", "__all_sync"]), m,
                                                       self.cond()))
        if k == 7:
            return Node(head + "u1 += __match_any_sync(%s, %s); }" %
                        (m, r.choice(["u0 & 3", "l0 & 1", "t / 4", "i0", "7u"])))
        return Node(head + "u0 = __reduce_%s_sync(%s, u%d); }" %
                    (r.choice(["add", "min", "max", "and", "or", "xor"]), m, r.randrange(3)))

    def masked_if(self, ctx):
        c, m = self.name_of("c"), self.name_of("m")
        return Node("{ bool %s = %s; unsigned %s = __ballot_sync(%s, %s); if (%s) {" %
                    (c, self.cond(), m, ctx.mask, c, c),
                    self.few(ctx.inner(False, m, False)), "}}")

    def masked_loop(self, ctx):
        c, m = self.name_of("c"), self.name_of("m")
        head = "{ unsigned %s = %s; for (int k%s = 0; k%s < 6; k%s++) { bool %s = %s; " % (
            m, ctx.mask, m, m, m, c, self.cond())
        head += "%s = __ballot_sync(%s, %s); if (!%s) break;" % (m, m, c, c)
        return Node(head, self.few(ctx.inner(False, m, False)), "}}")

    def barrier(self, ctx):
        r = self.r
        k = r.randrange(6)
        c = self.cond()
        if k == 0:
            return Node("__syncthreads();")
        if k == 1:
            return Node("u0 += __syncthreads_count(%s);" % c)
        if k == 2:
            return Node("un0 = %s(%s);" % (r.choice(["__syncthreads_count", "__syncthreads_or",
                                                     "__syncthreads_and"]), c))
        t, v = r.choice([("u", "sh"), ("f", "shf"), ("l", "shl"), ("h", "shh")])
        src = r.choice(["(t + %d) %% T", "(T - 1 - t + %d) %% T", "(t * %d) %% T",
                        "(u0 + %d) %% T", "(tx * blockDim.y + ty + %d) %% T", "(bx + %d) %% T"])
        src = src % r.choice([0, 1, 2, 5, 31])
        return Node("__syncthreads(); %s[t] = %s; __syncthreads(); %s = %s[%s];" %
                    (v, self.expr(t, 1), r.choice(self.names[t]), v, src))

    def turns(self, ctx):
        """Words go to neighbours in the turns of a loop, beside some that not all turns store, or
        not all threads, and others that are read in the next turn or behind the loop."""
        r, k = self.r, self.name_of("x")
        a, b = r.choice([1, 2, 5, 31]), r.randrange(40)
        some = ["if (%s) sh[(t + %d) %% T] = %s;" % (self.uniform_cond(), b, self.expr("u", 1)),
                "if (%s) sh[%d %% T] = un0 + %s;" % (self.uniform_cond(), b, k),
                "if (tx == %d && (%s)) sh[t] = %s;" % (b % 32, self.uniform_cond(),
                                                     self.expr("u", 1)),
                "if (%s) sh[t] = %s;" % (self.cond(), self.expr("u", 1)),
                "if (%s) ((unsigned char *)sh)[4 * t + %d] = %s;" % (self.uniform_cond(), b % 4, k),
                "if (%s) u1 += sh[T - 1 - t];" % self.uniform_cond(),
                "if (%s) break;" % self.uniform_cond()]
        reads = ["u0 += sh[(t + %d) %% T];" % a, "u0 ^= sh[(t + T - %d) %% T] * 3;" % a,
                 "u2 += sh[(t ^ 1) % T];", "if (%s) u0 += sh[(t + %d) %% T];" % (self.cond(), a),
                 "u0 += sh[u1 % T];"]
        lines = ["__syncthreads();"]
        if r.random() < 0.3:
            lines += [r.choice(reads), "__syncthreads();"]
        lines += ["sh[t] = %s;" % self.expr("u", 2), "__syncthreads();"]
        for line in r.sample(some, r.randint(0, 3)):
            lines += [line, "__syncthreads();"]
        lines += r.sample(reads, r.randint(1, 3))
        head = "for (unsigned %s = 0, %se = %s; %s < %se; %s++) {" % (
            k, k, r.choice(["n & 7", "%d" % r.randint(1, 5), "un0 & 3"]), k, k, k)
        end = r.choice(["} __syncthreads();", "} __syncthreads(); u0 += sh[T - 1 - t]; "
                        "__syncthreads();"])
        return Node(head, [Node(x) for x in lines], end)

    def split(self, ctx):
        """A block's words, four a thread, go to two places by a test, as their number in front of
        each thread says, which is summed up by shuffles. No two go to one place."""
        r = self.r
        k, b = self.name_of("ks"), self.name_of("bit")
        test, other = r.choice([
            ("{x} >> {b} & 1", "!({x} >> {b} & 1)"), ("!({x} >> {b} & 1)", "{x} >> {b} & 1"),
            ("{x} < {c}", "{x} >= {c}"), ("(int){x} < 0", "(int){x} >= 0"),
            ("{x} != {c}", "{x} == {c}"), ("(int){x} > (int)({c})", "(int){x} <= (int)({c})"),
            ("{x} & 4", "!({x} & 4)"), ("({x} ^ {b}) & 1", "!(({x} ^ {b}) & 1)")])
        word = r.choice(["{k}[i]", "{k}[i]", "{k}[i]", "{k}[3 - i]", "{k}[i ^ 1]"])
        form = dict(k=k, b=b, c=r.choice(["n", "un0", "1000000u", "0u"]), T=self.threads,
                    turns=r.choice(["1", "2", "3", "(un1 & 3)"]), first=r.choice(["0", "5", "30"]),
                    gap=r.choice(["0", "0", "0", "t", "bx & 1 ? t : 0"]),
                    init=self.expr("u", 1), more=self.expr("u", 1),
                    from_=r.choice(["t", "t", "t + 2 * T", "t * 3 % (4 * T)"]))
        form["x"] = word.format(**form)
        form["test"], form["other"] = test.format(**form), other.format(**form)
        form["pick"] = r.choice(["{test} ? one++ : zero++", "{other} ? zero++ : one++"]).format(**form)
        lines = ["{{ __shared__ alignas(16) unsigned sp{k}[{T} * 16]; __shared__ unsigned sw{k}[32];",
                 "__syncthreads(); for (int i = 0; i < 16; i++) sp{k}[t * 16 + i] = i * {T} + t;",
                 "__syncthreads(); for (int i = 0; i < 4; i++) sp{k}[t * 4 + i] = {init} + i * {more};",
                 "__syncthreads(); unsigned {k}[4]; uint4 q{k} = ((uint4 *)sp{k})[t]; __syncthreads();",
                 "{k}[0] = q{k}.x; {k}[1] = q{k}.y; {k}[2] = q{k}.z; {k}[3] = q{k}.w;",
                 "for (unsigned {b} = {first}, e{b} = {first} + {turns}; {b} < e{b} && {b} < 32; {b}++) {{",
                 "unsigned v = 0, sum, before = 0; for (int i = 0; i < 4; i++) v += ({test}) != 0;",
                 "sum = v; for (int d = 1; d < 32; d *= 2) {{",
                 "unsigned y = __shfl_up_sync(~0u, sum, d); if (lane >= d) sum += y; }}",
                 "if (lane == 31 || t == T - 1) sw{k}[t / 32] = sum; __syncthreads();",
                 "for (unsigned w = 0; w < (T + 31) / 32; w++) before += w < t / 32 ? sw{k}[w] : 0;",
                 "__syncthreads(); sum += before - v;",
                 "unsigned one = sum + ({gap}), zero = 8 * T + 4 * t - sum;",
                 "for (int i = 0; i < 4; i++) sp{k}[{pick}] = {x};",
                 "__syncthreads(); q{k} = ((uint4 *)sp{k})[{from_}]; __syncthreads();",
                 "{k}[0] = q{k}.x; {k}[1] = q{k}.y; {k}[2] = q{k}.z; {k}[3] = q{k}.w;"]
        if r.random() < 0.3:
            form["cond"], form["which"] = self.cond(), r.randrange(4)
            lines.append("if ({cond}) {k}[{which}] += {more};")
        lines.append("}} u0 += {k}[0] ^ {k}[1] * 3; u1 ^= {k}[2] - {k}[3]; }}")
        return Node("\n".join(line.format(**form) for line in lines))

    def abreast(self, ctx):
        """Rows of scalars, most often alike in the block, that go through the same steps, but one
        here and there, side by side or one row behind the other."""
        r = self.r
        y = self.name_of("row")
        rows = r.randrange(2, 7)
        text = "{ float %s[%d], %sx[%d];\n" % (y, rows, y, rows)
        for i in range(rows):
            form = r.choice(["__uint_as_float(in[(%s + %d) & 255])", "(float)(int)in[(%s + %d) & 255]",
                             "(float)(%s) * %d.5f"])
            text += "%s[%d] = %sx[%d] = %s;\n" % (y, i, y, i, form % (self.uniform_int(), i))
        if r.random() < 0.2:
            text += "%s[%d] += %s;\n" % (y, r.randrange(rows), self.expr("f", 1))
        steps = ["{y} * {c} + {x}", "{y} + {c}", "{y} / ({x} * {x} + {c})", "{y} * {x} - {y}",
                 "sqrtf({y} * {y} + {c})", "__expf({y} * {c})", "fmaxf({y}, {x})", "-{y} + {c}",
                 "{y} < {c} ? {y} * 3.0f : {x}", "{y} <= {x} ? {x} - {y} : {y}", "({y} - {x}) * {y}"]
        lines = []
        for n in range(r.randrange(4, 14)):
            step, c = r.choice(steps), r.choice(["0.5f", "2.0f", "-1.25f", "0.125f", "100.0f"])
            odd = r.randrange(rows) if r.random() < 0.1 else -1
            for i in range(rows):
                if i == odd:
                    step = r.choice(steps + ["{before} + {y}"])
                here = dict(y="%s[%d]" % (y, i), x="%sx[%d]" % (y, i), c=c,
                            before="%s[%d]" % (y, i - 1 if i else rows - 1))
                lines.append((n, i, "{y} = {step};".format(step=step.format(**here), **here)))
            if r.random() < 0.1:
                lines.append((n, rows, "%s = %s[%d];" % (r.choice(self.names["f"]), y,
                                                         r.randrange(rows))))
        if r.random() < 0.5:
            lines.sort(key=lambda x: (x[1], x[0]))
        text += "\n".join(x[2] for x in lines)
        for i in range(rows):
            text += "\nf%d %s %s[%d];" % (i % 2, r.choice(["+=", "-=", "*="]), y, i)
        return Node(text + " }")

    def pitched(self, ctx):
        """Rows of a table whose pitch the launch knows go through shared memory: sums that could
        wrap, and do for some n, each with a test of its own."""
        r = self.r
        k = self.name_of("tile")
        form = dict(k=k, T=self.threads, rows=r.choice([4, 8, 12]),
                    many=r.choice(["un0", "n", "3", "(n >> 5)"]),
                    x=r.choice(["tx", "tx", "t", "tx + bx"]), y=r.choice(["ty", "ty + bx", "tz"]),
                    type=r.choice(["int", "unsigned"]), back=r.choice(["t ^ 1", "T - 1 - t", "t"]),
                    most=r.choice(["256u", "256u", "100u"]))
        lines = ["{{ __shared__ unsigned s{k}[{rows}][{T}]; __syncthreads();",
                 "for (int i = 0; i < {rows}; i++) {{ {type} at = ({type})(({y} + i) * {many} + {x});",
                 "s{k}[i][t] = (unsigned)at < {most} ? in[at] : i; }} __syncthreads();",
                 "for (int i = 0; i < {rows}; i++) u{u} += s{k}[i][({back}) % T] * (i + 1);",
                 "__syncthreads(); }}"]
        return Node("\n".join(x.format(u=r.randrange(3), **form) for x in lines))

    def parted_barrier(self, ctx):
        """Threads of one warp wait at different barriers of the text, all of the block at each."""
        r = self.r
        v = r.choice(["sh[t] = u0;", "sh[t] ^= t;", "loc[t & 7] = u1;"])
        wait = "asm volatile(\"bar.sync 0;\" ::: \"memory\");"
        inner = ctx.inner(loop=False)
        return Node("__syncthreads(); if (%s) {" % self.cond(),
                    self.few(inner) + [Node(v), Node(wait), Node("} else {")] + self.few(inner) +
                    [Node(wait)], "} __syncthreads(); u0 += sh[(t + %d) %% T]; __syncthreads();" %
                    r.randrange(40))

    def render(self, out):
        r = out.append
        r('extern "C" __global__ void %s(const unsigned *in, unsigned *own, unsigned *acc, '
          'unsigned n) {' % self.name)
        r("    const unsigned T = %d, N = %d;" % (self.threads, self.total))
        r("    __shared__ unsigned sh[%d]; __shared__ float shf[%d];" % (self.threads, self.threads))
        r("    __shared__ unsigned long long shl[%d]; __shared__ unsigned short shh[%d];" %
          (self.threads, self.threads))
        r("    unsigned tx = threadIdx.x, ty = threadIdx.y, tz = threadIdx.z;")
        r("    unsigned t = tx + blockDim.x * (ty + blockDim.y * tz), lane = t & 31;")
        r("    unsigned bx = blockIdx.x + gridDim.x * blockIdx.y, g = bx * T + t;")
        r("    unsigned un0 = n >> 3, un1 = bx + 2, full = __ballot_sync(0xffffffffu, true);")
        r("    int fuel = 60;")
        r("    unsigned loc[8]; unsigned char lob[16];")
        r("    for (int k = 0; k < 8; k++) { loc[k] = t * k; lob[k] = k; lob[k + 8] = t; }")
        r("    sh[t] = t; shf[t] = 1.0f; shl[t] = g; shh[t] = 9; __syncthreads();")
        for t, names in self.names.items():
            for k, v in enumerate(names):
                if t == "p":
                    init = "(in[(t + %d) %% 256] & 1) != 0" % k
                elif t == "f":
                    init = "__uint_as_float(in[(g + %d) %% 256])" % k
                else:
                    init = "(%s)in[(g * %d + %d) %% 256]" % (TYPES[t], k + 1, k)
                r("    %s %s = %s;" % (TYPES[t], v, init))
        for node in self.body:
            node.render(out, 1)
        k = REGIONS
        for t, names in self.names.items():
            for v in names:
                value = v if t not in "fd" else ("__float_as_uint(%s)" if t == "f" else
                                                 "__double_as_longlong(quiet(%s))") % v
                r("    own[%d * N + g] = (unsigned)%s;" % (k, value))
                k += 1
                if t in "lqd":
                    r("    own[%d * N + g] = (unsigned)(%s >> 32);" % (k, value))
                    k += 1
        r("    own[%d * N + g] = loc[0] + loc[1] * 3 + loc[u0 & 7] * 5 + lob[t & 15] + "
          "lob[u1 & 15] * 7 + un0 + un1 + fuel;" % k)
        r("}")
        self.words = (k + 1) * self.total

    def bodies(self):
        return [self.body]

    def run_line(self):
        return "// run: %s grid=%d,%d block=%d,%d,%d args=buf:256:%s,buf:%d:zero,buf:64:zero,u32:%d" \
            % (self.name, self.grid[0], self.grid[1], *self.block, self.pattern, self.words, self.n)


def make_file(seed, per_file=2):
    rng = random.Random(seed)
    return [Kernel(rng, "k%d" % k) for k in range(per_file)]


def text_of(kernels):
    body, lines = [], []
    for k in kernels:
        k.render(body)
        lines.append(k.run_line())
    return "\n".join(lines + [PRELUDE] + body) + "\n"
