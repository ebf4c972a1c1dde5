#!/bin/sh
# Every function that nvidia-ml-py, NVML's Python interface, looks for in the library (nvidia-ml-py/test_names.py).
# NVIDIA_ML_PY_VERSION: another version than the one pinned.
. "$(dirname "$0")/common.sh"
version=${NVIDIA_ML_PY_VERSION:-13.615.71}
environment nvidia-ml-py==$version pytest==8.4.2 iniconfig pluggy pygments packaging
[ $# -gt 0 ] || set -- "$clients/nvidia-ml-py"
export KUDZU_DEVICES=2
tests "$@"
report $version
