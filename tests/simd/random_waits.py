"""Random statements in which threads wait for others in part: copies that are under way, rings of
buffers that some fill and others empty, phase after phase, barriers of some warps, and what blocks
of a cluster send to each other.

Each function takes a body (random_ptx.Body) and gives a statement's text."""


def copies(body):
    """cp.async into the thread's own place, of each size, cut short or left out, in groups."""
    r = body.r
    lines, groups = [], r.randint(1, 3)
    for _ in range(groups):
        size = r.choice([4, 8, 16, 16])
        text, a = body.address("%in", 1024 // size, size)
        lines.append(text)
        end = ""
        k = r.randrange(5)
        if k == 0:
            end = ", %d" % r.randint(0, size)
        elif k == 1:
            n = body.temp("r")
            lines.append("and.b32 %s, %s, %d;" % (n, body.reg("r"), size - 1))
            end = ", " + n
        elif k == 2:
            end = ", %s" % body.reg("p")
        how = r.choice(["ca", "cg"]) if size == 16 else "ca"
        hint = r.choice(["", "", ".L2::128B", ".L2::64B"])
        lines += ["%scp.async.%s.shared.global%s [%%smine+%d], [%s], %d%s;" % (
            body.guard(), how, hint, r.randrange(16 // size) * size, a, size, end), "cp.async.commit_group;"]
    if groups > 1 and r.random() < 0.5:
        lines.append("cp.async.wait_group %d;" % r.randrange(1, groups))
    lines.append(r.choice(["cp.async.wait_all;", "cp.async.wait_group 0;"]))
    return "\n".join(lines + ["ld.shared.u32 %s, [%%smine+%d];" % (body.reg("r"), 4 * r.randrange(4))])


def copies_of_block(body):
    """Each thread's copy arrives at the object of meet when it has ended; all read a neighbour's."""
    r = body.r
    text, a = body.address("%in", 64, 16)
    i, at, p, again = body.temp("r"), body.temp("l"), body.temp("p"), body.label()
    arrive = r.choice(["cp.async.mbarrier.arrive.noinc.shared.b64 [%meet];",
                       "cp.async.mbarrier.arrive.shared::cta.b64 [%meet];\nmbarrier.arrive.shared.b64 _, [%meet];"])
    return "\n".join([
        "bar.sync 0;", text, "%scp.async.ca.shared.global [%%smine], [%s], %d;" % (body.guard(), a, r.choice([4, 8, 16])),
        arrive, again + ":", "mbarrier.try_wait.parity.shared.b64 %s, [%%meet], %%parity;" % p, "@!%s bra %s;" % (p, again),
        "add.s32 %s, %%t, %d;" % (i, r.choice([1, 5, 31, 32])), "rem.u32 %s, %s, %d;" % (i, i, body.threads),
        "mul.wide.u32 %s, %s, 16;" % (at, i), "add.s64 %s, %s, %%sbase;" % (at, at),
        "ld.shared.u32 %s, [%s];" % (body.reg("r"), at), "xor.b32 %parity, %parity, 1;", "bar.sync 0;"])


def ring(body):
    """Some fill places of a ring, the others add up what is in them: full and empty, phase by phase."""
    r = body.r
    stages, turns, threads = r.choice([1, 2, 2, 3]), r.randint(1, 6), body.threads
    warps = r.random() < 0.8 and threads >= 64 and threads % 32 == 0
    first = 32 if warps else 1  # who fills: the first warp, of which one thread, or all; else the first thread
    lone = warps and r.random() < 0.6
    elected = lone and r.random() < 0.5
    fillers = 1 if lone or not warps else 32
    takers = threads - first
    if takers == 0:
        return "bar.sync 0;"
    by_warp = warps and r.random() < 0.5  # one thread of each warp says that its warp has done
    bulk = fillers == 1 and r.random() < 0.6
    t = {name: body.temp(c) for name, c in (
        ("fill", "p"), ("here", "p"), ("p", "p"), ("q", "p"), ("i", "r"), ("stage", "r"), ("parity", "r"), ("full", "l"),
        ("empty", "l"), ("place", "l"), ("x", "l"), ("v", "r"), ("sum", "r"), ("e", "r"))}
    t.update({name: body.label() for name in ("TAKE", "TOP", "NEXT", "WAIT", "WAIT2", "TOP2", "END", "SKIP")})
    t.update(stages=stages, turns=turns, first=first, fillers=fillers, last=threads - 1,
             takers=takers // 32 if by_warp else takers, out=body.reg("r"), source=16 * r.randrange(32),
             word=r.choice(["%t", "%lane", "%tx"]))
    at = ["rem.u32 {stage}, {i}, {stages};", "div.u32 {parity}, {i}, {stages};", "and.b32 {parity}, {parity}, 1;",
          "mov.u64 {full}, shared_ring;", "mul.wide.u32 {x}, {stage}, 16;", "add.s64 {full}, {full}, {x};",
          "add.s64 {empty}, {full}, 8;", "mov.u64 {place}, shared_places;", "mul.wide.u32 {x}, {stage}, 128;",
          "add.s64 {place}, {place}, {x};"]
    lines = ["bar.sync 0;", "setp.eq.u32 {p}, %t, {last};", "mov.u64 {full}, shared_ring;"]
    for k in range(stages):
        lines += ["@{p} mbarrier.init.shared.b64 [{full}+%d], {fillers};" % (16 * k),
                  "@{p} mbarrier.init.shared.b64 [{full}+%d], {takers};" % (16 * k + 8)]
    lines += ["mov.u32 {sum}, 0;", "mov.u32 {i}, 0;", "bar.sync 0;", "setp.ge.u32 {fill}, %t, {first};", "@{fill} bra {TAKE};"]
    if elected:
        lines += ["elect.sync {e}|{here}, -1;", "@!{here} bra {END};"]
    elif lone:
        lines += ["setp.ne.u32 {here}, %%t, %d;" % r.randrange(32), "@{here} bra {END};"]
    lines += ["{TOP}:"] + at + ["xor.b32 {parity}, {parity}, 1;", "{WAIT}:",
                                "mbarrier.try_wait.parity.shared.b64 {q}, [{empty}], {parity};", "@!{q} bra {WAIT};"]
    if bulk:
        lines += ["mbarrier.arrive.expect_tx.shared.b64 _, [{full}], 128;",
                  "mul.wide.u32 {x}, {i}, 16;", "add.s64 {x}, {x}, %in;",
                  "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [{place}], [{x}+{source}], 128, [{full}];"]
    elif fillers == 1:
        lines += ["mad.lo.u32 {v}, {i}, 7, {source};"] + [
            "st.shared.v4.u32 [{place}+%d], {{ {v}, {i}, {v}, %%bx }};" % (16 * k) for k in range(8)]
        lines += ["mbarrier.arrive.shared.b64 _, [{full}];"]
    else:
        lines += ["mad.lo.u32 {v}, {i}, 7, %lane;", "mul.wide.u32 {x}, %lane, 4;", "add.s64 {x}, {x}, {place};",
                  "st.shared.u32 [{x}], {v};", "mbarrier.arrive.shared.b64 _, [{full}];"]
    lines += ["add.u32 {i}, {i}, 1;", "setp.lt.u32 {p}, {i}, {turns};", "@{p} bra {TOP};", "bra {END};", "{TAKE}:", "{TOP2}:"]
    lines += at + ["{WAIT2}:", "mbarrier.try_wait.parity.shared.b64 {q}, [{full}], {parity};", "@!{q} bra {WAIT2};",
                   "and.b32 {v}, {word}, 31;", "mul.wide.u32 {x}, {v}, 4;", "add.s64 {x}, {x}, {place};",
                   "ld.shared.u32 {v}, [{x}];", "mad.lo.u32 {sum}, {sum}, 3, {v};"]
    if by_warp:
        lines += ["bar.warp.sync -1;", "setp.eq.u32 {p}, %%lane, %d;" % r.choice([0, 0, 7]),
                  "@{p} mbarrier.arrive.shared.b64 _, [{empty}];"]
    else:
        lines += ["mbarrier.arrive.shared.b64 _, [{empty}];"]
    lines += ["add.u32 {i}, {i}, 1;", "setp.lt.u32 {p}, {i}, {turns};", "@{p} bra {TOP2};", "{END}:", "bar.sync 0;",
              "add.u32 {out}, {out}, {sum};", "setp.eq.u32 {p}, %t, 0;", "mov.u64 {full}, shared_ring;"]
    for k in range(stages):
        lines += ["@{p} mbarrier.inval.shared.b64 [{full}+%d];" % (16 * k), "@{p} mbarrier.inval.shared.b64 [{full}+%d];" % (16 * k + 8)]
    return "\n".join(lines + ["bar.sync 0;"]).format(**t)


def some_warps(body):
    """Warps in two parts, each of which has a barrier of its own; each thread reads what another one of
    its part has stored."""
    r = body.r
    warps = body.threads // 32
    few = r.randint(1, warps - 1)
    p, i, a, other, end = body.temp("p"), body.temp("r"), body.temp("l"), body.label(), body.label()

    def part(number, first, count):
        sync = r.choice(["barrier.sync %d, %d;", "bar.sync %d, %d;"]) % (number, 32 * count)
        again = r.choice([sync, "bar.red.popc.u32 %s, %d, %d, %s;" % (body.reg("r"), number, 32 * count, body.reg("p"))])
        return ["st.shared.u32 [%%smine], %s;" % body.reg("r"), sync, "sub.u32 %s, %%t, %d;" % (i, 32 * first),
                "add.u32 %s, %s, %d;" % (i, i, r.choice([1, 7, 31, 32])), "rem.u32 %s, %s, %d;" % (i, i, 32 * count),
                "add.u32 %s, %s, %d;" % (i, i, 32 * first), "mul.wide.u32 %s, %s, 16;" % (a, i),
                "add.s64 %s, %s, %%sbase;" % (a, a), "ld.shared.u32 %s, [%s];" % (body.reg("r"), a), again]
    return "\n".join(["bar.sync 0;", "setp.ge.u32 %s, %%t, %d;" % (p, 32 * few), "@%s bra %s;" % (p, other)] +
                     part(1, 0, few) + ["bra %s;" % end, other + ":"] + part(2, few, warps - few) + [end + ":", "bar.sync 0;"])


def registers(body):
    """A warpgroup gives registers back, or asks for more."""
    return "setmaxnreg.%s.sync.aligned.u32 %d;" % (body.r.choice(["inc", "dec"]), 8 * body.r.randint(3, 20))


CLUSTER_WAIT = "barrier.cluster.arrive;\nbarrier.cluster.wait;"


def waited(body):
    """Lines that wait for the phase of meet, behind the arrivals of all."""
    p, again = body.temp("p"), body.label()
    return ["mbarrier.arrive.shared.b64 _, [%meet];", again + ":",
            "mbarrier.try_wait.parity.shared.b64 %s, [%%meet], %%parity;" % p, "@!%s bra %s;" % (p, again)]


def many_blocks(body):
    """One block copies into both blocks of a cluster."""
    r = body.r
    p, q, rank, a, i = body.temp("p"), body.temp("p"), body.temp("r"), body.temp("l"), body.temp("r")
    mask, mask_name, size = r.choice([1, 2, 3, 3]), body.temp("h"), 16 * r.randint(1, 16)
    return "\n".join([
        CLUSTER_WAIT, "bar.sync 0;", "setp.eq.u32 %s, %%t, %d;" % (p, r.randrange(body.threads)), "mov.u32 %s, %%cluster_ctarank;" % rank,
        "mov.u64 %s, shared_bulk;" % a, "shr.u32 %s, %d, %s;" % (i, mask, rank), "and.b32 %s, %s, 1;" % (i, i),
        "setp.ne.and.u32 %s, %s, 0, %s;" % (q, i, p), "@%s mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%%meet], %d;" % (q, size),
        "setp.eq.and.u32 %s, %s, %d, %s;" % (q, rank, r.randrange(2), p), "mov.b16 %s, %d;" % (mask_name, mask),
        "@%s cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%s], [%%in+%d], %d, [%%meet], %s;" % (
            q, a, 16 * r.randrange(48), size, mask_name)] + waited(body) + [
                "and.b32 %s, %s, %d;" % (i, body.reg("r"), size // 4 - 1 if size & (size - 1) == 0 else 3), "mul.wide.u32 %%x, %s, 4;" % i,
                "add.s64 %s, %s, %%x;" % (a, a), "ld.shared.u32 %s, [%s];" % (body.reg("r"), a), "xor.b32 %parity, %parity, 1;",
                CLUSTER_WAIT])


def sent(body):
    """Each thread stores in the other block's memory, or adds there, and tells its object so."""
    r = body.r
    rank, a, bar, p = body.temp("r"), body.temp("l"), body.temp("l"), body.temp("p")
    vec, words = r.choice([("", 1), (".v2", 2), (".v4", 4)])
    values = [body.reg("r") for _ in range(words)]
    value = values[0] if words == 1 else "{%s}" % ", ".join(values)
    send = "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes%s.u32 [%s], %s, [%s];" % (vec, a, value, bar)
    if r.random() < 0.4:
        words = 1
        op = r.choice(["add.u32", "min.s32", "max.u32", "and.b32", "or.b32", "xor.b32", "inc.u32"])
        send = "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.%s [%s], %s, [%s];" % (op, a, values[0], bar)
    return "\n".join([
        "bar.sync 0;", "setp.eq.u32 %s, %%t, 0;" % p,
        "@%s mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%%meet], %d;" % (p, 4 * words * body.threads),
        "mov.u32 %s, %%cluster_ctarank;" % rank, "xor.b32 %s, %s, %d;" % (rank, rank, r.choice([1, 1, 0])),
        "mapa.shared::cluster.u64 %s, %%smine, %s;" % (a, rank), "mapa.shared::cluster.u64 %s, %%meet, %s;" % (bar, rank),
        CLUSTER_WAIT, send] + waited(body) + ["ld.shared.u32 %s, [%%smine];" % body.reg("r"), "xor.b32 %parity, %parity, 1;", CLUSTER_WAIT])


def statement(body):
    r = body.r
    kinds = [copies] * 2
    if body.meets:
        kinds += [copies_of_block]
    if body.ring:
        kinds += [ring] * 3
    if body.threads % 32 == 0 and body.threads >= 64 and not body.exits and not body.returns:
        kinds += [some_warps] * 2
    if body.warpgroup:
        kinds += [registers]
    return r.choice(kinds)(body)


def cluster_statement(body):
    return body.r.choice([many_blocks, sent])(body)
