#!/bin/sh
# Taichi's tests on its CUDA back end. TAICHI_SOURCE: a checkout of https://github.com/taichi-dev/taichi.
. "$(dirname "$0")/common.sh"
version=1.7.4
environment taichi==$version numpy==1.26.4 colorama rich markdown-it-py mdurl pygments dill pytest==8.4.2 \
    pytest-xdist execnet pytest-rerunfailures pytest-timeout iniconfig pluggy packaging
sources TAICHI_SOURCE https://github.com/taichi-dev/taichi v$version tests
export TI_WANTED_ARCHS=cuda TI_OFFLINE_CACHE=0
cd "$sources/tests/python" || exit 1
[ $# -gt 0 ] || set -- test_abs.py test_arg_load.py test_assert.py test_atomic.py test_basics.py test_cast.py \
    test_continue.py test_div.py test_fill.py test_for_break.py
tests "$@" -n "$jobs" --timeout 600
report $version
