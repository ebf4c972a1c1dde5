"""Relocatable device code: across files, through archives and with a linker of one's own."""
import os
import resource
import subprocess

from common import KUDZU, CompilerTest, main

MAIN = """#include <cstdio>
extern __device__ int offset;
__device__ int triple(int);
static __device__ int hidden = 5;
__global__ void k(int *p) { *p = triple(7) + offset + hidden; }
int main() {
    int *p, r = 0, h = 100;
    if (cudaMalloc(&p, sizeof r) != cudaSuccess) { printf("no device\\n"); return 2; }
    cudaMemcpyToSymbol(hidden, &h, sizeof h);
    k<<<1, 1>>>(p);
    cudaMemcpy(&r, p, sizeof r, cudaMemcpyDeviceToHost);
    printf("%d %s\\n", r, cudaGetErrorString(cudaGetLastError()));
    return r != 21 + 1000 + 100;
}
"""
LIBRARY = """__device__ int offset = 1000;
__device__ int helper(int);
__device__ int triple(int x) { return helper(x) + x; }
"""
HELPER = "static __device__ int hidden = 2;\n__device__ int helper(int x) { return hidden * x; }\n"
UNUSED = "__device__ int nowhere(int);\n__device__ int unused(int x) { return nowhere(x); }\n"


