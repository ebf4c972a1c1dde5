"""What the tests of the compiler driver share: running kudzu in a directory of their own."""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

KUDZU = os.environ.get("KUDZU", "kudzu")


class CompilerTest(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="kudzu-test-")
        self.addCleanup(shutil.rmtree, self.dir, ignore_errors=True)
        self.tmp = os.path.join(self.dir, "tmp")
        os.mkdir(self.tmp)
        self.share_headers()

    def share_headers(self):
        """Headers that options precompile at first use are made once for all tests of a build."""
        if os.path.isabs(KUDZU):
            shared = os.path.join(os.path.dirname(os.path.dirname(KUDZU)), "tests", "headers")
            os.makedirs(shared, mode=0o700, exist_ok=True)
            os.makedirs(os.path.join(self.dir, "cache", "kudzu"))
            os.symlink(shared, os.path.join(self.dir, "cache", "kudzu", "headers"))

    def write(self, name, text):
        path = os.path.join(self.dir, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as f:
            f.write(text)
        return path

    def read(self, name):
        with open(os.path.join(self.dir, name), errors="replace") as f:
            return f.read()

    def read_bytes(self, name):
        with open(os.path.join(self.dir, name), "rb") as f:
            return f.read()

    def contains(self, text, *parts):
        for part in parts:
            self.assertTrue(part in text, f"{part!r} is missing")

    def lacks(self, text, *parts):
        for part in parts:
            self.assertFalse(part in text, f"{part!r} is there")

    def exists(self, name):
        return os.path.exists(os.path.join(self.dir, name))

    def command(self, args, env=None):
        environment = dict(os.environ, TMPDIR=self.tmp, XDG_CACHE_HOME=self.dir + "/cache")
        environment.update(env or {})
        # A loaded machine may take minutes; ctest ends what hangs.
        return subprocess.run(args, cwd=self.dir, env=environment, capture_output=True, text=True,
                              errors="replace", timeout=900)

    def cc(self, *args, env=None):
        return self.command([KUDZU, "cc", *args], env)

    def compiles(self, *args, env=None):
        r = self.cc(*args, env=env)
        self.assertEqual(r.returncode, 0, " ".join(args) + "\n" + r.stderr)
        # Temporary files are gone, whatever happened.
        self.assertEqual(os.listdir(self.tmp), [], "temporary files are left")
        return r

    def fails(self, *args, env=None):
        r = self.cc(*args, env=env)
        self.assertEqual(r.returncode, 1, " ".join(args) + "\n" + r.stderr)
        self.assertEqual(os.listdir(self.tmp), [], "temporary files are left")
        return r

    def dry_run(self, *args, env=None):
        """The commands, each as a list of its arguments."""
        import re
        import shlex

        r = self.compiles("--dryrun", *args, env=env)
        found = [re.match(r"#\$ (?:KUDZU_\w+=\S+ )?(/.*)", line) for line in r.stderr.splitlines()]
        return [shlex.split(m.group(1)) for m in found if m]


def main():
    verbose = ["-v"] if os.environ.get("VERBOSE") else []
    unittest.main(argv=[sys.argv[0], *verbose, *sys.argv[1:]])
