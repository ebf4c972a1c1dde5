#!/usr/bin/env python3
"""Compiles and runs public CUDA programs, unmodified, with kudzu.

usage: run.py [--kudzu build/bin/kudzu] [--tier N] [--only NAME] [--jobs N] FOLDER
       run.py --build OUT FOLDER    only compiles, into OUT, which can be carried elsewhere
       run.py --run OUT             only runs, on another machine too, with a GPU for instance
       run.py --compiler "nvcc -arch=sm_90" ...    with another compiler, to compare with

FOLDER holds checked-out sources of the suites in programs.tsv (each in a folder of any name).
Nothing is fetched, and nothing of the sources is changed. Prints a table; exits 1 when a program
fails that expected-failures.txt does not name, or one passes that it names.
"""
import argparse
import concurrent.futures
import glob
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
TIMEOUT = 600  # seconds a compilation may take, and a run unless told otherwise
# How a suite's checkout is recognised, and where its programs and common headers lie.
SUITES = {
    "cuda-samples": ("Samples/0_Introduction", "Samples", ["Common"], ["-std=c++17"]),
    "polybench": ("CUDA/2DCONV", "", ["common"], []),
    "rodinia": ("cuda/lavaMD", "", ["common"], []),
}
SOURCES = (".cu", ".cpp", ".c")
FAILURE_WORDS = ("FAILED", "Test failed", "CUDA error at", "DON'T Match", "dismatch at", "mismatch i=")


def read_table(name):
    with open(os.path.join(HERE, name)) as f:
        return [line.rstrip("\n").split("\t") for line in f
                if line.strip() and not line.startswith("#")]


def find_suite(folder, suite):
    marker = SUITES[suite][0]
    for candidate in [folder] + sorted(glob.glob(os.path.join(folder, "*"))):
        if os.path.isdir(os.path.join(candidate, marker)):
            return candidate
    return None


def write_hotspot_data(folder):
    """Rodinia's input for hotspot is not in its repository: temperatures and powers."""
    rng = random.Random(1)
    for name, low, high in (("temp_512", 320.0, 345.0), ("power_512", 0.0, 0.01)):
        with open(os.path.join(folder, name), "w") as f:
            f.writelines("%f\n" % rng.uniform(low, high) for _ in range(512 * 512))


def sources_of(folder, spec):
    if spec != "*":
        return [os.path.join(folder, s) for s in spec.split()]
    return sorted(p for p in glob.glob(folder + "/**", recursive=True) if p.endswith(SOURCES))


def with_macros(source, work, macros):
    """A copy of the source with other definitions of some macros; itself where there are none."""
    if not macros:
        return source
    with open(source) as f:
        text = f.read()
    for macro in macros.split():
        name, value = macro.split("=")
        text, n = re.subn(r"(?m)^(#define %s) .*" % name, r"\1 " + value, text)
        if n != 1:
            sys.exit("%s defines %s %d times" % (source, name, n))
    copy = os.path.join(work, os.path.basename(source))
    with open(copy, "w") as f:
        f.write(text)
    return copy


def run(cmd, cwd, timeout):
    try:
        p = subprocess.run(cmd, cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, timeout=timeout)
        return p.returncode, p.stdout.decode(errors="replace")
    except subprocess.TimeoutExpired as e:
        return None, (e.stdout or b"").decode(errors="replace")


def last_line(text):
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1][:100] if lines else ""


def first_error(text):
    for line in text.splitlines():
        if "error" in line.lower():
            return line.strip()[-110:]
    return last_line(text)


def make_modules(compiler, folder, work, modules):
    """The files with device code that the program opens when it runs; "" or what went wrong."""
    for name in modules.split():
        target = os.path.join(work, os.path.basename(name.split("=")[0]))
        if name == "headers":  # of device code, which a program copies beside itself
            include = os.path.join(os.path.dirname(compiler[0]), "../include")
            shutil.copy(os.path.join(include, "cooperative_groups.h"), work)
            shutil.copytree(os.path.join(include, "cooperative_groups"), work + "/cooperative_groups")
        elif "=" not in name:  # compiled by the program itself
            shutil.copy(os.path.join(folder, name), target)
        else:
            source = os.path.join(folder, name.split("=")[1])
            form = "-ptx" if target.endswith(".ptx") else "-fatbin"
            code, out = run(compiler + [form, source, "-o", target], work, TIMEOUT)
            if code != 0:
                return "%s does not compile: %s" % (source, first_error(out))
    return ""


