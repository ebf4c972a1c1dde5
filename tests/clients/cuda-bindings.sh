#!/bin/sh
# The wheel of cuda-bindings with the tests of its repository: driver, NVRTC, nvJitLink, libNVVM, NVML.
# Its half of the runtime API is NVIDIA's own library, which does not run here; cuda-python.sh tests the
# last version that had its own. CUDA_PYTHON_SOURCE: a checkout of https://github.com/NVIDIA/cuda-python.
. "$(dirname "$0")/common.sh"
version=13.3.1
revision=96c7f518d73e977ca9c9fbfd20f0c1293a479d56
environment cuda-bindings==$version cuda-pathfinder==1.9.1 numpy==2.3.5 pytest==9.1.0 pytest-benchmark==5.2.3 \
    py-cpuinfo pytest-repeat==0.9.4 pytest-timeout==2.4.0 pyglet==2.1.14 iniconfig pluggy pygments packaging
sources CUDA_PYTHON_SOURCE https://github.com/NVIDIA/cuda-python $revision cuda_bindings/tests \
    cuda_bindings/examples cuda_python_test_helpers
cd "$sources/cuda_bindings/tests" || exit 1
export PYTHONPATH="$sources/cuda_python_test_helpers"
[ $# -gt 0 ] || set -- test_basics.py test_cuda.py test_nvrtc.py test_nvjitlink.py test_nvvm.py \
    test_kernelParams.py test_interoperability.py test_utils.py test_version_check.py nvml
for file in "$@"; do # each in a process of its own: a test that fails leaves its context
    tests "$file" --timeout 300
done
report $version
