#!/usr/bin/env python3
"""sizes.py PTX_RUN [NAME... | PART/PARTS]: kernels that are large in one way: many results, arguments, blocks one
behind the other and inside each other, loops, calls, scopes, parentheses. Compiled code, quick and
good, gives what the interpreter gives, within 30 s of processor time; what is refused is refused
with a message by both, and what the compiler alone refuses runs on the interpreter, with a warning.
What they compute begins with the number of the thread and what nobody knows before it runs (zero), so
that no test is decided by the block's size. Each runs on a thread whose stack has 128 KiB, too: small_stack in tests/driver."""
import os
import resource
import subprocess
import sys
import tempfile

HEAD = ".version 8.0\n.target sm_90\n.address_size 64\n"
ENTRY = """.visible .entry k(.param .u64 out, .param .u32 n)
{
.reg .b32 %r<12>; .reg .b64 %d<4>; .reg .pred %p<4>;
ld.param.u64 %d0, [out]; ld.param.u32 %r1, [n];
mov.u32 %r0, %tid.x; shr.u32 %r2, %r1, 8; add.u32 %r2, %r2, %r0;
"""
TAIL = "mad.wide.u32 %d1, %r0, 4, %d0;\nst.global.u32 [%d1], %r2;\nret;\n}\n"


def chain(n):
    """n ifs one behind the other"""
    return ENTRY + "".join(
        f"setp.gt.u32 %p0, %r2, {i * 7 + 3};\n@%p0 bra L{i};\nadd.u32 %r2, %r2, {i + 1};\nL{i}:\n"
        for i in range(n)) + TAIL


def together(n):
    """n ifs inside each other that all threads take alike"""
    return ENTRY + "mov.u32 %r5, 0;\n" + "".join(
        f"setp.gt.u32 %p0, %r5, %r1;\n@%p0 bra L{i};\nxor.b32 %r5, %r5, %r1;\nadd.u32 %r2, %r2, 1;\n"
        for i in range(n)) + "".join(
        f"add.u32 %r2, %r2, {i % 5};\nL{i}:\n" for i in reversed(range(n))) + TAIL


def spins(n):
    """n loops one behind the other that wait for what others write"""
    return (".global .u32 flag = 1;\n" + ENTRY + "".join(
        f"L{i}:\nld.volatile.global.u32 %r3, [flag];\nsetp.eq.u32 %p0, %r3, 0;\n@%p0 bra L{i};\n"
        f"add.u32 %r2, %r2, {i};\n" for i in range(n)) + TAIL)


def ladder(n):
    """n ways out to one place"""
    return ENTRY + "".join(
        f"setp.eq.u32 %p0, %r2, {i + 40};\n@%p0 bra out;\nadd.u32 %r2, %r2, {i % 13};\n"
        for i in range(n)) + "out:\n" + TAIL


def nest(n):
    """n ifs inside each other"""
    return ENTRY + "".join(
        f"setp.gt.u32 %p0, %r2, {n // 2 + i};\n@%p0 bra L{i};\nadd.u32 %r2, %r2, 1;\n"
        for i in range(n)) + "".join(
        f"add.u32 %r2, %r2, {i % 5};\nL{i}:\n" for i in reversed(range(n))) + TAIL


def loops(n):
    """n loops inside each other"""
    return ENTRY.replace("%r<12>", f"%r<{n + 12}>") + "".join(
        f"mov.u32 %r{i + 12}, 0;\nL{i}:\nadd.u32 %r2, %r2, 1;\n" for i in range(n)) + "".join(
        f"add.u32 %r{i + 12}, %r{i + 12}, 1;\nsetp.lt.u32 %p0, %r{i + 12}, %r1;\n@%p0 bra L{i};\n"
        for i in reversed(range(n))) + TAIL


def loop_row(n):
    """n loops one behind the other"""
    return ENTRY + "".join(
        f"mov.u32 %r3, 0;\nL{i}:\nadd.u32 %r2, %r2, {i};\nadd.u32 %r3, %r3, 1;\n"
        f"setp.lt.u32 %p0, %r3, %r1;\n@%p0 bra L{i};\n" for i in range(n)) + TAIL