def prepare(compiler, root, row, work):
    """Compiles a program into a folder, with the data that it reads; seconds, log, what went wrong."""
    suite, name, _, sources, options, _, _, modules, macros = row
    _, top, includes, flags = SUITES[suite]
    folder = os.path.join(root, top, name)
    for data in glob.glob(folder + "/data") + glob.glob(folder + "/*.dat"):
        dst = os.path.join(work, os.path.basename(data))
        (shutil.copytree if os.path.isdir(data) else shutil.copy)(data, dst)
    if modules:
        failure = make_modules(compiler, folder, work, modules)
        if failure:
            return 0, "", failure
    if name.endswith("hotspot"):
        write_hotspot_data(work)
    cmd = compiler + ["-O3"] + flags + options.split()
    for inc in [os.path.join(root, i) for i in includes] + [folder, folder + "/inc", folder + "/common"]:
        cmd += ["-I", inc]
    cmd += [with_macros(s, work, macros) for s in sources_of(folder, sources)]
    cmd += ["-o", os.path.join(work, "program"), "-lm"]
    start = time.time()
    code, out = run(cmd, work, TIMEOUT)
    failure = "" if code == 0 else "does not compile: " + first_error(out)
    return time.time() - start, " ".join(cmd) + "\n" + out, failure


def judge(row, code, out):
    """What went wrong in a run, or ""."""
    if code is None:
        return "ran too long"
    if code != 0:
        return "exit %d: %s" % (code, last_line(out))
    for word in FAILURE_WORDS:
        if word in out:
            return "printed '%s'" % word
    return "did not print '%s'" % row[6] if row[6] and row[6] not in out else ""


def execute(row, work, timeout):
    """Runs a program where it was compiled; seconds, output, what went wrong."""
    start = time.time()
    code, out = run(["./program"] + row[5].split(), work, timeout)
    return time.time() - start, out, judge(row, code, out)


def flat(name):
    return name.replace("/", "_")


def attempt(a, compiler, root, row):
    """Compiles and runs one program, or one of both; two times, what went wrong."""
    work = os.path.join(a.run or a.build, flat(row[1])) if a.run or a.build else \
        tempfile.mkdtemp(prefix="kudzu-conformance-")
    compiled = ran = 0
    log = failure = ""
    try:
        if not a.run:
            os.makedirs(work, exist_ok=True)
            compiled, log, failure = prepare(compiler, root, row, work)
        if not a.build and not failure:
            ran, out, failure = execute(row, work, a.timeout)
            log += out
        if a.keep:
            with open(os.path.join(a.keep, flat(row[1]) + ".log"), "w") as f:
                f.write(log)
        return compiled, ran, failure
    finally:
        if not a.run and not a.build:
            shutil.rmtree(work, ignore_errors=True)


def select(a):
    """Rows of the table, each with its suite's folder."""
    todo = []
    for row in read_table("programs.tsv"):
        row = (row + [""] * 9)[:9]
        if (a.tier and row[2] not in a.tier.split(",")) or (a.only and a.only not in row[1]):
            continue
        if a.run:
            if os.path.exists(os.path.join(a.run, flat(row[1]), "program")):
                todo.append((None, row))
            continue
        root = find_suite(a.folder, row[0])
        if root is None:
            sys.exit("%s: no checkout of it under %s" % (row[0], a.folder))
        todo.append((root, row))
    return todo


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("folder", nargs="?")
    p.add_argument("--kudzu", default=os.path.join(HERE, "../../build/bin/kudzu"))
    p.add_argument("--compiler", help="its command, instead of kudzu's compiler")
    p.add_argument("--tier")
    p.add_argument("--only", help="programs whose name contains this")
    p.add_argument("--jobs", type=int, default=1)
    p.add_argument("--timeout", type=int, default=TIMEOUT, help="seconds that a run may take")
    p.add_argument("--keep", help="folder for each program's output")
    p.add_argument("--build", metavar="OUT", help="only compile, into this folder")
    p.add_argument("--run", metavar="OUT", help="only run what --build compiled there")
    a = p.parse_args()
    if not a.folder and not a.run:
        p.error("which folder holds the suites?")
    if a.keep:
        os.makedirs(a.keep, exist_ok=True)
    compiler = a.compiler.split() if a.compiler else [os.path.abspath(a.kudzu), "cc"]
    a.build, a.run = a.build and os.path.abspath(a.build), a.run and os.path.abspath(a.run)
    expected = {row[0] for row in read_table("expected-failures.txt")}
    todo = select(a)
    passed = surprises = 0
    print("%-58s %-5s %8s %8s  %s" % ("program", "", "compile", "run", "reason"))
    with concurrent.futures.ThreadPoolExecutor(a.jobs) as pool:
        results = pool.map(lambda t: attempt(a, compiler, t[0], t[1]), todo)
        for (_, row), (compiled, ran, why) in zip(todo, results):
            name = row[0] + "/" + row[1]
            passed += not why
            surprise = (not why) == (name in expected)
            surprises += surprise
            print("%-58s %-5s %7.1fs %7.1fs  %s%s" % (
                name, "fail" if why else "pass", compiled, ran, why,
                "  (unexpected)" if surprise else ""), flush=True)
    print("%d of %d pass" % (passed, len(todo)))
    return 1 if surprises else 0


sys.exit(main())
