#!/bin/sh
# How long PTX takes from cuModuleLoadData to the end of its first launch: bench/jit.c says what is
# measured, bench/jit.cu holds the kernels.
# usage: bench/jit.sh BUILD_FOLDER [module]...
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
shift
out=$build/bench/jit
mkdir -p "$out"
cc -O2 -std=gnu17 -I"$here/../include" -I"$build/include" "$here/jit.c" -o "$out/jit" \
    "$build/lib/libcuda.so.1" -Wl,-rpath,"$build/lib"
[ $# -gt 0 ] || set -- $(sed -n 's/.*defined(\([a-z_]*\)_module).*/\1/p' "$here/jit.cu")
files=
for module; do
    ptx=$out/$module.ptx
    if [ ! -s "$ptx" ] || [ "$here/jit.cu" -nt "$ptx" ]; then
        "$build/bin/kudzu" cc -O3 -ptx "-D${module}_module" "$here/jit.cu" -o "$ptx.new"
        grep "// run: $module[_ ]" "$here/jit.cu" >> "$ptx.new"
        mv "$ptx.new" "$ptx"
    fi
    files="$files $ptx"
done
CUDA_CACHE_DISABLE=1 exec "$out/jit" $files
