"""Makes random kernels and compares the interpreter with SIMD code, and with the interpreter of the plan
that SIMD code is emitted by (src/plan/interp).

usage: random_kernels.py PTX_RUN KUDZU [--seed N] [--count FILES] [--minutes M] [--keep DIR] [--side simd|plan|both]
       [--level LEVEL] [FILE.ptx...]

Half of the files are CUDA C++ (random_cuda.py, random_idioms.py, random_indices.py,
random_turns.py, random_sums.py;
KUDZU is - where there is no compiler, and no such file then), the others are PTX (random_ptx.py). A
file that differs is kept and reduced. One that meets the time limit (processor time, for compiling
and running) is kept too and counted apart. The first line printed names the seed: file K of a run
is --seed SEED+K --count 1, so processes beside each other need seeds that are further apart than each
of them makes files. Files of PTX that are named come first (their launches stand in comments, as
ptx_run reads them)."""
import argparse
import os
import random
import subprocess
import sys
import tempfile
import time

import compare
import random_arrivals
import random_cuda
import random_idioms
import random_indices
import random_ptx
import random_sums
import random_turns
from random_tree import reduce

TIME_LIMIT = 30  # seconds of processor time for one run
MAKERS = [random_cuda, random_arrivals, random_arrivals, random_ptx, random_turns, random_ptx, random_idioms, random_ptx, random_sums, random_ptx,
          random_turns, random_indices, random_idioms, random_ptx, random_sums, random_indices]
KILLED_BY_LIMIT = (128 + 9, 128 + 14, 128 + 24)


class Server:
    """One process of ptx_run --serve: it makes a process of its own of each run, with the variables of
    the environment that it began with."""

    def __init__(self, tool, variables):
        self.tool, self.process, self.variables = tool, None, variables

    def run(self, path, how, level, width):
        """What the run printed, with an exit status that is not 0 behind it, or "timeout"."""
        if not self.process or self.process.poll() is not None:
            env = dict(os.environ, **self.variables)
            self.process = subprocess.Popen([self.tool, "--serve"], env=env, stdin=subprocess.PIPE,
                                            stdout=subprocess.PIPE)
        self.process.stdin.write(("%s %s %s %d %s\n" % (how, level or "host", width, TIME_LIMIT, path)).encode())
        self.process.stdin.flush()
        status, size = map(int, self.process.stdout.readline().split())
        text = self.process.stdout.read(size).decode(errors="replace")
        if status in KILLED_BY_LIMIT:
            return "timeout"
        return text + ("" if status == 0 else "exit %d\n" % status)


class Tester:
    def __init__(self, tool, kudzu, tmp, side="both", level=None):
        self.tool, self.kudzu, self.tmp, self.servers, self.side = tool, kudzu, tmp, {}, side
        self.levels = [level] if level else compare.host_levels()
        self.compared = 0

    def compile(self, text, opt):
        """The path of the PTX, or None when the text does not compile."""
        ptx = os.path.join(self.tmp, "case.ptx")
        if opt == "ptx":
            with open(ptx, "w") as f:
                f.write(text)
            return ptx
        cu = os.path.join(self.tmp, "case.cu")
        with open(cu, "w") as f:
            f.write(text)
        p = subprocess.run([self.kudzu, "cc", "-ptx", "-w", opt, cu, "-o", ptx], stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT)
        if p.returncode:
            self.message = p.stdout.decode(errors="replace")
            return None
        with open(ptx, "a") as f:
            f.writelines(x + "\n" for x in text.split("\n") if x.startswith("// run:"))
        return ptx

    def server(self, tier, stream, tiles):
        """The one whose code is of a tier, and stores past the caches where it may (stream), as
        launches that store much do, or as usual; and multiplies bytes as if there were tile registers (tiles)."""
        key = tier, stream, tiles
        if key not in self.servers:
            more = [("KUDZU_STREAM", "1")] * stream + [("KUDZU_TILES", "plain")] * tiles
            self.servers[key] = Server(self.tool, dict([("KUDZU_TIER", tier)] + more))
        return self.servers[key]

    def interpreted(self, ptx):
        return self.server("full", False, False).run(ptx, "interp", "-", "0")

    def made(self, ptx, setting):
        level, width, tier, stream, tiles, how = setting
        return self.server(tier, stream, tiles).run(ptx, how, level, width)

    def differs(self, text, opt, setting):
        """The two outputs when they differ, else None."""
        ptx = self.compile(text, opt)
        want = self.interpreted(ptx) if ptx else "timeout"
        if "exit " in want or want == "timeout":
            return None
        got = self.made(ptx, setting)
        return (want, got) if got != want and got != "timeout" else None

    def check(self, text, seed, is_ptx):
        """The first finding, or None: (what, opt, setting or a message).
        The seed picks levels, widths and tiers, as compiling takes most of the time."""
        pick = random.Random(seed)
        # The lower the level, the longer code takes to compile. 0: the width that programs get.
        widths = [*compare.WIDTHS, "0"]
        pairs = [(level, width) for k, level in enumerate(self.levels) for width in widths * (k + 1)]
        for opt, n in (("ptx", 2),) if is_ptx else (("-O3", 2), ("-G", 1)):
            ptx = self.compile(text, opt)
            if not ptx:
                return ("does not compile", opt, self.message)
            want = self.interpreted(ptx)
            if want == "timeout":
                return ("time limit", opt, "interpreter")
            if "exit " in want:
                return ("interpreter fails", opt, want)
            sides = {"both": ["simd"] * n + ["plan"], "plan": ["plan"] * (n + 1)}.get(self.side, ["simd"] * n)
            for (level, width), how in zip(pick.sample(pairs, len(sides)), sides):
                tier = os.environ.get("KUDZU_TIER") or pick.choice(["full", "full", "full", "quick"])
                setting = level, width, tier, pick.random() < 0.3, "mma" in text and pick.random() < 0.3, how
                got = self.made(ptx, setting)
                self.compared += 1
                if got != want:
                    return ("time limit" if got == "timeout" else "differs", opt, setting)
        return None


