"""Programs from source to exit status: what needs compiler, libraries and driver together."""
import os
import shutil
import signal

from common import CompilerTest, KUDZU, main

RUNS = os.environ.get("KUDZU_RUNS") == "1"

MANAGED = """
extern __managed__ int shared;
__managed__ int x = 3;
__device__ __managed__ float values[4] = {1, 2, 3, 4};
struct pair { int a, b; };
static __managed__ pair p;
__global__ void k() { x += 10; values[2] *= 2; p.b = x; }
int main() {
    x += 1; // before the first call of the runtime
    values[1] = 7;
    int *address = &x;
    float *third = &values[2];
    for (int i = 0; i < 2; ++i) p.a += i + 4;
    k<<<1, 1>>>();
    cudaDeviceSynchronize();
    cudaPointerAttributes attributes;
    cudaPointerGetAttributes(&attributes, address);
    return x != 14 || *address != 14 || values[1] != 7 || *third != 6 || p.b != 14 || p.a != 9 ||
           attributes.type != cudaMemoryTypeManaged;
}
"""

OVERFLOW = """
#include <cstdlib>
__global__ void square(int *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] = (unsigned)i * i;
}
static int test(int n) {
    int *d, *a = (int *)malloc(n * sizeof(int));
    cudaMalloc(&d, n * sizeof(int));
    square<<<(n + 255) / 256, 256>>>(d, n);
    cudaMemcpy(a, d, n * sizeof(int), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i += 1)
        if (a[i] != i * i)
            return 1;
    return 0;
}
int main() { return test(100000) || test(70000); }
"""

HELLO = """#include <cstdio>
#include "value.h"
__global__ void hello() { printf("value %d\\n", VALUE); }
int main(int argc, char **argv) {
    hello<<<1, 1>>>();
    cudaDeviceSynchronize();
    for (int i = 1; i < argc; ++i) printf("%s\\n", argv[i]);
    return argc;
}
"""


