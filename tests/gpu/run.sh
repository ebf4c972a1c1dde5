#!/bin/sh
# Runs kudzu's programs on an NVIDIA GPU: examples, tests of the compiler, tests of the runtime.
#
# Usage: run.sh build KUDZU_BUILD FOLDER   compiles them with KUDZU_BUILD/bin/kudzu into FOLDER
#        run.sh run FOLDER [DEVICE]        runs what is there and prints a table of passes
#        run.sh KUDZU_BUILD [DEVICE]       both, in KUDZU_BUILD/gpu
# FOLDER can be carried to a machine with a GPU and without compilers: all it needs there is
# NVIDIA's driver. DEVICE is gpu, the default, or cpu, for which FOLDER/cpu/libcuda.so.1 is used.
# Skipped is what the device says it cannot do. Exit status 0: nothing fails.
set -u
here=$(dirname "$(realpath "$0")")
root=$(realpath "$here/../..")

fail() {
    echo "run.sh: $1" >&2
    exit 2
}

# The ways in which features.cu is compiled: a name, then the options.
variants() {
    cat <<'END'
plain
optimised -O3
debug -G
separate -rdc=true
per_thread -default-stream per-thread
volta -arch=sm_70
ampere_and_hopper -gencode arch=compute_80,code=compute_80 -gencode arch=compute_90,code=compute_90
with_native_code -kudzu-native x86-64-v3
END
}

compile() {
    kudzu=$1/bin/kudzu out=$2
    [ -x "$kudzu" ] || fail "$kudzu is not there: build kudzu first"
    mkdir -p "$out/ptx"
    for source in "$root"/examples/*.cu "$root"/tests/cc/programs/*.cu; do
        echo "compiling $(basename "$source")"
        "$kudzu" cc -O3 "$source" -o "$out/$(basename "$source" .cu)" || fail "$source"
    done
    variants | while read -r name options; do
        echo "compiling features.cu $options"
        # shellcheck disable=SC2086
        "$kudzu" cc $options "$here/features.cu" -o "$out/features_$name" || exit 2
    done || exit 2
    for source in "$root"/tests/cc/language/*.cu; do
        name=$(basename "$source" .cu)
        grep -q '^// NOT ALONE' "$source" && continue
        for options in -O3 -G -use_fast_math; do
            "$kudzu" cc -std=c++17 -extended-lambda -ptx $options "$source" \
                -o "$out/ptx/$name$options.ptx" || fail "$source"
        done
    done
    for source in "$root"/tests/language/*.cu; do
        echo "compiling $(basename "$source")"
        name=$(basename "$source" .cu)
        options=
        grep -q tensormap_replace "$source" && options=-arch=sm_90a # not in sm_90
        case $name in # as tests/language/CMakeLists.txt has it
        relaxed_constexpr) options=-expt-relaxed-constexpr ;;
        fast_math) options=-use_fast_math ;;
        flush_to_zero) options=-ftz=true ;;
        older_standard) options=-std=c++03 ;;
        older_targets) options=-arch=sm_50 ;;
        matrix_descriptors) options=-arch=sm_90a ;;
        older_launches) options="-arch=sm_70 -DCUDA_FORCE_CDP1_IF_SUPPORTED" ;;
        esac
        # shellcheck disable=SC2086
        "$kudzu" cc -extended-lambda $options "$source" -o "$out/language_$name" || fail "$source"
    done
    for test in device memory copy sharing stream misuse capture launch interoperation; do
        cc -I "$1/include" "$root/tests/runtime/test_$test.c" "$1/lib/libcudart_static.a" \
            -lpthread -ldl -lrt -o "$out/runtime_$test" || fail "test_$test.c"
    done
    for tool in entry_points load_ptx; do
        cc -I "$root/src" -I "$1/include" "$here/$tool.c" -ldl -o "$out/$tool" || fail "$tool.c"
    done
    mkdir -p "$out/cpu"
    cp -L "$1/lib/libcuda.so.1" "$1/lib/libkudzu-jit.so" "$out/cpu/"
    cp "$kudzu" "$out/cpu/kudzu"
}

# Runs a command; its output is shown where it fails.
check() {
    name=$1
    shift
    start=$(date +%s%N)
    timeout 300 "$@" > "$log" 2>&1
    status=$?
    case $status in
    0) verdict=passed ;;
    77) verdict=skipped ;;
    *) verdict="FAILED $status" ;;
    esac
    printf '%-36s %-12s %6d ms\n' "$name" "$verdict" $((($(date +%s%N) - start) / 1000000))
    total=$((total + 1))
    if [ $status = 0 ]; then
        passed=$((passed + 1))
    elif [ $status = 77 ]; then
        skipped=$((skipped + 1))
    else
        tail -n 40 "$log" | cut -c -300 | sed 's/^/    /'
    fi
}

run() {
    cd "$1" || fail "$1 is not there"
    KUDZU_DEVICE=$2 CUDA_LOG_FILE=stderr
    export KUDZU_DEVICE CUDA_LOG_FILE
    if [ "$2" = cpu ]; then
        KUDZU_DRIVER=$PWD/cpu/libcuda.so.1
        export KUDZU_DRIVER
    fi
    log=$(mktemp) total=0 passed=0 skipped=0
    driver=$(./cpu/kudzu smi 2>&1 | sed -n 's/^Driver: \(.*\), because .*/\1/p')
    ./cpu/kudzu smi 2>&1 | grep -v '^+' || true
    [ -n "$driver" ] || fail "there is no driver for KUDZU_DEVICE=$2"
    check entry_points ./entry_points "$driver"
    check "language (PTX)" ./load_ptx "$driver" ptx/*.ptx
    for program in ./*; do
        name=$(basename "$program")
        [ -f "$program" ] && [ -x "$program" ] || continue
        case $name in
        entry_points | load_ptx | *.sh) ;;
        features_*) check "$name" sh -c '"$0" > "$1"; s=$?; cat "$1"
            grep -q "^kernel: -2 2.50 managed x 123456789ab$" "$1" || exit 99; exit $s' \
            "$program" "$log.text" ;;
        *) check "$name" "$program" ;;
        esac
    done
    rm -f "$log" "$log.text"
    echo "$passed of $total passed, $skipped skipped"
    [ "$((passed + skipped))" = "$total" ]
}

case ${1-} in
build) [ $# = 3 ] || fail "usage: run.sh build KUDZU_BUILD FOLDER" && compile "$(realpath "$2")" "$3" ;;
run) [ $# -ge 2 ] || fail "usage: run.sh run FOLDER [DEVICE]" && run "$2" "${3-gpu}" ;;
"" | -*) sed -n '2,10s/^# \{0,1\}//p' "$0" ;;
*) compile "$(realpath "$1")" "$1/gpu" > /dev/null && run "$1/gpu" "${2-gpu}" ;;
esac
