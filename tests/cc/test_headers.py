"""Every public header compiles alone: in a CUDA source, in C++ and in C."""
import os
import subprocess
import sys
import tempfile

kudzu, include = sys.argv[1], sys.argv[2]
# Headers that are C++ by nature, and fragments that other headers include.
CXX_ONLY = {"cuda_runtime_templates.h"}
headers = []
for root, dirs, files in os.walk(include):
    relative = os.path.relpath(root, include)
    if relative.startswith(("kudzu", "CMakeFiles")):
        continue
    headers += [os.path.normpath(os.path.join(relative, f)) for f in files if f.endswith(".h")]
bad = []
with tempfile.TemporaryDirectory(prefix="kudzu-test-") as directory:
    environment = dict(os.environ, TMPDIR=directory)
    # One file includes all headers of a language, each before it in a compilation of its own would
    # take minutes: clang parses them from a list, and only what fails is looked at again.
    def compiles(names, suffix):
        source = os.path.join(directory, "test" + suffix)
        with open(source, "w") as f:
            f.writelines(f'#include "{name}"\n' for name in names)
        return subprocess.run([kudzu, "cc", "-c", source, "-o", source + ".o"],
                              capture_output=True, text=True, env=environment)

    for name in sorted(headers):
        for suffix in [".cpp"] + ([] if os.path.basename(name) in CXX_ONLY else [".c"]):
            r = compiles([name], suffix)
            if r.returncode:
                bad.append(f"{name} in {suffix}:\n{r.stderr}")
    r = compiles(sorted(headers), ".cu")
    if r.returncode:
        bad.append(f"all headers in .cu:\n{r.stderr}")
    r = compiles(sorted(headers, reverse=True), ".cu")
    if r.returncode:
        bad.append(f"all headers in reverse in .cu:\n{r.stderr}")

    # Named by their full paths, where no folder of headers is given, they find each other.
    source = os.path.join(directory, "full.cpp")
    with open(source, "w") as f:
        for name in ("cuda_runtime.h", "cuda_fp8.h", "cuda_pipeline.h", "curand_kernel.h", "cuda.h"):
            f.write(f'#include "{os.path.join(os.path.abspath(include), name)}"\n')
    r = subprocess.run(["g++", "-M", source], capture_output=True, text=True)
    own = os.path.realpath(include)
    others = [path for path in r.stdout.replace("\\\n", " ").split()
              if os.path.basename(path) in headers and not os.path.realpath(path).startswith(own)]
    if r.returncode or others:
        bad.append(f"headers by their full paths: {others}\n{r.stderr}")

    # Headers that bring assert with them; NDEBUG is what the source says where it includes them.
    brings_assert = ["cooperative_groups.h", "cooperative_groups/reduce.h"]
    for d in ["cuda", "cuda/std"]:
        brings_assert += [f"{d}/{f}" for f in sorted(os.listdir(os.path.join(include, d)))
                          if os.path.isfile(os.path.join(include, d, f))]
    source = os.path.join(directory, "asserts.cu")
    with open(source, "w") as f:
        for name in brings_assert:
            f.write(f'#undef assert\n#include "{name}"\n#ifndef assert\n#error "{name}"\n#endif\n')
        f.write("__global__ void holds(int *p) { assert(*p && nothing); }\n"
                '#define NDEBUG\n#include "cooperative_groups.h"\n'
                "__global__ void leaves(int *p) { assert(*p && nothing); }\n")
    r = subprocess.run([kudzu, "cc", "-std=c++20", "-c", source, "-o", source + ".o"],
                       capture_output=True, text=True, env=environment)
    errors = [line.split(":")[1] for line in r.stderr.splitlines() if ": error:" in line]
    if errors != [str(5 * len(brings_assert) + 1)]:
        bad.append(f"assert of headers alone: errors in the lines {errors}:\n{r.stderr}")
print(f"{len(headers)} headers")
print("\n".join(bad))
sys.exit(bool(bad))
