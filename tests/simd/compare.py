"""Runs each file's launches on the interpreter and as SIMD code at every width and level, compiled
well and compiled quickly, and compares what they print.
usage: compare.py PTX_RUN KUDZU FILE...  (exit 1 on any difference)

A .cu file is compiled to PTX twice, optimised and not; its launches stand in comments. Compiling them
well takes nearly all of the time: its kernels are dealt into three parts, each of which does less.

At the machine's own level all kernels run the optimised PTX, compiled well, at one lane and at one of the
wider widths, another one in each part; and compiled quickly at the two that are left. The other PTX runs
compiled quickly at the widths at which the first one is compiled well. Below that AVX2 runs one setting in
each part, and each other level one in one part; a third of them compiled well. Which ones is decided by the
file's name, so that a kernel meets every width at the machine's own level, a file every width compiled well and
every level, and all files together each level, width, tier and text. A .ptx file does the same with its one
text. Files of one or two kernels are not dealt, and run all widths at the machine's own level in each tier.

With KUDZU_EXEC=simd what the compiler refuses fails: nothing is interpreted in its place. No kernel
may be interpreted by design.

Variables that a file needs for all its runs stand in lines // env: NAME=VALUE. What stands in
lines // also: NAME=VALUE is set for runs in addition, at the machine's level, with the widths and the tier
that the text has there.

Lines // found: KERNEL LEVEL WIDTH name settings at which alone a bug was found once: the kernel's part runs the
optimised PTX there, compiled well.

KUDZU_COMPARE=thorough deals no file: every kernel runs every width, and two settings of each level below.
KUDZU_COMPARE=all tries every setting with both texts; KUDZU_COMPARE=quick the machine's level alone.
KUDZU_COMPARE=plan compares with the interpreter of the plan that SIMD code is emitted by (src/plan/interp):
the machine's level, all widths but one lane, and of a file's texts and tiers one pair each."""
import itertools
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zlib

WIDTHS = ["1", "8", "16", "32"]
LEVELS = ["x86-64-v2", "x86-64-v3", "x86-64-v4"]
AVX2 = "x86-64-v3"  # has ways of its own for masks, and most processors
TIERS = ["full", "quick"]
PARTS = 3  # as many as there are widths of more than one lane


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
    full = {**os.environ, "CUDA_CACHE_PATH": cache, **env, **settings_of(path)}
    try:
        p = subprocess.run([tool, path], env=full, stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, timeout=600)
    except subprocess.TimeoutExpired:
        return "timeout"
    return p.stdout.decode(errors="replace") + ("" if p.returncode == 0 else
                                                "exit %d\n" % p.returncode)


def ptx_files(kudzu, path, out):
    """The PTX files to run for one input: (name, path of PTX)."""
    if path.endswith(".ptx"):
        return [(path, path)]
    with open(path) as f:
        runs = [line for line in f if line.startswith(("// run:", "// env:", "// also:", "// found:", "// fails"))]
    made = []
    for opt in (["-O3"], ["-G"]):
        ptx = os.path.join(out, os.path.basename(path) + opt[0] + ".ptx")
        subprocess.run([kudzu, "cc", "-ptx"] + opt + [path, "-o", ptx], check=True)
        with open(ptx, "a") as f:
            f.writelines(runs)
        made.append((path + " " + opt[0], ptx))
    return made


RUN = re.compile(r"^// run: (\S+)", re.M)


def check_directives(path):
    """A launch that a formatter has moved into the text of a comment would be left out without a word."""
    with open(path) as f:
        text = f.read()
    lost = len(re.findall(r"\b(?:run: \w+ grid=|(?:also|env): KUDZU_)", text)) - len(
        re.findall(r"^// (?:run: \w+ grid=|(?:also|env): KUDZU_)", text, re.M))
    if lost or not RUN.search(text):
        sys.exit("%s: %d directives within a line's text, of %d launches" % (path, lost, len(RUN.findall(text))))


