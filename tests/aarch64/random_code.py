"""Random kernels (those of tests/simd/random_kernels.py) as SIMD code for aarch64, made here and run by
qemu-user, against the interpreter on this machine. Each file is compared at one width.

usage: random_code.py BUILD CROSS SYSROOT [--seed N] [--count FILES] [--minutes M] [--keep DIR]
       [--vectors 128|256|512]

BUILD, CROSS and SYSROOT are those of compare.py. Files that differ, or cannot be compiled, are kept.
File K of a run is --seed SEED+K --count 1: runs beside each other need seeds that are further apart
than each of them makes files."""
import argparse
import importlib.util
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(HERE, "..", "simd"))
sys.dont_write_bytecode = True
import random_kernels  # noqa: E402

# compare is tests/simd's, which random_kernels has loaded by that name.
spec = importlib.util.spec_from_file_location("compare_aarch64", os.path.join(HERE, "compare.py"))
aarch64 = importlib.util.module_from_spec(spec)
spec.loader.exec_module(aarch64)


def ptx_of(build, folder, seed):
    """The path of a file of random kernels in PTX, or None when the CUDA C++ does not compile."""
    maker = random_kernels.MAKERS[seed % len(random_kernels.MAKERS)]
    text = maker.text_of(maker.make_file(seed))
    ptx = os.path.join(folder, "case.ptx")
    if maker is random_kernels.random_ptx:
        with open(ptx, "w") as f:
            f.write(text)
        return ptx
    source = os.path.join(folder, "case.cu")
    with open(source, "w") as f:
        f.write(text)
    opt = random.Random(seed).choice(["-O3", "-O3", "-G"])
    if subprocess.run([build + "/bin/kudzu", "cc", "-ptx", "-w", opt, source, "-o", ptx]).returncode:
        return None
    with open(ptx, "a") as f:
        f.writelines(x + "\n" for x in text.split("\n") if x.startswith("// run:"))
    return ptx


def main():
    p = argparse.ArgumentParser()
    for name in ("build", "cross", "sysroot"):
        p.add_argument(name)
    p.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 30))
    p.add_argument("--count", type=int, default=0, help="files to try (0: no limit)")
    p.add_argument("--minutes", type=float, default=0, help="stop after (0: no limit)")
    p.add_argument("--keep", default=tempfile.gettempdir(), help="where files that differ go")
    p.add_argument("--vectors", choices=[v for v in aarch64.MACHINES if v], help="bits of SVE's registers (no SVE)")
    a = p.parse_args()
    if not a.count and not a.minutes:
        a.count = 10
    print("seed %d" % a.seed, flush=True)
    start, files, bad = time.time(), 0, 0
    with tempfile.TemporaryDirectory() as folder:
        machines = aarch64.Machines(a.build, a.cross, a.sysroot, folder, a.vectors)
        while (not a.count or files < a.count) and (not a.minutes or time.time() - start < 60 * a.minutes):
            seed = a.seed + files
            files += 1
            width = random.Random(seed).choice(aarch64.WIDTHS)
            ptx = ptx_of(a.build, folder, seed)
            if ptx and not aarch64.compare(machines, "seed %d" % seed, ptx, [width])[1]:
                continue
            bad += 1
            os.makedirs(a.keep, exist_ok=True)
            kept = os.path.join(a.keep, "aarch64_%d_%s.ptx" % (seed, width))
            if ptx:
                shutil.copy(ptx, kept)
            print("seed %d, width %s: %s" % (seed, width, kept if ptx else "does not compile"), flush=True)
    print("%d files, %d wrong" % (files, bad))
    sys.exit(bad != 0)


if __name__ == "__main__":
    main()
