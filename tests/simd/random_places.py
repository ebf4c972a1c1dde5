"""Random accesses at places that are hard to tell: of one space or another from lane to lane, at sums
that wrap or pass 2^31 and 2^32, in loops whose counters do; and what is seldom done to memory.

Each function takes a body (random_ptx.Body) and gives a statement's text."""


def mixed(body):
    """A generic address, of each lane's own choice of spaces."""
    r = body.r
    a, spaces = body.temp("l"), ["%gloc", "%mine"] + (["%gsmine"] * 2 if body.kernel else [])
    x, y = r.choice(spaces), r.choice(spaces)
    lines = ["selp.b64 %s, %s, %s, %s;" % (a, x, y, body.reg("p"))]
    for _ in range(r.randint(1, 3)):
        k = r.randrange(5)
        off = 4 * r.randrange(4)
        if k == 0:
            lines.append("%sst.u32 [%s+%d], %s;" % (body.guard(), a, off, body.reg("r")))
        elif k == 1:
            lines.append("st.v2.u16 [%s+%d], {%s, %s};" % (a, off, body.reg("h"), body.reg("h")))
        elif k == 2 and "%gloc" not in (x, y) and body.kernel:
            lines.append("%satom.%s %s, [%s+%d], %s;" % (body.guard(), r.choice(["add.u32", "max.u32", "exch.b32"]), body.reg("r"), a, off,
                                                           body.reg("r")))
        elif k == 3:
            lines.append("ld.v4.u8 {%s, %s, %s, %s}, [%s+%d];" % (*r.sample(body.pools["r"], 4), a, off))
        else:
            lines.append("ld.%su32 %s, [%s+%d];" % (r.choice(["", "volatile."]), body.reg("r"), a, off))
    return "\n".join(lines)


NEAR = [0, 1, 5, 2147483640, 2147483647, 2147483648, 4294967290, 4294967295, 4294967264, 2147483620]


def sum_of(body):
    """Text and register of a sum of 32 bits of what threads have each and what all have, that may wrap."""
    r = body.r
    i = body.temp("r")
    c = r.choice(NEAR)
    form = r.choice(["add.u32 {i}, {t}, {c};", "sub.u32 {i}, {c}, {t};", "add.u32 {i}, {t}, %n;", "sub.u32 {i}, {t}, %n;",
                     "sub.u32 {i}, %n, {t};", "mad.lo.u32 {i}, {t}, 3, {c};", "mad.lo.u32 {i}, %n, 2, {t};",
                     "add.u32 {i}, {t}, {c};\nadd.u32 {i}, {i}, %n;", "shl.b32 {i}, {t}, 2;\nadd.u32 {i}, {i}, {c};"])
    return form.format(i=i, t=r.choice(["%t", "%tx", "%g", "%lane"]), c=c), i


def bounded(body):
    """A word of the input at such a sum, made 64 bits wide one way or the other, where it lies inside."""
    r = body.r
    text, i = sum_of(body)
    p, q, w, a = body.temp("p"), body.temp("p"), body.temp("l"), body.temp("l")
    k = r.randrange(4)
    if k == 0:
        text += "\nsetp.lt.u32 {p}, {i}, 256;\nmul.wide.u32 {w}, {i}, 4;"
    elif k == 1:
        text += "\nsetp.ge.s32 {q}, {i}, 0;\nsetp.lt.and.s32 {p}, {i}, 256, {q};\nmul.wide.s32 {w}, {i}, 4;"
    elif k == 2:  # wide before more is added
        text += "\ncvt.%s {w}, {i};\nadd.s64 {w}, {w}, {c};\nsetp.lt.u64 {p}, {w}, 256;\nshl.b64 {w}, {w}, 2;" % r.choice(
            ["s64.s32", "u64.u32"])
    else:
        text += "\ncvt.s64.s32 {w}, {i};\nsetp.gt.s64 {q}, {w}, -257;\nsetp.lt.and.s64 {p}, {w}, 0, {q};\nneg.s64 {w}, {w};\n" \
                "and.b64 {w}, {w}, 255;\nshl.b64 {w}, {w}, 2;"
    text += "\nadd.s64 {a}, %in, {w};\n@{p} ld.global.u32 {x}, [{a}];"
    c = r.choice([0, -2147483648, 2147483648, -4294967296, -2147483640, 5])
    return text.format(i=i, p=p, q=q, w=w, a=a, c=c, x=body.reg("r"))


