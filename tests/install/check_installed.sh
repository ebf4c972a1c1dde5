#!/bin/bash
# What a user does with kudzu once it is installed, in a folder of its own: the examples; a project by Make, by
# CMake and by Meson, each as its build system finds a CUDA toolkit; host threads of OpenMP; a program alone.
# Prints a line for each. Exit status 1: something failed.
# usage: check_installed.sh [examples|make|cmake|meson|openmp|alone]...    (default: all; `kudzu` is on PATH)
set -u

tests=$(cd "$(dirname "$0")" && pwd)
source=$(cd "$tests/../.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
status=0

# name, command...: runs in a copy of the project, with what it prints shown where it fails.
check() {
    local name=$1
    shift
    if (rm -rf "$folder/work" && cp -r "$tests/project" "$folder/work" && cd "$folder/work" && "$@") \
        >"$folder/log" 2>&1; then
        echo "passed: $name"
    else
        cat "$folder/log"
        echo "FAILED: $name"
        status=1
    fi
}

# Build systems are told by `kudzu env`; the rest does without.
by_make() { eval "$(kudzu env)" && make CUDA_HOME="$CUDA_HOME" && ./demo; }
by_cmake() { eval "$(kudzu env)" && cmake -B out && cmake --build out && ./out/demo; }
by_meson() { eval "$(kudzu env)" && meson setup out && ninja -C out && ./out/demo; }
by_openmp() { kudzu cc -Xcompiler -fopenmp openmp.cu -o openmp && env -i ./openmp; }
alone() { kudzu cc -O2 "$source/examples/saxpy.cu" -o saxpy && env -i ./saxpy; }

for part in ${*:-examples make cmake meson openmp alone}; do
    case $part in
    examples)
        for example in "$source"/examples/*.cu; do
            check "$(basename "$example")" kudzu run "$example"
        done
        ;;
    alone) check alone alone ;;
    make | cmake | meson | openmp) check "$part" "by_$part" ;;
    *) echo "check_installed.sh: there is no part $part" >&2 && exit 2 ;;
    esac
done
exit "$status"
