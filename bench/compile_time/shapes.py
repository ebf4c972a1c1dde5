#!/usr/bin/env python3
"""shapes.py SHAPE INSTRUCTIONS: prints PTX of one shape with about so many instructions, and the launch of it.

Without arguments: the shapes' names. Each repeats one form of control flow; what a value is depends on the
thread, so that branches are divergent, where the name does not say otherwise. In it is a number that is known when
the kernel runs alone (zero), so that no branch is decided by the block's size."""
import sys

HEAD = """// run: k grid=1,1,1 block=32,1,1 args=buf:64:zero,u32:1
.version 8.0
.target sm_90
.address_size 64
"""
ENTRY = """.visible .entry k(.param .u64 out, .param .u32 n)
{
.reg .b32 %r<12>; .reg .b64 %d<4>; .reg .pred %p<4>;
.shared .align 4 .b8 tile[4096];
ld.param.u64 %d0, [out]; ld.param.u32 %r1, [n];
mov.u32 %r0, %tid.x; shr.u32 %r2, %r1, 8; add.u32 %r2, %r2, %r0; mov.u32 %r4, 0; mov.u32 %r5, tile;
mad.wide.u32 %d1, %r0, 4, %d0; shl.b32 %r6, %r0, 2; add.u32 %r5, %r5, %r6;
"""
TAIL = "st.global.u32 [%d1], %r2;\nret;\n}\n"


def kernel(body, before=""):
    return HEAD + before + ENTRY + body + TAIL


