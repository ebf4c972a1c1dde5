#!/usr/bin/env python3
"""What kudzu check costs: each row of rows/ run plain and under each tool.

usage: bench/check_cost.py BUILD [--tools memory,race,...] [--clock wall|processor] [--out FILE] [row...]

A cell is the time of a launch's work under the tool over the plain run's, and the peak memory of
the row's process likewise. Compilation does not count: code is the better one from the first launch
on. Workers are as many as KUDZU_WORKERS says.
--clock processor: time of all processors instead of the clock's, for machines with other work.
Writes OUT (BUILD/bench/check_cost.tsv) as well.
"""
import argparse
import math
import os
import resource
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TOOLS = ["memory", "race", "init", "sync", "all"]
SECONDS = 60  # of processors, for a file of rows under one tool
WAIT = 600  # by the clock, where other work takes the machine


def newer(target, *sources):
    return not os.path.exists(target) or any(
        os.path.getmtime(s) > os.path.getmtime(target) for s in sources)


def build_program(build, rows):
    """The program with kudzu's side of the rows; what native code would be called ends it."""
    kudzu = os.path.join(build, "bin", "kudzu")
    out = os.path.join(build, "bench", "rows")
    os.makedirs(out, exist_ok=True)
    header = os.path.join(HERE, "bench.h")
    jobs, objects = [], []
    for row in rows:
        source, target = os.path.join(HERE, "rows", row + ".cu"), os.path.join(out, row + ".cu.o")
        objects.append(target)
        if newer(target, source, header, kudzu):
            jobs.append([kudzu, "cc", "-O3", "-std=c++17", "-I" + HERE, "-c", source, "-o", target])
    drivers = []
    for name in ("check_cost", "inputs"):
        drivers.append(os.path.join(build, "bench", name + ".o"))
        jobs.append(["clang-19", "-O2", "-c", os.path.join(HERE, name + ".c"), "-o", drivers[-1]])
    parallel = os.cpu_count() or 1
    for k in range(0, len(jobs), parallel):
        for p in [subprocess.Popen(j) for j in jobs[k:k + parallel]]:
            if p.wait():
                sys.exit("a row does not compile")
    unknown = subprocess.run(["nm", "-u"] + objects, capture_output=True, text=True).stdout.split()
    natives = sorted({n for n in unknown if n.startswith("native_")})
    stubs = os.path.join(build, "bench", "check_cost_natives.o")
    text = "".join(f"void {n}(void) {{ bench_no_native(); }}\n" for n in natives)
    subprocess.run(["clang-19", "-xc", "-include", header, "-c", "-", "-o", stubs], check=True,
                   input=text, text=True)
    program = os.path.join(build, "bench", "check_cost")
    subprocess.run([kudzu, "cc"] + objects + drivers + [stubs, "-o", program, "-lm"], check=True)
    return program


def limit_processors():
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))


def measure(build, program, row, tool):
    """{row's name: (seconds, processor seconds, KiB)} of a file of rows."""
    command = [program]
    if tool:
        names = [] if tool == "all" else ["--tool", tool]
        command = [os.path.join(build, "bin", "kudzu"), "check", *names, "--", program]
    with tempfile.NamedTemporaryFile("r", suffix=".tsv") as results:
        try:
            p = subprocess.run(command + [results.name, row], timeout=WAIT,
                               capture_output=True, text=True,
                               preexec_fn=limit_processors,
                               env={**os.environ, "KUDZU_TIER": "full"})
            if p.returncode or (tool and "SUMMARY: 0 errors" not in p.stdout):
                print(f"{row}, {tool or 'plain'}: status {p.returncode}\n{p.stdout[:400]}"
                      f"{p.stderr[:400]}", file=sys.stderr)
        except subprocess.TimeoutExpired:
            print(f"{row}, {tool}: more than {WAIT} s", file=sys.stderr)
        return {f[0]: tuple(map(float, f[1:])) for f in
                (line.rstrip("\n").split("\t") for line in results)}


def mean(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else math.nan


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("build")
    parser.add_argument("rows", nargs="*")
    parser.add_argument("--tools", default=",".join(TOOLS))
    parser.add_argument("--clock", choices=["wall", "processor"], default="wall")
    parser.add_argument("--out")
    a = parser.parse_intermixed_args()
    build, tools = os.path.abspath(a.build), a.tools.split(",")
    rows = a.rows or sorted(f[:-3] for f in os.listdir(os.path.join(HERE, "rows")))
    program = build_program(build, rows)
    clock = 1 if a.clock == "processor" else 0
    times, sizes = {t: [] for t in tools}, {t: [] for t in tools}
    heads = "".join(f"{t:>9}" for t in tools) + "  memory:" + "".join(f"{t:>8}" for t in tools)
    print(f"{'':32}{'plain ms':>10}{heads}", flush=True)
    with open(a.out or os.path.join(build, "bench", "check_cost.tsv"), "w") as table:
        for row in rows:
            plain = measure(build, program, row, None)
            checked = {t: measure(build, program, row, t) for t in tools}
            for name, base in plain.items():
                line, more = f"{name[:31]:32}{base[clock] * 1e3:10.3f}", "         "
                for t in tools:
                    got = checked[t].get(name)
                    if not got:
                        line, more = line + f"{'-':>9}", more + f"{'-':>8}"
                        continue
                    times[t].append(got[clock] / base[clock])
                    sizes[t].append(got[2] / base[2])
                    line += f"{times[t][-1]:9.2f}"
                    more += f"{sizes[t][-1]:8.2f}"
                    table.write(f"{name}\t{t}\t{base[clock]}\t{got[clock]}\t{base[2]}\t{got[2]}\n")
                print(line + more, flush=True)
    print(f"{'geometric mean':42}" + "".join(f"{mean(times[t]):9.2f}" for t in tools) + "         " +
          "".join(f"{mean(sizes[t]):8.2f}" for t in tools))
    print(f"{'most':42}" + "".join(f"{max(times[t], default=math.nan):9.2f}" for t in tools) +
          "         " + "".join(f"{max(sizes[t], default=math.nan):8.2f}" for t in tools))


if __name__ == "__main__":
    main()
