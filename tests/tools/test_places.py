"""Where `kudzu run` and `kudzu cc` work: without a HOME that can be written to, as nobody; what is
said where a disk is full; what is left when they are ended.

usage: test_places.py KUDZU
"""
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

KUDZU = os.path.abspath(sys.argv[1])
NOBODY = 65534
PROGRAM = """#include <cstdio>
__global__ void three(int *p) { *p = 3; }
int main() {
    int *p;
    cudaMallocManaged(&p, sizeof *p);
    three<<<1, 1>>>(p);
    cudaDeviceSynchronize();
    printf("three is %d\\n", *p);
}
"""
# Device code of more than 16 KB.
LARGE = PROGRAM + "".join("__global__ void kernel%d(int *p) { *p += %d; }\n" % (k, k) for k in range(60))
# A header that is a pipe to which nobody writes: compiling takes for ever.
WAITS = '#include "never.h"\nint main() {}\n'

folder = tempfile.TemporaryDirectory()
HERE = folder.name
os.chmod(HERE, 0o755)


def write(name, text):
    path = os.path.join(HERE, name)
    with open(path, "w") as f:
        f.write(text)
    return path


SOURCE = write("three.cu", PROGRAM)
LARGE_SOURCE = write("large.cu", LARGE)
SLOW = [write("slow%d.cu" % k, WAITS) for k in range(2)]
os.mkfifo(os.path.join(HERE, "never.h"))


def environment(**more):
    kept = {k: v for k, v in os.environ.items()
            if k not in ("HOME", "XDG_CACHE_HOME", "TMPDIR", "CUDA_CACHE_PATH") and
            not k.startswith(("KUDZU_REPORT", "CUDA_LOG"))}
    return dict(kept, **more)


def run(*command, **more):
    return subprocess.run(command, env=environment(**more), capture_output=True, text=True,
                          timeout=120, cwd=HERE)


def succeeds(*command):
    return run(*command).returncode == 0


AS_NOBODY = ["setpriv", "--reuid=%d" % NOBODY, "--regid=%d" % NOBODY, "--clear-groups", "--"]
IN_NAMESPACE = ["unshare", "--mount"] if os.geteuid() == 0 else ["unshare", "-Ur", "--mount"]


class Homes(unittest.TestCase):
    def expect(self, r, *parts):
        self.assertEqual((r.returncode, r.stdout), (0, "three is 3\n"), r.stderr)
        for part in parts:
            self.assertIn(part, r.stderr)
        if not parts:
            self.assertEqual(r.stderr, "")

    def test_none(self):
        self.expect(run(KUDZU, "run", SOURCE))

    def test_missing(self):
        self.expect(run(KUDZU, "run", SOURCE, HOME=os.path.join("/proc", "none")),
                    "kudzu run: warning: compiled programs are not kept: /proc/none/.cache")

    @unittest.skipUnless(os.geteuid() == 0 and succeeds(*AS_NOBODY, "test", "-x", KUDZU),
                         "nobody cannot read the build")
    def test_nobody(self):
        self.expect(run(*AS_NOBODY, KUDZU, "run", SOURCE))
        self.expect(run(*AS_NOBODY, KUDZU, "run", SOURCE, HOME="/nonexistent"), "not kept")
        home = os.path.join(HERE, "home")
        os.mkdir(home, 0o755)
        self.expect(run(*AS_NOBODY, KUDZU, "run", SOURCE, HOME=home), "not kept: " + home)
        self.assertEqual(os.listdir(home), [])
        r = run(*AS_NOBODY, KUDZU, "explain", SOURCE, HOME=home)
        self.assertIn("three(int*)", r.stdout, r.stderr)

    def test_nothing_is_left(self):
        temporary = os.path.join(HERE, "temporary")
        os.mkdir(temporary)
        self.expect(run(KUDZU, "run", SOURCE, TMPDIR=temporary))
        self.assertEqual(os.listdir(temporary), [])


