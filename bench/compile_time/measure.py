#!/usr/bin/env python3
"""measure.py BUILD [--sizes 1000,4000,...] [--tiers quick,full] [--seconds S] [--stages] [SHAPE...]: how long
kernels of a shape take to compile, by their size.

Prints for each shape and tier the processor seconds of the compiler (module and kernel, as KUDZU_DEBUG=time
tells them) at each size, how many times the smallest size the largest takes, and the most resident memory of
the process at the largest. What the compiler refuses, which is interpreted otherwise, has the time until it was
refused with a '-' behind it; '!' stands behind what was cut off after S seconds. --stages: the three longest
stages at each size, too."""
import argparse
import os
import re
import resource
import subprocess
import sys
import tempfile

import shapes

MOST_BYTES = 8 << 30  # of addresses; the compiler's stack has 512 MiB of them


def limit(seconds):
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))


def measure(tool, path, tier, seconds):
    """Seconds of the compiler, a mark, bytes of memory, stages by time."""
    env = dict(os.environ, KUDZU_EXEC="simd", KUDZU_TIER=tier, CUDA_CACHE_DISABLE="1", KUDZU_DEBUG="time",
               KUDZU_WORKERS="1")
    with tempfile.TemporaryFile() as log:
        p = subprocess.Popen([tool, path], env=env, stdout=subprocess.DEVNULL, stderr=log,
                             preexec_fn=lambda: limit(seconds))
        _, status, usage = os.wait4(p.pid, 0)
        p.returncode = os.waitstatus_to_exitcode(status)
        log.seek(0)
        text = log.read().decode(errors="replace")
    stages = {}
    for line in re.findall(r"^kudzu: \w+: [\d.]+ ms: (.*)$", text, re.M):
        for name, ms in re.findall(r"([^,]+?) ([\d.]+)(?:, |$)", line):
            stages[name] = stages.get(name, 0) + float(ms)
    cut = p.returncode < 0
    took = usage.ru_utime + usage.ru_stime if cut else sum(stages.values()) / 1000
    mark = "!" if cut else "-" if p.returncode else ""
    return took, mark, usage.ru_maxrss << 10, sorted(stages.items(), key=lambda s: -s[1])


def main():
    p = argparse.ArgumentParser()
    p.add_argument("build")
    p.add_argument("shapes", nargs="*")
    p.add_argument("--sizes", default="1000,4000,16000,64000")
    p.add_argument("--tiers", default="quick,full")
    p.add_argument("--seconds", type=int, default=120)
    p.add_argument("--stages", action="store_true")
    a = p.parse_intermixed_args()
    tool, sizes = os.path.join(a.build, "bin", "ptx_run"), [int(s) for s in a.sizes.split(",")]
    print("| shape | tier |" + "".join(f" {s:,} |" for s in sizes) + " growth | MB |")
    print("|---|---|" + "---|" * (len(sizes) + 2))
    with tempfile.TemporaryDirectory() as folder:
        for name in a.shapes or [s.__name__ for s in shapes.SHAPES]:
            for tier in a.tiers.split(","):
                row, longest = [], []
                for size in sizes:
                    path = os.path.join(folder, "kernel.ptx")
                    with open(path, "w") as f:
                        f.write(shapes.make(name, size))
                    row.append(measure(tool, path, tier, a.seconds))
                    longest.append(f"  {size}: " + ", ".join(f"{s} {ms:.0f} ms" for s, ms in row[-1][3][:3]))
                    if row[-1][1] == "!":
                        break
                cells = [f"{took:.3g}{mark}" for took, mark, _, _ in row] + [""] * (len(sizes) - len(row))
                growth = f"{row[-1][0] / max(row[0][0], 1e-3):.0f}{row[-1][1]}"
                print(f"| {name} | {tier} | " + " | ".join(cells) + f" | {growth} | {row[-1][2] >> 20} |", flush=True)
                if a.stages:
                    print("\n".join(longest), flush=True)


if __name__ == "__main__":
    main()
