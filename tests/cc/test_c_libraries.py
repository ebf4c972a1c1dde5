"""Programs compile whatever functions the C library declares of its own.

C23 and later standards bring functions that CUDA has had for long (sinpi, rsqrt): a math.h that
declares them all stands for a C library of tomorrow. With arguments, those of other releases:
test_c_libraries.py FOLDER...: every public header compiles with the headers in each (sysroot.sh).
"""
import os
import sys
import unittest

from common import KUDZU, CompilerTest

# What glibc 2.41 to 2.43 declare, and what one could declare next: all of CUDA's host functions.
ONE = """acospi asinpi atanpi cospi sinpi tanpi rsqrt exp2m1 exp10m1 log2p1 log10p1 logp1 rcbrt
         normcdf normcdfinv erfcx erfinv erfcinv cyl_bessel_i0 cyl_bessel_i1""".split()
TWO = "atan2pi powr rhypot fdivide".split()
OTHERS = ["T compoundnF(T, long long)", "T pownF(T, long long)", "T rootnF(T, long long)",
          "T normF(int, const T *)", "T rnormF(int, const T *)", "void sincospiF(T, T *, T *)"]
DIMENSIONS = [("3d", 3), ("4d", 4)]

PROGRAM = r"""
#include <cmath>
#include <cstdio>
__host__ __device__ double both(double x) {
    return rsqrt(x) + sinpi(x) + cospi(x) + (double)rsqrtf((float)x) + (double)sinpi((float)x);
}
double (*of_double)(double) = rsqrt;
float (*of_float)(float) = rsqrt;
__global__ void kernel(double *out) { *out = both(0.25); }
int main() {
    const double v[] = {3, 4};
    double s, c, *d, out;
    float fs, fc;
    sincospi(0.5, &s, &c);
    sincospi(0.5f, &fs, &fc);
    double sum = norm(2, v) + rnorm(2, v) + norm3d(1., 2., 2.) + rhypot(3., 4.) + rcbrt(8.) +
                 rcbrt(8.f) + normcdf(0.) + erfcx(0.) + cyl_bessel_i0(0.f) + fdivide(1.f, 2.f);
    printf("%g %g %g %g %g %g\n", rsqrt(4.0), sinpi(0.5), cospi(1.0f), of_double(16), of_float(4),
           sum + s + c + fs + fc);
    cudaMalloc(&d, sizeof out);
    kernel<<<1, 1>>>(d);
    cudaMemcpy(&out, d, sizeof out, cudaMemcpyDefault);
    printf("%.5f\n", out);
}
"""
# 5 + 0.2 + 3 + 0.2 + 0.5 + 0.5 + 0.5 + 1 + 1 + 0.5, two sines of 1, two cosines of 0;
# 2 + sqrt(1/2) + sqrt(1/2) + 2 + sqrt(1/2).
EXPECTED = "0.5 1 -1 0.25 0.5 14.4\n6.12132\n"


def declarations():
    lines = []
    for c_type, suffix in [("double", ""), ("float", "f")]:
        signatures = [f"T {name}F(T)" for name in ONE] + [f"T {name}F(T, T)" for name in TWO]
        for name, n in DIMENSIONS:
            signatures += [f"T {norm}{name}F({', '.join('T' * n)})" for norm in ("norm", "rnorm")]
        for s in signatures + OTHERS:
            lines.append("extern " + s.replace("T", c_type).replace("F(", suffix + "(") +
                         " noexcept;\n")
    return ("#include_next <math.h>\n#ifndef MORE_FUNCTIONS\n#define MORE_FUNCTIONS\nextern \"C\" {\n" +
            "".join(lines) + "}\n#endif\n")


class CLibraries(CompilerTest):
    folders = []

    def test_functions_of_tomorrow(self):
        self.write("new/math.h", declarations())
        self.write("a.cu", PROGRAM)
        self.compiles("-isystem", "new", "-c", "a.cu", "-o", "a.o")

    def test_own_functions(self):
        self.write("a.cu", PROGRAM)
        self.compiles("a.cu", "-o", "a")
        if os.environ.get("KUDZU_RUNS"):
            self.assertEqual(self.command([self.dir + "/a"]).stdout, EXPECTED)

    def test_other_releases(self):
        if not self.folders:
            self.skipTest("no folders are given")
        include = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(KUDZU))), "include")
        headers = [os.path.relpath(os.path.join(root, f), include)
                   for root, _, files in os.walk(include) for f in files if f.endswith(".h")]
        # OpenGL's headers are no part of a C library.
        headers = sorted(h for h in headers if not h.startswith("kudzu/") and "gl" not in h.lower())
        self.assertGreater(len(headers), 70)
        self.write("a.cu", PROGRAM)
        self.write("all.cu", "".join(f'#include "{h}"\n' for h in headers))
        self.write("reverse.cu", "".join(f'#include "{h}"\n' for h in reversed(headers)))
        for folder in self.folders:
            for source in ["a.cu", "all.cu", "reverse.cu"]:
                with self.subTest(folder=folder, source=source):
                    self.compiles("--kudzu-sysroot", folder, "-c", source, "-o", "a.o")


if __name__ == "__main__":
    CLibraries.folders = [os.path.abspath(a) for a in sys.argv[1:]]
    unittest.main(argv=sys.argv[:1])
