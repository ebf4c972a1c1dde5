#!/bin/sh
# NVIDIA's Warp, built from its sources with `kudzu cc` as nvcc, by its own tests of kernels on the device. MathDx is
# left out. Its compiler for kernels on the CPU is linked with the distribution's LLVM 22 where that is installed (Debian:
# libclang-22-dev), in place of the one that Warp fetches; CLIENT_LLVM names another folder of it. WARP_SOURCE: a checkout of https://github.com/NVIDIA/warp.
# It includes CUB: CCCL_SOURCE. Files of tests are named from its folder warp/tests.
. "$(dirname "$0")/common.sh"
version=9934a4eb2c503399140daab09d256ccc7236d1d8
environment numpy==2.3.5 pytest==8.4.2 pytest-timeout==2.4.0 iniconfig pluggy pygments packaging
add_cccl
sources WARP_SOURCE https://github.com/NVIDIA/warp $version VERSION.md build_lib.py build_llvm.py warp
cd "$sources" || exit 1
[ -e "$sources/warp/bin/warp.so" ] ||
    "$python" build_lib.py --quick --no-standalone --no-use-libmathdx --use-dynamic-cuda --cuda-path "$kudzu" \
        -j "$jobs" >> "$log" 2>&1 || fail "Warp cannot be built"
llvm=${CLIENT_LLVM:-/usr/lib/llvm-22}
if [ ! -e "$sources/warp/bin/warp-clang.so" ] && [ -d "$llvm/include/clang" ]; then
    (cd warp/native && g++ -std=c++17 -O1 -w -fPIC -shared -fno-rtti -fvisibility=hidden -DNDEBUG -DWP_ENABLE_DEBUG=0 \
        -DWP_ENABLE_CUDA=0 -DWP_ENABLE_MATHDX=0 -DWP_ENABLE_CUDA_COMPATIBILITY=0 -I. -I"$llvm/include" \
        clang/clang.cpp crt.cpp -o "$sources/warp/bin/warp-clang.so" -L"$llvm/lib" -Wl,-rpath,"$llvm/lib" \
        -lclang-cpp -lLLVM) >> "$log" 2>&1 || fail "Warp's compiler for the CPU cannot be built"
fi
export WARP_CACHE_PATH="$work/cache/warp" PYTHONPATH="$sources"
[ $# -gt 0 ] || set -- test_array.py test_atomic.py test_launch.py test_quat.py test_rand.py test_struct.py \
    geometry/test_bvh.py geometry/test_hash_grid.py tile/test_tile_reduce.py
cd "$sources/warp/tests" || exit 1
for file in "$@"; do
    tests "$file" -o python_functions=none_ --timeout 1800 # functions take a device: classes call them
done
report "$(echo $version | cut -c1-10)"
