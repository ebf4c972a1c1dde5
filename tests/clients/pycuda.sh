#!/bin/sh
# PyCUDA, built from its source package with `kudzu cc` as nvcc, CURAND included.
# Needs boost's headers and boost-python for this Python, or builds the ones it ships.
# PYCUDA_SOURCE: a checkout of https://github.com/inducer/pycuda (its tests are not in the package).
. "$(dirname "$0")/common.sh"
version=2026.1
environment numpy==2.3.5 pytools platformdirs siphash24 typing_extensions mako markupsafe pytest==8.4.2 \
    iniconfig pluggy pygments packaging setuptools wheel
[ -e "$work/$client/built" ] || {
    ln -sfn "$kudzu/include" "$work/include"
    ln -sfn "$kudzu/lib" "$work/lib64"
    CUDA_ROOT="$work" LDFLAGS="-L$kudzu/lib" "$python" -m pip -q install --no-deps --no-binary pycuda \
        pycuda==$version >> "$log" 2>&1 || fail "PyCUDA cannot be built"
    : > "$work/$client/built"
}
sources PYCUDA_SOURCE https://github.com/inducer/pycuda v$version test
cd "$sources/test" || exit 1
[ $# -gt 0 ] || set -- test_driver.py test_cumath.py test_gpuarray.py -k "not big_array"
tests "$@"
report $version
