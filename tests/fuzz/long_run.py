"""Runs the fuzz targets of a build for a long time, one at a time, and prints what was run.

usage: long_run.py BUILD --minutes M [--kudzu KUDZU] [--seed N] [--keep DIR] [--targets NAME,...]
                   [--seeds FOLDER]

Seeds are the PTX files of the tests, every instruction form of the table, and, when KUDZU is
given, the PTX of the examples at -O0 and -O3; PTX files of FOLDER too. Each target gets an equal share of the time, in
turns of a minute with seeds of their own. An input that crashes is kept; the turn can be repeated
with the seed that is printed."""
import argparse
import glob
import os
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
HEAD = """.version 9.0
.target sm_90a
.address_size 64
.func f() { ret; }
.func t(.reg .pred p1, .reg .b32 r1, .reg .b64 l1, .reg .f32 f1, .reg .f64 d1)
{
.reg .b8 c1;
.reg .b16 h1;
.reg .b128 q1;
list: .branchtargets L;
ld.b8 c1, [l1];
ld.b16 h1, [l1];
ld.b128 q1, [l1];
L:
"""
TAIL = """st.b8 [l1], c1;
st.b16 [l1], h1;
st.b128 [l1], q1;
ret;
}
.entry k(.param .u64 p) { .reg .b64 l1; .reg .f64 d1; .reg .pred p1; .reg .b32 r1; .reg .f32 f1;
ld.param.u64 l1, [p];
ld.b32 r1, [l1]; ld.f32 f1, [l1+4]; ld.f64 d1, [l1+8]; setp.eq.u32 p1, r1, 3;
call t, (p1, r1, l1, f1, d1);
ret; }
"""
FORMS_A_FILE = 25
FILES_A_TURN = 12


def write_forms(build, out):
    """All forms of the instruction table, some in each file."""
    tool = os.path.join(build, "bin", "test_forms")
    if not os.path.exists(tool):
        return
    lines = subprocess.run([tool, "list"], stdout=subprocess.PIPE, text=True).stdout.splitlines()
    random.Random(1).shuffle(lines)
    for at in range(0, len(lines), FORMS_A_FILE):
        with open(os.path.join(out, "forms%d.ptx" % at), "w") as f:
            f.write(HEAD + "\n".join(lines[at:at + FORMS_A_FILE]) + "\n" + TAIL)


def write_examples(kudzu, out):
    sources = glob.glob(os.path.join(ROOT, "examples", "*.cu"))
    sources += glob.glob(os.path.join(ROOT, "tests", "*", "cu", "*.cu"))
    for path in sources:
        for opt in ("-O3", "-G"):
            name = os.path.basename(path)[:-3] + opt + ".ptx"
            subprocess.run([kudzu, "cc", "-ptx", "-w", opt, path, "-o", os.path.join(out, name)],
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def seeds_of(target, build, made):
    if target in ("fuzz_image", "fuzz_device_file"):
        return sorted(glob.glob(os.path.join(build, "tests", "fuzz", "images", "*")))
    files = glob.glob(os.path.join(ROOT, "tests", "**", "*.ptx"), recursive=True)
    for folder in made:
        files += glob.glob(os.path.join(folder, "*.ptx"))
    if target == "fuzz_ir":
        files += glob.glob(os.path.join(ROOT, "tests", "ir", "cases", "*.ir"))
        files += glob.glob(os.path.join(build, "tests", "fuzz", "ir", "*.ir"))
    return sorted(files)


class Tally:
    def __init__(self):
        self.executions, self.seconds, self.cpu, self.crashes = 0, 0.0, 0.0, 0


def cpu_of_children():
    u = resource.getrusage(resource.RUSAGE_CHILDREN)
    return u.ru_utime + u.ru_stime


def run_turn(build, target, files, seed, seconds, keep, tally):
    kept = os.path.join(keep, "last_input")
    env = dict(os.environ, KUDZU_FUZZ_KEEP=kept)
    some = random.Random(seed).sample(files, min(len(files), FILES_A_TURN))
    start, cpu = time.time(), cpu_of_children()
    p = subprocess.run([os.path.join(build, "bin", target), "%ds" % seconds, str(seed)] + some,
                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=env)
    text = p.stdout.decode(errors="replace")
    m = re.search(r"(\d+) executions in ([\d.]+) s", text)
    tally.seconds += time.time() - start
    tally.cpu += cpu_of_children() - cpu
    if m:
        tally.executions += int(m.group(1))
    if p.returncode or not m:
        tally.crashes += 1
        base = os.path.join(keep, "%s_%d" % (target, seed))
        if os.path.exists(kept):
            shutil.copy(kept, base + ".input")
        with open(base + ".log", "w") as f:
            f.write(text)
        print("%s seed %d: exit %d, kept as %s.input" % (target, seed, p.returncode, base),
              flush=True)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("build")
    p.add_argument("--minutes", type=float, required=True)
    p.add_argument("--kudzu", help="compiles the examples to PTX as more seeds")
    p.add_argument("--seeds", action="append", default=[], help="folder of more PTX files")
    p.add_argument("--seed", type=int)
    p.add_argument("--keep", default=tempfile.gettempdir(), help="where inputs that crash go")
    p.add_argument("--targets", default="fuzz_ptx,fuzz_ir,fuzz_image,fuzz_device_file")
    a = p.parse_args()
    seed = a.seed if a.seed is not None else random.SystemRandom().randrange(1 << 30)
    targets = a.targets.split(",")
    os.makedirs(a.keep, exist_ok=True)
    print("seed %d" % seed, flush=True)
    with tempfile.TemporaryDirectory() as made:
        write_forms(a.build, made)
        if a.kudzu:
            write_examples(a.kudzu, made)
        files = {t: seeds_of(t, a.build, [made] + a.seeds) for t in targets}
        tallies = {t: Tally() for t in targets}
        until, turn = time.time() + 60 * a.minutes, 0
        while time.time() < until:
            t = targets[turn % len(targets)]
            run_turn(a.build, t, files[t], seed + turn, 60, a.keep, tallies[t])
            turn += 1
            k = tallies[t]
            print("%s: %d seed files, %d executions, %.0f s (%.0f s of processor time), %d crashes" %
                  (t, len(files[t]), k.executions, k.seconds, k.cpu, k.crashes), flush=True)
    bad = sum(k.crashes for k in tallies.values())
    print("total: %d executions, %.0f s (%.0f s of processor time), %d crashes" %
          (sum(k.executions for k in tallies.values()), sum(k.seconds for k in tallies.values()),
           sum(k.cpu for k in tallies.values()), bad))
    sys.exit(bad != 0)


if __name__ == "__main__":
    main()
