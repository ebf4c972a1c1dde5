#!/usr/bin/env python3
"""CUB's and Thrust's own tests under kudzu.

  cccl.py [--kudzu build/bin/kudzu] [--jobs N] [--match RE] [--launch 0,2] [--limit SECONDS] [--end SECONDS] [--check] CCCL DIR

CCCL is a checkout of NVIDIA/cccl (2.8.5), DIR takes what is built. Catch2 2.13 has to be installed (Debian:
catch2). Every file of cub/test and thrust/testing is compiled, once for each combination of its parameters
(the comments %PARAM%), linked and run; of CUB's ways to launch, 0 is the host's, 1 a kernel's and 2 a graph's.
Each job has one processor. A line for each says how it ended: passed, failed (the program's status), compile,
link, or limit (not ended after --limit seconds, or when --end seconds are over since the start); DIR/results.tsv
keeps them and DIR/NAME.log what the program said. Jobs that DIR/results.tsv has passed or failed stay as they are.
With --check they run under kudzu check, with one seed each; a test of which something is told has failed.
"""
import argparse, glob, itertools, os, queue, re, subprocess, threading, time

FLAGS = ["-std=c++17", "--extended-lambda", "--expt-relaxed-constexpr", "-w", "-DCUB_DISABLE_NAMESPACE_MAGIC",
         "-DCUB_IGNORE_NAMESPACE_MAGIC_ERROR", "-DTHRUST_IGNORE_DEPRECATED_API", "-DCUB_IGNORE_DEPRECATED_API",
         "-DCCCL_IGNORE_DEPRECATED_API", "-DC2H_HAS_CURAND=0", "-DC2H_SEED_DEFAULT"]
CHECKED = ["-lineinfo", "-Xcompiler", "-O0"]  # lines, and what compiles fast
INCLUDE = ["cub", "thrust", "libcudacxx/include", "c2h/include", "cub/test", "thrust/testing"]
# What must not compile, what needs NVTX's or NVRTC's own arrangements, and what is only linked with others
WITHOUT = re.compile(r"_fail|nvtx|nvrtc|/link_|test_cdp_variant_state|unittest_static_assert")
PARAM = re.compile(r"//\s+%PARAM%\s+(\S+)\s+(\S+)\s+(\S+)")


class Job:
    def __init__(self, suite, source, name, defines):
        self.suite, self.source, self.name, self.defines = suite, source, name, defines


def variants(source):
    """(label, definitions) for each combination of a file's parameters."""
    found = PARAM.findall(open(source, errors="replace").read())
    for values in itertools.product(*[v.split(":") for _, _, v in found]):
        label = "".join(".%s_%s" % (l, v) for (_, l, _), v in zip(found, values))
        yield label, ["-D%s=%s" % (d, v) for (d, _, _), v in zip(found, values)]


def jobs(args):
    """Every test, its first variant first."""
    rounds = {}
    files = sorted(glob.glob(args.cccl + "/cub/test/*test_*.cu"))
    files += sorted(glob.glob(args.cccl + "/thrust/testing/*.cu")) + sorted(glob.glob(args.cccl + "/thrust/testing/cuda/*.cu"))
    for source in files:
        if WITHOUT.search(source):
            continue
        suite = "thrust" if "/thrust/testing/" in source else "cub"
        name = re.sub(r"^(catch2_)?test_", "", os.path.basename(source)[:-3])
        if "/testing/cuda/" in source:
            name = "cuda." + name
        turn = 0
        always = ["--default-stream=per-thread"] if name == "cuda.stream_per_thread" else []  # its .cmake file's
        for label, defines in variants(source):
            launch = re.search(r"lid_(\d)", label)
            if launch and launch[1] not in args.launch.split(",") or not re.search(args.match, suite + "/" + name + label):
                continue
            rounds.setdefault(turn, []).append(Job(suite, source, name + label, defines + always))
            turn += 1
    return [job for turn in sorted(rounds) for job in rounds[turn]]


