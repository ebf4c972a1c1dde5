#!/bin/sh
# Compares kudzu's code for NVIDIA GPUs with nvcc's: the benchmark's kernels (bench/rows) and the
# runtime's calls (bench/api.cu), compiled by both, run in turn on the same GPU; and public programs.
#
# Usage: speed.sh build KUDZU_BUILD NVCC FOLDER   compiles into FOLDER; prints how long each took
#        speed.sh run FOLDER [ROUNDS]             runs it; prints the tables
#        speed.sh programs LIBRARY KUDZU_FOLDER NVCC_FOLDER [ROUNDS]
#            compares the kernels of programs that tests/conformance/run.py --build compiled, with
#            -cudart=shared, into one folder for each compiler; LIBRARY is launch_times.c, compiled
# The folders can be carried to a machine with a GPU that has no compilers. Ratios are time with kudzu
# over time with nvcc, of the best of all rounds (5).
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

# Lines "compiler, name, microseconds, right" of all rounds to a table.
table() {
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
        }' "$1"
}

# The lines of standard input behind the compiler's name.
named() {
    awk -v c="$1" -F'\t' '{ print c "\t" $0 }'
}

run() {
    cd "$1"
    : >times.tsv
    : >calls.tsv
    for round in $(seq "${2-5}"); do
        for compiler in kudzu nvcc; do
            { ./$compiler/speed || echo "$compiler/speed: exit $?" >&2; } | named $compiler >>times.tsv
            ./$compiler/api | sed -n 's/^\(.*[^ ]\)  *\([0-9.]*\) us .*/\1\t\2\tright/p' |
                named $compiler >>calls.tsv
        done
    done
    table times.tsv
    table calls.tsv
}

# A line a program: microseconds of one launch of each kernel, summed over those kernels that both
# compilers' programs launched equally often. Left out is what is short, below 5 us, and below 50 us
# where it was launched but once: its first run loads its instructions.
programs() {
    library=$(realpath "$1") out=$(mktemp -d) rounds=${4-5}
    for round in $(seq "$rounds"); do
        for compiler in kudzu nvcc; do
            [ $compiler = kudzu ] && folder=$2 || folder=$3
            for times in "$folder"/*/times.tsv; do rm -f "$times"; done
            LD_PRELOAD=$library LAUNCH_TIMES=times.tsv python3 "$root/tests/conformance/run.py" \
                --timeout 60 --run "$folder" >"$out/$compiler.log" || true
            for times in "$folder"/*/times.tsv; do
                [ -e "$times" ] || continue
                program=$(basename "$(dirname "$times")")
                awk -v p="$program" -F'\t' '{ print p "\t" $0 }' "$times" | named $compiler
            done >>"$out/launches.tsv"
        done
    done
    awk -F'\t' -v OFS='\t' '
        {
            key = $2 SUBSEP $3
            us = $5 / $4
            if (!(($1, key) in best) || us < best[$1, key]) best[$1, key] = us
            count[$1, key] = $4
            programs[key] = $2
        }
        END {
            for (key in programs) {
                least = count["nvcc", key] > 1 ? 5 : 50
                if (count["kudzu", key] != count["nvcc", key] || best["nvcc", key] < least) continue
                p = programs[key]
                if (!(p in nvcc)) order[n++] = p
                kudzu[p] += best["kudzu", key]
                nvcc[p] += best["nvcc", key]
            }
            for (i = 0; i < n; i++) {
                print "kudzu", order[i], kudzu[order[i]], "right"
                print "nvcc", order[i], nvcc[order[i]], "right"
            }
        }' "$out/launches.tsv" >"$out/programs.tsv"
    table "$out/programs.tsv"
    cp "$out/launches.tsv" .
    rm -rf "$out"
}

case ${1-} in
build) [ $# = 4 ] && build "$2" "$3" "$4" ;;
run) [ $# -ge 2 ] && run "$2" "${3-5}" ;;
programs) [ $# -ge 4 ] && programs "$2" "$3" "$4" "${5-5}" ;;
*) sed -n '2,13s/^# \{0,1\}//p' "$0" ;;
esac
