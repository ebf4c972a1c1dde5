"""Runs each file's launches on the interpreter and as SIMD code at every width and level, compiled
well and compiled quickly, and compares what they print.
usage: compare.py PTX_RUN KUDZU FILE...  (exit 1 on any difference)

A .cu file is compiled to PTX twice, optimised and not; its launches stand in comments. At the machine's
own level every width runs optimised PTX compiled well, and the other PTX compiled quickly. Each level
below runs two of the widths, with one of the tiers and one of the two PTX files each: which ones the
file's name decides, so that all of them are met by some files. A .ptx file does the same with its one
text, so that the machine's own level tries both tiers at every width.

With KUDZU_EXEC=simd what the compiler refuses fails: nothing is interpreted in its place. No kernel
may be interpreted by design.

Variables that a file needs for all its runs stand in lines // env: NAME=VALUE. What stands in
lines // also: NAME=VALUE is set for runs in addition, at the machine's level and every width, with the
tier that the text has there.

KUDZU_COMPARE=all tries every setting with both; KUDZU_COMPARE=quick the machine's level alone.
KUDZU_COMPARE=plan compares with the interpreter of the plan that SIMD code is emitted by (src/plan/interp):
the machine's level, all widths but one lane, and of a file's texts and tiers one pair each."""
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


def own_tiers(name):
    """What the machine's own level compiles the PTX of this name with, which ptx_files gave it."""
    return {"-O3": ["full"], "-G": ["quick"]}.get(name.rpartition(" ")[2], TIERS)


def side():
    """What is compared with the interpreter."""
    return "plan" if os.environ.get("KUDZU_COMPARE") == "plan" else "simd"


def settings(levels, name):
    """The settings (level, width, tier) for one PTX file, by the name that ptx_files gave it."""
    if os.environ.get("KUDZU_COMPARE") == "all":
        return list(itertools.product(levels, WIDTHS, TIERS))
    file, _, opt = name.rpartition(" ")
    if opt not in ("-O3", "-G"):
        file, opt = name, None
    turn = zlib.crc32(os.path.basename(file).encode())
    chosen = list(itertools.product(levels[-1:], WIDTHS, own_tiers(name)))
    if side() == "plan":
        chosen = [(levels[-1], width, own_tiers(name)[(turn + k) % len(own_tiers(name))])
                  for k, width in enumerate(WIDTHS[1:])]
    for n, level in enumerate(levels[:-1] if side() == "simd" else []):
        kinds = list(itertools.product(TIERS, ("-O3", "-G")))
        for k, width in enumerate(WIDTHS[(turn + n) % 2::2]):
            tier, text = kinds[(turn // 2 + n + 3 * k) % len(kinds)]
            if opt in (None, text):
                chosen.append((level, width, tier))
    return chosen


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
    runs += [("", width, tier, {variable: value}) for variable, value in (also_of(path) if side() == "simd" else [])
             for width in WIDTHS for tier in own_tiers(name)]
    for level, width, tier, more in runs:
        got = run(tool, path, cache, KUDZU_EXEC=side(), KUDZU_WIDTH=width, KUDZU_CPU=level,
                  KUDZU_TIER=tier, **more)
        if got != want:
            bad += 1
            print("%s: %s width %s %s %s differs\n--- interpreter\n%s--- %s\n%s" % (
                name, level or "the machine", width, tier, more or "", want, side(), got))
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
