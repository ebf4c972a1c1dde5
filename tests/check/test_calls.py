"""test_calls.py KUDZU CALLS.CU: calls that fail and objects that are never freed are reported with their lines, and
nothing is of those who look and free."""
import os, re, subprocess, sys, tempfile

kudzu, source = sys.argv[1:]
LEAKS = ("memory", "pool", "event", "reset")
INLINED = ("through", "launch")  # lines of calls that were inlined are those of what was called
failures = []


def expect(what, good, output=""):
    if not good:
        failures.append(what)
        print("FAILED: %s\n%s" % (what, output))


def lines_of_bugs():
    return {text.split("// bug:")[1].strip(): number
            for number, text in enumerate(open(source), 1) if "// bug:" in text}


def run(*arguments):
    p = subprocess.run([kudzu, "check", *arguments], capture_output=True, text=True, timeout=120)
    return p.returncode, p.stdout, p.stderr


def look(program, name, line):
    options = ("--leak-check", "full") if name in LEAKS else ()
    status, out, err = run(*options, program, name, "bug")
    expect("%s: %s is reported at line %d" % (program, name, line),
           status == 1 and "ERROR SUMMARY: 1 error\n" in out and re.search(r"Host Frame:.*calls\.cu:%d " % line, out),
           out + err)
    status, out, err = run(*options, program, name)
    expect("%s: %s is clean" % (program, name), status == 0 and "ERROR SUMMARY: 0 errors" in out, out + err)
    return out


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.environ["CUDA_CACHE_PATH"] = folder + "/cache"
        bugs = lines_of_bugs()
        for level, runtime in (("-O0", "static"), ("-O2", "static"), ("-O2", "shared")):
            program = folder + "/calls" + level + runtime
            subprocess.run([kudzu, "cc", "-g", "-Xcompiler", level, "-cudart", runtime, "-lcuda", source, "-o", program],
                           check=True)
            for name, line in bugs.items():
                if level == "-O0" or name not in INLINED:
                    look(program, name, line)
        status, out, err = run(program, "memory", "bug")
        expect("leaks are not told of unasked", status == 0, out)
        status, out, err = run("--leak-check=full", program, "memory", "bug")
        expect("a leak's lines", re.search(r"========= Leaked 1000 bytes at 0x[0-9a-f]+\n"
                                           r"=========     Saved host backtrace up to driver entry point at allocation time\n",
                                           out) and "LEAK SUMMARY: 1000 bytes leaked in 1 allocations\n" in out, out)
        status, out, err = run("--report-api-errors", "explicit", program, "ignored")
        expect("all errors", status == 1 and 'Program hit cudaErrorMemoryAllocation (error 2) due to "out of memory" '
               "on CUDA API call to cudaMalloc.\n" in out, out)
        status, out, err = run("--report-api-errors", "no", program, "ignored", "bug")
        expect("no errors", status == 0, out)
        status, out, err = run("--show-backtrace", "no", program, "ignored", "bug")
        expect("no backtrace", status == 1 and "Host Frame" not in out, out)
    return len(failures) > 0


sys.exit(main())
