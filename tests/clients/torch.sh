#!/bin/sh
# PyTorch's wheel on device "cuda" by kudzu.torch: torch/test_*.py.
. "$(dirname "$0")/common.sh"
version=2.15.0
. "$clients/torch/environment.sh"
cd "$clients/torch" || exit 1
[ $# -gt 0 ] || set -- test_eager.py test_models.py test_mix.py
tests "$@" --timeout 900 --show-capture=no
report $version
