#!/bin/sh
# torch-scatter, a CUDA extension of PyTorch, built by its own setup.py: all of its tests.
# SCATTER_SOURCE: a checkout of https://github.com/rusty1s/pytorch_scatter.
. "$(dirname "$0")/common.sh"
version=648dda3
. "$clients/torch/environment.sh"
sources SCATTER_SOURCE https://github.com/rusty1s/pytorch_scatter $version csrc test torch_scatter setup.py setup.cfg
cd "$sources" || exit 1
ls torch_scatter/_scatter_cuda*.so > /dev/null 2>&1 ||
    FORCE_CUDA=1 MAX_JOBS=$jobs "$python" setup.py build_ext --inplace >> "$log" 2>&1 || fail "it does not compile"
export PYTHONPATH="$PYTHONPATH:$sources"
[ $# -gt 0 ] || set -- test
tests -p kudzu_torch --override-ini addopts= "$@" -n "$jobs" --max-worker-restart 1000 --timeout 600
report $version
