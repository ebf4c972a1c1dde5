#!/usr/bin/env python3
"""CUDA programs of others beside their own OpenMP sides, on the same processors.

  unseen.py build [--half seen|unseen|all] [--match RE] [--jobs N] --hecbench DIR [--rodinia DIR] [--cccl DIR] WORK
  unseen.py size  [--half ...] [--match RE] [--jobs N] WORK
  unseen.py run   [--half ...] [--match RE] [--threads 1,2,0] [--repeat N] WORK
  unseen.py table [--threads ...] WORK

build makes both sides of each pair below WORK: kudzu's as the makefile says, and the host's with directives for
devices made plain parallel loops (host_loops.py) by clang -O3 -march=native -fno-math-errno -fopenmp. size looks for
arguments with which the host's side takes about a second on one thread: the program's own, then smaller ones (the
last number is mostly a count of repetitions). run measures both sides in turn on 1, 2 and all (0) processors; a side's
time is what its kernels took (KUDZU_DEBUG=kernels), or its parallel regions (region_times.c), the best of N; input,
setup and compilation do not count. Outputs are compared (outputs.py). table prints the ratios host/kudzu: above 1,
kudzu is the faster. Nothing may run beside `run`.
"""
import argparse, json, math, os, re, subprocess, sys, threading, queue

import outputs, sides, suites

HERE = os.path.dirname(os.path.abspath(__file__))
AT_WORK = {"kudzu": re.compile(r"^kudzu: kernels at work: ([0-9.]+) s$", re.M),
           "host": re.compile(r"regions: \d+, at work: ([0-9.]+) s$", re.M)}


def tool_of(work):
    return os.path.join(work, "region_times.so")


def state_of(work, name):
    path = os.path.join(work, name + ".json")
    if not os.path.exists(path):
        return {}
    with open(path) as f:
        return json.load(f)


def keep(work, name, state):
    path = os.path.join(work, name + ".json")
    with open(path + ".new", "w") as f:
        json.dump(state, f, indent=1)
    os.rename(path + ".new", path)


def for_all(names, jobs, step):
    """Calls step(name, number of the job) for each name."""
    left = queue.Queue()
    for name in names:
        left.put(name)

    def work(job):
        while True:
            try:
                name = left.get_nowait()
            except queue.Empty:
                return
            print("%-32s %s" % (name, step(name, job)), flush=True)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(jobs)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()


