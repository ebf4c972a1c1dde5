"""tcgen05's part of the instruction table (tensor memory): see instructions.py for the notation.

A place in tensor memory is a number of 32 bits, in brackets or not. The fields of struct isa_mods
that the words set: shape (enum isa_tensor_shape, isa_tensor_kind), mask (how often a shape is
repeated; of cp and mma flags, see tensor_memory.h), trans (pack and unpack), po (a pair of blocks),
scale (scales of a row).
"""

GROUP = {"cta_group::1": "", "cta_group::2": "po=1"}


def times(most):
    return {"x%d" % (1 << n): "mask=%d" % (1 << n) for n in range(most.bit_length())}


COLLECTORS = ("fill", "use", "lastuse", "discard")
TENSOR = dict(ptx=86, sm=100)


def kinds(words):
    return {"kind::" + w: "shape=ISA_TENSOR_" + w.upper() for w in words.split()}


def shapes(words):
    return {w: "shape=ISA_TENSOR_" + w.upper() for w in words.split()}


def declare(op, form):
    memory(op, form)
    moves(op, form)
    products(op, form)


def memory(op, form):
    op("tcgen05.alloc", "async", check="=au", can_block=True, side_effect=True, doc="Columns of tensor memory for a block")
    form("tcgen05.alloc.group.sync.aligned{.ss}.b32 [a], n", group=GROUP, t=dict(n="u32"),
         ss={"shared::cta": "space=ISA_SPACE_SHARED"}, **TENSOR)
    op("tcgen05.dealloc", "async", check="=uu", side_effect=True, doc="Gives columns of tensor memory back")
    form("tcgen05.dealloc.group.sync.aligned.b32 a, n", group=GROUP, t=dict(a="b32", n="u32"), **TENSOR)
    op("tcgen05.relinquish", "async", check="=u", side_effect=True, doc="The block allocates no more")
    form("tcgen05.relinquish_alloc_permit.group.sync.aligned", group=GROUP, **TENSOR)
    op("tcgen05.order", "async", lowered=True, side_effect=True,
       doc="Waits and fences: what they are for is complete when it is issued")
    for text in ("wait::ld.sync.aligned", "wait::st.sync.aligned", "fence::before_thread_sync",
                 "fence::after_thread_sync"):
        form("tcgen05." + text, **TENSOR)
    op("tcgen05.commit", "async", check="=au", side_effect=True, doc="Tells mbarrier objects that what was issued is done")
    done = "tcgen05.commit.group.mbarrier::arrive::one{.ss}"
    form(done + ".b64 [a]", group=GROUP, ss={"shared::cluster": "space=ISA_SPACE_CLUSTER"}, **TENSOR)
    form(done + ".multicast::cluster.b64 [a], blocks", group=GROUP,
         ss={"shared::cluster": "space=ISA_SPACE_CLUSTER"}, t=dict(blocks="u16"), **TENSOR)
    # Of kernel IR alone: the address of the first word of an access of a warp
    op("tcgen05.at", "async", check="a=uu", side_effect=True)


