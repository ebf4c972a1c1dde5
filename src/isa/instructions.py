"""The instruction table: every PTX instruction form that kudzu knows, once.

op(name, class, ...) declares an opcode: its enum name is ISA_OP_ + the name in capitals, dots
turned to underscores. form(text, ...) declares one form of the opcode declared last, in the PTX
manual's notation:

    form("add{.rnd}{.ftz}{.sat}.f32 d, a, b", sem="d = fp_add(F, a, b, m);")

Modifiers: .name is a slot; {.name} may be left out. What may stand there is the keyword argument
of that name (a list of words, or a dict word -> fields of struct isa_mods that it sets), else the
entry in SLOTS, else the word itself. A slot whose words are types sets the first type (ty), a
second such slot the second (ty2).
Operands: the first is written when it is called d or p; d|p is a pair, d{|p} one whose second may
be left out; [a] an address; [a, c] an object and
coordinates, as many as the geometry has; {!}c a predicate that may be negated; {, b} may be left out; imm... an
immediate; geom(e) a vector with an element a dimension; {-}a one that may be negated; a{.sel} one that may be part of a register (enum isa_part);
vec(a) a vector; four(a) one of mods.vec elements, always; lone(a)
a value that may be a vector of one; select(a) {byte, thread}; frag(a) a warp's piece of a matrix (matrix_forms.py,
tensor_memory_forms.py); tgt a label, tlist a list of targets. An operand's type is ty unless
t=dict(name=rule) says otherwise: a type, "ty2", or "wide" (twice as wide as ty).
Further arguments: of (the opcode, if not the last one), sets (fields set before modifiers are
looked at), ptx and sm (first version, first target), relaxed (registers may be wider than the
type), sem (reference semantics).

check, emit and run are the functions that an opcode of kernel IR has; where one is missing, in the table
or in C, nothing is built:
  check  the operands' shape, as src/ir/validate_inst.c defines it ("t=tt"), or NAME of its check_NAME
  emit   pw_...: the vector code of one pointwise instruction (src/codegen/pointwise). Others are functions
         that src/codegen/emit/cg_pure.c (classes pointwise and source) and control/cg_inst.c call
  run    the interpreter's function: src/ir/interp/interp_exec.c, of class warp interp_warp.c; go_...: one
         that sets the program counter. Pointwise instructions are computed by sem and have none.

sem is C. It computes d (and q, the second predicate; cout, the carry) from operands by name, as
uint64_t, extended from their types. F, N and SGN are floating-point format, width and signedness
of ty; F2, N2 and SGN2 of ty2; m the modifiers; cin the carry. Packed types run it once a half.
raw=True gives it src and dst as isa_eval has them.
"""

import matrix_forms
import tensor_memory_forms

OPS = []
FORMS = []
# Each has a range of numbers of its own: a new one stands at the end, and leaves the others alone. Of
# arithmetic, arith has what many files name: new opcodes go to integer.
FAMILIES = """core arith bits floats select logic convert composite video move check memory image control warp
block fence async cluster matrix tensor multimem launch integer""".split()
FAMILY = {}  # the one that is being declared, and what its opcodes have in common
# Opcodes that much of the compiler names: isa.h has them. All others stand in isa/ops/FAMILY.h,
# which those include that name one: a new opcode is not built into everything.
CORE = """sreg symaddr param phi add sub mul mad min max and or shl setp selp cvt mov cvta ld st atom bra
cbr call""".split()
UNSUPPORTED = []


def family(name, **functions):
    """Opcodes that are declared from here on are in isa/ops/NAME.h. functions: what op has for all."""
    FAMILY.clear()
    FAMILY.update(functions, name=name)


def op(name, klass, can_block=False, side_effect=False, commutative=False, like=None, lowered=False,
       doc="", **functions):
    """like: an opcode of kernel IR alone, which has another one's reference semantics. functions: check, emit
    and run, which all opcodes have that can be in kernel IR; lowered: one that the lowering replaces."""
    common = {k: v for k, v in FAMILY.items() if k != "name"}
    OPS.append(dict(name=name, klass=klass, family="core" if name in CORE else FAMILY["name"],
                    can_block=can_block, side_effect=side_effect, commutative=commutative, like=like,
                    lowered=lowered or klass == "composite", doc=doc,
                    **{"check": None, "emit": None, "run": None, **common, **functions}))


def form(text, t=None, sets="", ptx=10, sm=0, relaxed=False, sem=None, raw=False, of=None,
         lowered=False, **slots):
    """lowered: one that the lowering makes other instructions of."""
    FORMS.append(dict(text=text, op=of or OPS[-1]["name"], t=t or {}, sets=sets, ptx=ptx, sm=sm,
                      relaxed=relaxed, sem=sem, raw=raw, lowered=lowered, slots=slots))


def unsupported(words, what):
    """Opcodes (or opcode and first modifiers) that are PTX but not built yet."""
    for w in words.split():
        UNSUPPORTED.append((w, what))


def enum_words(field, prefix, words):
    return {w: "%s=%s%s" % (field, prefix, w.upper()) for w in words.split()}


I = "u16 u32 u64 s16 s32 s64"
UNSIGNED, SIGNED = "u16 u32 u64", "s16 s32 s64"
I32 = "u32 s32"
I3264 = "u32 u64 s32 s64"
B = "b16 b32 b64"
BP = "pred b16 b32 b64"
B3264 = "b32 b64"
ALL = "b16 b32 b64 u16 u32 u64 s16 s32 s64 f32 f64"
MEM = "b8 b16 b32 b64 b128 u8 u16 u32 u64 s8 s16 s32 s64 f32 f64"
HALF = "f16 f16x2"
BHALF = "bf16 bf16x2"

CMP_INT = "eq ne lt le gt ge"
CMP_UNSIGNED = CMP_INT + " lo ls hi hs"
CMP_FLOAT = "eq ne lt le gt ge equ neu ltu leu gtu geu num nan"

# What may stand in a slot, where no form says otherwise.
SLOTS = {
    "rnd": enum_words("rnd", "ISA_RND_", "rn rz rm rp"),
    "irnd": enum_words("rnd", "ISA_RND_", "rni rzi rmi rpi"),
    "frnd2": enum_words("rnd", "ISA_RND_", "rn rz"),
    "frnd3": enum_words("rnd", "ISA_RND_", "rz rp"),
    "cmp": enum_words("cmp", "ISA_CMP_", CMP_FLOAT),
    "icmp": enum_words("cmp", "ISA_CMP_", CMP_INT),
    "ucmp": enum_words("cmp", "ISA_CMP_", CMP_UNSIGNED),
    "bcmp": enum_words("cmp", "ISA_CMP_", "eq ne"),
    "boolop": enum_words("boolop", "ISA_BOOL_", "and or xor"),
    "ss": {"const": "space=ISA_SPACE_CONST", "global": "space=ISA_SPACE_GLOBAL",
           "local": "space=ISA_SPACE_LOCAL", "param": "space=ISA_SPACE_PARAM",
           "param::entry": "space=ISA_SPACE_PARAM", "param::func": "space=ISA_SPACE_PARAM",
           "shared": "space=ISA_SPACE_SHARED", "shared::cta": "space=ISA_SPACE_SHARED",
           "shared::cluster": "space=ISA_SPACE_CLUSTER"},
    "scope": enum_words("scope", "ISA_SCOPE_", "cta cluster gpu sys"),
    "asem": enum_words("sem", "ISA_SEM_", "relaxed acquire release acq_rel"),
    "ldcop": {"ca": "", "cg": "", "cs": "", "lu": "", "cv": "sem=ISA_SEM_VOLATILE"},
    "stcop": {"wb": "", "cg": "", "cs": "", "wt": ""},
    "l1": "L1::evict_normal L1::evict_unchanged L1::evict_first L1::evict_last L1::no_allocate",
    "l2": "L2::evict_normal L2::evict_first L2::evict_last",
    "hint": "L2::cache_hint",
    "prefetch": "L2::64B L2::128B L2::256B",
    "vec": {"v2": "vec=2", "v4": "vec=4"},
}
# Words that stand for themselves and set something.
LITERALS = {
    "ftz": "ftz=1", "sat": "sat=1", "approx": "approx=1", "full": "full=1", "NaN": "nan=1",
    "relu": "relu=1", "satfinite": "satfinite=1", "xorsign_abs": "xorsign_abs=1",
    "cc": "cc=1", "to": "to=1", "uni": "uni=1", "aligned": "aligned=1", "shiftamt": "shiftamt=1",
    "nc": "nc=1", "lo": "half=ISA_LO", "hi": "half=ISA_HI", "wide": "half=ISA_WIDE",
    "rn": "rnd=ISA_RND_RN", "rna": "rnd=ISA_RND_RNA", "rs": "rnd=ISA_RND_RS", "volatile": "sem=ISA_SEM_VOLATILE",
    "mmio": "sem=ISA_SEM_MMIO", "po": "po=1", "oob": "oob=1", "abs": "abs=1",
}

# ---- Integer arithmetic ------------------------------------------------------------------------
family("integer")
op("add", "pointwise", check="t?p=tt", emit="pw_arithmetic", commutative=True, doc="Sum")
form("add.type d, a, b", type=I, sem="d = a + b;")
form("add.type d, a, b", type="u16x2 s16x2", ptx=80, sm=90, sem="d = a + b;")
form("add.sat.s32 d, a, b", sem="d = bit_clamp_s32((int64_t)a + (int64_t)b);")
form("add.cc.type d, a, b", type=I3264,
     sem="d = bit_add_carry(a, b, 0, N, &cout);")
form("add{.rnd}{.ftz}{.sat}.f32 d, a, b", sem="d = fp_add(F, a, b, m);")
form("add{.rnd}.f64 d, a, b", sem="d = fp_add(F, a, b, m);")
form("add{.rn}{.ftz}{.sat}.type d, a, b", type=HALF, ptx=42, sm=53, sem="d = fp_add(F, a, b, m);")
form("add{.rn}.type d, a, b", type=BHALF, ptx=78, sm=90, sem="d = fp_add(F, a, b, m);")

op("mul", "pointwise", check="mul", emit="pw_arithmetic", commutative=True, doc="Product")
form("mul.lo.type d, a, b", type=I, sem="d = a * b;")
form("mul.hi.type d, a, b", type=I, sem="d = bit_mul_high(a, b, N, SGN);")
form("mul.wide.type d, a, b", type="u16 u32 s16 s32", t=dict(d="wide"), sem="d = a * b;")
form("mul{.rnd}{.ftz}{.sat}.f32 d, a, b", sem="d = fp_mul(F, a, b, m);")
form("mul{.rnd}.f64 d, a, b", sem="d = fp_mul(F, a, b, m);")
form("mul{.rn}{.ftz}{.sat}.type d, a, b", type=HALF, ptx=42, sm=53, sem="d = fp_mul(F, a, b, m);")
form("mul{.rn}.type d, a, b", type=BHALF, ptx=78, sm=90, sem="d = fp_mul(F, a, b, m);")

op("mul24", "pointwise", check="t=tt", emit="pw_mul_mad", commutative=True, doc="Product of 24-bit integers")
form("mul24.lo.type d, a, b", type=I32, sem="d = bit_low24(a, SGN) * bit_low24(b, SGN);")
form("mul24.hi.type d, a, b", type=I32, sem="d = bit_low24(a, SGN) * bit_low24(b, SGN) >> 16;")

op("min", "pointwise", check="t=tt?t", emit="pw_arithmetic", commutative=True, doc="Smaller operand")
op("max", "pointwise", check="t=tt?t", emit="pw_arithmetic", commutative=True, doc="Larger operand")
for name, less in (("min", "<"), ("max", ">")):
    OPS.append(OPS.pop([o["name"] for o in OPS].index(name)))
    pick = "d = (SGN ? (int64_t)a %s (int64_t)b : a %s b) ? a : b;" % (less, less)
    relu = pick + " if ((int64_t)d < 0) d = 0;"
    form(name + ".type d, a, b", type=I, sem=pick)
    form(name + ".type d, a, b", type="u16x2 s16x2", ptx=80, sm=90, sem=pick)
    form(name + ".relu.type d, a, b", type="s32 s16x2", ptx=80, sm=90, sem=relu)
    form(name + ".type.relu d, a, b", type="s16x2", ptx=80, sm=90, sem=relu)  # the manual's examples
    call = "d = fp_%s(F, a, b, m);" % name
    form(name + "{.ftz}{.NaN}{.xorsign.abs}.f32 d, a, b", sem=call)
    form(name + ".f64 d, a, b", sem=call)
    form(name + "{.ftz}{.NaN}{.xorsign.abs}.type d, a, b", type=HALF, ptx=70, sm=80, sem=call)
    form(name + "{.NaN}{.xorsign.abs}.type d, a, b", type=BHALF, ptx=70, sm=80, sem=call)

op("and", "pointwise", check="t=tt", emit="pw_logic", commutative=True, doc="Bitwise and")
form("and.type d, a, b", type=BP, sem="d = a & b;")
op("or", "pointwise", check="t=tt", emit="pw_logic", commutative=True, doc="Bitwise or")
form("or.type d, a, b", type=BP, sem="d = a | b;")
family("arith")
op("xor", "pointwise", check="t=tt", emit="pw_logic", commutative=True, doc="Bitwise exclusive or")
form("xor.type d, a, b", type=BP, sem="d = a ^ b;")

