"""Option spellings: what reaches clang, as --dryrun shows it."""
import os
import re

from common import CompilerTest, main


class Options(CompilerTest):
    def setUp(self):
        super().setUp()
        for name in ("a.cu", "b.cu", "c.cpp", "d.c"):
            self.write(name, "")

    def device_and_host(self, *args):
        commands = self.dry_run("-c", "a.cu", *args)
        self.assertEqual(len(commands), 2)
        self.assertIn("--cuda-device-only", commands[0])
        self.assertIn("--cuda-host-only", commands[1])
        return commands

    def test_value_spellings(self):
        for spelling in (["-std=c++14"], ["--std=c++14"], ["-std", "c++14"], ["--std", "c++14"]):
            for command in self.device_and_host(*spelling):
                self.assertIn("-std=c++14", command)

    def test_joined_letters(self):
        for args in (["-DX=1"], ["-D", "X=1"], ["-D=X=1"], ["--define-macro", "X=1"],
                     ["--define-macro=X=1"], ["-define-macro", "X=1"]):
            for command in self.device_and_host(*args):
                self.assertIn("-DX=1", command)
        for args in (["-Iinc"], ["-I", "inc"], ["-I=inc"], ["--include-path", "inc"]):
            for command in self.device_and_host(*args):
                self.assertIn("-Iinc", command)
        for args in (["-UX"], ["-U", "X"], ["--undefine-macro=X"]):
            self.assertIn("-UX", self.device_and_host(*args)[0])

    def test_lists(self):
        for command in self.device_and_host("-I", "x,y", "-D", "A,B=2", "-isystem=s,t"):
            for option in ("-Ix", "-Iy", "-DA", "-DB=2"):
                self.assertIn(option, command)
            self.assertEqual(command[command.index("s") - 1], "-isystem")
            self.assertEqual(command[command.index("t") - 1], "-isystem")

    def test_quoted_items(self):
        host = self.device_and_host("-Xcompiler", ',"-Wall","-O1",-fno-rtti')[1]
        for option in ("-Wall", "-O1", "-fno-rtti"):
            self.assertIn(option, host)

    def test_words_for_other_tools(self):
        """Values for other tools are lines of a shell, after nvcc has split them at commas."""
        for value, words in (("-fPIC -O1", ["-fPIC", "-O1"]), ("-Wall -Wextra,-O1", ["-Wextra", "-O1"]),
                             ("'-fdebug-prefix-map=a b=c'", ["-fdebug-prefix-map=a b=c"]),
                             ('"-Wl,-z,now"', ["-Wl,-z,now"]), ("-Wl\\,-z\\,now", ["-Wl,-z,now"]),
                             ('-fmacro-prefix-map=\\\\"a\\\\"=b', ['-fmacro-prefix-map="a"=b'])):
            for args in (["-Xcompiler", value], ["--compiler-options=" + value]):
                host = self.device_and_host(*args)[1]
                for word in words:
                    self.assertIn(word, host, value)
        for value in ("-rpath /x", "-rpath,/x"):
            link = self.dry_run("a.cu", "-Xlinker", value)[-1]
            self.assertEqual([link[link.index(x) - 1] for x in ("-rpath", "/x")], ["-Xlinker"] * 2)
        self.write("opts", "-Xcompiler \"-fPIC -O1\"\n")
        host = self.device_and_host("--options-file", "opts")[1]
        self.assertIn("-fPIC", host)
        self.assertIn("-O1", host)

    def test_preprocessor_options_of_the_host(self):
        """The host's compiler preprocesses device code, too, under nvcc."""
        args = ["-Xcompiler", "-DX=1 -UY -I inc -isystem sys,-include first.h"]
        for command in self.device_and_host(*args):
            for option in ("-DX=1", "-UY", "-Iinc"):
                self.assertIn(option, command)
            self.assertEqual(command[command.index("sys") - 1], "-isystem")
            self.assertEqual(command[command.index("first.h") - 1], "-include")
        self.assertIn("-D_OPENMP=202011", self.device_and_host("-Xcompiler", "-fopenmp")[0])

    def test_quoted_commas(self):
        self.assertIn('-DX="a,b"', self.device_and_host('-DX="a,b"')[0])
        self.assertIn('-DX="a"', self.device_and_host('-DX=\\"a\\"')[0])

    def test_phases(self):
        """The phase that ends first counts."""
        for args, last in (("-c -ptx", "a.ptx"), ("-ptx -c", "a.ptx"), ("-link -c", "a.o"),
                           ("-fatbin -cubin", "a.cubin"), ("-dlink -ptx", "a.ptx"),
                           ("-c -dc", "a.o"), ("-lib -c", "a.o")):
            self.compiles("a.cu", *args.split())
            self.assertTrue(self.exists(last), args)
            os.remove(os.path.join(self.dir, last))
        self.assertIn("a.o: a.cu", self.compiles("-c", "-M", "a.cu").stdout.replace(" :", ":"))
        self.compiles("-c", "a.cu")
        self.compiles("-c", "a.cu", "-clean")
        self.assertFalse(self.exists("a.o"))

    def test_escaped_comma(self):
        self.assertIn("-DF=g(1,2)", self.device_and_host("-DF=g(1\\,2)")[0])

    def test_pre_include(self):
        for args in (["-include", "x.h"], ["--pre-include", "x.h"], ["-include=x.h"]):
            command = self.device_and_host(*args)[0]
            self.assertEqual(command[command.index("x.h") - 1], "-include")

    def test_host_options_stay_on_the_host(self):
        device, host = self.device_and_host("-O2", "-g", "-pg", "-Xcompiler", "-Wall,-fPIC",
                                            "--compiler-options=-fopenmp")
        for option in ("-O2", "-g", "-pg", "-Wall", "-fPIC", "-fopenmp"):
            self.assertIn(option, host)
            self.assertNotIn(option, device)
        self.assertIn("-O3", device)

    def test_optimisation_spellings(self):
        for args in (["-O1"], ["-O", "1"], ["-O=1"], ["--optimize=1"], ["--optimize", "1"]):
            self.assertIn("-O1", self.device_and_host(*args)[1])
        self.assertIn("-O0", self.device_and_host("-G")[0])
        self.assertIn("-O0", self.device_and_host("-Ofc=max")[0])

    def test_line_information(self):
        for option in ("-lineinfo", "--generate-line-info", "-G", "--device-debug"):
            self.assertIn("-debug-info-kind=line-directives-only", self.device_and_host(option)[0])
        self.assertNotIn("-debug-info-kind=line-directives-only", self.device_and_host("-g")[0])

    def architectures(self, *args):
        commands = self.dry_run("-c", "a.cu", *args)
        return [a.split("=")[1] for c in commands for a in c if a.startswith("--cuda-gpu-arch=")]

    def test_architectures(self):
        self.assertEqual(self.architectures(), ["sm_90"])
        for args in (["-arch=sm_80"], ["-arch", "sm_80"], ["--gpu-architecture=sm_80"],
                     ["--gpu-architecture", "compute_80"], ["-arch=compute_80", "-code=sm_80,sm_86"],
                     ["-gencode", "arch=compute_80,code=sm_80"],
                     ["-gencode", "code=[sm_80,compute_80],arch=compute_80"],
                     ["-gencode=arch=compute_80,code=[sm_80,compute_80]"],
                     ["--generate-code", "arch=compute_80,code=compute_80"],
                     ["--generate-code=arch=compute_80,code=\"sm_80,compute_80\""]):
            self.assertEqual(self.architectures(*args), ["sm_80"], args)
        self.assertEqual(self.architectures("-arch=native"), ["sm_90"])
        for capability, expected in (("8.6", "sm_86"), ("7.0", "sm_70"), ("12.0", "sm_90")):
            os.environ["KUDZU_COMPUTE_CAPABILITY"] = capability
            try:
                self.assertEqual(self.architectures("-arch=native"), [expected])
                self.assertEqual(self.architectures(), [expected])
                self.assertEqual(self.architectures("-arch=sm_75"), ["sm_75"])
            finally:
                del os.environ["KUDZU_COMPUTE_CAPABILITY"]
        self.assertEqual(self.architectures("-arch=sm_90a"), ["sm_90a"])
        self.assertEqual(self.architectures("-arch=all-major"),
                         ["sm_50", "sm_60", "sm_70", "sm_80", "sm_90"])
        self.assertGreater(len(self.architectures("-arch=all")), 10)
        self.assertEqual(
            self.architectures("-gencode", "arch=compute_90,code=sm_90", "-gencode",
                               "arch=compute_70,code=sm_70", "-gencode",
                               "arch=compute_70,code=compute_70"), ["sm_70", "sm_90"])

    def test_newer_architecture_falls_back(self):
        for name, macros in (("sm_100", []), ("compute_120f", ["FAMILY_SPECIFIC__=1200"]),
                             ("sm_103a", ["FEAT_SM103_ALL", "SPECIFIC__=1030",
                                          "FAMILY_SPECIFIC__=1030"])):
            r = self.compiles("--dryrun", "-c", "a.cu", "-arch=" + name)
            self.assertNotIn("warning:", r.stderr)
            self.assertIn("--cuda-gpu-arch=sm_90", r.stderr)
            number = name.partition("_")[2].rstrip("af")
            self.assertIn("-D__CUDA_ARCH__=%s0" % number, r.stderr)
            self.assertEqual(sorted(re.findall(r"-D__CUDA_ARCH_((?!LIST|_=)\w+(?:=\w+)?)", r.stderr)),
                             sorted(macros))
        self.fails("--dryrun", "-c", "a.cu", "-arch=sm_100b")

    def test_older_architecture_is_sm_50(self):
        for arch in ("sm_13", "compute_20", "sm_35"):
            r = self.compiles("--dryrun", "-c", "a.cu", "-arch=" + arch)
            self.assertIn("warning", r.stderr)
            self.assertIn("--cuda-gpu-arch=sm_50", r.stderr)
        self.assertEqual(
            self.architectures("-gencode", "arch=compute_20,code=sm_20", "-gencode",
                               "arch=compute_35,code=[sm_35,compute_35]", "-gencode",
                               "arch=compute_80,code=sm_80"), ["sm_50", "sm_80"])
        self.fails("--dryrun", "-c", "a.cu", "-arch=sm_36")

    def test_floating_point(self):
        device, host = self.device_and_host()
        self.assertIn("-ffp-contract=fast", device)
        self.assertNotIn("-fgpu-flush-denormals-to-zero", device)
        for option in ("-ftz=true", "--ftz=true", "-ftz", "--ftz"):
            self.assertIn("-fgpu-flush-denormals-to-zero", self.device_and_host(option)[0])
        self.assertIn("-fgpu-flush-denormals-to-zero", self.device_and_host("-ftz", "true")[0])
        self.assertNotIn("-fgpu-flush-denormals-to-zero", self.device_and_host("-ftz=false")[0])
        self.assertIn("-nvptx-prec-divf32=1", self.device_and_host("-prec-div=false")[0])
        self.assertIn("-nvptx-prec-sqrtf32=0", self.device_and_host("--prec-sqrt=false")[0])
        self.assertIn("-ffp-contract=off", self.device_and_host("-fmad=false")[0])
        for option in ("-use_fast_math", "--use_fast_math"):
            device = self.device_and_host(option)[0]
            for flag in ("-fgpu-flush-denormals-to-zero", "-nvptx-prec-divf32=0",
                         "-nvptx-prec-sqrtf32=0", "-ffp-contract=fast",
                         "-fgpu-approx-transcendentals"):
                self.assertIn(flag, device)

    def test_default_stream(self):
        for args in (["-default-stream=per-thread"], ["--default-stream", "per-thread"]):
            for command in self.device_and_host(*args):
                self.assertIn("-fgpu-default-stream=per-thread", command)
        self.assertNotIn("-fgpu-default-stream=per-thread",
                         self.device_and_host("-default-stream=legacy")[0])

    def test_relocatable_device_code(self):
        for args in (["-rdc=true"], ["-rdc", "true"], ["--relocatable-device-code=true"],
                     ["-dc"], ["--device-c"]):
            commands = self.dry_run("a.cu", "-c", *args) if args[0][-1] != "c" or "rdc" in args[0] \
                else self.dry_run("a.cu", *args)
            for command in commands:
                self.assertIn("-fgpu-rdc", command)
            self.assertIn("-emit-llvm", commands[0])
        self.assertNotIn("-fgpu-rdc", self.dry_run("-dw", "a.cu")[0])
        for args in (["-ptx", "-dc"], ["--device-c", "--ptx"]): # PTX of relocatable code
            self.assertEqual(self.dry_run("a.cu", *args), self.dry_run("a.cu", "-ptx", "-rdc=true"))

    def test_warnings(self):
        self.assertIn("-w", self.device_and_host("-w")[0])
        self.assertIn("-w", self.device_and_host("--disable-warnings")[0])
        self.write("warns.cu", "void f() { int unused; }\n")
        for args in (["-Werror", "all-warnings"], ["-Werror=all-warnings"], ["--Werror"],
                     ["--Werror", "reorder,all-warnings"]):
            self.fails("-c", "warns.cu", *args)
        self.assertIn("-Werror=reorder", self.device_and_host("-Werror", "reorder")[0])

    def test_macros_of_options(self):
        device, host = self.device_and_host("--extended-lambda", "--expt-relaxed-constexpr", "-G",
                                            "-rdc=true")
        for macro in ("__CUDACC_EXTENDED_LAMBDA__", "__CUDACC_RELAXED_CONSTEXPR__",
                      "__CUDACC_DEBUG__", "__CUDACC_RDC__", "__CUDACC__", "__NVCC__"):
            self.assertIn("-D" + macro, device)
            self.assertIn("-D" + macro, host)

    def test_link_order_and_libraries(self):
        self.write("lib.a", "!<arch>\n")
        link = self.dry_run("a.cu", "-Lx", "-lfoo", "lib.a", "-l", "bar,baz", "-Xlinker",
                            "-z,now", "-o", "prog")[-1]
        order = [link.index(x) for x in ("-Lx", "-lfoo", "lib.a", "-lbar", "-lbaz")]
        self.assertEqual(order, sorted(order))
        self.assertEqual(link[link.index("-z") - 1], "-Xlinker")
        self.assertEqual(link[link.index("-o") + 1], "prog")
        self.assertEqual(self.runtimes(link), ["libcudart_static.a"])

    def runtimes(self, link):
        return [os.path.basename(a) for a in link if "cudart" in a]

    def test_cudart(self):
        for args in (["-cudart=shared"], ["-cudart", "shared"], ["--cudart=shared"], ["-lcudart"]):
            self.assertEqual(self.runtimes(self.dry_run("a.cu", *args)[-1]), ["libcudart.so"])
        self.assertEqual(self.runtimes(self.dry_run("a.cu", "-cudart=none")[-1]), [])
        self.assertEqual(self.runtimes(self.dry_run("a.cu", "-lcudart_static")[-1]),
                         ["libcudart_static.a"])

    def test_a_runtime_of_another_toolkit(self):
        """A folder of -L with another runtime under the same name, as NVIDIA's toolkit has it."""
        self.write("a.cu", "int main() { int n; return cudaGetDeviceCount(&n); }\n")
        for library in ("libcudart.so", "libcudart_static.a"):
            self.write("toolkit/" + library, "no library")
        for args in ([], ["-cudart=shared"], ["-lcudart"], ["-lcudart_static"]):
            self.compiles("a.cu", "-Ltoolkit", *args, "-o", "a.out")
        self.assertNotIn("-lnvToolsExt", self.dry_run("a.cu", "-lnvToolsExt")[-1])

    def test_languages(self):
        commands = self.dry_run("-c", "c.cpp", "d.c", "a.cu")
        self.assertIn("-xc++", commands[0])
        self.assertIn("-xc", commands[1])
        self.assertIn("-xcuda", commands[2])
        for args in (["-x", "cu"], ["-x=cu"], ["-xcu"], ["--x", "cu"]):
            self.assertIn("-xcuda", self.dry_run("-c", "c.cpp", *args)[0])

    def test_shared_and_static(self):
        self.assertIn("-shared", self.dry_run("-shared", "a.cu")[-1])
        self.assertIn("-static", self.dry_run("--static", "a.cu")[-1])

    def test_host_compiler(self):
        self.write("c.cu", "int main() { return 0; }\n")
        for path in ("nonexistent-c++", "/nonexistent/bin"):
            for spelling in ([f"-ccbin={path}"], ["-ccbin", path], ["--compiler-bindir", path]):
                r = self.compiles("-dryrun", *spelling, "c.cu")
                self.assertIn(f"warning: -ccbin {path}: there is no such program or folder", r.stderr)
        for path in ("sh", "/bin/sh", "/bin"):
            self.assertNotIn("-ccbin", self.compiles("-dryrun", "-ccbin", path, "c.cu").stderr)

    def test_mpi_compiler(self):
        self.write("m.cu", "int main() { return 0; }\n")
        for name, answers in (
                ("mpicxx", {"--showme:compile": "-I/mpi/include -I/mpi/more -pthread",
                            "--showme:link": "-pthread -L/mpi/lib -Wl,-rpath -Wl,/mpi/lib -lmpi_cxx -lmpi"}),
                ("mpic++.mpich", {"-compile_info": "g++ -I/mpi/include -I/mpi/more -O2",
                                  "-link_info": "g++ -L/mpi/lib -Wl,-rpath -Wl,/mpi/lib -lmpi_cxx -lmpi"})):
            cases = "".join(f"{option}) echo '{text}';;" for option, text in answers.items())
            self.write(name, f"#!/bin/sh\ncase $1 in {cases} *) echo wrong; exit 1;; esac\n")
            os.chmod(os.path.join(self.dir, name), 0o755)
            path = os.path.join(self.dir, name)
            *passes, link = self.dry_run("-ccbin", path, "m.cu", "-lown")
            for command in passes:
                self.assertIn("-I/mpi/include", command)
                self.assertIn("-I/mpi/more", command)
            found = [word for word in link if word.startswith(("-L/mpi", "-Wl,/mpi", "-lmpi", "-lown"))]
            self.assertEqual(found, ["-lown", "-L/mpi/lib", "-Wl,/mpi/lib", "-lmpi_cxx", "-lmpi"])
            self.assertNotIn("-pthread", link)
        self.write("mpisilent", "#!/bin/sh\nexit 1\n")
        os.chmod(os.path.join(self.dir, "mpisilent"), 0o755)
        r = self.compiles("-dryrun", "-ccbin", os.path.join(self.dir, "mpisilent"), "m.cu")
        self.assertIn("it does not tell its options", r.stderr)

    def test_accepted_without_effect(self):
        self.device_and_host("-ccbin", "g++", "-Xptxas", "-v,-O3", "--ptxas-options=-dlcm=ca",
                             "-Xnvlink", "x", "-maxrregcount=32", "--maxrregcount", "64", "-m64",
                             "-diag-suppress", "20012,177", "--diag-suppress=1",
                             "-Wno-deprecated-gpu-targets", "-t=4", "--threads", "2", "-res-usage",
                             "-split-compile=0", "-objtemp", "--extra-device-vectorization",
                             "-noprof", "-ldir", "x", "-dopt=on", "-opt-info", "inline", "-lto",
                             "-split-compile-extended=2", "-fdevice-syntax-only", "-dp", "x",
                             "-e", "k1,k2", "-qpp-config", "x", "-hls=use-lcs", "-aug-hls",
                             "-jtd", "10", "-reloc-ptx", "-device-stack-protector=true",
                             "-frandom-seed=3", "-jobserver", "-sanitize", "memcheck",
                             "--no-host-device-initializer-list", "--no-host-device-move-forward")
        device, host = self.device_and_host("-ftemplate-depth=99", "-noeh", "-O4",
                                            "-ftemplate-backtrace-limit", "3")
        self.assertIn("-ftemplate-depth=99", device)
        for option in ("-ftemplate-depth=99", "-ftemplate-backtrace-limit=3", "-fno-exceptions", "-O3"):
            self.assertIn(option, host)

    def test_last_output_counts(self):
        r = self.compiles("-c", "a.cu", "-o", "x.o", "-o", "y.o")
        self.assertIn("given twice", r.stderr)
        self.assertTrue(self.exists("y.o") and not self.exists("x.o"))

    def test_time_trace(self):
        self.compiles("-c", "a.cu", "-fdevice-time-trace", "trace.json")
        self.contains(self.read("trace.json"), "traceEvents")

    def test_folders_are_no_headers(self):
        """A folder that is named as a header that is included, in a directory before the header's."""
        self.write("first/numbers/file", "")
        self.write("second/numbers", "struct texture;\n#define SEVEN 7\n")
        self.write("user.cu", "#include <numbers>\nstatic_assert(SEVEN == 7);\n"
                              "__global__ void k() {}\n")
        self.compiles("-Ifirst", "-Isecond", "-c", "user.cu")
        self.contains(self.fails("-c", "-x", "cu", "first").stderr, "first is a folder")

    def test_environment(self):
        commands = self.dry_run("-c", "a.cu", env={"NVCC_PREPEND_FLAGS": "-DP=1 -O1",
                                                   "NVCC_APPEND_FLAGS": "'-DQ=a b'"})
        self.assertIn("-DP=1", commands[0])
        self.assertIn("-DQ=a b", commands[0])

    def test_options_file(self):
        self.write("opts", "-DX=1\n-I inc '-DY=a b'\n")
        for args in (["--options-file", "opts"], ["-optf=opts"]):
            command = self.device_and_host(*args)[0]
            for option in ("-DX=1", "-Iinc", "-DY=a b"):
                self.assertIn(option, command)

    def test_forwarding(self):
        host = self.device_and_host("--forward-unknown-to-host-compiler", "-funroll-loops")[1]
        self.assertIn("-funroll-loops", host)
        self.fails("-c", "a.cu", "-funroll-loops")
        for option in ("-forward-unknown-to-host-linker", "--forward-unknown-opts"):
            self.assertIn("-Wl,-z,now", self.dry_run("a.cu", option, "-Wl,-z,now")[-1])
        self.assertNotIn("-Wl,-z,now", self.dry_run("a.cu", "-forward-unknown-to-host-linker",
                                                    "-Wl,-z,now")[1])
        self.fails("-c", "a.cu", "-forward-nothing")

    def test_dry_run_runs_nothing(self):
        self.dry_run("a.cu", "-o", "prog")
        self.assertFalse(self.exists("prog"))

    def test_named_nvcc(self):
        import os
        from common import KUDZU

        os.symlink(os.path.realpath(KUDZU), os.path.join(self.dir, "nvcc"))
        r = self.command(["./nvcc", "--version"])
        self.assertEqual(r.returncode, 0)
        self.assertRegex(r.stdout, r"release \d+\.\d+, V\d+\.\d+\.\d+")


