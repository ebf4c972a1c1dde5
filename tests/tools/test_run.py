"""kudzu run: tells of faults and failed launches that the program itself does not look at.

usage: test_run.py KUDZU SOURCE
"""
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

KUDZU, SOURCE = sys.argv[1:3]
folder = tempfile.TemporaryDirectory()
BAD_SHAPE = r"kernel nothing\(int\*\) was not launched \(grid \(1,1,1\), block \(2000,1,1\)\): " \
            r"cudaErrorInvalidConfiguration: .*2000 x 1 x 1 threads is not possible.*1024 threads"
FAULT = r"kernel writes\(int\*\) touched memory .*block \(1,0,0\), thread \(5,0,0\), .*" \
        r"reported\.cu:LINE"


def line_of(mark):
    with open(SOURCE) as f:
        return next(n for n, text in enumerate(f, 1) if mark in text)


def environment(**more):
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("KUDZU_REPORT", "CUDA_LOG"))}
    return dict(kept, XDG_CACHE_HOME=folder.name, **more)


def run(*args, source=SOURCE, **more):
    return subprocess.run([KUDZU, "run", source, *args], env=environment(**more),
                          capture_output=True, text=True, timeout=120)


class Reports(unittest.TestCase):
    def expect(self, what, status, *patterns, **more):
        r = run(what, **more)
        self.assertEqual(r.returncode, status, r.stderr)
        for pattern in patterns:
            pattern = pattern.replace("LINE", str(line_of("// outside")))
            self.assertEqual(len(re.findall(pattern, r.stderr)), 1, pattern + "\n" + r.stderr)
        if not patterns:
            self.assertEqual(r.stderr, "")
        return r

    def test_nothing_is_said_of_a_program_that_is_well(self):
        self.expect("fine", 0)

    def test_too_many_threads(self):
        self.expect("threads", 1, BAD_SHAPE, "status is 1")

    def test_the_same_failure_is_told_once(self):
        self.expect("often", 1, BAD_SHAPE + r".* \(1000 times\)")

    def test_the_drivers_reason(self):
        self.expect("shared", 1, r"kernel nothing.*cudaErrorInvalidValue: .*16777216")

    def test_cooperative(self):
        self.expect("cooperative", 1, "kernel nothing.*cudaErrorCooperativeLaunchTooLarge")

    def test_who_looks_is_told_nothing(self):
        for what in "looked", "peeked", "worded":
            self.expect(what, 0)

    def test_another_thread_s_question(self):
        self.expect("thread", 1, BAD_SHAPE)

    def test_a_fault(self):
        r = self.expect("fault", 1, FAULT)
        self.assertNotIn("nothing", r.stderr)

    def test_the_line_is_the_users(self):
        self.expect("atomic", 1, r"kernel adds\(int\*\) touched.*reported\.cu:%d" % line_of("// adds"))

    def test_the_call_before_a_fault(self):
        self.expect("memory", 1, r"kernel nothing_but_one\(int\*\) touched",
                    r"kudzu run: note: the first call that failed: cuMemAlloc: "
                    r"cudaErrorMemoryAllocation: 1152921504606846976 bytes")

    def test_a_call_before_a_bad_end(self):
        self.expect("copy", 4, r"note: the first call that failed: cudaMemcpy: "
                    r"cudaErrorInvalidValue: ")

    def test_failed_calls_that_the_program_asks_about(self):
        self.expect("asked", 5)

    def test_failed_calls_alone(self):
        self.expect("refused", 0)

    def test_a_fault_after_main(self):
        self.expect("late", 1, r"kernel slow\(int\*, int\) touched")

    def test_a_long_kernel_does_not_keep_the_program(self):
        begin = time.monotonic()
        self.expect("forever", 0, KUDZU_HANG_SECONDS="0")
        self.assertLess(time.monotonic() - begin, 30)

    def test_ends_of_other_kinds(self):
        self.expect("_exit", 1, BAD_SHAPE, FAULT)
        self.expect("abort", -signal.SIGABRT, BAD_SHAPE)
        r = self.expect("three", 3, BAD_SHAPE)
        self.assertNotIn("status is 1", r.stderr)

    def test_closed_descriptors(self):
        self.expect("closed", 1, BAD_SHAPE)

    def test_turned_off(self):
        self.expect("threads", 0, KUDZU_REPORT="0")
        self.expect("fault", 0, KUDZU_REPORT="0")


