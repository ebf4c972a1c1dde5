"""kudzu's command line: help, versions, what is no command, option or program, and who says so.

usage: test_commands.py KUDZU
"""
import os
import subprocess
import sys
import tempfile
import unittest

KUDZU = os.path.abspath(sys.argv[1])
folder = tempfile.TemporaryDirectory()


def kudzu(*args, program=KUDZU):
    return subprocess.run([program, *args], capture_output=True, text=True, timeout=60,
                          cwd=folder.name, env=dict(os.environ, XDG_CACHE_HOME=folder.name))


class Help(unittest.TestCase):
    COMMANDS = "cc", "run", "compare", "explain", "clangd-config", "env", "exec", "cccl", "smi", "mps-control"

    def test_lists_each_command(self):
        text = kudzu("help").stdout
        for command in self.COMMANDS:
            self.assertIn("\n  %s " % command, text)
        self.assertEqual(kudzu("--help").stdout, text)
        self.assertEqual(kudzu("-h").stdout, text)
        self.assertEqual(kudzu("help", "help").stdout, text)

    def test_of_a_command_is_what_the_command_prints(self):
        for command in self.COMMANDS:
            text = kudzu("help", command)
            self.assertEqual((text.returncode, text.stderr), (0, ""), command)
            self.assertIn("Usage: kudzu " + command, text.stdout)
            self.assertEqual(kudzu(command, "--help").stdout, text.stdout)

    def test_version(self):
        text = kudzu("version")
        self.assertRegex(text.stdout, r"^kudzu \d+\.\d+\.\d+\n$")
        for option in "-V", "--version":
            self.assertEqual(kudzu(option).stdout, text.stdout)


class Refused(unittest.TestCase):
    def expect(self, status, begin, *parts, args, program=KUDZU):
        r = kudzu(*args, program=program)
        self.assertEqual((r.returncode, r.stdout), (status, ""), r)
        self.assertTrue(r.stderr.startswith(begin + ": error: "), r.stderr)
        self.assertEqual(r.stderr.count("\n"), 1, r.stderr)
        for part in parts:
            self.assertIn(part, r.stderr)
        return r.stderr

    def test_commands(self):
        self.expect(1, "kudzu", "'rum'", "`kudzu run`", args=["rum"])
        self.expect(1, "kudzu", "`kudzu version`", args=["versoin"])
        self.expect(1, "kudzu help", "`kudzu explain`", args=["help", "explian"])
        text = self.expect(1, "kudzu", "'frobnicate'", "kudzu help", args=["frobnicate"])
        self.assertNotIn("did you mean", text)

    def test_a_program_in_place_of_a_command(self):
        with open(os.path.join(folder.name, "a.cu"), "w") as f:
            f.write("int main() {}\n")
        self.expect(1, "kudzu", "`kudzu run a.cu`", args=["a.cu"])

    def test_options(self):
        cases = [("cc", "--helpp", "--help"), ("cc", "-arhc=sm_90", "-arch"),
                 ("cc", "--generate-codde=x", "--generate-code"), ("run", "--use-fast-math", "--use_fast_math"),
                 ("explain", "--blok=32", "--block"), ("compare", "--rums=2", "--runs")]
        for command, option, meant in cases:
            self.expect(2 if command == "compare" else 1, "kudzu " + command,
                        "'%s': did you mean %s?" % (option, meant), args=[command, option, "a.cu"])
        text = self.expect(1, "kudzu cc", "'--frobnicate'", args=["cc", "--frobnicate", "a.cu"])
        self.assertNotIn("did you mean", text)

    def test_folders(self):
        os.makedirs(os.path.join(folder.name, "folder", "b.cu"), exist_ok=True)
        for command, status in ("run", 1), ("compare", 2), ("explain", 1), ("cc", 1):
            for path in "folder", "folder/b.cu":
                self.expect(status, "kudzu " + command, path + " is a folder", args=[command, path])

    def test_what_is_not_there(self):
        for command, status in ("run", 1), ("compare", 2), ("explain", 1), ("cc", 1):
            self.expect(status, "kudzu " + command, "none.cu: No such file",
                        args=[command, "none.cu"])
        self.expect(1, "kudzu run", "no program", args=["run"])
        self.expect(1, "kudzu run", "/etc/passwd is no source", args=["run", "/etc/passwd"])
        self.expect(1, "kudzu run", "runs by itself", args=["run", "/bin/ls"])

    def test_the_name_of_nvcc(self):
        link = os.path.join(folder.name, "nvcc")
        os.symlink(KUDZU, link)
        self.expect(1, "nvcc (kudzu cc)", "none.cu", args=["none.cu"], program=link)

    def test_others(self):
        self.expect(1, "kudzu env", "no arguments", args=["env", "x"])
        self.expect(125, "kudzu exec", "no command", args=["exec"])
        self.expect(125, "kudzu exec", "'-x'", args=["exec", "-x"])
        self.assertEqual(kudzu().returncode, 1)


unittest.main(argv=sys.argv[:1] + sys.argv[2:])
