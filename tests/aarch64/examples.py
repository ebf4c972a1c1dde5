"""CUDA programs, compiled for aarch64 whole (host code, and kernels as native code in the image), run
by qemu-user: they check their own results. No compiler is there: a kernel without code would fail.

usage: examples.py BUILD CROSS SYSROOT FILE.cu...   (exit 1 on any failure, 77: no cross build)"""
import os
import subprocess
import sys
import tempfile
import time

SECONDS = 600


def compile_program(build, cross, sysroot, source, program):
    subprocess.run([build + "/bin/kudzu", "cc", "-O2", "--kudzu-native=aarch64",
                    "--kudzu-host=aarch64-linux-gnu", "--kudzu-sysroot=" + sysroot,
                    "-L" + cross + "/lib", source, "-o", program], check=True)


def run_program(cross, sysroot, program, folder):
    command = ["qemu-aarch64", "-L", sysroot, "-E", "LD_LIBRARY_PATH=" + cross + "/lib",
               "-E", "KUDZU_EXEC=simd", "-E", "CUDA_LOG_FILE=stderr", program]
    try:
        p = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                           timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return "timeout"
    text = p.stdout.decode(errors="replace")
    right = p.returncode == 0 and "checked:" in text and "FAILED" not in text
    return "" if right else "%sexit %d" % (text, p.returncode)


def main():
    build, cross, sysroot = sys.argv[1:4]
    if not os.path.exists(cross + "/bin/ptx_run"):
        print("no cross build: make check-aarch64 sets it up")
        sys.exit(77)
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        for source in sys.argv[4:]:
            program = os.path.join(folder, os.path.basename(source)[:-3])
            compile_program(build, cross, sysroot, source, program)
            start = time.monotonic()
            wrong = run_program(cross, sysroot, program, folder)
            bad += wrong != ""
            print("%s: %s (%.0f s)" % (source, wrong or "right", time.monotonic() - start))
            sys.stdout.flush()
    print("%d programs, %d failed" % (len(sys.argv) - 4, bad))
    sys.exit(bad != 0)


if __name__ == "__main__":
    main()