class Errors(CompilerTest):
    def setUp(self):
        super().setUp()
        self.write("a.cu", "int main() {}\n")
        self.write("b.cu", "int main() {}\n")

    def expect(self, text, *args):
        r = self.fails(*args)
        self.assertIn(text, r.stderr)

    def test_options(self):
        self.expect("unknown option '-nonsense'", "-nonsense", "a.cu")
        self.expect("unknown option '--nonsense=3'", "--nonsense=3", "a.cu")
        self.expect("needs a value", "a.cu", "-o")
        self.expect("takes no value", "a.cu", "-c=3")
        self.expect("true or false", "a.cu", "-ftz=maybe")
        self.expect("c++98", "a.cu", "-std=c++98")
        self.expect("sm_36", "a.cu", "-arch=sm_36")
        self.expect("bogus", "a.cu", "-gencode", "arch=bogus,code=sm_80")
        self.expect("bogus", "a.cu", "-gencode", "arch=compute_80,code=bogus")
        self.expect("arch=", "a.cu", "-gencode", "code=sm_80")
        self.expect("-Ofast", "a.cu", "-Ofast")
        self.expect("x86-64-v9", "a.cu", "--kudzu-native=x86-64-v9")
        self.expect("cudart", "a.cu", "-cudart=dynamic")
        self.expect("64-bit", "a.cu", "-m32")
        self.expect("NVIDIA's intermediate forms", "a.cu", "-dc", "-ltoir")
        self.expect("one architecture", "a.cu", "-ptx", "-arch=all-major")
        self.expect("threads", "a.cu", "-t", "many")
        self.expect("options file", "--options-file", "missing", "a.cu")
        self.expect("device", "--options-file", "/dev/zero", "a.cu")

    def test_files(self):
        self.expect("no input files")
        self.expect("missing.cu: No such file", "missing.cu")
        self.expect("2 files are compiled", "-c", "a.cu", "b.cu", "-o", "x.o")
        self.write("x.foo", "")
        self.expect("x.foo", "-c", "x.foo")
        self.write("e.cpp", "")
        self.expect("device code", "-ptx", "e.cpp")
        self.expect("cannot", "-c", "a.cu", "-keep-dir", "missing/deep")

    def test_no_clang(self):
        r = self.cc("a.cu", env={"KUDZU_CLANG": "/nonexistent/clang++"})
        self.assertEqual(r.returncode, 1)
        self.assertIn("/nonexistent/clang++", r.stderr)

    def test_nothing_is_left_of_a_failed_compilation(self):
        self.write("bad.cu", "int f( {\n")
        self.fails("-c", "bad.cu", "-o", "bad.o")
        self.assertFalse(self.exists("bad.o"))

    def test_help(self):
        r = self.compiles("--help")
        for option in ("--gpu-architecture, -arch", "--relocatable-device-code, -rdc", "-ptx"):
            self.assertIn(option, r.stdout)
        self.assertRegex(self.compiles("--version").stdout, r"release 12\.\d+, V12\.")
        for option, prefix in (("--list-gpu-arch", "compute_"), ("--list-gpu-code", "sm_")):
            names = self.compiles(option).stdout.split()
            self.assertTrue({prefix + n for n in ("50", "90", "100", "120", "121")} <= set(names), names)
            self.assertNotIn(prefix + "90a", names)


if __name__ == "__main__":
    main()
