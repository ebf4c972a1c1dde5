#!/bin/sh
# Runs the tests of programs that nobody here wrote on kudzu's libraries, unmodified.
#
# usage: run.sh KUDZU CLIENT CHECKOUT [pytest's arguments]
#
#   KUDZU      an installation, or the build folder
#   CLIENT     tinygrad | pycuda | cuda-python | pynvml
#   CHECKOUT   its sources; PyCUDA's are built here, in place, the first time (with its submodules,
#              boost-python, boost-thread and numpy); of cuda-python: the folder that the wheel of
#              version 12.6 was unpacked into, which has its tests
#
# Needs python3 with numpy and pytest; torch and hypothesis for tinygrad's operators; pytools and
# platformdirs for PyCUDA. docs/clients.md has the results.
set -e
if [ $# -lt 3 ]; then
    sed -n 's/^# \{0,1\}//p' "$0" | sed 1d
    exit 2
fi
kudzu=$(cd "$1" && pwd)
client=$2
checkout=$(cd "$3" && pwd)
shift 3
export LD_LIBRARY_PATH="$kudzu/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
export PYTHONPATH="$checkout"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export XDG_CACHE_HOME="$work/cache"
mkdir "$XDG_CACHE_HOME"

case $client in
tinygrad)
    export DEV=CUDA NVRTC_PATH="$kudzu/lib/libnvrtc.so.12" CACHEDB="$work/tinygrad.db"
    cd "$checkout"
    [ $# -gt 0 ] || set -- test/test_tiny.py test/backend/test_ops.py
    # Its conftest.py, a time limit for each test, needs a newer pytest than distributions have.
    python3 -m pytest --noconftest -p no:cacheprovider "$@"
    ;;
pycuda)
    # A toolkit as PyCUDA looks for one: nvcc is kudzu under that name.
    mkdir "$work/bin"
    ln -s "$kudzu/bin/kudzu" "$work/bin/nvcc"
    ln -s "$kudzu/include" "$work/include"
    ln -s "$kudzu/lib" "$work/lib"
    export PATH="$work/bin:$PATH"
    cd "$checkout"
    if ! ls pycuda/_driver*.so >/dev/null 2>&1; then
        version=$(python3 -c 'import sys; print("%d%d" % sys.version_info[:2])')
        python3 configure.py --cuda-root="$work" --no-cuda-enable-curand --no-use-shipped-boost \
            --boost-python-libname="boost_python$version" --boost-thread-libname=boost_thread
        python3 setup.py build_ext --inplace
    fi
    cd test # not from the top, where the sources would be taken for the package
    [ $# -gt 0 ] || set -- test_driver.py test_cumath.py test_gpuarray.py
    python3 -m pytest -p no:cacheprovider "$@"
    ;;
cuda-python)
    cp "$checkout"/cuda/tests/*.py "$work" # not as parts of the package
    cd "$work"
    [ $# -gt 0 ] || set -- test_cuda.py test_cudart.py test_kernelParams.py test_nvrtc.py \
        test_interoperability.py
    for file in "$@"; do # each in a process of its own: a test that fails leaves its context
        python3 -m pytest -p no:cacheprovider "$file" || failed=1
    done
    exit ${failed:-0}
    ;;
pynvml)
    cd "$checkout"
    [ $# -gt 0 ] || set -- pynvml/tests pynvml_utils/tests
    KUDZU_DEVICES=2 python3 -m pytest -p no:cacheprovider "$@"
    ;;
*)
    echo "run.sh: unknown client: $client (tinygrad, pycuda, cuda-python or pynvml)" >&2
    exit 2
    ;;
esac
