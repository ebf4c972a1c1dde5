"""Runs each file's launches on the interpreter and as SIMD code at every width and level, compiled
well and compiled quickly, and compares what they print.
usage: compare.py PTX_RUN KUDZU FILE...  (exit 1 on any difference)

A .cu file is compiled to PTX twice, optimised and not; its launches stand in comments.

With KUDZU_EXEC=simd what the compiler refuses fails: nothing is interpreted in its place. No kernel
may be interpreted by design.

KUDZU_COMPARE=quick tries the machine's level alone."""
import itertools
import os
import subprocess
import sys
import tempfile

WIDTHS = ["1", "8", "16", "32"]
LEVELS = ["x86-64-v2", "x86-64-v3", "x86-64-v4"]
TIERS = ["full", "quick"]


def host_levels():
    with open("/proc/cpuinfo") as f:
        flags = f.read()
    have = ["x86-64-v2"]
    if " avx2 " in flags and " fma " in flags:
        have.append("x86-64-v3")
    if " avx512vl " in flags and " avx512bw " in flags:
        have.append("x86-64-v4")
    return have


def run(tool, path, cache, **env):
    full = dict(os.environ, CUDA_CACHE_PATH=cache, **env)
    try:
        p = subprocess.run([tool, path], env=full, stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, timeout=120)
    except subprocess.TimeoutExpired:
        return "timeout"
    return p.stdout.decode(errors="replace") + ("" if p.returncode == 0 else
                                                "exit %d\n" % p.returncode)


def ptx_files(kudzu, path, out):
    """The PTX files to run for one input: (name, path of PTX)."""
    if path.endswith(".ptx"):
        return [(path, path)]
    with open(path) as f:
        runs = [line for line in f if line.startswith(("// run:", "// fails"))]
    made = []
    for opt in (["-O3"], ["-G"]):
        ptx = os.path.join(out, os.path.basename(path) + opt[0] + ".ptx")
        subprocess.run([kudzu, "cc", "-ptx"] + opt + [path, "-o", ptx], check=True)
        with open(ptx, "a") as f:
            f.writelines(runs)
        made.append((path + " " + opt[0], ptx))
    return made


def main():
    tool, kudzu, files = sys.argv[1], sys.argv[2], sys.argv[3:]
    levels = host_levels()
    if os.environ.get("KUDZU_COMPARE") == "quick":
        levels = levels[-1:]
    if os.environ.get("KUDZU_COMPARE_NATIVE"):
        levels.append("")  # with what the machine has beyond its level
    bad = count = 0
    with tempfile.TemporaryDirectory() as cache:
        for name, path in [x for f in files for x in ptx_files(kudzu, f, cache)]:
            want = run(tool, path, cache, KUDZU_EXEC="interp")
            # Wrong input must not pass by failing everywhere alike, unless the file says so.
            fails = "exit" in want or want == "timeout"
            with open(path) as f:
                expected_failure = "// fails" in f.read()
            if fails != expected_failure:
                print("%s: interpreter:\n%s" % (name, want))
                bad += 1
                continue
            for level, width, tier in itertools.product(levels, WIDTHS, TIERS):
                if tier == "quick" and level != levels[-1] and width != "32":
                    continue  # what is left differs in how wide vectors are cut up
                got = run(tool, path, cache, KUDZU_EXEC="simd", KUDZU_WIDTH=width,
                          KUDZU_CPU=level, KUDZU_TIER=tier)
                count += 1
                if got != want:
                    bad += 1
                    print("%s: %s width %s %s differs\n--- interpreter\n%s--- simd\n%s" % (
                        name, level, width, tier, want, got))
    print("%d comparisons, %d differ" % (count, bad))
    sys.exit(bad != 0)


if __name__ == "__main__":
    main()
