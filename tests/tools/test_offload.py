"""clang's OpenMP offloading, on kudzu's ptxas, nvlink and libdevice, with LLVM's run time.

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
    for options in (["-g"], ["-O2"]):
        program = os.path.join(folder, "offload")
        subprocess.run([clang, "-fopenmp", "-fopenmp-targets=nvptx64-nvidia-cuda", "--offload-arch=sm_90",
                        f"--cuda-path={root}", f"--libomptarget-nvptx-bc-path={parts[2]}", "-Wno-unknown-cuda-version",
                        *options, os.path.join(here, "offload.c"), "-lm", "-o", program], check=True, env=environment)
        done = subprocess.run([program], env=environment, text=True, stdout=subprocess.PIPE, timeout=200)
        if done.returncode or done.stdout != "passed\n":
            sys.exit(f"{options}: {done.returncode}: {done.stdout}")