op("sub", "pointwise", check="t?p=tt", emit="pw_arithmetic", doc="Difference")
form("sub.type d, a, b", type=I, sem="d = a - b;")
form("sub.sat.s32 d, a, b", sem="d = bit_clamp_s32((int64_t)a - (int64_t)b);")
form("sub.cc.type d, a, b", type=I3264,
     sem="d = bit_sub_carry(a, b, 1, N, &cout);")
form("sub{.rnd}{.ftz}{.sat}.f32 d, a, b", sem="d = fp_sub(F, a, b, m);")
form("sub{.rnd}.f64 d, a, b", sem="d = fp_sub(F, a, b, m);")
form("sub{.rn}{.ftz}{.sat}.type d, a, b", type=HALF, ptx=42, sm=53, sem="d = fp_sub(F, a, b, m);")
form("sub{.rn}.type d, a, b", type=BHALF, ptx=78, sm=90, sem="d = fp_sub(F, a, b, m);")

family("integer")
op("addc", "pointwise", check="t?p=ttp", emit="pw_arithmetic", doc="Sum with carry in")
form("addc{.cc}.type d, a, b", type=I3264,
     sem="d = bit_add_carry(a, b, cin, N, &cout);")
op("subc", "pointwise", check="t?p=ttp", emit="pw_arithmetic", doc="Difference with carry in (the complement of a borrow, as sub.cc leaves it)")
form("subc{.cc}.type d, a, b", type=I3264,
     sem="d = bit_sub_carry(a, b, cin, N, &cout);")

op("mad", "pointwise", check="mul", emit="pw_arithmetic", doc="Product and sum")
form("mad.lo.type d, a, b, c", type=I, sem="d = a * b + c;")
form("mad.hi.type d, a, b, c", type=I, sem="d = bit_mul_high(a, b, N, SGN) + c;")
form("mad.hi.sat.s32 d, a, b, c",
     sem="d = bit_clamp_s32((int64_t)bit_mul_high(a, b, N, SGN) + (int64_t)c);")
form("mad.wide.type d, a, b, c", type="u16 u32 s16 s32", t=dict(d="wide", c="wide"),
     sem="d = a * b + c;")
form("mad.lo.cc.type d, a, b, c", type=I3264,
     sem="d = bit_add_carry(a * b, c, 0, N, &cout);")
form("mad.hi.cc.type d, a, b, c", type=I3264,
     sem="d = bit_add_carry(bit_mul_high(a, b, N, SGN), c, 0, N, &cout);")
op("madc", "pointwise", check="mul", emit="pw_arithmetic", doc="Product and sum with carry in")
form("madc.lo{.cc}.type d, a, b, c", type=I3264,
     sem="d = bit_add_carry(a * b, c, cin, N, &cout);")
form("madc.hi{.cc}.type d, a, b, c", type=I3264,
     sem="d = bit_add_carry(bit_mul_high(a, b, N, SGN), c, cin, N, &cout);")
op("mad24", "pointwise", check="t=ttt", emit="pw_mul_mad", doc="Product of 24-bit integers, and sum")
form("mad24.lo.type d, a, b, c", type=I32, sem="d = bit_low24(a, SGN) * bit_low24(b, SGN) + c;")
form("mad24.hi.type d, a, b, c", type=I32,
     sem="d = (bit_low24(a, SGN) * bit_low24(b, SGN) >> 16) + c;")
form("mad24.hi.sat.s32 d, a, b, c",
     sem="d = bit_clamp_s32(((int64_t)(bit_low24(a, true) * bit_low24(b, true)) >> 16) + (int64_t)c);")
op("sad", "pointwise", check="t=ttt", emit="pw_sad", doc="Sum of absolute differences")
form("sad.type d, a, b, c", type=I,
     sem="d = c + ((SGN ? (int64_t)a < (int64_t)b : a < b) ? b - a : a - b);")
family("arith")
op("div", "pointwise", check="t=tt", emit="pw_arithmetic", doc="Quotient; integers: by zero gives all ones")
form("div.type d, a, b", type=I, sem="d = bit_div(a, b, SGN);")
form("div.approx{.ftz}.f32 d, a, b", sem="d = fp_div_approx(F, a, b, m);")
form("div.full{.ftz}.f32 d, a, b", sem="d = fp_div(F, a, b, m);")
form("div.rnd{.ftz}.f32 d, a, b", sem="d = fp_div(F, a, b, m);")
form("div.rnd.f64 d, a, b", sem="d = fp_div(F, a, b, m);")
op("rem", "pointwise", check="t=tt", emit="pw_div_rem", doc="Remainder; by zero gives all ones")
form("rem.type d, a, b", type=I, sem="d = bit_rem(a, b, SGN);")
op("abs", "pointwise", check="t=t", emit="pw_arithmetic", doc="Absolute value")
form("abs.type d, a", type="s16 s32 s64", sem="d = (int64_t)a < 0 ? 0 - a : a;")
form("abs{.ftz}.f32 d, a", sem="d = fp_abs(F, a, m);")
form("abs.f64 d, a", sem="d = fp_abs(F, a, m);")
form("abs{.ftz}.type d, a", type=HALF, ptx=65, sm=53, sem="d = fp_abs(F, a, m);")
form("abs.type d, a", type=BHALF, ptx=70, sm=80, sem="d = fp_abs(F, a, m);")
op("neg", "pointwise", check="t=t", emit="pw_arithmetic", doc="Negation")
form("neg.type d, a", type="s16 s32 s64", sem="d = 0 - a;")
form("neg{.ftz}.f32 d, a", sem="d = fp_neg(F, a, m);")
form("neg.f64 d, a", sem="d = fp_neg(F, a, m);")
form("neg{.ftz}.type d, a", type=HALF, ptx=60, sm=53, sem="d = fp_neg(F, a, m);")
form("neg.type d, a", type=BHALF, ptx=70, sm=80, sem="d = fp_neg(F, a, m);")
op("not", "pointwise", check="t=t", emit="pw_logic", doc="Bitwise complement")
form("not.type d, a", type=BP, sem="d = ~a;")
family("integer")
op("cnot", "pointwise", check="t=t", emit="pw_logic", doc="Logical negation: 1 for zero, else 0")
form("cnot.type d, a", type=B, sem="d = a == 0;")

# ---- Bits --------------------------------------------------------------------------------------
family("bits")
op("popc", "pointwise", check="u=t", emit="pw_count", doc="Number of ones")
form("popc.type d, a", type=B3264, t=dict(d="u32"), sem="d = (unsigned)__builtin_popcountll(a);")
op("clz", "pointwise", check="u=t", emit="pw_count", doc="Number of leading zeros")
form("clz.type d, a", type=B3264, t=dict(d="u32"),
     sem="d = a ? (unsigned)__builtin_clzll(a) - (64 - N) : N;")
op("bfind", "pointwise", check="u=t", emit="pw_count", doc="Position of the highest bit that is not sign")
form("bfind{.shiftamt}.type d, a", type=I3264, t=dict(d="u32"),
     sem="d = bit_find(a, N, SGN, m->shiftamt);")
op("brev", "pointwise", check="t=t", emit="pw_count", doc="Bits in reverse order")
form("brev.type d, a", type=B3264, sem="d = bit_reverse(a, N);")
op("bfe", "pointwise", check="t=tuu", emit="pw_bfe", doc="Bit field extract")
form("bfe.type d, a, b, c", type=I3264, t=dict(b="u32", c="u32"),
     sem="d = bit_extract(a, b, c, N, SGN);")
op("bfi", "pointwise", check="t=ttuu", emit="pw_bfi", doc="Bit field insert")
form("bfi.type d, a, b, pos, len", type=B3264, t=dict(pos="u32", len="u32"),
     sem="d = bit_insert(a, b, pos, len, N);")
op("bmsk", "pointwise", check="u=uu", emit="pw_bmsk", doc="Bit mask")
form("bmsk.mode.b32 d, a, b", ptx=76, sm=70, t=dict(a="u32", b="u32"),
     mode={"clamp": "mode=ISA_SZEXT_CLAMP", "wrap": "mode=ISA_SZEXT_WRAP"},
     sem="d = bit_mask(a, b, m->mode == ISA_SZEXT_WRAP);")
op("szext", "pointwise", check="t=tu", emit="pw_szext", doc="Sign or zero extension from a given width")
form("szext.mode.type d, a, b", type=I32, ptx=76, sm=70, t=dict(b="u32"),
     mode={"clamp": "mode=ISA_SZEXT_CLAMP", "wrap": "mode=ISA_SZEXT_WRAP"},
     sem="d = bit_sign_extend(a, b, m->mode == ISA_SZEXT_WRAP, SGN);")
op("fns", "pointwise", check="u=uuu", emit="pw_fns", doc="Position of the n-th set bit")
form("fns.b32 d, mask, base, offset", ptx=60, sm=30, t=dict(base="u32", offset="s32"),
     sem="d = bit_find_nth((uint32_t)mask, (uint32_t)base, (int32_t)offset);")
op("dp4a", "pointwise", check="u=uuu", emit="pw_dot", doc="Dot product of four bytes, accumulated")
form("dp4a.atype.btype d, a, b, c", ptx=50, sm=61, atype=I32, btype=I32,
     t=dict(a="b32", b="b32", c="b32", d="b32"), sem="d = bit_dp4a(a, b, c, SGN, SGN2);")
op("dp2a", "pointwise", check="u=uuu", emit="pw_dot", doc="Dot product of two halves and two bytes, accumulated")
form("dp2a.mode.atype.btype d, a, b, c", ptx=50, sm=61, atype=I32, btype=I32,
     mode={"lo": "half=ISA_LO", "hi": "half=ISA_HI"},
     t=dict(a="b32", b="b32", c="b32", d="b32"),
     sem="d = bit_dp2a(a, b, c, SGN, SGN2, m->half == ISA_HI);")

# ---- Floating point ----------------------------------------------------------------------------
family("floats")
op("fma", "pointwise", check="t=ttt", emit="pw_arithmetic", doc="Product and sum, rounded once")
FMA = "d = fp_fma(F, a, b, c, m);"
form("fma.rnd{.ftz}{.sat}.f32 d, a, b, c", ptx=20, sm=20, sem=FMA)
form("fma.rnd.f64 d, a, b, c", sem=FMA)
form("fma.rn{.ftz}{.sat}.type d, a, b, c", type=HALF, ptx=42, sm=53, sem=FMA)
form("fma.rn{.ftz}.relu.type d, a, b, c", type=HALF, ptx=70, sm=80, sem=FMA)
# CUTLASS has ptxas take this order, too.
form("fma.rn{.ftz}.type.relu d, a, b, c", type=HALF, ptx=70, sm=80, sem=FMA)
form("fma.rn{.relu}.type d, a, b, c", type=BHALF, ptx=70, sm=80, sem=FMA)
form("fma.rn.oob{.relu}.type d, a, b, c", type=HALF + " " + BHALF, ptx=81, sm=90, sem=FMA)
form("mad.rnd{.ftz}{.sat}.f32 d, a, b, c", sem=FMA)
form("mad.rnd.f64 d, a, b, c", sem=FMA)
op("rcp", "pointwise", check="t=t", emit="pw_float_arith", doc="Reciprocal")
form("rcp.approx{.ftz}.f32 d, a", sem="d = fp_rcp(F, a, m);")
form("rcp.rnd{.ftz}.f32 d, a", sem="d = fp_rcp(F, a, m);")
form("rcp.rnd.f64 d, a", sem="d = fp_rcp(F, a, m);")
form("rcp.approx.ftz.f64 d, a", sem="d = eval_rcp_approx_f64(a, m);")
op("sqrt", "pointwise", check="t=t", emit="pw_float_arith", doc="Square root")
form("sqrt.approx{.ftz}.f32 d, a", sem="d = fp_sqrt(F, a, m);")
form("sqrt.rnd{.ftz}.f32 d, a", sem="d = fp_sqrt(F, a, m);")
form("sqrt.rnd.f64 d, a", sem="d = fp_sqrt(F, a, m);")
op("rsqrt", "pointwise", check="t=t", emit="pw_approx", doc="Reciprocal of the square root")
form("rsqrt.approx{.ftz}.f32 d, a", sem="d = eval_approx(approx_rsqrt, F, a, m);")
form("rsqrt.approx.f64 d, a", sem="d = fp_rcp(F, fp_sqrt(F, a, m), m);")
form("rsqrt.approx.ftz.f64 d, a", ptx=40, sm=20, sem="d = eval_rsqrt_approx_f64(a);")
op("sin", "pointwise", check="t=t", emit="pw_approx", doc="Sine, approximate")
form("sin.approx{.ftz}.f32 d, a", sem="d = eval_approx(approx_sin, F, a, m);")
op("cos", "pointwise", check="t=t", emit="pw_approx", doc="Cosine, approximate")
form("cos.approx{.ftz}.f32 d, a", sem="d = eval_approx(approx_cos, F, a, m);")
op("lg2", "pointwise", check="t=t", emit="pw_approx", doc="Logarithm to base 2, approximate")
form("lg2.approx{.ftz}.f32 d, a", sem="d = eval_approx(approx_lg2, F, a, m);")
op("ex2", "pointwise", check="t=t", emit="pw_approx", doc="Power of 2, approximate")
form("ex2.approx{.ftz}.f32 d, a", sem="d = eval_approx(approx_ex2, F, a, m);")
form("ex2.approx.type d, a", type=HALF, ptx=70, sm=75, sem="d = eval_approx(approx_ex2, F, a, m);")
form("ex2.approx.ftz.type d, a", type=BHALF, ptx=78, sm=90,
     sem="d = eval_approx(approx_ex2, F, a, m);")
