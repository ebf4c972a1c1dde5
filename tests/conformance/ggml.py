#!/usr/bin/env python3
"""ggml's CUDA backend under kudzu, through ggml's own test-backend-ops.

  ggml.py build --kudzu build/bin/kudzu --cccl CCCL [--jobs N] GGML DIR   compiles everything into DIR
  ggml.py test [--op OP,..] [--jobs N] [--limit SECONDS] DIR              runs the operations

The backend is a shared library of its own that test-backend-ops loads (GGML_BACKEND_DL); behind cuBLAS's
header are the plain products of cublas/. What is compiled already stays; functions of sources that
--without leaves out end the process when they are called. `test` prints a line for each
operation: cases passed, failed, not supported by the backend, not run, seconds of all its processes, statuses
other than 0; DIR/results.tsv keeps them and DIR/log what the programs said. Each process takes some cases of
one operation (all without --jobs) and has one processor when there are several; one that exceeds the limit, or
what has not begun when --end seconds are over, leaves cases that are not run.
"""
import argparse, concurrent.futures, csv, glob, os, queue, re, subprocess, time

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
    if not os.path.exists(program(args)):
        subprocess.run(["cmake", "-S", args.ggml, "-B", args.dir, "-DCMAKE_BUILD_TYPE=Release", "-DGGML_BACKEND_DL=ON",
                        "-DGGML_NATIVE=OFF", "-DGGML_BUILD_EXAMPLES=OFF", "-DGGML_BUILD_TESTS=ON"], check=True)
        subprocess.run(["cmake", "--build", args.dir, "--target", "test-backend-ops", "ggml-cpu"], check=True)
    include = [args.ggml + "/include", args.ggml + "/src", args.ggml + "/src/ggml-cuda", HERE + "/cublas"]
    include += [args.cccl + "/" + d for d in ("cub", "thrust", "libcudacxx/include")]
    chosen = [s for s in sources(args.ggml) if not args.without or not re.search(args.without, os.path.basename(s))]
    made = [os.path.join(objects, os.path.basename(source)[:-3] + ".o") for source in chosen]

    def compile(source, object_):
        start = time.time()
        subprocess.run([args.kudzu, "cc"] + FLAGS + ["-D" + d for d in args.define] + ["-I" + i for i in include] +
                       ["-c", source, "-o", object_ + ".part.o"], check=True)
        os.rename(object_ + ".part.o", object_)
        print("%s %.0f s" % (os.path.basename(source), time.time() - start), flush=True)

    missing = [(source, object_) for source, object_ in zip(chosen, made) if not os.path.exists(object_)]
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        list(pool.map(lambda pair: compile(*pair), sorted(missing, key=lambda pair: "instances" not in pair[0])))
    made.append(absent(objects, made, args.kudzu))
    library = args.dir + "/bin/libggml-cuda.so"
    subprocess.run([args.kudzu, "cc", "-shared", "-o", library + ".part"] + made +
                   ["-L" + args.dir + "/src", "-lggml-base", "-lcuda"], check=True)
    os.rename(library + ".part", library)


def symbols(objects, *options):
    lines = subprocess.run(["nm", *options] + objects, check=True, stdout=subprocess.PIPE, text=True).stdout
    return set(line.split()[-1] for line in lines.splitlines() if line.startswith(" ") or line[:1].isdigit())


def absent(folder, objects, kudzu):
    """An object with the backend's functions that no object defines."""
    names = symbols(objects, "-u") - symbols(objects, "--defined-only")
    source = folder + "/absent.c"
    with open(source, "w") as f:
        f.write("#include <stdio.h>\n#include <stdlib.h>\n")
        for i, name in enumerate(sorted(n for n in names if re.match(r"_Z.*(_cuda|mul_mat|flash_attn)", n))):
            f.write('void f%d(void) __asm__("%s");\nvoid f%d(void) { puts("not compiled: %s"); fflush(stdout); abort(); }\n'
                    % (i, name, i, name))
    subprocess.run([kudzu, "cc", "-Xcompiler", "-fPIC", "-c", source, "-o", folder + "/absent.o"], check=True)
    return folder + "/absent.o"


def program(args):
    return os.path.join(args.dir, "bin", "test-backend-ops")


