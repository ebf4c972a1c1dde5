#!/bin/sh
# How rows bound by arithmetic scale: their time on one processor, over their time on N times N; of
# kudzu, of native code, and, of rows with an arithmetic peak, of multiplications and additions in
# registers alone: what the machine itself gives (clocks that fall when all processors work,
# processors that share a core).
# Thirty runs follow each other, so that waking the threads of a machine that slept hardly counts.
# usage: bench/scaling.sh BUILD [N [row...]]    N: all processors by default
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
shift
n=${1:-$(nproc)}
[ $# -eq 0 ] || shift
rows=$*
[ -n "$rows" ] || rows="black_scholes levenshtein mandelbrot matmul monte_carlo nbody ray_tracing sha256"
export BENCH_RUNS="${BENCH_RUNS:-30}"
one=$(mktemp)
trap 'rm -f "$one"' EXIT
# shellcheck disable=SC2086
BENCH_THREADS=1 "$here/run.sh" "$build" $rows >/dev/null
cp "$build/bench/results.tsv" "$one"
# shellcheck disable=SC2086
BENCH_THREADS=$n "$here/run.sh" "$build" $rows >/dev/null
awk -F '\t' -v n="$n" '
    function scaled(one, all) {
        return all > 0 ? sprintf(" %8.2f", one / all / n) : sprintf(" %8s", "-")
    }
    NR == 1 {
        for (k = 1; k <= NF; k++)
            column[$k] = k
        printf "%-32s %8s %8s %8s    on %d processors\n", "", "kudzu", "native", "machine", n
    }
    FNR == 1 { next }
    NR == FNR {
        kudzu[$1] = $column["kudzu s"]
        native[$1] = $column["native s"]
        peak[$1] = $column["limit s"]
        next
    }
    $column["kudzu s"] > 0 {
        k = kudzu[$1] / $column["kudzu s"] / n
        print sprintf("%-32s %8.2f", $1, k) scaled(native[$1], $column["native s"]) \
            scaled(peak[$1], $column["limit s"])
        sum += log(k)
        rows++
    }
    END { printf "%-32s %8.2f\n", "geometric mean", exp(sum / rows) }
' "$one" "$build/bench/results.tsv"
