"""Where the runtime looks for kudzu's driver, and in which order (src/runtime/load/find_cpu_driver.h)."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM, STAND_IN = sys.argv[1:3]


def make_driver(folder, with_jit=True):
    os.makedirs(folder, exist_ok=True)
    shutil.copy(STAND_IN, os.path.join(folder, "libcuda.so.1"))
    if with_jit:  # the mark of kudzu's own
        open(os.path.join(folder, "libkudzu-jit.so"), "w").close()
    return folder


def make_program(path, text="#!/bin/sh\n"):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as f:
        f.write(text)
    os.chmod(path, 0o755)


class DriverSearch(unittest.TestCase):
    def setUp(self):
        self.folder = os.path.realpath(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.program = self.path("app", "program")
        os.makedirs(self.path("app"))
        shutil.copy(PROGRAM, self.program)

    def path(self, *parts):
        return os.path.join(self.folder, *parts)

    def run_program(self, **variables):
        return subprocess.run(
            [self.program], env={"KUDZU_DEVICE": "cpu", **variables}, check=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=self.folder)

    def expect(self, folder, **variables):
        found = self.run_program(**variables).stdout.strip()
        self.assertEqual(os.path.dirname(os.path.realpath(found)), folder)

    def test_order(self):
        # From the last to the first: each new place hides those after it.
        pip = "lib/python3.11/site-packages/kudzu/toolkit/lib"
        variables = {}

        def hides(folder, **more):
            variables.update(more)
            self.expect(make_driver(folder), **variables)

        hides(self.path("home/.local", pip), HOME=self.path("home"))
        hides(self.path("venv", pip), VIRTUAL_ENV=self.path("venv"))
        make_program(self.path("on_path/bin/kudzu"))
        hides(self.path("on_path", pip), PATH="/usr/bin:" + self.path("on_path/bin"))
        hides(self.path("on_path/lib"))
        hides(self.path("library_path"), LD_LIBRARY_PATH=self.path("library_path"))
        hides(self.path("lib"))  # ../lib
        make_driver(self.path("home_of_kudzu/lib"))
        self.expect(self.path("home_of_kudzu/lib"), KUDZU_HOME=self.path("home_of_kudzu"), **variables)

    def test_newest_python_first(self):
        for version in ("3.8", "3.9"):
            newest = make_driver(self.path("venv/lib/python" + version, "site-packages/kudzu/toolkit/lib"))
        self.expect(newest, VIRTUAL_ENV=self.path("venv"))

    def test_link_on_path(self):
        make_program(self.path("opt/kudzu/bin/kudzu"))
        folder = make_driver(self.path("opt/kudzu/lib"))
        os.makedirs(self.path("bin"))
        os.symlink("../opt/kudzu/bin/kudzu", self.path("bin/kudzu"))
        self.expect(folder, PATH=self.path("bin"))

    def test_passed_over(self):
        make_driver(self.path("other/lib"), with_jit=False)  # not kudzu's
        make_program(self.path("bin/kudzu"))
        make_driver(self.path("relative/lib"))
        result = self.run_program(KUDZU_HOME=self.path("other"), VIRTUAL_ENV="relative", PATH="bin:")
        self.assertEqual(result.stdout.strip(), "none")

    def test_without_driver_one_line(self):
        result = self.run_program()
        self.assertEqual(result.stdout.strip(), "none")
        lines = result.stderr.splitlines()
        self.assertEqual(len(lines), 1, result.stderr)
        self.assertIn("no CUDA driver was found", lines[0])
        self.assertIn("KUDZU_HOME", lines[0])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