op("tanh", "pointwise", check="t=t", emit="pw_approx", doc="Hyperbolic tangent, approximate")
form("tanh.approx.f32 d, a", ptx=70, sm=75, sem="d = eval_approx(approx_tanh, F, a, m);")
form("tanh.approx.type d, a", type=HALF, ptx=70, sm=75,
     sem="d = eval_approx(approx_tanh, F, a, m);")
form("tanh.approx.type d, a", type=BHALF, ptx=78, sm=90,
     sem="d = eval_approx(approx_tanh, F, a, m);")
op("testp", "pointwise", check="p=t", emit="pw_testp", doc="Class of a floating-point number")
form("testp.mode.type p, a", type="f32 f64", ptx=20, sm=20, t=dict(p="pred"),
     mode=enum_words("mode", "ISA_TESTP_",
                     "finite infinite number notanumber normal subnormal"),
     sem="p = fp_testp(F, a, m);")
op("copysign", "pointwise", check="t=tt", emit="pw_copysign", doc="Magnitude of b with the sign of a")
form("copysign.type d, a, b", type="f32 f64", ptx=20, sm=20, sem="d = fp_copysign(F, a, b);")

# ---- Comparison and selection ------------------------------------------------------------------
family("select")
op("set", "pointwise", check="t=ss?p", emit="pw_set", doc="Comparison to a number: all ones or 1.0 when true")
for slot, sources, results, sm in (
        ("bcmp", B, "u32 s32 f32", 0), ("ucmp", UNSIGNED, "u32 s32 f32", 0),
        ("icmp", SIGNED, "u32 s32 f32", 0), ("cmp{.ftz}", "f32", "u32 s32 f32", 0),
        ("cmp", "f64", "u32 s32 f32", 0), ("bcmp", B, "f16 bf16", 53),
        ("ucmp", UNSIGNED, "f16 bf16", 53), ("icmp", SIGNED, "f16 bf16", 53),
        ("cmp{.ftz}", "f32", "f16", 53), ("cmp", "f32", "bf16", 53), ("cmp", "f64", "f16 bf16", 53),
        ("cmp{.ftz}", "f16", "u16 s16 u32 s32 f16", 53), ("cmp", "f16", "bf16", 53),
        ("cmp", "bf16", "u16 s16 u32 s32 bf16", 53), ("cmp{.ftz}", "f16x2", "f16x2", 53),
        ("cmp", "bf16x2", "bf16x2", 90)):
    floats = slot.startswith("cmp")
    slot, _, ftz = slot.partition("{")
    ftz = "{" + ftz if ftz else ""
    compare = "fp_compare(F2, a, b, m)" if floats else "bit_compare(a, b, SGN2, m->cmp)"
    for boolean, extra in (("", ""), (".boolop", ", {!}c")):
        value = "eval_bool(%s, c, m)" % compare if boolean else compare
        form("set.%s%s%s.dtype.stype d, a, b%s" % (slot, boolean, ftz, extra), dtype=results,
             stype=sources, sm=sm, t=dict(a="ty2", b="ty2", c="pred"),
             sem="d = eval_set(%s, ty);" % value)
for types, ftz, sm in (("f16x2", "{.ftz}", 53), ("bf16x2", "", 90)):
    form("set.cmp%s.dtype.stype d, a, b" % ftz, dtype=I32, stype=types, sm=sm, raw=True,
         t=dict(a="ty2", b="ty2"), sem="eval_set_mask_x2(ty2, m, src, dst, false);")
    form("set.cmp.boolop%s.dtype.stype d, a, b, {!}c" % ftz, dtype=I32, stype=types, sm=sm, raw=True,
         t=dict(a="ty2", b="ty2", c="pred"), sem="eval_set_mask_x2(ty2, m, src, dst, true);")
op("setp", "pointwise", check="p?p=tt?p", emit="pw_setp", doc="Comparison to predicates: p, and q its complement")
for slot, ftz, types in (("bcmp", "", B), ("ucmp", "", UNSIGNED), ("icmp", "", SIGNED),
                         ("cmp", "{.ftz}", "f32 f16"), ("cmp", "", "f64 bf16")):
    compare = "fp_compare(F, a, b, m)" if slot == "cmp" else "bit_compare(a, b, SGN, m->cmp)"
    form("setp.%s%s.type p{|q}, a, b" % (slot, ftz), type=types, t=dict(p="pred", q="pred"),
         sem="p = %s; q = !p;" % compare)
    form("setp.%s.boolop%s.type p{|q}, a, b, {!}c" % (slot, ftz), type=types,
         t=dict(p="pred", q="pred", c="pred"),
         sem="bool r = %s; p = eval_bool(r, c, m); q = eval_bool(!r, c, m);" % compare)
for ftz, types in (("{.ftz}", "f16x2"), ("", "bf16x2")):
    form("setp.cmp%s.type p|q, a, b" % ftz, type=types, ptx=42, sm=53, raw=True,
         t=dict(p="pred", q="pred"), sem="eval_setp_x2(ty, m, src, dst, false);")
    form("setp.cmp.boolop%s.type p|q, a, b, {!}c" % ftz, type=types, ptx=42, sm=53, raw=True,
         t=dict(p="pred", q="pred", c="pred"), sem="eval_setp_x2(ty, m, src, dst, true);")
op("selp", "pointwise", check="t=ttp", emit="pw_select", doc="One of two values, by a predicate")
form("selp.type d, a, b, c", type=ALL, t=dict(c="pred"), sem="d = c ? a : b;")
op("slct", "pointwise", check="t=tts", emit="pw_select", doc="One of two values, by the sign of a third")
form("slct.dtype.s32 d, a, b, c", dtype=ALL, t=dict(c="ty2"), sem="d = (int64_t)c >= 0 ? a : b;")
form("slct{.ftz}.dtype.f32 d, a, b, c", dtype=ALL, t=dict(c="ty2"),
     sem="d = eval_not_negative_f32(c, m) ? a : b;")

# ---- Logic and shift ---------------------------------------------------------------------------
family("logic")
op("shl", "pointwise", check="t=tu", emit="pw_shift", doc="Shift left; amounts from the width up give zero")
form("shl.type d, a, b", type=B, t=dict(b="u32"), sem="d = b < N ? a << b : 0;")
op("shr", "pointwise", check="t=tu", emit="pw_shift", doc="Shift right; amounts from the width up give all sign bits")
form("shr.type d, a, b", type=B + " " + I, t=dict(b="u32"),
     sem="b = b < N ? b : N; d = SGN ? (uint64_t)((int64_t)a >> (b > 63 ? 63 : b)) "
         ": b > 63 ? 0 : a >> b;")
op("shf", "pointwise", check="t=ttu", emit="pw_funnel", doc="Funnel shift")
for direction in "LR":
    form("shf.%s.mode.b32 d, a, b, c" % direction.lower(), ptx=31, sm=32, t=dict(c="u32"),
         mode=enum_words("mode", "ISA_SHF_%s_" % direction, "clamp wrap"),
         sem="d = bit_funnel((uint32_t)a, (uint32_t)b, (uint32_t)c, m->mode);")
op("lop3", "pointwise", check="t?p=tttu?p", emit="pw_lop3", doc="Any bitwise function of three operands")
form("lop3.b32 d, a, b, c, immLut", ptx=43, sm=50, t=dict(immLut="u32"),
     sem="d = bit_lop3(a, b, c, immLut);")
form("lop3.boolop.b32 d|p, a, b, c, immLut, q", ptx=82, sm=70, t=dict(immLut="u32", p="pred", q="pred"),
     boolop=enum_words("boolop", "ISA_BOOL_", "and or"), raw=True, sem="eval_lop3_bool(m, src, dst);")
op("prmt", "pointwise", check="t=ttu", emit="pw_prmt", doc="Byte permutation")
form("prmt.b32{.mode} d, a, b, c", ptx=20, sm=20, t=dict(c="b32"),
     mode=enum_words("mode", "ISA_PRMT_", "f4e b4e rc8 ecl ecr rc16"),
     sem="d = bit_permute((uint32_t)a, (uint32_t)b, (uint32_t)c, m->mode);")

# ---- Conversion --------------------------------------------------------------------------------
family("convert")
op("cvt", "pointwise", check="cvt", emit="pw_convert", doc="Conversion")
ICVT = "u8 u16 u32 u64 s8 s16 s32 s64"
ICVT_WIDE = UNSIGNED + " " + SIGNED
CVT = dict(t=dict(a="ty2", b="ty2"), relaxed=True)
TO_INT = "d = fp_to_int(F2, a, N, SGN, m);"
FROM_INT = "d = fp_from_int(F, a, SGN2, m);"
FLOAT = "d = fp_convert(F, F2, a, m);"
form("cvt.dtype.atype d, a", dtype=ICVT, atype=ICVT, sem="d = a;", **CVT)


def overflows(dst, src):
    """Are there integers of type src that type dst cannot hold?"""
    n, m = int(dst[1:]), int(src[1:])
    if src[0] == "s" and dst[0] == "u":
        return True
    return m > n or (m == n and src[0] != dst[0])


for dst in ICVT.split():
    form("cvt.sat.%s.atype d, a" % dst, atype=" ".join(src for src in ICVT.split() if overflows(dst, src)),
         sem="d = bit_saturate(a, SGN2, N, SGN);", **CVT)
form("cvt.irnd{.ftz}{.sat}.dtype.f32 d, a", dtype=ICVT, sem=TO_INT, **CVT)
form("cvt.irnd{.sat}.dtype.atype d, a", dtype=ICVT, atype="f16 f64", sem=TO_INT, **CVT)
form("cvt.irnd.dtype.bf16 d, a", dtype=ICVT_WIDE, ptx=78, sm=90, sem=TO_INT, **CVT)
form("cvt.rnd{.ftz}{.sat}.f32.atype d, a", atype=ICVT, sem=FROM_INT, **CVT)
form("cvt.rnd{.sat}.dtype.atype d, a", dtype="f16 f64", atype=ICVT, sem=FROM_INT, **CVT)
form("cvt.rnd.bf16.atype d, a", atype=ICVT_WIDE, ptx=78, sm=90, sem=FROM_INT, **CVT)
form("cvt.rnd{.ftz}{.sat}.f32.f64 d, a", sem=FLOAT, **CVT)
form("cvt.rnd{.ftz}{.sat}.f16.f32 d, a", sem=FLOAT, **CVT)
form("cvt.rnd{.sat}.f16.f64 d, a", sem=FLOAT, **CVT)
form("cvt{.ftz}{.sat}.f64.f32 d, a", sem=FLOAT, **CVT)
form("cvt{.ftz}{.sat}.f32.f16 d, a", sem=FLOAT, **CVT)
form("cvt{.sat}.f64.f16 d, a", sem=FLOAT, **CVT)
form("cvt{.irnd}{.ftz}{.sat}.f32.f32 d, a", sem=FLOAT, **CVT)
form("cvt{.irnd}{.sat}.f64.f64 d, a", sem=FLOAT, **CVT)
form("cvt{.irnd}{.sat}.f16.f16 d, a", sem=FLOAT, **CVT)
form("cvt{.irnd}.bf16.bf16 d, a", ptx=78, sm=90, sem=FLOAT, **CVT)
form("cvt.frnd2{.relu}{.satfinite}.f16.f32 d, a", ptx=70, sm=80, sem=FLOAT, **CVT)
form("cvt.frnd2{.relu}{.satfinite}.bf16.f32 d, a", ptx=70, sm=80, sem=FLOAT, **CVT)
form("cvt.rnd.bf16.atype d, a", atype="f32 f64", ptx=78, sm=90, sem=FLOAT, **CVT)
form("cvt{.rnd}.bf16.f16 d, a", ptx=78, sm=90, sem=FLOAT, **CVT) # without: to the nearest, as the assembler has it
form("cvt.rnd.ftz.bf16.f32 d, a", ptx=78, sm=90, sem=FLOAT, **CVT)
form("cvt{.ftz}.f32.bf16 d, a", ptx=71, sm=80, sem=FLOAT, **CVT)
form("cvt.f64.bf16 d, a", ptx=78, sm=90, sem=FLOAT, **CVT)
form("cvt.rnd.f16.bf16 d, a", ptx=78, sm=90, sem=FLOAT, **CVT)
form("cvt.rna{.satfinite}.tf32.f32 d, a", ptx=70, sm=80, sem=FLOAT, **CVT)
form("cvt.frnd2{.relu}.tf32.f32 d, a", ptx=78, sm=90, sem=FLOAT, **CVT)
PAIR = "dst[0].u64[0] = eval_cvt_pair(F, src, m);"
form("cvt.frnd2{.relu}{.satfinite}.dtype.f32 d, a, b", dtype="f16x2 bf16x2", ptx=70, sm=80,
     raw=True, sem=PAIR, **CVT)
