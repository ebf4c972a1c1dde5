#!/usr/bin/env python3
"""growth.py PTX_RUN SHAPES [NAME...]: the code that LLVM is given, and what is alive across it, grows as the kernel
does.

SHAPES: the folder of bench/compile_time/shapes.py, whose kernels these are. Four times the instructions give at
most 4.8 times the lines of LLVM's in quick code (better code of a small kernel is of other kinds): one more phi, or
one more value that is saved, for each branch and each barrier would show. Counts of lines do not depend on the
machine's speed."""
import os
import re
import subprocess
import sys
import tempfile

SIZES = 400, 1600
MOST = 4.8
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
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