def report(tester, maker, kernels, seed, found, keep, seconds):
    """Keeps a file of which something was found, and what is left of it when it is reduced."""
    what, opt, setting = found
    where = "%s: %s %s" % (what, opt, setting if isinstance(setting, str) else
                           "%s width %s %s%s%s%s" % (
        *setting[:3], " past the caches" if setting[3] else "", " with tiles" if setting[4] else "",
        " by the plan" if setting[5] == "plan" else ""))
    print("seed %d: %s" % (seed, where), flush=True)
    path = os.path.join(keep, "random_%d.%s" % (seed, "ptx" if opt == "ptx" else "cu"))
    os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
    with open(path, "w") as f:
        f.write("// %s\n" % where.split("\n")[0] + maker.text_of(kernels))
    if what != "differs":
        return
    still = lambda ks: tester.differs(maker.text_of(ks), opt, setting) is not None
    for k in list(kernels):
        if len(kernels) > 1 and still([k]):
            kernels = [k]
            break
    reduce([b for k in kernels for b in k.bodies()], lambda: still(kernels), time.time() + seconds)
    small = "%s_small%s" % os.path.splitext(path)
    with open(small, "w") as f:
        f.write("// %s\n" % where.split("\n")[0] + maker.text_of(kernels))
    print("  reduced to %s" % small, flush=True)


class Run:
    """What was tried, and what came of it."""

    def __init__(self, options, tester):
        self.options, self.tester, self.start = options, tester, time.time()
        self.files = self.kernels = self.bad = self.slow = 0

    def count(self, found):
        if found:
            self.slow += found[0] == "time limit"
            self.bad += found[0] != "time limit"

    def seed(self, seed):
        maker = random_ptx if self.options.kudzu == "-" else MAKERS[seed % len(MAKERS)]
        is_ptx = maker is random_ptx
        kernels = maker.make_file(seed)
        found = self.tester.check(maker.text_of(kernels), seed, is_ptx)
        self.count(found)
        if found:
            report(self.tester, maker, kernels, seed, found, self.options.keep, self.options.reduce)
        self.files += 1
        self.kernels += len(kernels)

    def file(self, path):
        with open(path) as f:
            text = f.read()
        found = self.tester.check(text, len(text), True)
        self.count(found)
        if found:
            print("%s: %s: %s %s" % (path, *found), flush=True)
        self.kernels += text.count("// run:")


def main():
    p = argparse.ArgumentParser()
    p.add_argument("tool")
    p.add_argument("kudzu")
    p.add_argument("files", nargs="*", help="PTX to compare first")
    p.add_argument("--seed", type=int)
    p.add_argument("--count", type=int, default=0, help="files to try (0: no limit)")
    p.add_argument("--minutes", type=float, default=0, help="stop after (0: no limit)")
    p.add_argument("--keep", default=tempfile.gettempdir(), help="where files that differ go")
    p.add_argument("--reduce", type=float, default=120, help="seconds for reducing one file")
    p.add_argument("--side", choices=["simd", "plan", "both"], default="both", help="what the interpreter is compared with")
    p.add_argument("--level", choices=compare.LEVELS, help="code of this level alone (else each that the machine has)")
    a = p.parse_intermixed_args()
    if not a.count and not a.minutes:
        a.count = 10
    seed = a.seed if a.seed is not None else random.SystemRandom().randrange(1 << 30)
    print("seed %d" % seed, flush=True)
    with tempfile.TemporaryDirectory() as tmp:
        run = Run(a, Tester(os.path.abspath(a.tool), a.kudzu, tmp, a.side, a.level))
        for path in a.files:
            run.file(path)
        while (not a.count or run.files < a.count) and (not a.minutes or time.time() - run.start < 60 * a.minutes):
            run.seed(seed + run.files)
        print("%d files, %d kernels, %d comparisons, %d wrong, %d met the time limit" %
              (run.files, run.kernels, run.tester.compared, run.bad, run.slow))
    sys.exit(run.bad != 0)


if __name__ == "__main__":
    main()
