#!/usr/bin/env python3
"""ggml's CUDA backend under kudzu, through ggml's own test-backend-ops.

  ggml.py build --kudzu build/bin/kudzu --cccl CCCL GGML DIR   compiles everything into DIR
  ggml.py test [--op OP,..] [--limit SECONDS] DIR              runs the operations one by one

The backend is a shared library of its own that test-backend-ops loads (GGML_BACKEND_DL); behind cuBLAS's
header are the plain products of cublas/. What is compiled already stays; functions of sources that
--without leaves out end the process when they are called. `test` prints a line for each
operation: cases passed, failed, not supported by the backend, not run, seconds; DIR/results.tsv keeps them
and DIR/OP.log what the program said. An operation that exceeds its limit leaves cases that are not run.
"""
import argparse, csv, glob, os, re, subprocess, sys, time

HERE = os.path.dirname(os.path.abspath(__file__))
FLAGS = ["-std=c++17", "-O3", "-DNDEBUG", "-use_fast_math", "-extended-lambda", "-arch=sm_90", "-Xcompiler", "-fPIC",
         "-DGGML_CUDA_USE_GRAPHS", "-DGGML_CUDA_PEER_MAX_BATCH_SIZE=128", "-DGGML_BACKEND_DL", "-DGGML_BACKEND_BUILD",
         "-DGGML_BACKEND_SHARED", "-DGGML_SHARED"]


def sources(ggml):
    """What the backend's CMakeLists.txt compiles without GGML_CUDA_FA_ALL_QUANTS."""
    cuda = ggml + "/src/ggml-cuda"
    found = sorted(glob.glob(cuda + "/*.cu"))
    for pattern in ("fattn-tile*", "fattn-mma*", "mmq*", "mmf*"):
        found += sorted(glob.glob("%s/template-instances/%s.cu" % (cuda, pattern)))
    for types in ("f16-f16", "q4_0-q4_0", "q8_0-q8_0", "bf16-bf16"):
        found.append("%s/template-instances/fattn-vec-instance-%s.cu" % (cuda, types))
    return [os.path.join(HERE, "cublas", "cublas.cu")] + found


def build(args):
    objects = os.path.join(args.dir, "cuda")
    os.makedirs(objects, exist_ok=True)
    subprocess.run(["cmake", "-S", args.ggml, "-B", args.dir, "-DCMAKE_BUILD_TYPE=Release", "-DGGML_BACKEND_DL=ON",
                    "-DGGML_NATIVE=OFF", "-DGGML_BUILD_EXAMPLES=OFF", "-DGGML_BUILD_TESTS=ON"], check=True)
    subprocess.run(["cmake", "--build", args.dir, "--target", "test-backend-ops", "ggml-cpu"], check=True)
    include = [args.ggml + "/include", args.ggml + "/src", args.ggml + "/src/ggml-cuda", HERE + "/cublas"]
    include += [args.cccl + "/" + d for d in ("cub", "thrust", "libcudacxx/include")]
    made = []
    for source in sources(args.ggml):
        if args.without and re.search(args.without, os.path.basename(source)):
            continue
        made.append(os.path.join(objects, os.path.basename(source)[:-3] + ".o"))
        if os.path.exists(made[-1]):
            continue
        start = time.time()
        subprocess.run([args.kudzu, "cc"] + FLAGS + ["-D" + d for d in args.define] + ["-I" + i for i in include] +
                       ["-c", source, "-o", made[-1] + ".part"], check=True)
        os.rename(made[-1] + ".part", made[-1])
        print("%s %.0f s" % (os.path.basename(source), time.time() - start), flush=True)
    made.append(absent(objects, made))
    library = args.dir + "/bin/libggml-cuda.so"
    subprocess.run([args.kudzu, "cc", "-shared", "-o", library + ".part"] + made +
                   ["-L" + args.dir + "/src", "-lggml-base", "-lcuda"], check=True)
    os.rename(library + ".part", library)


