"""`cmake --install` lays out what build systems look for in a CUDA toolkit; uninstalling removes all."""

import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import unittest

CMAKE, BUILD = sys.argv[1:3]
SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# What an installation writes into the build folder; a real one's is put aside.
LISTS = [os.path.join(BUILD, name) for name in ("install_manifest.txt", "install_folders.txt")]


class Layout(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.destdir = os.path.realpath(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.destdir)
        for path in LISTS:
            if os.path.exists(path):
                os.rename(path, path + ".real")
                cls.addClassCleanup(os.rename, path + ".real", path)
        cls.prefix = os.path.join(cls.destdir, "opt/kudzu")
        os.makedirs(os.path.join(cls.prefix, "lib"))
        with open(os.path.join(cls.prefix, "lib/other.txt"), "w") as f:
            f.write("somebody else's\n")
        cls.environment = {**os.environ, "DESTDIR": cls.destdir}
        subprocess.run([CMAKE, "--install", BUILD, "--prefix", "/opt/kudzu"], env=cls.environment,
                       check=True, stdout=subprocess.DEVNULL)

    def path(self, *parts):
        return os.path.join(self.prefix, *parts)

    def test_toolkit(self):
        machine = platform.machine()
        for place in ("bin/kudzu", "bin/nvcc", "bin/nvidia-smi", "include/cuda.h", "include/cuda_runtime.h",
                      "lib/libcuda.so.1", "lib/libcuda.so", "lib/libcudart.so.12", "lib/libcudart_static.a",
                      "lib64/libcudart.so", "lib64/libnvrtc.so", "lib64/stubs/libcuda.so", "lib/kudzu-devicelib.bc",
                      f"targets/{machine}-linux/include/cuda.h", f"targets/{machine}-linux/lib/libcudart.so",
                      "share/doc/kudzu/LICENSE", "share/doc/kudzu/NOTICE"):
            self.assertTrue(os.path.exists(self.path(place)), place)

    def test_version(self):
        with open(self.path("version.json")) as f:
            self.assertEqual(json.load(f)["cuda"]["version"], "12.9.0")
        text = subprocess.run([self.path("bin/nvcc"), "--version"], check=True, stdout=subprocess.PIPE,
                              text=True).stdout
        self.assertIn("release 12.9", text)

    def test_smi(self):
        text = subprocess.run([self.path("bin/nvidia-smi"), "-L"], check=True, stdout=subprocess.PIPE,
                              text=True).stdout
        self.assertIn("GPU 0: kudzu", text)

    def test_project(self):
        # A makefile that links by lib64, and a program that runs with no environment.
        script = os.path.join(SOURCE, "tests/install/check_installed.sh")
        text = subprocess.run([script, "make", "alone"], check=True, stdout=subprocess.PIPE, text=True,
                              env={**os.environ, "PATH": self.path("bin") + ":" + os.environ["PATH"]}).stdout
        self.assertEqual(text, "passed: make\npassed: alone\n")

    def test_zz_uninstall(self):
        subprocess.run([CMAKE, "-D", f"BUILD={BUILD}", "-P", f"{SOURCE}/cmake/uninstall.cmake"],
                       env=self.environment, check=True, stderr=subprocess.DEVNULL)
        left = [os.path.join(place, name) for place, folders, files in os.walk(self.destdir)
                for name in folders + files]
        self.assertEqual(sorted(left), [os.path.join(self.destdir, p) for p in
                                        ("opt", "opt/kudzu", "opt/kudzu/lib", "opt/kudzu/lib/other.txt")])
        self.assertFalse(any(map(os.path.exists, LISTS)))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