def straight(n):
    """arithmetic without a branch"""
    return kernel("".join(
        f"mad.lo.u32 %r{3 + i % 7}, %r{2 + i % 5}, {i % 1000 + 3}, %r2;\n"
        f"xor.b32 %r2, %r{3 + i % 7}, %r{3 + (i + 3) % 7};\n" for i in range(n // 2)))


def numbers(n):
    """n numbers without an order"""
    x = 1
    for _ in range(n):
        x = (x * 1103515245 + 12345) % (1 << 31)
        yield x >> 8


def memory(n):
    """loads and stores without a branch: each thread at its place, and at one that it computes"""
    return kernel("".join(
        f"ld.global.u32 %r3, [%d1+{x % 4 * 128}];\nadd.u32 %r2, %r2, %r3;\nxor.b32 %r3, %r2, {x % 97};\n"
        f"and.b32 %r3, %r3, 127;\nmad.wide.u32 %d2, %r3, 4, %d0;\n" +
        ("ld.global.u32 %r3, [%d2+512];\n" if x % 3 else "st.global.u32 [%d1], %r3;\n")
        for x in numbers(n // 6))).replace("buf:64", "buf:256")


def ifs(n):
    """ifs one behind the other"""
    return kernel("".join(
        f"setp.gt.u32 %p0, %r2, {i * 7 + 3};\n@%p0 bra L{i};\nadd.u32 %r2, %r2, {i + 1};\nL{i}:\n"
        for i in range(n // 3)))


def uniform_ifs(n):
    """ifs one behind the other that all threads take alike"""
    return kernel("".join(
        f"setp.gt.u32 %p0, %r4, {i * 7 + 3};\n@%p0 bra L{i};\nadd.u32 %r4, %r4, %r1;\nL{i}:\n"
        for i in range(n // 3)) + "add.u32 %r2, %r2, %r4;\n")


def if_else(n):
    """ifs with two sides one behind the other"""
    return kernel("".join(
        f"setp.gt.u32 %p0, %r2, {i * 5 + 3};\n@%p0 bra E{i};\nadd.u32 %r2, %r2, {i + 1};\nbra L{i};\n"
        f"E{i}:\nxor.b32 %r2, %r2, {i % 7};\nL{i}:\n" for i in range(n // 5)))


def variables(n):
    """ifs one behind the other, each of which changes one of 64 values"""
    return kernel("".join(f"add.u32 %v{i}, %r0, {i * 3};\n" for i in range(64)) + "".join(
        f"setp.gt.u32 %p0, %v{i * 7 % 64}, {i % 90};\n@%p0 bra L{i};\nadd.u32 %v{i % 64}, %v{i * 5 % 64}, {i + 1};\n"
        f"L{i}:\n" for i in range(n // 3)) + "".join(f"add.u32 %r2, %r2, %v{i};\n" for i in range(64))
        ).replace(".reg .b32 %r<12>;", ".reg .b32 %r<12>; .reg .b32 %v<64>;")


def nest(n):
    """ifs inside each other"""
    k = n // 4
    return kernel("".join(
        f"setp.gt.u32 %p0, %r2, {k // 2 + i};\n@%p0 bra L{i};\nadd.u32 %r2, %r2, 1;\n" for i in range(k)) + "".join(
        f"add.u32 %r2, %r2, {i % 5};\nL{i}:\n" for i in reversed(range(k))))


def ladder(n):
    """ways out to one place"""
    return kernel("".join(
        f"setp.eq.u32 %p0, %r2, {i + 40};\n@%p0 bra out;\nadd.u32 %r2, %r2, {i % 13};\n"
        for i in range(n // 3)) + "out:\n")


def loops(n):
    """loops one behind the other"""
    return kernel("".join(
        f"mov.u32 %r3, 0;\nL{i}:\nadd.u32 %r2, %r2, {i};\nadd.u32 %r3, %r3, 1;\n"
        f"setp.lt.u32 %p0, %r3, %r1;\n@%p0 bra L{i};\n" for i in range(n // 5)))


def divergent_loops(n):
    """loops one behind the other that each thread leaves by itself"""
    return kernel("".join(
        f"L{i}:\nadd.u32 %r2, %r2, {i % 9 + 1};\nand.b32 %r3, %r2, 15;\n"
        f"setp.lt.u32 %p0, %r3, 5;\n@%p0 bra L{i};\n" for i in range(n // 4)))


def loop_nests(n):
    """four loops inside each other, many times"""
    text = ""
    for i in range(n // 20):
        for d in range(4):
            text += f"mov.u32 %q{d}, 0;\nL{i}_{d}:\nadd.u32 %r2, %r2, {i % 7 + 1};\n"
        for d in reversed(range(4)):
            text += f"add.u32 %q{d}, %q{d}, 1;\nsetp.lt.u32 %p0, %q{d}, %r1;\n@%p0 bra L{i}_{d};\n"
    return kernel(text).replace(".reg .b32 %r<12>;", ".reg .b32 %r<12>; .reg .b32 %q<4>;")


def deep_loops(n):
    """loops inside each other"""
    k = n // 5
    return kernel("".join(f"mov.u32 %q{i}, 0;\nL{i}:\nadd.u32 %r2, %r2, 1;\n" for i in range(k)) + "".join(
        f"add.u32 %q{i}, %q{i}, 1;\nsetp.lt.u32 %p0, %q{i}, %r1;\n@%p0 bra L{i};\n" for i in reversed(range(k)))
        ).replace(".reg .b32 %r<12>;", f".reg .b32 %r<12>; .reg .b32 %q<{k + 1}>;")


def barriers(n):
    """barriers one behind the other, with shared memory between them"""
    return kernel("".join(
        f"st.shared.u32 [%r5], %r2;\nbar.sync 0;\nld.shared.u32 %r3, [%r5+{i % 8 * 4}];\nadd.u32 %r2, %r2, %r3;\n"
        "bar.sync 0;\n" for i in range(n // 5)))


def barrier_loops(n):
    """loops with a barrier one behind the other"""
    return kernel("".join(
        f"mov.u32 %r3, 0;\nL{i}:\nst.shared.u32 [%r5], %r2;\nbar.sync 0;\nld.shared.u32 %r7, [%r5+{i % 8 * 4}];\n"
        f"add.u32 %r2, %r2, %r7;\nbar.sync 0;\nadd.u32 %r3, %r3, 1;\nsetp.lt.u32 %p0, %r3, %r1;\n@%p0 bra L{i};\n"
        for i in range(n // 9)))


def shuffles(n):
    """exchanges between lanes"""
    return kernel("ld.global.u32 %r3, [%d1];\nadd.u32 %r2, %r2, %r3;\n" + "".join(
        f"shfl.sync.bfly.b32 %r3, %r2, {1 << x % 5}, 31, -1;\nmad.lo.u32 %r2, %r2, {x % 49 * 2 + 3}, %r3;\n"
        for x in numbers(n // 2)))


def atomics(n):
    """atomics at an address a lane"""
    return kernel("".join(
        f"atom.global.add.u32 %r3, [%d1], {x % 99};\nmad.lo.u32 %r2, %r2, {x % 49 * 2 + 3}, %r3;\n"
        for x in numbers(n // 2)))


CALL = ("{\n.param .b32 b;\n.param .b32 c;\nst.param.b32 [b], %s;\ncall (c), %s, (b);\n"
        "ld.param.b32 %s, [c];\n}\n")


def calls(n):
    """calls of one function one behind the other"""
    long = "".join(f"xor.b32 %x, %x, {i};\nadd.u32 %x, %x, {i * 3};\n" for i in range(30))
    f = (".func (.param .b32 r) f(.param .b32 a)\n{\n.reg .b32 %x;\nld.param.b32 %x, [a];\n" + long +
         "st.param.b32 [r], %x;\nret;\n}\n")
    return kernel(CALL % ("%r2", "f", "%r2") * ((n - 60) // 3), f)


def inlined(n):
    """calls of a short function one behind the other"""
    f = (".func (.param .b32 r) f(.param .b32 a)\n{\n.reg .b32 %x;\nld.param.b32 %x, [a];\n"
         "mad.lo.u32 %x, %x, 3, 7;\nst.param.b32 [r], %x;\nret;\n}\n")
    return kernel(CALL % ("%r2", "f", "%r2") * (n // 3), f)


def call_chain(n):
    """functions of ten instructions, each of which calls the next"""
    text, k = "", n // 14
    for i in reversed(range(k)):
        text += (f".func (.param .b32 r) f{i}(.param .b32 a)\n{{\n.reg .b32 %x;\nld.param.b32 %x, [a];\n" +
                 "".join(f"mad.lo.u32 %x, %x, {j + 3}, {i % 7};\n" for j in range(10)))
        if i < k - 1:
            text += CALL % ("%x", f"f{i + 1}", "%x")
        text += "st.param.b32 [r], %x;\nret;\n}\n"
    return kernel(CALL % ("%r2", "f0", "%r2"), text)


def switches(n):
    """branches to eight places one behind the other"""
    return kernel("".join(
        f"ts{i}: .branchtargets " + ", ".join(f"L{i}_{j}" for j in range(8)) + ";\n" +
        f"add.u32 %r3, %r2, {i};\nand.b32 %r3, %r3, 7;\nbrx.idx %r3, ts{i};\n" +
        "".join(f"L{i}_{j}:\nadd.u32 %r2, %r2, {j + 1};\nbra M{i};\n" for j in range(8)) + f"M{i}:\n"
        for i in range(n // 19)))


def brx(n):
    """one branch to many places"""
    k = n // 2
    return kernel("ts: .branchtargets " + ", ".join(f"L{i}" for i in range(k)) +
                  f";\nmul.lo.u32 %r3, %r0, 7919;\nrem.u32 %r3, %r3, {k};\nbrx.idx %r3, ts;\n" +
                  "".join(f"L{i}:\nadd.u32 %r2, %r2, {i};\nbra out;\n" for i in range(k)) + "out:\n")


def comparisons(n):
    """a switch made of comparisons, whose cases lie behind it"""
    k = n // 4
    return kernel("and.b32 %r3, %r2, 63;\n" + "".join(
        f"setp.eq.u32 %p0, %r3, {i};\n@%p0 bra L{i};\n" for i in range(k)) + "bra out;\n" + "".join(
        f"L{i}:\nadd.u32 %r2, %r2, {i % 11};\nbra out;\n" for i in range(k)) + "out:\n")


def gotos(n):
    """jumps to anywhere: loops that are entered in many places"""
    k, text = n // 6, ""
    for i, x in enumerate(numbers(k)):
        text += (f"L{i}:\nadd.u32 %r4, %r4, 1;\nsetp.gt.u32 %p0, %r4, 10;\n@%p0 bra out;\n"
                 f"setp.gt.u32 %p1, %r2, {x % 1000};\nadd.u32 %r2, %r2, {i};\n"
                 f"@%p1 bra L{(x >> 8) % k};\n")
    return kernel(text + "out:\n")


def near_gotos(n):
    """jumps to one of the eight places behind"""
    k, text = n // 3, ""
    for i, x in enumerate(numbers(k)):
        text += (f"L{i}:\nsetp.gt.u32 %p1, %r2, {x % 1000};\nadd.u32 %r2, %r2, {i};\n"
                 f"@%p1 bra L{min(i + 1 + (x >> 8) % 8, k)};\n")
    return kernel(text + f"L{k}:\n")


def searches(n):
    """loops left in two places and continued in one, with floats"""
    k = n // 11
    return kernel("cvt.rn.f32.u32 %f0, %r2;\n" + "".join(
        f"mov.u32 %r3, %r2;\nL{i}:\nmul.f32 %f0, %f0, 0f3f400000;\nadd.u32 %r3, %r3, 3;\nand.b32 %r7, %r3, 31;\n"
        f"setp.eq.u32 %p0, %r7, {x % 13};\n@%p0 bra M{i};\nadd.u32 %r2, %r2, {x % 7 + 1};\n"
        f"setp.lt.f32 %p1, %f0, 0f3f800000;\n@%p1 bra M{i};\n"
        f"and.b32 %r7, %r2, 1;\nbra L{i};\nM{i}:\nfma.rn.f32 %f0, %f0, 0f40400000, 0f3f000000;\n"
        for i, x in enumerate(numbers(k))) + "cvt.rzi.u32.f32 %r3, %f0;\nadd.u32 %r2, %r2, %r3;\n").replace(
        ".reg .b64 %d<4>;", ".reg .b64 %d<4>; .reg .f32 %f<4>;")


def automaton(n):
    """a loop around one dispatch among many states, each of which computes the next"""
    k = n // 6
    targets = ", ".join(f"S{i}" for i in range(k))
    return kernel(
        f"mov.u32 %r3, 0;\nrem.u32 %r7, %r0, {k};\nts: .branchtargets {targets};\ntop:\nadd.u32 %r3, %r3, 1;\n"
        "setp.gt.u32 %p0, %r3, 6;\n@%p0 bra out;\nbrx.idx %r7, ts;\n" +
        "".join(f"S{i}:\nxor.b32 %r2, %r2, {x % 999};\nsetp.gt.u32 %p1, %r2, {x % 77};\n"
                f"selp.u32 %r7, {x % k}, {(x >> 7) % k}, %p1;\nadd.u32 %r2, %r2, %r7;\nbra top;\n"
                for i, x in enumerate(numbers(k))) + "out:\n")


def edges(n):
    """doubles and floats loaded behind tests of edges, ifs three deep, predicated instructions"""
    k = n // 16
    return kernel("cvt.rn.f64.u32 %e0, %r2;\ncvt.rn.f32.u32 %f0, %r2;\n" + "".join(
        f"add.u32 %r3, %r2, {x % 97};\nand.b32 %r3, %r3, 63;\nsetp.lt.u32 %p0, %r3, 2;\n@%p0 bra M{i};\n"
        f"mad.wide.u32 %d2, %r3, 4, %d0;\nld.global.f32 %f1, [%d2];\nsetp.gt.f32 %p1, %f1, %f0;\n@%p1 bra K{i};\n"
        "add.f32 %f0, %f0, %f1;\n"
        f"setp.ne.u32 %p2, %r3, {x % 50};\n@%p2 bra K{i};\n"
        "fma.rn.f64 %e0, %e0, 0d3FE0000000000000, 0d3FF0000000000000;\n"
        f"K{i}:\n@!%p0 add.u32 %r2, %r2, {x % 5};\n@%p1 mul.lo.u32 %r2, %r2, 3;\nmax.f32 %f0, %f0, 0f3f000000;\nM{i}:\n"
        for i, x in enumerate(numbers(k))) + "cvt.rzi.u32.f64 %r3, %e0;\nadd.u32 %r2, %r2, %r3;\n"
        "cvt.rzi.u32.f32 %r3, %f0;\nadd.u32 %r2, %r2, %r3;\n").replace(
        ".reg .b64 %d<4>;", ".reg .b64 %d<4>; .reg .f32 %f<4>; .reg .f64 %e<4>;").replace("buf:64", "buf:256")


SHAPES = [straight, memory, ifs, uniform_ifs, if_else, variables, nest, ladder, loops, divergent_loops,
          loop_nests, deep_loops, barriers, barrier_loops, shuffles, atomics, calls, inlined, call_chain,
          switches, brx, comparisons, gotos, near_gotos, searches, automaton, edges]


def make(name, n):
    return next(s for s in SHAPES if s.__name__ == name)(n)


if __name__ == "__main__":
    if len(sys.argv) == 3:
        sys.stdout.write(make(sys.argv[1], int(sys.argv[2])))
    else:
        for s in SHAPES:
            print(f"{s.__name__}: {s.__doc__}")
