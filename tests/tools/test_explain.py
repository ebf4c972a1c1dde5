"""kudzu explain: says of each kernel how it runs, and names the line and the cause of what costs.

usage: test_explain.py KUDZU SOURCE
"""
import os
import re
import subprocess
import sys
import tempfile

kudzu, source = sys.argv[1:3]
launched = os.path.join(os.path.dirname(source), "launched.cu")
failures = []
cache = tempfile.TemporaryDirectory()


def explain(*options):
    done = subprocess.run([kudzu, "explain", *options], capture_output=True, text=True,
                          env=dict(os.environ, XDG_CACHE_HOME=cache.name))
    return done.returncode, done.stdout, done.stderr


def check(what, ok):
    if not ok:
        failures.append(what)


def line_of(mark):
    with open(source) as f:
        return next(n for n, text in enumerate(f, 1) if mark in text)


def kernels(text):
    """The report's parts: kernel's name -> text."""
    parts = re.split(r"^(?=\S)", text, flags=re.M)
    return {part.split("(")[0]: part for part in parts if part.strip()}


def notes_at(part, mark):
    """The notes under the source line that carries the mark."""
    found = re.search(r"^  explain\.cu:%d:.*\n((?:      .*\n)*)" % line_of(mark), part, flags=re.M)
    return found.group(1) if found else ""


status, out, err = explain("--cpu=x86-64-v4", source)
check("exit status: %s" % err, status == 0)
report = kernels(out)
check("ten kernels: %s" % sorted(report), len(report) == 10)
check("plain costs nothing", "- " not in report["plain"] and "vectors of 16" in report["plain"])
check("indexed gathers", re.search(r"gather.*what was loaded \(line %d\)" % line_of("index[i]"),
                                   notes_at(report["indexed"], "// gathered")))
check("its index does not", not notes_at(report["indexed"], "index[i]"))
check("strided", "2 elements apart" in notes_at(report["strided"], "// strided"))
check("data ends the loop", "different iterations" in notes_at(report["branches"], "// leaves by data"))
check("a uniform branch is one", not notes_at(report["branches"], "// uniform"))
check("a row a thread", "one thread after the other, no vectors" in report["rows"])
check("atomics", "one thread after another" in notes_at(report["counts"], "atomicAdd(&bins"))
check("no line of a header", "atomic_functions.h" not in out)
status, out, err = explain("--cpu=x86-64-v4", "--kernel=plain", "--plan", source)
check("a plan: %s%s" % (out, err), status == 0 and re.search(r"^plan \w*plain\w* width 16 team 1( streams)?$", out, flags=re.M))
check("its access", re.search(r"ld:f32.*// is vector \| under \w+ \| access line$", out, flags=re.M))
check("nothing but the plan", "+ vectors" not in out)
for name, part in report.items():
    begin = re.search(r", explain\.cu:(\d+), blocks of 256 x 1 x 1 threads \(assumed\)$",
                      part.split("\n")[0])
    check("%s names its line" % name,
          begin and abs(int(begin.group(1)) - line_of(name + "(")) <= 1)
    for remark in re.findall(r"^  - .*", part, flags=re.M):
        check("%s: no line: %s" % (name, remark), re.search(r"\(line \d+\)$", remark))
check("a lock", re.search(r"each thread has a stack.*line %d" % line_of("// waits"),
                          report["locked"]))
check("a barrier of some warps", re.search(r"each warp has a stack.*barrier.*line %d" %
                                           line_of("bar.sync"), report["some_warps"]))
check("an elected thread that waits", "vectors of 32" in report["elected"] and
      "each thread has a stack" not in report["elected"])


def phrases():
    """What docs/performance.md has an answer to, as regular expressions."""
    page = os.path.join(os.path.dirname(source), "..", "..", "docs", "performance.md")
    with open(page, encoding="utf-8") as f:
        table = f.read().partition("| what it says |")[2].split("\n\n")[0]
    cells = [row.strip("| ").split(" | ")[0] for row in table.splitlines()[2:]]
    return [re.escape(p).replace("N", r"\d+") for cell in cells for p in cell.split(", ")]


answered = phrases()
for remark in re.findall(r"^ +- (.*)", out, flags=re.M):
    check("the page has no answer to: " + remark, any(re.search(p, remark) for p in answered))

status, out, err = explain("--kernel=plain", "--block=1", source)
check("one thread needs no lanes", status == 0 and "vectors of" not in out)

status, out, err = explain("--all", "--kernel=plain", "--width=32", source)
check("only plain", status == 0 and list(kernels(out)) == ["plain"])
check("width 32", "vectors of 32" in out)
check("what costs nothing", "neighbouring addresses" in notes_at(out, "// contiguous"))

status, out, err = explain("--kernel", "plain", "--block", "1", source)
check("values behind their options", not status and "blocks of 1 x" in out)
status, out, err = explain("--block=1,2000", source)
check("a block too large", status == 1 and "1 to 1024" in err)
status, out, err = explain("--kernel=nosuch", source)
check("no such kernel", status == 1 and "no kernel" in err)
status, out, err = explain()
check("no program", status == 1 and "no program" in err)
status, out, err = explain(source + ".missing.cu")
check("no such file", status == 1 and err)

# A row of a block is a vector where threads store along columns, however wide vectors are else.
columns = os.path.join(cache.name, "columns.cu")
with open(columns, "w") as f:
    f.write("__global__ void turn(const float *in, float *out, int n) {\n"
            "    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;\n"
            "    out[x * n + y] = in[y * n + x];\n}\n")
for cpu, side in (("x86-64-v3", 8), ("x86-64-v3", 16), ("x86-64-v4", 8), ("x86-64-v4", 32)):
    status, out, err = explain("--all", "--cpu=" + cpu, "--block=%d,%d" % (side, side), columns)
    check("columns of %d, %s" % (side, cpu), "vectors of %d threads" % side in out and "transposed in registers" in out)
check("not in rows of another width", "transposed" not in explain("--all", "--cpu=x86-64-v4", "--block=24,16", columns)[1])

# The shapes that a program launches.
status, out, err = explain(launched, "--", "16")
check("its shapes: %s" % err, status == 0 and err == "")
check("two shapes alike have one report", re.search(
    r"twice\(float\*\), launched\.cu:\d+, blocks of 128 x 1 x 1 threads\n"
    r"twice\(float\*\), launched\.cu:\d+, blocks of 64 x 1 x 1 threads\n  \+", out))
check("an argument chooses the shape", "tile(float*, int), launched.cu" in out and
      "blocks of 16 x 16 x 1 threads\n" in out)
check("what is not launched", "blocks of 256 x 1 x 1 threads (not launched)" in
      kernels(out)["never"])
check("--block comes first", explain("--block=32", "--kernel=twice", launched)[1].count("blocks of 32 x") == 1)
status, out, err = explain(launched, "--", "8", "3")
check("it ends badly", status == 0 and "ended with status 3" in err and "the last that it printed: "
      "8 wide" in err and "blocks of 8 x 16" in out)
status, out, err = explain(launched, "--", "fault")
check("it faults", status == 0 and "blocks of 128" in out and "signal: Aborted" in err)
status, out, err = explain("--seconds=1", launched, "--", "endless")
check("it does not end", status == 0 and "was ended after 1 s" in err and "blocks of 128" in out)
status, out, err = explain(launched, "--", "nothing")
check("it launches nothing", status == 0 and "launched no kernel" in err)
status, out, err = explain("--seconds=0", launched)
check("no time", status == 1 and "1 to 3600" in err)

for failure in failures:
    print("failed:", failure)
sys.exit(len(failures) > 0)