form("cvt.rn.satfinite{.relu}.dtype.f32 d, a, b", dtype="e4m3x2 e5m2x2", ptx=78, sm=89,
     raw=True, sem=PAIR, **CVT)
TO_SMALL = "dst[0].u64[0] = eval_cvt_halves_to_small(F, F2, src, m);"
TO_HALVES = "dst[0].u64[0] = eval_cvt_small_to_halves(F2, src, m);"
form("cvt.rn.satfinite{.relu}.dtype.f16x2 d, a", dtype="e4m3x2 e5m2x2", ptx=78, sm=89,
     raw=True, sem=TO_SMALL, **CVT)
form("cvt.rn{.relu}.f16x2.atype d, a", atype="e4m3x2 e5m2x2", ptx=78, sm=89,
     raw=True, sem=TO_HALVES, **CVT)
# Numbers of 6 and 4 bits, and powers of two.
SMALL = "e2m1x2 e2m3x2 e3m2x2"
CVT_SMALL = dict(t=dict(a="ty2", b="ty2", rbits="b32"), raw=True, ptx=86, sm=100)
form("cvt.rn.satfinite{.relu}.dtype.f32 d, a, b", dtype=SMALL, sem=PAIR, **CVT_SMALL)
form("cvt.rn{.relu}.f16x2.atype d, a", atype=SMALL, sem=TO_HALVES, **CVT_SMALL)
form("cvt.rn.satfinite{.relu}.dtype.f16x2 d, a", dtype=SMALL, sem=TO_SMALL, **dict(CVT_SMALL, ptx=91))
form("cvt.rn.satfinite{.relu}.dtype.bf16x2 d, a", dtype="e4m3x2 e5m2x2 " + SMALL, sem=TO_SMALL,
     **dict(CVT_SMALL, ptx=91))
form("cvt.frnd3{.satfinite}.ue8m0x2.f32 d, a, b", sem="dst[0].u64[0] = eval_cvt_to_powers(src, m);",
     **CVT_SMALL)
form("cvt.frnd3{.satfinite}.ue8m0x2.bf16x2 d, a",
     sem="dst[0].u64[0] = eval_cvt_halves_to_powers(src, m);", **CVT_SMALL)
form("cvt.rn.bf16x2.ue8m0x2 d, a", sem="dst[0].u64[0] = eval_cvt_powers(src);", **CVT_SMALL)
form("cvt.frnd2.satfinite{.relu}.tf32.f32 d, a", ptx=86, sm=100, sem=FLOAT, **CVT)
# Numbers of eight bits in units of 1/64, and small numbers as bf16; both also times a power of two each.
SCALED = dict(CVT_SMALL, t=dict(a="ty2", b="ty2", scale="b16"))
TO_FIXED = dict(SCALED, ptx=91, sem="dst[0].u64[0] = eval_cvt_to_fixed(ty2, src, m);")
TO_BF16 = dict(SCALED, sem="dst[0].u64[0] = eval_cvt_scaled(ty2, src, m);")
for head, operand, sets in (("", "", ""), (".scaled::n2::ue8m0", ", scale", "scale=1")):
    for limits in (".satfinite{.relu}", ".relu.satfinite"): # assemblers take both orders, and LLVM writes both
        form("cvt.rn" + limits + head + ".s2f6x2.f32 d, a, b" + operand, sets=sets, **TO_FIXED)
        form("cvt.rn" + limits + head + ".s2f6x2.bf16x2 d, a" + operand, sets=sets, **TO_FIXED)
    for limits in ("{.satfinite}{.relu}", ".relu.satfinite"):
        form("cvt.rn" + limits + head + ".bf16x2.s2f6x2 d, a" + operand, sets=sets, **dict(TO_BF16, ptx=91))
        form("cvt.rn" + limits + head + ".bf16x2.atype d, a" + operand, atype="e4m3x2 e5m2x2 " + SMALL, sets=sets,
             **dict(TO_BF16, ptx=92))
# Rounded by random bits.
RANDOM = dict(CVT_SMALL, ptx=87, sem="dst[0].u64[0] = eval_cvt_random(ty, src, m);")
form("cvt.rs{.relu}{.satfinite}.dtype.f32 d, a, b, rbits", dtype="f16x2 bf16x2", **RANDOM)
form("cvt.rs{.relu}.satfinite.dtype.f32 d, four(a), rbits", sets="vec=4",
     dtype="e2m1x4 e4m3x4 e5m2x4 e2m3x4 e3m2x4", **RANDOM)
op("cvt.pack", "pointwise", check="u=uu?u", emit="pw_cvt_pack", doc="Two integers converted and packed")
form("cvt.pack.sat.dtype.s32 d, a, b", dtype="u16 s16", ptx=65, sm=72,
     t=dict(d="u32", a="ty2", b="ty2"), raw=True, sem="eval_cvt_pack(ty, src, dst, false);")
form("cvt.pack.sat.dtype.s32.b32 d, a, b, c", dtype="u8 s8", ptx=65, sm=72,
     t=dict(d="u32", a="ty2", b="ty2", c="b32"), raw=True,
     sem="eval_cvt_pack(ty, src, dst, true);")
# Types of less than a byte are in mods.mask: bits, and 128 when signed.
form("cvt.pack.sat.ctype.atype.b32 d, a, b, c", ptx=65, sm=75, atype="s32",
     ctype={"u4": "mask=4", "s4": "mask=132", "u2": "mask=2", "s2": "mask=130"},
     t=dict(d="u32", c="b32"), raw=True, sem="eval_cvt_pack_bits(m->mask, src, dst);")

# ---- Composite ---------------------------------------------------------------------------------
family("composite")
# What sm_100 has in one instruction and kernel IR in several: lower_composite.c.
op("add.pair", "composite", doc="Sums of two floats each in 64 bits")
op("sub.pair", "composite", doc="Differences of two floats each in 64 bits")
op("mul.pair", "composite", doc="Products of two floats each in 64 bits")
op("fma.pair", "composite", doc="Products and sums of two floats each in 64 bits")
op("add.mixed", "composite", doc="Sum of a half and a float")
op("sub.mixed", "composite", doc="Difference of a half and a float")
op("fma.mixed", "composite", doc="Product of halves and sum with a float")
op("min.three", "composite", doc="Smallest of three floats")
op("max.three", "composite", doc="Largest of three floats")
op("redux.float", "composite", doc="Smallest or largest float over lanes")
PAIR64 = dict(t=dict(d="b64", a="b64", b="b64", c="b64"), ptx=86, sm=100)
MIXED = dict(atype="f16 bf16", ptx=86, sm=100)
for name in ("add", "sub", "mul"):
    form(name + "{.rnd}{.ftz}.f32x2 d, a, b", of=name + ".pair", **PAIR64)
form("fma.rnd{.ftz}.f32x2 d, a, b, c", of="fma.pair", **PAIR64)
for name in ("add", "sub"):
    form(name + "{.rnd}{.sat}.f32.atype d, a, c", of=name + ".mixed", t=dict(a="ty2"), **MIXED)
form("fma.rnd{.sat}.f32.atype d, a, b, c", of="fma.mixed", t=dict(a="ty2", b="ty2"), **MIXED)
for name in ("min", "max"):
    form(name + "{.ftz}{.NaN}{.abs}.f32 d, a, b, c", of=name + ".three", ptx=88, sm=100)
form("redux.sync.op{.abs}{.NaN}.f32 d, a, membermask", of="redux.float", ptx=86, sm=100,
     t=dict(membermask="u32"), op=enum_words("atom", "ISA_ATOM_", "min max"))

# ---- Video -------------------------------------------------------------------------------------
family("video", check="video", emit="pw_video")
# Scalar ones work on a byte, half or word of each operand; kernel IR has c (0 where there is none)
# and, as the last operand, the constant that isa/video.h describes.
ATYPE3 = dict(dtype=I32, atype=I32, btype={"u32": "ty3=ISA_U32", "s32": "ty3=ISA_S32"})
VIDEO = dict(t=dict(d="u32", a="u32", b="u32", c="u32"), raw=True, ptx=20, sm=20,
             op2=enum_words("atom", "ISA_ATOM_", "add min max"))
for name, doc in (("add", "Sum"), ("sub", "Difference"), ("absdiff", "Absolute difference"),
                  ("min", "Smaller operand"), ("max", "Larger operand"), ("shl", "Shift left"),
                  ("shr", "Shift right")):
    op("v" + name, "pointwise", doc=doc + " of bytes, halves or words, and what is made of it with c")
    shift = name in ("shl", "shr")
    head = "v" + name + ".dtype.atype.btype{.sat}" + (".mode" if shift else "")
    more = dict(VIDEO, **ATYPE3, sem="eval_video(VIDEO_%s, ty, ty2, m->ty3, m, src, dst);"
                % name.upper())
    if shift:
        more.update(btype={"u32": "ty3=ISA_U32"},
                    mode={"clamp": "mode=ISA_SZEXT_CLAMP", "wrap": "mode=ISA_SZEXT_WRAP"})
    form(head + " d, a{.sel}, b{.sel}", **more)
    form(head + ".op2 d, a{.sel}, b{.sel}, c", **more)
    form(head + " d.sel, a{.sel}, b{.sel}, c", **more)
op("vmad", "pointwise", emit="pw_vmad", doc="Product of bytes, halves or words, and sum")
MADSCALE = {"shr7": "scale=7", "shr15": "scale=15"}
more = dict(VIDEO, **ATYPE3, scale=MADSCALE, sem="eval_vmad(ty2, m->ty3, m, src, dst);")
form("vmad.dtype.atype.btype{.sat}{.scale} d, {-}a{.sel}, {-}b{.sel}, {-}c", **more)
form("vmad.dtype.atype.btype.po{.sat}{.scale} d, a{.sel}, b{.sel}, c", **more)
VCMP = enum_words("cmp", "ISA_CMP_", "eq ne lt le gt ge")
op("vset", "pointwise", doc="Comparison of bytes, halves or words: 0 or 1")
more = dict(VIDEO, atype=I32, btype=I32, cmp=VCMP,
            sem="eval_video(VIDEO_SET, ty, ty, ty2, m, src, dst);")
form("vset.atype.btype.cmp d, a{.sel}, b{.sel}", **more)
form("vset.atype.btype.cmp.op2 d, a{.sel}, b{.sel}, c", **more)
form("vset.atype.btype.cmp d.sel, a{.sel}, b{.sel}, c", **more)
for n, what, sel, mask in ((2, "halves", "hsel", "hmask"), (4, "bytes", "bsel", "bmask")):
    operands = " d{.%s}, a{.%s}, b{.%s}, c" % (mask, sel, sel)
    accumulate = {"add": "atom=ISA_ATOM_ADD"}
    for name, doc in (("add", "Sums"), ("sub", "Differences"), ("avrg", "Averages"),
                      ("absdiff", "Absolute differences"), ("min", "Smaller"), ("max", "Larger")):
        op("v%s%d" % (name, n), "pointwise", emit="pw_video_simd", doc="%s of %s, merged with c or added to it" % (doc, what))
        head = "v%s%d.dtype.atype.btype" % (name, n)
        more = dict(VIDEO, **ATYPE3, ptx=30, sm=30, add=accumulate,
                    sem="eval_video_simd(VIDEO_%s, %d, ty, ty2, m->ty3, m, src, dst);"
                    % (name.upper(), n))
        form(head + "{.sat}" + operands, **more)
        form(head + ".add" + operands, **more)
    op("vset%d" % n, "pointwise", emit="pw_video_simd", doc="Comparisons of %s: 0 or 1 each" % what)
    more = dict(VIDEO, ptx=30, sm=30, atype=I32, btype=I32, cmp=VCMP, add=accumulate,
                sem="eval_video_simd(VIDEO_SET, %d, ISA_U32, ty, ty2, m, src, dst);" % n)
    form("vset%d.atype.btype.cmp" % n + operands, **more)
    form("vset%d.atype.btype.cmp.add" % n + operands, **more)

# ---- Data movement -----------------------------------------------------------------------------
family("move")
op("mov", "pointwise", check="t=t", emit="pw_mov", doc="Move: registers, immediates, special registers, addresses")
form("mov.type d, a", type="pred b128 " + ALL, raw=True, sem="eval_mov(ty, src, dst);")
form("mov.vec.type d, b", type=ALL, lowered=True)  # element by element; the lowering takes it apart
op("mov.pack", "pointwise", check="pieces", emit="pw_mov", doc="Elements to one register")
form("mov.type d, vec(a)", type="b16 b32 b64 b128", raw=True,
     sem="eval_pack(ty, m->vec, src, dst);")
op("mov.unpack", "pointwise", check="pieces", emit="pw_mov", doc="One register to elements")
form("mov.type vec(d), a", type="b16 b32 b64 b128", raw=True,
     sem="eval_unpack(ty, m->vec, src, dst);")
