#!/bin/sh
# tinygrad: tests on its CUDA device. TINYGRAD_SOURCE: a checkout of https://github.com/tinygrad/tinygrad.
. "$(dirname "$0")/common.sh"
version=0.14.0
environment tinygrad==$version numpy==2.3.5 hypothesis sortedcontainers attrs tqdm pytest==8.4.2 \
    pytest-xdist execnet pytest-timeout iniconfig pluggy pygments packaging
# The processor's PyTorch is what tests of operators compare with.
"$python" -c 'import torch' 2>/dev/null ||
    "$python" -m pip -q install torch==2.8.0 --index-url https://download.pytorch.org/whl/cpu >> "$log" 2>&1
sources TINYGRAD_SOURCE https://github.com/tinygrad/tinygrad v$version test
export DEV=CUDA CUDA=1 CACHEDB="$work/tinygrad.db" PYTHONPATH="$sources"
cd "$sources" || exit 1
[ $# -gt 0 ] || set -- test/test_tiny.py
tests --noconftest "$@" -n "$jobs" --timeout 600
report $version