def cases(args):
    """The supported cases of each operation and the number of the others."""
    out = subprocess.run([program(args), "support", "-b", "CUDA0", "--output", "csv"], check=True,
                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    found = {}
    for row in csv.DictReader(out.splitlines()):
        if not row["op_name"] or args.op and row["op_name"] not in args.op.split(","):
            continue
        op = found.setdefault(row["op_name"], ([], [0]))
        if row["supported"] != "1":
            op[1][0] += 1
        elif re.search(args.cases, row["op_params"]):
            op[0].append(row["op_params"])
    return found


def literal(text):
    return re.sub(r"([][\\.*+?(){}|^$])", r"\\\1", text)


def run(args, op, chosen, number, cpus, start):
    """(passed, failed, seconds, status) of some cases of one operation."""
    if args.end and time.time() - start > args.end:
        return 0, 0, 0, "end"
    cpu = cpus.get()
    log = os.path.join(args.dir, "log", "%s.%d" % (op, number))
    command = [program(args), "test", "-b", "CUDA0", "-o", op]
    if args.jobs > 1 or args.cases:
        command += ["-p", "^(" + "|".join(literal(c) for c in chosen) + ")$"]
    began = time.time()
    with open(log, "w") as f:
        try:
            limit = min(args.limit, args.end - (began - start)) if args.end else args.limit
            status = subprocess.run(command, stdout=f, stderr=subprocess.STDOUT, timeout=limit,
                                    preexec_fn=lambda: os.sched_setaffinity(0, cpu)).returncode
        except subprocess.TimeoutExpired:
            status = "limit"
    cpus.put(cpu)
    text = re.sub(r"\x1b\[[0-9;]*m", "", open(log, errors="replace").read())
    passed = text.count("OK\n") - len(re.findall(r"^  Backend \S+: OK$", text, re.M)) - (status == 0)
    failed = len(re.findall(r"FAIL\n", text)) - len(re.findall(r"^  Backend \S+: FAIL$", text, re.M)) - (status == 1)
    return passed, failed, time.time() - began, status


def test(args):
    os.makedirs(args.dir + "/log", exist_ok=True)
    start, cpus, ours = time.time(), queue.Queue(), sorted(os.sched_getaffinity(0))
    for i in range(args.jobs):
        cpus.put(ours if args.jobs == 1 else {ours[i % len(ours)]})
    total, waiting = [0, 0, 0, 0], []
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for op, (supported, unsupported) in sorted(cases(args).items(), key=lambda item: -len(item[1][0])):
            names = list(dict.fromkeys(supported))  # several cases may have one name: they run together
            size = max(1, min(args.chunk, len(names))) if args.jobs > 1 else max(1, len(names))
            pieces = [names[i:i + size] for i in range(0, len(names), size)]
            waiting.append((op, len(supported), unsupported[0],
                            [pool.submit(run, args, op, piece, i, cpus, start) for i, piece in enumerate(pieces)]))
        for op, supported, unsupported, parts in waiting:
            parts = [part.result() for part in parts]
            passed, failed = sum(p[0] for p in parts), sum(p[1] for p in parts)
            row = [passed, failed, unsupported, supported - passed - failed]
            total = [a + b for a, b in zip(total, row)]
            states = sorted(set(str(p[3]) for p in parts if p[3] != 0))
            line = "\t".join([op] + [str(n) for n in row] + ["%.0f" % sum(p[2] for p in parts), " ".join(states)])
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
    b.add_argument("--jobs", type=int, default=1)
    b.add_argument("ggml")
    b.add_argument("dir")
    t = commands.add_parser("test")
    t.add_argument("--op", default="", help="these operations only, separated by commas")
    t.add_argument("--cases", default="", help="cases whose parameters match this regular expression only")
    t.add_argument("--limit", type=float, default=120, help="seconds for each process")
    t.add_argument("--end", type=float, default=0, help="seconds for all (0: no limit)")
    t.add_argument("--jobs", type=int, default=1, help="processes at a time")
    t.add_argument("--chunk", type=int, default=8, help="cases for each process where there are several")
    t.add_argument("dir")
    args = parser.parse_args()
    args.dir = os.path.abspath(args.dir)
    build(args) if args.command == "build" else test(args)


main()
