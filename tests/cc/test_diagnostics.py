"""Diagnostics are clang's, with the user's lines, once each."""
import os
import re

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

    UNUSED = """void foo() {
    int i = 0;
}
__device__ int f(int *p) {
    int set;
    set = 1;
    return *p;
    *p = 2;
}
"""

    def numbers(self, *args):
        """Lines and numbers of what is said, "177" of a warning and "E177" of an error."""
        r = self.cc("-c", "a.cu", "-o", "a.o", *args)
        found = re.findall(r"^\S*?(\w+\.\w+):(\d+):\d+: (warning|error): #(\d+)-D: ", r.stderr, re.M)
        errors = any(kind == "error" for _, _, kind, _ in found)
        self.assertEqual(r.returncode, 1 if errors else 0, r.stderr)
        self.assertEqual(self.exists("a.o"), not errors)
        return [("" if file == "a.cu" else file + " ") + line + ":" + "E" * (kind == "error") + n
                for file, line, kind, n in found]

    def test_numbers_of_warnings(self):
        self.write("a.cu", self.UNUSED)
        self.assertEqual(self.numbers(), ["2:177", "5:550", "8:111"])
        r = self.compiles("-c", "a.cu")
        self.assertIn("a.cu:2:9: warning: #177-D: unused variable 'i' [-Wunused-variable]\n",
                      r.stderr)
        for option in (["-no-err-no"], ["-Xcudafe", "--no_display_error_number"]):
            r = self.compiles("-c", "a.cu", *option)
            self.assertIn("a.cu:2:9: warning: unused variable 'i' [-Wunused-variable]\n", r.stderr)
        self.assertEqual(self.numbers("-w"), [])
        self.assertEqual(self.numbers("-Xcompiler", "-Wno-unused-variable"), ["5:550", "8:111"])

    def test_unreachable_loops(self):
        """They have a number of their own, and levels by that."""
        self.write("a.cu", "// loops"
                   "\n__device__ int a(int m) {\n  return m;\n  for (int i = 0; i < m; i++) m--;\n}\n"
                   "__device__ int b(int m) {\n  return m; /* for */\n  // ever\n  while (m > 0)\n    m--;\n}\n"
                   "__device__ int c(int m) {\n  return m;\n  do {\n    m--;\n  } while (m > 0);\n}\n"
                   "__device__ int d(int m) {\n  return m;\n  for (;;)\n    m--;\n}\n"
                   "__device__ int e(int m) {\n  for (; m > 0; m--) {\n    return m;\n    m--;\n  }\n"
                   "  return m;\n  undo: m--;\n}\n")
        found = ["15:128", "20:128", "26:111", "29:111", "4:128", "9:128"]
        self.assertEqual(sorted(self.numbers("-diag-suppress=177")), found)
        self.assertEqual(sorted(self.numbers("-diag-suppress=128,177")), found[2:4])
        self.assertEqual(sorted(self.numbers("-diag-suppress=loop_not_reachable,177",
                                      "-diag-error=code_is_unreachable")), ["26:E111", "29:E111"])

    def test_unsigned_comparisons(self):
        self.write("a.cu", "__device__ int f(unsigned n, int m) {\n  if (n < 0)\n    return 1;\n"
                           "  if (m < 0 || n > 0)\n    return 2;\n  return 0 <= n ? 3 : 4;\n}\n"
                           "#pragma nv_diag_suppress unsigned_compare_with_zero\n"
                           "__device__ bool g(unsigned n) { return n >= 0; }\n")
        self.assertEqual(self.numbers(), ["2:186", "6:186"])

    def test_levels_of_warnings_by_options(self):
        self.write("a.cu", self.UNUSED)
        for args in (["-diag-suppress=177,111"], ["--diag-suppress", "177", "-diag-suppress", "111"],
                     ["-Xcudafe", "--diag_suppress=declared_but_not_referenced", "-Xcudafe",
                      "--diag_suppress=code_is_unreachable"],
                     ["-diag-suppress=177,111,9999999"]):
            self.assertEqual(self.numbers(*args), ["5:550"], args)
        self.assertEqual(self.numbers("-diag-error", "550"), ["2:177", "5:E550", "8:111"])
        self.assertEqual(self.numbers("-Xcudafe", "--diag_error=550", "-diag-warn=550"),
                         ["2:177", "5:550", "8:111"])
        everything = self.fails("-c", "a.cu", "-Werror", "all-warnings").stderr
        self.assertIn("a.cu:2:9: error: #177-D: unused variable 'i' [-Werror,-Wunused-variable]",
                      everything)
        self.assertNotIn("warning:", everything)
        self.assertEqual(self.numbers("-Werror", "all-warnings", "-diag-suppress=177,111,550"), [])
        self.assertEqual(self.numbers("-Werror", "all-warnings", "-diag-warn=177",
                                      "-diag-suppress=111"), ["2:177", "5:E550"])

    def test_levels_of_warnings_by_pragmas(self):
        """Guide 10.42."""
        unused = "void f%d() { int i = 0; }\n"
        self.write("h.h", "#pragma nv_diag_suppress 177\n" + unused % 1)
        self.write("own.h", "#pragma nv_diagnostic push\n#pragma nv_diag_suppress 177\n"
                            "inline " + unused % 2 + "#pragma nv_diagnostic pop\n")
        self.write("late.h", "inline " + unused % 3)
        self.write("a.cu", '#include "h.h"\n' + unused % 4 + "#pragma nv_diag_default 177\n" +
                   unused % 5 + '#include "own.h"\n' + unused % 6 + '#include <late.h>\n' +
                   "#  pragma nv_diag_error 550, 177 // both\n" + unused % 7 +
                   "#pragma nv_diag_warning declared_but_not_referenced\n" + unused % 8 +
                   '_Pragma("nv_diag_suppress 177") ' + unused % 9 +
                   "#pragma diag_default 177\n" + unused % 10)
        self.assertEqual(self.numbers("-I."), ["4:177", "6:177", "late.h 1:177", "9:E177", "11:177",
                                               "14:177"])
        self.assertEqual(self.numbers("-I.", "-diag-suppress=177"), ["9:E177", "11:177"])
        self.write("a.cu", "#pragma nv_diag_suppress 177\n" + unused % 1)
        self.assertEqual(self.numbers("-Werror", "all-warnings"), [])

    def test_many_warnings_in_long_headers(self):
        """Files are read once, whatever the number of warnings."""
        lines = "".join(f"// {k}: of a long text without warnings\n" for k in range(30000))
        unused = "".join(f"inline void f{k}() {{ int i = 0; }}\n" for k in range(60))
        self.write("long.h", lines + unused + "#pragma nv_diag_suppress 177\n" + lines +
                   "inline void g() { int i = 0; }\n")
        self.write("a.cu", '#include "long.h"\n')
        spent = []
        for args in (["-w"], []):
            before = os.times()
            r = self.compiles("-c", "a.cu", *args)
            after = os.times()
            spent.append(after.children_user - before.children_user)
        self.assertEqual(r.stderr.count("#177-D"), 60)
        self.assertLess(spent[1], 4 * spent[0] + 1)  # 100 times as long by a walk a warning

    def test_other_files_warnings_stay(self):
        """Headers of the system and of kudzu are silent; C++ files are the host compiler's."""
        self.write("sys/s.h", "inline void s() { int i = 0; }\n")
        self.write("a.cu", "#include <s.h>\n")
        self.assertEqual(self.compiles("-c", "a.cu", "-isystem", "sys").stderr, "")
        self.write("b.cpp", self.UNUSED.replace("__device__", ""))
        self.assertEqual(self.compiles("-c", "b.cpp").stderr, "")

    def test_constant_alignment_that_clang_fails_on(self):
        self.write("a.cu", "constexpr __device__ int f() { return 16; }\n"
                           "__global__ void k(float *p) {\n"
                           "    *(float *)__builtin_assume_aligned(p, f()) = 1;\n}\n")
        self.assertEqual(self.compiles("-c", "a.cu").stderr, "")
        self.write("a.cu", "__device__ int f();\n__global__ void k(float *p) {\n"
                           "    *(float *)__builtin_assume_aligned(p, f()) = 1;\n}\n")
        self.assertIn("a.cu:3:15: error: ", self.fails("-c", "a.cu").stderr)

    def test_clang_fails(self):
        """A crash is one line, with a place where clang has one."""
        self.write("a.cu", "__global__ void k() {\n#pragma clang __debug crash\n}\n")
        r = self.fails("-c", "a.cu")
        self.assertRegex(r.stderr, r"^a\.cu:\d+:\d+: error: clang itself fails on this \(.*\)\n$")
        self.write("a.cu", "#pragma clang __debug crash\n")
        r = self.fails("-c", "a.cu")
        self.assertEqual(len(r.stderr.splitlines()), 1, r.stderr)
        self.assertIn("error: clang itself fails on this", r.stderr)

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

    def test_launches_by_kernels_are_shown_as_they_are_written(self):
        text = "    if (*p) { c<<<1, 1>>>(q); c<<<1, 1>>>(p); int x = y; } c<<<1,\n        r>>>(p);"
        self.write("a.cu", "__global__ void c(int *p) {}\n__global__ void k(int *p) {\n" + text + "\n}\n")
        lines = text.split("\n")
        r = self.fails("-rdc=true", "-c", "a.cu")
        for number, name in ((3, "q"), (3, "y"), (4, "r")):
            column = re.search(r"\b%s\b" % name, lines[number - 3]).start()
            self.assertIn(f"a.cu:{number}:{column + 1}: error: use of undeclared identifier '{name}'\n", r.stderr)
        self.assertIn("    3 | " + lines[0] + "\n", r.stderr)
        self.assertRegex(r.stderr, r"\n      \| {%d}\^\n" % (lines[0].index("q") + 1))
        self.assertNotIn("__kudzu_launch", r.stderr)

    def test_what_is_not_there_comes_with_advice(self):
        for header, advice in (("cublas_v2.h", "libopenblas-dev"), ("helper_cuda.h", "CUDA samples"),
                               ("cutil_inline.h", "helper_cuda.h"), ("mpi.h", "mpicxx --showme:compile"),
                               ("opencv2/core/core.hpp", "pkg-config opencv4")):
            self.write("a.cu", f"#include <{header}>\n")
            r = self.fails("-c", "a.cu")
            if f"'{header}' file not found" in r.stderr:
                self.assertRegex(r.stderr, "note: .*" + advice)
        self.write("a.cu", "#include <no_such_header.h>\n")
        self.assertNotIn("note:", self.fails("-c", "a.cu").stderr)
        for kind in ("__global__", "__device__"):
            self.write("a.cu", kind + " void f() {\n    cudaDeviceSynchronize();\n}\n")
            self.assertIn("cudaStreamTailLaunch", self.fails("-c", "a.cu").stderr)
        self.write("a.cu", "void f() {\n    cudaDeviceSynchronise();\n}\n")
        self.assertNotIn("cudaStreamTailLaunch", self.fails("-c", "a.cu").stderr)

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
                ("__device__ void __maxnreg__(12) f() {}", "a.cu:2:33: error: __maxnreg__ is for kernels"),
                ("__device__ void __cluster_dims__(2) f() {}", "__cluster_dims__ is for kernels"),
                ("__global__ void __cluster_dims__(2, 0) k() {}", "a side of the cluster"),
                ("__device__ void f(const __grid_constant__ int x) {}", "for parameters of kernels"),
                ("__global__ void k(int &&x) { x = 1; }", "parameter of the kernel 'k' is an rvalue reference"),
                ("struct s { char c[32757]; };\n__global__ void k(s x, int *p) {}",
                 "take 32768 bytes; 32764 are the limit"),
                ("__managed__ __shared__ int x;\n__global__ void k() { x = 1; }",
                 "the __managed__ variable 'x' cannot be __shared__")):
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
