#!/usr/bin/env python3
"""better_growth.py PTX_RUN SHAPES: what better code of kernels of one form comes to, and what putting calls in
place takes.

SHAPES: the folder of bench/compile_time/shapes.py, whose kernels these are. Lines of LLVM's behind its passes do
not depend on the machine's speed; the time of the inliner is compared with its own, and is wrong only where no
try of several is right: what else the machine does makes some of them longer."""
import os
import re
import subprocess
import sys
import tempfile

SIZE = 1000
BESIDE = re.compile(r"^(;|!|attributes|declare|@|$)")  # of the module, not of its code
# Lines for an instruction at most: 18 where each call is the function's body, 27 where each lane's atomic is
# written out.
MOST = {"calls": 4, "atomics": 12}
TRIES = 8
CONSTANTS = 300  # vectors of constants of a ladder, which is a comparison with another one for each three


def run(tool, text, folder, **more):
    path = os.path.join(folder, "kernel.ptx")
    with open(path, "w") as f:
        f.write(text)
    # As many lanes on each machine: with half of them half as many atomics are too many to be written out.
    env = dict(os.environ, KUDZU_EXEC="simd", KUDZU_WIDTH="16", CUDA_CACHE_DISABLE="1", **more)
    p = subprocess.run([tool, path], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if p.returncode:
        sys.exit(f"{path}: ptx_run ended with {p.returncode}: {p.stdout.decode(errors='replace')[:300]}")
    return p.stderr.decode(errors="replace")


def better(tool, text, folder):
    return run(tool, text, folder, KUDZU_TIER="full", KUDZU_DEBUG="llvmopt").split("\n")


def inliner_ms(tool, text, folder):
    log = run(tool, text, folder, KUDZU_TIER="quick", KUDZU_DEBUG="time")
    return float(re.search(r"inliner ([\d.]+)", log).group(1))


def main():
    tool = sys.argv[1]
    sys.path.insert(0, sys.argv[2])
    import shapes
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, most in MOST.items():
            n = sum(not BESIDE.match(x) for x in better(tool, shapes.make(name, SIZE), folder))
            wrong = not SIZE / 8 < n <= most * SIZE
            bad += wrong
            print(f"{name}: {n} lines{' WRONG' if wrong else ''}")
        # They are variables: of constants LLVM would know that their loads may leave a loop.
        n = sum(bool(re.match(r"@constant[.\d]* = private global <", x))
                for x in better(tool, shapes.make("ladder", SIZE), folder))
        bad += n < CONSTANTS
        print(f"ladder: {n} constants loaded{' WRONG' if n < CONSTANTS else ''}")
        n = sum(x.startswith("@constant") for x in better(tool, shapes.make("ladder", SIZE // 10), folder))
        bad += n > 0
        print(f"short ladder: {n} constants loaded{' WRONG' if n else ''}")
        for _ in range(TRIES):
            small, large = (inliner_ms(tool, shapes.make("inlined", n), folder) for n in (16000, 64000))
            wrong = large > 8 * small  # 2 to 4 as it is, 16 in the square
            if not wrong:
                break
        bad += wrong
        print(f"inlined: {small} ms, {large}{' WRONG' if wrong else ''}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
