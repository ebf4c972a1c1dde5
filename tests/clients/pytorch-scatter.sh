#!/bin/sh
# torch_scatter 2.1.2, an extension of PyTorch in CUDA C++, as its setup.py builds it, with its own tests on the CPU and on "cuda".
# PYTORCH_SCATTER_SOURCE: a checkout of https://github.com/rusty1s/pytorch_scatter. Its headers include Thrust's: CCCL_SOURCE.
. "$(dirname "$0")/common.sh"
version=648dda3cf964731ffb4de11eafc445a83133eda4
. "$clients/torch/environment.sh"
add_cccl
sources PYTORCH_SCATTER_SOURCE https://github.com/rusty1s/pytorch_scatter $version setup.py csrc torch_scatter test
cd "$sources" || exit 1
FORCE_ONLY_CUDA=1 CUDA_ARCHITECTURES=90 MAX_JOBS=$jobs "$python" setup.py build_ext --inplace >> "$log" 2>&1 ||
    fail "it cannot be built"
export PYTHONPATH="$PYTHONPATH:$sources"
tests test -o addopts=
report "$(echo $version | cut -c1-10)"
