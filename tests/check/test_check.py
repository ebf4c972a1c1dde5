"""test_check.py KUDZU KERNELS.CU: each bug is reported with its line, and nothing is without it."""
import os
import re
import subprocess
import sys
import tempfile

CLEAN_ONLY = ("difference", "ends", "pool", "bytes", "last_of_many", "padded", "early", "own",
              "pairs", "lists")
kudzu, source = sys.argv[1:]
failures = []


def lines_of_bugs():
    lines = {}
    for number, text in enumerate(open(source), 1):
        for name in (text.split("// bug:")[1].split() if "// bug:" in text else ()):
            lines[name] = number
    return lines


def check(program, *arguments, options=()):
    p = subprocess.run([kudzu, "check", *options, program, *arguments], capture_output=True,
                       text=True, timeout=120)
    return p.returncode, p.stdout, p.stderr


def expect(what, good, output):
    if not good:
        failures.append(what)
        print("FAILED: %s\n%s" % (what, output))


def look(program, name, line, options=()):
    status, out, err = check(program, name, "bug", options=options)
    summary = re.search(r"ERROR SUMMARY: (\d+) error", out)
    expect("%s is reported at line %d" % (name, line),
           status == 1 and summary and int(summary[1]) >= 1
           and re.search(r"=========     (?:and )?at .*kernels\.cu:%d\n" % line, out), out + err)


def look_clean(program, name):
    status, out, err = check(program, name)
    expect("%s is clean" % name,
           status == 0 and "ERROR SUMMARY: 0 errors" in out and "done" in out, out + err)


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.environ["CUDA_CACHE_PATH"] = folder + "/cache"
        program = folder + "/kernels"
        subprocess.run([kudzu, "cc", "-lineinfo", "-O3", source, "-o", program], check=True)
        os.environ["KUDZU_HANG_SECONDS"] = "1"
        bugs = lines_of_bugs()
        for name, line in bugs.items():
            look(program, name, line)
        for name in (*bugs, *CLEAN_ONLY):
            look_clean(program, name)
        for name in ("alias", "overlap", "rows", "first_of_rows", "read_by", "lines",
                     "loaded"):
            look(program, name, bugs[name], ("--tool", "race"))
        status, out, err = check(program, "overrun", "bug", options=("--tool", "racecheck"))
        expect("a tool alone", status == 0 and "SUMMARY: 0" in out, out + err)
        status, out, err = check(program, "overrun", "bug", options=("--error-exitcode=7",))
        expect("the exit status that was asked for", status == 7, out + err)
        expect("the report's lines", re.search(
            r"========= Invalid __global__ write of size 4 bytes\n"
            r"=========     at store\(int\*, int\)\+0x0 in .*kernels\.cu:\d+\n"
            r"=========     by thread \(72,0,0\) in block \(1,0,0\)\n"
            r"=========     Access at 0x[0-9a-f]+ is out of bounds\n"
            r"=========     and is 1 bytes after the allocation at 0x[0-9a-f]+ of size 1024 bytes\n",
            out), out)
        os.environ["KUDZU_EXEC"] = "interp"
        for name in ("overrun", "shared", "barrier", "warp", "flag", "named_barrier", "phase"):
            look(program, name, bugs[name])
            look_clean(program, name)
        del os.environ["KUDZU_EXEC"]
        p = subprocess.run([kudzu, "check", "--tool", "nothing", program], capture_output=True,
                           text=True)
        expect("a tool that there is not", p.returncode == 1 and "no tool" in p.stderr, p.stderr)
    return len(failures) > 0


sys.exit(main())