def symbols(objects, *options):
    lines = subprocess.run(["nm", *options] + objects, check=True, stdout=subprocess.PIPE, text=True).stdout
    return set(line.split()[-1] for line in lines.splitlines() if line.startswith(" ") or line[:1].isdigit())


def absent(folder, objects):
    """An object with the backend's functions that no object defines."""
    names = symbols(objects, "-u") - symbols(objects, "--defined-only")
    source = folder + "/absent.c"
    with open(source, "w") as f:
        f.write("#include <stdio.h>\n#include <stdlib.h>\n")
        for i, name in enumerate(sorted(n for n in names if re.match(r"_Z.*(ggml_cuda_|mul_mat|flash_attn)", n))):
            f.write('void f%d(void) __asm__("%s");\nvoid f%d(void) { puts("not compiled: %s"); fflush(stdout); abort(); }\n'
                    % (i, name, i, name))
    subprocess.run(["cc", "-fPIC", "-c", source, "-o", folder + "/absent.o"], check=True)
    return folder + "/absent.o"


def program(args):
    return os.path.join(args.dir, "bin", "test-backend-ops")


def cases(args):
    """The number of supported and unsupported cases of each operation."""
    out = subprocess.run([program(args), "support", "-b", "CUDA0", "--output", "csv"], check=True,
                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    counts = {}
    for row in csv.DictReader(out.splitlines()):
        if row["op_name"]:
            counts.setdefault(row["op_name"], [0, 0])[row["supported"] != "1"] += 1
    return counts


def run(args, op):
    """(exit status or None, what it said, seconds) of one operation."""
    log = os.path.join(args.dir, op + ".log")
    start = time.time()
    with open(log, "w") as f:
        try:
            status = subprocess.run([program(args), "test", "-b", "CUDA0", "-o", op] + (["-p", args.cases] if args.cases else []),
                                    stdout=f, stderr=subprocess.STDOUT, timeout=args.limit).returncode
        except subprocess.TimeoutExpired:
            status = None
    return status, open(log, errors="replace").read(), time.time() - start


def test(args):
    total = [0, 0, 0, 0]
    for op, (supported, unsupported) in cases(args).items():
        if args.op and op not in args.op.split(","):
            continue
        status, text, seconds = run(args, op)
        text = re.sub(r"\x1b\[[0-9;]*m", "", text)
        passed = text.count("OK\n") - len(re.findall(r"^  Backend \S+: OK$", text, re.M)) - (status == 0)
        failed = len(re.findall(r"FAIL\n", text)) - len(re.findall(r"^  Backend \S+: FAIL$", text, re.M)) - (status == 1)
        ended = re.search(r"^  (\d+)/(\d+) tests passed$", text, re.M)
        row = [passed, failed, unsupported, (int(ended[2]) if ended else supported) - passed - failed]
        total = [a + b for a, b in zip(total, row)]
        line = "\t".join([op] + [str(n) for n in row] + ["%.0f" % seconds, "limit" if status is None else str(status)])
        print(line, flush=True)
        with open(args.dir + "/results.tsv", "a") as f:
            f.write(line + "\n")
    print("\t".join(["all"] + [str(n) for n in total]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    b = commands.add_parser("build")
    b.add_argument("--kudzu", default="build/bin/kudzu")
    b.add_argument("--cccl", required=True)
    b.add_argument("--without", default="", help="sources that match this regular expression are left out")
    b.add_argument("--define", action="append", default=[], help="GGML_CUDA_FORCE_CUBLAS for instance")
    b.add_argument("ggml")
    b.add_argument("dir")
    t = commands.add_parser("test")
    t.add_argument("--op", default="", help="these operations only, separated by commas")
    t.add_argument("--cases", default="", help="cases whose parameters match this regular expression only")
    t.add_argument("--limit", type=float, default=120, help="seconds for each operation")
    t.add_argument("dir")
    args = parser.parse_args()
    args.dir = os.path.abspath(args.dir)
    build(args) if args.command == "build" else test(args)


main()