class Runner:
    def __init__(self, args):
        self.args, self.start, self.lock = args, time.time(), threading.Lock()
        self.path = args.dir + "/results.tsv"
        self.done = set()
        if os.path.exists(self.path):
            rows = [line.split("\t") for line in open(self.path)]
            self.done = set((r[0], r[1]) for r in rows if r[2] == "passed" or r[2].startswith("failed"))

    def left(self, limit):
        return max(1.0, min(limit, self.args.end - (time.time() - self.start)) if self.args.end else limit)

    def call(self, command, log, cpu, limit):
        """The exit status, or None after the limit."""
        with open(log, "w") as f:
            child = subprocess.Popen(command, stdout=f, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, start_new_session=True,
                                     preexec_fn=lambda: os.sched_setaffinity(0, {cpu}) if cpu is not None else None)
            try:
                return child.wait(self.left(limit))
            except subprocess.TimeoutExpired:
                os.killpg(child.pid, 9)
                child.wait()
                return None

    def compile(self, source, object_, defines, cpu=None):
        """None when the object is there, else how it ended."""
        if os.path.exists(object_):
            return None
        command = [self.args.kudzu, "cc"] + FLAGS + (CHECKED if self.args.check else []) + defines + ["-I%s/%s" % (self.args.cccl, d) for d in INCLUDE]
        status = self.call(command + ["-c", source, "-o", object_ + ".part.o"], object_ + ".log", cpu, 3600)
        if status != 0:
            return "limit" if status is None else "compile"
        os.rename(object_ + ".part.o", object_)
        return None

    def common(self):
        """What the tests are linked with."""
        c = self.args.cccl
        of = {"c2h": [c + "/c2h/generators.cu"], "catch": [c + "/c2h/catch2_runner.cpp", c + "/c2h/catch2_runner_helper.cu"],
              "thrust": [c + "/thrust/testing/unittest/testframework.cu", c + "/thrust/testing/unittest/cuda/testframework.cu"]}
        objects = {}
        for kind, sources in of.items():
            objects[kind] = ["%s/common-%s-%d.o" % (self.args.dir, kind, i) for i in range(len(sources))]
            for source, object_ in zip(sources, objects[kind]):
                if self.compile(source, object_, []):
                    raise SystemExit("%s does not compile, see %s.log" % (source, object_))
        return objects

    def run(self, job, common, cpu):
        base = "%s/%s.%s" % (self.args.dir, job.suite, job.name)
        began = time.time()
        state, seconds = self.compile(job.source, base + ".o", job.defines, cpu), 0
        compiled = time.time() - began
        if not state:
            catch = "catch2_" in job.source
            objects = common["thrust"] if job.suite == "thrust" else common["c2h"] + (common["catch"] if catch else [])
            if self.call([self.args.kudzu, "cc", "-o", base + ".run", base + ".o"] + objects + ["-lcuda", "-lnvrtc"], base + ".log", cpu, 300):
                state = "link"
        if not state:
            began = time.time()
            program = [self.args.kudzu, "check", base + ".run"] if self.args.check else [base + ".run"]
            status = self.call(program + (["-r", "compact", "-d", "yes"] if "catch2_" in job.source else []), base + ".log", cpu,
                               self.args.limit)
            seconds = time.time() - began
            state = "limit" if status is None else "passed" if status == 0 else "failed %d" % status
        said = (open(base + ".log", errors="replace").read().strip().splitlines() or [""])[-1] if os.path.exists(base + ".log") else ""
        line = "\t".join([job.suite, job.name, state, "%.0f" % compiled, "%.0f" % seconds, said[:200]])
        with self.lock:
            print(line, flush=True)
            with open(self.path, "a") as f:
                f.write(line + "\n")

    def worker(self, todo, common, cpu):
        while not self.args.end or time.time() - self.start < self.args.end:
            try:
                job = todo.get_nowait()
            except queue.Empty:
                return
            self.run(job, common, cpu)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kudzu", default="build/bin/kudzu")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--match", default="", help="only tests whose suite/name matches this regular expression")
    parser.add_argument("--launch", default="0", help="CUB's launches: 0 host, 1 kernel, 2 graph")
    parser.add_argument("--limit", type=float, default=600, help="seconds for a program")
    parser.add_argument("--end", type=float, default=0, help="seconds for all (0: no limit)")
    parser.add_argument("--check", action="store_true", help="under kudzu check")
    parser.add_argument("cccl")
    parser.add_argument("dir")
    args = parser.parse_args()
    args.dir, args.cccl = os.path.abspath(args.dir), os.path.abspath(args.cccl)
    os.makedirs(args.dir, exist_ok=True)
    if args.check:
        os.environ.setdefault("CCCL_SEED_COUNT_OVERRIDE", "1")  # CCCL's own, for sanitizers
    runner = Runner(args)
    common = runner.common()
    todo = queue.Queue()
    for job in jobs(args):
        if (job.suite, job.name) not in runner.done:
            todo.put(job)
    cpus = sorted(os.sched_getaffinity(0))
    threads = [threading.Thread(target=runner.worker, args=(todo, common, cpus[i % len(cpus)])) for i in range(args.jobs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


main()
