#!/bin/sh
# CuPy, built from its source package with `kudzu cc` as nvcc, Thrust, CUB and CURAND included. cuBLAS, cuFFT,
# cuSPARSE and cuSOLVER are not here: cupy/absent_libraries.py makes headers in which they refuse, of CuPy's own stubs,
# and libraries without functions stand for theirs. NCCL, cuTENSOR and cuSPARSELt are left out.
. "$(dirname "$0")/common.sh"
version=14.2.0
environment numpy==2.3.5 scipy==1.17.1 Cython==3.2.9 setuptools==84.2.1 wheel==0.48.0 cuda-pathfinder==1.9.1 \
    pytest==8.4.2 pytest-timeout==2.4.0 pytest-xdist==3.8.0 execnet iniconfig pluggy pygments packaging
sources=$work/cupy-$version
absent=$work/cupy-absent
export CUPY_INCLUDE_PATH="$absent/include" CUPY_LIBRARY_PATH="$absent/lib:$kudzu/lib" LIBRARY_PATH="$kudzu/lib"
export LD_LIBRARY_PATH="$LD_LIBRARY_PATH:$absent/lib" NVCC="$work/bin/nvcc"
export CUPY_NVCC_GENERATE_CODE=arch=compute_90,code=compute_90 CUPY_NUM_BUILD_JOBS=$jobs CUPY_INSTALL_NO_RPATH=1
[ -d "$sources" ] || {
    "$python" -m pip -q download --no-deps --no-build-isolation --no-binary :all: cupy==$version \
        -d "$work" >> "$log" 2>&1
    tar xzf "$work/cupy-$version.tar.gz" -C "$work" || fail "no sources"
}
[ -e "$sources/built" ] || {
    mkdir -p "$absent/lib"
    "$python" "$clients/cupy/absent_libraries.py" "$sources" "$absent/include" || fail "no headers"
    echo "#error NCCL is left out" > "$absent/include/nccl.h"
    for library in cublas.so.12 cufft.so.11 cusparse.so.12 cusolver.so.11; do
        cc -shared -nostdlib -Wl,-soname,lib$library -xc /dev/null -o "$absent/lib/lib$library" || fail "no libraries"
        ln -sfn lib$library "$absent/lib/lib${library%.*}"
    done
    (cd "$sources" && CXXFLAGS="-O0 -fwrapv -w" "$python" setup.py build_ext --inplace) >> "$log" 2>&1 || fail "it cannot be built"
    : > "$sources/built"
}
export PYTHONPATH="$sources"
cd "$sources/tests" || exit 1
[ $# -gt 0 ] || set -- $(for t in elementwise userkernel reduction raw ndarray scan; do
    echo cupy_tests/core_tests/test_$t.py; done) cupy_tests/creation_tests cupy_tests/indexing_tests \
    cupy_tests/sorting_tests cupy_tests/statistics_tests cupy_tests/random_tests
tests "$@" -n "$jobs" --timeout 900 --max-worker-restart 1000
report $version