def moves(op, form):
    for name, pack, text in (("ld", "pack::16b", "frag(d), [a]%s"), ("st", "unpack::16b", "[a]%s, frag(d)")):
        op("tcgen05." + name, "async", lowered=True, side_effect=True,
           doc="A warp's registers from tensor memory" if name == "ld" else "A warp's registers to tensor memory")
        for words, most, split in (("16x64b 32x32b", 128, ""), ("16x128b", 64, ""), ("16x256b", 32, ""),
                                   ("16x32bx2", 128, ", immSplit")):
            form("tcgen05." + name + ".sync.aligned.shape.num{.pack}.b32 " + text % split, shape=shapes(words),
                 num=times(most), pack={pack: "trans=1"}, t=dict(immSplit="u32"), **TENSOR)
    for words, split in (("32x32b", ""), ("16x32bx2", ", immSplit")):
        for text in ("minmax{.abs}{.NaN}.f32", "minmax.type", "type.minmax"):  # the manual has both orders
            form("tcgen05.ld.red.sync.aligned.shape.num." + text + " frag(d), redval, [a]" + split,
                 of="tcgen05.ld", shape=shapes(words), num={k: v for k, v in times(128).items() if k != "x1"},
                 minmax={w: "atom=ISA_ATOM_" + w.upper() for w in ("min", "max")}, type="u32 s32", t=dict(immSplit="u32"),
                 ptx=88, sm=101)
    op("tcgen05.cp", "async", check="=uua", side_effect=True, doc="Rows of shared memory to tensor memory")
    formats = {"b8x16.b6x16_p32": 6, "b8x16.b4x16_p64": 4}
    for words, multicast in (("128x256b 4x256b 128x128b", {}),
                             ("64x128b", {"warpx2::02_13": "trans=1", "warpx2::01_23": ""}),
                             ("32x128b", {"warpx4": ""})):
        for text, bits in (("", 0),) + tuple(formats.items()):
            form("tcgen05.cp.group.shape" + (".rows" if multicast else "") + ("." + text if text else "") +
                 " [a], b", group=GROUP, shape=shapes(words), rows=multicast, t=dict(b="b64"),
                 sets="mask=%d" % bits, **TENSOR)
    op("tcgen05.shift", "async", check="=u?u", side_effect=True, doc="Rows of tensor memory move down by one")
    form("tcgen05.shift.group.down [a]", group=GROUP, **TENSOR)
    form("tcgen05.shift.down.group [a]", group=GROUP, **TENSOR)  # the manual's examples


def products(op, form):
    op("tcgen05.mma", "async", check="=uuxau?xxxxxxxxxxx", side_effect=True, doc="Product of matrices, the sums in tensor memory")
    types = dict(a="b64", b="b64", meta="b32", idesc="b32", enable="pred", immScale="u32", columns="b64")
    collect = {"collector::a::" + w: "" for w in COLLECTORS}
    shifted = {"collector::a::" + w: "" for w in ("lastuse", "discard")}

    def product(text, operands, flags, **slots):
        ws = ".ws" if text.startswith(".ws") else ""
        for sp in ("", ".sp"):
            form("tcgen05.mma" + ws + sp + text[len(ws):] + " " +
                 operands.replace("b, ", "b, [meta], " if sp else "b, ", 1),
                 of="tcgen05.mma", t=types, sets="mask=%d%s" % (flags, " sparse=1" if sp else ""), **slots, **TENSOR)

    for a, flag in (("a", 0), ("[a]", 1)):
        common = dict(group=GROUP, use=collect)
        for words, scale in (("f16 tf32", "{, immScale}"), ("f8f6f4 i8", "")):
            for lanes in ("", "frag(m), "):
                operands = "[d], %s, b, idesc, %s{!}enable%s" % (a, lanes, scale)
                flags = flag | (2 if lanes else 0)
                product(".group.kind{.use}", operands, flags, kind=kinds(words), **common)
                if flag:
                    product(".group.kind.ashift{.use}", operands, flags, kind=kinds(words), group=GROUP, use=shifted,
                            ashift={"ashift": "oob=1"})
        for words, sizes in (("mxf8f6f4", {"scale_vec::1X": "", "block32": ""}),
                             ("mxf4", {"scale_vec::2X": "", "block32": ""}),
                             ("mxf4nvf4", {"scale_vec::2X": "scale=2", "block32": "scale=2",
                                           "scale_vec::4X": "scale=4", "block16": "scale=4"})):
            size = ".size" if words == "mxf4nvf4" else "{.size}"
            product(".group.kind.block_scale" + size + "{.use}", "[d], %s, b, idesc, [sa], [sb], {!}enable" % a, flag,
                    kind=kinds(words), size=sizes, **common)
        for n in range(4):
            product(".ws.cta_group::1.kind" + (".use" if n else "{.use}"),
                    "[d], %s, b, idesc, {!}enable{, columns}" % a, flag | 4,
                    use={"collector::b%d::%s" % (n, w): "" for w in COLLECTORS}, kind=kinds("f16 tf32 f8f6f4 i8"))
