"""Precompiled headers: used where nothing can change what the headers mean, else not; and nobody
can tell the difference."""
import os
import re
import shutil

import common
from common import CompilerTest, main

HELLO = """
#include <cstdio>
__global__ void k(int *x, float y) { x[threadIdx.x] = atomicAdd(x, 1) + __float2int_rn(sinf(y)); }
int main() {
    int *d;
    cudaMalloc(&d, 128);
    k<<<1, 32>>>(d, 1.0f);
    dim3 grid(2);
    printf("%u\\n", grid.x);
    return cudaDeviceSynchronize();
}
"""

# Messages about the headers' own functions, templates and types, from both passes.
WRONG = """
#include <algorithm>
#include <vector>
struct A { A(const A &); int operator<(int); };
int f(std::vector<A> &v) {
    std::abs("x");
    cudaMalloc(1);
    dim3 d("x");
    int4 q = 3;
    std::sort(v.begin(), v.end());
}
"""
WRONG_ON_DEVICE = """
__global__ void k(int *x) {
    __syncthreads(1);
    atomicAdd(1, 2);
    max(1, "y");
    printf("%d", "x");
}
"""


HALF = ["cuda_fp16.h"]
HALVES = HALF + ["cuda_bf16.h"]
MOST = HALVES + ["mma.h", "cuda_fp8.h", "cuda_fp6.h", "cuda_fp4.h", "cooperative_groups.h",
                 "cooperative_groups/memcpy_async.h", "cooperative_groups/reduce.h",
                 "cooperative_groups/scan.h", "cuda/barrier", "cuda/pipeline", "cuda/ptx",
                 "curand_kernel.h"]
# What the sets rely on: the first includes the second.
IMPLIED = [("cuda_fp4.h", "cuda_bf16.h"), ("cuda_fp6.h", "cuda_bf16.h"),
           ("cuda_fp8.h", "cuda_bf16.h"), ("mma.h", "cuda_bf16.h"),
           ("cuda_bf16.h", "cuda_fp16.h"),
           ("cooperative_groups/memcpy_async.h", "cooperative_groups.h"),
           ("cuda/pipeline", "cuda/barrier")]


def including(names):
    return "".join(f"#include <{name}>\n" for name in names)