class Programs(CompilerTest):
    def setUp(self):
        super().setUp()
        if not RUNS:
            self.skipTest("there is no driver")

    def passes(self, program, *args):
        r = self.command([os.path.join(self.dir, program), *args])
        self.assertEqual(r.returncode, 0, r.stdout + r.stderr)
        return r

    def test_signed_overflow_of_host_code_wraps(self):
        self.write("o.cu", OVERFLOW)
        for flags in (["-O0"], ["-O2"], ["-O3"]):
            self.compiles("o.cu", "-o", "o", *flags)
            self.passes("o")

    def test_managed_variables(self):
        self.write("m.cu", MANAGED)
        for flags in ([], ["-O3"], ["-rdc=true"], ["-rdc=true", "-O2"]):
            self.compiles("m.cu", "-o", "m", *flags)
            self.passes("m")

    def test_textures(self):
        programs = os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs")
        for name in ("textures", "images", "image_formats"):
            self.compiles(os.path.join(programs, name + ".cu"), "-o", name)
            for executor in ("interp", "simd"):
                os.environ["KUDZU_EXEC"] = executor
                self.addCleanup(os.environ.pop, "KUDZU_EXEC", None)
                self.passes(name)

    def test_warp_matrix_functions(self):
        source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs/wmma.cu")
        self.compiles(source, "-arch=sm_90", "-o", "wmma")
        # Each kernel runs once: better code (simd_matrix) would be made beside, and thrown away.
        os.environ["KUDZU_TIER"] = "quick"
        self.addCleanup(os.environ.pop, "KUDZU_TIER", None)
        self.passes("wmma")

    def test_clusters_barriers_and_pipelines(self):
        source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs/clusters.cu")
        self.compiles(source, "-std=c++17", "-arch=sm_90", "-o", "clusters")
        for executor in ("interp", "simd"):
            os.environ["KUDZU_EXEC"] = executor
            self.addCleanup(os.environ.pop, "KUDZU_EXEC", None)
            self.passes("clusters")

    def test_conditional_nodes(self):
        source = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                              "programs/conditional_nodes.cu")
        self.compiles(source, "-arch=sm_90", "-o", "conditional_nodes")
        self.passes("conditional_nodes")

    def test_managed_variable_of_another_file(self):
        self.write("a.cu", "extern __managed__ int x;\n__global__ void k() { x *= 2; }\n"
                           "int main() { x += 1; k<<<1, 1>>>(); cudaDeviceSynchronize();\n"
                           "return x != 12; }\n")
        self.write("b.cu", "__managed__ int x = 5;\n")
        self.compiles("-rdc=true", "a.cu", "b.cu", "-o", "m")
        self.passes("m")

    def test_several_files_with_static_symbols_of_one_name(self):
        for n in (1, 2):
            self.write(f"f{n}.cu",
                       f"static __device__ int v = {n};\n"
                       "static __global__ void k(int *p) { *p = v; }\n"
                       f"int f{n}() {{ int *p, r; cudaMalloc(&p, 4); k<<<1, 1>>>(p);\n"
                       "cudaMemcpy(&r, p, 4, cudaMemcpyDefault); return r; }\n")
        self.write("main.cpp", "int f1(); int f2();\nint main() { return f1() * 10 + f2() - 12; }\n")
        for rdc in ("true", "false"):
            self.compiles("f1.cu", "f2.cu", "main.cpp", "-rdc=" + rdc, "-o", "m")
            self.passes("m")

    def test_kernels_in_a_shared_library(self):
        self.write("lib.cu", "template <typename T> __global__ void k(T *p) { *p = T(7); }\n"
                             "extern \"C\" int run() { int *p, r = 0; cudaMalloc(&p, 4);\n"
                             "k<<<1, 1>>>(p); cudaMemcpy(&r, p, 4, cudaMemcpyDefault);\n"
                             "return r; }\n")
        self.write("main.cpp", "extern \"C\" int run();\nint main() { return run() - 7; }\n")
        self.compiles("-shared", "-Xcompiler", "-fPIC", "lib.cu", "-o", "libk.so")
        self.compiles("main.cpp", "-L.", "-lk", "-Xlinker", "-rpath", "-Xlinker", "$ORIGIN", "-o",
                      "m")
        self.passes("m")

    def test_shared_runtime(self):
        self.write("a.cu", "int main() { int n; return cudaGetDeviceCount(&n); }\n")
        self.compiles("a.cu", "-cudart", "shared", "-o", "m")
        self.passes("m")

    def test_extended_lambda(self):
        self.write("a.cu", "template <typename F> __global__ void apply(F f, int *p) { f(p); }\n"
                           "int main() { int *p, r, n = 5; cudaMalloc(&p, 4);\n"
                           "apply<<<1, 1>>>([=] __device__(int *q) { *q = n * 2; }, p);\n"
                           "cudaMemcpy(&r, p, 4, cudaMemcpyDefault); return r - 10; }\n")
        self.compiles("a.cu", "-extended-lambda", "-o", "m")
        self.passes("m")

    def test_cmake(self):
        if not shutil.which("cmake") or not shutil.which("ninja"):
            self.skipTest("no CMake")
        os.symlink(os.path.realpath(KUDZU), os.path.join(self.dir, "nvcc"))
        self.write("lib.cu", "__device__ int f(int x) { return x * 3; }\n")
        self.write("main.cu", "__device__ int f(int);\n__global__ void k(int *p) { *p = f(5); }\n"
                              "int main() { int *p, r; cudaMalloc(&p, 4); k<<<1, 1>>>(p);\n"
                              "cudaMemcpy(&r, p, 4, cudaMemcpyDefault); return r != 15; }\n")
        self.write("host.cpp", "#include <cuda_runtime.h>\n"
                               "int main() { int n; return cudaGetDeviceCount(&n); }\n")
        self.write("driver.cpp", "#include <cuda.h>\nint main() { return cuInit(0); }\n")
        self.write("CMakeLists.txt", """cmake_minimum_required(VERSION 3.18)
project(test LANGUAGES CXX CUDA)
find_package(CUDAToolkit 12 REQUIRED)
add_library(dev STATIC lib.cu)
add_executable(app main.cu)
target_link_libraries(app dev)
set_target_properties(dev app PROPERTIES CUDA_SEPARABLE_COMPILATION ON)
add_executable(host host.cpp)
target_link_libraries(host CUDA::cudart)
add_executable(driver driver.cpp)
target_link_libraries(driver CUDA::cuda_driver)
""")
        for args in (["-G", "Ninja", "-B", "b", f"-DCMAKE_CUDA_COMPILER={self.dir}/nvcc",
                      "-DCMAKE_CUDA_ARCHITECTURES=90"], ["--build", "b"]):
            r = self.command(["cmake", *args])
            self.assertEqual(r.returncode, 0, r.stdout[-2000:] + r.stderr[-2000:])
        for program in ("app", "host", "driver"):
            self.passes("b/" + program)

    def test_linker_without_search_path(self):
        self.write("a.cu", "__global__ void k() {}\nint main() { k<<<1, 1>>>();\n"
                           "return cudaDeviceSynchronize(); }\n")
        self.compiles("-c", "a.cu")
        lib = os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(KUDZU))), "lib")
        r = self.command(["c++", "a.o", "-o", "m", lib + "/libcudart_static.a", "-lpthread",
                          "-ldl", "-lrt"])
        self.assertEqual(r.returncode, 0, r.stderr)
        self.passes("m")

    def test_run_option(self):
        self.write("a.cu", "int main(int c, char **v) { return c == 2 && v[1][0] == 'x' ? 3 : 1; }\n")
        r = self.cc("a.cu", "-run", "-run-args", "x")
        self.assertEqual(r.returncode, 3, r.stderr)
        # A program that was made before runs as it is; Meson writes its name in quotes.
        self.write("b.cu", "int main(int c, char **) { return c; }\n")
        self.compiles("b.cu", "-o", "b.exe")
        r = self.cc("--run", '"' + os.path.join(self.dir, "b.exe") + '"')
        self.assertEqual(r.returncode, 1, r.stderr)
        self.assertEqual(r.stderr, "")

    def run_tool(self, *args, cwd=None):
        return self.command([KUDZU, "run", *args])

    def test_kudzu_run(self):
        self.write("value.h", "#define VALUE 1\n")
        self.write("prog.cu", HELLO)
        r = self.run_tool("prog.cu", "-a", "b c")
        self.assertEqual((r.returncode, r.stdout), (3, "value 1\n-a\nb c\n"), r.stderr)
        # Compiled once: with clang gone, it still runs.
        environment = {"PATH": "/nonexistent"}
        r = self.command([KUDZU, "run", "prog.cu"], environment)
        self.assertEqual((r.returncode, r.stdout), (1, "value 1\n"), r.stderr)
        # A header counts.
        self.write("value.h", "#define VALUE 2\n")
        self.assertEqual(self.run_tool("prog.cu").stdout, "value 2\n")
        # So do options.
        self.write("value.h", "")
        self.assertEqual(self.run_tool("-DVALUE=7", "prog.cu").stdout, "value 7\n")
        self.assertEqual(self.run_tool("-DVALUE=8", "prog.cu").stdout, "value 8\n")

    def test_kudzu_run_of_a_header_that_only_the_device_sees(self):
        self.write("value.h", "#ifdef __CUDA_ARCH__\n#include \"device.h\"\n#else\n"
                              "#define VALUE 0\n#endif\n")
        self.write("device.h", "#define VALUE 3\n")
        self.write("prog.cu", HELLO)
        self.assertEqual(self.run_tool("prog.cu").stdout, "value 3\n")
        self.write("device.h", "#define VALUE 4\n")
        self.assertEqual(self.run_tool("prog.cu").stdout, "value 4\n")

    def test_kudzu_run_errors(self):
        self.assertEqual(self.run_tool("missing.cu").returncode, 1)
        self.assertEqual(self.run_tool().returncode, 1)
        self.write("bad.cu", "int main( {\n")
        r = self.run_tool("bad.cu")
        self.assertEqual(r.returncode, 1)
        self.assertIn("bad.cu:1:", r.stderr)
        self.write("sig.cu", "#include <csignal>\nint main() { raise(SIGTERM); }\n")
        self.assertEqual(self.run_tool("sig.cu").returncode, -signal.SIGTERM)

    def test_smi(self):
        r = self.command([KUDZU, "smi"])
        self.assertEqual(r.returncode, 0, r.stderr)
        self.assertIn("kudzu CPU", r.stdout)
        lines = r.stdout.splitlines()
        self.assertRegex(lines[-1], r"^Driver: .*libcuda\.so\.1, because ")
        widths = {len(line) for line in lines if line[:1] in ("|", "+")}
        self.assertEqual(len(widths), 1, r.stdout)
        self.assertRegex(self.command([KUDZU, "smi", "-L"]).stdout, r"^GPU 0: kudzu CPU")

    def test_native_code(self):
        self.write("value.h", "#define VALUE 5\n")
        self.write("prog.cu", HELLO)
        self.compiles("prog.cu", "--kudzu-native=x86-64-v2,x86-64-v3", "-o", "m")
        r = self.command([self.dir + "/m"])
        self.assertEqual((r.returncode, r.stdout), (1, "value 5\n"), r.stderr)


    def test_clusters(self):
        self.write("a.cu", """#include <cstdio>
__global__ void __cluster_dims__(2, 3) k(int *out) {
    int rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    out[blockIdx.y * gridDim.x + blockIdx.x] = rank;
}
int main() {
    int *p;
    cudaMallocManaged(&p, 12 * sizeof *p);
    k<<<dim3(4, 3), 1>>>(p);
    cudaDeviceSynchronize();
    for (int i = 0; i < 12; i++)
        printf("%d ", p[i]);
    k<<<dim3(4, 4), 1>>>(p); // no multiple of three
    printf("%s\\n", cudaGetErrorName(cudaGetLastError()));
}
""")
        self.compiles("-ptx", "a.cu", "-o", "a.ptx")
        with open(self.dir + "/a.ptx") as f:
            self.assertIn(".reqnctapercluster 2, 3, 1\n", f.read())
        self.compiles("a.cu", "-o", "a")
        r = self.command([self.dir + "/a"])
        self.assertEqual(r.stdout, "0 1 0 1 2 3 2 3 4 5 4 5 cudaErrorInvalidClusterSize\n", r.stderr)

    def test_clusters_whose_shape_the_launch_gives(self):
        self.write("a.cu", """#include <cstdio>
__global__ void __cluster_dims__() k(int *out) {
    asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(*out));
}
int main() {
    int *p;
    cudaMallocManaged(&p, sizeof *p);
    k<<<4, 1>>>(p);
    printf("%s ", cudaGetErrorName(cudaGetLastError()));
    cudaLaunchAttribute shape = {cudaLaunchAttributeClusterDimension};
    shape.val.clusterDim = {2, 1, 1};
    cudaLaunchConfig_t config = {4, 1};
    config.attrs = &shape;
    config.numAttrs = 1;
    cudaLaunchKernelEx(&config, k, p);
    printf("%s ", cudaGetErrorName(cudaDeviceSynchronize()));
    printf("%d\\n", *p);
}
""")
        self.compiles("a.cu", "-o", "a")
        r = self.command([self.dir + "/a"])
        self.assertEqual(r.stdout, "cudaErrorInvalidClusterSize cudaSuccess 2\n", r.stderr)

    def test_libraries_that_come_and_go(self):
        """A managed variable loads the module in a constructor, under the lock of the system's loader."""
        self.write("lib.cu", "__managed__ int seen;\n__device__ int state = 10;\n"
                             "__global__ void step(int n) { state += n; seen = state; }\n"
                             "extern \"C\" int run(int n) {\n    step<<<1, 1>>>(n);\n"
                             "    return cudaDeviceSynchronize() ? -1 : seen;\n}\n")
        self.write("a.cpp", "#include <dlfcn.h>\nint main() {\n    for (int k = 0; k < 3; k++) {\n"
                            "        void *so = dlopen(\"./lib.so\", RTLD_NOW | RTLD_LOCAL);\n"
                            "        auto run = (int (*)(int))dlsym(so, \"run\");\n"
                            "        if (run(5) != 15 || run(2) != 17)\n            return 1;\n"
                            "        dlclose(so);\n    }\n    return 0;\n}\n")
        for runtime in "static", "shared":
            self.compiles("-cudart", runtime, "-shared", "-Xcompiler", "-fPIC", "lib.cu", "-o", "lib.so")
            self.compiles("-cudart", runtime, "a.cpp", "-ldl", "-o", "a")
            self.assertEqual(self.command([self.dir + "/a"]).returncode, 0)

    STEP = ("__device__ int state = 10;\n"
            "__global__ void step(int *out, int n) { *out = state += n; }\n")
    RUN = ("static int run(int n) {\n    int *p, r;\n    cudaMallocManaged(&p, sizeof *p);\n"
           "    step<<<1, 1>>>(p, n);\n    r = cudaDeviceSynchronize() ? -1 : *p;\n    cudaFree(p);\n"
           "    return r;\n}\n")

    def test_launches_of_initialisers(self):
        """Kernels are registered before static variables are initialised, those of other files too."""
        self.write("a.cu", self.STEP + self.RUN + "static int result = run(5);\nint other();\n"
                           "int main() { return !(result == 15 && other() == 16); }\n")
        self.write("b.cu", "__global__ void last(int *out, int n) { *out = 10 + n; }\n" + self.RUN.replace("step", "last") +
                           "static int result = run(6);\nint other() { return result; }\n")
        for options in [], ["-rdc=true"], ["-cudart", "shared"]:
            self.compiles(*options, "b.cu", "a.cu", "-o", "a")
            self.assertEqual(self.command([self.dir + "/a"]).returncode, 0, options)

    def loads(self, library, launch=""):
        """Runs a program that loads a library, whose initialiser has to give 15, beside another thread."""
        self.write("lib.cu", library + "int result = (entered(), run(5));\nextern \"C\" int get() { return result; }\n")
        self.write("a.cu", "#include <atomic>\n#include <dlfcn.h>\n#include <thread>\n#include <unistd.h>\n"
                           "std::atomic<bool> inside;\nextern \"C\" void entered() { inside = true; usleep(100000); }\n"
                           "__global__ void mine(int *p) { *p += 3; }\nint main() {\n    int r = 0, *p;\n"
                           "    cudaMallocManaged(&p, sizeof *p);\n    *p = 4;\n    std::thread t([&] {\n"
                           "        void *so = dlopen(\"./lib.so\", RTLD_NOW | RTLD_LOCAL);\n"
                           "        r = so ? ((int (*)())dlsym(so, \"get\"))() : -2;\n    });\n"
                           "    while (!inside)\n        usleep(1000);\n    " + launch +
                           "    cudaError_t e = cudaDeviceSynchronize();\n    t.join();\n"
                           "    return e || r != 15 || *p != (" + str(int(bool(launch))) + " ? 7 : 4);\n}\n")
        for options in ["-cudart", "static"], ["-cudart", "shared"]:
            self.compiles(*options, "-rdc=true", "-shared", "-Xcompiler", "-fPIC", "lib.cu", "-o", "lib.so")
            self.compiles(*options, "a.cu", "-Xlinker", "--export-dynamic", "-ldl", "-o", "a")
            # Nothing in the cache, then all of it.
            for cache in "1", "0", "0":
                r = self.command([self.dir + "/a"], {"CUDA_CACHE_DISABLE": cache, "CUDA_CACHE_PATH": self.dir + "/cache"})
                self.assertEqual(r.returncode, 0, r.stderr)

    def test_launches_of_constructors_of_libraries(self):
        """They run under the lock of the system's loader, which loading the compiler needs, too."""
        entered = "extern \"C\" void entered();\n"
        self.loads(entered + self.STEP + self.RUN)
        self.loads(entered + self.STEP + self.RUN, "mine<<<1, 1>>>(p);\n")
        self.loads(entered + "__managed__ int seen;\n" + self.STEP + self.RUN, "mine<<<1, 1>>>(p);\n")

    def test_nested_launches_of_constructors_of_libraries(self):
        nested = ("extern \"C\" void entered();\n__device__ int state = 10;\n"
                  "__global__ void last(int *out, int n) { *out = state += n; }\n"
                  "__global__ void step(int *out, int n) { last<<<1, n>>>(out, n); }\n"
                  .replace("*out = state += n", "if (!threadIdx.x) *out = state += n"))
        self.loads(nested + self.RUN, "mine<<<1, 1>>>(p);\n")
        self.loads(nested + self.RUN)

    def test_included_by_option(self):
        """Behind cuda_runtime.h, as under nvcc."""
        self.write("own.h", "__device__ int twice(int x) { return 2 * x; }\n")
        self.write("a.cu", "__global__ void k(int *p) { assert(p); *p = twice(4); }\nint main() {\n"
                           "    int *p;\n    cudaMallocManaged(&p, 4);\n    k<<<1, 1>>>(p);\n"
                           "    return cudaDeviceSynchronize() || *p != 8;\n}\n")
        self.compiles("-include", "own.h", "-include", "cassert", "a.cu", "-o", "a")
        self.assertEqual(self.command([self.dir + "/a"]).returncode, 0)

    def test_functions_with_the_names_of_old_templates(self):
        self.write("a.cu", "template <class T> __host__ __device__ T texture(T x) { return x + 1; }\n"
                           "template <int N> constexpr int surface = 2 * N;\n"
                           "__global__ void k(int *p) { *p = texture<int>(*p) + surface<4>; }\n"
                           "int main() {\n    int *p;\n    cudaMallocManaged(&p, 4);\n    *p = 1;\n"
                           "    k<<<1, 1>>>(p);\n    cudaDeviceSynchronize();\n    return *p;\n}\n")
        self.assertEqual(self.compiles("a.cu", "-o", "a").stderr, "")
        self.assertEqual(self.command([self.dir + "/a"]).returncode, 10)

    def test_numbers_of_turns_to_unroll(self):
        """Those that are not positive or too large are ignored with a warning; parentheses are
        usual."""
        self.write("a.h", "template <int N> __device__ int sum(const int *p) {\n    int s = 0;\n"
                          "#pragma unroll N\n    for (int i = 0; i < 12; i++)\n        s += p[i];\n"
                          "    return s;\n}\n")
        self.write("a.cu", "#include \"a.h\"\n#include <cstdio>\n__global__ void k(int *p) {\n"
                           "#pragma unroll -1\n    for (int i = 0; i < 12; i++)\n        p[i] = i;\n"
                           "    # pragma unroll 4294967296\n    for (int i = 0; i < 12; i++)\n"
                           "        p[i] += 1;\n#pragma unroll (2 + 2)\n"
                           "    for (int i = 0; i < 12; i++)\n        p[i] += 1;\n#pragma unroll 0\n"
                           "    for (int i = 0; i < 12; i++)\n        p[i] += 1;\n"
                           "    p[0] = sum<-3>(p) + sum<4>(p);\n}\nint main() {\n    int *p;\n"
                           "    cudaMallocManaged(&p, 48);\n    k<<<1, 1>>>(p);\n"
                           "    cudaDeviceSynchronize();\n    printf(\"%d\", *p);\n}\n")
        r = self.compiles("a.cu", "-o", "a")
        for place in "a.h:3:", "a.cu:4:", "a.cu:7:":
            self.assertRegex(r.stderr, place + r"\d+: warning: '#pragma unroll' has a number")
        self.assertEqual(r.stderr.count(" warning: "), 3, r.stderr)
        r = self.command([self.dir + "/a"])
        self.assertEqual(r.stdout, "204", r.stderr)


