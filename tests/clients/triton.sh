#!/bin/sh
# Triton's own tests of its language and its run time, at the revision that is nearest to the wheel. Two files
# compare with cuBLASLt: PyTorch's products stand in for it in one, the other tests nothing else.
# TRITON_SOURCE: a checkout of https://github.com/triton-lang/triton.
. "$(dirname "$0")/common.sh"
version=3.8.0
. "$clients/torch/environment.sh"
add_packages triton==$version cloudpickle==3.1.3 expecttest==0.3.0
sources TRITON_SOURCE https://github.com/triton-lang/triton 726c31b7a7fab4ee4c13948ae99cfd3cf896d143 \
    pytest.ini python/test
link_libdevice
cd "$sources/python/test/unit" || exit 1
[ $# -gt 0 ] || set -- language runtime --ignore runtime/test_blaslt.py
tests -p kudzu_torch -p triton_products "$@" -n "$jobs" --max-worker-restart 100000 --timeout 600 \
    --timeout-method thread --tb native
report $version
