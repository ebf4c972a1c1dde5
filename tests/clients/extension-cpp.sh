#!/bin/sh
# PyTorch's own example of an extension in C++ and CUDA, as its setup.py builds it, with its own tests on the CPU and on "cuda".
# EXTENSION_CPP_SOURCE: a checkout of https://github.com/pytorch/extension-cpp. Its headers include Thrust's: CCCL_SOURCE.
. "$(dirname "$0")/common.sh"
version=0ec4969c7bc8e15a8456e5eb9d9ca0a7ec15bc95
. "$clients/torch/environment.sh"
add_cccl
add_packages expecttest==0.3.0 psutil==7.2.2
sources EXTENSION_CPP_SOURCE https://github.com/pytorch/extension-cpp $version README.md setup.py extension_cpp test
cd "$sources" || exit 1
CUDA_ARCHITECTURES=90 MAX_JOBS=$jobs "$python" setup.py build_ext --inplace >> "$log" 2>&1 || fail "it cannot be built"
export PYTHONPATH="$PYTHONPATH:$sources"
tests test
report "$(echo $version | cut -c1-10)"