op("cvta", "pointwise", check="a=a", emit="cg_emit_source", run="convert_address", doc="Address to generic and back")
form("cvta.ss.type d, a", type="u32 u64", ptx=20, sm=20)
form("cvta.to.ss.type d, a", type="u32 u64", ptx=20, sm=20)
op("isspacep", "pointwise", check="p=a", emit="cg_emit_source", run="convert_address", doc="Does a generic address lie in a space?")
form("isspacep.ss p, a", ptx=20, sm=20, t=dict(p="pred", a="u64"))
# Machine state: only in kernel IR; text has mov.
op("sreg", "source", check="sreg", emit="cg_emit_source", run="read_sreg", doc="Kernel IR only")
op("symaddr", "source", check="symaddr", emit="cg_emit_source", run="read_symbol", doc="Kernel IR only")
op("param", "source", check="param", emit="cg_emit_source", run="read_param", doc="Kernel IR only")
op("phi", "source", check="phi", emit="emit_phi", run="skip", doc="Kernel IR only")
# What passes/loops/group_rows.h puts into kernels: of the lanes of a group.
op("group.first", "pointwise", check="t=t", emit="cg_emit_group", like="mov", doc="Kernel IR only")
op("group.all", "pointwise", check="p=p", emit="cg_emit_group", like="mov", doc="Kernel IR only")
# What passes/loops/last_lanes.h puts into kernels.
op("group.few", "pointwise", check="p=pu", emit="cg_emit_group", like="mov", doc="Kernel IR only")
op("group.lowest", "pointwise", check="p=p", emit="cg_emit_group", like="mov", doc="Kernel IR only")
op("group.lane", "pointwise", check="t=t", emit="cg_emit_group", like="mov", doc="Kernel IR only")
family("check", emit="emit_check", run="interp_check")
# What passes/check/check.h puts into kernels.
op("check.origin", "check", check="u=a", doc="Kernel IR only")
op("check.access", "check", check="=aua?x", side_effect=True, doc="Kernel IR only")
op("check.scope", "check", check="=a", side_effect=True, doc="Kernel IR only")
op("check.sync", "check", check="=", side_effect=True, doc="Kernel IR only")

# ---- Memory ------------------------------------------------------------------------------------
family("memory")
op("ld", "memory", check="memory", emit="cg_emit_memory", run="interp_load", doc="Load")
LD = dict(type=MEM, relaxed=True)
# 32 bytes of global memory as eight words; four of 64 bits are among the other forms, and the verifier
# asks for the target.
WIDE = dict(vec={"v8": "vec=8"}, type="b32 u32 s32 f32", relaxed=True, ptx=88, sm=100,
            **{"global": {"global": "space=ISA_SPACE_GLOBAL"}})
HINTS = "{.l1}{.l2}{.hint}{.prefetch}"
form("ld{.ss}{.ldcop}{.hint}{.prefetch}{.vec}.type d, [a]{.unified}{, cache-policy}", **LD)
form("ld.weak{.ss}{.ldcop}{.hint}{.prefetch}{.vec}.type d, [a]{.unified}{, cache-policy}",
     ptx=60, sm=70, **LD)
form("ld{.ss}" + HINTS + "{.vec}.type d, [a]{.unified}{, cache-policy}", ptx=74, sm=70, **LD)
form("ld.weak{.ss}" + HINTS + "{.vec}.type d, [a]{.unified}{, cache-policy}", ptx=74, sm=70, **LD)
form("ld.volatile{.ss}{.prefetch}{.vec}.type d, [a]", **LD)
form("ld.ssem.scope{.ss}" + HINTS + "{.vec}.type d, [a]{, cache-policy}", ptx=60, sm=70,
     ssem=enum_words("sem", "ISA_SEM_", "relaxed acquire"), **LD)
form("ld.mmio.relaxed.sys{.global}.type d, [a]", sets="scope=ISA_SCOPE_SYS", ptx=82, sm=70,
     **{"global": {"global": "space=ISA_SPACE_GLOBAL"}}, **LD)
form("ld.global{.nccop}.nc" + HINTS + "{.vec}.type d, [a]{, cache-policy}", ptx=31, sm=32,
     nccop="ca cg cs", **{"global": {"global": "space=ISA_SPACE_GLOBAL"}}, **LD)
form("ld{.weak}.global" + HINTS + ".vec.type d, [a]{, cache-policy}", **WIDE)
form("ld.ssem.scope.global" + HINTS + ".vec.type d, [a]{, cache-policy}",
     ssem=enum_words("sem", "ISA_SEM_", "relaxed acquire"), **WIDE)
form("ld.global{.nccop}.nc" + HINTS + ".vec.type d, [a]{, cache-policy}", nccop="ca cg cs", **WIDE)
op("ldu", "memory", lowered=True, doc="Load of a value that is the same for all threads of a warp")
form("ldu{.ss}{.vec}.type d, [a]", ptx=20, sm=20, ss={"global": "space=ISA_SPACE_GLOBAL"}, **LD)
op("st", "memory", check="memory", emit="cg_emit_memory", run="interp_store", side_effect=True, doc="Store")
ST = dict(type=MEM, relaxed=True)
STHINTS = "{.l1}{.l2}{.hint}"
form("st{.ss}{.stcop}{.hint}{.vec}.type [a], b{, cache-policy}", **ST)
form("st.weak{.ss}{.stcop}{.hint}{.vec}.type [a], b{, cache-policy}", ptx=60, sm=70, **ST)
form("st{.ss}" + STHINTS + "{.vec}.type [a], b{, cache-policy}", ptx=74, sm=70, **ST)
form("st.weak{.ss}" + STHINTS + "{.vec}.type [a], b{, cache-policy}", ptx=74, sm=70, **ST)
form("st.volatile{.ss}{.vec}.type [a], b", **ST)
form("st.ssem.scope{.ss}" + STHINTS + "{.vec}.type [a], b{, cache-policy}", ptx=60, sm=70,
     ssem=enum_words("sem", "ISA_SEM_", "relaxed release"), **ST)
form("st.mmio.relaxed.sys{.global}.type [a], b", sets="scope=ISA_SCOPE_SYS", ptx=82, sm=70,
     **{"global": {"global": "space=ISA_SPACE_GLOBAL"}}, **ST)

form("st{.weak}.global" + STHINTS + ".vec.type [a], b{, cache-policy}", **WIDE)
form("st.ssem.scope.global" + STHINTS + ".vec.type [a], b{, cache-policy}",
     ssem=enum_words("sem", "ISA_SEM_", "relaxed release"), **WIDE)

ASS = {k: SLOTS["ss"][k] for k in ("global", "shared", "shared::cta", "shared::cluster")}
# Types of each atomic operation; later rows need later versions.
ATOMIC = (
    ("and or xor", "b32 b64", "", 11, 11),
    ("add", "u32 s32 u64 f32", "", 11, 11),
    ("add", "f64", "", 50, 60),
    ("inc dec", "u32", "", 11, 11),
    ("min max", "u32 s32 u64 s64", "", 11, 11),
    ("add", "f16x2", ".noftz", 62, 60),
    ("add", "f16", ".noftz", 63, 70),
    ("add", "bf16 bf16x2", ".noftz", 78, 90),
)
for name, dst in (("atom", "d, "), ("red", "")):
    op(name, "memory", check="memory", emit="cg_emit_atomic", run="interp_atomic", side_effect=True,
       doc="Atomic operation" + ("" if dst else " without a result"))
    atomic = "{.asem}{.scope}{.ss}"
    more = dict(ss=ASS, sets="sem=ISA_SEM_RELAXED scope=ISA_SCOPE_GPU")
    for words, types, noftz, ptx, sm in ATOMIC:
        form("%s%s.op%s{.hint}.type %s[a], b{, cache-policy}" % (name, atomic, noftz, dst), ptx=ptx,
             sm=sm, op=enum_words("atom", "ISA_ATOM_", words), type=types, **more)
    # Vectors: each element by itself.
    vector = dict(more, ss={"global": "space=ISA_SPACE_GLOBAL"}, ptx=81, sm=90)
    form("%s%s.add{.hint}.vec.type %s[a], b{, cache-policy}" % (name, atomic, dst), type="f32",
         add={"add": "atom=ISA_ATOM_ADD"}, **vector)
    for types, vec in (("f16 bf16", "v2 v4 v8"), ("f16x2 bf16x2", "v2 v4")):
        form("%s%s.op.noftz{.hint}.vec.type %s[a], b{, cache-policy}" % (name, atomic, dst),
             op=enum_words("atom", "ISA_ATOM_", "add min max"), type=types,
             vec={v: "vec=" + v[1:] for v in vec.split()}, **vector)
    if dst:
        form("atom" + atomic + ".exch{.hint}.type d, [a], b{, cache-policy}", type="b32 b64",
             exch={"exch": "atom=ISA_ATOM_EXCH"}, **more)
        form("atom" + atomic + ".exch{.hint}.type d, [a], b{, cache-policy}", type="b128", ptx=83,
             sm=90, exch={"exch": "atom=ISA_ATOM_EXCH"}, **more)
        form("atom" + atomic + ".cas{.hint}.type d, [a], b, c{, cache-policy}", type="b32 b64",
             cas={"cas": "atom=ISA_ATOM_CAS"}, **more)
        form("atom" + atomic + ".cas{.hint}.type d, [a], b, c{, cache-policy}", type="b16", ptx=63,
             sm=70, cas={"cas": "atom=ISA_ATOM_CAS"}, **more)
        form("atom" + atomic + ".cas{.hint}.type d, [a], b, c{, cache-policy}", type="b128",
             ptx=83, sm=90, cas={"cas": "atom=ISA_ATOM_CAS"}, **more)
PSS = {k: SLOTS["ss"][k] for k in ("global", "local")}
op("prefetch", "memory", lowered=True, side_effect=True, doc="Prefetch a cache line")
form("prefetch{.ss}.level [a]", ptx=20, sm=20, ss=PSS, level="L1 L2")
form("prefetch.ss.level [a]", ptx=74, sm=80, ss={"global": "space=ISA_SPACE_GLOBAL"},
     level="L2::evict_last L2::evict_normal")
form("prefetch{.ss}.tensormap [a]", ptx=80, sm=90,
     ss={k: SLOTS["ss"][k] for k in ("const", "param")})
op("prefetchu", "memory", lowered=True, side_effect=True, doc="Prefetch into the uniform cache")
form("prefetchu.L1 [a]", ptx=20, sm=20)
op("discard", "memory", lowered=True, side_effect=True, doc="Drop cached data")
form("discard{.ss}.L2 [a], immSize", ptx=74, sm=80, ss={"global": "space=ISA_SPACE_GLOBAL"},
     t=dict(immSize="u32"))
op("applypriority", "memory", lowered=True, side_effect=True, doc="Change a cache line's priority")
form("applypriority{.ss}.level [a], immSize", ptx=74, sm=80, t=dict(immSize="u32"),
     ss={"global": "space=ISA_SPACE_GLOBAL"}, level="L2::evict_normal")
# Kernel IR has a constant in place of a policy: it names no address and changes no result.
op("createpolicy", "source", lowered=True, doc="Cache policy: a hint")
PRIMARY = "L2::evict_last L2::evict_normal L2::evict_first L2::evict_unchanged"
SECONDARY = "L2::evict_first L2::evict_unchanged"
form("createpolicy.fractional.primary{.secondary}.b64 d{, fraction}", ptx=74, sm=80,
     primary=PRIMARY, secondary=SECONDARY, t=dict(fraction="f32"))
form("createpolicy.range{.global}.primary{.secondary}.b64 d, [a], size, total", ptx=74, sm=80,
     primary=PRIMARY, secondary=SECONDARY, t=dict(size="u32", total="u32"))
form("createpolicy.cvt.L2.b64 d, property", ptx=74, sm=80)
op("alloca", "memory", check="x=x?x", emit="cg_emit_stack", run="allocate", side_effect=True, doc="Local memory from the stack")
form("alloca.type d, size{, immAlign}", type="u32 u64", ptx=73, sm=52, t=dict(immAlign="u32"))
op("stacksave", "memory", check="t=", emit="cg_emit_stack", run="allocate", side_effect=True, doc="Value of the stack pointer")
form("stacksave.type d", type="u32 u64", ptx=73, sm=52)
op("stackrestore", "memory", check="=t", emit="cg_emit_stack", run="allocate", side_effect=True, doc="Sets the stack pointer")
form("stackrestore.type a", type="u32 u64", ptx=73, sm=52)

# Kernel IR has one instruction for each of the three helpers of abi/generated_code.h; its last operand is
# the constant that says which geometry and operation is meant.
GEOMETRY = enum_words("mode", "ISA_TEX_", "1d 2d 3d a1d a2d cube acube 2dms a2dms")
family("image")
op("tex", "memory", check="image", emit="cg_emit_texture", run="access_image", doc="Texture fetch through a texture object. In kernel IR also tld4, txq, istypep")
TEXELS = (dict(vec={"v4": "vec=4"}, dtype="u32 s32 f32 f16"), dict(vec={"v2": "vec=2"},
                                                                   dtype="f16x2"))
