#!/bin/bash
# What a user on 64-bit Arm does with the packages, or the wheel: scripts/check_arm64.sh runs it in a root for arm64.
# usage: check_root.sh TOOLKIT SECONDS [NAME...]
# TOOLKIT: where kudzu lies. No check is begun later than SECONDS; NAME: these checks alone.
# Prints a line for each check. Exit status 1: something failed.
set -u

tests=$(cd "$(dirname "$0")/.." && pwd)
examples=$tests/../examples
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export CUDA_CACHE_PATH=$folder/cache
status=0 left_out=

# name, command...
check() {
    local name=$1 begun=$SECONDS
    shift
    [[ -z $wanted || $wanted == *" $name "* ]] || return
    if ((SECONDS >= limit)); then
        left_out="$left_out, $name"
        return
    fi
    if (cd "$folder" && timeout 600 "$@") >"$folder/log" 2>&1; then
        echo "passed: $name ($((SECONDS - begun)) s)"
    else
        cat "$folder/log"
        echo "FAILED: $name"
        status=1
    fi
}
toolkit=$1 limit=$2
shift 2
[ "$toolkit" = /usr/lib/kudzu ] || PATH=$toolkit/bin:$PATH
wanted=${*:+ $* }

# The program checks its own results; its kernels run as the compiler here has made them.
example() {
    KUDZU_EXEC=simd CUDA_LOG_FILE=stderr kudzu run "$1" >out 2>&1 && cat out &&
        grep -q "checked:" out && ! grep -q FAILED out
}
# What pip has installed: the command, the module, and the driver that `import kudzu` has loaded.
by_pip() {
    [ "$(/usr/local/bin/kudzu -V)" = "$(kudzu -V)" ] && [ "$(python3 -m kudzu -V)" = "$(kudzu -V)" ] &&
        python3 -c "import kudzu, ctypes; driver = ctypes.CDLL('libcuda.so.1'); assert driver.cuInit(0) == 0"
}
# A kernel with a race, and the same with a barrier in its place: what `kudzu check` says of each.
races() {
    kudzu cc -lineinfo "$tests/aarch64/race.cu" -o race && kudzu check ./race barrier || return
    ! kudzu check ./race >report && grep -q "Race reported between" report && grep -q "race.cu:9" report
}
# The library of random numbers, as host code calls it.
sobol_dimensions() {
    clang-19 -I"$toolkit/include" "$tests/aarch64/sobol_dimensions.c" -o sobol_dimensions \
        -L"$toolkit/lib" -lcurand -Wl,-rpath,"$toolkit/lib" && ./sobol_dimensions
}
# A program that prints what launches of a file's kernels leave in memory.
ptx_run() {
    clang-19 -std=gnu17 -D_GNU_SOURCE -I"$toolkit/include" "$tests/simd/ptx_run.c" -o "$folder/ptx_run" \
        -L"$toolkit/lib" -lcuda -ldl -Wl,-rpath,"$toolkit/lib"
}
# The same from SIMD code of this machine's compiler, at several widths, as from the interpreter.
kernels() {
    local ptx=$folder/kernels.ptx
    kudzu cc -ptx -O3 "$tests/simd/cu/$1.cu" -o "$ptx" || return
    grep -E "^// (run|env|also):" "$tests/simd/cu/$1.cu" >>"$ptx"
    KUDZU_EXEC=interp "$folder/ptx_run" "$ptx" >want && grep -q . want || return
    for width in 0 8; do
        KUDZU_EXEC=simd KUDZU_WIDTH=$width "$folder/ptx_run" "$ptx" >got && cmp want got || return
    done
}
machine() { kudzu -V && kudzu smi -L && [ "$(uname -m)" = aarch64 ]; }
export -f by_pip example kernels machine ptx_run races sobol_dimensions
export tests examples folder toolkit

check machine bash -c machine
[[ $toolkit != */dist-packages/* ]] || check by_pip bash -c by_pip
check sobol_dimensions bash -c sobol_dimensions
check vector_add bash -c "example $examples/vector_add.cu"
check ptx_run bash -c ptx_run
check kernels_of_warps bash -c "kernels warps"
check races bash -c races
for path in "$examples"/*.cu "$tests"/aarch64/image_pipeline.cu; do
    name=$(basename "$path" .cu)
    [ "$name" = vector_add ] || check "$name" bash -c "example $path"
done
for name in floats barriers divergence atomics calls; do
    check "kernels_of_$name" bash -c "kernels $name"
done
[ -z "$left_out" ] || echo "left out, for want of time: ${left_out#, }"
exit "$status"
