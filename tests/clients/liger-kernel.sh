#!/bin/sh
# Liger-Kernel, a collection of Triton kernels: its tests of single kernels.
# LIGER_SOURCE: a checkout of https://github.com/linkedin/Liger-Kernel.
. "$(dirname "$0")/common.sh"
version=ead96b61
. "$clients/torch/environment.sh"
sources LIGER_SOURCE https://github.com/linkedin/Liger-Kernel $version src pyproject.toml test/__init__.py \
    test/conftest.py test/utils.py test/transformers
export PYTHONPATH="$PYTHONPATH:$sources/src"
cd "$sources" || exit 1
[ $# -gt 0 ] || set -- test/transformers/test_softmax.py test/transformers/test_rms_norm.py \
    test/transformers/test_layer_norm.py test/transformers/test_swiglu.py test/transformers/test_rope.py
tests -p kudzu_torch "$@" -n "$jobs" --max-worker-restart 1000 --timeout 600
report $version
