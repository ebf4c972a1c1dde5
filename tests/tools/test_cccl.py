"""`kudzu cccl`: what it takes, where the headers come to lie, and what messages say without it."""

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zipfile

KUDZU = sys.argv[1]
FILES = {"thrust/thrust/version.h": "#define THRUST_VERSION 200805\n#include <cub/version.cuh>\n",
         "cub/cub/version.cuh": "#include <cuda/std/type_traits>\n",
         "cub/test/copy/deep/cub/version.cuh": "#error the wrong one\n",
         "libcudacxx/include/cuda/std/type_traits": "// CCCL's own\n#define CCCL_WAS_HERE\n"}


class Cccl(unittest.TestCase):
    def setUp(self):
        self.folder = os.path.realpath(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.release = self.path("cccl-2.8.5")
        for name, text in FILES.items():
            os.makedirs(os.path.dirname(os.path.join(self.release, name)), exist_ok=True)
            with open(os.path.join(self.release, name), "w") as f:
                f.write(text)

    def path(self, *parts):
        return os.path.join(self.folder, *parts)

    def kudzu(self, *args):
        return subprocess.run([KUDZU, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              env={**os.environ, "XDG_DATA_HOME": self.path("data")}, cwd=self.folder)

    def add(self, *files):
        result = self.kudzu("cccl", *files)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stdout, f"CCCL 2.8.5 in {self.path('data/kudzu/cccl')}\n")
        self.assertEqual(os.listdir(self.path("data/kudzu")), ["cccl"])

    def compile(self, text, *options):
        with open(self.path("a.cu"), "w") as f:
            f.write(text)
        return self.kudzu("cc", *options, "-c", "a.cu", "-o", "a.o")

    def test_compile(self):
        source = ("#include <thrust/version.h>\n#ifndef CCCL_WAS_HERE\n#error kudzu's own\n#endif\n"
                  "__global__ void k(int *p) { *p = THRUST_VERSION; }\n")
        without = self.compile(source)
        self.assertNotEqual(without.returncode, 0)
        self.assertIn("`kudzu cccl --help`", without.stderr)
        self.add(self.release)
        self.assertEqual(self.compile(source).stderr, "")
        # A program that names kudzu's own headers gets no part of them in place of CCCL's.
        own = os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(KUDZU))), "include")
        for option in f"-I{own}", f"-isystem={own}":
            self.assertEqual(self.compile(source, option).stderr, "", option)
        self.assertEqual(self.kudzu("cccl").stdout, f"CCCL 2.8.5 in {self.path('data/kudzu/cccl')}\n")
        self.assertEqual(self.kudzu("cccl", "--remove").returncode, 0)
        self.assertEqual(self.kudzu("cccl").stdout, "no CCCL was added; `kudzu cccl --help` says how\n")
        self.assertNotEqual(self.compile(source).returncode, 0)

    def test_archives(self):
        with tarfile.open(self.path("a.tar.gz"), "w:gz") as tar:
            tar.add(self.release, "cccl-2.8.5")
        with zipfile.ZipFile(self.path("a.whl"), "w") as wheel:
            for name in FILES:
                wheel.write(os.path.join(self.release, name), name)
        self.add("a.tar.gz")
        self.add("a.whl")  # in its place
        # Debian has one package for each part.
        self.add(self.path("cccl-2.8.5/thrust"), self.path("cccl-2.8.5/cub"))

    def configure(self):
        """What CMake says of a project that looks for CCCL, in the environment of kudzu exec."""
        os.makedirs(self.path("project"), exist_ok=True)
        with open(self.path("project/CMakeLists.txt"), "w") as f:
            f.write("cmake_minimum_required(VERSION 3.20)\nproject(p NONE)\nfind_package(Thrust CONFIG REQUIRED)\n"
                    "find_path(CUB_FOLDER cub/version.cuh REQUIRED)\nmessage(\"${THRUST_FOLDER} ${CUB_FOLDER}\")\n")
        return self.kudzu("exec", "--", "cmake", "-S", "project", "-B", "build")

    def test_packages(self):
        search = "%s/lib/cmake/thrust/thrust-header-search.cmake" % self.release
        os.makedirs(os.path.dirname(search))
        for path, text in ((search, "message(FATAL_ERROR \"where the source has them\")\n"),
                           (search + ".in", "set(prefix \"@from_install_prefix@\")\nset(THRUST_FOLDER "
                            "\"${CMAKE_CURRENT_LIST_DIR}/${prefix}/@CMAKE_INSTALL_INCLUDEDIR@\")\n"),
                           (search.replace("header-search", "config"),
                            "include(\"${CMAKE_CURRENT_LIST_DIR}/thrust-header-search.cmake\")\n")):
            with open(path, "w") as f:
                f.write(text)
        self.assertNotEqual(self.configure().returncode, 0)
        self.add(self.release)
        result = self.configure()
        self.assertEqual(result.returncode, 0, result.stderr)
        folder = self.path("data/kudzu/cccl")
        self.assertIn(f"{folder}/lib/cmake/thrust/../../../include {folder}/include\n", result.stderr)

    def test_refused(self):
        self.add(self.release)
        for wrong, reason in ((["nothing"], "nothing: No such file"), (["a.zip"], "cannot be unpacked"),
                              ([self.path("cccl-2.8.5/thrust")], "there is no cub/version.cuh"),
                              (["--what"], "no option --what")):
            with open(self.path("a.zip"), "w") as f:
                f.write("no archive")
            result = self.kudzu("cccl", *wrong)
            self.assertEqual(result.returncode, 1)
            self.assertIn(reason, result.stderr)
        self.assertEqual(self.kudzu("cccl").stdout, f"CCCL 2.8.5 in {self.path('data/kudzu/cccl')}\n")
        self.assertEqual(os.listdir(self.path("data/kudzu")), ["cccl"])

    def test_other_libraries(self):
        for header, says in (("cublas_v2.h", "cuBLAS is not a part of kudzu"),
                             ("helper_cuda.h", "CUDA samples"), ("cute/tensor.hpp", "part of CUTLASS")):
            result = self.compile(f"#include <{header}>\n")
            self.assertIn(says, result.stderr)
        self.assertNotIn("note:", self.compile("#include <my_header.h>\n").stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