class Refusals(CompilerTest):
    def test_random_numbers_of_the_host(self):
        """The logarithms that libstdc++'s distributions divide are computed at compile time, as by g++."""
        constants = """#include <random>
            float draw(std::mt19937 &g) { return std::uniform_real_distribution<float>(0, 4)(g); }
            unsigned bits() { return (unsigned)(std::log(4294967296.0L) / std::log(2.0L)); }
            """
        others = """#include <cmath>
            long double of_value(long double x) { return std::log(x); }
            long double of_zero() { return std::log(0.0L); }
            """
        for name, text in ("a.cu", constants), ("b.cpp", constants), ("c.cu", others):
            self.write(name, text)
            self.compiles("-O2", "-c", name, "-o", name + ".o")
            unknown = self.command(["nm", "-u", name + ".o"]).stdout
            (self.contains if text is others else self.lacks)(unknown, "logl")

    def test_address_of_a_managed_variable_in_a_static_initialiser(self):
        self.write("a.cu", "__managed__ int x;\nint *p = &x;\n")
        self.assertIn("'x' is not a constant", self.fails("-c", "a.cu").stderr)


OPENMP = """#include <cstdio>
#include <omp.h>
int of_gcc();
__global__ void k(int *p) { p[threadIdx.x] += threadIdx.x; }
int main() {
    int *p, n = 0, sum = 0;
    cudaMallocManaged(&p, 64 * sizeof(int));
#pragma omp parallel num_threads(4) reduction(+ : sum)
    {
#pragma omp critical
        n++;
        sum += omp_get_thread_num();
    }
#pragma omp parallel for
    for (int i = 0; i < 64; i++)
        p[i] = i;
    k<<<1, 64>>>(p);
    cudaDeviceSynchronize();
    printf("%d %d %d %d\\n", n, sum, p[63], of_gcc());
    return n != 4 || sum != 0 + 1 + 2 + 3 || p[63] != 126 || of_gcc() != 0 + 1 + 2;
}
"""
OF_GCC = """#include <omp.h>
int of_gcc() {
    int sum = 0;
#pragma omp parallel num_threads(3) reduction(+ : sum)
    sum += omp_get_thread_num();
    return sum;
}
"""


class OpenMP(CompilerTest):
    """Host code with OpenMP beside kernels, and beside code of gcc's with its runtime."""

    def setUp(self):
        super().setUp()
        self.write("a.cu", OPENMP)
        self.write("b.cpp", OF_GCC)

    def runs(self, program):
        if not RUNS:
            return
        r = self.command([os.path.join(self.dir, program)])
        self.assertEqual(r.returncode, 0, r.stdout + r.stderr)

    def test_program(self):
        for options in (["-Xcompiler", "-fopenmp"], ["-Xcompiler=-fopenmp", "-lgomp"],
                        ["-Xcompiler", "-fopenmp -O2", "-rdc=true"]):
            self.compiles("a.cu", "b.cpp", *options, "-o", "prog")
            self.runs("prog")

    def test_objects(self):
        self.compiles("-c", "a.cu", "-Xcompiler", "-fopenmp")
        r = self.command(["g++", "-fopenmp", "-c", "b.cpp"])
        self.assertEqual(r.returncode, 0, r.stderr)
        for options in ([], ["-lgomp"], ["-Xcompiler", "-fopenmp"]):
            self.compiles("a.o", "b.o", *options, "-o", "prog")
            self.runs("prog")


if __name__ == "__main__":
    main()
