#!/usr/bin/env python3
"""growth.py PTX_RUN SHAPES [NAME...]: the code that LLVM is given, and what is alive across it, grows as the kernel
does.

SHAPES: the folder of bench/compile_time/shapes.py, whose kernels these are. Four times the instructions give at
most 4.8 times the lines of LLVM's in quick code (better code of a small kernel is of other kinds): one more phi, or
one more value that is saved, for each branch and each barrier would show. Counts of lines do not depend on the
machine's speed.

With AVX2 and AVX-512 the fast instruction selection takes whole kernels with masks: machine code takes about as long as what
comes before it does in LLVM, four times as long where one instruction in each block is left to the slow selection.
Both times are the processor's, of one run; a ratio
of times is wrong only where no try of several is right."""
import itertools
import os
import re
import subprocess
import sys
import tempfile

import compare

SIZES = 400, 1600
LOOPS = 32000
DEEP_LOOPS = 8000
MOST_OF_LOOPS = 2  # 0.5 as it is, 5 with the square of them
MOST_OF_DEEP_LOOPS = 2  # 0.7 as it is, 6 where each block's list has all loops around it
MOST = 4.8
TRIES = 8
MASKED = "ifs", "nest", "ladder", "divergent_loops"
# 1.3 and 1.6 at most; with the slow selection 3.7 to 5.7 and 6 to 14
MOST_OF_IR = {"x86-64-v4": 2.5, "x86-64-v3": 4}
BESIDE = re.compile(rb"^(;|!|attributes|declare|@|$)")  # of the module, not of its code


def lines(tool, text, folder):
    path = os.path.join(folder, "kernel.ptx")
    with open(path, "w") as f:
        f.write(text)
    env = dict(os.environ, KUDZU_EXEC="simd", KUDZU_TIER="quick", KUDZU_DEBUG="llvm", CUDA_CACHE_DISABLE="1")
    p = subprocess.run([tool, path], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if p.returncode:
        sys.exit(f"{path}: ptx_run ended with {p.returncode}: {p.stdout.decode(errors='replace')[:300]}")
    return sum(not BESIDE.match(x) for x in p.stderr.split(b"\n"))


def milliseconds(tool, text, folder, level=compare.host_levels()[-1]):
    """Of the processor, by stage"""
    path = os.path.join(folder, "kernel.ptx")
    with open(path, "w") as f:
        f.write(text)
    env = dict(os.environ, KUDZU_EXEC="simd", KUDZU_TIER="quick", KUDZU_DEBUG="time", CUDA_CACHE_DISABLE="1",
               KUDZU_CPU=level)
    log = subprocess.run([tool, path], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE).stderr.decode()
    return {name: float(x) for name, x in re.findall(r"(LLVM IR|LLVM's passes|machine code|mode|variables) ([\d.]+)", log)}


def machine_code_beside_ir(tool, text, folder, level):
    ms = milliseconds(tool, text, folder, level)
    return ms["machine code"] / (ms["LLVM IR"] + ms["LLVM's passes"])


def least(most, measure):
    """The least of several measures, no more of them once one is right: what else the machine does adds to some."""
    least = measure()
    for _ in range(TRIES - 1):
        if least <= most:
            break
        least = min(least, measure())
    return least


def ratio(tool, text, folder, stage):
    ms = milliseconds(tool, text, folder)
    return ms[stage] / ms["LLVM IR"]


def main():
    tool = sys.argv[1]
    sys.path.insert(0, sys.argv[2])
    import shapes
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        for name in sys.argv[3:] or [s.__name__ for s in shapes.SHAPES]:
            small, large = (lines(tool, shapes.make(name, n), folder) for n in SIZES)
            wrong = small < SIZES[0] / 8 or large > small * MOST
            bad += wrong
            print(f"{name}: {small} lines, {large}{' WRONG' if wrong else ''}", flush=True)
        levels = [x for x in compare.host_levels() if x in MOST_OF_IR]
        for name, level in itertools.product(MASKED, levels):
            text = shapes.make(name, SIZES[1])
            times = least(MOST_OF_IR[level], lambda: machine_code_beside_ir(tool, text, folder, level))
            wrong = times > MOST_OF_IR[level]
            bad += wrong
            print(f"{name}, {level}: machine code takes {times:.1f} times as long as LLVM's IR{' WRONG' if wrong else ''}",
                  flush=True)
        # Whether a block is full is not looked for in all the loops in front of its own: analyses are the pass "mode".
        text = shapes.make("divergent_loops", LOOPS)
        times = least(MOST_OF_LOOPS, lambda: ratio(tool, text, folder, "mode"))
        wrong = times > MOST_OF_LOOPS
        bad += wrong
        print(f"divergent_loops: analyses take {times:.1f} times as long as making IR{' WRONG' if wrong else ''}",
              flush=True)
        # Where phis go is not listed for each loop around a block.
        text = shapes.make("deep_loops", DEEP_LOOPS)
        times = least(MOST_OF_DEEP_LOOPS, lambda: ratio(tool, text, folder, "variables"))
        wrong = times > MOST_OF_DEEP_LOOPS
        bad += wrong
        print(f"deep_loops: variables take {times:.1f} times as long as making IR{' WRONG' if wrong else ''}", flush=True)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
