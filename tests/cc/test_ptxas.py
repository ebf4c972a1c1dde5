"""Machine code of GPUs beside the PTX, by an assembler that the user has: here a script that notes
how it is called and writes bytes that only it knows. And -maxrregcount, which GPUs obey."""
import os
import struct

from common import KUDZU, CompilerTest, main

RUNS = os.environ.get("KUDZU_RUNS") == "1"
PTX, MACHINE_CODE = 1, 2

PROGRAM = """
#include <cstdio>
__global__ void plain(int *x) { x[threadIdx.x] = 7; }
__global__ void __launch_bounds__(128) bounded(int *x) { x[threadIdx.x] = 8; }
int main() {
    int *x, first = 0;
    cudaMalloc(&x, 128 * sizeof(int));
    plain<<<1, 32>>>(x);
    cudaMemcpy(&first, x, sizeof first, cudaMemcpyDefault);
    bounded<<<1, 32>>>(x);
    printf("%d %s\\n", first, cudaGetErrorString(cudaDeviceSynchronize()));
}
"""

ASSEMBLER = """#!/bin/sh
echo "$*" >>{log}
for last; do :; done
text=
for word; do [ "${{word%.ptx}}" = "$word" ] || text=$word; done
grep -q '^.version' "$text" || exit 3
printf 'code %s' "$1" >"$last"
"""


def entries(container):
    """(kind, architecture, data) of each entry of a fat binary."""
    magic, version, header, size = struct.unpack_from("<IHHQ", container)
    assert magic == 0xBA55ED50 and version == 1 and header + size <= len(container)
    at, end, found = header, header + size, []
    while at < end:
        kind, _, entry_header, data_size = struct.unpack_from("<HHIQ", container, at)
        arch, = struct.unpack_from("<I", container, at + 28)
        data = container[at + entry_header:at + entry_header + data_size]
        found.append((kind, arch, data))
        at += entry_header + data_size
    return found