def one_run(args, state, side, arguments, cpus, limit):
    """Seconds at work (None: not told), status (None: the limit was met) and output of one run."""
    where, program = state[side]["where"], state[side]["program"]
    environment = dict(os.environ, LC_ALL="C", OMP_NUM_THREADS=str(len(cpus)), OMP_PROC_BIND="true",
                       OMP_TOOL_LIBRARIES=tool_of(args.work), KUDZU_DEBUG="kernels", KUDZU_DEVICE="cpu")
    if side == "kudzu":
        environment["LD_LIBRARY_PATH"] = os.path.join(os.path.dirname(os.path.abspath(args.kudzu)), "../lib")
    command = ["taskset", "-c", ",".join(map(str, cpus)), "timeout", "-k", "5", str(limit), program] + arguments
    done = subprocess.run(command, cwd=where, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    text = done.stdout.decode(errors="replace")
    found = AT_WORK[side].search(text)
    text = re.sub(r"^kudzu: .*\n|regions: \d+, at work.*\n?", "", text, flags=re.M)
    return (float(found.group(1)) if found else None), (None if done.returncode in (124, 137) else done.returncode), text


def build_step(args, pair):
    state = {"name": pair.name, "suite": pair.suite, "tuned": pair.tuned, "half": suites.half_of(pair.name)}
    try:
        built = sides.build(pair, args.work, args.path, args.limit)
        for side, (where, command) in built.items():
            state[side] = {"where": where, "program": command[0], "arguments": command[1:]}
        state["how"] = "built"
    except sides.NotBuilt as e:
        state["how"], state["why"] = "not built", str(e)
    keep(args.work, pair.name, state)
    return state["how"] + (": " + state["why"] if "why" in state else "")


def smaller(arguments):
    """The next smaller arguments, or None: the last number goes to 1 first, then those before it get smaller."""
    numbers = [k for k, a in enumerate(arguments) if re.fullmatch(r"[0-9]+", a) and int(a) > 1]
    if not numbers:
        return None
    k = numbers[-1]
    if k == max(i for i, a in enumerate(arguments) if re.fullmatch(r"[0-9]+", a)):
        value = max(1, int(arguments[k]) // 10)
    else:
        value = int(arguments[k]) // 2
        if value < 16:
            return None
    return arguments[:k] + [str(value)] + arguments[k + 1:]


def same_change(arguments, whole, less):
    """The other side's arguments, with what became of `whole` in `less`: they can have some of their own."""
    arguments = list(arguments)
    for old, new in zip(reversed(whole), reversed(less)):
        for k in range(len(arguments) - 1, -1, -1):
            if arguments[k] == old:
                arguments[k] = new
                break
    return arguments


def size_step(args, name, cpu):
    state = state_of(args.work, name)
    if state.get("how") != "built":
        return "not built"
    if state["tuned"]:  # the sides take arguments of their own
        return "as it is"
    arguments = whole = state["host"]["arguments"]
    for _ in range(14):
        seconds, status, _ = one_run(args, state, "host", arguments, [cpu], args.limit)
        if status is not None and (seconds is None or seconds < 4):
            break
        less = smaller(arguments)
        if not less:
            break
        arguments = less
    state["size"] = {"host": arguments, "kudzu": same_change(state["kudzu"]["arguments"], whole, arguments)}
    state["host seconds"] = seconds
    if status is None:
        state["how"], state["why"] = "too long", "the host's side takes more than %d s" % args.limit
    keep(args.work, name, state)
    return "%s: %s" % (" ".join(arguments), "limit" if status is None else "status %d" % status if status else seconds)


def measure(args, state, cpus):
    """{"kudzu": s, "host": s, "check": ...} on these processors."""
    best, text = {}, {}
    # The first two runs warm caches of files and code: better code may be there at the second one's end only.
    for k in range(args.repeat + 2):
        for side in ("kudzu", "host"):
            arguments = state[side]["arguments"] if state["tuned"] else state["size"][side]
            seconds, status, text[side] = one_run(args, state, side, arguments, cpus, args.limit)
            if status is None:
                return {"check": side + ": limit", side: args.limit}
            if status or seconds is None:
                return {"check": "%s: %s" % (side, "status %d" % status if status else "no kernel ran")}
            if k > 1:
                best[side] = min(seconds, best.get(side, seconds))
    return dict(best, check=outputs.agree(text["kudzu"], text["host"]))


def run_step(args, name):
    state = state_of(args.work, name)
    if state.get("how") != "built" or ("size" not in state and not state["tuned"]):
        return "not built"
    said = []
    all_cpus = sorted(os.sched_getaffinity(0))
    for count in args.threads:
        cpus = all_cpus[: count or len(all_cpus)]
        result = measure(args, state, cpus)
        state.setdefault("results", {})[str(len(cpus))] = result
        keep(args.work, name, state)
        ratio = "%.2f" % (result["host"] / result["kudzu"]) if "host" in result and "kudzu" in result else ""
        said.append("%d: %s %s" % (len(cpus), ratio, result["check"]))
    return "; ".join(said)


def table(args, names):
    states = [state_of(args.work, name) for name in names]
    for count in sorted({int(c) for s in states for c in s.get("results", {})}):
        rows, left_out = [], []
        for s in states:
            r = s.get("results", {}).get(str(count))
            if not r:
                continue
            if r["check"] in ("checked", "unchecked") and min(r["host"], r["kudzu"]) > 1e-4:
                rows.append((r["host"] / r["kudzu"], s["name"], r))
            else:
                left_out.append((s["name"], r["check"]))
        if not rows:
            continue
        rows.sort()
        ratios = [r[0] for r in rows]
        print("%d threads: %d pairs, geometric mean %.3f, median %.3f, below 0.8: %d, above 1.25: %d" %
              (count, len(rows), math.exp(sum(map(math.log, ratios)) / len(rows)), ratios[len(rows) // 2],
               sum(r < 0.8 for r in ratios), sum(r > 1.25 for r in ratios)))
        for ratio, name, r in rows if args.all else rows[:10]:
            print("    %-28s %6.2f   kudzu %.4f s, host %.4f s  %s" % (name, ratio, r["kudzu"], r["host"], r["check"]))
        for name, why in left_out:
            print("    %-28s left out: %s" % (name, why))
    for s in states:
        if "why" in s and args.all:
            print("    %-28s %s" % (s["name"], s["why"]))


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("step", choices=("build", "size", "run", "table"))
    p.add_argument("work")
    for suite in suites.SUITES:
        p.add_argument("--" + suite)
    p.add_argument("--kudzu", default="build/bin/kudzu")
    p.add_argument("--clang", default="clang-19")
    p.add_argument("--march", default="native", help="the processor that the host's side is compiled for")
    p.add_argument("--cccl", default="")
    p.add_argument("--half", choices=("seen", "unseen", "all"), default="seen")
    p.add_argument("--match", default="")
    p.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    p.add_argument("--limit", type=int, default=60, help="seconds for one build or run")
    p.add_argument("--threads", default="1,2,0", type=lambda s: [int(n) for n in s.split(",")])
    p.add_argument("--repeat", type=int, default=3)
    p.add_argument("--all", action="store_true", help="table: all rows, not the worst ten")
    args = p.parse_args()
    args.work = os.path.abspath(args.work)
    os.makedirs(args.work, exist_ok=True)
    if args.step == "build":
        checkouts = {s: getattr(args, s) for s in suites.SUITES if getattr(args, s)}
        if not checkouts:
            p.error("which checkout? (--%s DIR)" % ", --".join(suites.SUITES))
        args.path = sides.write_compilers(args.work, args.kudzu, args.cccl, args.clang, args.march)
        subprocess.run([args.clang, "-O2", "-fPIC", "-shared", os.path.join(HERE, "region_times.c"), "-o",
                        tool_of(args.work)], check=True)
        found = {q.name: q for q in suites.pairs(checkouts, args.half) if re.search(args.match, q.name)}
        return for_all(found, args.jobs, lambda name, _: build_step(args, found[name]))
    names = sorted(n[:-5] for n in os.listdir(args.work) if n.endswith(".json") and re.search(args.match, n[:-5]))
    names = [n for n in names if args.half in ("all", suites.half_of(n))]
    if args.step == "size":
        for_all(names, args.jobs, lambda name, job: size_step(args, name, sorted(os.sched_getaffinity(0))[job]))
    elif args.step == "run":
        for_all(names, 1, lambda name, _: run_step(args, name))
    else:
        table(args, names)
    return None


if __name__ == "__main__":
    sys.exit(main())
