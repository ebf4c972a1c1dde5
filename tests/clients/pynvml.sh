#!/bin/sh
# nvidia-ml-py, NVML's Python interface, by the tests of pynvml 13.0.1, which have moved to it.
# PYNVML_SOURCE: a checkout of https://github.com/gpuopenanalytics/pynvml.
. "$(dirname "$0")/common.sh"
version=13.615.71
environment nvidia-ml-py==$version pytest==8.4.2 iniconfig pluggy pygments packaging
sources PYNVML_SOURCE https://github.com/gpuopenanalytics/pynvml 13.0.1 pynvml_utils
cd "$sources" || exit 1
[ $# -gt 0 ] || set -- pynvml_utils/tests
export KUDZU_DEVICES=2 PYTHONPATH="$sources"
tests "$@"
report $version