class Signals(unittest.TestCase):
    def start(self, what):
        p = subprocess.Popen([KUDZU, "run", SOURCE, what], env=environment(), text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(p.stdout.close)
        self.addCleanup(p.stderr.close)
        return p, int(p.stdout.readline())

    def is_gone(self, pid):
        for _ in range(100):
            try:
                os.kill(pid, 0)
            except ProcessLookupError:
                return True
            with open("/proc/%d/stat" % pid) as f:
                if f.read().rpartition(")")[2].split()[0] == "Z":
                    return True
            time.sleep(0.1)
        return False

    def test_a_signal_is_passed_on(self):
        run("fine")
        for sig in signal.SIGTERM, signal.SIGINT:
            p, pid = self.start("sleeps")
            p.send_signal(sig)
            self.assertEqual(p.wait(60), -sig)
            self.assertTrue(self.is_gone(pid))

    def test_a_handler_of_the_program(self):
        p, _ = self.start("handles")
        p.terminate()
        self.assertEqual(p.wait(60), 7)

    def test_killed(self):
        p, pid = self.start("sleeps")
        p.kill()
        p.wait(60)
        self.assertTrue(self.is_gone(pid))


class Kept(unittest.TestCase):
    """A program that was compiled is run again until something that it was made from changes."""

    def programs(self):
        """Times of writing of the compiled programs, which are not written when they run again."""
        kept = os.path.join(folder.name, "kudzu", "run")
        return {n: os.stat(os.path.join(kept, n + ".files")).st_mtime_ns
                for n in (os.listdir(kept) if os.path.isdir(kept) else []) if len(n) == 32}

    def output(self, source, *options):
        r = subprocess.run([KUDZU, "run", *options, source], env=environment(), text=True,
                           capture_output=True, timeout=120)
        self.assertEqual(r.returncode, 0, r.stderr)
        return r.stdout

    def write(self, name, text):
        path = os.path.join(folder.name, name)
        with open(path, "w") as f:
            f.write(text)
        return path

    def archive(self, number):
        source = self.write("number.c", "int number(void) { return %d; }\n" % number)
        object_file = os.path.join(folder.name, "number.o")
        subprocess.run([KUDZU, "cc", "-c", source, "-o", object_file], check=True, timeout=120)
        subprocess.run([KUDZU, "cc", "-lib", object_file, "-o",
                        os.path.join(folder.name, "libnumber.a")], check=True, timeout=120)
        return object_file

    def test_what_is_linked(self):
        program = self.write("linked.cu", 'extern "C" int number(void);\n#include <stdio.h>\n'
                                          'int main(void) { printf("%d\\n", number()); }\n')
        for options in (["-L" + folder.name, "-lnumber"], [self.archive(1)]):
            self.archive(1)
            self.assertEqual(self.output(program, *options), "1\n")
            before = self.programs()
            self.assertEqual(self.output(program, *options), "1\n")
            self.assertEqual(self.programs(), before)
            self.archive(2)
            self.assertEqual(self.output(program, *options), "2\n")

    def test_the_runtime(self):
        program = self.write("runtime.cu", "int main(void) { return cudaDeviceSynchronize(); }\n")
        before = self.programs()
        self.output(program)
        lists = [n for n in self.programs() if n not in before]
        self.assertEqual(len(lists), 1)
        with open(os.path.join(folder.name, "kudzu", "run", lists[0] + ".files")) as f:
            self.assertEqual(len(re.findall(r"/libcudart_static\.a$", f.read(), re.M)), 1)


unittest.main(argv=sys.argv[:1] + sys.argv[3:])