def dealt(path):
    """The file's parts (number, path): the same text with a part of its kernels' launches each. A kernel's
    launches stay together. A file that is not dealt is its one part, of number None."""
    with open(path) as f:
        text = f.read()
    kernels = list(dict.fromkeys(RUN.findall(text)))
    if compare_mode() or len(kernels) < PARTS or "// fails" in text:
        return [(None, path)]
    made = []
    for part in range(PARTS):
        here = set(kernels[part::PARTS])
        made.append((part, "%s.%d" % (path, part)))
        with open(made[-1][1], "w") as f:
            f.write(RUN.sub(lambda m: m[0] if m[1] in here else "// not here: " + m[1], text))
    return made


def found_before(path, levels):
    """The settings of lines // found: whose kernel has launches in this file."""
    with open(path) as f:
        text = f.read()
    found = [line.split()[2:] for line in text.splitlines() if line.startswith("// found:")]
    return [(level, width, "full") for kernel, level, width in found
            if level in levels and kernel in RUN.findall(text)]


def compare_mode():
    """KUDZU_COMPARE, without a word that changes levels alone."""
    mode = os.environ.get("KUDZU_COMPARE", "")
    return "" if mode == "quick" else mode


def side():
    """What is compared with the interpreter."""
    return "plan" if compare_mode() == "plan" else "simd"


def own_settings(opt, turn, part):
    """The pairs (width, tier) at the machine's own level; opt: -O3, -G or None for a file's one text."""
    tiers = {"-O3": ["full"], "-G": ["quick"], None: TIERS}[opt]
    if side() == "plan":
        return [(width, tiers[(turn + k) % len(tiers)]) for k, width in enumerate(WIDTHS[1:])]
    if part is None:
        return list(itertools.product(WIDTHS, tiers))
    well = ["1", WIDTHS[1 + (turn + part) % PARTS]]
    if opt == "-G":
        return [(width, "quick") for width in well]
    quick = [width for width in WIDTHS if width not in well or opt is None]
    return [(width, "full") for width in well] + [(width, "quick") for width in quick]


def settings(levels, name, opt, part):
    """The settings (level, width, tier) for a part of one PTX file, which was made with opt from the file of
    this name."""
    if compare_mode() == "all":
        return list(itertools.product(levels, WIDTHS, TIERS))
    turn = zlib.crc32(os.path.basename(name).encode())
    chosen = [(levels[-1], width, tier) for width, tier in own_settings(opt, turn, part)]
    kinds = list(itertools.product(TIERS, ("-O3", "-G")))
    for n, level in enumerate(levels[:-1] if side() == "simd" else []):
        if part is None:
            below = [(width, kinds[(turn // 2 + n + 3 * k) % len(kinds)])
                     for k, width in enumerate(WIDTHS[(turn + n) % 2::2])]
        elif level != AVX2 and (turn + n + part) % PARTS:
            below = []
        else:  # of 24 pairs of width and kind three that differ in both, and others at the next level
            pairs = list(itertools.product(WIDTHS, kinds + kinds[2:]))
            below = [pairs[(turn // PARTS + 11 * n + 7 * part) % len(pairs)]]
        chosen += [(level, width, tier) for width, (tier, text) in below if opt in (None, text)]
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
    for variable, value in also_of(path) if side() == "simd" else []:
        if variable == "KUDZU_WIDTH":  # once a tier: 0 is what the compiler chooses
            also = [(value, tier) for tier in sorted({tier for level, _, tier in tried if level == tried[0][0]})]
            runs += [("", width, tier, {}) for width, tier in also]
        else:
            runs += [("", width, tier, {variable: value}) for level, width, tier in tried if level == tried[0][0]]
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
        for file in files:
            check_directives(file)
            for name, path in ptx_files(kudzu, file, cache):
                opt = name[len(file) + 1:] or None
                text = os.path.join(cache, os.path.basename(path))
                if path == file:
                    shutil.copy(path, text)
                for part, dealt_path in dealt(text):
                    tried = settings(levels, file, opt, part)
                    if opt != "-G" and side() == "simd":
                        tried += [s for s in found_before(dealt_path, levels) if s not in tried]
                    count += len(tried)
                    bad += differences(tool, name if part is None else "%s, part %d" % (name, part), dealt_path,
                                       tried, cache) if tried else 0
    print("%d comparisons, %d differ" % (count, bad))
    sys.exit(bad != 0)


if __name__ == "__main__":
    main()