# d|p: whether all texels lie in memory, as they do in arrays that are not sparse.
for result, ptx, sm in (("d", 31, 30), ("d|p", 71, 30)):
    TEX = dict(ptx=ptx, sm=sm, geom=GEOMETRY, ctype="s32 f32",
               t=dict(e="s32", dx="f32", dy="f32", lod="ty2", p="pred"))
    for texel in TEXELS:
        form("tex{.base}.geom.vec.dtype.ctype %s, [a, c]{, geom(e)}" % result,
             base={"base": "mask=1"}, **TEX, **texel)
        form("tex.level.geom.vec.dtype.ctype %s, [a, c], lod{, geom(e)}" % result,
             level={"level": "mask=2"}, **TEX, **texel)
        form("tex.grad.geom.vec.dtype.f32 %s, [a, c], geom(dx), geom(dy){, geom(e)}" % result,
             grad={"grad": "mask=3"}, **TEX, **texel)
op("tld4", "memory", lowered=True, doc="Gathers one component of four texels")
for result, ptx in (("d", 31), ("d|p", 71)):
    form("tld4.comp.geom.vec.dtype.f32 %s, [a, c]{, geom(e)}" % result, ptx=ptx, sm=30,
         vec={"v4": "vec=4"}, comp={"r": "mask=0", "g": "mask=1", "b": "mask=2", "a": "mask=3"},
         dtype="u32 s32 f32 f16", t=dict(e="s32", p="pred"),
         geom={k: GEOMETRY[k] for k in ("2d", "a2d", "cube", "acube")})
QUERIES = ("width height depth channel_data_type channel_order normalized_coords array_size "
           "num_mipmap_levels num_samples force_unnormalized_coords filter_mode addr_mode_0 "
           "addr_mode_1 addr_mode_2").split()
QUERY = {q: "mask=%d" % k for k, q in enumerate(QUERIES)}
op("txq", "memory", lowered=True, doc="Property of a texture object")
form("txq.query.b32 d, [a]", ptx=20, sm=20, query=QUERY)
form("txq.level.query.b32 d, [a], lod", ptx=42, sm=30, level={"level": "po=1"},
     query={q: QUERY[q] for q in ("width", "height", "depth")}, t=dict(lod="u32"))
op("istypep", "memory", lowered=True, doc="Is it a texture or surface object?")
form("istypep.kind p, a", ptx=40, sm=30, t=dict(a="u64"),
     kind={"texref": "mask=16", "surfref": "mask=17", "samplerref": "mask=18"})
SURFACE = dict(geom={k: GEOMETRY[k] for k in ("1d", "2d", "3d", "a1d", "a2d")},
               clamp={"trap": "scale=0", "clamp": "scale=1", "zero": "scale=2"}, relaxed=True)
BYTES = "b8 b16 b32 b64"
op("suld", "memory", check="image", emit="cg_emit_texture", run="access_image", doc="Load from a surface. In kernel IR also suq")
form("suld.b.geom{.cop}{.vec}.dtype.clamp d, [a, c]", ptx=20, sm=20, cop="ca cg cs cv",
     dtype=BYTES, t=dict(c="s32"), **SURFACE)
form("suld.p.geom{.cop}{.vec}.dtype.clamp d, [a, c]", ptx=20, sm=20, cop="ca cg cs cv",
     dtype="b32 u32 s32 f32", sets="mask=1", t=dict(c="s32"), **SURFACE)
op("sust", "memory", check="image", emit="cg_emit_texture", run="access_image", side_effect=True, doc="Store to a surface. In kernel IR also sured")
form("sust.b.geom{.cop}{.vec}.dtype.clamp [a, c], b", ptx=20, sm=20, cop="wb cg cs wt",
     dtype=BYTES, t=dict(c="s32"), **SURFACE)
form("sust.p.geom{.cop}{.vec}.dtype.clamp [a, c], b", ptx=20, sm=20, cop="wb cg cs wt",
     dtype="b32 u32 s32 f32", sets="mask=1", t=dict(c="s32"), **SURFACE)
op("sured", "memory", lowered=True, side_effect=True, doc="Atomic operation on a surface")
for words, types in (("add", "u32 s32 u64 s64"), ("min max", "u32 s32 u64 s64"),
                     ("and or", "b32 b64")):
    form("sured.b.op.geom.dtype.clamp [a, c], b", ptx=20, sm=20, dtype=types, t=dict(c="s32"),
         op=enum_words("atom", "ISA_ATOM_", words), **SURFACE)
for words, types in (("add min max", "u32 s32"), ("and or", "b32")):
    form("sured.p.op.geom.dtype.clamp [a, c], b", ptx=20, sm=20, dtype=types, t=dict(c="s32"),
         op=enum_words("atom", "ISA_ATOM_", words), sets="mask=1", **SURFACE)
op("suq", "memory", lowered=True, doc="Property of a surface object")
form("suq.query.b32 d, [a]", ptx=20, sm=20,
     query={q: QUERY.get(q, "mask=14") for q in ("width", "height", "depth", "channel_data_type",
                                 "channel_order", "array_size", "memory_layout")})

# ---- Control -----------------------------------------------------------------------------------
family("control")
op("bra", "control", check="=", emit="emit_terminator", run="go_by_edge", side_effect=True, doc="Branch")
form("bra{.uni} tgt")
op("brx.idx", "control", check="=u", emit="emit_terminator", run="go_by_edge", side_effect=True, doc="Branch through a list of targets")
form("brx.idx{.uni} index, tlist", ptx=60, sm=30, t=dict(index="u32"))
op("call", "control", check="call", emit="cg_emit_call", run="go_call", side_effect=True, doc="Call of a function, direct or indirect")
form("call{.uni} call")
op("ret", "control", check="ret", emit="emit_terminator", run="go_return", side_effect=True, doc="Return; ends a kernel's thread")
form("ret{.uni}")
op("exit", "control", check="=", emit="emit_terminator", run="go_exit", side_effect=True, doc="Ends the thread")
form("exit")
op("trap", "control", check="=", emit="cg_emit_call", run="trap", side_effect=True, doc="Ends the launch with an error")
form("trap")
op("brkpt", "control", check="=", emit="cg_emit_call", run="trap", side_effect=True, doc="Breakpoint")
form("brkpt")
op("unreachable", "control", check="=", emit="emit_terminator", run="trap", side_effect=True, doc="Kernel IR only")
op("cbr", "control", check="=p", emit="emit_terminator", run="go_by_edge", side_effect=True, doc="Kernel IR only")

# ---- Warp --------------------------------------------------------------------------------------
family("warp", emit="emit_warp")
SHFL = enum_words("mode", "ISA_SHFL_", "up down bfly idx")
op("shfl", "warp", check="u?p=uuu?u", run="shuffle", side_effect=True, doc="Exchange between lanes")
form("shfl.mode.b32 d{|p}, a, b, c", ptx=30, sm=30, mode=SHFL, t=dict(p="pred", b="u32", c="u32"))
form("shfl.sync.mode.b32 d{|p}, a, b, c, membermask", ptx=60, sm=30, mode=SHFL,
     t=dict(p="pred", b="u32", c="u32", membermask="u32"))
op("vote", "warp", check="vote", run="vote", side_effect=True, doc="Vote among lanes")
VOTE = enum_words("mode", "ISA_VOTE_", "all any uni")
BALLOT = {"ballot": "mode=ISA_VOTE_BALLOT"}
form("vote.mode.pred p, {!}a", mode=VOTE, t=dict(a="pred"))
form("vote.mode.b32 d, {!}a", mode=BALLOT, t=dict(a="pred"))
form("vote.sync.mode.pred p, {!}a, membermask", ptx=60, sm=30, mode=VOTE,
     t=dict(a="pred", membermask="u32"))
form("vote.sync.mode.b32 d, {!}a, membermask", ptx=60, sm=30, mode=BALLOT,
     t=dict(a="pred", membermask="u32"))
op("match", "warp", check="u?p=tu", run="match", side_effect=True, doc="Lanes with the same value")
form("match.any.sync.type d, a, membermask", type=B3264, ptx=60, sm=70,
     any={"any": "mode=ISA_MATCH_ANY"}, t=dict(d="b32", membermask="u32"))
form("match.all.sync.type d{|p}, a, membermask", type=B3264, ptx=60, sm=70,
     all={"all": "mode=ISA_MATCH_ALL"}, t=dict(d="b32", p="pred", membermask="u32"))
op("redux", "warp", check="u=uu", run="redux", side_effect=True, doc="Reduction over lanes")
form("redux.sync.op.type d, a, membermask", type=I32, ptx=70, sm=80, t=dict(membermask="u32"),
     op=enum_words("atom", "ISA_ATOM_", "add min max"))
form("redux.sync.op.b32 d, a, membermask", ptx=70, sm=80, t=dict(membermask="u32"),
     op=enum_words("atom", "ISA_ATOM_", "and or xor"))
op("activemask", "warp", check="u=", run="active_mask", side_effect=True, doc="Mask of active lanes")
form("activemask.b32 d", ptx=62, sm=30)
op("elect", "warp", check="up=u", run="elect", side_effect=True, doc="Elect one lane")
form("elect.sync d|p, membermask", ptx=80, sm=90, t=dict(d="b32", p="pred", membermask="u32"))
op("bar.warp.sync", "warp", check="=u", run="meet", side_effect=True, doc="Barrier of a warp's lanes")
form("bar.warp.sync membermask", ptx=60, sm=30, t=dict(membermask="u32"))

# ---- Block -------------------------------------------------------------------------------------
family("block", emit="cg_emit_barrier")
op("bar.sync", "block", check="bar", run="go_barrier", can_block=True, side_effect=True, doc="Barrier: wait for the block")
op("bar.arrive", "block", check="=uu", run="go_barrier", can_block=True, side_effect=True, doc="Barrier: arrive without waiting")
op("bar.red", "block", check="bar", run="go_barrier", can_block=True, side_effect=True, doc="Barrier with a reduction")
BARRIERS = (("bar{.cta}", "", "aligned=1", 10, 0), ("barrier{.cta}", "{.aligned}", "", 60, 30))
REDOPS = enum_words("boolop", "ISA_BOOL_", "and or")
for name in "bar.sync bar.arrive bar.red".split():
    OPS.append(OPS.pop([o["name"] for o in OPS].index(name)))
    for opcode, aligned, sets, ptx, sm in BARRIERS:
        more = dict(sets=sets, ptx=ptx, sm=sm, t=dict(a="u32", b="u32", c="pred", d="u32", p="pred"))
        if name == "bar.sync":
            form(opcode + ".sync" + aligned + " a{, b}", **more)
        elif name == "bar.arrive":
            form(opcode + ".arrive" + aligned + " a, b", **more)
        else:
            form(opcode + ".red.popc" + aligned + ".u32 d, a{, b}, {!}c",
                 popc={"popc": "boolop=ISA_BOOL_POPC"}, **more)
            form(opcode + ".red.op" + aligned + ".pred p, a{, b}, {!}c", op=REDOPS, **more)

# ---- Fences, and what only takes time ----------------------------------------------------------
family("fence")
op("membar", "fence", check="=", emit="cg_emit_memory", run="order_memory", side_effect=True, doc="Memory barrier")
form("membar.level", sets="sem=ISA_SEM_SC",
     level={"cta": "scope=ISA_SCOPE_CTA", "gl": "scope=ISA_SCOPE_GPU",
            "sys": "scope=ISA_SCOPE_SYS"})
form("membar.proxy.kind", ptx=75, sm=70, sets="sem=ISA_SEM_ACQ_REL scope=ISA_SCOPE_SYS",
     kind="alias")
op("fence", "fence", check="=", emit="cg_emit_memory", run="order_memory", side_effect=True, doc="Memory fence")
form("fence{.fsem}.scope", ptx=60, sm=70, sets="sem=ISA_SEM_ACQ_REL",
     fsem=enum_words("sem", "ISA_SEM_", "sc acq_rel"))
form("fence.fsem.scope", ptx=86, sm=90, fsem=enum_words("sem", "ISA_SEM_", "acquire release"))
for proxy in "", ".proxy.async::generic":
    form("fence" + proxy + ".acquire.sync_restrict::shared::cluster.cluster", ptx=86, sm=90,
         sets="sem=ISA_SEM_ACQUIRE scope=ISA_SCOPE_CLUSTER")
    form("fence" + proxy + ".release.sync_restrict::shared::cta.cluster", ptx=86, sm=90,
         sets="sem=ISA_SEM_RELEASE scope=ISA_SCOPE_CLUSTER")
form("fence.mbarrier_init.release.cluster", ptx=80, sm=90,
     sets="sem=ISA_SEM_RELEASE scope=ISA_SCOPE_CLUSTER")
form("fence.proxy.kind", ptx=70, sm=70, sets="sem=ISA_SEM_ACQ_REL scope=ISA_SCOPE_SYS",
     kind="alias async async.global async.shared::cta async.shared::cluster")
form("fence.proxy.tensormap::generic.release.scope", ptx=83, sm=90, sets="sem=ISA_SEM_RELEASE")
form("fence.proxy.tensormap::generic.acquire.scope [a], immSize", ptx=83, sm=90,
     sets="sem=ISA_SEM_ACQUIRE", t=dict(immSize="u32"))
