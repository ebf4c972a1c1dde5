"""What NVIDIA's assembler refuses or tells when nvcc compiles, with the source's lines."""
import re

from common import CompilerTest, main


class Refusals(CompilerTest):
    def places(self, text):
        """Lines and columns of the errors, in order."""
        return [(int(m[0]), int(m[1])) for m in re.findall(r"^a\.cu:(\d+):(\d+): error: ", text, re.M)]

    def refused(self, source, places, *texts, options=(["-c"], ["-dc"], ["-ptx"], ["-cubin"])):
        self.write("a.cu", source)
        for option in options:
            r = self.fails(*option, "a.cu", "-o", "out")
            self.assertEqual(self.places(r.stderr), places, r.stderr)
            self.contains(r.stderr, *texts)
            self.assertFalse(self.exists("out"), option)

    def test_inline_ptx(self):
        source = """__device__ __forceinline__ int helper(int x) {
    int y;
  asm volatile("frobnicate.s32 %0, %1;" : "=r"(y) : "r"(x));
    return y;
}
__global__ void k(int *p) {
    asm("add.s32 %0, %1;" : "=r"(p[0]) : "r"(p[1]));
    p[2] = helper(p[3]);
}
"""
        self.refused(source, [(7, 5), (3, 3)], "unknown instruction 'frobnicate.s32'", "'add.s32'")
        self.refused(source, [(7, 5), (3, 3)], options=(["-c", "-lineinfo"], ["-G", "-c"],
                                                         ["-c", "-arch=sm_80"]))
        # What the architecture lacks.
        self.refused('__global__ void k(unsigned *p) {\n    unsigned r;\n'
                     '    asm volatile("mapa.shared::cluster.u32 %0, %1, 0;" : "=r"(r) : "r"(*p));\n'
                     "    *p = r;\n}\n", [(3, 5)], "sm_90", options=(["-c", "-arch=sm_80"],))

    def test_good_inline_ptx(self):
        self.write("a.cu", """__global__ void k(float *p, unsigned *q) {
    asm volatile("{\\n.reg .f32 t;\\nadd.f32 t, %1, %1;\\nmov.f32 %0, t;\\n}" : "=f"(p[0]) : "f"(p[1]));
    asm volatile("mov.u32 %0, %%smid;" : "=r"(*q));
}
int main() {}
""")
        for option in ("-c", "-dc", "-ptx", "-cubin"):
            self.assertEqual(self.compiles(option, "a.cu", "-o", "out").stderr, "")

    def test_memory(self):
        self.refused("""__global__ void small(int *p) { *p = 1; }
__device__ int f(int x) {
    __shared__ int other[10000];
    other[threadIdx.x] = x;
    __syncthreads();
    return other[x];
}
__global__ void k(int *p) {
    __shared__ int tile[5000];
    tile[threadIdx.x] = p[threadIdx.x];
    __syncthreads();
    p[0] = f(tile[p[1]]);
}
""", [(3, 1)], "60000 bytes of static shared memory", "49152",
                     options=(["-c"], ["-ptx"], ["-c", "-G"]))
        self.refused("__constant__ char a[10];\n__constant__ char big[70000];\n"
                     "__global__ void k(int *p) { p[0] = big[p[1]] + a[p[2]]; }\n", [(2, 1)], "65536",
                     options=(["-c"], ["-ptx"]))
        # In relocatable code the link tells.
        self.compiles("-dc", "a.cu", "-o", "a.o")
        self.contains(self.fails("-dlink", "a.o").stderr, "__constant__", "65536")
        self.write("a.cu", "__global__ void k(int *p) {\n    extern __shared__ int d[];\n"
                           "    __shared__ int s[12288];\n    s[threadIdx.x] = d[threadIdx.x] = p[0];\n"
                           "    __syncthreads();\n    p[1] = s[p[2]] + d[p[2]];\n}\n")
        self.compiles("-c", "a.cu")

    def test_references(self):
        self.refused("""__device__ int f(int);
extern __device__ int variable;
__global__ void k(int *p) {
    *p = f(*p) +
         variable;
}
""", [(4, 10), (5, 10)], "undefined reference to 'f(int)'", options=(["-c"],))
        self.refused("__constant__ int c = 3;\n__device__ void w() {\n    c = 4;\n}\n", [(3, 7)],
                     "'c' is written to")
        self.refused("struct P { char a[40000]; };\n__global__ void k(P p, int *q) { *q = p.a[*q]; }\n",
                     [(2, 1)], "40008 bytes")

    def test_ptx_as_input(self):
        """-cubin and -fatbin assemble PTX."""
        self.write("a.cu", "__global__ void k(int *p) { *p = 1; }\n")
        self.compiles("-ptx", "-arch=sm_80", "a.cu")
        for args in (["-cubin", "-arch=sm_80"], ["-fatbin"],
                     ["-fatbin", "-gencode", "arch=compute_80,code=sm_80"]):
            self.compiles(*args, "a.ptx", "-o", "out")
            self.assertEqual(self.read_bytes("out")[:4], b"\x50\xed\x55\xba")
            self.contains(self.read("out"), ".target sm_80", ".entry _Z1kPi")
        self.write("bad.ptx", self.read("a.ptx").replace("ret;", "return;"))
        self.assertRegex(self.fails("-cubin", "-arch=sm_80", "bad.ptx").stderr,
                         r"bad\.ptx:\d+:\d+: error: .*return")
        self.contains(self.fails("-c", "a.ptx").stderr, "-cubin")
        self.contains(self.fails("a.ptx").stderr, "-cubin")

    def test_text_that_is_no_file(self):
        self.write("a.cu", "__global__ void k() {}\n")
        self.contains(self.compiles("-ptx", "a.cu", "-o", "-").stdout, ".entry _Z1kv")


