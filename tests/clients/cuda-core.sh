#!/bin/sh
# The wheel of cuda.core with the tests of its repository, but for those of Cython, of examples and of
# its build. CUDA_PYTHON_SOURCE: a checkout of https://github.com/NVIDIA/cuda-python.
. "$(dirname "$0")/common.sh"
version=1.2.2
revision=cb56ab9f9ae3b4a0ef19666697336945925589a5
environment cuda-core==$version cuda-bindings==13.5.0 cuda-pathfinder==1.9.1 numpy==2.3.5 ml-dtypes==0.5.4 \
    cloudpickle==3.1.2 psutil==7.2.2 cffi==2.0.0 pycparser pytest==9.1.0 pytest-benchmark==5.2.3 py-cpuinfo \
    pytest-repeat==0.9.4 pytest-rerunfailures==16.3 pytest-timeout==2.4.0 iniconfig pluggy pygments packaging
sources CUDA_PYTHON_SOURCE https://github.com/NVIDIA/cuda-python $revision cuda_core/tests \
    cuda_python_test_helpers
cd "$sources/cuda_core/tests" || exit 1
export PYTHONPATH="$sources/cuda_python_test_helpers"
[ $# -gt 0 ] || set -- graph memory memory_ipc system $(ls test_*.py | grep -v test_build_hooks)
for file in "$@"; do # each in a process of its own: a test that fails leaves its context
    tests "$file" --timeout 300
done
report $version