class Precompiled(CompilerTest):
    def setUp(self):
        super().setUp()
        self.write("a.cu", HELLO)

    def sets(self, text, *args, env=None):
        """The set of headers that both passes start with: "", "half-", "halves-" or "most-"."""
        self.write("set.cu", text)
        found = [re.search(r"/pch/((?:half-|halves-|most-)?)(?:device|host)", " ".join(c))
                 for c in self.dry_run("-c", "set.cu", *args, env=env)]
        names = {f and f.group(1) for f in found}
        self.assertEqual(len(names), 1)
        return names.pop()

    def test_sets(self):
        most = including(MOST)
        for text, expected in (
                ("", ""), ("#include <cooperative_groups.h>\n", ""),
                ("#include <cuda_fp16.h>\n", "half-"), ('#include "cuda_fp16.h"\n', "half-"),
                ("// x\n/* y\n */ # /**/ include <cuda_fp16.h> // z\n", "half-"),
                ("#include <vector>\n#include <cuda_bf16.h>\n", "halves-"),
                ("#define SIZE_OF_TILE 4\n#include <mma.h>\n", "halves-"),
                ("#define SIZE_OF_TILE \\\n4\n#include <mma.h>\n", "halves-"),
                (most, "most-"), ("#include <cstdio>\n" + most + "#include <map>\n", "most-"),
                (most.replace("#include <curand_kernel.h>\n", ""), "halves-")):
            self.assertEqual(self.sets(text), expected, text)

    def test_sets_not_used(self):
        self.write("beside.h", "")
        self.write("inc/mine.h", "")
        self.write("own/cuda_fp16.h", "#include_next <cuda_fp16.h>\n")
        self.write("own2/device_types.h", "#include_next <device_types.h>\n")
        half = "#include <cuda_fp16.h>\n"
        for text in ('#include "beside.h"\n' + half, "#include <mine.h>\n" + half,
                     "#ifdef X\n" + half + "#endif\n", "int x;\n" + half,
                     "#pragma pack(1)\n" + half, "#define HD\n" + half,
                     "#define __CUDA_NO_HALF_OPERATORS__\n" + half, "#define half x\n" + half,
                     '"' + half, "#include CUDA\n" + half, "#if 0\n" + half + "#endif\n"):
            self.assertEqual(self.sets(text, "-Iinc"), "", text)
        for args in (["-Iown"], ["-isystem", "own"], ["-DHD"]):
            self.assertEqual(self.sets(half, *args), "", args)
        self.assertEqual(self.sets(half, env={"CPATH": self.dir + "/own"}), "")
        self.assertEqual(self.sets(half + "int x;\n", "-Iinc"), "half-")

    def test_what_sets_rely_on(self):
        for first, second in IMPLIED:
            self.write("set.cu", including([first]))
            r = self.compiles("-M", "set.cu")
            self.contains(r.stdout, "include/" + second)

    def test_sets_same_objects(self):
        for names, args in ((HALVES, ["-O2", "-std=c++17"]), (MOST, []),
                            (MOST, ["-use_fast_math"]), (MOST, ["-std=c++20", "-O2"])):
            self.write("set.cu", including(names) + HELLO + "__half h = __float2half(1.5f);\n")
            self.assertNotEqual(self.sets(self.read("set.cu")), "")
            self.compiles("-c", "set.cu", "-o", "with.o", "-MD", "-MF", "with.d", *args)
            self.compiles("-c", "set.cu", "-o", "without.o", "-MD", "-MF", "without.d",
                          "--kudzu-no-precompiled", *args)
            self.assertEqual(self.read_bytes("with.o"), self.read_bytes("without.o"))
            with_set, without = (sorted(self.read(f).replace("\\\n", " ").split()[1:])
                                 for f in ("with.d", "without.d"))
            self.assertEqual(with_set, without)

    def headers(self, *args, env=None):
        """What the device pass and the host pass include: True where it is precompiled."""
        commands = self.dry_run("-c", "a.cu", *args, env=env)
        self.assertEqual(len(commands), 2)
        for c in commands:
            self.assertTrue(("-include-pch" in c) != ("cuda_runtime.h" in c))
        return ["-include-pch" in c for c in commands]

    def test_used(self):
        self.write("inc/mine.h", "")
        for args in ([], ["-O3"], ["-O0"], ["-std=c++17"], ["-DSIZE_OF_TILE=4"], ["-Iinc"],
                     ["-isystem", "inc"], ["-Inowhere"], ["-lineinfo"], ["-Xcompiler", "-Wall"],
                     ["-w"], ["-Werror"], ["-MD"], ["-extended-lambda"], ["-prec-div=false"],
                     ["-USIZE_OF_TILE"], ["--kudzu-native=x86-64-v3"], ["-rdc=true"], ["-G"],
                     ["-rdc=true", "-G", "-std=c++17"], ["-std=c++20"], ["-use_fast_math"],
                     ["-Xcompiler", "-fPIC"], ["-std=c++20", "-use_fast_math", "-rdc=true"],
                     ["-O3", "-DNDEBUG"], ["-Xcompiler", "-g1"], ["-O2", "-Xcompiler", "-gline-tables-only"]):
            self.assertEqual(self.headers(*args), [True, True], args)
        self.assertEqual(self.headers(env={"CPATH": self.dir + "/inc"}), [True, True])

    def test_used_with_its_own_directory(self):
        own = os.path.join(os.path.dirname(os.path.dirname(shutil.which(common.KUDZU))), "include")
        os.symlink(own, os.path.join(self.dir, "cuda"))
        half = "#include <cuda_fp16.h>\n"
        for args in (["-I" + own], ["-I" + own + "/"], ["-I", "cuda"], ["-isystem", own]):
            self.assertEqual(self.headers(*args), [True, True], args)
            self.assertEqual(self.sets(half, *args), "half-", args)
        self.assertEqual(self.headers(env={"CPATH": own}), [True, True])
        self.write("set.cu", half + HELLO)
        self.compiles("-c", "set.cu", "-Icuda", "-o", "with.o")
        self.compiles("-c", "set.cu", "-Icuda", "-o", "without.o", "--kudzu-no-precompiled")
        self.assertEqual(self.read_bytes("with.o"), self.read_bytes("without.o"))

    def test_used_by_one_pass(self):
        for args in (["-arch=sm_80"], ["-ftz=true"], ["-fmad=false"], ["-Ofc=max"],
                     ["-prec-sqrt=false"], ["-use_fast_math", "-ftz=false"]):
            self.assertEqual(self.headers(*args), [False, True], args)
        for args in (["-Xcompiler", "-fopenmp"], ["-Xcompiler", "-fpic"], ["-pg"], ["-Os"], ["-g"],
                     ["-Xcompiler", "-g1", "-g"], ["-Xcompiler", "-g2"], ["-Xcompiler", "-Wp\\,-DX"]):
            self.assertEqual(self.headers(*args), [True, False], args)

    def test_not_used(self):
        self.write("math/math.h", "#include_next <math.h>\n")
        self.write("bits/bits/types.h", "#include_next <bits/types.h>\n")
        self.write("mine.h", "#define INT_MAX 1\n")
        for args in (["-DINT_MAX=1"], ["-UINT_MAX"], ["-D__FOO"], ["-D_FOO=2"], ["-Dfloat4=x"],
                     ["-Imath"], ["-isystem", "math"], ["-Ibits"], ["-include", "mine.h"],
                     ["-std=c++14"], ["-std=c++11"], ["-default-stream=per-thread"], ["-MD", "-MP"],
                     ["--kudzu-no-precompiled"]):
            self.assertEqual(self.headers(*args), [False, False], args)
        for variable in ("CPATH", "CPLUS_INCLUDE_PATH", "C_INCLUDE_PATH"):
            self.assertEqual(self.headers(env={variable: "/nowhere:" + self.dir + "/math"}),
                             [False, False], variable)
        self.assertEqual(self.headers(env={"CCC_OVERRIDE_OPTIONS": "# +-DX"}), [False, False])
        self.write("cuda_runtime.h", "#include_next <cuda_runtime.h>\n")
        self.assertEqual(self.headers(), [False, False])

    def test_same_objects(self):
        for args in (["-O0"], ["-O3"], ["-g"], ["-O2", "-lineinfo"], ["-std=c++17", "-DQ=1"],
                     ["-rdc=true"], ["-G"], ["-O2", "-rdc=true", "-G"], ["-std=c++20", "-O2"],
                     ["-use_fast_math"], ["-Xcompiler", "-fPIC"],
                     ["-Xcompiler", "-g1"], ["-O2", "-lineinfo", "-Xcompiler", "-gline-tables-only"],
                     ["-use_fast_math", "-std=c++20", "-O3", "-Xcompiler", "-fPIC", "-rdc=true"]):
            self.compiles("-c", "a.cu", "-o", "with.o", *args)
            self.compiles("-c", "a.cu", "-o", "without.o", "--kudzu-no-precompiled", *args)
            self.assertEqual(self.read_bytes("with.o"), self.read_bytes("without.o"), args)
        self.compiles("-ptx", "a.cu", "-o", "with.ptx")
        self.compiles("-ptx", "a.cu", "-o", "without.ptx", "--kudzu-no-precompiled")
        self.assertEqual(self.read("with.ptx"), self.read("without.ptx"))

    def test_assertions(self):
        """What CMake's release builds define does not count where no header looks at it."""
        self.write("asserts.cu", "#include <cassert>\n__global__ void k(int *x) { assert(*x); }\n")
        for args in ([], ["-DNDEBUG"]):
            self.compiles("-ptx", "asserts.cu", *args)
            self.assertEqual("__assertfail" in self.read("asserts.ptx"), not args)

    def test_same_macros(self):
        """What options say of themselves, where the header was precompiled for others."""
        self.write("macros.cu", "".join(f"#ifdef {m}\n#warning {m}\n#endif\n" for m in (
            "__CUDACC_RDC__", "__CLANG_RDC__", "__CUDACC_DEBUG__", "__OPTIMIZE__",
            "__NO_INLINE__", "__PIC__", "__PIE__", "__CUDACC__")))
        for args in (["-rdc=true"], ["-G"], ["-O2", "-rdc=true", "-G"], ["-Xcompiler", "-fPIC"]):
            said = [self.compiles("-c", "macros.cu", "-o", "a.o", *args, *more).stderr
                    for more in ([], ["--kudzu-no-precompiled"])]
            self.assertEqual(said[0], said[1], args)
            self.contains(said[0], "__CUDACC_")

    def messages(self, *args):
        # How far clang underlines the end of a declaration is the one thing that differs.
        return re.sub("~+", "~", self.fails(*args, "-Xcompiler", "-Wall,-Wextra").stderr)

    def test_same_messages(self):
        self.write("host.cu", WRONG)
        self.write("device.cu", WRONG_ON_DEVICE)
        self.write("half.cu", "#include <cuda_bf16.h>\n#include <cuda_fp16.h>\n"
                   "__half f(int *p) { return __hadd(p, 1) + __float2bfloat16(p); }\n")
        for args in (["-c", "host.cu"], ["-ptx", "device.cu"]):
            text = self.messages(*args)
            self.assertEqual(text, self.messages(*args, "--kudzu-no-precompiled"))
            self.contains(text, "note: candidate function")
        # Candidates of one rank come in the order in which they were declared or read.
        with_set, without = (sorted(self.messages("-c", "half.cu", *args).splitlines())
                             for args in ([], ["--kudzu-no-precompiled"]))
        self.assertEqual(with_set, without)

    def dependencies(self, *args):
        self.compiles("-c", "a.cu", "-o", "a.o", "-MF", "a.d", *args)
        text = self.read("a.d").replace("\\\n", " ")
        self.assertTrue(text.startswith("a.o: "))
        return sorted(text.split())

    def test_same_dependencies(self):
        for option in ("-MD", "-MMD"):
            found = self.dependencies(option)
            self.assertEqual(found, self.dependencies(option, "--kudzu-no-precompiled"))
            self.assertIn("a.cu", found)


