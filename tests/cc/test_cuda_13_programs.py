"""Programs that are compiled as CUDA 13, by kudzu and with a host's compiler."""
import os
import shutil
import subprocess
import unittest

from common import KUDZU, CompilerTest, main

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(KUDZU)))
HOME = os.path.join(ROOT, "cuda-13")
AS_13 = {"KUDZU_CUDA_VERSION": "13.0"}
AS_12 = {"KUDZU_CUDA_VERSION": "12.9"}

# Forms that 12.9 has otherwise, or not at all.
PROGRAM = r"""
#include <cuda.h>
#include <cstdio>
#include <type_traits>

static_assert(CUDA_VERSION == 13000 && CUDART_VERSION == 13000, "headers");
static_assert(__CUDACC_VER_MAJOR__ == 13 && __CUDACC_VER_MINOR__ == 0, "compiler");
static_assert(sizeof(cudaDeviceProp) == 1008, "layout of version 13");
static_assert(alignof(double4_32a) == 32 && alignof(double4_16a) == 16, "vectors");

template <class T> auto has_clock(int) -> decltype((void)T::clockRate, std::true_type());
template <class T> std::false_type has_clock(...);
static_assert(!decltype(has_clock<cudaDeviceProp>(0))::value, "clocks are attributes");

__global__ void add(double4_32a *p, double x) { p->x += x; }

#define TRY(call) do { if (call) { printf("%s\n", #call); return 1; } } while (0)
int main() {
    cudaDeviceProp prop;
    TRY(cudaGetDeviceProperties(&prop, 0));
    int runtime, major;
    TRY(cudaRuntimeGetVersion(&runtime));
    TRY(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
    double4_32a *p;
    TRY(cudaMallocManaged(&p, sizeof *p));
    p->x = 1;
    cudaMemLocation where = {cudaMemLocationTypeDevice, 0};
    TRY(cudaMemAdvise(p, sizeof *p, cudaMemAdviseSetPreferredLocation, where));
    TRY(cudaMemPrefetchAsync(p, sizeof *p, where, 0));

    double x = 20;
    void *args[] = {&p, &x};
    cudaKernelNodeParams params = {(void *)add, 1, 1, 0, args, nullptr};
    cudaGraph_t graph;
    cudaGraphNode_t nodes[2], from, to;
    cudaGraphEdgeData data;
    size_t edges = 1;
    cudaGraphExec_t exec;
    TRY(cudaGraphCreate(&graph, 0));
    for (auto &node : nodes)
        TRY(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &params));
    TRY(cudaGraphAddDependencies(graph, &nodes[0], &nodes[1], nullptr, 1));
    TRY(cudaGraphGetEdges(graph, &from, &to, &data, &edges));
    TRY(cudaGraphInstantiate(&exec, graph));
    TRY(cudaGraphLaunch(exec, 0));
    TRY(cudaDeviceSynchronize());

    CUcontext context;
    TRY(cuCtxCreate(&context, nullptr, 0, 0));
    CUuuid id;
    TRY(cuDeviceGetUuid(&id, 0));
    printf("%d %d %g %zu %d\n", runtime, prop.major == major, p->x, edges, from == nodes[0] && data.type == 0);
}
"""


def needed(path):
    text = subprocess.run(["readelf", "-d", path], capture_output=True, text=True).stdout
    return [line.split("[")[1].rstrip("]\n") for line in text.splitlines() if "(NEEDED)" in line]


class Programs13(CompilerTest):
    def nvcc(self, *args, env=None):
        return self.command([os.path.join(HOME, "bin", "nvcc"), *args], env)

    def test_what_13_has_no_more(self):
        self.write("a.cu", "int clock(cudaDeviceProp p) { return p.clockRate; }\n"
                           "int wait() { return cudaThreadSynchronize(); }\n"
                           "int advise(int *p) { return cudaMemAdvise(p, 4, cudaMemAdviseSetReadMostly, 0); }\n"
                           "texture<float, 1> t;\n")
        self.compiles("-c", "a.cu", env=AS_12)
        errors = {line.split(":")[1] for line in self.fails("-c", "a.cu", env=AS_13).stderr.splitlines()
                  if line.startswith("a.cu:") and " error:" in line}
        self.assertEqual(errors, {"1", "2", "3", "4"})

    @unittest.skipUnless(os.environ.get("KUDZU_RUNS"), "there is no driver")
    def test_program(self):
        self.write("a.cu", PROGRAM)
        for options, libraries in (([], []), (["-cudart", "shared"], ["libcudart.so.13"])):
            self.compiles("a.cu", "-lcuda", "-o", "a", *options, env=AS_13)
            self.assertEqual([x for x in needed(os.path.join(self.dir, "a")) if "cudart" in x], libraries)
            r = self.command([os.path.join(self.dir, "a")])
            self.assertEqual((r.stdout, r.returncode), ("13000 1 41 1 1\n", 0), r.stderr)

    @unittest.skipUnless(os.environ.get("KUDZU_RUNS"), "there is no driver")
    def test_objects_of_the_hosts_compiler(self):
        """What g++ compiles with the headers of the toolkit fits to what its nvcc compiles."""
        gxx = shutil.which("g++")
        if not gxx:
            self.skipTest("there is no g++")
        self.write("a.cu", "#include <cstdio>\nvoid fill(cudaDeviceProp *prop);\n"
                           "int main() { cudaDeviceProp p; fill(&p); printf(\"%d\\n\", p.clusterLaunch); }\n")
        self.write("b.cpp", "#include <cuda_runtime.h>\n#include <cuda.h>\n"
                            "static_assert(CUDA_VERSION == 13000 && CUDART_VERSION == 13000, \"\");\n"
                            "void fill(cudaDeviceProp *prop) { cudaGetDeviceProperties(prop, 0); }\n")
        r = self.command([gxx, "-Wall", "-Werror", "-I" + HOME + "/include", "-c", "b.cpp", "-o", "b.o"])
        self.assertEqual(r.returncode, 0, r.stderr)
        r = self.nvcc("a.cu", "b.o", "-I" + HOME + "/include", "-o", "a")
        self.assertEqual(r.returncode, 0, r.stderr)
        r = self.command([os.path.join(self.dir, "a")])
        self.assertEqual((r.stdout, r.returncode), ("1\n", 0), r.stderr)

    def test_versions_do_not_mix(self):
        self.write("a.cu", "#include <cuda.h>\n")
        self.contains(self.fails("-c", "a.cu", "-I" + HOME + "/include", env=AS_12).stderr,
                      "compile with cuda-13/bin/nvcc")
        self.compiles("-c", "a.cu", "-I" + ROOT + "/include", env=AS_13)
        if shutil.which("g++"):
            self.write("b.cpp", f'#include "{ROOT}/include/cuda.h"\n#include <cuda_runtime.h>\n')
            r = self.command(["g++", "-fsyntax-only", "-I" + HOME + "/include", "b.cpp"])
            self.contains(r.stderr, "do not mix")


if __name__ == "__main__":
    main()
