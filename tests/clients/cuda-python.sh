#!/bin/sh
# cuda-python 12.6, the last version whose wheel has its tests and whose half of the runtime API is
# written on the driver API.
. "$(dirname "$0")/common.sh"
version=12.6.0
environment cuda-python==$version numpy==1.26.4 pytest==8.4.2 pytest-benchmark py-cpuinfo iniconfig pluggy \
    pygments packaging
rm -rf "$work/$client-tests" && mkdir "$work/$client-tests"
cp "$work/$client"/lib/python*/site-packages/cuda/tests/*.py "$work/$client-tests" # not as a package
cd "$work/$client-tests" || exit 1
[ $# -gt 0 ] || set -- test_cuda.py test_cudart.py test_kernelParams.py test_nvrtc.py test_interoperability.py
for file in "$@"; do # each in a process of its own: a test that fails leaves its context
    tests "$file"
done
report $version