class Installation(CompilerTest):
    """A copy of kudzu: its headers are precompiled where it lies, and may change there."""

    def setUp(self):
        super().setUp()
        root = os.path.dirname(os.path.dirname(common.KUDZU))
        self.root = os.path.join(self.dir, "kudzu")
        shutil.copytree(root + "/include", self.root + "/include")
        os.makedirs(self.root + "/lib")
        os.makedirs(self.root + "/bin")
        shutil.copy2(common.KUDZU, self.root + "/bin/kudzu")
        for name in ("kudzu-clang-plugin.so", "kudzu-devicelib.bc"):
            shutil.copy2(f"{root}/lib/{name}", f"{self.root}/lib/{name}")
        self.write("a.cu", HELLO)

    def cc(self, *args, env=None):
        return self.command([self.root + "/bin/kudzu", "cc", *args], env)

    def uses(self):
        commands = self.dry_run("-c", "a.cu")
        return ["-include-pch" in c for c in commands]

    def uses_cached(self):
        return "-include-pch" in self.dry_run("-c", "a.cu", "-Xcompiler", "-fPIC")[1]

    def silent(self, *args):
        r = self.compiles("-c", *args)
        self.assertEqual(r.stderr, "")

    def start_with_the_builds(self):
        """What the build has precompiled, as if it had been made here: all takes half a minute."""
        root = os.path.dirname(os.path.dirname(common.KUDZU))
        shutil.copytree(root + "/lib/pch", self.root + "/lib/pch")
        key = os.path.join(self.root, "lib/pch/key")
        with open(key, "r+", errors="surrogateescape") as f:
            text = f.read().replace(root + "/", self.root + "/")
            f.seek(0)
            f.write(text)
            f.truncate()

    def would_be_made(self):
        return len(self.dry_run("--kudzu-precompile"))

    def test_life(self):
        self.assertEqual(self.uses(), [False, False])
        everything = self.would_be_made()
        self.assertGreater(everything, 40)
        self.start_with_the_builds()
        self.assertEqual(self.uses(), [True, True])
        made = os.path.join(self.root, "lib/pch/device-gnu++17.pch")
        before = os.stat(made).st_mtime_ns
        self.compiles("--kudzu-precompile")
        self.assertEqual(os.stat(made).st_mtime_ns, before, "made anew without need")
        self.damage(made)
        self.assertEqual(self.would_be_made(), 0)
        os.rename(made, made + " away")
        self.assertEqual(self.uses(), [False, False])
        self.assertEqual(self.would_be_made(), everything)
        self.silent("a.cu")
        os.rename(made + " away", made)
        self.assertEqual(self.uses(), [True, True])
        self.change_a_header()
        self.assertEqual(self.would_be_made(), everything)
        if os.environ.get("KUDZU_COMPARE") == "thorough":
            self.make_anew()
        moved = self.root + " moved"
        os.rename(self.root, moved)
        self.root = moved
        self.assertEqual(self.uses(), [False, False])
        self.silent("a.cu")

    def make_anew(self):
        self.compiles("--kudzu-precompile")
        self.assertEqual(self.would_be_made(), 0)
        self.assertEqual(self.uses(), [True, True])
        self.silent("changed.cu")
        for _ in range(2):
            self.silent("changed.cu", "-Xcompiler", "-fPIC")
        self.assertTrue(self.uses_cached())

    # Of the same size and age, so that clang has to find out.
    def damage(self, path):
        whole, st = self.read_bytes(path), os.stat(path)
        for at, junk in ((0, b"junk"), (8, b"\xff" * 4096), (len(whole) // 2, b"\xa5" * 65536)):
            with open(path, "wb") as f:
                f.write(whole[:at] + junk + whole[at + len(junk):])
            os.utime(path, ns=(st.st_atime_ns, st.st_mtime_ns))
            self.assertEqual(self.uses(), [True, True])
            self.silent("a.cu")
        with open(path, "wb") as f:
            f.write(whole)
        os.utime(path, ns=(st.st_atime_ns, st.st_mtime_ns))

    def change_a_header(self):
        for _ in range(2):
            self.compiles("-c", "a.cu", "-Xcompiler", "-fPIC")
        self.assertTrue(self.uses_cached())
        with open(self.root + "/include/vector_types.h", "a") as f:
            f.write("#define ADDED_LATER 1\n")
        self.assertFalse(self.uses_cached())
        self.write("changed.cu", "static_assert(ADDED_LATER == 1);\n")
        self.assertEqual(self.uses(), [False, False])
        self.silent("changed.cu")

    def test_cannot_be_made(self):
        self.write("kudzu/lib/pch", "in the way")
        r = self.fails("--kudzu-precompile")
        self.contains(r.stderr, "lib/pch")
        self.silent("a.cu")


if __name__ == "__main__":
    main()
