"""kudzu clangd-config: every clangd that is installed accepts a CUDA project with it.

usage: test_clangd_config.py KUDZU
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

KUDZU = os.path.abspath(sys.argv[1])
CLANGDS = [c for c in ["clangd"] + ["clangd-%d" % v for v in range(14, 24)] if shutil.which(c)]
PROGRAM = """#include <cooperative_groups.h>
#include <cuda_fp16.h>
#include <mma.h>
#include <vector>
#include "scale.h"
namespace cg = cooperative_groups;
__constant__ float factor = SCALE;
__global__ void kernel(float *y, const float *x, int n) {
    __shared__ float tile[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[threadIdx.x] = i < n ? x[i] : 0;
    cg::this_thread_block().sync();
    float sum = __shfl_xor_sync(0xffffffff, __half2float(__float2half(tile[threadIdx.x])), 1);
    if (i < n)
        atomicAdd(&y[i], factor * scale(sum) + rsqrtf(x[i]) + __activemask());
}
int main() {
    std::vector<float> v(100);
    float *x, *y;
    cudaMalloc(&x, 400);
    cudaMallocManaged(&y, 400);
    kernel<<<1, 256, 0, nullptr>>>(y, x, 100);
    auto twice = [] __device__(int i) { return i * 2; };
    (void)twice;
    return cudaDeviceSynchronize() != cudaSuccess;
}
"""
NO_HEADER = "__global__ void kernel(int *p) { p[threadIdx.x] = clock(); }\n"
WRONG = "__global__ void kernel(int *p) { p[threadIdx.x] = blok; }\n"
HOST = """#include <cuda_runtime.h>
int count() { int n = 0; cudaGetDeviceCount(&n); return n; }
"""
# What CMake writes for a target with these options, with Ninja and with make.
NVCC = ["-forward-unknown-to-host-compiler", "-DSCALE=3", "-I{root}/include",
        "--options-file", "demo.dir/includes_CUDA.rsp",
        "--generate-code=arch=compute_80,code=[compute_80,sm_80]", "-gencode",
        "arch=compute_90,code=sm_90", "-lineinfo", "--extended-lambda", "--expt-relaxed-constexpr",
        "-Xcompiler=-Wall", "-Xcompiler", "-fPIC", "-Xptxas", "-v", "--default-stream", "per-thread",
        "-use_fast_math", "-maxrregcount", "64", "-G", "-std=c++17", "-x", "cu", "-rdc=true", "-c",
        "{file}", "-o", "{file}.o"]


def run(*args, **more):
    return subprocess.run([KUDZU, "clangd-config", *args], capture_output=True, text=True,
                          timeout=60, **more)


class Project(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = folder.name

    def write(self, name, text):
        path = os.path.join(self.root, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as f:
            f.write(text)
        return path

    def read(self, name=".clangd"):
        with open(os.path.join(self.root, name)) as f:
            return f.read()


@unittest.skipUnless(CLANGDS, "no clangd")
class Clangd(Project):
    def setUp(self):
        super().setUp()
        self.write("include/scale.h", "template <class T> __device__ T scale(T x) { return x; }\n")
        files = {"a.cu": PROGRAM, "b.cu": NO_HEADER, "c.cu": WRONG, "d.cpp": HOST}
        database = []
        for name, text in files.items():
            path = self.write(name, text)
            command = ["/usr/bin/nvcc"] + [w.format(root=self.root, file=path) for w in NVCC]
            if name == "d.cpp":
                command = ["/usr/bin/c++", "-std=gnu++17", "-o", "d.o", "-c", path]
            database.append({"directory": self.root, "arguments": command, "file": path})
        self.write("out/compile_commands.json", json.dumps(database))
        r = run(self.root)
        self.assertEqual((r.returncode, r.stderr), (0, ""))

    def errors(self, clangd, name):
        r = subprocess.run([clangd, "--check=" + os.path.join(self.root, name)], text=True,
                           capture_output=True, timeout=300)
        self.assertRegex(r.stderr, r"All checks completed", r.stderr[-2000:])
        return [line for line in r.stderr.splitlines() if re.match(r"E\[[\d:.]+\] \[", line)]

    def test_projects(self):
        for clangd in CLANGDS:
            for name in "a.cu", "b.cu", "d.cpp":
                self.assertEqual(self.errors(clangd, name), [], (clangd, name))
            wrong = self.errors(clangd, "c.cu")
            self.assertEqual(len(wrong), 1, clangd)
            self.assertIn("'blok'", wrong[0])


class File(Project):
    def test_the_database(self):
        run(self.root)
        self.assertNotIn("CompilationDatabase", self.read())
        self.write("debug/compile_commands.json", "[]")
        run(self.root)
        self.assertIn("CompilationDatabase: 'debug'", self.read())
        self.write("release/compile_commands.json", "[]")
        run(self.root)
        self.assertNotIn("CompilationDatabase", self.read())
        run("--database=release", self.root)
        self.assertIn("CompilationDatabase: 'release'", self.read())
        self.write("compile_commands.json", "[]")
        run(self.root)
        self.assertNotIn("CompilationDatabase", self.read())

    def test_what_is_there_already(self):
        self.write(".clangd", "Index:\n  Background: Skip\n")
        r = run(self.root)
        self.assertEqual(r.returncode, 1)
        self.assertIn("is there already", r.stderr)
        self.assertIn("Background", self.read())
        self.assertEqual(run("--force", self.root).returncode, 0)
        self.assertNotIn("Background", self.read())

    def test_print(self):
        r = run("--print", cwd=self.root)
        self.assertEqual((r.returncode, os.listdir(self.root)), (0, []))
        run(cwd=self.root)
        self.assertEqual(r.stdout, self.read())

    def test_errors(self):
        self.assertIn("did you mean --database?", run("--databse=x").stderr)
        self.assertIn("cannot write", run(self.root + "/none").stderr)
        self.assertIn("one folder at a time", run("a", "b").stderr)


unittest.main(argv=sys.argv[:1] + sys.argv[2:])
