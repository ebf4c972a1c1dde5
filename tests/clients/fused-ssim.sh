#!/bin/sh
# fused-ssim, an extension of PyTorch in CUDA C++ that Gaussian splatting trains with, as its setup.py builds it.
# FUSED_SSIM_SOURCE: a checkout of https://github.com/rahul-goel/fused-ssim. Its headers include Thrust's: CCCL_SOURCE.
. "$(dirname "$0")/common.sh"
version=0ac916a05f48f8e477dc8ce1651a346b65ce2072
. "$clients/torch/environment.sh"
add_cccl
sources FUSED_SSIM_SOURCE https://github.com/rahul-goel/fused-ssim $version setup.py ext.cpp ssim.cu ssim.h ssim3d.cu \
    ssim3d.h fused_ssim
cd "$sources" || exit 1
CUDA_ARCHITECTURES=90 MAX_JOBS=$jobs "$python" setup.py build_ext --inplace >> "$log" 2>&1 || fail "it cannot be built"
export PYTHONPATH="$PYTHONPATH:$sources"
tests "$clients/fused-ssim"
report "$(echo $version | cut -c1-10)"
