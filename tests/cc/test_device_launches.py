"""Launches in device code: where they may stand, what clang says about wrong ones, and that nothing
else is touched."""
import os

from common import CompilerTest, main

CHILD = "#include <cstdio>\n__global__ void child(int x) { printf(\"%d\\n\", x); }\n"
MAIN = "int main() { parent<<<1, 1>>>(); return cudaDeviceSynchronize(); }\n"


class DeviceLaunches(CompilerTest):
    def ptx(self, text, launches):
        self.write("a.cu", text)
        r = self.compiles("-ptx", "-extended-lambda", "a.cu", "-o", "a.ptx")
        self.assertEqual(r.stderr, "")
        ptx = self.read("a.ptx")
        # The declaration has parentheses behind the name, calls have a comma.
        self.assertEqual(ptx.count("__cudaCDP2LaunchDeviceV2,"), launches)
        self.lacks(ptx, "__cudaPushCallConfiguration")

    def test_in_a_macro(self):
        self.ptx(CHILD + "#define LAUNCH(k, ...) \\\n    k<<<1, 1>>>(__VA_ARGS__)\n"
                 "__global__ void parent() { LAUNCH(child, 3); }\n" + MAIN, 1)

    def test_in_a_function_that_a_macro_marks(self):
        self.ptx(CHILD + "#define KERNEL __global__ void\n"
                 "KERNEL parent() { child<<<1, 1>>>(3); child<<<1, 1>>>(4); }\n" + MAIN, 2)

    def test_in_a_header(self):
        self.write("b.cuh", "#pragma once\n__device__ inline void launch(int x) {\n"
                            "    child<<<1, 1>>>(x);\n}\n")
        self.ptx(CHILD + "#include \"b.cuh\"\n__global__ void parent() { launch(3); }\n" + MAIN, 1)

    def test_in_methods_templates_and_lambdas(self):
        self.ptx(CHILD + """
template <class T> struct s {
    T x;
    __device__ void go() const { child<<<1, 1>>>(x); }
    void on_host() { child<<<1, 1>>>(2); }
};
template <class F> __global__ void apply(F f) { f(3); }
__global__ void parent() {
    s<int>{1}.go();
    auto f = [](int x) { child<<<1, 1>>>(x); };
    f(2);
}
int main() {
    apply<<<1, 1>>>([] __device__ (int x) { child<<<1, 1>>>(x); });
    s<int>{1}.on_host();
    parent<<<1, 1>>>();
}
""", 3)

    def test_branches_of_the_preprocessor_with_half_a_brace(self):
        self.ptx(CHILD + """
#if 1
__global__ void parent() {
#else
__global__ void parent(int) {
#endif
    child<<<1, 1>>>(1);
}
void host() { child<<<1, 1>>>(1); }
""" + MAIN, 1)

    def test_text_that_looks_like_a_launch(self):
        self.ptx(CHILD + """
__global__ void parent() {
    // child<<<1, 1>>>(1);
    /* child<<<1, 1>>>(1); */
    printf("child<<<1, 1>>>(1);");
    printf(R"x(" child<<<1, 1>>>(1); )x");
    child<<<1, '"' == 34 ? 1 : 2>>>(1 /* ) */);
}
""" + MAIN, 1)

    def test_errors_are_on_their_line(self):
        self.write("a.cu", CHILD + "__global__ void parent() {\n    child<<<1, 1>>>(nothing);\n}\n")
        r = self.fails("-c", "a.cu")
        self.assertIn("a.cu:4:", r.stderr)
        self.assertIn("error: use of undeclared identifier 'nothing'", r.stderr)
        self.assertEqual(r.stderr.count("error:"), 1)

    def test_arguments_must_fit(self):
        self.write("a.cu", CHILD + "__global__ void parent() {\n    child<<<1, 1>>>(1, 2);\n}\n")
        r = self.fails("-c", "a.cu")
        self.assertIn("a.cu:4:", r.stderr)
        self.assertIn("child", r.stderr)

    def test_synchronisation_is_gone(self):
        self.write("a.cu", CHILD + "__global__ void parent() {\n    cudaDeviceSynchronize();\n}\n")
        r = self.fails("-c", "a.cu")
        self.assertIn("a.cu:4:5: error:", r.stderr)
        self.assertIn("cudaDeviceSynchronize", r.stderr)

    def test_kernels_of_other_files(self):
        self.write("child.cu", CHILD)
        self.write("a.cu", "__global__ void child(int);\n"
                   "__global__ void parent() { child<<<1, 1>>>(3); }\n" + MAIN)
        self.compiles("-rdc=true", "-O2", "a.cu", "child.cu", "-lcudadevrt", "-o", "a.out")
        if os.environ.get("KUDZU_RUNS"):
            self.assertEqual(self.command(["./a.out"]).stdout, "3\n")

    def test_spaces_in_brackets_in_a_header(self):
        # nvcc reads `<< <` so wherever it stands; tests/cc/language/launch_spaces.cu has the source.
        self.write("b.cuh", "#pragma once\ninline void launch(int x) {\n"
                            "    child << <1, 1 >> > (x);\n    child<<< 1 << 0, 1 >> >(x + 1);\n}\n")
        self.write("a.cu", CHILD + "#include \"b.cuh\"\n"
                   "int main() { launch(3); return cudaDeviceSynchronize(); }\n")
        self.assertEqual(self.compiles("a.cu", "-o", "a.out").stderr, "")
        if os.environ.get("KUDZU_RUNS"):
            self.assertEqual(self.command(["./a.out"]).stdout, "3\n4\n")

    def test_without_optimisation(self):
        self.write("a.cu", CHILD + "__global__ void parent() { child<<<1, 1>>>(3); }\n" + MAIN)
        self.compiles("-G", "a.cu", "-o", "a.out")
        if os.environ.get("KUDZU_RUNS"):
            self.assertEqual(self.command(["./a.out"]).stdout, "3\n")


if __name__ == "__main__":
    main()
