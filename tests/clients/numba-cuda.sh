#!/bin/sh
# numba-cuda: its own tests, which the wheel has; pytest's settings are in the sources.
# NUMBA_CUDA_SOURCE: a checkout of https://github.com/NVIDIA/numba-cuda.
. "$(dirname "$0")/common.sh"
version=0.30.4
environment numba-cuda==$version numba==0.68.1 llvmlite==0.50.0 numpy==2.3.5 cuda-bindings==12.9.10 \
    cuda-core==1.2.2 cuda-pathfinder==1.9.1 packaging cffi pycparser psutil ml_dtypes filecheck \
    typing_extensions pytest==8.4.2 pytest-xdist execnet pytest-timeout pytest-benchmark py-cpuinfo \
    iniconfig pluggy pygments
sources NUMBA_CUDA_SOURCE https://github.com/NVIDIA/numba-cuda v$version testing
cd "$sources/testing" || exit 1
[ $# -gt 0 ] || set -- numba.cuda.tests.cudapy numba.cuda.tests.cudadrv numba.cuda.tests.nrt \
    numba.cuda.tests.nocuda numba.cuda.tests.doc_examples
tests -c pytest.ini --override-ini addopts=--benchmark-disable --pyargs "$@" -n "$jobs" --timeout 600
report $version
