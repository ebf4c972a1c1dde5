#!/bin/sh
# Useful work in the first second: how many launches of a kernel end in the first second from
# cuModuleLoadData on, beside those of a second in the steady state. Kernels: shapes.py.
# usage: bench/compile_time/first_second.sh BUILD [shape...]
# INSTRUCTIONS: of each kernel, 1000 by default. SECONDS_EACH: until the steady state ends, 8. PROCESSORS: seconds are
# of so many processors' time, on a machine that does other things, too.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
shift
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
cc -O2 -std=gnu17 -I"$here/../../include" -I"$build/include" "$here/first_second.c" \
    -o "$out/first_second" "$build/lib/libcuda.so.1" -Wl,-rpath,"$build/lib"
[ $# -gt 0 ] || set -- $("$here/shapes.py" | sed 's/:.*//')
for shape; do
    "$here/shapes.py" "$shape" "${INSTRUCTIONS:-1000}" > "$out/kernel.ptx"
    printf '%s: ' "$shape"
    CUDA_CACHE_DISABLE=1 "$out/first_second" "$out/kernel.ptx" "${SECONDS_EACH:-8}" ${PROCESSORS:-}
done