SOURCE = """__constant__ int c[100];
template <int N> __global__ void t(int *p) {
    __shared__ int s[256];
    s[threadIdx.x] = p[threadIdx.x];
    __syncthreads();
    p[0] = s[N] + c[p[1]];
}
__global__ void local(int *p, int n, float f) {
    volatile int a[100];
    a[n] = 3;
    p[0] = a[n - 1] + f;
}
template __global__ void t<3>(int *);
int main() {}
"""


class Usage(CompilerTest):
    """The form is ptxas': scripts read it."""

    def usage(self, *options):
        text = self.compiles("a.cu", *options).stderr
        found = {}
        for name, arch, twin, frame, rest in re.findall(
                r"^ptxas info    : Compiling entry function '(\w+)' for '(\w+)'\n"
                r"ptxas info    : Function properties for (\w+)\n"
                r"    (\d+) bytes stack frame, \d+ bytes spill stores, \d+ bytes spill loads\n"
                r"ptxas info    : Used (.*)$", text, re.M):
            self.assertEqual(name, twin)
            found[name] = dict({m[1]: int(m[0]) for m in re.findall(r"(\d+) (?:bytes )?([\w\[\]]+)", rest)},
                               frame=int(frame), arch=arch)
        return text, found

    def test_usage(self):
        self.write("a.cu", SOURCE)
        for options in (["-Xptxas", "-v", "-c"], ["--resource-usage", "-c"], ["-Xptxas=-O3,-v", "-dc"],
                        ["-res-usage", "-cubin"], ["-Xptxas", "-v"]):
            text, found = self.usage(*options, "-o", "out")
            self.assertEqual(sorted(found), ["_Z1tILi3EEvPi", "_Z5localPiif"], text)
            t, local = found["_Z1tILi3EEvPi"], found["_Z5localPiif"]
            self.contains(text, "400 bytes cmem[3]", "'_Z1tILi3EEvPi' on CPUs:", "vectors of ")
            self.assertEqual((t["smem"], t["barriers"], t["frame"], t["cmem[0]"]),
                             (1024, 1, 0, 0x210 + 8))
            self.assertEqual((local["barriers"], local["frame"], local["cmem[0]"]),
                             (0, 400, 0x210 + 16))
            for kernel in (t, local):
                self.assertIn(kernel["registers"], range(1, 256))
        text, found = self.usage("-Xptxas", "-v", "-c", "-arch=sm_80")
        self.assertEqual((found["_Z1tILi3EEvPi"]["arch"], found["_Z1tILi3EEvPi"]["cmem[0]"]),
                         ("sm_80", 0x160 + 8))
        self.assertNotIn("ptxas", self.compiles("-c", "a.cu", "-Xptxas", "-O3").stderr)


if __name__ == "__main__":
    main()
