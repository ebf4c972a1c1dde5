#!/bin/sh
# Triton's tutorials: what they compute agrees with PyTorch.
# TRITON_SOURCE: a checkout of https://github.com/triton-lang/triton.
. "$(dirname "$0")/common.sh"
version=3.9.0
. "$clients/torch/environment.sh"
add_packages tabulate==0.9.0
sources TRITON_SOURCE https://github.com/triton-lang/triton 63068fcc274cd152fb34abe1bcab10e5078b0df5 python/tutorials
link_libdevice
export TRITON_TUTORIALS="$sources/python/tutorials"
cd "$clients/triton-tutorials" || exit 1
[ $# -gt 0 ] || set -- test_tutorials.py
tests -p kudzu_torch "$@" -n "$jobs" --max-worker-restart 1000 --timeout 900 --tb native
report $version
