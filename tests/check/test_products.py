"""test_products.py KUDZU PRODUCTS.CU: of products of each shape the sums are told of that follow from a word that
nobody has set, in a of each product, in b or in what it is added to, and no others; on the interpreter, too."""
import os
import re
import subprocess
import sys
import tempfile

kudzu, source = sys.argv[1:]


def names():
    with open(source) as f:
        return re.findall(r"RUN\((\w+)\)", f.read().split("#define RUN")[1].split("\n", 3)[3])


def line_of_bug():
    with open(source) as f:
        (line,) = [n for n, text in enumerate(f, 1) if text.endswith("// bug\n")]
    return line


def look(program, name, factor, executor, bug):
    """What is wrong with a run, or None."""
    p = subprocess.run([kudzu, "check", "--tool", "init", program, name, factor, *bug], capture_output=True, text=True,
                       timeout=120, env=dict(os.environ, KUDZU_EXEC=executor))
    found = re.findall(r"^=========     at .*/products\.cu:(\d+)$", p.stdout, re.M)
    good = "done\n" in p.stdout and found == ([str(line_of_bug())] if bug else []) and p.returncode == len(bug)
    return None if good else f"FAILED: {name}, {factor}, {executor}, {bug}\n{p.stdout}{p.stderr}"


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.environ["CUDA_CACHE_PATH"] = folder + "/cache"
        program = folder + "/products"
        subprocess.run([kudzu, "cc", "-lineinfo", "-arch=sm_90", source, "-o", program], check=True)
        every = [look(program, name, factor, executor, bug) for name in names() for factor in "abc"
                 for executor in ("jit", "interp") for bug in ([], ["bug"])]
    print("\n".join(filter(None, every)))
    print(f"{sum(e is None for e in every)} of {len(every)} runs are as they should be")
    return any(every) or not every


sys.exit(main())
