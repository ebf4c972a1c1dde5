#!/bin/sh
# Triton's own tests of its language and its run time, without those of cuBLAS.
# TRITON_SOURCE: a checkout of https://github.com/triton-lang/triton.
. "$(dirname "$0")/common.sh"
version=3.9.0
. "$clients/torch/environment.sh"
add_packages cloudpickle==3.1.3 expecttest==0.3.0
sources TRITON_SOURCE https://github.com/triton-lang/triton 63068fcc274cd152fb34abe1bcab10e5078b0df5 \
    pytest.ini python/conftest.py python/test
link_libdevice
cd "$sources/python/test/unit" || exit 1
[ $# -gt 0 ] || set -- language runtime --ignore runtime/test_blaslt.py
tests -p kudzu_torch "$@" -n "$jobs" --max-worker-restart 100000 --timeout 600 --tb native
report $version
