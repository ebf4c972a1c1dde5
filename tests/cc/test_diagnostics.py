"""Diagnostics are clang's, with the user's lines, once each."""
from common import CompilerTest, main


class Diagnostics(CompilerTest):
    def test_error_in_a_kernel_names_its_line(self):
        self.write("a.cu", "__global__ void k() {\n    int x = nothing;\n}\n")
        r = self.fails("-c", "a.cu")
        self.assertIn("a.cu:2:13: error: use of undeclared identifier 'nothing'", r.stderr)
        self.assertIn("    2 |     int x = nothing;", r.stderr)
        self.assertEqual(r.stderr.count("error:"), 1)
        self.assertNotIn("generated", r.stderr)

    def test_error_on_the_host_side_alone(self):
        self.write("a.cu", "#ifndef __CUDA_ARCH__\nint x = nothing;\n#endif\n")
        r = self.fails("-c", "a.cu")
        self.assertIn("a.cu:2:9: error:", r.stderr)

    def test_error_on_the_device_side_alone(self):
        self.write("a.cu", "#ifdef __CUDA_ARCH__\nint x = nothing;\n#endif\n")
        r = self.fails("-c", "a.cu")
        self.assertIn("a.cu:2:9: error:", r.stderr)

    def test_warnings_come_once(self):
        self.write("a.cu", "__global__ void k(int *p) {\n    p[0] == 1;\n}\n"
                           "int main() {\n    int a = 1;\n    a == 2;\n}\n")
        r = self.compiles("-c", "a.cu")
        self.assertEqual(r.stderr.count("a.cu:2:10: warning:"), 1)
        self.assertEqual(r.stderr.count("a.cu:6:7: warning:"), 1)
        self.assertEqual(self.compiles("-c", "-w", "a.cu").stderr, "")
        self.assertIn("error:", self.fails("-c", "-Werror", "all-warnings", "a.cu").stderr)

    def test_functions_that_gcc_evaluates_at_compile_time(self):
        self.write("a.cu", "__device__ constexpr float f() { return 1.f / ::log(10.f); }\n"
                           "__global__ void k(float *p) { *p = f(); }\n")
        self.assertEqual(self.compiles("-c", "a.cu").stderr, "")

    def test_no_warnings_of_the_standard_library_about_itself(self):
        self.write("a.cu", """#include <algorithm>
#include <vector>
void sorted(std::vector<int> &v) {
    std::stable_sort(v.begin(), v.end(), [](int a, int b) { return a < b; });
    std::stable_partition(v.begin(), v.end(), [](int a) { return a < 3; });
    std::inplace_merge(v.begin(), v.begin() + v.size() / 2, v.end());
}
""")
        for standard in ("c++14", "c++17", "c++20"):
            with self.subTest(standard):
                r = self.compiles("-c", "-std=" + standard, "-Werror", "all-warnings", "a.cu")
                self.assertEqual(r.stderr, "")
        self.write("b.cu", """#include <memory>
void *mine() { return std::get_temporary_buffer<int>(3).first; }
""")
        r = self.compiles("-c", "-std=c++17", "b.cu")
        self.assertIn("b.cu:2:28: warning:", r.stderr)

    def test_warnings_of_two_architectures_come_once(self):
        self.write("a.cu", "__global__ void k(int *p) {\n    p[0] == 1;\n}\n")
        r = self.compiles("-c", "a.cu", "-gencode", "arch=compute_70,code=sm_70", "-gencode",
                          "arch=compute_90,code=sm_90")
        self.assertEqual(r.stderr.count("warning:"), 1)

    def test_error_in_an_included_file_tells_the_way(self):
        self.write("inc/h.h", "int f(unknown x);\n")
        self.write("a.cu", '#include "h.h"\n')
        r = self.fails("-c", "-Iinc", "a.cu")
        self.assertIn("In file included from a.cu:1:", r.stderr)
        self.assertIn("h.h:1:", r.stderr)

    def test_host_function_called_in_a_kernel(self):
        self.write("a.cu", "void host_only();\n__global__ void k() {\n    host_only();\n}\n")
        r = self.fails("-c", "a.cu")
        self.assertIn("a.cu:3:", r.stderr)
        self.assertIn("__host__ function", r.stderr)

    def test_orders_and_scopes_of_atomics_are_constants_that_fit(self):
        for call, reason in (
                ("__nv_atomic_fetch_add(p, 1, o)", "the order must be a constant"),
                ("__nv_atomic_fetch_add(p, 1, 0, o)", "the scope must be a constant"),
                ("__nv_atomic_load_n(p, 3)", "the operation cannot have this order"),
                ("__nv_atomic_store_n(p, 1, 2)", "the operation cannot have this order"),
                ("__nv_atomic_store_n(p, 1, 3, 9)", "the scope is one of"),
                ("__nv_atomic_exchange_n((char *)p, 1, 2)", "4, 8 or 16 bytes"),
                ("__nv_atomic_fetch_add((short *)p, 1, 2)", "no matching function")):
            self.write("a.cu", "__device__ void f(int *p, int o) {\n    %s;\n}\n" % call)
            r = self.fails("-c", "a.cu")
            self.assertIn("a.cu:2:", r.stderr)
            self.assertIn(reason, r.stderr)
        self.write("a.cu", "void f(int *p) {\n    __nv_atomic_fetch_add(p, 1, 0);\n}\n")
        self.assertIn("a.cu:2:", self.fails("-c", "a.cu").stderr)

    def test_restrictions_that_clang_does_not_know(self):
        for source, reason in (
                ("__global__ void __launch_bounds__(128) __maxnreg__(32) k() {}", "cannot both apply"),
                ("__device__ void __maxnreg__(12) f() {}", "a.cu:2: __maxnreg__ is for kernels"),
                ("__device__ void __cluster_dims__(2) f() {}", "__cluster_dims__ is for kernels"),
                ("__global__ void __cluster_dims__(2, 0) k() {}", "a side of the cluster"),
                ("__device__ void f(const __grid_constant__ int x) {}", "for parameters of kernels"),
                ("__global__ void k(int &x) { x = 1; }", "'k(int&)' is a reference"),
                ("struct s { char c[32757]; };\n__global__ void k(s x, int *p) {}",
                 "take 32768 bytes; 32764 are the limit"),
                ("__managed__ __shared__ int x;\n__global__ void k() { x = 1; }",
                 "the managed variable 'x' must be neither")):
            self.write("a.cu", "\n%s\n" % source)
            self.assertIn(reason, self.fails("-c", "a.cu").stderr)
        self.write("a.cu", "struct s { char c[32752]; };\n"
                           "__global__ void k(const __grid_constant__ s x, int *p) { *p = x.c[9]; }\n"
                           "__global__ void __launch_bounds__(128, 2, 4) l() {}\n"
                           "__global__ void __cluster_dims__(2, 1, 1) __maxnreg__(32) m() {}\n"
                           "__device__ __nv_pure__ int p(int x) { return x; }\n")
        self.assertEqual(self.compiles("-c", "a.cu").stderr, "")

    def test_ordinary_source_gives_no_output(self):
        self.write("a.cu", "#include <cstdio>\n#pragma nv_diag_suppress 177\n"
                           "__global__ void k() { printf(\"%d\", threadIdx.x); }\n"
                           "int main() { k<<<1, 1>>>(); return 0; }\n")
        r = self.compiles("-c", "a.cu")
        self.assertEqual(r.stderr + r.stdout, "")


if __name__ == "__main__":
    main()
