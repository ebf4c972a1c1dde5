#!/usr/bin/env python3
"""HeCBench's CUDA programs under kudzu.

  hecbench.py [--kudzu build/bin/kudzu] [--cccl CCCL] [--jobs N] [--limit SECONDS] [--match RE] HECBENCH DIR

HECBENCH is a checkout of zjin-lcf/HeCBench; programs are built where they lie. Each is compiled as its Makefile
says, with kudzu as nvcc (and CUB, Thrust and libcu++ of CCCL where it includes them), and run by `make run`, in as
many jobs at a time, each with one processor. A line for each says how it ended: passed (it says so), ended (its
status is 0), failed (it says so), status (another one), limit (not ended after --limit seconds), or build. DIR
keeps NAME.build, NAME.run and results.tsv.
"""
import argparse, glob, os, queue, re, stat, subprocess, threading, time

NVCC = """#!/bin/sh
cccl=
grep -q -s -r -l -E 'include *[<"](cub|thrust)/' . && cccl="%s"
exec "%s" cc $cccl "$@"
"""
SAYS_FAILED = re.compile(r"\bfail|mismatch|wrong|incorrect|not correct", re.I)
NO_FAILURE = re.compile(r"failures: *0\b|failed as expected|assertion failures|Assertion `[^\n]* failed\.", re.I)
SAYS_PASSED = re.compile(r"pass|success|correct|verified|\bok\b", re.I)


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


def make(args, folder, target, log, environment, cpu):
    """Seconds and exit status; None where it met the limit."""
    start = time.time()
    command = ["taskset", "-c", str(cpu), "timeout", "-k", "5", str(args.limit), "make"] + target
    with open(log, "wb") as out:
        status = subprocess.run(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=out,
                                stderr=subprocess.STDOUT).returncode
    return time.time() - start, None if status in (124, 137) else status


def verdict(status, text):
    if status is None:
        return "limit"
    if SAYS_FAILED.search(NO_FAILURE.sub("", text)):
        return "failed"
    if status:
        return "status"
    return "passed" if SAYS_PASSED.search(text) else "ended"


def run_one(args, folder, environment, cpu):
    name = os.path.basename(folder)
    log = os.path.join(args.dir, name)
    built, status = make(args, folder, [], log + ".build", environment, cpu)
    if status != 0:
        return name, "build", built, 0
    took, status = make(args, folder, ["run"], log + ".run", environment, cpu)
    return name, verdict(status, open(log + ".run", errors="replace").read()), built, took


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--kudzu", default="build/bin/kudzu")
    p.add_argument("--cccl", default="")
    p.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    p.add_argument("--limit", type=int, default=100)
    p.add_argument("--match", default="")
    p.add_argument("hecbench")
    p.add_argument("dir")
    args = p.parse_args()
    environment = dict(os.environ, PATH=write_nvcc(args) + ":" + os.environ["PATH"])
    left, results, lock = queue.Queue(), [], threading.Lock()
    for makefile in sorted(glob.glob(args.hecbench + "/src/*-cuda/Makefile")):
        if re.search(args.match, makefile):
            left.put(os.path.dirname(os.path.abspath(makefile)))

    def work(cpu):
        while True:
            try:
                folder = left.get_nowait()
            except queue.Empty:
                return
            result = run_one(args, folder, environment, cpu)
            with lock:
                results.append(result)
                print("%-40s %-8s %5.0f s %5.0f s" % result, flush=True)

    cpus = sorted(os.sched_getaffinity(0))
    threads = [threading.Thread(target=work, args=(cpus[k % len(cpus)],)) for k in range(args.jobs)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    with open(os.path.join(args.dir, "results.tsv"), "w") as f:
        f.writelines("%s\t%s\t%.1f\t%.1f\n" % r for r in sorted(results))
    for how in sorted({r[1] for r in results}):
        print("%d %s" % (sum(r[1] == how for r in results), how))


if __name__ == "__main__":
    main()
