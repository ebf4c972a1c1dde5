"""test_intervals.py KUDZU INTERVALS.CU: races in shared memory are told of at their lines, and none
without the bug; with races alone looked for, and with all else."""
import re
import subprocess
import sys
import tempfile

kudzu, source = sys.argv[1:]
failures = 0
bugs = {name: number for number, text in enumerate(open(source), 1) if "// bug:" in text
        for name in text.split("// bug:")[1].split()}
with tempfile.TemporaryDirectory() as folder:
    program = folder + "/intervals"
    subprocess.run([kudzu, "cc", "-lineinfo", "-O3", source, "-o", program], check=True)
    for name, line in bugs.items():
        for options in (("--tool", "race"), ()):
            for bug in ((), ("bug",)):
                p = subprocess.run([kudzu, "check", *options, program, name, *bug],
                                   capture_output=True, text=True, timeout=120)
                told = re.search(r"Race reported.*\n(?:=.*\n)*?=+     (?:and )?at .*\.cu:%d\n" % line,
                                 p.stdout)
                good = (p.returncode == 1 and told) if bug else (
                    p.returncode == 0 and "ERROR SUMMARY: 0 errors" in p.stdout)
                if not good or "done" not in p.stdout:
                    failures += 1
                    print("FAILED:", name, *options, *bug, "\n" + p.stdout + p.stderr)
sys.exit(failures > 0)
