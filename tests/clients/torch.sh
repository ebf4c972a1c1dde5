#!/bin/sh
# PyTorch's wheel on device "cuda" by kudzu.torch: torch/test_*.py. Its headers include Thrust's.
# CCCL_SOURCE: a checkout of https://github.com/NVIDIA/cccl, or a bare repository.
. "$(dirname "$0")/common.sh"
version=2.15.0
. "$clients/torch/environment.sh"
add_cccl
cd "$clients/torch" || exit 1
[ $# -gt 0 ] || set -- test_eager.py test_models.py test_mix.py
tests "$@" --timeout 900 --show-capture=no
report $version
