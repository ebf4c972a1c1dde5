"""Random kernels as PTX: what CUDA C cannot say is in here too (brx.idx, irreducible flow, predicates,
vectors, .param memory, carry chains, packed halves, bit fields, video instructions).

A kernel keeps values in named registers of each class; each statement computes with them. At the end
all are stored. Kernels end (loops spend fuel), have no races (threads store to places of their own),
and print the same on every correct implementation: barriers stand in uniform flow, warp operations
name masks made by votes, atomics on shared cells commute, NaNs that f64 arithmetic makes are
replaced."""
import random

import random_forms
import random_places
import random_products
import random_tensors
import random_waits
from random_tree import Context, Node

SHAPES = [(32, 1, 1), (64, 1, 1), (7, 1, 1), (33, 1, 1), (40, 1, 1), (5, 3, 1), (8, 8, 1),
          (16, 4, 1), (3, 5, 3), (4, 4, 4), (2, 17, 1), (1, 40, 1), (32, 2, 1), (64, 1, 1),
          (1, 1, 1), (32, 3, 1), (12, 2, 3), (96, 1, 1), (32, 1, 1), (16, 2, 1), (128, 1, 1)]
CLASSES = {"p": ("pred", 4), "h": ("b16", 4), "r": ("b32", 7), "l": ("b64", 5), "f": ("f32", 4),
           "d": ("f64", 2), "q": ("b128", 2)}
CLASS_OF_BITS = {1: "p", 16: "h", 32: "r", 64: "l", 128: "q"}
BITS = random_forms.BITS
OWN_BYTES, REGIONS = 64, 6  # a thread's own memory, and words of each thread by region
CELLS, SHARED_CELLS = 64, 32  # words for atomics
EDGES = [0, 1, 2, 3, 7, 8, 15, 16, 31, 32, 33, 63, 64, 255, 0x7f, 0x80, 0x7fff, 0x8000, 0xffff, 0x7fffffff,
         0x80000000, 0xffffffff, 0x3c00, 0x7e00, 0x3f80, 0x7fc0, 0x7f800000, 0x7fc00000, 0x3f800000]
FLOATS = ["0f00000000", "0f80000000", "0f3F800000", "0fC0200000", "0f7F800000", "0f7F7FFFFF",
          "0f00000001", "0f3F000000", "0f4F000000", "0f7FC00000", "0f42F60000"]
DOUBLES = ["0d0000000000000000", "0d8000000000000000", "0d3FF0000000000000", "0dC004000000000000",
           "0d7FF0000000000000", "0d41E0000000000000", "0d0000000000000001", "0d40F86A0000000000"]
# Atomics that commute: operation, type, first cell, cells, how the operand is made.
COMMUTING = [("add", "u32", 0, 4, "r"), ("xor", "b32", 4, 4, "r"), ("max", "u32", 8, 4, "r"),
             ("min", "s32", 12, 4, "r"), ("or", "b32", 16, 4, "r"), ("add", "u64", 20, 4, "l"),
             ("and", "b32", 28, 2, "r"), ("inc", "u32", 30, 2, "bound"), ("add", "f32", 32, 2, "small"),
             ("add.noftz", "f16x2", 34, 2, "ones"), ("max", "s64", 36, 2, "l"), ("max", "s32", 40, 2, "r"),
             ("add", "s32", 42, 2, "r"), ("min", "u32", 44, 2, "r"), ("xor", "b64", 46, 2, "l")]
SHARED_COMMUTING = [("add", "u32", 0, 4, "r"), ("xor", "b32", 4, 4, "r"), ("max", "u32", 8, 2, "r"),
                    ("min", "s32", 10, 2, "r"), ("or", "b32", 12, 2, "r"), ("add", "u64", 14, 2, "l"),
                    ("inc", "u32", 18, 2, "bound"), ("add", "f32", 20, 2, "small"),
                    ("max", "u64", 22, 1, "l")] # 24 to 27 are the tickets'
LOCK = 28  # and what it guards behind it
SIGNATURES = [("b32", ("b32", "b32")), ("b32", ("b32", "b64")), ("b64", ("b64", "b32", "f32")),
              ("f32", ("f32", "f32")), (None, ("b32", "ptr")), ("b32", ("struct", "b32")),
              ("struct", ("b32", "f32")), ("b16", ("b16", "b32")), ("f64", ("f64", "b32")),
              ("pred", ("b32", "b32"))]


