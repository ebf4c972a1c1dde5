"""CMake's CUDA language with kudzu, linked under the name nvcc, as its compiler."""
import os

from common import KUDZU, CompilerTest, main

RUNS = os.environ.get("KUDZU_RUNS") == "1"

PROJECT = """
cmake_minimum_required(VERSION 3.18)
project(demo LANGUAGES CXX CUDA)
find_package(CUDAToolkit 12 REQUIRED)
foreach(variable CMAKE_CUDA_COMPILER_ID CMAKE_CUDA_COMPILER_VERSION CMAKE_CUDA_ARCHITECTURES
        CMAKE_CUDA_TOOLKIT_INCLUDE_DIRECTORIES CUDAToolkit_VERSION CUDAToolkit_INCLUDE_DIRS
        CUDAToolkit_LIBRARY_DIR)
  message("${variable}=${${variable}}.")
endforeach()

add_executable(whole whole.cu)

# Device functions of a static library, called from a kernel of the program.
add_library(parts STATIC parts.cu)
set_target_properties(parts PROPERTIES CUDA_SEPARABLE_COMPILATION ON)
add_executable(separate separate.cu main.cpp)
set_target_properties(separate PROPERTIES CUDA_SEPARABLE_COMPILATION ON)
target_link_libraries(separate PRIVATE parts)

# A static library whose device code is linked, in a program of C++ alone.
add_library(linked STATIC parts.cu separate.cu)
set_target_properties(linked PROPERTIES CUDA_SEPARABLE_COMPILATION ON CUDA_RESOLVE_DEVICE_SYMBOLS ON)
add_executable(resolved main.cpp)
target_link_libraries(resolved PRIVATE linked)

# The runtime as a shared library; kernels in a shared library; C++ that uses both APIs.
add_library(kernels SHARED kernels.cu)
set_target_properties(kernels PROPERTIES CUDA_RUNTIME_LIBRARY Shared)
target_compile_options(kernels PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-lineinfo --expt-relaxed-constexpr>)
target_compile_definitions(kernels PRIVATE "FACTOR=3")
add_executable(apis apis.cpp)
target_link_libraries(apis PRIVATE kernels CUDA::cudart CUDA::cuda_driver)

add_library(text OBJECT text.cu)
set_target_properties(text PROPERTIES CUDA_PTX_COMPILATION ON CUDA_ARCHITECTURES 90-virtual)
"""

SOURCES = {
    "whole.cu": """
__global__ void k(int *x) { *x = 7; }
int main() {
    int *d, h = 0;
    cudaMalloc(&d, 4);
    k<<<1, 1>>>(d);
    cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost);
    return h != 7;
}
""",
    "parts.cu": "__device__ int offset = 5;\n__device__ int twice(int x) { return 2 * x + offset; }\n",
    "separate.cu": """
extern __device__ int offset;
__device__ int twice(int x);
__global__ void k(int *x) { *x = twice(*x) + offset; }
int compute(int x) {
    int *d;
    cudaMallocManaged(&d, 4);
    *d = x;
    k<<<1, 1>>>(d);
    return cudaDeviceSynchronize() ? -1 : *d;
}
""",
    "main.cpp": "int compute(int);\nint main() { return compute(4) != 18; }\n",
    "kernels.cu": """
__global__ void k(int *x) { *x *= FACTOR; }
cudaError_t multiply(int *x) { k<<<1, 1>>>(x); return cudaGetLastError(); }
""",
    "apis.cpp": """
#include <cuda.h>
#include <cuda_runtime.h>
cudaError_t multiply(int *);
int main() {
    int *d, count = 0;
    if (cuInit(0) || cuDeviceGetCount(&count) || cudaMallocManaged(&d, 4)) return 2;
    *d = 5;
    return multiply(d) || cudaDeviceSynchronize() || *d != 15 || !count;
}
""",
    "text.cu": "__global__ void k() {}\n",
}