op("nanosleep", "control", check="=u", emit="cg_emit_call", run="sleep_thread", side_effect=True, doc="Sleep")
form("nanosleep.u32 t", ptx=63, sm=70)
op("pmevent", "control", lowered=True, side_effect=True, doc="Performance monitor event: no effect")
form("pmevent immA", t=dict(immA="u32"))
form("pmevent.mask immA", ptx=30, sm=20, t=dict(immA="u32"))
op("griddepcontrol", "fence", check="=", emit="cg_emit_call", run="go_grid", side_effect=True,
   doc="Lets dependent grids begin, or waits for the grids that this one depends on")
form("griddepcontrol.action", ptx=78, sm=90,
     action={"launch_dependents": "sem=ISA_SEM_RELEASE", "wait": "sem=ISA_SEM_ACQUIRE"})
op("setmaxnreg", "control", lowered=True, side_effect=True, doc="Registers of a warp: no effect")
form("setmaxnreg.action.sync.aligned.u32 immCount", ptx=80, sm=90, action="inc dec")

# ---- Asynchronous barriers ---------------------------------------------------------------------
family("async", emit="cg_emit_async", run="go_async")
MSS = {k: SLOTS["ss"][k] for k in ("shared", "shared::cta", "shared::cluster")}
OWN = {k: SLOTS["ss"][k] for k in ("shared", "shared::cta")}
REMOTE = {"shared::cluster": "space=ISA_SPACE_CLUSTER"}
MSCOPE = {"cta": "scope=ISA_SCOPE_CTA", "cluster": "scope=ISA_SCOPE_CLUSTER"}


def sems(words):
    return enum_words("sem", "ISA_SEM_", words)


MB = dict(ptx=70, sm=80)
op("mbarrier.init", "async", check="=au", side_effect=True, doc="Makes an mbarrier object with an arrival count")
form("mbarrier.init{.ss}.b64 [a], count", ss=OWN, t=dict(count="u32"), **MB)
op("mbarrier.inval", "async", check="=a", side_effect=True, doc="Ends the life of an mbarrier object")
form("mbarrier.inval{.ss}.b64 [a]", ss=OWN, **MB)
for word in ("expect_tx", "complete_tx"):
    op("mbarrier." + word, "async", check="=au", side_effect=True,
       doc="More" + (" pending transactions" if word == "expect_tx" else " transactions are done"))
    form("mbarrier.%s{.msem}{.scope}{.ss}.b64 [a], n" % word, msem=sems("relaxed"), ss=MSS,
         scope=MSCOPE, t=dict(n="u32"), ptx=80, sm=90)
for word, what in (("arrive", "Arrival"), ("arrive_drop", "Arrival for the last time")):
    op("mbarrier." + word, "async", check="?a=au", side_effect=True, doc=what + " at an mbarrier object")
    head = "mbarrier." + word
    rel = dict(msem=sems("release relaxed"), scope=MSCOPE, t=dict(count="u32"))
    form(head + "{.ss}.b64 d, [a]", ss=OWN, **MB)
    form(head + "{.ss}.b64 d, [a], count", ss=OWN, t=dict(count="u32"), ptx=78, sm=90)
    form(head + ".noComplete{.ss}.b64 d, [a], count", ss=OWN, t=dict(count="u32"), **MB)
    form(head + ".noComplete{.msem}{.scope}{.ss}.b64 d, [a], count", ss=OWN, ptx=80, sm=80, **rel)
    form(head + "{.msem}{.scope}{.ss}.b64 d, [a]{, count}", ss=MSS, ptx=80, sm=90, **rel)
    op(head + ".expect_tx", "async", check="?a=au", side_effect=True,
       doc="More pending transactions, then " + what.lower())
    form(head + ".expect_tx{.msem}{.scope}{.ss}.b64 d, [a], count", ss=MSS, ptx=80, sm=90, **rel)
for word, hint in (("test_wait", ""), ("try_wait", "{, hint}")):
    version = MB if word == "test_wait" else dict(ptx=78, sm=90)
    for parity, state in (("", "u64"), (".parity", "u32")):
        op("mbarrier.%s%s" % (word, parity), "async", check="p=au" if parity else "p=aa", side_effect=True,
           doc="Has a phase of an mbarrier object ended?")
        more = dict(ss=OWN, t=dict(state=state, hint="u32"))
        head = "mbarrier.%s%s" % (word, parity)
        form(head + "{.ss}.b64 p, [a], state" + hint, **more,
             **(dict(ptx=71, sm=80) if parity and word == "test_wait" else version))
        form(head + "{.msem}{.scope}{.ss}.b64 p, [a], state" + hint, msem=sems("acquire relaxed"),
             scope=MSCOPE, ptx=80, sm=90, **more)
op("mbarrier.pending_count", "async", check="u=a", doc="Pending arrivals in a state")
form("mbarrier.pending_count.b64 d, state", t=dict(d="u32", state="u64"), **MB)

# ---- Asynchronous copies -----------------------------------------------------------------------
op("cp.async", "async", check="=aauu", side_effect=True, doc="Copy of 4, 8 or 16 bytes to shared memory")
TO_SHARED = "space=ISA_SPACE_SHARED space2=ISA_SPACE_GLOBAL"
for cache, sizes in (("ca", "4, 8, 16"), ("cg", "16")):
    head = "cp.async.%s.ss.global{.hint}{.prefetch} [dst], [src], immBytes" % cache
    more = dict(sets=TO_SHARED, ss=dict.fromkeys(OWN, ""), ptx=70, sm=80)
    form(head + "{, size}{, cache-policy}", t=dict(immBytes="u32", size="u32"), **more)
    form(head + ", {!}ignore{, cache-policy}", t=dict(immBytes="u32", ignore="pred"), **more)
op("cp.async.group", "async", check="=", side_effect=True,
   doc="Groups of copies; the copies before it have been made, so that there is nothing to wait for")
form("cp.async.commit_group", ptx=70, sm=80)
form("cp.async.wait_group immN", ptx=70, sm=80, t=dict(immN="u32"))
form("cp.async.wait_all", ptx=70, sm=80)
form("cp.async.bulk.commit_group", ptx=80, sm=90)
form("cp.async.bulk.wait_group{.read} immN", ptx=80, sm=90, t=dict(immN="u32"))
op("cp.async.mbarrier.arrive", "async", check="=a", side_effect=True, doc="Arrival when earlier copies are done")
form("cp.async.mbarrier.arrive{.noinc}{.ss}.b64 [a]", ss=OWN, noinc={"noinc": "mask=1"}, ptx=70,
     sm=80)
BULK = dict(ptx=80, sm=90, t=dict(size="u32", mask="u16"))
CLUSTER_GLOBAL = "space=ISA_SPACE_CLUSTER space2=ISA_SPACE_GLOBAL"
CLUSTER_SHARED = "space=ISA_SPACE_CLUSTER space2=ISA_SPACE_SHARED"
GLOBAL_SHARED = "space=ISA_SPACE_GLOBAL space2=ISA_SPACE_SHARED"
CTA_GLOBAL = "space=ISA_SPACE_SHARED space2=ISA_SPACE_GLOBAL"
DONE = ".mbarrier::complete_tx::bytes"
op("cp.async.bulk", "async", check="=aau?ax", side_effect=True, doc="Copy of a multiple of 16 bytes by one thread")
form("cp.async.bulk.shared::cluster.global" + DONE + "{.hint} [dst], [src], size, [bar]"
     "{, cache-policy}", sets=CLUSTER_GLOBAL, **BULK)
form("cp.async.bulk.shared::cta.global" + DONE + "{.hint} [dst], [src], size, [bar]"
     "{, cache-policy}", sets=CTA_GLOBAL, **dict(BULK, ptx=86))
form("cp.async.bulk.shared::cluster.global" + DONE + ".multicast::cluster{.hint} [dst], [src], size, "
     "[bar], mask{, cache-policy}", sets=CLUSTER_GLOBAL + " mask=1", **BULK)
form("cp.async.bulk.shared::cluster.shared::cta" + DONE + " [dst], [src], size, [bar]",
     sets=CLUSTER_SHARED, **BULK)
form("cp.async.bulk.global.shared::cta.bulk_group{.hint} [dst], [src], size{, cache-policy}",
     sets=GLOBAL_SHARED, **BULK)
op("cp.reduce.async.bulk", "async", check="=aau?a", side_effect=True, doc="Reduction of an array into another")
RED = dict(ptx=80, sm=90, t=dict(size="u32"))
CLUSTER_REDUCTIONS = (("and or xor", "b32"), ("add", "u32 s32 u64"), ("inc dec", "u32"),
                      ("min max", "u32 s32"))
for words, types in CLUSTER_REDUCTIONS:
    form("cp.reduce.async.bulk.shared::cluster.shared::cta" + DONE + ".op.type [dst], [src], size, "
         "[bar]", sets=CLUSTER_SHARED, op=enum_words("atom", "ISA_ATOM_", words), type=types, **RED)
for words, types, noftz in (("and or xor", "b32 b64", ""), ("add", "u32 s32 u64 f32 f64", ""),
                            ("inc dec", "u32", ""), ("min max", "u32 s32 u64 s64 f16 bf16", ""),
                            ("add", "f16 bf16", ".noftz")):
    form("cp.reduce.async.bulk.global.shared::cta.bulk_group{.hint}.op%s.type [dst], [src], size"
         "{, cache-policy}" % noftz, sets=GLOBAL_SHARED,
         op=enum_words("atom", "ISA_ATOM_", words), type=types, **RED)
op("prefetch.async", "async", lowered=True, side_effect=True, doc="Prefetch for asynchronous copies: no effect")
form("cp.async.bulk.prefetch.L2.global{.hint} [src], size{, cache-policy}",
     sets="space=ISA_SPACE_GLOBAL", prefetch="prefetch", **RED)

# Tensors. The first two operands of a load are the place in shared memory and the tensor map.
DIM = {"%dd" % n: "vec=%d" % n for n in range(1, 6)}
DIM_IM2COL = {"%dd" % n: "vec=%d" % n for n in range(3, 6)}
TILE = {"tile": "mode=ISA_TENSOR_TILE"}
IM2COL = {"im2col": "mode=ISA_TENSOR_IM2COL"}
# Pixels of one row of each image (enum tensor_pixels): the operand is their halo and offset.
WIDE = {"im2col::w": "scale=1", "im2col::w::128": "scale=2"}
NO_OFFS = {"im2col_no_offs": "mode=ISA_TENSOR_IM2COL"}
TENSOR = dict(ptx=80, sm=90, t=dict(mask="u16"))
TENSOR_TILE = "mode=ISA_TENSOR_TILE "
# A column and four rows; the mbarrier objects of a pair of blocks.
ROWS = {"2d": "vec=5"}
PAIRS = {"cta_group::1": "", "cta_group::2": "po=1"}
op("cp.async.bulk.tensor", "async", check="tensor", side_effect=True, doc="Copy of a box of a tensor")
LOAD = "cp.async.bulk.tensor.dim.%s.global%s" + DONE
for where, spaces, ptx in (("shared::cluster", CLUSTER_GLOBAL, 80), ("shared::cta", CTA_GLOBAL, 86)):
    more = dict(TENSOR, ptx=ptx)
    for multicast, mask, flag in (("", "", ""), (".multicast::cluster", ", mask", " mask=1")):
        if flag and ptx == 86:
            continue
        pair = dict(TENSOR, ptx=86, sm=100, pair=PAIRS)
        form(LOAD % (where, ".tile::gather4") + multicast + "{.pair}{.hint} [dst], [tm, c], [bar]" + mask +
             "{, cache-policy}", sets="mode=ISA_TENSOR_ROWS " + spaces + flag, dim=ROWS, **pair)
        form(LOAD % (where, "{.tile}") + multicast + ".pair{.hint} [dst], [tm, c], [bar]" + mask +
             "{, cache-policy}", sets=TENSOR_TILE + spaces + flag, dim=DIM, tile=TILE, **pair)
        form(LOAD % (where, ".im2col") + multicast + ".pair{.hint} [dst], [tm, c], [bar], im2col" + mask +
             "{, cache-policy}", sets=spaces + flag, dim=DIM_IM2COL, im2col=IM2COL, **pair)
        form(LOAD % (where, ".wide") + multicast + "{.pair}{.hint} [dst], [tm, c], [bar], im2col" + mask +
             "{, cache-policy}", sets="mode=ISA_TENSOR_IM2COL " + spaces + flag, dim=DIM_IM2COL, wide=WIDE, **pair)
        form(LOAD % (where, "{.tile}") + multicast + "{.hint} [dst], [tm, c], [bar]" + mask +
             "{, cache-policy}", sets=TENSOR_TILE + spaces + flag, dim=DIM, tile=TILE, **more)
        form(LOAD % (where, ".im2col") + multicast + "{.hint} [dst], [tm, c], [bar], im2col" + mask +
             "{, cache-policy}", sets=spaces + flag, dim=DIM_IM2COL, im2col=IM2COL, **more)
