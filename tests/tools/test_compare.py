"""kudzu compare: what differs between two runs of one program is shown and counted.

usage: test_compare.py KUDZU SOURCE FOLDER_WITH_A_GPU_DRIVER
"""
import os
import subprocess
import sys
import tempfile

kudzu, source, gpu = sys.argv[1:4]
failures = []


def compare(*args, folder=gpu):
    env = dict(os.environ, LD_LIBRARY_PATH=folder, KUDZU_DRIVER="/nonexistent")
    done = subprocess.run([kudzu, "compare", *args], capture_output=True, text=True, env=env,
                          input="text")
    return done.returncode, done.stdout, done.stderr


def check(what, args, status, *parts, folder=gpu):
    result, out, err = compare(*args, folder=folder)
    if result != status or not all(part in out + err for part in parts):
        failures.append("%s: status %d\n%s%s" % (what, result, out, err))


check("same", [source], 0, "0 of 1 lines differ", "cpu: exit status 0", "gpu: exit status 0")
check("numbers differ", [source, "numbers"], 1, "line 1\n", "cpu: sum 1.0 of sm_90",
      "gpu: sum  1.0000010 of sm_90", "numbers is 1e-06")
check("within the tolerance", ["--tolerance=1e-5", source, "numbers"], 0, "0 of 1 lines differ")
check("not within", ["--tolerance=1e-7", source, "numbers"], 1, "1 of 1 lines differ")
check("part of a word is no number", ["--tolerance=1", source, "word"], 1, "line 2\n")
check("a line more", [source, "more"], 1, "line 2\n    cpu: (no such line)\n    gpu: two\n")
check("times", [source, "time"], 1, "1 of 2 lines differ")
check("times left out", ["--ignore=^took [0-9]+ us$", source, "time"], 0, "0 of 1 lines differ")
check("infinities", ["--tolerance=0.5", source, "not_finite"], 1, "two numbers is inf")
check("exit status", [source, "status"], 1, "gpu: exit status 3")
check("crash", ["--runs=2", source, "crash"], 1, "cpu: ended by Aborted")
check("input is empty", [source, "input"], 0, "0 of 1 lines differ")
with tempfile.TemporaryDirectory() as folder:
    compiled = os.path.join(folder, "compared")
    subprocess.run([kudzu, "cc", source, "-o", compiled], check=True)
    check("compiled before", ["--tolerance=1e-5", compiled, "numbers"], 0, "0 of 1 lines differ")
    check("status of what was compiled before", [compiled, "status"], 1, "gpu: exit status 3")
check("no GPU", [source], 77, "is not on this machine", folder="/nonexistent")
check("bad option", ["--runs=none", source], 2, "'--runs=none' is no value")
check("bad pattern", ["--ignore=(", source], 2, "no regular expression")
check("no program", ["--runs=1"], 2, "no program to run")

print("\n".join(failures))
sys.exit(bool(failures))