class Ptxas(CompilerTest):
    def setUp(self):
        super().setUp()
        self.write("a.cu", PROGRAM)
        self.ptxas = self.assembler(ASSEMBLER)

    def assembler(self, text):
        path = self.write("tools/ptxas", text.format(log=os.path.join(self.dir, "log")))
        os.chmod(path, 0o755)
        return path

    def machine_code(self, *args):
        """Architecture and bytes of each machine code in the container."""
        self.compiles("-fatbin", "a.cu", "-o", "a.fatbin", *args)
        found = entries(self.read_bytes("a.fatbin"))
        self.assertIn(PTX, [kind for kind, _, _ in found])
        return [(arch, data.rstrip(b"\0").decode()) for kind, arch, data in found
                if kind == MACHINE_CODE]

    def asked(self, *args):
        return self.machine_code(f"--kudzu-ptxas={self.ptxas}", *args)

    def test_only_when_asked(self):
        path = {"PATH": os.path.dirname(self.ptxas) + ":" + os.environ["PATH"]}
        self.compiles("-fatbin", "a.cu", "-o", "a.fatbin", env=path)
        self.assertFalse(self.exists("log"))

    def test_architectures(self):
        self.assertEqual(self.asked(), [(90, "code -arch=sm_90")])
        self.assertEqual(self.asked("-arch=sm_80"), [(80, "code -arch=sm_80")])
        self.assertEqual(self.asked("-arch=compute_80"), [])
        self.assertEqual(self.asked("-arch=compute_80", "-code=sm_86,compute_80"),
                         [(86, "code -arch=sm_86")])
        self.assertEqual(self.asked("-gencode", "arch=compute_70,code=[sm_70,sm_75]",
                                    "-gencode", "arch=compute_90,code=compute_90"),
                         [(70, "code -arch=sm_70"), (75, "code -arch=sm_75")])

    def test_options(self):
        self.asked("-Xptxas", "-O2,--warn-on-spills", "-lineinfo", "-res-usage")
        self.contains(self.read("log"), "-lineinfo", "-O2 --warn-on-spills -v")
        self.asked("-G")
        self.contains(self.read("log").splitlines()[1], " -g ")
        self.lacks(self.read("log").splitlines()[0], " -g ")

    def test_on_path(self):
        path = {"PATH": os.path.dirname(self.ptxas) + ":" + os.environ["PATH"]}
        self.compiles("-fatbin", "a.cu", "-o", "a.fatbin", "--kudzu-ptxas", env=path)
        self.assertTrue(self.exists("log"))

    def test_relocatable_code(self):
        self.compiles("-dc", "a.cu", "-o", "a.o", f"--kudzu-ptxas={self.ptxas}")
        self.assertFalse(self.exists("log"))
        self.compiles("-dlink", "a.o", "-o", "link.o", f"--kudzu-ptxas={self.ptxas}")
        self.assertIn(b"code -arch=sm_90", self.read_bytes("link.o"))

    def test_failures(self):
        r = self.fails("-c", "a.cu", "--kudzu-ptxas=/nowhere/ptxas")
        self.assertIn("/nowhere/ptxas", r.stderr)
        broken = self.assembler("#!/bin/sh\necho 'ptxas fatal: no' >&2\nexit 255\n")
        r = self.fails("-c", "a.cu", f"--kudzu-ptxas={broken}")
        self.contains(r.stderr, "ptxas fatal: no", "ptxas has no code for sm_90")
        self.assertFalse(self.exists("a.o"))

    def test_kudzus_own(self):
        own = self.write("own/ptxas", f"#!/bin/sh\nexec '{KUDZU}' ptxas \"$@\"\n")
        os.chmod(own, 0o755)
        r = self.fails("-c", "a.cu", f"--kudzu-ptxas={own}")
        self.contains(r.stderr, "makes no machine code")

    def test_program(self):
        self.compiles("a.cu", "-o", "a", f"--kudzu-ptxas={self.ptxas}")
        self.assertIn(b"code -arch=sm_90", self.read_bytes("a"))
        if RUNS:
            self.assertEqual(self.command(["./a"]).stdout, "7 no error\n")

    def test_registers(self):
        self.compiles("-ptx", "a.cu", "-o", "a.ptx")
        self.lacks(self.read("a.ptx"), ".maxnreg")
        self.compiles("-ptx", "a.cu", "-o", "a.ptx", "-maxrregcount=40")
        text = self.read("a.ptx")
        self.assertEqual(text.count(".maxnreg 40\n{"), 1)
        self.assertLess(text.index(".maxnreg"), text.index("bounded"))
        self.compiles("a.cu", "-o", "a", "-maxrregcount", "32")
        self.assertIn(b".maxnreg 32\n", self.read_bytes("a"))
        if RUNS:
            self.assertEqual(self.command(["./a"]).stdout, "7 no error\n")
        self.compiles("-ptx", "a.cu", "-o", "a.ptx", "-maxrregcount=0")
        self.lacks(self.read("a.ptx"), ".maxnreg")
        self.write("own.cu", """
            __global__ void __maxnreg__(40) own(int *x) { *x = 1; }
            __global__ void plain(int *x) { *x = 2; }
        """)
        self.compiles("-ptx", "own.cu", "-o", "own.ptx", "-maxrregcount=64")
        text = self.read("own.ptx")
        own = text.index(".entry _Z3ownPi")
        plain = text.index(".entry _Z5plainPi")
        self.assertLess(own, plain)
        self.contains(text[own:plain], ".maxnreg 40\n{")
        self.contains(text[plain:], ".maxnreg 64\n{")
        self.assertEqual(text.count("\n.maxnreg"), 2)
        for wrong in ("-3", "many", ""):
            self.assertIn("registers", self.fails("-c", "a.cu", f"-maxrregcount={wrong}").stderr)


main()
