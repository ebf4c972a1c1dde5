"""The matrix instructions' part of the instruction table: see instructions.py for the notation.

frag(x) is a warp's piece of matrix x; how many registers of which type follows from shape and
types (matrix.c). The words of shapes and matrix types set fields of struct isa_mods.
"""


def shapes(text):
    return {w: "shape=ISA_SHAPE_" + w.upper() for w in text.split()}


def wide_shapes(columns, k):
    """m64nNkK: the shape is a number that isa_matrix_size takes apart."""
    code = [8, 16, 32, 64, 256].index(k)
    return {"m64n%dk%d" % (n, k): "shape=ISA_SHAPE_WGMMA+%d" % (code * 32 + n // 8 - 1)
            for n in columns}


def types(field, text):
    return {w: "mat_%s=ISA_MAT_%s" % (field, w.upper()) for w in text.split()}


def typed(d, a, b, c=None):
    """Slots dtype, atype, btype, ctype."""
    slots = dict(dtype=types("d", d), atype=types("a", a), btype=types("b", b))
    if c:
        slots["ctype"] = types("c", c)
    return slots


ALAYOUT = {"row": "", "col": "col_a=1"}
BLAYOUT = {"row": "", "col": "col_b=1"}
COL_B = {"col": "col_b=1"}
SPARSE = {"sp": "sparse=1"}
ORDERED = {"sp::ordered_metadata": "sparse=2"}
SS = {"global": "space=ISA_SPACE_GLOBAL", "shared": "space=ISA_SPACE_SHARED",
      "shared::cta": "space=ISA_SPACE_SHARED"}
SHARED = {"shared": "space=ISA_SPACE_SHARED", "shared::cta": "space=ISA_SPACE_SHARED"}
PADDED = {"b6x16_p32": "mat_d=ISA_MAT_B6", "b4x16_p64": "mat_d=ISA_MAT_B4"}
NUM = {"x1": "vec=1", "x2": "vec=2", "x4": "vec=4"}
XOR = {"xor": "boolop=ISA_BOOL_XOR"}
AND = {"and": "boolop=ISA_BOOL_AND"}


def declare(op, form):
    moves(op, form)
    warp_mma(op, form)
    sparse_mma(op, form)
    wmma(op, form)
    wgmma(op, form)


def moves(op, form):
    op("ldmatrix", "warp", side_effect=True, doc="8x8 matrices from shared memory to a warp")
    form("ldmatrix.sync.aligned.m8n8.num{.trans}{.ss}.b16 frag(d), [a]", ptx=65, sm=75, num=NUM,
         ss=SHARED, trans={"trans": "trans=1"}, b16={"b16": "mat_d=ISA_MAT_B16"})
    op("stmatrix", "warp", side_effect=True, doc="8x8 matrices from a warp to shared memory")
    form("stmatrix.sync.aligned.m8n8.num{.trans}{.ss}.b16 [a], frag(d)", ptx=78, sm=90, num=NUM,
         ss=SHARED, trans={"trans": "trans=1"}, b16={"b16": "mat_d=ISA_MAT_B16"})
    for text, num, b8 in (("ldmatrix.sync.aligned.shape.num.trans{.ss}.b8", "x1 x2", {"b8": "mat_d=ISA_MAT_B8"}),
                          ("ldmatrix.sync.aligned.shape.num.trans{.ss}.b8x16.b8", "x1 x2", PADDED),
                          ("ldmatrix.sync.aligned.m8n16.num{.ss}.b8x16.b8", "x1 x2 x4", PADDED)):
        form(text + " frag(d), [a]", of="ldmatrix", ptx=86, sm=100, num={n: NUM[n] for n in num.split()}, ss=SHARED,
             shape=shapes("m16n16"), m8n16=shapes("m8n16"), trans={"trans": "trans=1"}, b8=b8)
    form("stmatrix.sync.aligned.m16n8.num.trans{.ss}.b8 [a], frag(d)", ptx=86, sm=100, num=NUM, ss=SHARED,
         m16n8=shapes("m16n8"), trans={"trans": "trans=1"}, b8={"b8": "mat_d=ISA_MAT_B8"})
    op("movmatrix", "warp", side_effect=True, doc="Transposes an 8x8 matrix across a warp")
    form("movmatrix.sync.aligned.m8n8.trans.b16 d, a", ptx=78, sm=75, t=dict(d="b32", a="b32"),
         trans={"trans": "trans=1"}, b16={"b16": "mat_d=ISA_MAT_B16"})


def warp_mma(op, form):
    op("mma", "warp", side_effect=True, doc="Matrix product of a warp, fragments in registers")
    head, tail = "mma.sync.aligned.shape", ".dtype.atype.btype.ctype frag(d), frag(a), frag(b), frag(c)"

    def rows(text, slots, ptx, sm, tail=tail):
        form(head + ".row.col" + tail, ptx=ptx, sm=sm, shape=shapes(text), col=COL_B, **slots)

    for d, c in (("f16 f32", "f16"), ("f32", "f32")):
        form(head + ".alayout.blayout" + tail, ptx=64, sm=70, shape=shapes("m8n8k4"),
             alayout=ALAYOUT, blayout=BLAYOUT, **typed(d, "f16", "f16", c))
    for f in ("f16", "f32"):
        rows("m16n8k8", typed(f, "f16", "f16", f), 65, 75)
        rows("m16n8k16", typed(f, "f16", "f16", f), 70, 80)
    rows("m16n8k8 m16n8k16", typed("f32", "bf16", "bf16", "f32"), 70, 80)
    rows("m16n8k4 m16n8k8", typed("f32", "tf32", "tf32", "f32"), 70, 80)
    rows("m16n8k32", typed("f32", "e4m3 e5m2", "e4m3 e5m2", "f32"), 84, 89)
    for d, c, text, ptx in (("f16", "f16", "m16n8k16 m16n8k32", 87), ("f16", "f32", "m16n8k16 m16n8k32", 87),
                            ("f32", "f16", "m16n8k16 m16n8k32", 87), ("f32", "f32", "m16n8k16", 87)):
        rows(text, typed(d, "e4m3 e5m2", "e4m3 e5m2", c), ptx, 89)
    narrow_mma(form)
    # The manual's examples say how the sums are rounded, its syntax does not.
    rounded = tail.replace(" ", "{.nearest} ", 1)
    rows("m8n8k4", dict(typed("f64", "f64", "f64", "f64"), nearest={"rn": ""}), 70, 80, rounded)
    rows("m16n8k4 m16n8k8 m16n8k16", dict(typed("f64", "f64", "f64", "f64"), nearest={"rn": ""}), 78, 90, rounded)
    for elem, text, ptx, sm in (("u8 s8", "m8n8k16", 65, 75), ("u8 s8", "m16n8k16 m16n8k32", 70, 80),
                                ("u4 s4", "m8n8k32", 65, 75), ("u4 s4", "m16n8k32 m16n8k64", 70, 80)):
        form(head + ".row.col{.satfinite}" + tail, ptx=ptx, sm=sm, shape=shapes(text), col=COL_B,
             **typed("s32", elem, elem, "s32"))
    for bits, text, ptx, sm in ((XOR, "m8n8k128", 70, 75), (XOR, "m16n8k128 m16n8k256", 70, 80),
                                (AND, "m8n8k128 m16n8k128 m16n8k256", 71, 80)):
        form(head + ".row.col.dtype.atype.btype.ctype.bitop.popc frag(d), frag(a), frag(b), frag(c)",
             ptx=ptx, sm=sm, shape=shapes(text), col=COL_B, bitop=bits,
             **typed("s32", "b1", "b1", "s32"))


# Numbers of 8, 6 and 4 bits in bytes; of 4 bits packed, as mxf4 and mxf4nvf4 have them.
F8F6F4 = "e4m3 e5m2 e3m2 e2m3 e2m1"
UE8M0 = {"ue8m0": ""}
UE4M3 = {"ue4m3": "mask=1"}


def narrow_mma(form, sparse=False):
    """.kind::f8f6f4, and products with scales."""
    head, frags, more = "mma.sync.aligned.shape.row.col.", " frag(d), frag(a), frag(b), frag(c)", {}
    operands = {"scale-a": "b32", "scale-b": "b32", "a": "u16", "b": "u16"}
    if sparse:
        head, frags, more = "mma.sp.sync.aligned.shape.row.col.", frags + ", lone(e), immF", dict(sp=ORDERED)
        operands.update(e="b32", immF="u32")

    def shape(k):
        return shapes("m16n8k%d" % (2 * k if sparse else k))

    for d in ("f16", "f32"):
        form(head + "kind::f8f6f4.dtype.atype.btype.ctype" + frags, ptx=87, sm=120, shape=shape(32), col=COL_B,
             t={k: operands[k] for k in ("e", "immF") if k in operands}, **typed(d, F8F6F4, F8F6F4, d), **more)
    packed = dict(dtype=types("d", "f32"), ctype=types("c", "f32"),
                  atype={"e2m1": "mat_a=ISA_MAT_E2M1_PACKED"}, btype={"e2m1": "mat_b=ISA_MAT_E2M1_PACKED"})

    def scaled(kind, size, stype, k, slots, sets=""):
        form(head + kind + ".block_scale" + size + ".dtype.atype.btype.ctype.stype" +
             frags + ", lone(scale-a), select(a), lone(scale-b), select(b)", ptx=87, sm=120, sets=sets, stype=stype,
             shape=shape(k), col=COL_B, t=operands, **slots, **more)

    scaled("kind::mxf8f6f4", "{.scale_vec::1X}", UE8M0, 32, typed("f32", F8F6F4, F8F6F4, "f32"), "scale=1")
    scaled("kind::mxf4", "{.scale_vec::2X}", UE8M0, 64, packed, "scale=2")
    scaled("kind::mxf4nvf4", ".scale_vec::2X", UE8M0, 64, packed, "scale=2")
    scaled("kind::mxf4nvf4", ".scale_vec::4X", dict(UE8M0, **UE4M3), 64, packed, "scale=4")


def sparse_mma(op, form):
    for sp, ptx in ((SPARSE, 71), (ORDERED, 85)):
        def rows(text, slots, least=ptx, sm=80, sat=""):
            form("mma.sp.sync.aligned.shape.row.col" + sat + ".dtype.atype.btype.ctype "
                 "frag(d), frag(a), frag(b), frag(c), e, immF", ptx=max(ptx, least), sm=sm, sp=sp,
                 shape=shapes(text), col=COL_B, t=dict(e="b32", immF="u32"), **slots)
        for f in ("f16", "f32"):
            rows("m16n8k16 m16n8k32", typed(f, "f16", "f16", f))
        rows("m16n8k16 m16n8k32", typed("f32", "bf16", "bf16", "f32"))
        rows("m16n8k8 m16n8k16", typed("f32", "tf32", "tf32", "f32"))
        rows("m16n8k64", typed("f32", "e4m3 e5m2", "e4m3 e5m2", "f32"), 84, 89)
        rows("m16n8k32 m16n8k64", typed("s32", "u8 s8", "u8 s8", "s32"), sat="{.satfinite}")
        rows("m16n8k64 m16n8k128", typed("s32", "u4 s4", "u4 s4", "s32"), sat="{.satfinite}")
    narrow_mma(form, True)


TILES = "m16n16k16 m8n32k16 m32n8k16"


def wmma(op, form):
    op("wmma.load", "warp", side_effect=True, doc="A warp's fragment of a matrix from memory")

    def load(which, text, elem, ptx, sm, layout=None):
        form("wmma.load.which.sync.aligned.layout.shape{.ss}.type frag(%s), [a]{, stride}" % which,
             ptx=ptx, sm=sm, which={which: "frag=ISA_FRAG_" + which.upper()}, shape=shapes(text),
             layout=layout or ALAYOUT, ss=SS, type=types(which, elem), t=dict(stride="u32"))

    for x, only in (("a", {"row": ""}), ("b", {"col": "col_a=1"})):
        load(x, TILES, "f16", 60, 70)
        load(x, TILES, "s8 u8", 63, 72)
        load(x, TILES, "bf16", 70, 80)
        load(x, "m16n16k8", "tf32", 70, 80)
        load(x, "m8n8k4", "f64", 70, 80)
        load(x, "m8n8k32", "s4 u4", 63, 75, only)
        load(x, "m8n8k128", "b1", 63, 75, only)
    accumulators = ((TILES, "f16 f32", 60, 70), (TILES, "s32", 63, 72), ("m16n16k8", "f32", 70, 80),
                    ("m8n8k4", "f64", 70, 80), ("m8n8k32 m8n8k128", "s32", 63, 75))
    for row in accumulators:
        load("c", *row)
    op("wmma.store", "warp", side_effect=True, doc="A warp's fragment of a matrix to memory")
    for text, elem, ptx, sm in accumulators:
        form("wmma.store.d.sync.aligned.layout.shape{.ss}.type [a], frag(d){, stride}", ptx=ptx,
             sm=sm, d={"d": "frag=ISA_FRAG_D"}, layout=ALAYOUT, shape=shapes(text), ss=SS,
             type=types("d", elem), t=dict(stride="u32"))
    op("wmma.mma", "warp", side_effect=True, doc="Product of fragments that wmma.load made")
    frags = " frag(d), frag(a), frag(b), frag(c)"
    any_layout = dict(alayout=ALAYOUT, blayout=BLAYOUT)
    form("wmma.mma.sync.aligned.alayout.blayout.shape.dtype.ctype{.satfinite}" + frags, ptx=60,
         sm=70, shape=shapes(TILES), dtype=types("d", "f16 f32"), ctype=types("c", "f16 f32"),
         sets="mat_a=ISA_MAT_F16 mat_b=ISA_MAT_F16", **any_layout)

    def full(text, slots, ptx, sm, sat="", **layouts):
        form("wmma.mma.sync.aligned.alayout.blayout.shape" + sat + ".dtype.atype.btype.ctype" +
             ("{.satfinite}" if slots["dtype"].keys() == {"s32"} else "") + frags,
             ptx=ptx, sm=sm, shape=shapes(text), **slots, **(layouts or any_layout))

    only = dict(alayout={"row": ""}, blayout=COL_B)
    full(TILES, typed("f32", "bf16", "bf16", "f32"), 70, 80)
    full("m16n16k8", typed("f32", "tf32", "tf32", "f32"), 70, 80)
    full("m8n8k4", typed("f64", "f64", "f64", "f64"), 70, 80, "{.rnd}")
    for same in ("s8", "u8"):
        full(TILES, typed("s32", same, same, "s32"), 63, 72)
    for same in ("s4", "u4"):
        full("m8n8k32", typed("s32", same, same, "s32"), 63, 75, **only)
    for bits, ptx, sm in ((XOR, 63, 75), (AND, 71, 80)):
        form("wmma.mma.bitop.popc.sync.aligned.row.col.shape.dtype.atype.btype.ctype" + frags,
             ptx=ptx, sm=sm, bitop=bits, col=COL_B, shape=shapes("m8n8k128"),
             **typed("s32", "b1", "b1", "s32"))


ALL_N = range(8, 257, 8)
INT_N = [8, 16, 24] + list(range(32, 257, 16))


def wgmma(op, form):
    op("wgmma.fence", "warp", check="=", run="meet", side_effect=True, doc="Orders registers and memory before wgmma")
    form("wgmma.fence.sync.aligned", ptx=80, sm=90)
    op("wgmma.commit_group", "warp", check="=", run="meet", side_effect=True, doc="Makes a group of what was started")
    form("wgmma.commit_group.sync.aligned", ptx=80, sm=90)
    op("wgmma.wait_group", "warp", check="=?x", run="meet", side_effect=True, doc="Waits for groups")
    form("wgmma.wait_group.sync.aligned immN", ptx=80, sm=90, t=dict(immN="u32"))
    op("wgmma.mma", "warp", side_effect=True, doc="Product of a warpgroup, b (and a) in shared memory")
    rules = {"a-desc": "b64", "b-desc": "b64", "scale-d": "pred", "imm-scale-a": "s32",
             "imm-scale-b": "s32", "imm-trans-a": "u32", "imm-trans-b": "u32", "sp-meta": "b32",
             "imm-sp-sel": "u32"}

    def rows(sp, shape, slots, scales, trans, middle="", end="", **more):
        for where in ("a-desc", "frag(a)"):
            operands = ["frag(d)", where, "b-desc"]
            operands += ["sp-meta", "imm-sp-sel"] if sp else []
            operands += ["scale-d"]
            operands += ["imm-scale-a", "imm-scale-b"] if scales else []
            operands += ["imm-trans-a"] if trans and where == "a-desc" else []
            operands += ["imm-trans-b"] if trans else []
            form("wgmma.mma_async" + (".sp" if sp else "") + ".sync.aligned.shape" + middle +
                 ".dtype.atype.btype" + end + " " + ", ".join(operands), ptx=82 if sp else 80,
                 sm=90, shape=shape, sets="a_shared=1" if where == "a-desc" else "", sp=SPARSE,
                 t=rules, **slots, **more)

    for sp in (False, True):
        k = 2 if sp else 1
        rows(sp, wide_shapes(ALL_N, 16 * k), typed("f16 f32", "f16", "f16"), True, True)
        rows(sp, wide_shapes(ALL_N, 16 * k), typed("f32", "bf16", "bf16"), True, True)
        rows(sp, wide_shapes(ALL_N, 8 * k), typed("f32", "tf32", "tf32"), True, False)
        rows(sp, wide_shapes(ALL_N, 32 * k), typed("f16 f32", "e4m3 e5m2", "e4m3 e5m2"), True, False)
        for middle, end in (("{.satfinite}", ""), ("", ".satfinite")):
            rows(sp, wide_shapes(INT_N, 32 * k), typed("s32", "s8 u8", "s8 u8"), False, False,
                 middle, end)
    rows(False, wide_shapes(INT_N, 256), typed("s32", "b1", "b1"), False, False, end=".bitop.popc",
         bitop=AND)
