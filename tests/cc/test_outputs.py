"""Phases and files: what each option leaves behind."""
import os
import re
import stat
import struct

from common import CompilerTest, main

KERNEL = """#include "h.h"
__global__ void k(int *p) { *p = VALUE; }
"""


class Outputs(CompilerTest):
    def setUp(self):
        super().setUp()
        self.write("h.h", "#define VALUE 42\n")
        self.write("a.cu", KERNEL + "int main() { return 0; }\n")
        self.write("b.cu", KERNEL)
        self.write("c.cpp", "int f() { return 1; }\n")

    def test_default_names(self):
        for option, suffix in (("-c", "o"), ("-ptx", "ptx"), ("-cubin", "cubin"),
                               ("-fatbin", "fatbin"), ("-dc", "o")):
            self.compiles(option, "a.cu", "b.cu")
            for stem in ("a", "b"):
                self.assertTrue(self.exists(f"{stem}.{suffix}"), option)
                os.remove(os.path.join(self.dir, f"{stem}.{suffix}"))

    def test_output_directory(self):
        os.mkdir(os.path.join(self.dir, "out"))
        self.compiles("-c", "a.cu", "c.cpp", "-odir", "out")
        self.assertTrue(self.exists("out/a.o") and self.exists("out/c.o"))

    def test_ptx_is_text_for_one_architecture(self):
        self.compiles("-ptx", "a.cu", "-o", "x.ptx", "-arch=sm_75")
        text = self.read("x.ptx")
        self.assertRegex(text, r"\.version 8\.5\n\.target sm_75\n\.address_size 64")
        self.contains(text, ".visible .entry _Z1kPi")
        self.contains(text, "42")

    def test_static_variables_of_files_that_are_loaded_are_visible(self):
        self.write("s.cu", "static __constant__ float factor;\n"
                           "__global__ void k(float *p) { *p = factor; }\n")
        for form in ("-ptx", "-cubin", "-fatbin"):
            self.compiles(form, "s.cu", "-o", "s.out")
            text = self.read_bytes("s.out")
            self.assertIn(b".visible .const .align 4 .f32 factor;", text)

    def test_functions_are_another_modules_with_relocatable_code_alone(self):
        self.write("f.cu", "__device__ int unused(int x) { return x * 7; }\n"
                           "__device__ __noinline__ int called(int x) { return x * 11 + 3; }\n"
                           "template <class T> __device__ int made(T x) { return x; }\n"
                           "__device__ __attribute__((used)) int kept(int x) { return made(x); }\n"
                           "__device__ int (*const table[])(int) = {called};\n"
                           "__global__ void k(int *p, int i) { *p = called(*p) + table[i](*p); }\n")
        for option in ("-O3", "-O1"):
            self.compiles("-ptx", option, "f.cu", "-o", "f.ptx")
            text = self.read("f.ptx")
            self.contains(text, ".visible .entry _Z1kPii")
            self.assertNotIn("_Z6unusedi", text)
            self.assertNotIn("_Z4madei", text)
            self.contains(text, "_Z4kepti")
            self.assertRegex(text, r"(?m)^(\.weak )?\.func .*_Z6calledi")
        self.compiles("-ptx", "-rdc=true", "f.cu", "-o", "f.ptx")
        text = self.read("f.ptx")
        self.assertRegex(text, r"\.visible \.func .*_Z6unusedi")
        self.assertRegex(text, r"\.visible \.func .*_Z6calledi")

    def test_devices_are_not_removed(self):
        self.write("wrong.cu", "__global__ void k() { nonsense; }\n")
        null = os.path.join(self.dir, "null")
        try:
            os.mknod(null, stat.S_IFCHR | 0o666, os.makedev(1, 3))
        except PermissionError:
            self.skipTest("only root makes devices")
        for option in ("-c", "-ptx", "-fatbin"):
            self.fails(option, "wrong.cu", "-o", null)
            self.assertTrue(os.path.exists(null), option)

    def test_kernels_with_grid_constants_keep_their_launch_bounds(self):
        self.write("a.cu", "struct s { int x[4]; };\n" + "".join(
            "__global__ void __launch_bounds__(%d) k%d(const __grid_constant__ s v, int *p) {\n"
            "    *p = v.x[threadIdx.x & 3] + %d;\n}\n" % (32 * n, n, n) for n in range(1, 9)))
        self.compiles("-ptx", "a.cu")
        for entry in self.read("a.ptx").split(".entry ")[1:]:
            self.assertIn(".maxntid %d," % (32 * int(entry[4])), entry)

    def test_grid_constant_parameter_is_read_in_place(self):
        self.write("g.cu", "struct large { int value[64]; };\n"
                   "__global__ void k(const __grid_constant__ large p, int i, int *out) {\n"
                   "    *out = p.value[i];\n}\n")
        self.compiles("-ptx", "g.cu", "-o", "g.ptx")
        text = self.read("g.ptx")
        self.contains(text, "ld.param")
        self.lacks(text, ".local")

    def test_vectors_of_a_shared_array_are_accessed_as_vectors(self):
        self.write("v.cu", "__global__ void k(float *out) {\n"
                   "    __shared__ float s[32][68];\n"
                   "    int t = threadIdx.x;\n"
                   "    *(float4 *)&s[t][8] = make_float4(t, t, t, t);\n"
                   "    __syncthreads();\n"
                   "    float4 v = *(const float4 *)&s[t ^ 1][8];\n"
                   "    out[t] = v.x * v.y + v.z * v.w;\n}\n")
        self.compiles("-ptx", "v.cu", "-o", "v.ptx")
        self.contains(self.read("v.ptx"), "ld.shared.v4", "st.shared.v4")

    def test_copies_of_vectors_are_accesses_of_vectors(self):
        self.write("v.cu", "__global__ void k(const float *in, float *out, int i) {\n"
                   "    __shared__ float s[16][64];\n"
                   "    int t = threadIdx.x;\n"
                   "    *(float4 *)&s[t][t * 4] = *(const float4 *)&in[i * 4];\n"
                   "    __syncthreads();\n"
                   "    out[t] = s[t ^ 1][t];\n}\n")
        self.compiles("-ptx", "-O3", "v.cu", "-o", "v.ptx")
        self.contains(self.read("v.ptx"), "ld.global.v4", "st.shared.v4")
        self.lacks(self.read("v.ptx"), "ld.global.u64")

    def test_same_input_same_bytes(self):
        for option in ("-ptx", "-fatbin", "-c", "-dc"):
            self.compiles(option, "a.cu", "-o", "x1")
            self.compiles(option, "a.cu", "-o", "x2")
            self.assertTrue(self.read_bytes("x1") == self.read_bytes("x2"), option)

    def test_fatbin_holds_all_architectures(self):
        self.compiles("-fatbin", "a.cu", "-o", "x", "-gencode", "arch=compute_70,code=sm_70",
                      "-gencode", "arch=compute_90,code=sm_90")
        data = self.read_bytes("x")
        self.assertEqual(struct.unpack_from("<I", data)[0], 0xBA55ED50)
        self.contains(data, b".target sm_70")
        self.contains(data, b".target sm_90")

    def test_object_embeds_the_image(self):
        self.compiles("-c", "a.cu")
        self.contains(self.read_bytes("a.o"), b".target sm_90")

    def test_preprocess(self):
        r = self.compiles("-E", "b.cu")
        self.assertIn("*p = 42;", r.stdout)
        self.compiles("-E", "b.cu", "-o", "b.ii")
        self.assertIn("*p = 42;", self.read("b.ii"))
        self.assertIn("return 1;", self.compiles("-E", "c.cpp").stdout)

    def prerequisites(self, text):
        rule = text.replace("\\\n", " ").split("\n")[0]
        target, files = rule.split(":", 1)
        return target.strip(), files.split()

    def test_dependencies_alone(self):
        target, files = self.prerequisites(self.compiles("-M", "a.cu").stdout)
        self.assertEqual(target, "a.o")
        self.assertIn("a.cu", files)
        self.assertIn("h.h", files)
        self.assertTrue([f for f in files if f.endswith("cuda_runtime.h")])
        target, files = self.prerequisites(self.compiles("-MM", "a.cu", "-MT", "t.o").stdout)
        self.assertEqual((target, sorted(files)), ("t.o", ["a.cu", "h.h"]))
        self.compiles("-MM", "a.cu", "-MF", "deps")
        self.assertEqual(self.prerequisites(self.read("deps"))[0], "a.o")
        self.assertFalse(self.exists("a.o"))

    def test_dependencies_with_compilation(self):
        self.compiles("-c", "-MD", "a.cu", "-o", "x.o")
        target, files = self.prerequisites(self.read("x.d"))
        self.assertEqual(target, "x.o")
        self.assertIn("h.h", files)
        self.compiles("-c", "-MMD", "-MP", "-MF", "y.dep", "-MT", "y", "a.cu", "-o", "x.o")
        text = self.read("y.dep")
        target, files = self.prerequisites(text)
        self.assertEqual((target, sorted(files)), ("y", ["a.cu", "h.h"]))
        self.assertRegex(text, r"(?m)^h\.h:$")
        self.compiles("-c", "-MMD", "c.cpp")
        self.assertEqual(self.prerequisites(self.read("c.d"))[0], "c.o")

    def test_kept_files(self):
        self.compiles("-c", "-keep", "-keep-dir", "kept", "a.cu")
        self.assertTrue(self.exists("kept/a.sm_90.ptx") and self.exists("kept/a.fatbin"))
        self.compiles("-c", "--keep", "b.cu")
        self.assertTrue(self.exists("b.sm_90.ptx"))

    def test_verbose_shows_commands(self):
        r = self.compiles("-v", "-c", "a.cu")
        self.assertRegex(r.stderr, r"(?m)^#\$ .*--cuda-device-only")
        self.assertTrue(self.exists("a.o"))

    def test_time(self):
        self.compiles("-c", "a.cu", "-time", "times")
        self.assertRegex(self.read("times"), r"(?m)^a\.cu,host pass,\d+\.\d+,ms$")

    def test_several_files_at_a_time(self):
        for i in range(4):
            self.write(f"m{i}.cu", f"__global__ void k{i}() {{}}\n")
        self.compiles("-c", "-t", "2", *[f"m{i}.cu" for i in range(4)])
        for i in range(4):
            self.assertTrue(self.exists(f"m{i}.o"))
        self.write("m2.cu", "error\n")
        self.fails("-c", "-t", "2", *[f"m{i}.cu" for i in range(4)])

    def test_line_information(self):
        self.compiles("-ptx", "-lineinfo", "a.cu", "-o", "x.ptx")
        text = self.read("x.ptx")
        self.assertRegex(text, r"\.loc\s+\d+ 2 ")
        self.contains(text, "a.cu")

    def test_flush_to_zero(self):
        self.write("f.cu", "__global__ void k(float *p) { *p = *p * p[1] + p[2] / p[3]; }\n")
        self.compiles("-ptx", "-ftz=true", "f.cu", "-o", "f.ptx")
        self.contains(self.read("f.ptx"), ".ftz.f32")
        self.compiles("-ptx", "f.cu", "-o", "f.ptx")
        self.lacks(self.read("f.ptx"), ".ftz")
        self.contains(self.read("f.ptx"), "fma.rn.f32")
        self.contains(self.read("f.ptx"), "div.rn.f32")
        self.compiles("-ptx", "-fmad=false", "-prec-div=false", "f.cu", "-o", "f.ptx")
        self.lacks(self.read("f.ptx"), "fma.rn.f32")
        self.contains(self.read("f.ptx"), "div.full.f32")
        self.compiles("-ptx", "-use_fast_math", "f.cu", "-o", "f.ptx")
        self.contains(self.read("f.ptx"), "div.approx.ftz.f32")

    def test_fast_math_functions(self):
        self.write("f.cu", "__global__ void k(float *p) { *p = expf(p[0]) + sinf(p[1]) + "
                           "powf(p[2], p[3]) + tanf(p[4]) + log10f(p[5]) + sqrtf(p[6]); }\n")
        self.compiles("-ptx", "-use_fast_math", "f.cu", "-o", "f.ptx")
        text = self.read("f.ptx")
        for instruction in ("ex2.approx.ftz.f32", "sin.approx.ftz.f32", "lg2.approx.ftz.f32",
                            "sqrt.approx.ftz.f32"):
            self.contains(text, instruction)
        # Nothing of the slow forms: they are many times as long.
        self.assertLess(len(text.splitlines()), 120)


if __name__ == "__main__":
    main()
