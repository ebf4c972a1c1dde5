"""Runs each file's launches on the interpreter and as SIMD code at every width and level, compiled
well and compiled quickly, and compares what they print.
usage: compare.py PTX_RUN KUDZU FILE...  (exit 1 on any difference)

A .cu file is compiled to PTX twice, optimised and not; its launches stand in comments. What the
machine has runs optimised and compiled well at every width; besides, each pair of level and width runs
once, with one of the tiers and one of the two PTX files, so that each width and each level has met
both: which ones meet depends on the file's name. A .ptx file tries each width at each level with one
tier, and at the machine's own level with both.

With KUDZU_EXEC=simd what the compiler refuses fails: nothing is interpreted in its place. No kernel
may be interpreted by design.

Variables that a file needs for all its runs stand in lines // env: NAME=VALUE. What stands in
lines // also: NAME=VALUE is set for runs in addition, at the machine's level and every width.

KUDZU_COMPARE=all tries every setting with both; KUDZU_COMPARE=quick the machine's level alone."""
import itertools
import os
import subprocess
import sys
import tempfile
import zlib

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
    # Gather instructions are used where they are known to be fast, and no level is asked for.
    if " avx512_fp16 " in flags and "GenuineIntel" in flags:
        have.append("")
    return have


def settings_of(path):
    """Variables of the environment that a file asks for: lines // env: NAME=VALUE."""
    with open(path) as f:
        return dict(line.split()[2].split("=", 1) for line in f if line.startswith("// env:"))


def also_of(path):
    """Variables that are tried in addition: lines // also: NAME=VALUE."""
    with open(path) as f:
        return [line.split()[2].split("=", 1) for line in f if line.startswith("// also:")]


def run(tool, path, cache, **env):
    full = dict(os.environ, CUDA_CACHE_PATH=cache, **env, **settings_of(path))
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
        runs = [line for line in f if line.startswith(("// run:", "// env:", "// also:", "// fails"))]
    made = []
    for opt in (["-O3"], ["-G"]):
        ptx = os.path.join(out, os.path.basename(path) + opt[0] + ".ptx")
        subprocess.run([kudzu, "cc", "-ptx"] + opt + [path, "-o", ptx], check=True)
        with open(ptx, "a") as f:
            f.writelines(runs)
        made.append((path + " " + opt[0], ptx))
    return made


def first_half(levels):
    """Half of all settings: compiled well for the machine's level at every width, and for each level
    below at every second one; compiled quickly at the rest. Each width and level occurs once."""
    return [(level, width, TIERS[below > 0 and (below + n) % 2])
            for below, level in enumerate(reversed(levels)) for n, width in enumerate(WIDTHS)]


def pairs(levels, name, opt):
    """Each level and width once: those (with their tiers) that the PTX file of this option gets."""
    turn = zlib.crc32(os.path.basename(name).encode())
    kinds = [("full", "-O3"), ("quick", "-G"), ("full", "-G"), ("quick", "-O3")]
    met = [(level, width, kinds[(n + k + turn) % len(kinds)])
           for n, level in enumerate(levels) for k, width in enumerate(WIDTHS)]
    return [(level, width, tier) for level, width, (tier, o) in met if o == opt]


def settings(levels, name):
    """The settings (level, width, tier) for one PTX file, by the name that ptx_files gave it."""
    if os.environ.get("KUDZU_COMPARE") == "all":
        return list(itertools.product(levels, WIDTHS, TIERS))
    file, _, opt = name.rpartition(" ")
    if opt not in ("-O3", "-G"):
        return first_half(levels) + [(levels[-1], width, "quick") for width in WIDTHS]
    tried = pairs(levels, file, opt)
    own = [(levels[-1], width, "full") for width in WIDTHS] if opt == "-O3" else []
    return tried + [s for s in own if s not in tried]


def differences(tool, name, path, tried, cache):
    """Prints what differs between the interpreter and each setting, and returns how many do."""
    want = run(tool, path, cache, KUDZU_EXEC="interp")
    # Wrong input must not pass by failing everywhere alike, unless the file says so.
    fails = "exit" in want or want == "timeout"
    with open(path) as f:
        expected_failure = "// fails" in f.read()
    if fails != expected_failure:
        print("%s: interpreter:\n%s" % (name, want))
        return 1
    bad = 0
    runs = [(level, width, tier, {}) for level, width, tier in tried]
    runs += [("", width, tier, {variable: value}) for variable, value in also_of(path)
             for width in WIDTHS for tier in TIERS]
    for level, width, tier, more in runs:
        got = run(tool, path, cache, KUDZU_EXEC="simd", KUDZU_WIDTH=width, KUDZU_CPU=level,
                  KUDZU_TIER=tier, **more)
        if got != want:
            bad += 1
            print("%s: %s width %s %s %s differs\n--- interpreter\n%s--- simd\n%s" % (
                name, level or "the machine", width, tier, more or "", want, got))
    return bad


def main():
    tool, kudzu, files = sys.argv[1], sys.argv[2], sys.argv[3:]
    levels = host_levels()
    if os.environ.get("KUDZU_COMPARE") == "quick":
        levels = levels[-1:]
    bad = count = 0
    with tempfile.TemporaryDirectory() as cache:
        for name, path in [x for f in files for x in ptx_files(kudzu, f, cache)]:
            tried = settings(levels, name)
            count += len(tried)
            bad += differences(tool, name, path, tried, cache)
    print("%d comparisons, %d differ" % (count, bad))
    sys.exit(bad != 0)


if __name__ == "__main__":
    main()
