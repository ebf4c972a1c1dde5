#!/usr/bin/env python3
"""HeCBench's CUDA programs under kudzu.

  hecbench.py [--kudzu build/bin/kudzu] [--cccl CCCL] [--jobs N] [--limit SECONDS] [--match RE] HECBENCH DIR
  hecbench.py --build-only [--kudzu ...] [--cccl CCCL] [--jobs N] [--limit SECONDS] [--match RE] HECBENCH DIR
  hecbench.py --run-only [--device cpu|gpu] [--jobs N] [--limit SECONDS] [--match RE] [--again] HECBENCH DIR
  hecbench.py --table DIR...

HECBENCH is a checkout of zjin-lcf/HeCBench; programs are built where they lie, each as its Makefile says, with
kudzu as nvcc (and CUB, Thrust and libcu++ of CCCL where it includes them). What `make run` would do is kept, so
that --run-only needs no compiler: HECBENCH and DIR can be carried to a machine with a GPU (LD_LIBRARY_PATH names
kudzu's libraries there). In as many jobs at a time, each with one processor. A line for each program says how it
ended: passed (it says so), ended (its status is 0), failed (it says so), status (another one), input (it misses a
file), limit (not ended after --limit seconds), or build, with a reason. DIR keeps NAME.build, NAME.commands,
NAME.DEVICE, build.tsv and DEVICE.tsv. --again runs what has failed before, and the later result counts. --table
counts programs by what became of them on each device, and names those that failed.
"""
import argparse, collections, glob, os, queue, re, shlex, signal, stat, subprocess, sys, threading, time

NVCC = """#!/bin/sh
cccl=
grep -q -s -r -l -E 'include *[<"](cub|thrust)/' . && cccl="%s"
exec "%s" cc $cccl "$@"
"""
SAYS_FAILED = re.compile(r"\bfail|mismatch|wrong|incorrect|not correct", re.I)
NO_FAILURE = re.compile(r"failures: *0\b|incorrect matches: 0\b|\b0 failures|failed as expected|assertion failures|Assertion `[^\n]* failed\.",
                        re.I)
SAYS_PASSED = re.compile(r"pass|success|correct|verified|\bok\b", re.I)
LIBRARIES = [("cuBLAS", "cublas"), ("cuSPARSE", "cusparse"), ("cuSOLVER", "cusolver"), ("cuFFT", "cufft"),
             ("cuDNN", "cudnn"), ("NCCL", "nccl"), ("NVSHMEM", "nvshmem"), ("cuRAND", "curand"), ("NPP", "npp"),
             ("MPI", r"\bmpi"), ("Boost", "boost"), ("OpenMP", r"\bomp\b|gomp"), ("OpenCV", "opencv"),
             ("CUTLASS", "cutlass|cute/"), ("GSL", "gsl"), ("HDF5", "hdf5"), ("OpenGL", r"\bGLU?\b|glut"),
             ("CCCL of another release", "cub/|thrust/|cuda/")]
NOT_BUILT = [  # a reason, and where a log says it; {} is what it names
    ("needs {}", re.compile(r"fatal error: '([^'\n]+)' file not found|fatal error: (\S+): No such file")),
    ("needs {}", re.compile(r"cannot find -l(\S+?):? |cannot find -l(\S+)")),
    ("no file {}", re.compile(r"No rule to make target '([^']+)'|([^\s:]+): No such file or directory")),
    ("no program {}", re.compile(r"([\w+.-]+): (?:command )?not found")),
]
SIGNALS = {s.value: s.name for s in signal.Signals}
NO_INPUT = re.compile(r"no such f|not found|open fails|invalid infile|bad file|"
                      r"assertion `(f|file|.*exists.*)'? (!= NULL' )?failed|"
                      r"(can(no|')t|(could|was) ?n[o']t|not able to|unable to|fail(ed)? to|error) ?(in |while |be )?"
                      r"(open|stat\b|read|find|load|import|recognize format)", re.I)


def write_nvcc(args):
    """A folder with a program nvcc that is kudzu."""
    folder = os.path.join(os.path.abspath(args.dir), "path")
    os.makedirs(folder, exist_ok=True)
    include = ["-I%s/%s" % (os.path.abspath(args.cccl), d) for d in ("cub", "thrust", "libcudacxx/include")]
    path = os.path.join(folder, "nvcc")
    with open(path, "w") as f:
        f.write(NVCC % (" ".join(include) if args.cccl else "", os.path.abspath(args.kudzu)))
    os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)
    return folder


def limited(args, folder, command, log, environment, cpu):
    """Seconds and exit status; None where it met the limit."""
    start = time.time()
    command = ["taskset", "-c", str(cpu), "timeout", "-k", "5", str(args.limit)] + command
    with open(log, "wb") as out:
        status = subprocess.run(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=out,
                                stderr=subprocess.STDOUT).returncode
    return time.time() - start, None if status in (124, 137, -signal.SIGKILL) else status


def read(path):
    with open(path, errors="replace") as f:
        return f.read()


def line_of(text, match):
    start = text.rfind("\n", 0, match.start()) + 1
    return text[start:].split("\n", 1)[0].strip()[:150]