def counter(body):
    """A loop whose counter of 32 or 64 bits comes near the end of its range, or goes past it; its turns
    are few, alike in all threads or not."""
    r = body.r
    wide = r.random() < 0.5
    bits, c = (64, "l") if wide else (32, "r")
    sign = r.choice("us")
    i, e, n, p, x, a, turn = body.temp(c), body.temp(c), body.temp("r"), body.temp("p"), body.temp("r"), body.temp("l"), body.temp("r")
    start = r.choice(NEAR + ([9223372036854775800, 18446744073709551610, 8589934590] if wide else []))
    step = r.choice([1, 1, 2, 3, 16, 33, -1, -2])
    top, end = body.label(), body.label()
    lines = ["mov.b%d %s, %d;" % (bits, i, start)]
    if r.random() < 0.6:  # begins where the thread is
        lines += ["cvt.u64.u32 %s, %s;\nadd.s64 %s, %s, %s;" % (e, r.choice(["%t", "%lane"]), i, i, e)] if wide else [
            "add.s32 %s, %s, %s;" % (i, i, r.choice(["%t", "%lane"]))]
    turns = r.choice(["%d" % r.randint(0, 6), "%lane", "%un0", body.reg("r")])
    lines += ["and.b32 %s, %s, 7;" % (n, turns) if turns[0] == "%" else "mov.u32 %s, %s;" % (n, turns)]
    lines += ["cvt.u64.u32 %s, %s;" % (e, n) if wide else "mov.b32 %s, %s;" % (e, n)]
    lines += ["mad.lo.s%d %s, %s, %d, %s;" % (bits, e, e, step, i), "mov.u32 %s, 0;" % turn, top + ":"]
    compare = r.choice(["ne", "ne", "lt" if step > 0 else "gt"])
    # At most eight turns, whatever the comparison says of a counter that has gone past the end.
    lines += ["setp.%s.%s %s, %s, %s;" % (compare, "%s%d" % (sign if compare != "ne" else "s", bits), p, i, e), "@!%s bra %s;" % (p, end)]
    if compare != "ne" or r.random() < 0.3:
        lines += ["add.u32 %s, %s, 1;" % (turn, turn), "setp.gt.u32 %s, %s, 8;" % (p, turn), "@%s bra %s;" % (p, end)]
    index = ["cvt.u32.u64 %s, %s;" % (x, i) if wide else "mov.b32 %s, %s;" % (x, i), "and.b32 %s, %s, 255;" % (x, x)]
    if r.random() < 0.4:
        index = ["sub.s%d %s, %s, %d;" % (bits, e if False else a if wide else x, i, start)] + (
            ["cvt.u32.u64 %s, %s;" % (x, a)] if wide else []) + ["and.b32 %s, %s, 255;" % (x, x)]
    d = body.reg("r")
    lines += index + ["mul.wide.u32 %s, %s, 4;" % (a, x), "add.s64 %s, %s, %%in;" % (a, a), "ld.global.u32 %s, [%s];" % (x, a),
                      "mad.lo.u32 %s, %s, 5, %s;" % (d, d, x), "add.s%d %s, %s, %d;" % (bits, i, i, step), "bra %s;" % top, end + ":"]
    if r.random() < 0.5:
        lines += ["cvt.u32.u64 %s, %s;" % (x, i) if wide else "mov.b32 %s, %s;" % (x, i), "xor.b32 %s, %s, %s;" % (d, d, x)]
    return "\n".join(lines)


