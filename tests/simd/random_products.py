"""Random statements that whole warps and warpgroups run together: products of matrices, alone, in
loops that keep their sums, sparse, by warpgroups out of shared memory, and the moves of their factors.

Each function takes a body (random_ptx.Body) and gives a statement's text; bodies give registers and
addresses. Metadata of sparse products and bits of factors are any."""

# Class of the sums, how many registers they, and the factors, have; the last word of a sparse
# product: how many selectors there are.
PRODUCTS = [("m16n8k16.row.col.f32.f16.f16.f32", "f", 4, 4, 2), ("m16n8k8.row.col.f32.f16.f16.f32", "f", 4, 2, 1),
            ("m16n8k16.row.col.f32.bf16.bf16.f32", "f", 4, 4, 2), ("m16n8k8.row.col.f32.tf32.tf32.f32", "f", 4, 4, 2),
            ("m16n8k16.row.col.f16.f16.f16.f16", "r", 2, 4, 2), ("m16n8k32.row.col.s32.s8.s8.s32", "r", 4, 4, 2),
            ("m16n8k32.row.col.s32.u8.s8.s32", "r", 4, 4, 2), ("m16n8k16.row.col.s32.s8.u8.s32", "r", 4, 2, 1),
            ("m16n8k32.row.col.satfinite.s32.u8.s8.s32", "r", 4, 4, 2), ("m16n8k16.row.col.s32.u8.u8.s32", "r", 4, 2, 1),
            ("m8n8k16.row.col.s32.s8.u8.s32", "r", 2, 1, 1), ("m16n8k64.row.col.s32.s4.u4.s32", "r", 4, 4, 2),
            ("m16n8k256.row.col.s32.b1.b1.s32.and.popc", "r", 4, 4, 2), ("m8n8k4.row.col.f16.f16.f16.f16", "r", 4, 2, 2),
            ("m16n8k32.row.col.f32.e4m3.e5m2.f32", "f", 4, 4, 2)]
SPARSE = [("m16n8k16.row.col.f32.f16.f16.f32", "f", 4, 2, 2, 4), ("m16n8k32.row.col.f32.bf16.bf16.f32", "f", 4, 4, 4, 2),
          ("m16n8k32.row.col.f16.f16.f16.f16", "r", 2, 4, 4, 2), ("m16n8k8.row.col.f32.tf32.tf32.f32", "f", 4, 2, 2, 4),
          ("m16n8k64.row.col.s32.s8.u8.s32", "r", 4, 4, 4, 1), ("m16n8k32.row.col.s32.u8.s8.s32", "r", 4, 2, 2, 2),
          ("m16n8k64.row.col.f32.e4m3.e4m3.f32", "f", 4, 4, 4, 1)]
# Of warpgroups: class and number of the sums; registers of a; may the factors be transposed, negative.
GROUPS = [("m64n8k16.f32.f16.f16", "f", 4, 4, True), ("m64n8k16.f32.bf16.bf16", "f", 4, 4, True),
          ("m64n8k8.f32.tf32.tf32", "f", 4, 4, False), ("m64n8k16.f16.f16.f16", "r", 2, 4, True),
          ("m64n8k32.s32.s8.s8", "r", 4, 4, False), ("m64n8k32.s32.u8.s8", "r", 4, 4, False),
          ("m64n8k32.f32.e5m2.e4m3", "f", 4, 4, False)]
TILE_BYTES = 10240  # what any of the descriptors below can reach


def braces(names):
    return "{%s}" % ", ".join(names)


def any_of(body, c, n):
    return [body.reg(c) for _ in range(n)]


def product(body):
    name, c, nd, na, nb = body.r.choice(PRODUCTS)
    return "mma.sync.aligned.%s %s, %s, %s, %s;" % (
        name, braces(body.r.sample(body.pools[c], nd)), braces(any_of(body, "r", na)), braces(any_of(body, "r", nb)),
        braces(any_of(body, c, nd)))


def sparse_product(body):
    name, c, nd, na, nb, selectors = body.r.choice(SPARSE)
    return "mma.sp%s.sync.aligned.%s %s, %s, %s, %s, %s, %d;" % (
        body.r.choice(["", "::ordered_metadata"]), name, braces(body.r.sample(body.pools[c], nd)),
        braces(any_of(body, "r", na)), braces(any_of(body, "r", nb)), braces(any_of(body, c, nd)), body.reg("r"),
        body.r.randrange(selectors))


def fragment(body, n):
    """Text that makes a factor of n registers: loaded from shared memory, or what registers hold."""
    r = body.r
    names = [body.temp("r") for _ in range(n)]
    if n in (1, 2, 4) and r.random() < 0.7:
        text, a = body.address("%sbase", 1 << body.threads.bit_length() - 1, 16)
        return text + "\nldmatrix.sync.aligned.m8n8.x%d%s.shared.b16 %s, [%s];" % (
            n, r.choice(["", ".trans"]), braces(names), a), names
    return "\n".join("%s %s, %s, %s;" % (r.choice(["xor.b32", "add.u32"]), x, body.reg("r"), r.choice(body.indices))
                     for x in names), names


