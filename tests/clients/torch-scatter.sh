#!/bin/sh
# torch-scatter, a project of CUDA extensions for PyTorch: built by its setup.py, its own tests.
# SCATTER_SOURCE: a checkout of https://github.com/rusty1s/pytorch_scatter, or a bare repository.
. "$(dirname "$0")/common.sh"
version=2.1.2
. "$clients/torch/environment.sh"
sources SCATTER_SOURCE https://github.com/rusty1s/pytorch_scatter $version .
cd "$sources" || exit 1
[ -e built ] || {
    FORCE_ONLY_CUDA=1 MAX_JOBS=$jobs "$python" setup.py build_ext --inplace >> "$log" 2>&1 || fail "it cannot be built"
    : > built
}
export PYTHONPATH="$sources:$PYTHONPATH"
[ $# -gt 0 ] || set -- test
tests -p kudzu_torch "$@" -o addopts= --timeout 900
report $version