def wide_atomic(body):
    """Vectors of words, of halves, and 16 bytes, at places of the thread's own."""
    r = body.r
    k = r.randrange(5)
    if k == 0:
        text, a = body.address("%mine", 4, 16)
        return "%s\n%satom%s.cas.b128 %s, [%s], %s, %s;" % (text, body.guard(), r.choice(["", ".global"]), *(
            [body.reg("q"), a, body.reg("q"), body.reg("q")]))
    if k == 1:
        text, a = body.address("%mine", 4, 16)
        n = r.choice([2, 4])
        return "%s\n%sred.global.add.v%d.f32 [%s], {%s};" % (text, body.guard(), n, a, ", ".join(body.reg("f") for _ in range(n)))
    if k == 2:
        text, a = body.address("%mine", 4, 16)
        n, ty, c = r.choice([(2, "f16", "h"), (4, "bf16", "h"), (8, "f16", "h"), (2, "f16x2", "r"), (4, "bf16x2", "r")])
        op = r.choice(["add", "min", "max"])
        values = ", ".join(body.reg(c) for _ in range(n))
        if r.random() < 0.5 or n > len(body.pools[c]):
            return "%s\n%sred.global.%s.noftz.v%d.%s [%s], {%s};" % (text, body.guard(), op, n, ty, a, values)
        return "%s\natom.global.%s.noftz.v%d.%s {%s}, [%s], {%s};" % (text, op, n, ty, ", ".join(r.sample(body.pools[c], n)), a, values)
    if k == 3:
        base, size = ("%smine", 16) if body.has_shared and body.kernel else ("%mine", 64)
        space = ".shared" if base == "%smine" else ""
        text, a = body.address(base, size // 4, 4)
        return "%s\n%satom%s.add.noftz.%s %s, [%s], %s;" % (text, body.guard(), space, r.choice(["f16x2", "bf16x2"]), body.reg("r"), a,
                                                          body.reg("r"))
    text, a = body.address("%mine", 16, 4)
    return "%s\n%s.mmio.relaxed.sys.global.u32 %s;" % (text, *r.choice([("ld", "%s, [%s]" % (body.reg("r"), a)),
                                                                      ("st", "[%s], %s" % (a, body.reg("r")))]))


def alike(body):
    """All threads of a block store the same at one place, and read it behind a barrier."""
    r = body.r
    x, a = body.temp("r"), body.temp("l")
    return "\n".join(["bar.sync 0;", "mad.lo.u32 %s, %s, 5, %d;" % (x, body.uniform(), r.randrange(99)),
                      "mov.u64 %s, shared_alike;" % a, "%sst.shared.u32 [%s], %s;" % ("@%true " if r.random() < 0.3 else "", a, x),
                      "bar.sync 0;", "ld.shared.u32 %s, [%s];" % (body.reg("r"), a), "bar.sync 0;"])


def state_machine(body):
    """A loop around a jump by a table, from which the cases go back to its head."""
    r = body.r
    n = r.randint(2, 5)
    labels, top, end, s, turn, p = [body.label() for _ in range(n)], body.label(), body.label(), body.temp("r"), body.temp("r"), body.temp("p")
    name = "T%s%d" % (body.name, body.count.setdefault("T", 0))
    body.count["T"] += 1
    text, first = body.index(4)
    lines = [text, "min.u32 %s, %s, %d;" % (s, first, n - 1), "mov.u32 %s, 0;" % turn, top + ":", "add.u32 %s, %s, 1;" % (turn, turn),
             "setp.gt.u32 %s, %s, %d;" % (p, turn, r.randint(3, 9)), "@%s bra %s;" % (p, end),
             "%s: .branchtargets %s;" % (name, ", ".join(labels)), "brx.idx %s, %s;" % (s, name)]
    for k, x in enumerate(labels):
        d = body.reg("r")
        lines += [x + ":", "mad.lo.u32 %s, %s, %d, %s;" % (d, d, 2 * k + 3, r.choice([turn, "%lane", body.reg("r")])),
                  "shr.u32 %s, %s, %d;" % (s, d, r.choice([1, 3, 8])), "rem.u32 %s, %s, %d;" % (s, s, n)]
        lines += [r.choice(["bra %s;" % top, "bra %s;" % top, "" if k + 1 < n else "bra %s;" % end, "@%s bra %s;\nbra %s;" % (body.reg("p"), end, top)])]
    return "\n".join(x for x in lines + [end + ":"] if x)


def statement(body):
    kinds = [mixed] * 2 + [bounded] * 3 + [counter] * 3 + [wide_atomic] * 2 + [state_machine]
    return body.r.choice(kinds)(body)
