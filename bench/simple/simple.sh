#!/bin/sh
# Simple kernels beside plain C, both on one thread. KUDZU_CPU=x86-64-v3: both for that level. A ratio above 1: kudzu is the faster.
# usage: bench/simple/simple.sh BUILD [NAME]      NAME: a part of a row's name; all by default
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
out=$build/bench/simple
mkdir -p "$out"
clang-19 -O3 "-march=${KUDZU_CPU:-native}" -fno-math-errno -c "$here/plain.c" -o "$out/plain.o"
"$build/bin/kudzu" cc -O3 -std=c++17 -o "$out/kernels" "$here/kernels.cu" "$out/plain.o"
KUDZU_WORKERS=1 KUDZU_TIER=full exec "$out/kernels" ${2:+"$2"}
