#!/bin/sh
# Builds and runs the benchmark: kernels, launch latency, start-up, compile time.
# usage: bench/run.sh BUILD_FOLDER [kernel]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
out=$build/bench
mkdir -p "$out"
clang-19 -O3 -march=native -mprefer-vector-width=512 -fopenmp -c "$here/native.c" -o "$out/native.o"
clang-19 -O2 -DKERNELS_CL="\"$here/kernels.cl\"" -c "$here/opencl.c" -o "$out/opencl.o"
"$build/bin/kudzu" cc -O3 -std=c++17 "$here/bench.cu" "$out/native.o" "$out/opencl.o" \
    -o "$out/bench" -lOpenCL -Xcompiler -fopenmp -lm
OMP_NUM_THREADS=$(nproc) OMP_PROC_BIND=true "$out/bench" ${2:+"$2"}
[ $# -lt 2 ] || exit 0
"$here/startup.sh" "$build"
