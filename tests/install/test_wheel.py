"""scripts/wheel.py on a small installation: what is in the wheel, and what it refuses."""

import base64
import csv
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile

SOURCE, BUILD = sys.argv[1:3]
WHEEL = os.path.join(SOURCE, "scripts", "wheel.py")


def write(path, text, mode=0o644):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as f:
        f.write(text)
    os.chmod(path, mode)


class Wheel(unittest.TestCase):
    def setUp(self):
        self.folder = os.path.realpath(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.prefix = os.path.join(self.folder, "prefix")
        write(self.at("bin/kudzu"), '#!/bin/sh\necho "kudzu $*"\n', 0o755)
        write(self.at("include/cuda.h"), "// a header\n")
        write(self.at("lib/libcuda.so.1"), "")
        os.symlink("libcuda.so.1", self.at("lib/libcuda.so"))
        write(self.at("lib/pch/device.pch"), "names its place")
        write(self.at("lib/libcudart_static.a"), "")
        write(self.at("lib/stubs/libcuda.so"), "INPUT(../libcuda.so)\n")
        os.symlink("lib", self.at("lib64"))
        os.makedirs(self.at("nvvm"))
        os.symlink("../include/cuda.h", self.at("nvvm/copied"))

    def at(self, *parts):
        return os.path.join(self.prefix, *parts)

    def run_script(self, version="1.2.3"):
        return subprocess.run([sys.executable, "-B", WHEEL, self.prefix, version, self.folder],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def make(self):
        result = self.run_script()
        self.assertEqual(result.returncode, 0, result.stderr)
        return os.path.join(self.folder, "kudzu-1.2.3-py3-none-manylinux_2_28_x86_64.whl")

    def elf(self, path, machine):
        with open(self.at(path), "wb") as f:
            f.write(b"\x7fELF\x02\x01\x01" + bytes(9) + (2).to_bytes(2, "little") + machine.to_bytes(2, "little") +
                    (1).to_bytes(4, "little") + bytes(28) + (64).to_bytes(2, "little") + bytes(10))

    def refused(self, reason):
        result = self.run_script()
        self.assertEqual(result.returncode, 1)
        self.assertIn(reason, result.stderr)
        self.assertEqual([f for f in os.listdir(self.folder) if f.endswith(".whl")], [])

    def test_files(self):
        with zipfile.ZipFile(self.make()) as wheel:
            names = set(wheel.namelist())
            mode = {i.filename: i.external_attr >> 16 & 0o777 for i in wheel.infolist()}
            self.assertEqual(wheel.read("kudzu/toolkit/lib/libcuda.so"), b"INPUT(libcuda.so.1)\n")
            self.assertEqual(wheel.read("kudzu/toolkit/nvvm/copied"), b"// a header\n")
            self.assertIn(b"Version: 1.2.3\n", wheel.read("kudzu-1.2.3.dist-info/METADATA"))
            self.assertIn(b"Tag: py3-none-manylinux_2_28_x86_64\n", wheel.read("kudzu-1.2.3.dist-info/WHEEL"))
            self.assertTrue(wheel.read("kudzu-1.2.3.data/scripts/kudzu").startswith(b"#!python\n"))
        self.assertEqual(mode["kudzu/toolkit/bin/kudzu"], 0o755)
        self.assertEqual(mode["kudzu/toolkit/include/cuda.h"], 0o644)
        self.assertLessEqual({"kudzu/__init__.py", "kudzu/__main__.py",
                              "kudzu-1.2.3.dist-info/licenses/NOTICE"}, names)
        self.assertFalse([n for n in names if "pch" in n or n.endswith(".pyc")])

    def test_lib64(self):
        with zipfile.ZipFile(self.make()) as wheel:
            scripts = {n.partition("/toolkit/lib64/")[2]: wheel.read(n).decode() for n in wheel.namelist()
                       if "/toolkit/lib64/" in n}
        self.assertEqual(scripts, {"libcuda.so": "INPUT(../lib/libcuda.so)\n",
                                   "libcudart_static.a": "INPUT(../lib/libcudart_static.a)\n",
                                   "stubs/libcuda.so": "INPUT(../../lib/stubs/libcuda.so)\n"})

    def test_record(self):
        with zipfile.ZipFile(self.make()) as wheel:
            record = "kudzu-1.2.3.dist-info/RECORD"
            rows = {name: (digest, size) for name, digest, size in
                    csv.reader(wheel.read(record).decode().splitlines())}
            self.assertEqual(set(rows), set(wheel.namelist()))
            self.assertEqual(rows.pop(record), ("", ""))
            for name, (digest, size) in rows.items():
                data = wheel.read(name)
                expected = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")
                self.assertEqual((digest, size), ("sha256=" + expected, str(len(data))), name)

    def test_reproducible(self):
        with open(self.make(), "rb") as f:
            first = f.read()
        os.utime(self.at("include/cuda.h"), (1, 1))
        with open(self.make(), "rb") as f:
            self.assertEqual(first, f.read())

    def test_links(self):
        os.symlink("kudzu", self.at("bin/nvcc"))
        self.refused("a wheel has no links")

    def test_machine(self):
        self.elf("lib/program", 183)  # EM_AARCH64
        result = self.run_script()
        self.assertEqual(result.returncode, 0, result.stderr)
        with zipfile.ZipFile(os.path.join(self.folder, "kudzu-1.2.3-py3-none-manylinux_2_28_aarch64.whl")) as wheel:
            self.assertIn(b"Tag: py3-none-manylinux_2_28_aarch64\n", wheel.read("kudzu-1.2.3.dist-info/WHEEL"))

    def test_machines(self):
        self.elf("lib/program", 183)
        self.elf("lib/other", 62)  # EM_X86_64
        self.refused("are for different machines")

    def test_libraries(self):
        # libstdc++ is not on every system.
        shutil.copy(os.path.join(BUILD, "lib/libcurand.so.10"), self.at("lib"))
        self.refused("kudzu/toolkit/lib/libcurand.so.10 needs")

    def test_glibc(self):
        write(self.at("new.c"), "#include <unistd.h>\nint new_function(void) { return gettid(); }\n")
        subprocess.run(["cc", "-D_GNU_SOURCE", "-shared", "-fPIC", self.at("new.c"), "-o",
                        self.at("lib/libnew.so")], check=True)
        self.refused("kudzu/toolkit/lib/libnew.so needs glibc 2.3")

    def test_python_command(self):
        # As pip unpacks it; `kudzu` by module, and what the import sets.
        with zipfile.ZipFile(self.make()) as wheel:
            wheel.extractall(self.at("site"))
        os.chmod(self.at("site/kudzu/toolkit/bin/kudzu"), 0o755)
        run = subprocess.run([sys.executable, "-B", self.at("site/kudzu-1.2.3.data/scripts/kudzu"), "run", "a.cu"],
                             env={**os.environ, "PYTHONPATH": self.at("site")}, check=True,
                             stdout=subprocess.PIPE, text=True)
        self.assertEqual(run.stdout, "kudzu run a.cu\n")

    def test_import(self):
        code = ("import kudzu, os; print(kudzu.home()); print(os.environ['CUDA_HOME']);"
                "print(os.environ['LD_LIBRARY_PATH']); print(open('/proc/self/maps').read())")
        environment = {k: v for k, v in os.environ.items() if not k.startswith("CUDA")}
        run = subprocess.run([sys.executable, "-B", "-c", code], check=True, stdout=subprocess.PIPE, text=True,
                             env={**environment, "PYTHONPATH": os.path.join(SOURCE, "python"),
                                  "KUDZU_HOME": BUILD, "LD_LIBRARY_PATH": "/elsewhere"})
        lines = run.stdout.splitlines()
        self.assertEqual(lines[:3], [BUILD, BUILD, f"{BUILD}/lib:/elsewhere"])
        for library in ("libcuda.so.1", "libnvrtc.so.12", "libnvidia-ml.so.1"):
            self.assertIn(os.path.join(BUILD, "lib", library), run.stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
