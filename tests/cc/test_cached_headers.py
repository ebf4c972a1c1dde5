"""Headers that are precompiled in the background for options that none was precompiled for, in the
user's cache: nobody waits for them, and nobody can tell the difference, whatever happens there."""
import fcntl
import os
import re
import shutil
import signal
import stat
import subprocess
import tempfile
import time

import common
from common import CompilerTest, main
from test_precompiled import HELLO, MOST, including


class Cached(CompilerTest):
    OPTIONS = ["-std=c++14", "-ftz=true"]
    made = {}  # by options: a copy of the cache that was made with them, and where that was

    def setUp(self):
        super().setUp()
        self.write("a.cu", HELLO)
        self.addCleanup(self.wait)

    def share_headers(self):
        self.cache = os.path.join(self.dir, "cache", "kudzu", "headers")

    def wait(self):
        """Until whoever precompiles headers in the background has finished."""
        try:
            with open(self.cache + "/.lock") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
        except OSError:
            pass

    def uses(self, *args, source="a.cu", env=None):
        """For each pass, device passes first, what it starts with: "" or the header's name."""
        self.wait()
        found = [re.search(r"/cache/kudzu/headers/\w+/([\w-]+).pch", " ".join(c))
                 for c in self.dry_run("-c", source, *args, env=env)]
        return [f.group(1) if f else "" for f in found]

    def silent(self, *args, env=None):
        r = self.compiles("-c", "-o", "a.o", *args, env=env)
        self.assertEqual(r.stdout + r.stderr, "")
        self.wait()

    def begin_with(self, *options):
        """The cache as a first compilation leaves it, which is done once for all tests."""
        if options not in self.made:
            self.silent("a.cu", *options)
            folder = tempfile.mkdtemp(prefix="kudzu-test-")
            self.addClassCleanup(shutil.rmtree, folder, ignore_errors=True)
            self.made[options] = shutil.copytree(self.cache, folder + "/headers"), self.cache
            return
        copy, path = self.made[options]
        os.makedirs(os.path.dirname(self.cache), mode=0o700)
        shutil.copytree(copy, self.cache)
        directory = os.path.join(self.cache, self.entries()[0])
        for name in os.listdir(directory):
            if name.endswith(".key"):
                key = self.read_bytes(os.path.join(directory, name))
                with open(os.path.join(directory, name), "wb") as f:
                    f.write(key.replace(path.encode(), self.cache.encode()))

    def entries(self):
        if not os.path.isdir(self.cache):
            return []
        return sorted(n for n in os.listdir(self.cache) if n != ".lock")

    def files(self):
        return sorted(os.listdir(os.path.join(self.cache, self.entries()[0])))

    def check(self, used, source, *args):
        """The next compilation finds what the first one has made; objects are the same."""
        self.assertEqual(set(self.uses(*args, source=source)), {""}, args)
        results = []
        for name, more in (("first", []), ("second", []), ("without", ["--kudzu-no-precompiled"])):
            r = self.compiles("-c", source, "-o", name + ".o", "-MD", "-MF", name + ".d", *args,
                              *more)
            self.assertEqual(r.stderr, "")
            self.assertEqual(self.uses(*args, source=source), used, args)
            results.append((self.read_bytes(name + ".o"),
                            sorted(self.read(name + ".d").replace("\\\n", " ").split()[1:])))
        for r in results:
            self.assertEqual(r, results[2], args)

    def test_made_and_used(self):
        self.check(["device", "host"], "a.cu", *self.OPTIONS, "-O2")
        self.assertEqual(len(self.entries()), 2)
        # What no header depends on changes nothing.
        self.assertEqual(self.uses(*self.OPTIONS, "-O3", "-rdc=true", "-lineinfo", "-DQ=1", "-w"),
                         ["device", "host"])
        self.assertEqual(self.uses(*self.OPTIONS, "-O2", "-DINT_MAX=1"), ["", ""])
        self.assertEqual(self.uses(*self.OPTIONS, "-O0"), ["device", ""])

    def test_sets(self):
        self.write("most.cu", including(MOST) + HELLO + "__half h = __float2half(1.5f);\n")
        self.check(["most-device", "most-host"], "most.cu", *self.OPTIONS)
        self.write("half.cu", "#include <cuda_fp16.h>\n")
        self.assertEqual(self.uses(*self.OPTIONS, source="half.cu"), ["half-device", "half-host"])
        self.write("own.cu", "#define HD\n#include <cuda_fp16.h>\n")
        self.assertEqual(self.uses(*self.OPTIONS, source="own.cu"), ["device", "host"])

    def test_one_pass(self):
        """What was made ahead serves the other pass."""
        self.check(["device", ""], "a.cu", "-arch=sm_80", "-ftz=true")
        self.check(["", "host"], "a.cu", "-Xcompiler", "-fopenmp,-Wall")
        self.assertEqual(len(self.entries()), 2)

    def test_architectures(self):
        """Of two architectures one was made ahead, but not with this standard."""
        self.check(["device", "device", "host"], "a.cu", "-std=c++11", "-gencode",
                   "arch=compute_80,code=sm_80", "-gencode", "arch=compute_90,code=sm_90")

    def test_not_made(self):
        for args in (["-g"], ["-Xcompiler", "-Wp\\,-DX"], ["-Xcompiler", "-include,x.h"],
                     ["-DINT_MAX=1", "-std=c++14"], ["-std=c++14", "--kudzu-no-precompiled"],
                     ["-std=c++14", "--dryrun"]):
            self.cc("-c", "a.cu", "-o", "a.o", *args)
            self.assertEqual(self.entries(), [], args)

    def test_cache_disabled(self):
        disabled = {"CUDA_CACHE_DISABLE": "1"}
        self.silent("a.cu", "-Xcompiler", "-fopenmp", env=disabled)
        self.assertFalse(self.exists("cache"))
        self.silent("a.cu", "-Xcompiler", "-fopenmp")
        self.assertEqual(self.uses("-Xcompiler", "-fopenmp"), ["", "host"])
        self.assertEqual(self.uses("-Xcompiler", "-fopenmp", env=disabled), ["", ""])

    def test_cache_cannot_be_written(self):
        self.write("cache", "in the way")
        self.silent("a.cu", "-std=c++14")
        environment = {"XDG_CACHE_HOME": "", "HOME": ""}
        self.assertEqual(self.compiles("-c", "a.cu", "-std=c++14", env=environment).stderr, "")

    def test_what_others_could_write(self):
        self.begin_with("-Xcompiler", "-fopenmp")
        self.assertEqual(self.uses("-Xcompiler", "-fopenmp"), ["", "host"])
        os.chmod(os.path.join(self.cache, self.entries()[0]), 0o777)
        self.assertEqual(self.uses("-Xcompiler", "-fopenmp"), ["", ""])
        self.silent("a.cu", "-Xcompiler", "-fopenmp")
        self.assertEqual(self.uses("-Xcompiler", "-fopenmp"), ["", ""])

    def test_several_processes(self):
        environment = dict(os.environ, TMPDIR=self.tmp, XDG_CACHE_HOME=self.dir + "/cache")
        started = [subprocess.Popen([common.KUDZU, "cc", "-ptx", "a.cu", "-ftz=true", "-o",
                                     f"{i}.ptx"], cwd=self.dir, env=environment,
                                    stderr=subprocess.PIPE) for i in range(4)]
        for p in started:
            self.assertEqual((p.communicate()[1], p.returncode), (b"", 0))
        self.assertEqual(len({self.read(f"{i}.ptx") for i in range(4)}), 1)
        self.wait()
        self.assertEqual(self.files(), ["device.identifiers", "device.key", "device.pch", "used"])

    def makers(self):
        """Processes that hold the cache's lock."""
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                for fd in os.listdir(f"/proc/{pid}/fd"):
                    if os.readlink(f"/proc/{pid}/fd/{fd}") == self.cache + "/.lock":
                        found.append(int(pid))
                        break
            except OSError:
                pass
        return found

    def wait_for(self, condition):
        deadline = time.monotonic() + 300
        while not condition():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.01)

    def stat(self, pid):
        with open(f"/proc/{pid}/stat") as f:
            return f.read().rsplit(")", 1)[1].split()

    def make_it_hang(self, *options):
        """The next process that precompiles for these options stops at a pipe."""
        self.begin_with(*options)
        self.directory = os.path.join(self.cache, self.entries()[0])
        for name in os.listdir(self.directory):
            os.unlink(os.path.join(self.directory, name))
        os.mkfifo(self.directory + "/used")
        self.addCleanup(self.let_go)

    def let_go(self):
        """Where the test has failed: the process would be waited for."""
        used = self.directory + "/used"
        if os.path.exists(used) and stat.S_ISFIFO(os.stat(used).st_mode):
            reader = os.open(used, os.O_RDONLY | os.O_NONBLOCK)
            self.wait()
            os.close(reader)

    def test_nobody_waits(self):
        """The compiler, who reads its output to the end, and who waits for a descriptor that it
        inherited (as of make's jobserver) are done while headers are still to be made."""
        options = ["-Xcompiler", "-fopenmp"]
        self.make_it_hang(*options)
        ours, theirs = os.pipe()
        environment = dict(os.environ, TMPDIR=self.tmp, XDG_CACHE_HOME=self.dir + "/cache")
        r = subprocess.run([common.KUDZU, "cc", "-c", "a.cu", *options], cwd=self.dir,
                           env=environment, capture_output=True, pass_fds=[theirs], timeout=60)
        os.close(theirs)
        self.assertEqual((r.returncode, r.stdout, r.stderr), (0, b"", b""))
        self.assertEqual(os.read(ours, 1), b"")
        os.close(ours)
        self.wait_for(self.makers)
        maker, = self.makers()
        self.assertNotEqual(int(self.stat(maker)[3]), os.getsid(0))
        own = os.getpriority(os.PRIO_PROCESS, 0)
        self.wait_for(lambda: int(self.stat(maker)[16]) == min(own + 19, 19))
        self.assertEqual(os.readlink(f"/proc/{maker}/cwd"), "/")
        self.assertEqual(os.listdir(self.tmp), [])
        # One at a time: the next one, with other options, finds the lock taken.
        self.compiles("-c", "a.cu", "-std=c++11")
        self.assertEqual(self.makers(), [maker])
        self.assertEqual(len(self.entries()), 1)
        with open(self.directory + "/used"):
            pass
        self.assertEqual(self.uses(*options), ["", "host"])

    def test_killed_before_clang(self):
        options = ["-Xcompiler", "-fopenmp"]
        self.make_it_hang(*options)
        self.compiles("-c", "a.cu", *options)
        self.wait_for(self.makers)
        os.kill(self.makers()[0], signal.SIGKILL)
        self.assertEqual(self.uses(*options), ["", ""])
        os.unlink(self.directory + "/used")
        self.silent("a.cu", *options)
        self.assertEqual(self.uses(*options), ["", "host"])

    def test_killed_at_work(self):
        """What a killed process leaves is not used and goes away; its clang keeps the lock."""
        self.compiles("-c", "a.cu", "-std=c++11")
        self.wait_for(lambda: len(self.makers()) > 1)
        makers = self.makers()
        parent = [pid for pid in makers if int(self.stat(pid)[1]) not in makers]
        os.kill(parent[0], signal.SIGKILL)
        self.assertEqual(self.uses("-std=c++11"), ["", ""])
        self.write(f"cache/kudzu/headers/{self.entries()[0]}/device.new-1.tmp", "half of it")
        self.silent("a.cu", "-std=c++11")
        self.assertEqual(self.uses("-std=c++11"), ["device", "host"])
        self.assertEqual(self.files()[1:], [self.files()[0].replace("identifiers", "key"),
                                            self.files()[0].replace("identifiers", "pch"), "used"])

    def test_cannot_be_made(self):
        """It is not tried again and again."""
        self.begin_with("-Xcompiler", "-fopenmp")
        directory = os.path.join(self.cache, self.entries()[0])
        os.unlink(directory + "/host.key")
        os.unlink(directory + "/host.pch")
        os.mkdir(directory + "/host.pch")
        self.silent("a.cu", "-Xcompiler", "-fopenmp")
        self.assertEqual(self.files(), ["failed", "host.identifiers", "host.pch", "used"])
        os.rmdir(directory + "/host.pch")
        self.silent("a.cu", "-Xcompiler", "-fopenmp")
        self.assertEqual(self.uses("-Xcompiler", "-fopenmp"), ["", ""])
        os.utime(directory + "/failed", (1000, 1000))
        self.silent("a.cu", "-Xcompiler", "-fopenmp")
        self.assertEqual(self.uses("-Xcompiler", "-fopenmp"), ["", "host"])

    def test_damaged(self):
        """Of the same size and age: clang finds out, and it is made again."""
        options = ["-ptx", "a.cu", "-o", "a.ptx", "-ftz=true"]
        self.compiles(*options)
        self.wait()
        text, made = self.read("a.ptx"), os.path.join(self.cache, self.entries()[0], "device.pch")
        whole, st = self.read_bytes(made), os.stat(made)
        with open(made, "wb") as f:
            f.write(b"junk" + whole[4:])
        os.utime(made, ns=(st.st_atime_ns, st.st_mtime_ns))
        for _ in range(2):
            self.assertEqual(self.compiles(*options).stderr, "")
            self.wait()
            self.assertEqual(self.read("a.ptx"), text)
        self.assertEqual(self.read_bytes(made), whole)

    def test_few_are_kept(self):
        for i in range(20):
            self.write(f"cache/kudzu/headers/{i:016x}/used", "")
            os.utime(f"{self.cache}/{i:016x}/used", (1000 - i, 1000 - i))
            self.write(f"cache/kudzu/headers/{i:016x}/host.pch", "")
        self.silent("a.cu", "-Xcompiler", "-fopenmp")
        self.assertEqual(len(self.entries()), 20)
        self.assertFalse(self.exists(f"cache/kudzu/headers/{19:016x}"))


if __name__ == "__main__":
    main()
