"""clang by itself, with kudzu as its CUDA installation: OpenMP offloading with LLVM's run time, and CUDA sources.

usage: test_offload.py KUDZU CLANG
"""
import glob
import os
import subprocess
import sys
import tempfile

from device_image import kudzu, library

SKIPPED = 77
here = os.path.dirname(os.path.abspath(__file__))
clang = sys.argv[2]
llvm = os.path.dirname(os.path.dirname(os.path.realpath(clang)))
parts = [os.path.join(llvm, "bin", "clang-linker-wrapper"), os.path.join(llvm, "bin", "clang-nvlink-wrapper"),
         os.path.join(llvm, "lib", "libomptarget-nvptx-sm_90.bc"), os.path.join(llvm, "lib", "libomptarget.so")]
for part in parts:
    if not os.path.exists(part):
        print(f"{part} is not there (Debian: clang-tools-19, libomp-19-dev)")
        sys.exit(SKIPPED)

with tempfile.TemporaryDirectory() as folder:
    # What clang looks for in a CUDA installation.
    root = os.path.join(folder, "cuda")
    os.makedirs(os.path.join(root, "bin"))
    os.makedirs(os.path.join(root, "nvvm", "libdevice"))
    for name in ("ptxas", "nvlink", "fatbinary"):
        os.symlink(os.path.realpath(kudzu), os.path.join(root, "bin", name))
    os.symlink(os.path.join(os.path.dirname(library), "include"), os.path.join(root, "include"))
    os.symlink(os.path.join(library, "kudzu-devicelib.bc"), os.path.join(root, "nvvm", "libdevice", "libdevice.10.bc"))
    environment = dict(os.environ, PATH=f"{llvm}/bin:/usr/bin:/bin", LIBOMPTARGET_INFO="0", OMP_TARGET_OFFLOAD="MANDATORY",
                       LD_LIBRARY_PATH=f"{library}:{llvm}/lib")
    program = os.path.join(folder, "program")

    def runs(*command):
        subprocess.run([clang, f"--cuda-path={root}", "-Wno-unknown-cuda-version", *command, "-o", program], check=True,
                       env=environment)
        done = subprocess.run([program], env=environment, text=True, stdout=subprocess.PIPE, timeout=200)
        if done.returncode or done.stdout != "passed\n":
            sys.exit(f"{command}: {done.returncode}: {done.stdout}")

    for option in ("-g", "-O2"):
        runs("-fopenmp", "-fopenmp-targets=nvptx64-nvidia-cuda", "--offload-arch=sm_90",
             f"--libomptarget-nvptx-bc-path={parts[2]}", option, os.path.join(here, "offload.c"), "-lm")
    for options in ([], ["--offload-new-driver"], ["--offload-new-driver", "-fgpu-rdc"]):
        runs("--offload-arch=sm_90", "-O2", "-nocudainc", "-isystem", os.path.join(root, "include"), "-include",
             "cuda_runtime.h", *options, os.path.join(here, "clang.cu"), f"-L{library}", "-lcudart", "-lstdc++", "-lm")
