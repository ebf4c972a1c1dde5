"""A program with more rights than its caller's believes none of his variables."""
import os
import struct
import subprocess
import sys

from common import KUDZU, LIB, OTHER, SKIPPED, check, failures, finish, need_root, run, scratch

PROGRAM = r"""
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>
#include <nvrtc.h>
#include <sys/auxv.h>
__global__ void twice(int *p) { *p *= 2; }
static int launch(int *p) {
    int n = 21;
    cudaMemcpy(p, &n, sizeof n, cudaMemcpyDefault);
    twice<<<1, 1>>>(p);
    cudaDeviceSynchronize();
    cudaMemcpy(&n, p, sizeof n, cudaMemcpyDefault);
    return n;
}
static int compile() {
    nvrtcProgram program;
    nvrtcCreateProgram(&program, "__global__ void k(int *p) { *p = 42; }", "k.cu", 0, 0, 0);
    nvrtcResult result = nvrtcCompileProgram(program, 0, 0);
    size_t n;
    char log[10000] = "";
    if (result && !nvrtcGetProgramLogSize(program, &n) && n < sizeof log)
        nvrtcGetProgramLog(program, log);
    fputs(log, stderr);
    return result ? 0 : 42;
}
int main(int argc, char **argv) {
    int *p = 0, n = 0;
    printf("rights %d\n", (int)getauxval(AT_SECURE));
    if (!strcmp(argv[1], "compile")) {
        n = compile();
    } else {
        cudaMalloc(&p, sizeof n);
        cudaSetDevice(99); // an error for the log
        n = launch(p);
        if (!strcmp(argv[1], "fault"))
            launch(0);
    }
    printf("%d\n", n);
}
"""
# Says that it was loaded, or run.
LIBRARY = '#include <fcntl.h>\n__attribute__((constructor)) static void f(void) ' \
    '{ open("%s", O_CREAT | O_WRONLY, 0600); }\n'

need_root()
folder = scratch()
caller = os.path.join(folder, "caller")  # where he has everything his way
os.mkdir(caller)
for name in ["cache", "tmp", "lib", "home"]:
    os.mkdir(os.path.join(caller, name))
    os.chown(os.path.join(caller, name), OTHER, OTHER)
marks = os.path.join(folder, "marks")
os.mkdir(marks)
os.chmod(marks, 0o777)


def mark(name):
    return os.path.join(marks, name)


def write(name, text, mode=0o644):
    path = os.path.join(folder, name)
    with open(path, "w") as f:
        f.write(text)
    os.chmod(path, mode)
    return path


def compile_library(path, name):
    source = write(name + ".c", LIBRARY % mark(name))
    subprocess.run(["cc", "-shared", "-fPIC", source, "-o", path], check=True)


write("a.cu", PROGRAM)
r = run([KUDZU, "cc", "a.cu", "-o", "program", "-lnvrtc", "-Xlinker", "-rpath=" + LIB], folder,
        {"TMPDIR": folder, "CUDA_CACHE_DISABLE": "1"})
check(r.returncode == 0, r.stderr)
compile_library(os.path.join(caller, "driver.so"), "driver")
compile_library(os.path.join(caller, "lib", "libcuda.so.1"), "path_driver")
clang = write("caller/clang", f"#!/bin/sh\n: >{mark('clang')}\nexec clang++-19 \"$@\"\n", 0o755)
subprocess.run(["chown", "-R", f"{OTHER}:{OTHER}", caller], check=True)

program = os.path.join(folder, "program")
VARIABLES = {
    "driver": {"KUDZU_DRIVER": caller + "/driver.so"},
    "path_driver": {"LD_LIBRARY_PATH": caller + "/lib"},
    "clang": {"KUDZU_CLANG": clang},
    "log": {"CUDA_LOG_FILE": mark("log")},
    "cache": {"CUDA_CACHE_PATH": caller + "/cache", "CUDA_FORCE_PTX_JIT": "1"},
    "home": {"HOME": caller + "/home", "CUDA_FORCE_PTX_JIT": "1"},
    "core": {"CUDA_ENABLE_COREDUMP_ON_EXCEPTION": "1", "CUDA_COREDUMP_FILE": mark("core")},
}
WAYS = {"clang": "compile", "core": "fault"}


def traces(case):
    if case in ("cache", "home"):
        return [f for _, _, files in os.walk(os.path.join(caller, case)) for f in files]
    return [f for f in os.listdir(marks) if f == case]


def start(case):
    return run([program, WAYS.get(case, "launch")], caller,
               dict(VARIABLES[case], TMPDIR=caller + "/tmp"), user=OTHER)


# With its caller's rights the program follows each variable: what is looked for can be found.
for case in VARIABLES:
    r = start(case)
    check(r.stdout.startswith("rights 0\n") or case == "core", f"{case}: {r.stdout}{r.stderr}")
    check(traces(case), f"{case} has no effect: {r.stdout}{r.stderr}")
for root, _, files in os.walk(folder):
    for name in files:
        if root == marks or root.startswith((caller + "/cache", caller + "/home")):
            os.unlink(os.path.join(root, name))

if os.statvfs(folder).f_flag & os.ST_NOSUID:
    print("skipped: /tmp takes no programs with rights of their own")
    failures or sys.exit(SKIPPED)
    finish(folder)


def check_all(rights):
    for case in VARIABLES:
        r = start(case)
        check(r.stdout == "rights 1\n42\n", f"{case}, {rights}: {r.stdout}{r.stderr}")
        check(not traces(case), f"{case} is believed, {rights}: {traces(case)}")


os.chown(program, 0, 0)
os.chmod(program, 0o4755)
check_all("set-user-ID")
os.chmod(program, 0o755)
os.chown(program, OTHER - 1, OTHER - 1)
os.chmod(program, 0o2755)
check_all("set-group-ID")
os.chmod(program, 0o755)
try:  # CAP_NET_RAW, effective: struct vfs_cap_data of version 2
    os.setxattr(program, "security.capability", struct.pack("<5I", 0x02000001, 1 << 13, 0, 0, 0))
    check_all("file capabilities")
except OSError as e:
    print("not checked: file capabilities:", e)
check(os.listdir(caller + "/tmp") == [], "something is left in TMPDIR")
finish(folder)
