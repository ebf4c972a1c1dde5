"""Headers that are precompiled at the second use of options, in the user's cache: nobody can tell the
difference, whatever happens there."""
import fcntl
import os
import re
import subprocess

import common
from common import CompilerTest, main
from test_precompiled import HELLO, MOST, including


class Cached(CompilerTest):
    OPTIONS = ["-std=c++14", "-ftz=true"]

    def setUp(self):
        super().setUp()
        self.write("a.cu", HELLO)

    def share_headers(self):
        self.cache = os.path.join(self.dir, "cache", "kudzu", "headers")

    def uses(self, *args, source="a.cu"):
        """For each pass, device passes first, what it starts with: "" or the header's name."""
        found = [re.search(r"/cache/kudzu/headers/\w+/([\w-]+).pch", " ".join(c))
                 for c in self.dry_run("-c", source, *args)]
        return [f.group(1) if f else "" for f in found]

    def silent(self, *args):
        r = self.compiles("-c", "-o", "a.o", *args)
        self.assertEqual(r.stdout + r.stderr, "")

    def silent_twice(self, *args):
        self.silent(*args)
        self.silent(*args)

    def entries(self):
        return sorted(os.listdir(self.cache)) if os.path.isdir(self.cache) else []

    def check(self, used, source, *args):
        """The second compilation makes headers, the next ones find them; objects are the same."""
        self.assertEqual(set(self.uses(*args, source=source)), {""}, args)
        results = []
        for name, more in (("first", []), ("second", []), ("third", []),
                           ("without", ["--kudzu-no-precompiled"])):
            r = self.compiles("-c", source, "-o", name + ".o", "-MD", "-MF", name + ".d", *args,
                              *more)
            self.assertEqual(r.stderr, "")
            expected = [""] * len(used) if name == "first" else used
            self.assertEqual(self.uses(*args, source=source), expected, args)
            results.append((self.read_bytes(name + ".o"),
                            sorted(self.read(name + ".d").replace("\\\n", " ").split()[1:])))
        for r in results:
            self.assertEqual(r, results[3], args)

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
        for args in (["-g"], ["-Xcompiler", "-Wp,-DX"], ["-Xcompiler", "-include,x.h"],
                     ["-DINT_MAX=1", "-std=c++14"], ["-std=c++14", "--kudzu-no-precompiled"],
                     ["-std=c++14", "--dryrun"]):
            self.cc("-c", "a.cu", "-o", "a.o", *args)
            self.assertEqual(self.entries(), [], args)

    def test_cache_cannot_be_written(self):
        self.write("cache", "in the way")
        self.silent("a.cu", "-std=c++14")
        environment = {"XDG_CACHE_HOME": "", "HOME": ""}
        self.assertEqual(self.compiles("-c", "a.cu", "-std=c++14", env=environment).stderr, "")

    def test_what_others_could_write(self):
        self.silent_twice("a.cu", "-Xcompiler", "-fopenmp")
        self.assertEqual(self.uses("-Xcompiler", "-fopenmp"), ["", "host"])
        os.chmod(os.path.join(self.cache, self.entries()[0]), 0o777)
        self.assertEqual(self.uses("-Xcompiler", "-fopenmp"), ["", ""])
        self.silent("a.cu", "-Xcompiler", "-fopenmp")

    def test_several_processes(self):
        self.compiles("-ptx", "a.cu", "-ftz=true")
        environment = dict(os.environ, TMPDIR=self.tmp, XDG_CACHE_HOME=self.dir + "/cache")
        started = [subprocess.Popen([common.KUDZU, "cc", "-ptx", "a.cu", "-ftz=true", "-o",
                                     f"{i}.ptx"], cwd=self.dir, env=environment,
                                    stderr=subprocess.PIPE) for i in range(4)]
        for p in started:
            self.assertEqual((p.communicate()[1], p.returncode), (b"", 0))
        self.assertEqual(len({self.read(f"{i}.ptx") for i in range(4)}), 1)
        directory = os.path.join(self.cache, self.entries()[0])
        self.assertEqual(sorted(os.listdir(directory)),
                         ["device.identifiers", "device.key", "device.pch", "lock"])

    def test_made_by_another(self):
        self.silent_twice("a.cu", "-Xcompiler", "-fopenmp")
        directory = os.path.join(self.cache, self.entries()[0])
        os.unlink(directory + "/host.key")
        with open(directory + "/lock") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            self.silent("a.cu", "-Xcompiler", "-fopenmp")
            self.assertEqual(self.uses("-Xcompiler", "-fopenmp"), ["", ""])
        self.silent("a.cu", "-Xcompiler", "-fopenmp")
        self.assertEqual(self.uses("-Xcompiler", "-fopenmp"), ["", "host"])

    def test_damaged(self):
        """Of the same size and age: clang finds out, and it is made again."""
        options = ["-ptx", "a.cu", "-o", "a.ptx", "-ftz=true"]
        self.compiles(*options)
        self.compiles(*options)
        text, made = self.read("a.ptx"), os.path.join(self.cache, self.entries()[0], "device.pch")
        whole, st = self.read_bytes(made), os.stat(made)
        with open(made, "wb") as f:
            f.write(b"junk" + whole[4:])
        os.utime(made, ns=(st.st_atime_ns, st.st_mtime_ns))
        for _ in range(2):
            self.assertEqual(self.compiles(*options).stderr, "")
            self.assertEqual(self.read("a.ptx"), text)
        self.assertNotEqual(self.read_bytes(made)[:4], b"junk")

    def test_few_are_kept(self):
        for i in range(20):
            self.write(f"cache/kudzu/headers/{i:016x}/lock", "")
            os.utime(f"{self.cache}/{i:016x}/lock", (1000 - i, 1000 - i))
            self.write(f"cache/kudzu/headers/{i:016x}/host.pch", "")
        self.silent_twice("a.cu", "-Xcompiler", "-fopenmp")
        self.assertEqual(len(self.entries()), 20)
        self.assertFalse(self.exists(f"cache/kudzu/headers/{19:016x}"))


if __name__ == "__main__":
    main()
