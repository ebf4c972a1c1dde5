#!/usr/bin/env python3
"""long_lives.py KIR_RUN: variables that are alive across many more blocks than mention them.

Each kernel jumps about among its blocks, and is made twice: with its variables in registers, and in shared memory,
which is no matter of SSA construction (local memory would be). Both give the same, on the interpreter."""
import os
import random
import re
import subprocess
import sys
import tempfile

HEAD = """.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out)
{
.reg .b32 %r<6>, %v<20>; .reg .b64 %d<2>; .reg .pred %p<2>;
.shared .align 4 .b8 memory[2560];
ld.param.u64 %d0, [out];
mov.u32 %r0, %tid.x; mov.u32 %r2, %r0; mov.u32 %r4, 0; mov.u32 %r1, memory; mad.lo.u32 %r1, %r0, 80, %r1;
"""
TAIL = "out:\nmad.wide.u32 %d1, %r0, 4, %d0;\nst.global.u32 [%d1], %r2;\nret;\n}\n"
VARIABLES, STEPS, THREADS = 20, 4000, 32


def kernel(seed, parts, blocks, in_memory):
    """Parts one behind the other, of so many blocks, each of which begins with a number for every variable."""
    x = random.Random(seed)

    def write(v, value):
        return f"mov.u32 %r3, {value};\n" + (
            f"st.shared.u32 [%r1+{4 * v}], %r3;\n" if in_memory else f"mov.u32 %v{v}, %r3;\n")

    def read(v):
        return f"ld.shared.u32 %r3, [%r1+{4 * v}];\n" if in_memory else f"mov.u32 %r3, %v{v};\n"

    text = HEAD
    for p in range(parts):
        text += "".join(write(v, x.randrange(99)) for v in range(VARIABLES))
        text += "mov.u32 %r4, 0;\n"
        for b in range(blocks):
            text += f"L{p}_{b}:\nadd.u32 %r4, %r4, 1;\n"
            if x.randrange(4) == 0:
                v = x.randrange(VARIABLES)
                text += x.choice([write(v, x.randrange(99)), write(v, "%r2"),
                                  read(v) + "mad.lo.u32 %r2, %r2, 5, %r3;\n"])
            near = b + x.randrange(-9, 9) if x.randrange(6) else x.randrange(blocks)
            text += (f"add.u32 %r2, %r2, {x.randrange(1, 9)};\nand.b32 %r5, %r2, {x.choice([1, 3, 7, 16])};\n"
                     f"setp.eq.u32 %p0, %r5, 1;\nsetp.lt.and.u32 %p0, %r4, {STEPS // parts}, %p0;\n"
                     f"@%p0 bra L{p}_{max(0, min(blocks - 1, near))};\n")
    return text + TAIL


def run(tool, text, folder):
    path = os.path.join(folder, "kernel.ptx")
    with open(path, "w") as f:
        f.write(text)
    p = subprocess.run([tool, path, "k", "1", "1", "1", str(THREADS), "1", "1", f"buf:{THREADS}"],
                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=240)
    return p.stdout.decode(errors="replace")


def main():
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        for seed, (parts, blocks) in enumerate([(1, 700), (3, 400), (2, 900), (5, 500)]):
            got, want = (run(sys.argv[1], kernel(seed, parts, blocks, m), folder) for m in (False, True))
            fine = len(re.findall("[0-9a-f]{8}", want)) >= THREADS and got == want
            print(f"{seed}: {'right' if fine else got[:300] + want[:300]}", flush=True)
            bad += not fine
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