def cross(n):
    """jumps to anywhere: loops that are entered in many places"""
    text, x = ENTRY + "mov.u32 %r4, 0;\n", 1
    for i in range(n):
        x = (x * 1103515245 + 12345) % (1 << 31)
        text += (f"L{i}:\nadd.u32 %r4, %r4, 1;\nsetp.gt.u32 %p0, %r4, 10;\n@%p0 bra out;\n"
                 f"setp.gt.u32 %p1, %r2, {(x >> 8) % 1000};\nadd.u32 %r2, %r2, {i};\n"
                 f"@%p1 bra L{(x >> 16) % n};\n")
    return text + "out:\n" + TAIL


def branches(n):
    """a branch to n places"""
    return (ENTRY + "ts: .branchtargets " + ", ".join(f"L{i}" for i in range(n)) +
            f";\nmul.lo.u32 %r3, %r0, 7919;\nrem.u32 %r3, %r3, {n};\nbrx.idx %r3, ts;\n" +
            "".join(f"L{i}:\nadd.u32 %r2, %r2, {i};\nbra out;\n" for i in range(n)) +
            "out:\n" + TAIL)


def call(results, arguments):
    return ("{\n" + "".join(f".param .b32 b{i};\n" for i in range(arguments)) +
            "".join(f".param .b32 c{i};\n" for i in range(results)) +
            "".join(f"add.u32 %r3, %r2, {i};\nst.param.b32 [b{i}], %r3;\n"
                    for i in range(arguments)) +
            "call (" + ", ".join(f"c{i}" for i in range(results)) + "), f, (" +
            ", ".join(f"b{i}" for i in range(arguments)) + ");\n" +
            "".join(f"ld.param.b32 %r3, [c{i}];\nmad.lo.u32 %r2, %r2, 31, %r3;\n"
                    for i in range(results)) + "}\n")


def function(results, arguments):
    """long enough to stay a function"""
    return (".func (" + ", ".join(f".param .b32 r{i}" for i in range(results)) + ") f(" +
            ", ".join(f".param .b32 a{i}" for i in range(arguments)) + ")\n{\n" +
            ".reg .b32 %x<4>;\nmov.u32 %x1, 0;\n" +
            "".join(f"ld.param.b32 %x0, [a{i}];\nmad.lo.u32 %x1, %x1, 5, %x0;\n"
                    for i in range(arguments)) +
            "".join(f"xor.b32 %x1, %x1, {i};\nadd.u32 %x1, %x1, {i};\n" for i in range(220)) +
            "".join(f"mad.lo.u32 %x2, %x1, {i + 3}, {i * i};\nst.param.b32 [r{i}], %x2;\n"
                    for i in range(results)) + "ret;\n}\n")


def results(n):
    return function(n, 1) + ENTRY + call(n, 1) * 2 + TAIL


def arguments(n):
    return function(1, n) + ENTRY + call(1, n) * 2 + TAIL


def calls(n):
    """n functions, each of which calls the next"""
    text = ""
    for i in reversed(range(n)):
        text += (f".func (.param .b32 r) f{i}(.param .b32 a)\n{{\n.reg .b32 %x;\n"
                 f"ld.param.b32 %x, [a];\nadd.u32 %x, %x, {i % 7};\n")
        if i < n - 1:
            text += ("{\n.param .b32 b;\n.param .b32 c;\nst.param.b32 [b], %x;\n"
                     f"call (c), f{i + 1}, (b);\nld.param.b32 %x, [c];\n}}\n")
        text += "st.param.b32 [r], %x;\nret;\n}\n"
    return text + ENTRY + ("{\n.param .b32 b;\n.param .b32 c;\nst.param.b32 [b], %r2;\n"
                           "call (c), f0, (b);\nld.param.b32 %r2, [c];\n}\n") + TAIL


def call_row(n):
    """n calls of one function one behind the other"""
    return (function(1, 1) if n < 100 else
            ".func (.param .b32 r) f(.param .b32 a)\n{\n.reg .b32 %x;\nld.param.b32 %x, [a];\n"
            "mad.lo.u32 %x, %x, 3, 7;\nst.param.b32 [r], %x;\nret;\n}\n") + ENTRY + (
        "{\n.param .b32 b;\n.param .b32 c;\nst.param.b32 [b], %r2;\n"
        "call (c), f, (b);\nld.param.b32 %r2, [c];\n}\n") * n + TAIL