op("cp.async.bulk.tensor.store", "async", check="tensor", side_effect=True, doc="Copy of a box into a tensor")
op("cp.reduce.async.bulk.tensor", "async", check="tensor", side_effect=True, doc="Reduction of a box into a tensor")
for name, opcode, slot, more in (
        ("cp.async.bulk.tensor.store", "cp.async.bulk.tensor", "", {}),
        ("cp.reduce.async.bulk.tensor", "cp.reduce.async.bulk.tensor", ".op",
         dict(op=enum_words("atom", "ISA_ATOM_", "add min max inc dec and or xor")))):
    OPS.append(OPS.pop([o["name"] for o in OPS].index(name)))
    for mode, dims, slots in (("{.tile}", DIM, dict(tile=TILE)),
                              (".im2col_no_offs", DIM_IM2COL, dict(im2col_no_offs=NO_OFFS))):
        form(opcode + ".dim.global.shared::cta" + slot + mode + ".bulk_group{.hint} [tm, c], [src]"
             "{, cache-policy}", sets=TENSOR_TILE + GLOBAL_SHARED, dim=dims, ptx=80, sm=90, **slots,
             **more)
form("cp.async.bulk.tensor.dim.global.shared::cta.tile::scatter4.bulk_group{.hint} [tm, c], [src]{, cache-policy}",
     of="cp.async.bulk.tensor.store", sets="mode=ISA_TENSOR_ROWS " + GLOBAL_SHARED, dim=ROWS, ptx=86, sm=100)
OPS.append(OPS.pop([o["name"] for o in OPS].index("prefetch.async")))
form("cp.async.bulk.prefetch.tensor.dim.L2.global.tile::gather4{.hint} [tm, c]{, cache-policy}", dim=ROWS,
     prefetch="prefetch", ptx=86, sm=100)
form("cp.async.bulk.prefetch.tensor.dim.L2.global{.tile}{.hint} [tm, c]{, cache-policy}", dim=DIM,
     tile=TILE, prefetch="prefetch", ptx=80, sm=90)
form("cp.async.bulk.prefetch.tensor.dim.L2.global.im2col{.hint} [tm, c], im2col{, cache-policy}",
     dim=DIM_IM2COL, im2col=IM2COL, prefetch="prefetch", ptx=80, sm=90)
form("cp.async.bulk.prefetch.tensor.dim.L2.global.wide{.hint} [tm, c], im2col{, cache-policy}",
     sets="mode=ISA_TENSOR_IM2COL", dim=DIM_IM2COL, wide=WIDE, prefetch="prefetch", ptx=86, sm=100)
form("prefetch{.pss}.tensormap [a]", pss={k: SLOTS["ss"][k] for k in ("const", "param")}, ptx=80,
     sm=90)
TMSS = {k: SLOTS["ss"][k] for k in ("global", "shared", "shared::cta")}
op("tensormap.replace", "async", check="=auu", side_effect=True, doc="Changes a field of a tensor map")
FIELDS = ("global_address rank box_dim global_dim global_stride element_stride elemtype "
          "interleave_layout swizzle_mode fill_mode swizzle_atomicity").split()
for n, name in enumerate(FIELDS):
    wide = name in ("global_address", "global_stride")
    more = dict(t=dict(value="b64" if wide else "b32", imm="u32", immOrd="u32"), ptx=83, sm=90, ss=TMSS,
                sets="mask=%d" % n)
    if n < 2:
        form("tensormap.replace.tile.%s{.ss}.b1024.%s [a], value" % (name, "b64" if wide else "b32"),
             **more)
    elif n < 6:
        form("tensormap.replace.tile.%s{.ss}.b1024.%s [a], immOrd, value" % (
            name, "b64" if wide else "b32"), **more)
    else:
        if name == "swizzle_atomicity":
            more.update(ptx=86, sm=100)
        form("tensormap.replace.tile.%s{.ss}.b1024.b32 [a], imm" % name, **more)
op("tensormap.cp_fenceproxy", "async", lowered=True, side_effect=True, doc="Copy of a tensor map, and a fence")
form("tensormap.cp_fenceproxy.global.shared::cta.proxy.release.scope.sync.aligned [dst], [src], immSize",
     sets=GLOBAL_SHARED, proxy="tensormap::generic", t=dict(immSize="u32"), ptx=83, sm=90)

# Stores and reductions that tell an mbarrier object of the same block of the cluster.
op("st.bulk", "async", check="=au", side_effect=True, doc="Zeros in shared memory")
form("st.bulk{.weak}{.ss} [a], size, immZero", ss=OWN, t=dict(size="u64", immZero="u64"), ptx=86, sm=100)
op("st.async", "async", lowered=True, side_effect=True, doc="Store, and completion at an mbarrier object")
ASYNC_DONE = "{.ss}" + DONE
ASYNC = dict(sets="space=ISA_SPACE_GENERIC", ss=REMOTE, ptx=81, sm=90)
form("st.async{.weak}" + ASYNC_DONE + "{.vec}.type [a], b, [bar]", type="b32 b64 u32 u64 s32 s64 f32 f64",
     **ASYNC)
# Without an mbarrier object: done by the end of the block. Here they are done at once.
AT_END = dict(mmio={"mmio": ""}, ss={"global": "space=ISA_SPACE_GLOBAL"}, sets="sem=ISA_SEM_RELEASE", ptx=87, sm=100)
form("st.async{.mmio}.release.scope{.ss}.type [a], b", of="st", type="b8 b16 b32 b64 u8 u16 u32 u64 s8 s16 s32 s64 f32 f64",
     **AT_END, relaxed=True)
form("red.async{.mmio}.release.scope{.ss}.add.type [a], b", of="red", type="u32 s32 u64 s64",
     add={"add": "atom=ISA_ATOM_ADD"}, **AT_END)
op("red.async", "async", lowered=True, side_effect=True, doc="Reduction, and completion at an mbarrier object")
for words, types in (("inc dec", "u32"), ("min max", "u32 s32"), ("add", "u32 s32 u64"),
                     ("and or xor", "b32")):
    form("red.async.relaxed.cluster" + ASYNC_DONE + ".op.type [a], b, [bar]",
         op=enum_words("atom", "ISA_ATOM_", words), type=types, **ASYNC)

# ---- Clusters ----------------------------------------------------------------------------------
family("cluster", emit="cg_emit_barrier")
op("mapa", "pointwise", lowered=True, doc="An address of shared memory in another block of the cluster")
form("mapa{.ss}.type d, a, rank", ss=REMOTE, type="u32 u64", ptx=78, sm=90, t=dict(rank="u32"))
op("getctarank", "pointwise", lowered=True, doc="Rank of the block of the cluster that an address belongs to")
form("getctarank{.ss}.type d, a", ss=REMOTE, type="u32 u64", ptx=78, sm=90, t=dict(d="u32"))
op("barrier.cluster.arrive", "block", check="=", run="go_cluster_arrive", can_block=True, side_effect=True, doc="Arrival at the cluster's barrier")
form("barrier.cluster.arrive{.bsem}{.aligned}", bsem=sems("release relaxed"), ptx=78, sm=90)
op("barrier.cluster.wait", "block", check="=", run="go_cluster_wait", can_block=True, side_effect=True, doc="Wait at the cluster's barrier")
form("barrier.cluster.wait{.acquire}{.aligned}", ptx=78, sm=90)

# ---- Matrices -----------------------------------------------------------------------------------
family("matrix", check="matrix", emit="cg_emit_matrix", run="interp_matrix")
matrix_forms.declare(op, form)
family("tensor", emit="cg_emit_async", run="go_async")
tensor_memory_forms.declare(op, form)
family("multimem", emit="cg_emit_async", run="go_async")

# Memory of several devices at one address: multicast objects (guide 14). Vectors are so many words.
MULTIMEM_TYPES = "b32 b64 u32 u64 s32 s64 f16 f16x2 bf16 bf16x2 f32 f64"
MULTIMEM_VECTORS = (("v2 v4 v8", "f16 bf16"), ("v2 v4", "f16x2 bf16x2 f32"))
MULTIMEM_REDUCTIONS = (("add", "u32 s32 u64 s64"), ("min max", "u32 s32 u64 s64"),
                       ("and or xor", "b32 b64"), ("add", "f16 f16x2 bf16 bf16x2 f32 f64"),
                       ("min max", "f16 f16x2 bf16 bf16x2"))
MULTIMEM = dict(ptx=81, sm=90, ss={"global": "space=ISA_SPACE_GLOBAL"})


def multimem_vectors(head, tail, reduces, **slots):
    for vec, types in MULTIMEM_VECTORS:
        slots.update(vec={v: "vec=" + v[1:] for v in vec.split()})
        for words, have in MULTIMEM_REDUCTIONS if reduces else (("", types),):
            kept = " ".join(t for t in types.split() if t in have.split())
            if kept and reduces:
                slots["op"] = enum_words("atom", "ISA_ATOM_", words)
            if kept:
                form(head + ".vec.type" + tail, type=kept, **slots, **MULTIMEM)


op("multimem.ld_reduce", "async", check="a=a", side_effect=True, doc="Reduction of what all devices have there")
LD_REDUCE = "multimem.ld_reduce{.msem}{.scope}{.ss}.op"
LD_SEM = dict(msem=sems("weak relaxed acquire"))
for words, types in MULTIMEM_REDUCTIONS:
    form(LD_REDUCE + ".type d, [a]", type=types, op=enum_words("atom", "ISA_ATOM_", words), **LD_SEM,
         **MULTIMEM)
form(LD_REDUCE + ".acc::f32.type d, [a]", type="f16 f16x2 bf16 bf16x2", op={"add": "atom=ISA_ATOM_ADD"},
     sets="approx=1", **LD_SEM, **dict(MULTIMEM, ptx=82))
multimem_vectors(LD_REDUCE, " d, [a]", True, **LD_SEM)
for vec, types in (("v2 v4 v8", "f16 bf16"), ("v2 v4", "f16x2 bf16x2")):
    form(LD_REDUCE + ".acc::f32.vec.type d, [a]", type=types, op={"add": "atom=ISA_ATOM_ADD"},
         vec={v: "vec=" + v[1:] for v in vec.split()}, sets="approx=1", **LD_SEM,
         **dict(MULTIMEM, ptx=82))
op("multimem.st", "async", check="=aa", side_effect=True, doc="Store to what all devices have there")
form("multimem.st{.msem}{.scope}{.ss}.type [a], b", type=MULTIMEM_TYPES,
     msem=sems("weak relaxed release"), **MULTIMEM)
multimem_vectors("multimem.st{.msem}{.scope}{.ss}", " [a], b", False,
                 msem=sems("weak relaxed release"))
op("multimem.red", "async", check="=aa", side_effect=True, doc="Reduction into what all devices have there")
for words, types in MULTIMEM_REDUCTIONS:
    form("multimem.red{.msem}{.scope}{.ss}.op.type [a], b", type=types,
         op=enum_words("atom", "ISA_ATOM_", words), msem=sems("relaxed release"), **MULTIMEM)
multimem_vectors("multimem.red{.msem}{.scope}{.ss}.op", " [a], b", True,
                 msem=sems("relaxed release"))

# ---- Cluster launch control (guide 12) ---------------------------------------------------------
family("launch", emit="cg_emit_async", run="go_async")
# The answer is opaque: its words are the index of the cancelled cluster's first block (x, y, z), and
# 1 where one was cancelled, else all are 0.
op("clusterlaunchcontrol.try_cancel", "async", check="=aa", side_effect=True,
   doc="Cancels a cluster that has not begun; the answer is written and told to an mbarrier object")
op("clusterlaunchcontrol.is_canceled", "composite", doc="Was a cluster cancelled?")
op("clusterlaunchcontrol.get_first_ctaid", "composite",
   doc="Index of the first block of the cancelled cluster")
CLC = dict(ptx=86, sm=100)
for space, spaces in ((".shared::cta", "space=ISA_SPACE_SHARED space2=ISA_SPACE_SHARED"), ("", "")):
    for multicast, flag in (("", ""), (".multicast::cluster::all", " mask=1")):
        form("clusterlaunchcontrol.try_cancel.async" + space + DONE + multicast + ".b128 [a], [bar]",
             of="clusterlaunchcontrol.try_cancel", sets=(spaces + flag).strip(), **CLC)
form("clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 p, a",
     of="clusterlaunchcontrol.is_canceled", t=dict(a="ty2"), **CLC)
form("clusterlaunchcontrol.query_cancel.get_first_ctaid.vec.b32.b128 d, a", vec={"v4": "vec=4"},
     of="clusterlaunchcontrol.get_first_ctaid", t=dict(a="ty2"), **CLC)
form("clusterlaunchcontrol.query_cancel.word.b32.b128 d, a",
     of="clusterlaunchcontrol.get_first_ctaid", t=dict(a="ty2"),
     word={"get_first_ctaid::" + d: "mask=%d" % n for n, d in enumerate("xyz")}, **CLC)

# ---- PTX that comes later ----------------------------------------------------------------------
unsupported("cvt.rn.f16x2.ue5m3x2 cvt.rn.bf16x2.ue5m3x2 cvt.rn.satfinite.bf16x2.ue5m3x2", "numbers with 5 bits of exponent and no sign")
