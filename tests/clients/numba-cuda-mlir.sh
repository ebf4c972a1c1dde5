#!/bin/sh
# numba-cuda-mlir, by its own tests.
# NUMBA_CUDA_MLIR_SOURCE: a checkout of https://github.com/NVIDIA/numba-cuda-mlir.
. "$(dirname "$0")/common.sh"
version=0.5.0
environment numba-cuda-mlir==$version numpy==2.3.5 typing_extensions cuda-bindings==12.9.10 cuda-core==1.2.2 \
    cuda-pathfinder==1.9.1 pytest==8.4.2 pytest-xdist execnet pytest-timeout pytest-benchmark py-cpuinfo \
    pytest-rerunfailures pytest-subtests attrs iniconfig pluggy pygments packaging psutil cffi pycparser \
    ml_dtypes filecheck
sources NUMBA_CUDA_MLIR_SOURCE https://github.com/NVIDIA/numba-cuda-mlir v$version tests pyproject.toml
cd "$sources" || exit 1
[ $# -gt 0 ] || set -- tests
tests "$@" --benchmark-disable -n "$jobs" --timeout 600
report $version
