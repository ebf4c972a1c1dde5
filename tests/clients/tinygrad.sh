#!/bin/sh
# tinygrad: tests on its CUDA device. PyTorch's operators on the CPU are what they compare with.
# TINYGRAD_SOURCE: a checkout of https://github.com/tinygrad/tinygrad.
. "$(dirname "$0")/common.sh"
version=0.13.0
. "$clients/torch/environment.sh"
add_packages tinygrad==$version hypothesis==6.170.17 sortedcontainers==2.4.0 attrs==26.1.0 tqdm==4.70.1
sources TINYGRAD_SOURCE https://github.com/tinygrad/tinygrad v$version test extra
export TORCH_DEVICE_BACKEND_AUTOLOAD=0 CUDA_PATH="$kudzu" CUDA_HOME="$kudzu"
export DEV=CUDA CUDA=1 CACHEDB="$work/tinygrad.db" PYTHONPATH="$PYTHONPATH:$sources"
cd "$sources" || exit 1
[ $# -gt 0 ] || set -- test/test_tiny.py
tests --noconftest "$@" -n "$jobs" --timeout 600 --timeout-method thread --max-worker-restart 1000
report $version