def accumulate(body):
    """Products of some factors with some others add to sums of their own, step after step and turn
    after turn; the sums end in the body's registers."""
    r = body.r
    name, c, nd, na, nb = r.choice(PRODUCTS)
    down, across, steps = r.choice([1, 1, 2, 3]), r.choice([1, 2, 2, 4, 5]), r.choice([1, 1, 2, 3, 4, 5])
    sums = [[[body.temp(c) for _ in range(nd)] for _ in range(across)] for _ in range(down)]
    zero, lines = r.random() < 0.6, []
    for row in sums:
        for tile in row:
            lines += ["mov.b32 %s, %s;" % (x, "0" if zero else body.reg(c)) for x in tile]
    lines += ["bar.sync 0;"]
    top, i, p = body.label(), body.temp("r"), body.temp("p")
    turns = r.choice([1, 2, 3])
    if turns > 1:
        lines += ["mov.u32 %s, 0;" % i, top + ":"]
    for _ in range(steps):
        a, b = [fragment(body, na) for _ in range(down)], [fragment(body, nb) for _ in range(across)]
        lines += [text for text, _ in a + b]
        order = [(m, n) for m in range(down) for n in range(across)]
        if r.random() < 0.2: # not every pair
            order = r.sample(order, r.randint(1, len(order)))
        lines += ["mma.sync.aligned.%s %s, %s, %s, %s;" % (name, braces(sums[m][n]), braces(a[m][1]), braces(b[n][1]),
                                                          braces(sums[m][n])) for m, n in order]
    if turns > 1:
        if r.random() < 0.5:
            lines += ["bar.sync 0;"]
        lines += ["add.u32 %s, %s, 1;" % (i, i), "setp.lt.u32 %s, %s, %d;" % (p, i, turns), "@%s bra %s;" % (p, top)]
    lines += ["bar.sync 0;"]
    for row in sums:
        for tile in row:
            for x in tile:
                d, bits = body.reg("r"), x
                if c == "f":
                    bits = body.temp("r")
                    lines.append("mov.b32 %s, %s;" % (bits, x))
                lines.append("xor.b32 %s, %s, %s;" % (d, d, bits))
    return "\n".join(lines)


def descriptor(body):
    """Text and register of a descriptor of a matrix in the kernel's tile, whatever its layout."""
    r = body.r
    d, w = body.temp("l"), body.temp("r")
    rest = r.randrange(57) << 16 | r.randrange(65) << 32 | r.randrange(4) << 62
    return "mov.u32 %s, shared_tile;\nshr.u32 %s, %s, 4;\ncvt.u64.u32 %s, %s;\nor.b64 %s, %s, %d;" % (
        w, w, w, d, w, d, d, rest), d


def group_product(body):
    """Products of a warpgroup, whose factors stand in shared memory, or a's in registers."""
    r = body.r
    lines = ["bar.sync 0;", "wgmma.fence.sync.aligned;"]
    for _ in range(r.randint(1, 2)):
        name, c, nd, na, halves = r.choice(GROUPS)
        text, b = descriptor(body)
        lines.append(text)
        if r.random() < 0.3:
            a, scales = braces(any_of(body, "r", na)), 1
        else:
            text, a = descriptor(body)
            lines.append(text)
            scales = 2
        tail = r.choice(["1", "0", "%np"])
        if tail == "%np":
            lines.append("setp.ne.u32 %%np, %s, 2;" % body.uniform())
        if c == "f" or name.startswith("m64n8k16.f16"):
            tail += ", %d, %d" % (r.choice([1, -1]), r.choice([1, -1]))
        if halves:
            tail += "".join(", %d" % r.randrange(2) for _ in range(scales))
        lines.append("wgmma.mma_async.sync.aligned.%s %s, %s, %s, %s;" % (
            name, braces(r.sample(body.pools[c], nd)), a, b, tail))
    return "\n".join(lines + ["wgmma.commit_group.sync.aligned;", "wgmma.wait_group.sync.aligned 0;", "bar.sync 0;"])


def group_start(threads):
    """Fills the tile that descriptors point to, from the kernel's input."""
    out = ["mov.u64 %x, shared_tile;", "mul.wide.u32 %tile, %t, 16;", "add.s64 %x, %x, %tile;",
           "and.b64 %tile, %tile, 1023;", "add.s64 %tile, %tile, %in;"]
    for k in range(TILE_BYTES // 16 // threads):
        out += ["ld.global.v4.u32 {%r0, %r1, %r2, %r3}, [%tile];", "xor.b32 %%r1, %%r1, %d;" % (k << 8),
                "st.shared.v4.u32 [%%x+%d], {%%r0, %%r1, %%r2, %%r3};" % (k * threads * 16)]
    return out


def move(body):
    """Matrices change between lanes, or go to shared memory, or come from there."""
    r = body.r
    k = r.randrange(3)
    if k == 0:
        return "movmatrix.sync.aligned.m8n8.trans.b16 %s, %s;" % (body.reg("r"), body.reg("r"))
    n, trans = r.choice([1, 2, 4]), r.choice(["", ".trans"])
    names = braces(r.sample(body.pools["r"], n))
    if k == 1: # each lane's row is its own place
        return "bar.sync 0;\nstmatrix.sync.aligned.m8n8.x%d%s.shared.b16 [%%smine], %s;\nbar.sync 0;" % (n, trans, names)
    text, a = body.address("%sbase", 1 << body.threads.bit_length() - 1, 16)
    return "%s\nbar.sync 0;\nldmatrix.sync.aligned.m8n8.x%d%s.shared.b16 %s, [%s];\nbar.sync 0;" % (
        text, n, trans, names, a)


def statement(body):
    kinds = [product] * 4 + [sparse_product] * 2 + [accumulate] * 3 + [move] * 3
    if body.warpgroup:
        kinds += [group_product] * 8
    return body.r.choice(kinds)(body)
