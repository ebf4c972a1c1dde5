#!/bin/sh
# Builds and runs the benchmark; prints the table and writes BUILD/bench/results.tsv.
# usage: bench/run.sh BUILD [row...]      row: the name of a file in rows/; all by default, with
#                                         start-up, compile time and calls of the API after them
#        bench/run.sh --variants BUILD [row...]    each row beside variants/, into variants.tsv
# BENCH_THREADS: on how many processors to run, all by default.
# KUDZU_CPU=x86-64-v3: native code for that level, too, by LLVM's choice of vectors; BUILD/bench/x86-64-v3.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
what=rows results=results
if [ "$1" = --variants ]; then
    what=variants results=variants
    shift
fi
build=$(cd "$1" && pwd)
shift
threads=${BENCH_THREADS:-$(nproc)}
out=$build/bench${KUDZU_CPU:+/$KUDZU_CPU}
march="-march=${KUDZU_CPU:-native -mprefer-vector-width=512}"
mkdir -p "$out/rows" "$out/variants"
rows=$*
[ -n "$rows" ] || rows=$(cd "$here/$what" && ls | sed -n 's/\.cu$//p')

# Compiles what is older than its sources or, for CUDA, than kudzu.
newer() { # TARGET SOURCE...
    target=$1
    shift
    [ -e "$target" ] || return 0
    for source; do
        [ "$source" -nt "$target" ] && return 0
    done
    return 1
}
native() { # SOURCE OBJECT
    if newer "$2" "$1" "$here/bench.h"; then
        echo clang-19 -O3 "$march" -fno-math-errno -fopenmp "-I$here" \
            -c "$1" -o "$2"
    fi
}
objects=
commands=$(mktemp)
trap 'rm -f "$commands"' EXIT
for f in bench inputs limit opencl; do
    native "$here/$f.c" "$out/$f.o"
    objects="$objects $out/$f.o"
done >>"$commands"
# A row's native side may be written for instructions that the machine lacks.
own_native() { # SOURCE OBJECT
    command=$(native "$1" "$2")
    [ -z "$command" ] || echo "$command 2>$2.log || rm -f $2"
}
kernels() { # SOURCE OBJECT
    if newer "$2" "$1" "$here/bench.h" "$build/bin/kudzu"; then
        echo "$build/bin/kudzu" cc -O3 -std=c++17 "-I$here" -c "$1" -o "$2"
    fi
}
for r in $rows; do
    o=$out/rows/$r
    kernels "$here/rows/$r.cu" "$o.cu.o"
    [ $what = rows ] || kernels "$here/variants/$r.cu" "$out/variants/$r.cu.o"
    [ ! -e "$here/native/$r.c" ] || own_native "$here/native/$r.c" "$o.c.o"
done >>"$commands"
xargs -P "$(nproc)" -I{} sh -c '{}' <"$commands"
# A native side that calls bench_no_native.
no_native() { # ROW OBJECT
    nm -u "$1" | sed -n 's/.* \(native_[a-z0-9_]*\)$/void \1(void) { bench_no_native(); }/p' |
        clang-19 -xc -include "$here/bench.h" -c - -o "$2"
}
for r in $rows; do
    o=$out/rows/$r
    [ $what = rows ] || objects="$objects $out/variants/$r.cu.o"
    if [ ! -e "$here/native/$r.c" ]; then
        objects="$objects $o.cu.o"
    elif [ -e "$o.c.o" ]; then
        objects="$objects $o.cu.o $o.c.o"
    elif [ $what = variants ]; then
        no_native "$o.cu.o" "$o.none.o"
        objects="$objects $o.cu.o $o.none.o"
    else
        echo "$r is left out: its native side does not compile here ($o.c.o.log)" >&2
    fi
done

# shellcheck disable=SC2086
"$build/bin/kudzu" cc $objects -o "$out/measure_$what" -lOpenCL -Xcompiler -fopenmp -lm
first=$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')
export OMP_NUM_THREADS="$threads" OMP_PROC_BIND=true KMP_BLOCKTIME=1
export POCL_MAX_PTHREAD_COUNT="$threads" POCL_CPU_MAX_CU_COUNT="$threads"
if [ -n "${BENCH_THREADS:-}" ]; then
    exec_on="taskset -c $first-$((first + threads - 1))"
else
    exec_on=
fi
status=0
$exec_on "$out/measure_$what" "$out/$results.tsv" "$here/opencl" || status=$?
[ $# -gt 0 ] || [ $what = variants ] || {
    "$here/startup.sh" "$build"
    "$build/bin/kudzu" cc -O2 "$here/api.cu" -o "$out/api"
    "$out/api" || status=$?
}
exit $status
