#!/bin/sh
# Compares kudzu's code for NVIDIA GPUs with nvcc's: the benchmark's kernels (bench/rows) and the
# examples, compiled by both, run in turn on the same GPU.
#
# Usage: speed.sh build KUDZU_BUILD NVCC FOLDER   compiles into FOLDER; prints how long each took
#        speed.sh run FOLDER [ROUNDS]             runs it; prints the table, and FOLDER/speed.tsv
# FOLDER can be carried to a machine with a GPU that has no compilers. Ratios are time with kudzu over
# time with nvcc, of the best of all rounds (5).
set -eu
here=$(dirname "$(realpath "$0")")
root=$(realpath "$here/../..")
arch=sm_90

# One compiler's programs. NAME COMMAND...
compile() {
    name=$1
    shift
    mkdir -p "$out/$name" "$out/objects/$name"
    start=$(date +%s%N)
    for source in "$root"/bench/rows/*.cu "$here/speed.cu"; do
        "$@" -I "$root/bench" -c "$source" -o "$out/objects/$name/$(basename "$source").o"
    done
    # The C side is clang's, for both.
    "$@" "$out/objects/$name"/*.o "$out"/objects/c/*.o -o "$out/$name/speed" -lm -ldl
    for source in "$root"/examples/*.cu "$root/bench/api.cu"; do
        "$@" "$source" -o "$out/$name/$(basename "$source" .cu)"
    done
    echo "$name: $((($(date +%s%N) - start) / 1000000)) ms to compile all"
}

build() {
    kudzu=$(realpath "$1")/bin/kudzu nvcc=$2
    mkdir -p "$3/objects/c"
    out=$(realpath "$3")
    for source in "$root"/bench/native/*.c; do
        clang-19 -O3 -march=native -Wno-unknown-pragmas -Wno-source-uses-openmp -I "$root/bench" \
            -I "$here/one_thread" -c "$source" -o "$out/objects/c/$(basename "$source").o"
    done
    compile kudzu "$kudzu" cc -O3 -std=c++17 -arch=$arch
    compile nvcc "$nvcc" -O3 -std=c++17 -arch=$arch
    rm -rf "$out/objects"
}

# Microseconds by the rows' names, of all rounds.
run() {
    cd "$1"
    : >times.tsv
    for round in $(seq "${2-5}"); do
        for compiler in kudzu nvcc; do
            ./$compiler/speed >one.tsv || echo "$compiler/speed: exit $?" >&2
            awk -v c=$compiler -F'\t' '{ print c "\t" $0 }' one.tsv >>times.tsv
        done
    done
    rm -f one.tsv
    awk -F'\t' '
        $4 != "right" { wrong = wrong " " $1 ":" $2 }
        !(($1, $2) in best) || $3 < best[$1, $2] { best[$1, $2] = $3 }
        $1 == "nvcc" && !($2 in seen) { seen[$2] = 1; names[n++] = $2 }
        END {
            for (i = 0; i < n; i++) {
                r = names[i]
                if (!(("kudzu", r) in best)) { wrong = wrong " " r; continue }
                ratio = best["kudzu", r] / best["nvcc", r]
                printf "%-34s %10.2f us %10.2f us %6.2f\n", r, best["kudzu", r], best["nvcc", r], ratio
                logs += log(ratio); m++
                if (ratio > most) { most = ratio; where = r }
            }
            printf "geometric mean of %d: %.3f; most: %.2f (%s)\n", m, exp(logs / m), most, where
            if (wrong != "") { print "wrong:" wrong; exit 1 }
        }' times.tsv
}

case ${1-} in
build) [ $# = 4 ] && build "$2" "$3" "$4" ;;
run) [ $# -ge 2 ] && run "$2" "${3-5}" ;;
*) sed -n '2,9s/^# \{0,1\}//p' "$0" ;;
esac