class DeviceLink(CompilerTest):
    objects = None  # compiled once for all tests

    def setUp(self):
        super().setUp()
        self.write("main.cu", MAIN)
        self.write("library.cu", LIBRARY)
        self.write("helper.cu", HELPER)
        self.write("unused.cu", UNUSED)
        self.driver = os.environ.get("KUDZU_RUNS") == "1"
        if not DeviceLink.objects:
            self.compiles("-dc", "main.cu", "library.cu", "helper.cu", "unused.cu")
            DeviceLink.objects = {n: self.read_bytes(n) for n in os.listdir(self.dir)
                                  if n.endswith(".o")}
        for name, data in DeviceLink.objects.items():
            with open(os.path.join(self.dir, name), "wb") as f:
                f.write(data)

    def runs(self, program):
        if not self.driver:
            return
        r = self.command([os.path.join(self.dir, program)])
        self.assertEqual(r.returncode, 0, r.stdout + r.stderr)

    def archive(self, name, *objects):
        subprocess.run(["ar", "rcs", name, *objects], cwd=self.dir, check=True)

    def test_image_alone(self):
        """-dlink beside -cubin and -fatbin, in any order: what cuModuleLoad takes."""
        files = ["main.o", "library.o", "helper.o"]
        for options, output in ((["-dlink", "-cubin"], "a_dlink.cubin"),
                                (["-fatbin", "-dlink"], "a_dlink.fatbin"),
                                (["--device-link", "--cubin", "-o", "x"], "x")):
            self.compiles(*options, *files)
            image = self.read_bytes(output)
            self.assertEqual(image[:4], b"\x50\xed\x55\xba", options)
            self.contains(image.decode(errors="replace"), ".entry _Z1kPi", "offset")
        self.assertIn("undefined reference", self.fails("-dlink", "-cubin", "library.o").stderr)
        self.compiles("-dc", "library.cu", "helper.cu", "-gencode", "arch=compute_80,code=sm_80",
                      "-gencode", "arch=compute_90,code=sm_90")
        self.assertIn("one architecture",
                      self.fails("-dlink", "-cubin", "library.o", "helper.o").stderr)
        self.compiles("-dlink", "-fatbin", "library.o", "helper.o", "-o", "two.fatbin")
        self.contains(self.read("two.fatbin"), ".target sm_80", ".target sm_90")

    def targets(self, program):
        text = self.read(program)
        return [line.split("sm_")[1][:2] for line in text.splitlines() if ".target sm_" in line]

    def test_archive_that_is_not_needed(self):
        """A library with relocatable code of which a program needs nothing."""
        self.archive("libdev.a", "library.o", "helper.o")
        self.write("host.cpp", "int main() {}\n")
        self.compiles("host.cpp", "libdev.a", "-o", "prog")
        self.compiles("host.cpp", "-L.", "-ldev", "-o", "prog")
        self.runs("prog")
        self.compiles("-dlink", "libdev.a", "-o", "empty.o")
        self.compiles("host.cpp", "empty.o", "-o", "prog")
        self.assertIn("relocatable", self.fails("-dlink", "-cubin", "libdev.a").stderr)

    def test_lower_architectures(self):
        """Code of a lower architecture serves a link for a higher one."""
        self.compiles("-dc", "-arch=compute_70", "main.cu")
        self.compiles("-dc", "-arch=compute_80", "library.cu", "helper.cu")
        objects = ["main.o", "library.o", "helper.o"]
        for options, target in ((["-rdc=true", "-arch=sm_80"], "80"), (["-arch=sm_90"], "90"), ([], "80")):
            self.compiles(*options, *objects, "-o", "prog")
            self.assertEqual(self.targets("prog"), [target], options)
            self.runs("prog")
        # What the caller of a lower architecture calls is inlined all the same.
        self.compiles("-arch=sm_80", "-dlink", "-cubin", *objects, "-o", "image")
        self.lacks(self.read("image"), "call")
        self.archive("libdev.a", "library.o", "helper.o")
        self.compiles("-dc", "main.cu", "-gencode", "arch=compute_70,code=sm_70",
                      "-gencode", "arch=compute_90,code=sm_90")
        self.compiles("main.o", "-L.", "-ldev", "-o", "prog")
        self.assertEqual(self.targets("prog"), ["80", "90"])
        self.runs("prog")
        # But a GPU's own code (sm_90a) serves no other, and no higher code a lower one.
        self.compiles("-dc", "-arch=sm_90a", "library.cu", "helper.cu")
        self.compiles("-dc", "-arch=sm_80", "main.cu")
        self.compiles(*objects, "-o", "prog")
        self.assertEqual(self.targets("prog"), ["90"])
        self.runs("prog")

    def test_relocatable_link(self):
        """-r joins objects, with the device code of each."""
        self.compiles("-r", "main.o", "library.o", "-o", "both.o")
        self.compiles("both.o", "helper.o", "-o", "prog")
        self.runs("prog")
        self.compiles("-r", "main.o", "library.o", "helper.o", "-o", "all.o")
        self.compiles("all.o", "-o", "prog")
        self.runs("prog")

    def test_nothing_to_link(self):
        """Objects without relocatable code give an object that changes nothing."""
        self.write("plain.cu", "__global__ void k() {}\nint main() { k<<<1, 1>>>();\n"
                               "return cudaDeviceSynchronize(); }\n")
        self.write("host.c", "int f(void) { return 0; }\n")
        self.compiles("-c", "plain.cu", "host.c")
        self.compiles("-dlink", "plain.o", "host.o")
        self.assertEqual(self.read_bytes("a_dlink.o")[:4], b"\x7fELF")
        self.compiles("plain.o", "host.o", "a_dlink.o", "-o", "plain")
        self.runs("plain")
        self.assertIn("relocatable", self.fails("-dlink", "-fatbin", "plain.o").stderr)
        self.compiles("-dlink", "plain.o", "-o", "empty.o")
        self.compiles("main.o", "library.o", "helper.o", "empty.o", "-o", "main")
        self.runs("main")

    def test_loops_that_cannot_be_unrolled(self):
        """The link, too, says nothing of a hint that it cannot follow."""
        self.write("loop.cu", "__global__ void k(int *p) {\n#pragma unroll\n"
                              "    for (int i = 0; i < 1 << 20; i++) { p[i] = p[i + 1]; __syncthreads(); }\n"
                              "}\nint main() { return 0; }\n")
        self.assertEqual(self.compiles("-rdc=true", "loop.cu", "-o", "prog").stderr, "")

    def test_sources_at_once(self):
        self.compiles("-rdc=true", "main.cu", "library.cu", "helper.cu", "-o", "prog")
        self.runs("prog")

    def test_objects(self):
        self.compiles("main.o", "library.o", "helper.o", "-o", "prog")
        self.runs("prog")

    def test_device_link_by_hand(self):
        self.compiles("-dlink", "main.o", "library.o", "helper.o", "-o", "device.o")
        self.compiles("main.o", "library.o", "helper.o", "device.o", "-o", "prog")
        self.runs("prog")

    def host_links(self, *arguments):
        lib = os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(os.environ["KUDZU"]))),
                           "lib")
        return subprocess.run(["c++", *arguments, "-L" + lib, "-lcudart_static", "-lpthread", "-ldl",
                               "-lrt", "-Wl,-rpath," + lib], cwd=self.dir, stderr=subprocess.PIPE,
                              text=True)

    def test_host_linker_alone(self):
        self.compiles("-dlink", "main.o", "library.o", "helper.o", "-o", "device.o")
        r = self.host_links("main.o", "library.o", "helper.o", "device.o", "-o", "prog")
        self.assertEqual(r.returncode, 0, r.stderr)
        self.runs("prog")

    def test_device_link_in_an_archive(self):
        """The linker takes the device link's object from the archive that holds the objects."""
        self.write("host.cpp", "int run();\nint main() { return run(); }\n")
        self.compiles("-dc", "-Dmain=run", "main.cu", "-o", "run.o")
        self.compiles("-dlink", "run.o", "library.o", "helper.o", "-o", "device.o")
        self.archive("libdev.a", "device.o", "run.o", "library.o", "helper.o")
        for options in ([], ["-Wl,--gc-sections"], ["-pie"]):
            r = self.host_links("host.cpp", "libdev.a", *options, "-o", "prog")
            self.assertEqual(r.returncode, 0, r.stderr)
            self.runs("prog")
        # A program with relocatable code of its own has a device link of its own, of what it needs.
        self.write("own.cu", "__global__ void own(int *p) { *p = 5; }\nint run();\n"
                             "int main() {\n    int *p, r = 0;\n    cudaMalloc(&p, 4);\n"
                             "    own<<<1, 1>>>(p);\n"
                             "    cudaMemcpy(&r, p, 4, cudaMemcpyDeviceToHost);\n"
                             "    return r != 5 || run();\n}\n")
        self.compiles("-rdc=true", "own.cu", "libdev.a", "-o", "prog")
        self.runs("prog")
        self.compiles("-dc", "own.cu")
        self.compiles("-dlink", "own.o", "-o", "own_device.o")
        r = self.host_links("own.o", "own_device.o", "libdev.a", "-o", "prog")
        self.assertEqual(r.returncode, 0, r.stderr)
        self.runs("prog")

    def test_no_device_link(self):
        """An error of the linker, which names the source."""
        missing = "__kudzu_needs_device_link_of_main_cu_"
        self.write("host.cpp", "int main() {}\n")
        self.compiles("-dc", "-Xcompiler", "-fPIC", "main.cu", "-o", "pic.o")
        for arguments in (["main.o"], ["pic.o", "-shared"], ["main.o", "-Wl,--gc-sections"]):
            r = self.host_links(*arguments, "-o", "prog")
            self.assertNotEqual(r.returncode, 0, arguments)
            self.assertIn(missing, r.stderr)
        self.compiles("-dlink", "library.o", "helper.o", "-o", "device.o")
        r = self.host_links("main.o", "library.o", "helper.o", "device.o", "-o", "prog")
        self.assertIn(missing, r.stderr)
        self.compiles("main.o", "library.o", "helper.o", "device.o", "-o", "prog")
        self.runs("prog")

    def test_objects_of_one_source(self):
        """Each has a symbol of its own."""
        self.compiles("-dc", "-Dtriple=again", "library.cu", "-o", "again.o")
        self.compiles("-dlink", "library.o", "helper.o", "-o", "device.o")
        self.write("host.cpp", "int main() {}\n")
        r = self.host_links("host.cpp", "library.o", "helper.o", "again.o", "device.o", "-o", "prog")
        self.assertIn("__kudzu_needs_device_link_of_library_cu_", r.stderr)

    def test_archive(self):
        # Members that nothing needs may have open ends.
        self.archive("libdev.a", "unused.o", "helper.o", "library.o")
        self.compiles("main.o", "libdev.a", "-o", "prog")
        self.runs("prog")
        self.compiles("main.o", "-L.", "-ldev", "-o", "prog2")
        self.runs("prog2")

    def test_archive_made_by_kudzu(self):
        self.compiles("-lib", "-rdc=true", "library.cu", "helper.cu", "-o", "libdev.a")
        self.compiles("-rdc=true", "main.cu", "libdev.a", "-o", "prog")
        self.runs("prog")

    def test_library_that_is_linked_already(self):
        """Host code refers to kernels and variables of a library whose device code has been linked."""
        self.write("lib.cu", "__device__ int count = 3;\n__device__ int triple(int);\n"
                             "template <class T> __global__ void k(T *p) { *p = triple(count++); }\n"
                             "template __global__ void k<int>(int *);\n")
        self.write("user.cu", "extern __device__ int count;\n"
                              "template <class T> __global__ void k(T *p);\n"
                              "int launch(int *p) {\n    int n = 0;\n    k<<<1, 1>>>(p);\n"
                              "    cudaMemcpyFromSymbol(&n, count, sizeof n);\n    return n;\n}\n")
        self.write("own.cu", "extern __device__ int count;\n__device__ int own(int);\n"
                             "__global__ void other(int *p) { *p = own(1); }\n"
                             "int launch(int *);\nint main() {\n    int *p, v = 0;\n"
                             "    cudaMalloc(&p, 4);\n    int n = launch(p);\n"
                             "    cudaMemcpy(&v, p, 4, cudaMemcpyDeviceToHost);\n"
                             "    other<<<1, 1>>>(p);\n    int w = 0;\n"
                             "    cudaMemcpy(&w, p, 4, cudaMemcpyDeviceToHost);\n"
                             "    return n != 4 || v != 12 || w != 8;\n}\n")
        self.write("more.cu", "__device__ int own(int x) { return x + 7; }\n")
        self.write("triple.cu", "__device__ int triple(int x) { return 4 * x; }\n")
        self.compiles("-dc", "lib.cu", "triple.cu", "user.cu", "own.cu", "more.cu")
        self.compiles("-dlink", "lib.o", "triple.o", "-o", "lib_dlink.o")
        self.compiles("-dlink", "user.o", "own.o", "more.o", "-o", "user_dlink.o")
        r = self.host_links("lib.o", "triple.o", "lib_dlink.o", "user.o", "own.o", "more.o",
                            "user_dlink.o", "-o", "prog")
        self.assertEqual(r.returncode, 0, r.stderr)
        self.runs("prog")

    def test_undefined_reference(self):
        r = self.fails("main.o", "library.o", "-o", "prog")
        self.assertIn("undefined reference to 'helper(int)' in device code", r.stderr)

    def test_defined_twice(self):
        self.compiles("-dc", "helper.cu", "-o", "again.o")
        r = self.fails("main.o", "library.o", "helper.o", "again.o", "-o", "prog")
        self.assertIn("multiply defined", r.stderr)

    def test_architecture_that_an_object_lacks(self):
        self.compiles("-dc", "main.cu", "helper.cu", "-arch=sm_80")
        self.compiles("-dc", "library.cu", "-arch=sm_90")
        r = self.fails("-arch=sm_80", "main.o", "library.o", "helper.o", "-o", "prog")
        self.assertIn("library.o has no device code for this architecture", r.stderr)
        self.compiles("-dc", "helper.cu", "-arch=sm_90a")
        self.compiles("-dc", "main.cu", "-gencode", "arch=compute_90a,code=sm_90a", "-gencode",
                      "arch=compute_80,code=sm_80")
        self.compiles("main.o", "library.o", "helper.o", "-o", "prog")
        self.assertIn(".target sm_90a", self.read("prog"))

    def test_two_architectures(self):
        archs = ["-gencode", "arch=compute_70,code=sm_70", "-gencode", "arch=compute_90,code=sm_90"]
        self.compiles("-dc", "main.cu", "library.cu", "helper.cu", *archs)
        self.compiles("-dlink", "main.o", "library.o", "helper.o", "-o", "device.o")
        data = self.read_bytes("device.o")
        self.contains(data, b".target sm_70", b".target sm_90")

    def test_functions_of_other_files_are_inlined(self):
        self.compiles("-dlink", "main.o", "library.o", "helper.o", "-keep-dir", "kept", "-o",
                      "device.o")
        ptx = self.read("kept/a_dlink.sm_90.ptx")
        self.contains(ptx, ".entry _Z1kPi")
        self.lacks(ptx, ".func")

    def test_shared_library(self):
        self.write("lib.cu", "#include <cstdio>\n__device__ int triple(int);\n"
                             "__global__ void k(int *p) { *p = triple(5); }\n"
                             "extern \"C\" int run() { int *p, r = 0; cudaMalloc(&p, 4);\n"
                             "k<<<1, 1>>>(p); cudaMemcpy(&r, p, 4, cudaMemcpyDeviceToHost);\n"
                             "return r; }\n")
        self.write("user.cpp", "extern \"C\" int run();\nint main() { return run() != 15; }\n")
        self.compiles("-rdc=true", "-shared", "-Xcompiler", "-fPIC", "lib.cu", "library.cu",
                      "helper.cu", "-o", "libk.so")
        self.compiles("user.cpp", "-L.", "-lk", "-Xlinker", "-rpath,.", "-o", "prog")
        self.runs("prog")

    def test_damaged_objects(self):
        data = bytearray(self.read_bytes("main.o"))
        for at in range(0, len(data), max(1, len(data) // 25)):
            changed = bytearray(data)
            changed[at:at + 8] = b"\xff" * len(changed[at:at + 8])
            with open(self.dir + "/bad.o", "wb") as f:
                f.write(changed)
            r = self.cc("-dlink", "bad.o", "-o", "device.o")
            self.assertIn(r.returncode, (0, 1), r.stderr)

    def limited(self, kind, amount, *files):
        """The device link with so much of a resource"""
        linker = os.path.join(os.path.dirname(os.path.dirname(KUDZU)), "lib", "kudzu-device-linker")
        return subprocess.run([linker, "sm_90", "out.bc", "out.names", *files], cwd=self.dir,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              preexec_fn=lambda: resource.setrlimit(kind, (amount, amount)))

    def test_no_memory(self):
        """With little memory the link fails with a message, and no signal ends it. Some thousand
        copies of one file need more than the program itself."""
        files = ["helper.o"] * 3000
        enough, seen = 1 << 40, set()
        r = self.limited(resource.RLIMIT_AS, enough, *files)
        self.assertIn("multiply defined", r.stderr)
        for megabytes in range(100, 400, 8):
            r = self.limited(resource.RLIMIT_AS, megabytes << 20, *files)
            if r.returncode == 127:  # not enough to load the program
                continue
            self.assertEqual(r.returncode, 1, f"{megabytes} MB: {r.stderr[-300:]}")
            self.assertRegex(r.stderr, "out of memory|multiply defined")
            seen.add("memory" in r.stderr)
        self.assertIn(True, seen)

    def test_no_stack(self):
        """Types inside each other, which LLVM joins with a frame each: more than 128 KB."""
        types = ["struct S0 { int x; };"]
        types += [f"struct S{i} {{ S{i - 1} s; }};" for i in range(1, 1500)]
        self.write("deep.cu", "\n".join(types) + "\n__device__ S1499 deep;\n")
        self.compiles("-dc", "-w", "deep.cu")
        r = self.limited(resource.RLIMIT_STACK, 8 << 20, "deep.o")
        self.assertEqual(r.returncode, 0, r.stderr)
        r = self.limited(resource.RLIMIT_STACK, 64 << 10, "deep.o")
        self.assertEqual(r.returncode, 1, r.stderr)
        self.assertIn("kudzu cc: error: device link: LLVM crashed", r.stderr)


if __name__ == "__main__":
    main()
