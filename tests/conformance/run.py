#!/usr/bin/env python3
"""Compiles and runs public CUDA programs, unmodified, with kudzu.

usage: run.py [--kudzu build/bin/kudzu] [--tier N] [--only NAME] [--jobs N] FOLDER

FOLDER holds checked-out sources of the suites in programs.tsv (each in a folder of any name).
Nothing is fetched, and nothing of the sources is changed. Prints a table; exits 1 when a program
fails that expected-failures.txt does not name, or one passes that it names.
"""
import argparse
import concurrent.futures
import glob
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
TIMEOUT = 600
# How a suite's checkout is recognised, and where its programs and common headers lie.
SUITES = {
    "cuda-samples": ("Samples/0_Introduction", "Samples", ["Common"], ["-std=c++17"]),
    "polybench": ("CUDA/2DCONV", "", ["common"], []),
    "rodinia": ("cuda/lavaMD", "", ["common"], []),
}
SOURCES = (".cu", ".cpp", ".c")
FAILURE_WORDS = ("FAILED", "Test failed", "CUDA error at", "DON'T Match", "dismatch at")


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


def make_modules(kudzu, folder, work, modules):
    """The files with device code that the program opens when it runs; "" or what went wrong."""
    for name in modules.split():
        target = os.path.join(work, os.path.basename(name.split("=")[0]))
        if name == "headers":  # of device code, which a program copies beside itself
            include = os.path.join(os.path.dirname(kudzu), "../include")
            shutil.copy(os.path.join(include, "cooperative_groups.h"), work)
            shutil.copytree(os.path.join(include, "cooperative_groups"), work + "/cooperative_groups")
        elif "=" not in name:  # compiled by the program itself
            shutil.copy(os.path.join(folder, name), target)
        else:
            source = os.path.join(folder, name.split("=")[1])
            form = "-ptx" if target.endswith(".ptx") else "-fatbin"
            code, out = run([kudzu, "cc", form, source, "-o", target], work, TIMEOUT)
            if code != 0:
                return "%s does not compile: %s" % (source, first_error(out))
    return ""


def attempt(kudzu, root, row, keep):
    suite, name, _, sources, options, args, expect, modules = (row + [""] * 8)[:8]
    _, top, includes, flags = SUITES[suite]
    folder = os.path.join(root, top, name)
    work = tempfile.mkdtemp(prefix="kudzu-conformance-")
    try:
        for data in glob.glob(folder + "/data") + glob.glob(folder + "/*.dat"):
            dst = os.path.join(work, os.path.basename(data))
            (shutil.copytree if os.path.isdir(data) else shutil.copy)(data, dst)
        if modules:
            failure = make_modules(kudzu, folder, work, modules)
            if failure:
                return "fail", 0, 0, failure
        if name.endswith("hotspot"):
            write_hotspot_data(work)
        cmd = [kudzu, "cc", "-O3"] + flags + options.split()
        for inc in [os.path.join(root, i) for i in includes] + [folder, folder + "/inc", folder + "/common"]:
            cmd += ["-I", inc]
        cmd += sources_of(folder, sources) + ["-o", os.path.join(work, "program"), "-lm"]
        start = time.time()
        code, out = run(cmd, work, TIMEOUT)
        compiled = time.time() - start
        if keep:
            with open(os.path.join(keep, name.replace("/", "_") + ".log"), "w") as f:
                f.write(" ".join(cmd) + "\n" + out)
        if code != 0:
            return "fail", compiled, 0, "does not compile: " + first_error(out)
        start = time.time()
        code, out = run(["./program"] + args.split(), work, TIMEOUT)
        ran = time.time() - start
        if keep:
            with open(os.path.join(keep, name.replace("/", "_") + ".log"), "a") as f:
                f.write(out)
        if code is None:
            return "fail", compiled, ran, "ran longer than %d s" % TIMEOUT
        if code != 0:
            return "fail", compiled, ran, "exit %d: %s" % (code, last_line(out))
        for word in FAILURE_WORDS:
            if word in out:
                return "fail", compiled, ran, "printed '%s'" % word
        if expect and expect not in out:
            return "fail", compiled, ran, "did not print '%s'" % expect
        return "pass", compiled, ran, ""
    finally:
        shutil.rmtree(work, ignore_errors=True)


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("folder")
    p.add_argument("--kudzu", default=os.path.join(HERE, "../../build/bin/kudzu"))
    p.add_argument("--tier")
    p.add_argument("--only", help="programs whose name contains this")
    p.add_argument("--jobs", type=int, default=1)
    p.add_argument("--keep", help="folder for each program's output")
    a = p.parse_args()
    if a.keep:
        os.makedirs(a.keep, exist_ok=True)
    kudzu = os.path.abspath(a.kudzu)
    expected = {row[0] for row in read_table("expected-failures.txt")}
    todo = []
    for row in read_table("programs.tsv"):
        root = find_suite(a.folder, row[0])
        if (a.tier and row[2] not in a.tier.split(",")) or (a.only and a.only not in row[1]):
            continue
        if root is None:
            print("%s: no checkout of it under %s" % (row[0], a.folder))
            return 2
        todo.append((root, row))
    passed = surprises = 0
    print("%-58s %-5s %8s %8s  %s" % ("program", "", "compile", "run", "reason"))
    with concurrent.futures.ThreadPoolExecutor(a.jobs) as pool:
        results = pool.map(lambda t: attempt(kudzu, t[0], t[1], a.keep), todo)
        for (_, row), (state, compiled, ran, why) in zip(todo, results):
            name = row[0] + "/" + row[1]
            passed += state == "pass"
            surprise = (state == "pass") == (name in expected)
            surprises += surprise
            print("%-58s %-5s %7.1fs %7.1fs  %s%s" % (
                name, state, compiled, ran, why, "  (unexpected)" if surprise else ""), flush=True)
    print("%d of %d pass" % (passed, len(todo)))
    return 1 if surprises else 0


sys.exit(main())