OPENMP = """
cmake_minimum_required(VERSION 3.18)
project(demo LANGUAGES CXX CUDA)
find_package(OpenMP REQUIRED)
add_executable(one one.cu)
add_executable(two two.cu gcc.cpp)
set_target_properties(two PROPERTIES LINKER_LANGUAGE CUDA)
foreach(target one two)
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=${OpenMP_CXX_FLAGS}>)
  target_link_libraries(${target} PRIVATE OpenMP::OpenMP_CXX)
endforeach()
"""
SUM_OF_THREADS = """
#include <omp.h>
static int sum_of_threads() {
    int sum = 0;
#pragma omp parallel num_threads(4) reduction(+ : sum)
    sum += omp_get_thread_num();
    return sum;
}
"""


class CMake(CompilerTest):
    def setUp(self):
        super().setUp()
        self.write("CMakeLists.txt", PROJECT)
        for name, text in SOURCES.items():
            self.write(name, text)
        os.mkdir(self.dir + "/bin")
        os.symlink(KUDZU, self.dir + "/bin/nvcc")
        self.root = os.path.dirname(os.path.dirname(os.path.realpath(KUDZU)))

    def succeeds(self, *args, env=None):
        r = self.command(args, env)
        self.assertEqual(r.returncode, 0, r.stdout[-4000:] + r.stderr[-4000:])
        return r.stdout + r.stderr

    def configure(self, *args):
        return self.succeeds("cmake", "-B", "build", "-S", ".",
                             f"-DCMAKE_CUDA_COMPILER={self.dir}/bin/nvcc", *args)

    def build_and_run(self):
        self.succeeds("cmake", "--build", "build", "--parallel", "2", env={"VERBOSE": "1"})
        self.contains(self.read("build/CMakeFiles/text.dir/text.ptx"), ".target sm_90", ".entry")
        if RUNS:
            for program in ("whole", "separate", "resolved", "apis"):
                # The folder is an implicit one for CMake: programs get no path to it by themselves.
                self.succeeds(f"build/{program}", env={"LD_LIBRARY_PATH": self.root + "/lib"})

    def test_ninja(self):
        text = self.configure("-G", "Ninja")
        include = f"{self.root}/include."
        self.contains(text, "CMAKE_CUDA_COMPILER_ID=NVIDIA.", "CMAKE_CUDA_ARCHITECTURES=90.",
                      "CMAKE_CUDA_COMPILER_VERSION=12.", "CUDAToolkit_VERSION=12.",
                      "CMAKE_CUDA_TOOLKIT_INCLUDE_DIRECTORIES=" + include,
                      "CUDAToolkit_INCLUDE_DIRS=" + include,
                      f"CUDAToolkit_LIBRARY_DIR={self.root}/lib.")
        self.build_and_run()
        # A header that is changed rebuilds what includes it.
        self.assertIn("no work to do", self.succeeds("cmake", "--build", "build"))
        self.write("mine.h", "#define SEVEN 7\n")
        self.write("whole.cu", '#include "mine.h"\n' + SOURCES["whole.cu"].replace("= 7", "= SEVEN"))
        self.succeeds("cmake", "--build", "build")
        self.write("mine.h", "#define SEVEN 6\n")
        self.assertIn("whole.cu.o", self.succeeds("cmake", "--build", "build"))

    def test_make(self):
        self.configure("-G", "Unix Makefiles", "-DCMAKE_BUILD_TYPE=Release",
                       "-DCMAKE_CUDA_ARCHITECTURES=80;90", "-DCMAKE_CUDA_STANDARD=20",
                       "-DCMAKE_POSITION_INDEPENDENT_CODE=ON")
        self.build_and_run()

    def test_openmp(self):
        """find_package(OpenMP) finds gcc's runtime, which does not serve clang's code."""
        self.write("CMakeLists.txt", OPENMP)
        self.write("one.cu", SUM_OF_THREADS + "int main() { return sum_of_threads() != 6; }\n")
        self.write("two.cu", SUM_OF_THREADS + "int of_gcc();\n"
                   "int main() { return sum_of_threads() != 6 || of_gcc() != 6; }\n")
        self.write("gcc.cpp", SUM_OF_THREADS + "int of_gcc() { return sum_of_threads(); }\n")
        self.configure("-G", "Ninja", "-DCMAKE_CXX_COMPILER=g++")
        self.succeeds("cmake", "--build", "build")
        if RUNS:
            for program in ("one", "two"):
                self.succeeds(f"build/{program}", env={"LD_LIBRARY_PATH": self.root + "/lib"})


if __name__ == "__main__":
    main()