class Body:
    """A kernel or function: registers, and statements over them."""

    def __init__(self, rng, name, functions, fuel):
        self.r, self.name, self.functions, self.fuel = rng, name, functions, fuel
        self.count = {}
        self.pools = {c: ["%%%s%d" % (c, k) for k in range(n)] for c, (_, n) in CLASSES.items()}
        self.indices = []
        self.maker = random_forms.Maker(rng, self.source, self.target)
        self.returns = self.exits = self.parted = self.matrices = self.locks = False
        self.meets = self.texture = self.cluster = self.warpgroup = False
        self.has_places = self.ring = False
        self.tensors = None
        self.budget = 0

    # Registers and names.
    def temp(self, c):
        n = self.count[c] = self.count.get(c, 0) + 1
        return "%%t%s%d" % (c, n)

    def label(self):
        n = self.count["L"] = self.count.get("L", 0) + 1
        return "L%d" % n

    def reg(self, c):
        return self.r.choice(self.pools[c])

    def class_of(self, ty, relaxed=False):
        bits = BITS[ty]
        if ty == "f32" and self.r.random() < 0.75:
            return "f"
        if ty == "f64" and self.r.random() < 0.75:
            return "d"
        if bits == 8:
            return self.r.choice("hhrrl")
        if relaxed and bits < 64 and ty[0] in "us" and self.r.random() < 0.2:
            return "l" if bits == 32 else self.r.choice("rl")
        return CLASS_OF_BITS[bits]

    def source(self, ty, relaxed, register):
        r = self.r
        if not register and ty not in ("pred", "b128") and r.random() < 0.15:
            c = self.constant(ty)
            if c:
                return c
        if ty in ("u32", "s32", "b32") and r.random() < 0.12:
            return r.choice(self.indices)
        return self.reg(self.class_of(ty, relaxed))

    def target(self, ty, relaxed, n):
        return self.r.sample(self.pools[self.class_of(ty, relaxed)], n)

    def constant(self, ty):
        r = self.r
        if ty == "f32":
            return r.choice(FLOATS)
        if ty == "f64":
            return r.choice(DOUBLES)
        if ty in random_forms.FORMATS or ty in ("u16x2", "s16x2") or BITS[ty] < 16:
            return None
        bits = BITS[ty]
        v = r.choice(EDGES) if r.random() < 0.8 else r.getrandbits(bits)
        v &= (1 << bits) - 1
        return "%d" % (v - (1 << bits) if ty[0] == "s" and v >> (bits - 1) else v)

    # Values.
    def cond(self, uniform=False):
        """Text that makes a predicate, and the predicate."""
        r = self.r
        p = self.temp("p")
        if uniform:
            a = self.temp("r")
            text = "and.b32 %s, %s, %d;\nsetp.%s.u32 %s, %s, %d;" % (
                a, self.uniform(), r.choice([1, 3, 7]), r.choice(["eq", "ne", "lt", "gt"]), p, a,
                r.randrange(4))
            return text, p
        k = r.randrange(8)
        if k == 0:
            return "", self.reg("p")
        if k == 1:
            return "setp.%s.u32 %s, %s, %d;" % (r.choice(["lt", "gt", "eq", "ne", "ge"]), p,
                                                r.choice(self.indices), r.choice([0, 1, 5, 16, 33])), p
        if k < 5:
            a = self.temp("r")
            return "and.b32 %s, %s, %d;\nsetp.%s.u32 %s, %s, %d;" % (
                a, r.choice([self.reg("r")] * 3 + self.indices), r.choice([1, 3, 7]),
                r.choice(["eq", "ne", "lt"]), p, a, r.randrange(1, 5)), p
        ty = r.choice(["s32", "u64", "s16", "f32", "f64", "f16", "s64"])
        cmp = r.choice(["lt", "le", "gt", "eq", "ne"] + (["ltu", "num", "neu"] if ty[0] == "f" else []))
        text = "setp.%s.%s %s, %s, %s;" % (cmp, ty, p, self.source(ty, False, True),
                                          self.source(ty, False, False))
        if k == 7:
            q = self.temp("p")
            text += "\n%s.pred %s, %s, %s;" % (r.choice(["and", "or", "xor"]), q, p, self.reg("p"))
            return text, q
        return text, p

    def uniform(self):
        return self.r.choice(["%un0", "%un1", "%n", "%bx"])

    def index(self, n):
        """Text that makes an index below n, a power of two, and its register."""
        r = self.r
        i = self.temp("r")
        c = r.choice([1, 2, 3, 4, 5, 7, 8, 16, 33, 100, 250])
        x = r.choice(self.indices + ["%t", "%g"])
        text = r.choice([
            "mov.u32 {i}, {x};", "add.s32 {i}, {x}, {c};", "sub.s32 {i}, {c}, {x};",
            "mul.lo.s32 {i}, {x}, {c};", "mad.lo.s32 {i}, %ty, {c}, %tx;", "mad.lo.s32 {i}, {x}, {c}, %n;",
            "add.s32 {i}, {u}, {x};", "shr.u32 {i}, {x}, 1;", "shl.b32 {i}, {x}, 2;", "xor.b32 {i}, {x}, {c};",
            "mov.u32 {i}, {u};", "add.s32 {i}, {v}, {c};", "mov.u32 {i}, {v};", "mad.lo.s32 {i}, {u}, {c}, {x};",
            "cvt.u32.u16 {i}, {h};", "bfe.u32 {i}, {x}, 1, 5;", "cvt.u32.u64 {i}, {l};"])
        text = text.format(i=i, x=x, c=c, u=self.uniform(), v=self.reg("r"), h=self.reg("h"), l=self.reg("l"))
        return text + "\nand.b32 %s, %s, %d;" % (i, i, n - 1), i

    def address(self, base, count, size):
        """Text and register of the address of one of count elements behind base."""
        text, i = self.index(count)
        a, w = self.temp("l"), self.temp("l")
        return text + "\nmul.wide.u32 %s, %s, %d;\nadd.s64 %s, %s, %s;" % (w, i, size, a, base, w), a

    # Statements.
    def statements(self, ctx, n):
        return [self.statement(ctx) for _ in range(n)]

    def few(self, ctx):
        return self.statements(ctx, self.r.randint(1, 3))

    def statement(self, ctx):
        r = self.r
        self.budget -= 1
        if ctx.depth >= 4 or self.budget < 0:
            return self.simple(ctx)
        kinds = [self.simple] * 12 + [self.divergent_if] * 3 + [self.uniform_if] * 2
        kinds += [self.divergent_loop] * 3 + [self.uniform_loop] * 2 + [self.switch] * 2 + [self.maze] * 2
        if ctx.loop:
            kinds += [self.escape] * 3
        if (self.returns or self.exits) and not (ctx.mask and not self.exits):
            kinds += [self.leave]
        if ctx.mask:
            kinds += [self.warp_op] * 4 + [self.masked_if, self.masked_loop]
        if ctx.uniform:
            kinds += [self.barrier] * 3 + [self.warp_uniform_if]
            if self.has_places:
                kinds += [self.alike]
            if self.kernel:
                kinds += [self.wait] * (4 if self.ring else 1)
            if self.parted:
                kinds += [self.parted_barrier] * 2
            if self.matrices:
                kinds += [self.matrix] * 16
            if self.meets:
                kinds += [self.meet] * 6 + [self.bulk] * 4
            if self.tensors:
                kinds += [self.tensor] * 12
            if self.cluster and ctx.depth == 0: # deeper, a cluster's blocks may part
                kinds += [self.across_cluster] * 10
                if self.meets:
                    kinds += [self.send] * 10
        if self.locks:
            kinds += [self.lock]
        return r.choice(kinds)(ctx)

    def simple(self, ctx):
        r = self.r
        k = r.randrange(27)
        if k < 11:
            return self.compute()
        if k == 11:
            return self.carry_chain()
        if k < 15:
            return self.load()
        if k < 17:
            return self.store()
        if k == 17:
            return self.atomic()
        if k == 18:
            return self.own_atomic()
        if k == 19 and ctx.uniform:
            return Node("%s.u32 %s, %s, %s;" % (r.choice(["add", "mul.lo", "sub", "min"]),
                                               r.choice(["%un0", "%un1"]), self.uniform(), self.uniform()))
        if k in (20, 21) and self.functions:
            return self.call(ctx)
        if k == 22:
            return self.odd()
        if k >= 23 and self.has_places:
            return Node(random_places.statement(self))
        if k >= 21 and self.texture:
            return self.sample()
        return self.compute()

    def guard(self):
        """A guard for an instruction, seldom."""
        if self.r.random() < 0.88:
            return ""
        return "@%s%s " % (self.r.choice(["", "!"]), self.reg("p"))

    def compute(self):
        """One to three instructions out of the table."""
        lines = []
        for _ in range(self.r.randint(1, 3)):
            i = self.maker.instruction()
            lines.append(self.guard() + i.text)
            for name, ty in i.written:
                if i.computes and ty == "f64":
                    lines += self.no_nan(name)
        return Node("\n".join(lines))

    def no_nan(self, name):
        """NaNs of f64 keep payloads on hardware, of one operand or the other: replaced."""
        p, d = self.temp("p"), self.temp("d")
        return ["mov.b64 %s, %s;" % (d, name), "testp.notanumber.f64 %s, %s;" % (p, d),
                "@%s mov.b64 %s, 4611686018427387904;" % (p, name)]

    def carry_chain(self):
        r = self.r
        ty = r.choice(["u32", "u32", "s32", "u64"])
        c = "l" if ty == "u64" else "r"
        n = r.randint(2, 4)
        d = r.sample(self.pools[c], n)
        first, then = r.choice([("add", "addc"), ("sub", "subc"), ("mad.lo", "madc.hi"),
                                ("add", "subc"), ("mad.hi", "addc")])
        lines = []
        for k in range(n):
            op = first if k == 0 else then
            cc = ".cc" if k < n - 1 else ""
            ops = ", ".join(self.source(ty, False, False) for _ in range(3 if op.startswith("mad") else 2))
            lines.append("%s%s.%s %s, %s;" % (op, cc, ty, d[k], ops))
        return Node("\n".join(lines))

    # Memory.
    def spaces(self):
        """(space, base register, bytes, may be written, other spellings of the space)."""
        return [(".global", "%in", 1024, False), (".global.nc", "%in", 1024, False), ("", "%in", 1024, False),
                (".global", "%mine", OWN_BYTES, True), ("", "%mine", OWN_BYTES, True),
                (".local", "%loc", 64, True), ("", "%gloc", 64, True), (".local", "%loc", 64, True),
                (".const", "%tab", 64, False), ("", "%gtab", 64, False), (".global", "%look", 128, False)]

    def memory_type(self, limit=16):
        r = self.r
        ty = r.choice(["b8", "u8", "s8", "b16", "u16", "s16", "b32", "u32", "s32", "b64", "u64", "s64", "f32",
                       "f64", "f32", "b32", "b128"])
        size = max(BITS[ty] // 8, 1)
        n = r.choice([1, 1, 1, 2, 4])
        while n > 1 and size * n > limit:
            n //= 2
        return ty, size, n

    def registers_for(self, ty, n, relaxed=True):
        """n registers that a load of ty fills, or a store of ty takes."""
        c = "q" if ty == "b128" else self.class_of(ty, relaxed)
        return self.r.sample(self.pools[c], n)

    def load(self):
        r = self.r
        space, base, size, writable = r.choice(self.spaces())
        ty, width, n = self.memory_type()
        text, a = self.address(base, size // (width * n), width * n)
        names = self.registers_for(ty, n)
        vec = "" if n == 1 else ".v%d" % n
        how = r.choice(["", "", "", "", ".volatile", ".relaxed.gpu", ".weak", ".ca", ".L1::evict_last"])
        if "nc" in space or space in (".const", ".local") or ty == "b128":
            how = ""
        op = "ld" + (space + how if how == ".ca" or "L1" in how else how + space)
        operand = names[0] if n == 1 else "{%s}" % ", ".join(names)
        return Node("%s\n%s%s%s.%s %s, [%s];" % (text, self.guard(), op, vec, ty, operand, a))

    def store(self):
        r = self.r
        if r.random() < 0.35:
            return self.store_region()
        space, base, size, _ = r.choice([s for s in self.spaces() if s[3]])
        ty, width, n = self.memory_type()
        text, a = self.address(base, size // (width * n), width * n)
        names = self.registers_for(ty, n)
        how = r.choice(["", "", "", ".volatile", ".relaxed.gpu", ".wb"])
        if space == ".local" or ty == "b128":
            how = ""
        op = "st" + (space + how if how == ".wb" else how + space)
        operand = names[0] if n == 1 else "{%s}" % ", ".join(names)
        return Node("%s\n%s%s%s.%s [%s], %s;" % (text, self.guard(), op, "" if n == 1 else ".v%d" % n, ty, a,
                                                operand))

    def store_region(self):
        """One word of each thread: each region has one way to hand out its words."""
        k = self.r.randrange(REGIONS)
        ty, part = [("u32", 0), ("f32", 0), ("u16", 2), ("u8", 3), ("b32", 0), ("s16", 0)][k]
        name = self.registers_for(ty, 1)[0]
        return Node("%sst.global.%s [%%region%d+%d], %s;" % (self.guard(), ty, k & 1, k // 2 * 4 * self.total
                                                            + part if k // 2 else part, name))

    def operand_of_atomic(self, how):
        if how == "r":
            return "", self.source("u32", False, False)
        if how == "l":
            return "", self.reg("l")
        if how == "bound":
            return "", "1000003"
        a = self.temp("r")
        if how == "ones":
            return "and.b32 %s, %s, 1;\nselp.b32 %s, 1006648320, 15360, %s;" % (
                a, self.reg("r"), a, self.reg("p")), a
        f = self.temp("f")
        return "and.b32 %s, %s, 15;\ncvt.rn.f32.u32 %s, %s;" % (a, self.reg("r"), f, a), f

    def atomic(self):
        """An operation on a cell that all threads have; only what does not depend on order is used."""
        r = self.r
        shared = self.has_shared and r.random() < 0.4
        base = "%sacc" if shared else "%acc"
        space = ".shared" if shared else r.choice([".global", ".global", ""])
        if r.random() < 0.15:
            return self.ticket(base, space, shared)
        op, ty, first, n, how = r.choice(SHARED_COMMUTING if shared else COMMUTING)
        size = 8 if BITS[ty] == 64 else 4
        text, value = self.operand_of_atomic(how)
        where, a = self.address(base, n, size)
        lines = text + "\n" + where + "\n"
        if r.random() < 0.6:
            sem = r.choice(["", ".relaxed.gpu", ".release.cta" if shared else ".acq_rel.gpu"])
            return Node(lines + "%sred%s%s.%s.%s [%s+%d], %s;" % (self.guard(), sem, space, op, ty, a, first * 4,
                                                                value))
        d = self.temp({"l": "l", "small": "f"}.get(how, "r"))
        return Node(lines + "%satom%s.%s.%s %s, [%s+%d], %s;" % (self.guard(), space, op, ty, d, a, first * 4,
                                                               value))

    def ticket(self, base, space, shared):
        """The sum of the tickets that are drawn does not depend on who draws which; a sum by
        compare-and-swap commutes."""
        r = self.r
        cell, total = (24, 25) if shared else (52, 53)
        d = self.temp("r")
        if r.random() < 0.5:
            op = r.choice(["add.u32 %s, [%s+%d], 1;", "inc.u32 %s, [%s+%d], 1000003;"]) % (d, base, cell * 4)
            return Node("atom%s.%s\nred%s.add.u32 [%s+%d], %s;" % (space, op, space, base, total * 4, d))
        loop, p, got, new = self.label(), self.temp("p"), self.temp("r"), self.temp("r")
        return Node("ld.relaxed.gpu%s.u32 %s, [%s+%d];\n%s:\nadd.u32 %s, %s, %s;\natom%s.cas.b32 %s, [%s+%d], %s,"
                    " %s;\nsetp.ne.u32 %s, %s, %s;\nmov.u32 %s, %s;\n@%s bra %s;" % (
                        space, d, base, total * 4 + 8, loop, new, d, self.r.choice(["%t", "%g", "7"]), space, got,
                        base, total * 4 + 8, d, new, p, got, d, d, got, p, loop))

    def own_atomic(self):
        """On memory of the thread's own every result counts."""
        r = self.r
        space, base, size = r.choice([(".global", "%mine", 64), ("", "%mine", 64)] +
                                     ([(".shared", "%smine", 16)] * 2 if self.has_shared else []))
        op, ty = r.choice([("add", "u32"), ("add", "u64"), ("add", "f32"), ("exch", "b32"), ("exch", "b64"),
                           ("cas", "b32"), ("cas", "b64"), ("cas", "b16"), ("inc", "u32"), ("dec", "u32"),
                           ("min", "s64"), ("max", "u32"), ("and", "b64"), ("xor", "b32"),
                           ("add.noftz", "f16x2"), ("add.noftz", "bf16"), ("exch", "b128")])
        width = BITS[ty] // 8
        text, a = self.address(base, size // width, width)
        d, *values = [self.registers_for(ty, 1, False)[0] for _ in range(3 if op == "cas" else 2)]
        values = ", ".join(values)
        if op == "add" and ty == "f32":
            d, values = self.reg("f"), self.reg("f")
        return Node("%s\n%satom%s.%s.%s %s, [%s], %s;" % (text, self.guard(), space, op, ty, d, a, values))

    def odd(self):
        """What is seldom written: address conversions, .param memory, the stack, asynchronous copies."""
        r = self.r
        k = r.randrange(6)
        if k == 0:
            p, q, a = self.temp("p"), self.temp("p"), self.temp("l")
            return Node("selp.b64 %s, %s, %s, %s;\nisspacep.%s %s, %s;\n@%s ld.b32 %s, [%s+%d];\n"
                        "selp.b32 %s, 1, %s, %s;" % (
                            a, r.choice(["%gloc", "%mine"]), r.choice(["%gtab", "%in", "%gloc"]), self.reg("p"),
                            r.choice(["global", "local", "const", "shared"]), p, a, self.reg("p"), self.reg("r"),
                            a, r.choice([0, 4, 12]), self.reg("r"), self.reg("r"), p) if q else "")
        if k == 1:
            s, a, v = self.temp("l"), self.temp("l"), self.reg("r")
            return Node("stacksave.u64 %s;\nalloca.u64 %s, %d, 16;\nst.local.u32 [%s+8], %s;\nst.local.u16 [%s+9+1]"
                        ", %s;\nld.local.u32 %s, [%s+8];\nstackrestore.u64 %s;" % (
                            s, a, r.choice([16, 32, 64]), a, self.reg("r"), a, self.reg("h"), v, a, s))
        if k == 2 and self.kernel:
            size = r.choice([4, 8, 16])
            text, a = self.address("%in", 1024 // size, size)
            return Node("%s\n%scp.async.ca.shared.global [%%smine], [%s], %d%s;\ncp.async.wait_all;" % (
                text, self.guard(), a, size, r.choice(["", ", %d" % (size // 2)])))
        if k == 3 and self.kernel:
            ty, width, _ = self.memory_type(8)
            if ty == "b128":
                ty, width = "u8", 1
            return Node("ld.param.%s %s, [%s_blob+%d];" % (ty, self.registers_for(ty, 1)[0], self.name,
                                                         r.randrange(8 // width) * width))
        if k == 4:
            return Node("fence.%s;" % r.choice(["acq_rel.gpu", "sc.cta", "acq_rel.cta"]))
        return Node("mov.u32 %s, %s;" % (self.reg("r"), r.choice([
            "%tid.x", "%ntid.y", "%ctaid.x", "%laneid", "%lanemask_lt", "%lanemask_ge", "%lanemask_eq",
            "%nctaid.y", "%tid.z", "%warpid"])))

    # Calls.
    def call(self, ctx):
        r = self.r
        f = r.choice(self.functions)
        if f.kind == "warp" and not ctx.mask or f.kind == "block" and not ctx.uniform:
            f = self.functions[0]
        result, params = f.signature
        mark = self.count["call"] = self.count.get("call", 0) + 1
        lines, names = ["{"], []
        for k, ty in enumerate(params):
            name = "c%d_%d" % (mark, k)
            names.append(name)
            lines += self.pass_value(ty, name, ctx)
        out = "c%d_r" % mark
        if result:
            lines.append(".param %s;" % param_decl(result, out))
        head = "(%s), " % out if result else ""
        # A call in flow that all threads take together stays so.
        guard = self.guard() if f.kind == "plain" else ""
        if f.indirect and r.random() < 0.7:
            text, i = self.index(4)
            a, b, proto = self.temp("l"), self.temp("l"), "P%s%d" % (self.name, mark)
            lines += text.split("\n") + ["mul.wide.u32 %s, %s, 8;" % (a, i), "add.s64 %s, %s, %%fns;" % (a, a),
                                         "ld.global.u64 %s, [%s];" % (b, a),
                                         "%s: .callprototype (.param .b32 _) _ (.param .b32 _, .param .b32 _);" %
                                         proto,
                                         "%scall %s%s, (%s), %s;" % (guard, head, b, ", ".join(names), proto)]
        else:
            lines.append("%scall%s %s%s, (%s);" % (guard, "", head, f.name, ", ".join(names)))
        if result and guard:  # what a call that is not made leaves is not defined
            lines += [guard.strip() + " " + x for x in self.take_value(result, out)]
        elif result:
            lines += self.take_value(result, out)
        return Node("\n".join(lines + ["}"]))

    def pass_value(self, ty, name, ctx):
        r = self.r
        lines = [".param %s;" % param_decl(ty, name)]
        if ty == "struct":
            return lines + ["st.param.b32 [%s], %s;" % (name, self.reg("r")),
                            "st.param.f32 [%s+4], %s;" % (name, self.reg("f")),
                            "st.param.v2.b16 [%s+8], {%s, %s};" % (name, self.reg("h"), self.reg("h")),
                            "st.param.b32 [%s+12], %s;" % (name, r.choice(self.indices))]
        if ty == "ptr":
            return lines + ["st.param.b64 [%s], %s;" % (name, r.choice(["%gloc", "%mine"]))]
        if ty == "mask":
            return lines + ["st.param.b32 [%s], %s;" % (name, ctx.mask)]
        return lines + ["st.param.%s [%s], %s;" % (ty, name, self.source(ty, False, ty == "f64"))]

    def take_value(self, ty, name):
        if ty == "struct":
            return ["ld.param.v2.b32 {%s, %s}, [%s];" % (*self.r.sample(self.pools["r"], 2), name),
                    "ld.param.b64 %s, [%s+8];" % (self.reg("l"), name)]
        if ty == "pred":
            ty = "b32"
        return ["ld.param.%s %s, [%s];" % (ty, self.reg(self.class_of(ty)), name)]

    # Control.
    def escape(self, ctx):
        text, p = self.cond()
        return Node("%s\n@%s%s bra %s;" % (text, self.r.choice(["", "!"]), p, self.r.choice(ctx.loop)))

    def leave(self, ctx):
        text, i = self.index(32)
        p = self.temp("p")
        word = "exit" if self.exits and (self.kernel or self.r.random() < 0.3) else "ret"
        if ctx.mask and not self.kernel:
            word = "exit"
        return Node("%s\nsetp.eq.u32 %s, %s, %d;\n@%s %s;" % (text, p, i, self.r.randrange(32), p, word))

    def branch_over(self, text, p, kids, other, loose):
        """An if: kids where p holds, other (or None) where it does not."""
        end = self.label()
        negated = self.r.random() < 0.5
        if negated:  # as compilers write it: the rest is jumped over where p does not hold
            text, jump = text, "@!%s bra %s;"
        else:
            q = self.temp("p")
            text, p, jump = text + "\nnot.pred %s, %s;" % (q, p), q, "@%s bra %s;"
        if other is None:
            return Node("%s\n%s" % (text, jump % (p, end)), kids, end + ":", loose)
        middle = self.label()
        return Node("%s\n%s" % (text, jump % (p, middle)), kids + [Node("bra %s;\n%s:" % (end, middle))] + other,
                    end + ":", loose)

    def divergent_if(self, ctx):
        inner = ctx.inner()
        text, p = self.cond()
        return self.branch_over(text, p, self.few(inner), self.few(inner) if self.r.random() < 0.5 else None, True)

    def uniform_if(self, ctx):
        inner = ctx.inner(ctx.uniform, ctx.mask)
        text, p = self.cond(True)
        return self.branch_over(text, p, self.few(inner), self.few(inner) if self.r.random() < 0.5 else None, True)

    def warp_uniform_if(self, ctx):
        a, p = self.temp("r"), self.temp("p")
        text = "shr.u32 %s, %%t, 5;\nadd.s32 %s, %s, %s;\nand.b32 %s, %s, 1;\nsetp.ne.s32 %s, %s, 0;" % (
            a, a, a, self.r.choice(["0", "1", "%n", "%bx"]), a, a, p, a)
        return self.branch_over(text, p, self.few(ctx.inner(False, ctx.mask, False)), None, True)

    def spend(self, out):
        """Leaves for a label when there is no fuel."""
        p = self.temp("p")
        return "sub.s32 %%fuel, %%fuel, 1;\nsetp.le.s32 %s, %%fuel, 0;\n@%s bra %s;" % (p, p, out)

    def divergent_loop(self, ctx):
        r = self.r
        top, again, end = self.label(), self.label(), self.label()
        kids = self.few(ctx.inner(loop=(end, again)))
        text, p = self.cond()
        k = r.randrange(3)
        if k == 0:  # a counter
            i, e, q = self.temp("r"), self.temp("r"), self.temp("p")
            bound, b = self.index(r.choice([4, 8, 16]))
            kids.append(Node("add.s32 %s, %s, %s;" % (self.pools["r"][0], self.pools["r"][0], i)))
            return Node("mov.u32 %s, 0;\n%s\nmov.u32 %s, %s;\n%s:\nsetp.ge.u32 %s, %s, %s;\n@%s bra %s;\n%s" % (
                i, bound, e, b, top, q, i, e, q, end, self.spend(end)), kids,
                        "%s:\nadd.u32 %s, %s, 1;\nbra %s;\n%s:" % (again, i, i, top, end))
        if k == 1:
            return Node("%s:\n%s\n%s\n@!%s bra %s;" % (top, self.spend(end), text, p, end), kids,
                        "%s:\nbra %s;\n%s:" % (again, top, end))
        return Node("%s:" % top, kids, "%s:\n%s\n%s\n@%s bra %s;\n%s:" % (again, self.spend(end), text, p, top, end))

    def uniform_loop(self, ctx):
        r = self.r
        together = r.random() < 0.7
        top, again, end = self.label(), self.label(), self.label()
        inner = ctx.inner(ctx.uniform and together, ctx.mask if together else None,
                          False if together else (end, again))
        i, e, p = self.temp("r"), self.temp("r"), self.temp("p")
        bound = "mov.u32 %s, %d;" % (e, r.randint(1, 4)) if r.random() < 0.5 else \
            "and.b32 %s, %s, 3;" % (e, self.uniform())
        kids = self.few(inner) + [Node("mad.lo.s32 %s, %s, 3, %s;" % (self.reg("r"), self.reg("r"), i))]
        return Node("mov.u32 %s, 0;\n%s\n%s:\nsetp.ge.u32 %s, %s, %s;\n@%s bra %s;" % (i, bound, top, p, i, e, p,
                                                                                    end), kids,
                    "%s:\nadd.u32 %s, %s, 1;\nbra %s;\n%s:" % (again, i, i, top, end))

    def switch(self, ctx):
        """brx.idx over cases, of which some run on into the next."""
        r = self.r
        uniform = r.random() < 0.35
        inner = ctx.inner(ctx.uniform and uniform, ctx.mask if uniform else None, False)
        n, end = r.randint(2, 6), self.label()
        labels = [self.label() for _ in range(n)]
        targets = [r.choice(labels + [end]) if r.random() < 0.2 else x for x in labels]
        kids = []
        for x in labels:
            kids += [Node(x + ":")] + self.statements(inner, r.randint(1, 2))
            if r.random() < 0.7 or uniform:
                kids.append(Node("bra %s;" % end))
        return Node("%s" % self.jump_table(targets, uniform), kids, end + ":", False)

    def jump_table(self, targets, uniform=False):
        text, i = ("and.b32 {0}, %s, 7;" % self.uniform(), self.temp("r")) if uniform else self.index(8)
        text = text.replace("{0}", i)
        name = "T%s%d" % (self.name, self.count.setdefault("T", 0))
        self.count["T"] += 1
        return "%s\nmin.u32 %s, %s, %d;\n%s: .branchtargets %s;\nbrx.idx %s, %s;" % (
            text, i, i, len(targets) - 1, name, ", ".join(targets), i, name)

    def maze(self, ctx):
        """Blocks with jumps between any two of them: irreducible loops."""
        r = self.r
        n, end = r.randint(2, 4), self.label()
        labels = [self.label() for _ in range(n)]
        inner = ctx.inner(loop=False)
        kids = []
        if r.random() < 0.3:
            kids.append(Node(self.jump_table([r.choice(labels) for _ in range(3)])))
        else:
            text, p = self.cond()
            kids.append(Node("%s\n@%s bra %s;" % (text, p, r.choice(labels))))
        for x in labels:
            kids.append(Node("%s:\n%s" % (x, self.spend(end))))
            kids += self.statements(inner, r.randint(1, 2))
            k = r.randrange(6)
            if k == 0:
                kids.append(Node(self.jump_table([r.choice(labels + [end]) for _ in range(r.randint(2, 4))])))
            elif k == 1:
                kids.append(Node("bra %s;" % r.choice(labels + [end])))
            else:
                text, p = self.cond(r.random() < 0.2)
                kids.append(Node("%s\n@%s%s bra %s;" % (text, r.choice(["", "!"]), p, r.choice(labels + [end]))))
        return Node("", kids, end + ":")

    # Warps and blocks.
    def warp_op(self, ctx):
        r = self.r
        m = self.temp("r")
        head = "vote.sync.ballot.b32 %s, %%true, %s;\n" % (m, ctx.mask)
        k = r.randrange(10)
        if k < 4:
            return Node(head + self.shuffle(m))
        if k == 4:  # the lane is any of those that are here
            a, b, v = self.temp("r"), self.temp("r"), self.reg("r")
            return Node(head + "and.b32 %s, %s, %s;\nsetp.eq.u32 %%np, %s, 0;\nselp.b32 %s, %s, %s, %%np;\nbfind.u32 "
                        "%s, %s;\nshfl.sync.idx.b32 %s, %s, %s, 31, %s;" % (
                            a, m, self.reg("r"), a, a, m, a, b, a, v, self.source("b32", False, True), b, m))
        if k == 5:
            return Node(head + "vote.sync.ballot.b32 %s, %s%s, %s;" % (self.reg("r"), r.choice(["", "!"]),
                                                                      self.reg("p"), m))
        if k == 6:
            return Node(head + "vote.sync.%s.pred %s, %s, %s;" % (r.choice(["any", "all", "uni"]), self.reg("p"),
                                                                self.reg("p"), m))
        if k == 7:
            ty, c = r.choice([("b32", "r"), ("b64", "l")])
            a = self.temp(c)
            text = "and.%s %s, %s, %d;\n" % (ty, a, self.reg(c), r.choice([1, 3, 255]))
            if r.random() < 0.5:
                return Node(head + text + "match.any.sync.%s %s, %s, %s;" % (ty, self.reg("r"), a, m))
            return Node(head + text + "match.all.sync.%s %s|%s, %s, %s;" % (ty, self.reg("r"), self.reg("p"), a, m))
        if k == 8:
            return Node(head + r.choice(["bar.warp.sync %s;" % m, "elect.sync %s|%s, %s;" % (
                self.reg("r"), self.reg("p"), m)]))
        return Node(head + "redux.sync.%s %s, %s, %s;" % (
            r.choice(["add.u32", "min.u32", "max.s32", "min.s32", "and.b32", "or.b32", "xor.b32", "add.s32"]),
            self.reg("r"), self.source("b32", False, True), m))

    def shuffle(self, m):
        """shfl in segments; the result counts only where the source lane is here."""
        r = self.r
        mode, seg = r.choice(["up", "down", "bfly", "idx"]), r.choice([32, 32, 16, 8, 4])
        d, b = self.temp("r"), r.randrange(32)
        text, by = "", "%d" % b
        if r.random() < 0.3:
            by = self.temp("r")
            text = "and.b32 %s, %s, %d;\n" % (by, self.reg("r"), r.choice([31, 7, 63]))
        p, j = self.temp("p"), self.temp("r")
        last = "%d" % (((32 - seg) << 8) | (0 if mode == "up" else 31))
        # Which lane: the same exchange with lane numbers, over all lanes that exist, cannot be made
        # here; it is computed.
        base = self.temp("r")
        text += "and.b32 %s, %s, 31;\n" % (j, by) if by[0] == "%" else "mov.u32 %s, %s;\n" % (j, by)
        text += "and.b32 %s, %%lane, %d;\n" % (base, 32 - seg)
        text += {"up": "sub.s32 {j}, %lane, {j};\nsetp.ge.s32 {p}, {j}, {b};\n",
                 "down": "add.s32 {j}, %lane, {j};\nadd.s32 {b}, {b}, {s};\nsetp.le.s32 {p}, {j}, {b};\n",
                 "bfly": "xor.b32 {j}, %lane, {j};\nadd.s32 {b}, {b}, {s};\nsetp.le.s32 {p}, {j}, {b};\n",
                 "idx": "and.b32 {j}, {j}, {s};\nadd.s32 {j}, {j}, {b};\nsetp.eq.s32 {p}, {b}, {b};\n"}[mode].format(
                     j=j, b=base, p=p, s=seg - 1)
        text += "selp.b32 %s, %s, %%lane, %s;\nshr.u32 %s, %s, %s;\nand.b32 %s, %s, 1;\n" % (j, j, p, j, m, j, j, j)
        v, q = self.reg("r"), self.reg("p")
        pair = r.random() < 0.5
        text += "shfl.sync.%s.b32 %s%s, %s, %s, %s, %s;\n" % (mode, d, "|" + p if pair else "",
                                                            self.source("b32", False, True), by, last, m)
        there = self.temp("p")
        text += "setp.ne.u32 %s, %s, 0;\n@%s mov.b32 %s, %s;" % (there, j, there, v, d)
        return text + ("\nmov.pred %s, %s;" % (q, p) if pair else "")

    def masked_if(self, ctx):
        m = self.temp("r")
        text, p = self.cond()
        end = self.label()
        return Node("%s\nvote.sync.ballot.b32 %s, %s, %s;\n@!%s bra %s;" % (text, m, p, ctx.mask, p, end),
                    self.few(ctx.inner(False, m, False)), end + ":", False)

    def masked_loop(self, ctx):
        m, top, end, i = self.temp("r"), self.label(), self.label(), self.temp("r")
        text, p = self.cond()
        q = self.temp("p")
        return Node("mov.u32 %s, %s;\nmov.u32 %s, 0;\n%s:\nadd.u32 %s, %s, 1;\nsetp.gt.u32 %s, %s, 5;\n@%s bra %s;\n"
                    "%s\nvote.sync.ballot.b32 %s, %s, %s;\n@!%s bra %s;" % (
                        m, ctx.mask, i, top, i, i, q, i, q, end, text, m, p, m, p, end),
                    self.few(ctx.inner(False, m, False)), "bra %s;\n%s:" % (top, end), False)

    def barrier(self, ctx):
        r = self.r
        k = r.randrange(7)
        if k == 0:
            return Node(r.choice(["bar.sync 0;", "barrier.sync 0;", "bar.cta.sync 0;", "barrier.sync.aligned 0;"]))
        if k == 1:
            return Node("bar.red.popc.u32 %s, 0, %s%s;" % (r.choice([self.reg("r"), "%un0"]), r.choice(["", "!"]),
                                                         self.reg("p")))
        if k == 2:
            return Node("bar.red.%s.pred %s, 0, %s;" % (r.choice(["and", "or"]), self.reg("p"), self.reg("p")))
        if k == 3 and self.threads % 32 == 0 and not self.exits and not self.returns:
            return Node("bar.sync %d, %d;" % (r.randint(1, 3), self.threads))
        if k == 4 and self.threads % 64 == 0 and not self.exits and not self.returns:
            return self.hand_over()
        return self.exchange()

    def hand_over(self):
        """The first half of the block arrives, the second waits and reads what the first stored."""
        p, a, b = self.temp("p"), self.label(), self.label()
        addr = self.temp("l")
        return Node("bar.sync 0;\nsetp.lt.u32 %s, %%t, %d;\n@%s bra %s;\nbar.sync 1, %d;\nsub.s64 %s, %%smine, %d;\n"
                    "ld.shared.u32 %s, [%s];\nbra %s;\n%s:\nst.shared.u32 [%%smine], %s;\nbar.arrive 1, %d;\n%s:\n"
                    "bar.sync 0;" % (p, self.threads // 2, p, a, self.threads, addr, self.threads // 2 * 16,
                                     self.reg("r"), addr, b, a, self.reg("r"), self.threads, b))

    def exchange(self):
        """Each thread stores in its own place of shared memory and reads another's."""
        r = self.r
        ty, width, n = self.memory_type()
        i, a = self.temp("r"), self.temp("l")
        text = r.choice(["add.s32 {i}, %t, {c};", "sub.s32 {i}, {c}, %t;", "mul.lo.s32 {i}, %t, {c};",
                         "add.s32 {i}, {v}, {c};", "mad.lo.s32 {i}, %tx, {c}, %ty;", "xor.b32 {i}, %t, {c};"]).format(
                             i=i, c=r.choice([0, 1, 2, 5, 31, 32]), v=self.reg("r"))
        value, result = self.registers_for(ty, n), self.registers_for(ty, n)
        vec = "" if n == 1 else ".v%d" % n
        wrap = lambda x: x[0] if n == 1 else "{%s}" % ", ".join(x)
        return Node("bar.sync 0;\nst.shared%s.%s [%%smine], %s;\n%s\nrem.u32 %s, %s, %d;\nmul.wide.u32 %s, %s, 16;\n"
                    "add.s64 %s, %s, %%sbase;\nbar.sync 0;\nld.shared%s.%s %s, [%s];\nbar.sync 0;" % (
                        vec, ty, wrap(value), text, i, i, self.threads, a, i, a, a, vec, ty, wrap(result), a))

    def meet(self, ctx):
        """Each thread stores, arrives at an object in shared memory, and reads another's place once all
        have arrived: all of them, or those of a predicate; the others do not wait."""
        r = self.r
        p, token, old = self.temp("p"), self.temp("l"), self.temp("l")
        skip, again, a, i = self.label(), self.label(), self.temp("l"), self.temp("r")
        arrive = r.choice(["mbarrier.arrive.shared.b64 %s, [%%meet];" % token,
                           "mbarrier.arrive.release.cta.shared::cta.b64 %s, [%%meet], 1;" % token])
        wait = r.choice(["mbarrier.test_wait.shared.b64 {p}, [%meet], {t};",
                         "mbarrier.try_wait.acquire.cta.shared::cta.b64 {p}, [%meet], {t};",
                         "mbarrier.try_wait.parity.shared.b64 {p}, [%meet], %parity;",
                         "mbarrier.test_wait.parity.shared::cta.b64 {p}, [%meet], %parity;"]).format(p=p, t=token)
        some = r.random() < 0.3
        out = ["bar.sync 0;", "st.shared.u32 [%%smine], %s;" % self.reg("r"), arrive,
               "add.s32 %s, %%t, %d;" % (i, r.choice([0, 1, 5, 31, 32])), "rem.u32 %s, %s, %d;" % (i, i, self.threads),
               "mul.wide.u32 %s, %s, 16;" % (a, i), "add.s64 %s, %s, %%sbase;" % (a, a)]
        if some:
            text, q = self.cond()
            out += [text, "@!%s bra %s;" % (q, skip)]
        out += [again + ":", wait, "@!%s bra %s;" % (p, again), "ld.shared.u32 %s, [%s];" % (self.reg("r"), a)]
        if some:
            out += [skip + ":"]
        if r.random() < 0.2:
            out += ["mbarrier.pending_count.b64 %s, %s;" % (i, token)]
        return Node("\n".join(out + ["xor.b32 %parity, %parity, 1;", "bar.sync 0;"]))

    def bulk(self, ctx):
        """Copies of whole pieces: into shared memory, which the object of meet waits for; out of each
        thread's own place, which its own groups wait for; added to the cells."""
        r = self.r
        if r.random() < 0.5:
            return self.bulk_load()
        text, a = self.address("%mine", OWN_BYTES // 16, 16)
        lines = ["st.shared.u32 [%%smine+%d], %s;" % (4 * r.randrange(4), self.reg("r")), "fence.proxy.async;"]
        wait = "cp.async.bulk.wait_group 0;"
        if r.random() < 0.4:
            wait = r.choice([wait, "cp.async.bulk.wait_group.read 0;"])
            op, ty, first, *_ = r.choice([x for x in COMMUTING if x[1][1:] == "32" and x[3] == 4 and x[0] != "inc"])
            lines += ["cp.reduce.async.bulk.global.shared::cta.bulk_group.%s.%s [%%acc+%d], [%%smine], 16;" % (
                op, ty, 4 * first)]
        else:
            lines += [text, "cp.async.bulk.global.shared::cta.bulk_group [%s], [%%smine], 16;" % a]
        return Node("\n".join(lines + ["cp.async.bulk.commit_group;", wait]))

    def tensor(self, ctx):
        return Node("\n".join(random_tensors.statement(self)))

    def bulk_load(self):
        r = self.r
        p, q, again, a, i = self.temp("p"), self.temp("p"), self.label(), self.temp("l"), self.temp("r")
        size = 16 * r.randint(1, 16)
        first = "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%%meet], %d;" % size
        copy = "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%s], [%%in+%d], %d, [%%meet];" % (
            a, 16 * r.randrange(48), size)
        return Node("\n".join([
            "bar.sync 0;", "setp.eq.u32 %s, %%t, %d;" % (p, r.randrange(self.threads)), "mov.u64 %s, shared_bulk;" % a,
            "@%s %s" % (p, first), "@%s %s" % (p, copy), "mbarrier.arrive.shared.b64 _, [%meet];", again + ":",
            "mbarrier.try_wait.parity.shared.b64 %s, [%%meet], %%parity;" % q, "@!%s bra %s;" % (q, again),
            "and.b32 %s, %s, %d;" % (i, r.choice(["%t", self.reg("r")]), (1 << (size // 4).bit_length() - 1) - 1),
            "mul.wide.u32 %s, %s, 4;" % ("%x", i), "add.s64 %s, %s, %%x;" % (a, a),
            "ld.shared.u32 %s, [%s];" % (self.reg("r"), a), "xor.b32 %parity, %parity, 1;", "bar.sync 0;"]))

    def across_cluster(self, ctx):
        """A block's threads read, or change, the shared memory of another block of the cluster."""
        r = self.r
        rank, a = self.temp("r"), self.temp("l")
        wait = r.choice(["barrier.cluster.arrive;\nbarrier.cluster.wait;",
                         "barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;"])
        other = "mov.u32 {k}, %cluster_ctarank;\nadd.u32 {k}, {k}, {c};\nand.b32 {k}, {k}, 1;\n".format(
            k=rank, c=r.choice([0, 1, 1, 1]))
        if r.random() < 0.3:
            op, ty, first, cells, how = r.choice([x for x in SHARED_COMMUTING if x[4] == "r"])
            return Node(other + "mapa.shared::cluster.u64 %s, %%sacc, %s;\n%s.shared::cluster.%s.%s [%s+%d], %s;\n%s" % (
                a, rank, "red.relaxed.cluster", op, ty, a, 4 * (first + r.randrange(cells)), self.reg("r"), wait))
        if r.random() < 0.5:
            load = "mapa.shared::cluster.u64 %s, %%smine, %s;\nld.shared::cluster.u32 %s, [%s];" % (
                a, rank, self.reg("r"), a)
        else:
            load = "mapa.u64 %s, %%gsmine, %s;\nld.u32 %s, [%s];" % (a, rank, self.reg("r"), a)
        return Node("\n".join([wait, "st.shared.u32 [%%smine], %s;" % self.reg("r"), wait, other + load, wait]))

    def sample(self):
        r = self.r
        to = "{%s}" % ", ".join(r.sample(self.pools["f"], 4))
        at = r.choice(["{%s, %s}" % (self.reg("f"), self.reg("f")), "{%s, %s}" % (self.reg("f"), self.reg("f")), None])
        if not at:
            i = self.temp("r")
            return Node("and.b32 %s, %s, 15;\ntex.2d.v4.f32.s32 %s, [%%tex, {%s, %s}];" % (
                i, self.reg("r"), to, i, r.choice([i, "%lane", "%t"])))
        form = r.choice(["tex.2d.v4.f32.f32 {to}, [%tex, {at}];", "tex.level.2d.v4.f32.f32 {to}, [%tex, {at}], {l};",
                         "tld4.{c}.2d.v4.f32.f32 {to}, [%tex, {at}];"])
        return Node(self.guard() + form.format(to=to, at=at, l=self.reg("f"), c=r.choice("rgba")))

    def alike(self, ctx):
        return Node(random_places.alike(self))

    def wait(self, ctx):
        return Node(random_waits.statement(self))

    def send(self, ctx):
        return Node(random_waits.cluster_statement(self))

    def matrix(self, ctx):
        """Whole warps multiply matrices, and move them through shared memory."""
        return Node(random_products.statement(self))

    def lock(self, ctx):
        """Each thread takes a lock, counts, and gives it back."""
        x, p, top = self.temp("r"), self.temp("p"), self.label()
        return Node("%s:\natom.shared.cas.b32 %s, [%%sacc+%d], 0, 1;\nsetp.ne.u32 %s, %s, 0;\n@%s bra %s;\n"
                    "ld.volatile.shared.u32 %s, [%%sacc+%d];\nadd.u32 %s, %s, %d;\n"
                    "st.volatile.shared.u32 [%%sacc+%d], %s;\nmembar.cta;\natom.shared.exch.b32 %s, [%%sacc+%d], 0;" % (
                        top, x, 4 * LOCK, p, x, p, top, x, 4 * LOCK + 4, x, x, self.r.randint(1, 9), 4 * LOCK + 4, x,
                        x, 4 * LOCK))

    def parted_barrier(self, ctx):
        """Threads of one warp wait at different barriers of the text, all of the block at each."""
        inner = ctx.inner(loop=False)
        text, p = self.cond()
        kids = self.few(inner) + [Node("barrier.sync 0;")]
        other = self.few(inner) + [Node("barrier.sync 0;")]
        node = self.branch_over(text, p, kids, other, False)
        node.tail += "\nbar.sync 0;"
        return node

    # Text.
    def declarations(self):
        out = []
        for c, (ty, n) in CLASSES.items():
            out.append(".reg .%s %%%s<%d>;" % (ty, c, n))
            if self.count.get(c):
                out.append(".reg .%s %%t%s<%d>;" % (ty, c, self.count[c] + 1))
        return out + [".reg .b32 %tx, %ty, %tz, %t, %g, %lane, %bx, %n, %un0, %un1, %fuel, %i;",
                      ".reg .b64 %in, %mine, %loc, %gloc, %tab, %gtab, %look, %acc, %sacc, %smine, %sbase, %fns, %x;",
                      ".reg .b64 %region0, %region1;", ".reg .pred %true, %np;",
                      ".local .align 16 .b8 array[64];"]

    def common_start(self):
        out = ["mov.u32 %tx, %tid.x;", "mov.u32 %ty, %tid.y;", "mov.u32 %tz, %tid.z;",
               "mad.lo.s32 %%t, %%tz, %d, %%ty;" % self.block[1], "mad.lo.s32 %%t, %%t, %d, %%tx;" % self.block[0],
               "mov.u32 %lane, %laneid;", "mov.u32 %i, %ctaid.y;", "mov.u32 %bx, %ctaid.x;",
               "mad.lo.s32 %%bx, %%i, %d, %%bx;" % self.grid[0], "mad.lo.s32 %%g, %%bx, %d, %%t;" % self.threads,
               "setp.eq.u32 %true, %t, %t;", "mov.u32 %%fuel, %d;" % self.fuel, "mov.u64 %loc, array;",
               "cvta.local.u64 %gloc, %loc;", "mov.u64 %tab, table;", "cvta.const.u64 %gtab, %tab;",
               "mov.u64 %look, look;"]
        for k in range(0, 64, 16):
            out.append("st.local.v4.u32 [%%loc+%d], {%%t, %%bx, %%g, %%lane};" % k)
        return out

    def finish(self, out):
        text = []
        for node in self.body:
            node.render(text, 1)
        # Declarations come last to be known: temporaries are counted while statements are made.
        out += ["    " + x for x in self.declarations() + self.start()] + text + ["    " + x for x in self.end()] + ["}"]


def param_decl(ty, name):
    if ty == "struct":
        return ".align 8 .b8 %s[16]" % name
    return ".%s %s" % ({"ptr": "b64", "mask": "b32", "pred": "b32"}.get(ty, ty), name)


class Function(Body):
    kernel, has_shared = False, False

    def __init__(self, rng, name, signature, kind, functions, kernel_shape, indirect=False):
        super().__init__(rng, name, functions, 12)
        self.block, self.grid, self.threads, self.total = kernel_shape
        self.kind, self.indirect = kind, indirect
        self.signature = (signature[0], signature[1] + (("mask",) if kind != "plain" else ()))
        self.has_shared = kind == "block"
        self.indices = ["%t", "%tx", "%lane", "%g"]
        self.returns = kind == "plain" and rng.random() < 0.5
        self.budget = rng.randint(2, 6)
        ctx = Context(kind == "block", "%fm" if kind != "plain" else None, depth=2 if rng.random() < 0.7 else 1)
        self.body = self.statements(ctx, rng.randint(2, 4))

    def spaces(self):
        own = [(".local", "%loc", 64, True), ("", "%gloc", 64, True), (".const", "%tab", 64, False),
               (".global", "%look", 128, False), ("", "%gtab", 64, False)]
        return own + [("", "%mine", 16, True)] * 2

    def store_region(self):
        return self.compute()

    def atomic(self):
        return self.compute()

    def own_atomic(self):
        return self.carry_chain()

    def uniform(self):
        return self.r.choice(["%un0", "%bx"])

    def start(self):
        out = [".reg .b32 %fm;"] + self.common_start() + ["add.u32 %un0, %bx, 1;", "add.u32 %un1, %bx, 5;",
                                                          "mov.u32 %n, %ntid.x;"]
        out += ["mov.u64 %mine, %gloc;", "mov.u64 %sbase, shared_own;", "mul.wide.u32 %x, %t, 16;",
                "add.s64 %smine, %sbase, %x;"]
        for c, names in self.pools.items():
            for k, name in enumerate(names):
                out.append({"p": "setp.%s.u32 %s, %%t, %d;" % ("lt" if k & 1 else "ne", name, k * 3),
                            "h": "cvt.u16.u32 %s, %%t;" % name, "r": "add.u32 %s, %%t, %d;" % (name, k),
                            "l": "mul.wide.u32 %s, %%t, %d;" % (name, k + 7),
                            "f": "cvt.rn.f32.u32 %s, %%t;" % name, "d": "cvt.rn.f64.u32 %s, %%g;" % name,
                            "q": "mov.b128 %s, {%%x, %%x};" % name}[c])
        for k, ty in enumerate(self.signature[1]):
            p = "%s_p%d" % (self.name, k)
            if ty == "struct":
                out += ["ld.param.v2.u32 {%%r0, %%r1}, [%s];" % p, "ld.param.u16 %%h0, [%s+8];" % p,
                        "ld.param.s16 %%r2, [%s+10];" % p, "ld.param.b32 %%r3, [%s+12];" % p]
            elif ty == "ptr":
                out.append("ld.param.b64 %%mine, [%s];" % p)
            elif ty == "mask":
                out.append("ld.param.b32 %%fm, [%s];" % p)
            else:
                c = {"b32": "r", "b64": "l", "f32": "f", "f64": "d", "b16": "h"}[ty]
                out.append("ld.param.%s %%%s%d, [%s];" % (ty, c, k, p))
        return out + self.result()

    def result(self):
        """What is returned by then: also where the function is left early."""
        ty, p = self.signature[0], "%s_r" % self.name
        if not ty:
            return []
        if ty == "struct":
            return ["st.param.v4.b32 [%s], {%%r0, %%r1, %%r2, %%r3};" % p]
        if ty == "pred":
            return ["selp.b32 %r5, 1, 0, %p1;", "st.param.b32 [%s], %%r5;" % p]
        c = {"b32": "r", "b64": "l", "f32": "f", "f64": "d", "b16": "h"}[ty]
        return ["st.param.%s [%s], %%%s1;" % (ty, p, c)]

    def end(self):
        fold = ["xor.b32 %r1, %r1, %r2;", "add.u32 %r1, %r1, %r4;", "xor.b64 %l1, %l1, %l3;",
                "ld.local.u32 %r6, [%loc+8];", "add.u32 %r1, %r1, %r6;"]
        return fold + self.result() + ["ret;"]

    def render(self, out):
        result, params = self.signature
        out.append("%s {" % self.header(result, params))
        self.finish(out)

    def header(self, result, params):
        return ".func %s%s(%s)" % ("(.param %s) " % param_decl(result, self.name + "_r") if result else "", self.name,
                                   ", ".join(".param " + param_decl(t, "%s_p%d" % (self.name, k))
                                             for k, t in enumerate(params)))


RECURSION = """.func (.param .b32 descend_r) descend(.param .b32 descend_p0, .param .b32 descend_p1) {
    .reg .b32 %n, %x, %y, %z;
    .reg .pred %p, %q;
    ld.param.u32 %n, [descend_p0];
    ld.param.u32 %x, [descend_p1];
    and.b32 %n, %n, 3;
    st.param.b32 [descend_r], %x;
    KEEP
    and.b32 %y, %x, 15;
    setp.eq.u32 %p, %y, 3;
    setp.eq.or.u32 %p, %n, 0, %p;
    @%p ret;
    mad.lo.u32 %y, %x, 5, %n;
    sub.u32 %n, %n, 1;
    {
    .param .b32 a; .param .b32 b; .param .b32 c;
    st.param.b32 [a], %n;
    st.param.b32 [b], %y;
    call (c), descend, (a, b);
    ld.param.b32 %z, [c];
    }
    and.b32 %y, %z, 1;
    setp.ne.u32 %q, %y, 0;
    xor.b32 %y, %z, %x;
    @%q bra DONE;
    {
    .param .b32 a; .param .b32 b; .param .b32 c;
    st.param.b32 [a], %n;
    st.param.b32 [b], %y;
    call (c), descend, (a, b);
    ld.param.b32 %y, [c];
    }
DONE:
    TAKE
    st.param.b32 [descend_r], %y;
    ret;
}"""


class Recursion:
    """A function that calls itself, under one name or two, with an array of each call's own or none."""
    name, kind, indirect, signature = "descend", "plain", False, ("b32", ("b32", "b32"))
    body = []

    def __init__(self, rng):
        text = RECURSION
        if rng.random() < 0.4:
            text = text.replace("call (c), descend,", "call (c), again,", 1)
            head = text.split(" {")[0].replace("descend(", "again(")
            text = "%s;\n%s\n.alias again, descend;" % (head, text)
        arrays = rng.random() < 0.5
        text = text.replace("KEEP", """.local .align 8 .b8 keep[32];
    .reg .b64 %a, %i;
    mov.u64 %a, keep;
    st.local.v2.u32 [%a+8], {%x, %n};
    mul.wide.u32 %i, %n, 4;
    add.s64 %i, %i, %a;
    st.local.u32 [%i+16], %x;""" if arrays else "")
        self.text = text.replace("TAKE", """ld.local.u32 %z, [%a+8];
    xor.b32 %y, %y, %z;
    ld.local.u32 %z, [%a+16];
    and.b32 %z, %z, 0;
    add.u32 %y, %y, %z;""" if arrays else "")

    def render(self, out):
        out += self.text.split("\n")


class Kernel(Body):
    kernel, has_shared = True, True

    def __init__(self, rng, name):
        self.block = rng.choice(SHAPES)
        self.grid = rng.choice([(1, 1), (2, 1), (3, 1), (2, 2)])
        self.threads = self.block[0] * self.block[1] * self.block[2]
        self.total = self.threads * self.grid[0] * self.grid[1]
        shape = self.block, self.grid, self.threads, self.total
        functions = [Recursion(rng)]
        if rng.random() < 0.6:
            for k in range(rng.randint(1, 3)):
                kind = rng.choice(["plain", "plain", "plain", "warp", "block"])
                plain = [f for f in functions if f.kind == "plain" and not f.indirect]
                functions.append(Function(rng, "f%d" % k, rng.choice(SIGNATURES), kind, plain, shape))
        self.targets = []
        if rng.random() < 0.3:
            self.targets = [Function(rng, "g%d" % k, SIGNATURES[0], "plain", [], shape, True) for k in range(3)]
        super().__init__(rng, name, functions + self.targets, 60)
        self.indices = ["%t", "%tx", "%ty", "%lane", "%g", "%n", "%bx", "%un0"]
        self.pattern = rng.choice(["small", "rand", "iota", "special", "float", "rand"])
        self.n = rng.choice([0, 1, 5, 7, 32, 100, 4294967280, 2147483640, rng.getrandbits(32)])
        self.blob = rng.getrandbits(63)
        self.exits = rng.random() < 0.3
        self.parted = not self.exits and rng.random() < 0.08
        self.matrices = not self.exits and self.threads % 32 == 0 and rng.random() < (
            0.8 if self.threads == 128 else 0.25)
        self.warpgroup = self.matrices and self.threads == 128
        self.locks = rng.random() < 0.03
        self.has_places = rng.random() < 0.6
        self.ring = not self.exits and rng.random() < 0.12
        self.meets = not self.exits and rng.random() < 0.2
        if not self.exits and rng.random() < 0.12:
            self.meets, self.tensors = True, random_tensors.Tensors(rng, self.grid[0] * self.grid[1])
        self.cluster = not self.exits and self.grid[0] == 2 and rng.random() < 0.4
        if rng.random() < 0.15:
            self.texture = "tex:%dx%d:%d:%d:%d" % (rng.choice([1, 9, 16]), rng.choice([1, 5, 8]), rng.randrange(2),
                                                  rng.randrange(4), rng.choice([0, 2]))
        self.budget = rng.randint(4, 14)
        self.body = self.statements(Context(True, "%full"), rng.randint(3, 7))
        for there, statement in ((self.tensors, self.tensor), (self.ring, self.wait), (self.cluster and self.meets, self.send)):
            if there:
                self.body.insert(rng.randrange(len(self.body) + 1), statement(None))

    def bodies(self):
        return [self.body] + [f.body for f in self.functions if f.body]

    def spaces(self):
        more = [(".shared", "%smine", 16, True)] * 3 + [("", "%gsmine", 16, True), (".shared", "%ro", 64, False)]
        return super().spaces() + more

    def start(self):
        name = self.name
        out = [".reg .b32 %full, %parity;", ".reg .b64 %gsmine, %ro, %own, %meet, %tile, %tex;", "mov.u64 %fns, fns;", "ld.param.u64 %%in, [%s_in];" % name,
               "ld.param.u64 %%own, [%s_own];" % name, "ld.param.u64 %%acc, [%s_acc];" % name,
               "ld.param.u32 %%n, [%s_n];" % name] + self.common_start()
        out += ["mul.wide.u32 %%x, %%g, %d;" % OWN_BYTES, "add.s64 %mine, %own, %x;", "mul.wide.u32 %x, %g, 4;",
                "add.s64 %region0, %own, %x;", "add.s64 %%region0, %%region0, %d;" % (OWN_BYTES * self.total),
                "sub.s32 %%i, %d, %%g;" % (self.total - 1), "mul.wide.u32 %x, %i, 4;", "add.s64 %region1, %own, %x;",
                "add.s64 %%region1, %%region1, %d;" % ((OWN_BYTES + 12) * self.total),
                "mov.u64 %sbase, shared_own;", "mul.wide.u32 %x, %t, 16;", "add.s64 %smine, %sbase, %x;",
                "cvta.shared.u64 %gsmine, %smine;", "mov.u64 %sacc, shared_acc;", "mov.u64 %ro, shared_read;",
                "shr.u32 %un0, %n, 3;", "add.u32 %un1, %bx, 2;",
                "vote.sync.ballot.b32 %full, %true, -1;",
                "st.shared.v4.u32 [%smine], {%t, %g, %bx, %lane};", "and.b32 %i, %t, 15;", "mul.wide.u32 %x, %i, 4;",
                "add.s64 %x, %x, %ro;", "setp.lt.u32 %np, %t, 16;", "@%np st.shared.u32 [%x], %g;"]
        for k in range(0, SHARED_CELLS * 4, 16):
            out.append("@%%np st.shared.v4.u32 [%%sacc+%d], {0, 0, 0, 0};" % k)
        if self.meets:
            out += ["setp.eq.u32 %np, %t, 0;", "mov.u64 %meet, shared_meet;", "mov.b32 %parity, 0;",
                    "@%%np mbarrier.init.shared.b64 [%%meet], %d;" % self.threads]
        if self.tensors:
            out += [self.tensors.DECLARED] + self.tensors.start(name, self.threads)
        if self.warpgroup:
            out += random_products.group_start(self.threads)
        if self.texture:
            out += ["ld.param.u64 %%tex, [%s_tex];" % name]
        if self.cluster:
            out += ["barrier.cluster.arrive;", "barrier.cluster.wait;"]
        out += ["bar.sync 0;", "and.b32 %i, %g, 63;", "mul.wide.u32 %x, %i, 16;", "add.s64 %x, %x, %in;",
                "ld.global.v4.u32 {%r0, %r1, %r2, %r3}, [%x];", "xor.b32 %i, %i, 37;", "mul.wide.u32 %x, %i, 16;",
                "add.s64 %x, %x, %in;", "ld.global.v4.f32 {%f0, %f1, %f2, %f3}, [%x];"]
        for c, names in self.pools.items():
            for k, name in enumerate(names):
                x = "%%r%d" % (k & 3)
                out += {"p": ["and.b32 %%i, %s, %d;" % (x, 1 + (k >> 2)), "setp.ne.u32 " + name + ", %i, 0;"],
                        "h": ["cvt.u16.u32 %s, %s;" % (name, x)],
                        "r": ["mad.lo.u32 %s, %s, 747796405, %%t;" % (name, x)] if k > 3 else [],
                        "l": ["mov.b64 %s, {%s, %%r%d};" % (name, x, (k + 1) & 3)], "f": [],
                        "d": ["cvt.rn.f64.s32 %s, %s;" % (name, x)],
                        "q": ["mov.b128 %s, {%%l%d, %%l1};" % (name, k)]}[c]
        return out

    def end(self):
        """The shared cells are added to global ones; registers and memory become a few words."""
        out = ["barrier.cluster.arrive;", "barrier.cluster.wait;"] if self.cluster else []
        out += ["bar.sync 0;", "mov.u32 %tx, 0;", "COLLECT:", "mul.wide.u32 %x, %tx, 4;", "add.s64 %sacc, %sacc, %x;",
               "atom.shared.exch.b32 %i, [%sacc], 0;", "sub.s64 %sacc, %sacc, %x;", "add.s64 %look, %acc, %x;",
               "red.global.add.u32 [%%look+%d], %%i;" % (CELLS * 4), "add.u32 %tx, %tx, 1;",
               "setp.lt.u32 %%np, %%tx, %d;" % SHARED_CELLS, "@%np bra COLLECT;"]
        at = (OWN_BYTES + 24) * self.total
        out += ["mul.wide.u32 %x, %g, 4;", "add.s64 %x, %x, %own;", "mov.u32 %ty, %fuel;"]
        self.words = 0

        def mix(name):
            out.append("mad.lo.u32 %%ty, %%ty, 16777619, %s;" % name)

        def store():
            out.append("st.global.u32 [%%x+%d], %%ty;" % (at + self.words * 4 * self.total))
            self.words += 1
        for c, names in self.pools.items():
            for name in names:
                out += {"p": ["selp.u32 %%i, 1, 0, %s;" % name], "h": ["cvt.u32.u16 %%i, %s;" % name],
                        "r": ["mov.b32 %%i, %s;" % name], "f": ["mov.b32 %%i, %s;" % name],
                        "l": ["mov.b64 {%%i, %%tz}, %s;" % name], "d": ["mov.b64 {%%i, %%tz}, %s;" % name],
                        "q": ["mov.b128 {%%l0, %%l1}, %s;" % name, "xor.b64 %l0, %l0, %l1;",
                              "mov.b64 {%i, %tz}, %l0;"]}[c]
                mix("%i")
                if c in "ldq":
                    mix("%tz")
            store()
        mix("%un0")
        for space, base, size in ((".local", "%loc", 64), (".shared", "%smine", 16)):
            for k in range(0, size, 16):
                out.append("ld%s.v4.u32 {%%r0, %%r1, %%r2, %%r3}, [%s+%d];" % (space, base, k))
                for j in range(4):
                    mix("%%r%d" % j)
            store()
        return out + ["ret;"]

    def render(self, out):
        n, text, functions = self.name, [], []
        self.finish(text)
        # Functions call those before them: what nothing calls is left out.
        for f in reversed([f for f in self.functions if f not in self.targets]):
            if f.name == "descend" or any(" %s," % f.name in line for line in text + functions):
                lines = []
                f.render(lines)
                functions = lines + functions
        out += functions
        for f in self.targets:
            f.render(out)
        fns = ["g0", "g1", "g2", "g0"] if self.targets else ["descend"] * 4
        out.append(".global .align 8 .u64 fns[4] = {%s};" % ", ".join(fns))
        out.append(".visible .entry %s(.param .u64 %s_in, .param .u64 %s_own, .param .u64 %s_acc, .param .u32 %s_n, "
                   ".param .align 8 .b8 %s_blob[8]%s%s) {" % (
                       n, n, n, n, n, n, self.tensors.parameters(n) if self.tensors else "",
                       ", .param .u64 %s_tex" % n if self.texture else ""))
        out.append("    .shared .align 16 .b8 shared_acc[%d];" % (SHARED_CELLS * 4))
        out.append("    .shared .align 16 .b8 shared_read[64];")
        if self.meets:
            out.append("    .shared .align 8 .b64 shared_meet;")
            out.append("    .shared .align 128 .b8 shared_bulk[256];")
        out.append("    .shared .align 4 .b32 shared_alike;")
        if self.ring:
            out.append("    .shared .align 16 .b8 shared_ring[48];\n    .shared .align 128 .b8 shared_places[384];")
        if self.tensors:
            out.append(self.tensors.SHARED)
        if self.warpgroup:
            out.append("    .shared .align 1024 .b8 shared_tile[%d];" % random_products.TILE_BYTES)
        out += text

    def run_line(self):
        words = (OWN_BYTES // 4 + REGIONS + self.words) * self.total
        return "// run: %s grid=%d,%d block=%d,%d,%d%s args=buf:256:%s,buf:%d:zero,buf:%d:zero,u32:%d,u64:%d%s%s" % (
            self.name, self.grid[0], self.grid[1], *self.block, " cluster=2,1,1" if self.cluster else "",
            self.pattern, words, CELLS + SHARED_CELLS, self.n, self.blob,
            self.tensors.arguments() if self.tensors else "", "," + self.texture if self.texture else "")


HEAD = """.version 9.2
.target sm_120a
.address_size 64
.const .align 16 .u32 table[16] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};
.global .align 16 .u32 look[32] = {2147483648, 1, 4294967295, 7, 1065353216, 2139095040, 2143289344, 8388607, 15360,
    31744, 32256, 64511, 16256, 32640, 32704, 65535, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 11, 12, 13, 14, 15, 16};
.shared .align 16 .b8 shared_own[%d];"""


def make_file(seed):
    return [Kernel(random.Random(seed), "k0")]


def text_of(kernels):
    """PTX with one kernel; its functions have names of their own."""
    body = []
    for k in kernels:
        k.render(body)
    return "\n".join([k.run_line() for k in kernels] + [HEAD % (kernels[0].threads * 16)] + body) + "\n"
