"""Measures what constructs that may keep a kernel out of vector code cost: the table of docs/performance.md.
usage: table.py KUDZU [FOLDER]

KUDZU compiles cliffs.cu, in FOLDER or a temporary one; each construct is run by itself, on one worker, and the table
is printed. Modes are those of the better code."""
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
MODES = {"warp stacks": "a stack a warp", "thread stacks": "a stack a thread"}


def names():
    with open(os.path.join(HERE, "cliffs.cu")) as f:
        return re.findall(r"^    (?:PAIR\(|\{\")(\w+)", f.read(), re.M)


def mode_of(name, log):
    """How the kernel was run, as the last line about it says."""
    found = [m for m in re.findall(r"kudzu: (\S+): mode ([a-z ]+), width (\d+)", log)
             if re.match(r"_Z%d%s4data$" % (len(name), name), m[0])]
    if not found:
        return "?"
    _, mode, width = found[-1]
    if mode != "block":
        return MODES.get(mode, mode)
    return "vectors of %s" % width if width != "1" else "threads one by one"


def row(tool, name):
    env = dict(os.environ, KUDZU_WORKERS="1", KUDZU_DEBUG="mask", CUDA_CACHE_DISABLE="1")
    p = subprocess.run([tool, name], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=300)
    if p.returncode:
        return "| %s | fails: %s | | | |" % (name, (p.stdout + p.stderr).strip().split("\n")[-1])
    _, time, twin, factor = p.stdout.split()
    return "| %s | %s | %s | %s | %s |" % (name, mode_of(name, p.stderr), time, twin, factor)


def main():
    kudzu = sys.argv[1]
    with tempfile.TemporaryDirectory() as tmp:
        tool = os.path.join(sys.argv[2] if len(sys.argv) > 2 else tmp, "cliffs")
        subprocess.run([kudzu, "cc", "-O3", "-arch=sm_80", os.path.join(HERE, "cliffs.cu"), "-o", tool], check=True)
        print("| construct | runs in | us | twin, us | factor |\n|---|---|---|---|---|")
        for name in names():
            print(row(tool, name), flush=True)


if __name__ == "__main__":
    main()