def why_not_built(status, text):
    if status is None:
        return "limit"
    for reason, pattern in NOT_BUILT:
        found = pattern.search(text)
        if found:
            what = next(g for g in found.groups() if g)
            library = next((name for name, words in LIBRARIES if re.search(words, what)), what)
            return reason.format(what if reason.startswith("no ") else library)
    error = re.search(r"\berror\b|undefined reference", text, re.I)
    return line_of(text, error) if error else "status %d" % status


def verdict(status, text):
    """How a run ended, and why."""
    if status is None:
        return "limit", ""
    missing = NO_INPUT.search(text)
    if missing:
        return "input", line_of(text, missing)
    failed = SAYS_FAILED.search(NO_FAILURE.sub("", text))
    if failed:
        return "failed", line_of(NO_FAILURE.sub("", text), failed)
    if status:
        last = text.strip().rsplit("\n", 1)[-1][-150:]
        return "status", "%s: %s" % (SIGNALS.get(status - 128, status), last)
    return ("passed" if SAYS_PASSED.search(text) else "ended"), ""


def keep_commands(folder, log, environment):
    """What `make run` would do, each command in a shell of its own, as make has it."""
    text = subprocess.run(["make", "-n", "-s", "run"], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.decode(errors="replace")
    lines = [line for line in re.sub(r"\\\n", " ", text).splitlines() if line.strip()]
    if any(line.startswith("make ") for line in lines):  # the others' folders are not known
        lines = ["make run"]
    with open(log + ".commands", "w") as f:
        f.writelines("sh -c %s || exit\n" % shlex.quote(line) for line in lines)


def build_one(args, folder, log, environment, cpu):
    seconds, status = limited(args, folder, ["make"], log + ".build", environment, cpu)
    if status != 0:
        return "build", why_not_built(status, read(log + ".build")), seconds
    keep_commands(folder, log, environment)
    return "built", "", seconds


def run_one(args, folder, log, environment, cpu):
    out = log + "." + args.device
    seconds, status = limited(args, folder, ["sh", log + ".commands"], out, environment, cpu)
    return verdict(status, read(out)) + (seconds,)


def results_of(path):
    """The last result of each program."""
    rows = {}
    if os.path.exists(path):
        for line in read(path).splitlines():
            name, rest = line.split("\t", 1)
            rows[name] = rest.split("\t")
    return rows


def do_all(args, step, one, environment, names):
    """Appends a line for each program to a table."""
    left, lock = queue.Queue(), threading.Lock()
    for name in names:
        left.put(name)

    def work(cpu):
        while True:
            try:
                name = left.get_nowait()
            except queue.Empty:
                return
            folder = os.path.join(os.path.abspath(args.hecbench), "src", name)
            how, why, seconds = one(args, folder, os.path.join(os.path.abspath(args.dir), name), environment, cpu)
            with lock, open(os.path.join(args.dir, step + ".tsv"), "a") as table:
                table.write("%s\t%s\t%.1f\t%s\n" % (name, how, seconds, why.replace("\t", " ")))
                print("%-40s %-5s %-8s %5.0f s  %s" % (name, step, how, seconds, why), flush=True)

    cpus = sorted(os.sched_getaffinity(0))
    threads = [threading.Thread(target=work, args=(cpus[k % len(cpus)],)) for k in range(args.jobs)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()


def table(folders):
    for folder in folders:
        for step in ("build", "cpu", "gpu"):
            rows = results_of(os.path.join(folder, step + ".tsv"))
            for how, count in sorted(collections.Counter(r[0] for r in rows.values()).items()):
                print("%-6s %-8s %d" % (step, how, count))
            for why, count in collections.Counter(r[2] for r in rows.values() if r[0] == "build").most_common():
                print("    %4d  %s" % (count, why))
            for name, r in sorted(rows.items()):
                if r[0] in ("failed", "status", "input"):
                    print("    %-40s %-7s %s" % (name, r[0], r[2]))


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--kudzu", default="build/bin/kudzu")
    p.add_argument("--cccl", default="")
    p.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    p.add_argument("--limit", type=int, default=100)
    p.add_argument("--match", default="")
    p.add_argument("--device", choices=("cpu", "gpu"), default="cpu")
    p.add_argument("--build-only", action="store_true")
    p.add_argument("--run-only", action="store_true")
    p.add_argument("--again", action="store_true")
    p.add_argument("--table", nargs="+", metavar="DIR")
    p.add_argument("hecbench", nargs="?")
    p.add_argument("dir", nargs="?")
    args = p.parse_args()
    if args.table:
        return table(args.table)
    if not args.dir:
        p.error("where is HeCBench, and which folder keeps the results?")
    os.makedirs(args.dir, exist_ok=True)
    environment = dict(os.environ, KUDZU_DEVICE=args.device)
    if not args.run_only:
        environment["PATH"] = write_nvcc(args) + ":" + os.environ["PATH"]
        names = sorted(m.split("/")[-2] for m in glob.glob(args.hecbench + "/src/*-cuda/Makefile"))
        do_all(args, "build", build_one, environment, [n for n in names if re.search(args.match, n)])
    if not args.build_only:
        built = results_of(os.path.join(args.dir, "build.tsv"))
        before = results_of(os.path.join(args.dir, args.device + ".tsv"))
        names = sorted(n for n, r in built.items() if r[0] == "built" and re.search(args.match, n))
        if args.again:
            names = [n for n in names if before.get(n, [""])[0] in ("failed", "status")]
        do_all(args, args.device, run_one, environment, names)
    return table([args.dir])


if __name__ == "__main__":
    sys.exit(main())