@unittest.skipUnless(succeeds(*IN_NAMESPACE, "mount", "-t", "tmpfs", "none", HERE),
                     "no file system can be mounted here")
class FullDisks(unittest.TestCase):
    def run_full(self, command, size="8k"):
        small = os.path.join(HERE, "small")
        os.makedirs(small, exist_ok=True)
        script = "mount -t tmpfs -o mode=700,size=%s none %s && %s" % (size, small, command)
        r = run(*IN_NAMESPACE, "sh", "-c", script, "sh", KUDZU)
        self.assertEqual(r.returncode, 1, r.stderr)
        self.assertNotIn("clang itself fails", r.stderr)
        return small, r.stderr

    def test_temporary_files(self):
        for command, options in ("cc", "-c -o %s/large.o" % HERE), ("run", ""):
            small, text = self.run_full("TMPDIR=%s/small \"$1\" %s %s %s" %
                                        (HERE, command, options, LARGE_SOURCE))
            self.assertIn("kudzu %s: error: the temporary directory %s" % (command, small), text)
            self.assertIn("TMPDIR", text)

    def test_an_output(self):
        small, text = self.run_full("\"$1\" cc %s -o %s/small/three" % (SOURCE, HERE))
        self.assertIn("kudzu cc: error: the folder %s has no space" % small, text)
        small, text = self.run_full("\"$1\" cc -c %s -o %s/small/three.o" % (SOURCE, HERE), "4k")
        self.assertIn("kudzu cc: error: the folder %s has no space" % small, text)

    def test_the_cache(self):
        small, text = self.run_full("XDG_CACHE_HOME=%s/small \"$1\" run %s" % (HERE, SOURCE))
        self.assertIn("kudzu run: error: the folder %s/kudzu/run" % small, text)


def children(pid):
    """All processes below this one."""
    found, parents = [], [pid]
    while parents:
        parent = parents.pop()
        try:
            with open("/proc/%d/task/%d/children" % (parent, parent)) as f:
                new = [int(n) for n in f.read().split()]
        except FileNotFoundError:
            continue
        found += new
        parents += new
    return found


def is_there(pid):
    try:
        with open("/proc/%d/stat" % pid) as f:
            return f.read().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def wait_until(condition):
    for _ in range(300):
        if condition():
            return True
        time.sleep(0.1)
    return False


@unittest.skipUnless(os.path.exists("/proc/self/task/%d/children" % os.getpid()),
                     "the system lists no children")
class Ended(unittest.TestCase):
    def expect_nothing_left(self, sig, compilers, *command):
        temporary = tempfile.mkdtemp(dir=HERE)
        cache = tempfile.mkdtemp(dir=HERE)
        p = subprocess.Popen([KUDZU, *command], cwd=HERE, stderr=subprocess.DEVNULL,
                             env=environment(TMPDIR=temporary, XDG_CACHE_HOME=cache))
        self.assertTrue(wait_until(lambda: len(children(p.pid)) >= compilers))
        below = children(p.pid)
        p.send_signal(sig)
        self.assertEqual(p.wait(60), -sig)
        self.assertTrue(wait_until(lambda: not any(is_there(pid) for pid in below)))
        self.assertEqual(os.listdir(temporary), [])
        self.assertEqual([f for _, _, files in os.walk(os.path.join(cache, "kudzu", "run"))
                          for f in files], [])
        shutil.rmtree(cache)

    def test_run(self):
        self.expect_nothing_left(signal.SIGTERM, 2, "run", SLOW[0])

    def test_cc(self):
        self.expect_nothing_left(signal.SIGTERM, 2, "cc", "-c", SLOW[0])
        self.expect_nothing_left(signal.SIGHUP, 2, "cc", "-c", SLOW[0])

    def test_several_files_at_a_time(self):
        self.expect_nothing_left(signal.SIGTERM, 6, "cc", "-t", "2", "-c", *SLOW)

    def test_explain(self):
        self.expect_nothing_left(signal.SIGINT, 1, "explain", SLOW[0])


unittest.main(argv=sys.argv[:1] + sys.argv[2:])
