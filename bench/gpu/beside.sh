#!/bin/sh
# Compiles these kernels with kudzu and nvcc, and compares their times on one GPU.
#
# Usage: beside.sh build KUDZU_BUILD NVCC FOLDER
#        beside.sh run FOLDER [ROUNDS]      also on another machine, which needs the driver alone
# Prints nvcc's microseconds and time with kudzu over time with nvcc, of the best of all rounds (5).
# An exclamation mark: the results differ.
set -eu
here=$(dirname "$(realpath "$0")")
programs="convolutions filters modular"

build() {
    mkdir -p "$3/kudzu" "$3/nvcc"
    for p in $programs; do
        "$1/bin/kudzu" cc -O3 -std=c++17 -arch=sm_90 "$here/$p.cu" -o "$3/kudzu/$p"
        "$2" -O3 -std=c++17 -arch=sm_90 "$here/$p.cu" -o "$3/nvcc/$p"
    done
}

run() {
    cd "$1"
    : >times.tsv
    for round in $(seq "${2:-5}"); do
        for p in $programs; do
            for c in nvcc kudzu; do
                KUDZU_DEVICE=gpu ./$c/$p | awk -v c=$c '{ print c "\t" $0 }' >>times.tsv
            done
        done
    done
    awk -F'\t' '
        !(($1, $2) in best) || $3 < best[$1, $2] { best[$1, $2] = $3 }
        { sum[$1, $2] = $4 }
        !($2 in seen) { seen[$2] = 1; names[n++] = $2 }
        END {
            for (i = 0; i < n; i++) {
                r = names[i]
                ratio = best["kudzu", r] / best["nvcc", r]
                d = sum["kudzu", r] - sum["nvcc", r]
                same = d * d <= 1e-8 * sum["nvcc", r] ^ 2
                printf "%-36s %10.2f us %6.3f%s\n", r, best["nvcc", r], ratio, same ? "" : " !"
                logs += log(ratio)
            }
            printf "geometric mean of %d: %.3f\n", n, exp(logs / n)
        }' times.tsv
}

case ${1-} in
build) [ $# = 4 ] && build "$2" "$3" "$4" ;;
run) [ $# -ge 2 ] && run "$2" "${3-}" ;;
*) sed -n '2,8s/^# \{0,1\}//p' "$0" ;;
esac