def straight(n):
    """n instructions without a branch"""
    return ENTRY + "".join(
        f"mad.lo.u32 %r{3 + i % 7}, %r{2 + i % 5}, {i % 1000 + 3}, %r2;\n"
        f"xor.b32 %r2, %r{3 + i % 7}, %r{3 + (i + 3) % 7};\n" for i in range(n // 2)) + TAIL


def meeting(n):
    """x + x again and again: 2^n ways from the last to the first"""
    return ENTRY + "".join("add.u32 %r2, %r2, %r2;\n" for _ in range(n)) + TAIL


def negations(n):
    return (ENTRY + "setp.gt.u32 %p0, %r0, 5;\n" + "not.pred %p0, %p0;\n" * n +
            "@%p0 add.u32 %r2, %r2, 5;\n" + TAIL)


def conversions(n):
    return ENTRY + "cvta.to.global.u64 %d0, %d0;\n" * n + TAIL


def variables(n):
    """n variables, each with the address of the one before"""
    return (".global .u32 v0 = 5;\n" +
            "".join(f".global .u64 v{i} = v{i - 1};\n" for i in range(1, n)) + ENTRY +
            f"ld.global.u64 %d2, [v{n - 1}];\n" + "ld.global.u64 %d2, [%d2];\n" * (n - 2) +
            "ld.global.u32 %r3, [%d2];\nadd.u32 %r2, %r2, %r3;\n" + TAIL)


def parentheses(n):
    return ".global .u32 g = " + "(" * n + "5" + ")" * n + ";\n" + ENTRY + TAIL


def signs(n):
    return ".global .s32 g = " + "- " * n + "5;\n" + ENTRY + TAIL


def braces(n):
    return ".global .u32 g" + "[1]" * n + " = " + "{" * n + "5" + "}" * n + ";\n" + ENTRY + TAIL


def local(n):
    """n bytes of local memory a thread"""
    return ENTRY + (f".local .b8 a[{n}];\nmov.u64 %d2, a;\nadd.u64 %d2, %d2, {n - 1};\n"
                    "mov.u32 %r3, 9;\nst.local.u8 [%d2], %r3;\nld.local.u8 %r3, [%d2];\n"
                    "add.u32 %r2, %r2, %r3;\n") + TAIL


def barrier(n):
    return ENTRY + f"bar.sync {n};\n" + TAIL


def barrier_register(n):
    return ENTRY + f"mov.u32 %r3, {n - 2};\nadd.u32 %r3, %r3, %r1;\nbar.sync %r3;\n" + TAIL


def bank(n):
    return (f".const[{n}] .u32 c = 7;\n" + ENTRY +
            "ld.const.u32 %r3, [c];\nadd.u32 %r2, %r2, %r3;\n" + TAIL)


def names(n):
    """names of n letters"""
    x = "x" * n
    return (f".global .u32 v{x} = 5;\n.func f{x}()\n{{\nret;\n}}\n" + ENTRY +
            f".reg .b32 r{x};\nld.global.u32 r{x}, [v{x}];\nbra l{x};\nl{x}:\ncall f{x};\n"
            f"add.u32 %r2, %r2, r{x};\n" + TAIL)


def textures(n):
    return ("".join(f".global .texref t{i};\n.global .surfref s{i};\n" for i in range(n)) + ENTRY +
            TAIL)


def alloca(n):
    return ENTRY + (f"alloca.u64 %d2, {n};\nst.local.u32 [%d2], %r0;\nld.local.u32 %r3, [%d2];\n"
                    "add.u32 %r2, %r2, %r3;\n") + TAIL


def scopes(n):
    return ENTRY + "{\n" * n + "add.u32 %r2, %r2, 1;\n" + "}\n" * n + TAIL


MOST_SECONDS = 30  # of processor time, with the interpreter's where that runs the kernel
LONG = "runs on the interpreter, which is slow, since it cannot be compiled"

# What is too much is refused with these words; LONG: by the compiler alone. The sizes of those are little above
# what is compiled, since seconds go by until it is refused.
CASES = [(chain, 1000), (chain, 5000), (chain, 50000, LONG), (ladder, 1000), (ladder, 5000),
         (ladder, 40000, LONG), (nest, 1000), (nest, 5000), (nest, 25000, LONG), (together, 10000),
         (loops, 12), (loop_row, 1000), (loop_row, 5000), (loop_row, 40000, LONG), (spins, 1000),
         (spins, 5000), (cross, 100), (cross, 170), (cross, 1000), (branches, 1000),
         (branches, 5000),
         (call_row, 50), (call_row, 10000), (straight, 10000), (straight, 50000),
         (results, 1), (results, 63),
         (results, 64), (results, 65), (results, 255), (results, 256), (results, 257),
         (arguments, 64), (arguments, 255), (arguments, 257),
         (arguments, 5000, "more than 4096 parameters"), (calls, 100), (calls, 5000),
         (meeting, 2000),
         (negations, 5000), (conversions, 5000), (variables, 1000), (parentheses, 20),
         (parentheses, 1000000, "nested too deeply"), (signs, 20),
         (signs, 1000000, "nested too deeply"), (braces, 16),
         (braces, 1000000, "more than 16 dimensions"), (scopes, 60),
         (scopes, 1000000, "more than 64 nested scopes"), (local, 524288),
         (local, 524289, "more than 524288 bytes of local memory"), (barrier, 15),
         (barrier, 16, "executed an illegal instruction"), (barrier_register, 15),
         (barrier_register, 16, "executed an illegal instruction"), (bank, 10),
         (bank, 11, "constant banks are 0 to 10"), (names, 1000000), (textures, 10000),
         (alloca, 4096), (alloca, 1 << 62, "overflowed its stack")]
# These are gone through once: twice each, all together would turn 2^500 times.
ONCE_ROUND = [(loops, 500), (loops, 1000), (loops, 3300), (loops, 10000), (loops, 30000, LONG)]


def run(tool, text, folder, environment):
    path = os.path.join(folder, "kernel.ptx")
    with open(path, "w") as f:
        f.write(text)
    full = dict(os.environ, CUDA_CACHE_DISABLE="1", CUDA_LOG_FILE="stderr", **environment)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        p = subprocess.run([tool, path], env=full, stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, timeout=800)  # by the clock: what hangs
    except subprocess.TimeoutExpired:
        return "too long", ""
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    if seconds > MOST_SECONDS:
        return f"{seconds:.0f} s", ""
    out = p.stdout.decode(errors="replace")
    return (out if p.returncode in (0, 1) else f"ended with {p.returncode}",
            p.stderr.decode(errors="replace"))


def main():
    tool, names = sys.argv[1], sys.argv[2:]
    bad = 0
    cases = [(*c, None)[:3] + (2,) for c in CASES] + [(*c, None)[:3] + (1,) for c in ONCE_ROUND]
    if names and "/" in names[0]:
        part, parts = map(int, names.pop().split("/"))
        cases = cases[part::parts]
    for make, n, refusal, turns in cases:
        if names and make.__name__ not in names:
            continue
        text = (f"// run: k grid=1,1,1 block=64,1,1 args=buf:64:zero,u32:{turns}\n" +
                HEAD + make(n))
        with tempfile.TemporaryDirectory() as folder:
            want, log = run(tool, text, folder, {"KUDZU_EXEC": "interp"})
            problem = None
            long = refusal == LONG
            if refusal and not long and refusal not in log:
                problem = f"interpreter: not refused with '{refusal}': {log[:200]}"
            elif (long or not refusal) and "buffer 0" not in want:
                problem = f"interpreter: {want[:200]} {log[:200]}"
            # What is refused is counted alike in both tiers, and interpreted alike: one kernel tries both.
            for tier in ("quick", "full") if not long or make is ladder else ("quick",):
                way = {"KUDZU_EXEC": "auto" if long else "simd", "KUDZU_TIER": tier}
                got, log = run(tool, text, folder, way)
                if got != want or (refusal and refusal not in log):
                    problem = problem or f"{tier}: {got[:200]} {log[:200]}"
        print(f"{make.__name__} {n}: {problem or 'right'}", flush=True)
        bad += problem is not None
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
