#!/bin/sh
# Builds the wheel for 64-bit Arm on x86-64, with clang and lld of this system: LLVM's archives of Debian 12,
# glibc of Debian 11, so that what is made runs with glibc 2.28 and later (scripts/wheel.py sees to that).
# On Debian 12. Nothing is installed but what a build needs.
# usage: make_wheel_arm64.sh BUILD FOLDER DIST [jobs [STAGE]]
# BUILD: kudzu for this machine; FOLDER: for libraries and the build; DIST: for the wheel. STAGE: the last one that
# is wanted, of libraries, openmp, code, wheel. What was done stays in FOLDER: a call goes on where the one before ended
# or was stopped, and says of each stage how long it took.
set -eu

[ $# -ge 3 ] || { echo "usage: make_wheel_arm64.sh BUILD FOLDER DIST [jobs [STAGE]]" >&2; exit 2; }
source=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$2" "$3"
build=$(cd "$1" && pwd)
folder=$(cd "$2" && pwd)
dist=$(cd "$3" && pwd)
jobs=${4:-$(nproc)}
last=${5:-wheel}
case $last in libraries | openmp | code | wheel) ;; *) echo "make_wheel_arm64.sh: no stage $last" >&2; exit 2 ;; esac
sysroot=$folder/sysroot
version=$(sed -n 's/^project(kudzu VERSION \([0-9.]*\).*/\1/p' "$source/CMakeLists.txt")

begun=$(date +%s)
ended() { # the stage
    now=$(date +%s)
    echo "$1: $((now - begun)) s"
    begun=$now
    [ "$1" != "$last" ] || exit 0
}

# ---- Libraries -------------------------------------------------------------------------------

if [ ! -e "$folder/complete" ]; then
    "$source/scripts/sysroot.sh" -c arm64 "$sysroot" bookworm 12 liblld-19 liblld-19-dev
    "$source/scripts/sysroot.sh" arm64 "$folder/older" bullseye 10 libc6 libgcc-s1 zlib1g zlib1g-dev
    # The C library's files replace the newer one's. What unwinds stacks would ask that one; the C++ library
    # would as well, and is linked in.
    rm -rf "$folder/older/usr/include/c++"
    for place in lib/aarch64-linux-gnu usr/lib/aarch64-linux-gnu usr/include; do
        cp -a --remove-destination "$folder/older/$place/." "$sysroot/$place/"
    done
    cp --remove-destination "$folder/older/usr/lib/gcc/aarch64-linux-gnu/10/libgcc_eh.a" "$sysroot/usr/lib/gcc/aarch64-linux-gnu/12/"
    rm -f "$sysroot/usr/lib/gcc/aarch64-linux-gnu/12/libstdc++.so"
    touch "$folder/complete"
fi
ended libraries

# ---- LLVM's OpenMP runtime for host code -----------------------------------------------------

flags="-fuse-ld=lld --rtlib=compiler-rt --unwindlib=libgcc -static-libgcc"
flags="$flags -resource-dir=$sysroot/usr/lib/llvm-19/lib/clang/19"
if [ ! -e "$folder/openmp/complete" ]; then
    rm -rf "$folder/openmp"
    mkdir -p "$folder/openmp/lists/partial"
    (
        cd "$folder/openmp"
        keys=/usr/share/keyrings/debian-archive-keyring.gpg
        echo "deb-src [signed-by=$keys] http://deb.debian.org/debian bookworm main" >sources.list
        apt="apt-get -q -o Dir::Etc::sourcelist=$PWD/sources.list -o Dir::Etc::sourceparts=-
            -o Dir::State::lists=$PWD/lists -o Debug::NoLocking=1 -o APT::Sandbox::User="
        $apt update
        $apt source --download-only llvm-toolchain-19
        tar -xJf llvm-toolchain-19_*.orig.tar.xz --strip-components=1 --no-wildcards-match-slash \
            --wildcards "*/openmp" "*/cmake"
        rm llvm-toolchain-19_*
        cmake -G Ninja -S openmp -B out -DCMAKE_BUILD_TYPE=Release -DCMAKE_SYSTEM_NAME=Linux \
            -DCMAKE_SYSTEM_PROCESSOR=aarch64 -DCMAKE_SYSROOT="$sysroot" -DCMAKE_C_COMPILER=clang-19 \
            -DCMAKE_CXX_COMPILER=clang++-19 -DCMAKE_ASM_COMPILER=clang-19 \
            -DCMAKE_C_COMPILER_TARGET=aarch64-linux-gnu -DCMAKE_CXX_COMPILER_TARGET=aarch64-linux-gnu \
            -DCMAKE_ASM_COMPILER_TARGET=aarch64-linux-gnu -DLIBOMP_OMPD_SUPPORT=OFF \
            -DCMAKE_EXE_LINKER_FLAGS="$flags" -DCMAKE_SHARED_LINKER_FLAGS="$flags"
        ninja -C out -j "$jobs" omp
        touch complete
    )
fi
ended openmp

# ---- kudzu -----------------------------------------------------------------------------------

cmake -G Ninja -S "$source" -B "$folder/out" -DCMAKE_TOOLCHAIN_FILE="$source/cmake/aarch64.cmake" \
    -DKUDZU_SYSROOT="$sysroot" -DKUDZU_COMPILER=ON -DKUDZU_NATIVE="$build/bin/kudzu" \
    -DCMAKE_BUILD_TYPE=Release -DKUDZU_PORTABLE=ON -DKUDZU_TESTS=OFF -DCMAKE_INSTALL_PREFIX=/toolkit
ninja -C "$folder/out" -j "$jobs"
ended code

# ---- The wheel -------------------------------------------------------------------------------

rm -rf "$folder/stage"
DESTDIR="$folder/stage" cmake --install "$folder/out" --strip >/dev/null
cd "$folder/openmp/out/runtime/src"
install -s --strip-program=llvm-strip-19 -m 755 libomp.so "$folder/stage/toolkit/lib"
install -m 644 omp.h omp-tools.h ompx.h "$folder/stage/toolkit/lib/clang/19/include"
python3 -B "$source/scripts/wheel.py" "$folder/stage/toolkit" "$version" "$dist"
ended wheel
