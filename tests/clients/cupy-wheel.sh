#!/bin/sh
# CuPy's wheel, with one of its modules built anew: cupy_backends.cuda.api.runtime has NVIDIA's runtime library
# linked into it, which asks the driver for undocumented tables. Built from the source package, it is linked with
# kudzu's. Libraries without functions stand for cuBLAS, cuFFT, cuSPARSE and cuSOLVER. The wheel's CUB and Thrust are
# machine code of GPUs, without PTX: CUPY_ACCELERATORS is empty, and tests of sorts fail. CuPy as a whole: cupy.sh.
. "$(dirname "$0")/common.sh"
version=14.2.0
environment cupy-cuda12x==$version numpy==2.3.5 scipy==1.17.1 Cython==3.2.9 setuptools==84.2.1 wheel==0.48.0 \
    cuda-pathfinder==1.9.1 pytest==8.4.2 pytest-timeout==2.4.0 pytest-xdist==3.8.0 execnet iniconfig pluggy pygments \
    packaging
sources=$work/cupy-$version stand_ins=$work/$client/lib
[ -d "$sources" ] || {
    "$python" -m pip -q download --no-deps --no-build-isolation --no-binary :all: cupy==$version \
        -d "$work" >> "$log" 2>&1
    tar xzf "$work/cupy-$version.tar.gz" -C "$work" || fail "no sources"
}
[ -e "$work/$client/built" ] || {
    packages=$("$python" -c 'import sysconfig; print(sysconfig.get_path("platlib"))')
    include=$("$python" -c 'import sysconfig; print(sysconfig.get_path("include"))')
    module=$(cd "$packages/cupy_backends/cuda/api" && echo runtime.*.so)
    (
        cd "$sources" || exit 1
        "$python" -m cython --cplus -3 -I . -E use_cuda_python=0,CUPY_USE_CUDA_PYTHON=0,CUPY_CUDA_VERSION=12090 \
            -E CUPY_HIP_VERSION=0,CUPY_CANN_VERSION=0,CUPY_CUFFT_STATIC=False,CUPY_CYTHON_VERSION=3.2.9 \
            cupy_backends/cuda/api/runtime.pyx -o "$work/$client/runtime.cpp" &&
            g++ -O0 -w -shared -fPIC -I"$include" -I"$kudzu/include" -I. -Icupy_backends/cuda/api \
                "$work/$client/runtime.cpp" -L"$kudzu/lib" -lcudart -o "$packages/cupy_backends/cuda/api/$module"
    ) >> "$log" 2>&1 || fail "the module cannot be built"
    mkdir -p "$stand_ins"
    for library in cublas.so.12 cufft.so.11 cusparse.so.12 cusolver.so.11; do
        cc -shared -nostdlib -Wl,-soname,lib$library -xc /dev/null -o "$stand_ins/lib$library" || fail "no libraries"
    done
    : > "$work/$client/built"
}
export LD_LIBRARY_PATH="$LD_LIBRARY_PATH:$stand_ins" NVCC="$work/bin/nvcc" CUPY_ACCELERATORS="" CUPY_CACHE_DIR="$work/cache/cupy" KUDZU_DEVICES="${KUDZU_DEVICES:-2}"
# The tests lie beside the sources of the package, which are not to be imported.
tests_folder=$work/$client-tests
[ -d "$tests_folder" ] || cp -r "$sources/tests" "$tests_folder" || fail "no tests"
cd "$tests_folder" || exit 1
[ $# -gt 0 ] || set -- $(for t in elementwise userkernel reduction raw carray function scan flags; do
    echo cupy_tests/core_tests/test_$t.py; done) cupy_tests/creation_tests cupyx_tests/jit_tests/test_cooperative_groups.py
tests "$@" -n "$jobs" --timeout 900 --max-worker-restart 1000
report $version
