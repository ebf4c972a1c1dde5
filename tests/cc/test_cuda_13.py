"""Compiling as CUDA 13: KUDZU_CUDA_VERSION, and the toolkit in cuda-13."""
import json
import os
import shutil

from common import KUDZU, CompilerTest, main

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(KUDZU)))
HOME = os.path.join(ROOT, "cuda-13")
AS_13 = {"KUDZU_CUDA_VERSION": "13.0"}
AS_12 = {"KUDZU_CUDA_VERSION": "12.9"}


class Cuda13(CompilerTest):
    def nvcc(self, *args, env=None):
        return self.command([os.path.join(HOME, "bin", "nvcc"), *args], env)

    def test_version(self):
        for env, release in ((AS_13, "13.0, V13.0.0"), ({"KUDZU_CUDA_VERSION": "13.4"}, "13.0, V13.0.0"),
                             (AS_12, "12.9, V12.9.0"), ({"KUDZU_CUDA_VERSION": "12.1"}, "12.9, V12.9.0"),
                             ({"KUDZU_CUDA_VERSION": ""}, "12.9, V12.9.0")):
            self.contains(self.compiles("--version", env=env).stdout, "release " + release)
        for wrong in ("13", "14.0", "new"):
            env = {"KUDZU_CUDA_VERSION": wrong}
            self.contains(self.fails("--version", env=env).stderr, f"KUDZU_CUDA_VERSION is '{wrong}'")

    def test_toolkit_chooses_its_version(self):
        for env in ({}, AS_12, {"KUDZU_CUDA_VERSION": "13.2"}):
            self.contains(self.nvcc("--version", env=env).stdout, "release 13.0")
        with open(os.path.join(HOME, "version.json")) as f:
            self.assertEqual(json.load(f)["cuda"]["version"], "13.0.0")
        self.contains(self.nvcc("nothing.cu").stderr, "nvcc (kudzu cc): error: nothing.cu")

    def test_commands(self):
        self.write("a.cu", "")
        self.write("b.cpp", "")
        for env, expected in ((AS_13, True), (AS_12, False)):
            device, host = self.dry_run("-c", "a.cu", env=env)
            plain, = self.dry_run("-c", "b.cpp", env=env)
            for command in (device, host):
                self.assertIn("-D__CUDACC_VER_MAJOR__=" + ("13" if expected else "12"), command)
            for command in (device, host, plain):
                self.assertEqual("-DKUDZU_CUDA_VERSION=13000" in command, expected)
            link = self.dry_run("a.cu", env=env)[-1]
            self.assertEqual("-L" + HOME + "/lib64" in link, expected)
            self.assertIn("-L" + ROOT + "/lib", link)

    def test_precompiled_headers_are_of_one_version(self):
        self.write("a.cu", "")
        for command in self.dry_run("-c", "a.cu", env=AS_13):
            header = command[command.index("-include-pch") + 1] if "-include-pch" in command else ""
            self.assertFalse(header.startswith(ROOT), header)
        for command in self.dry_run("--kudzu-precompile", env=AS_13):
            self.assertNotIn("-DKUDZU_CUDA_VERSION=13000", command)

    def test_architectures(self):
        first = self.compiles("--list-gpu-arch", env=AS_13).stdout.split()
        self.assertEqual((first[0], first[-1]), ("compute_75", "compute_121"))
        self.assertIn("sm_50", self.compiles("--list-gpu-code", env=AS_12).stdout.split())
        self.write("a.cu", "")
        for old in ("-arch=sm_70", "-arch=compute_52", "-gencode=arch=compute_61,code=sm_61", "-arch=sm_20"):
            self.contains(self.fails("-c", "a.cu", old, env=AS_13).stderr, "CUDA 13 does not compile for")
        self.contains(self.fails("-c", "a.cu", "-arch=sm_101", env=AS_13).stderr, "is not an architecture")
        self.contains(self.fails("-c", "a.cu", "-arch=sm_88", env=AS_12).stderr, "is not an architecture")
        for new, compiled in (("sm_75", "75"), ("sm_88", "87"), ("sm_103a", "90"), ("sm_110", "90"), ("sm_121f", "90")):
            device = self.dry_run("-c", "a.cu", "-arch=" + new, env=AS_13)[0]
            self.assertIn("--cuda-gpu-arch=sm_" + compiled, device)
        majors = self.dry_run("-c", "a.cu", "-arch=all-major", env=AS_13)[:-1]
        self.assertEqual([c[[i for i, x in enumerate(c) if x.startswith("--cuda-gpu-arch=")][0]] for c in majors],
                         [f"--cuda-gpu-arch=sm_{n}" for n in (75, 80, 90)])

    def test_headers(self):
        """Every header of cuda-13 that C knows, by a host's compiler."""
        gcc = shutil.which("gcc")
        if not gcc:
            self.skipTest("there is no gcc")
        for text in ("cuda", "cuda_runtime", "cuda_runtime_api", "cudaTypedefs", "cuda_occupancy", "curand", "nvrtc", "vector_types"):
            self.write("a.c", f"#include <{text}.h>\n#include <{text}.h>\n")
            r = self.command([gcc, "-fsyntax-only", "-Wall", "-Werror", "-I" + HOME + "/include", "a.c"])
            self.assertEqual(r.returncode, 0, r.stderr)
        for name, macro in (("cuda.h", "CUDA_VERSION"), ("cuda_runtime_api.h", "CUDART_VERSION")):
            with open(os.path.join(HOME, "include", name)) as f:
                self.contains(f.read(), f"#define {macro} 13000\n")
        self.write("typedefs.c", "#include <cudaTypedefs.h>\nPFN_cuCtxCreate f; PFN_cuMemAdvise_v12020 g;\n"
                                 "int h(CUcontext *c) { return f(c, 0, 0, 0); }\n")
        r = self.command([gcc, "-fsyntax-only", "-Wall", "-Werror", "-I" + HOME + "/include", "typedefs.c"])
        self.assertEqual(r.returncode, 0, r.stderr)


if __name__ == "__main__":
    main()
