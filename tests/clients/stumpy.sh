#!/bin/sh
# stumpy: its tests on GPUs, through numba-cuda.
. "$(dirname "$0")/common.sh"
version=1.14.1
environment stumpy==$version numba-cuda==0.30.4 numba==0.68.1 llvmlite==0.50.0 numpy==2.3.5 scipy pandas \
    python-dateutil pytz tzdata six polars cuda-bindings==12.9.10 cuda-core==1.2.2 cuda-pathfinder==1.9.1 \
    packaging pytest==8.4.2 pytest-xdist execnet iniconfig pluggy pygments
[ -d "$work/stumpy-$version" ] || {
    "$python" -m pip -q download --no-deps --no-binary :all: stumpy==$version \
        -d "$work" >> "$log" 2>&1
    tar xzf "$work/stumpy-$version.tar.gz" -C "$work" || fail "no sources"
}
cd "$work/stumpy-$version/tests" || exit 1
[ $# -gt 0 ] || set -- test_gpu_*.py
tests "$@" -n "$jobs"
report $version
