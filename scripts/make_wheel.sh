#!/bin/sh
# Builds the wheel in a root of Debian 11 of its own: what is made there runs with glibc 2.28 and later
# (scripts/wheel.py sees to that). As root. Takes 2 GB, and 20 minutes on two cores the first time.
# usage: make_wheel.sh FOLDER DIST [jobs]    FOLDER: for the root and the build; DIST: for the wheel
set -eu

[ $# -ge 2 ] || { echo "usage: make_wheel.sh FOLDER DIST [jobs]" >&2; exit 2; }
source=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$1" "$2"
folder=$(cd "$1" && pwd)
dist=$(cd "$2" && pwd)
jobs=${3:-$(nproc)}
root=$folder/root
version=$(sed -n 's/^project(kudzu VERSION \([0-9.]*\).*/\1/p' "$source/CMakeLists.txt")

in_root() {
    "$source/scripts/debian_root.sh" bullseye "$root" sh -euc "$1" sh "$jobs"
}

# Debian 11 has LLVM 19 among its security updates, but for lld, whose archive comes from Debian 12, and
# its CMake is too old.
if [ ! -e "$root/packages" ]; then
    in_root 'true'
    python3 -m pip download -q --no-deps --only-binary=:all: --platform manylinux2014_x86_64 \
        -d "$folder/cmake" 'cmake<4'
    mkdir -p "$root/opt/cmake"
    python3 -m zipfile -e "$folder"/cmake/cmake-*.whl "$root/opt/cmake"
    chmod +x "$root"/opt/cmake/cmake/data/bin/*
    in_root '
        list=/etc/apt/sources.list.d/kudzu.list
        echo "deb http://deb.debian.org/debian bookworm main" >$list
        apt-get update -q
        mkdir -p /opt/lld && cd /opt/lld
        apt-get download -q liblld-19/bookworm liblld-19-dev/bookworm
        for deb in *.deb; do dpkg-deb -x "$deb" .; done
        echo "deb http://deb.debian.org/debian-security bullseye-security main" >$list
        apt-get update -q
        DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends \
            binutils clang-19 g++ libc6-dev libclang-19-dev libclang-rt-19-dev libxxhash-dev \
            libzstd-dev llvm-19-dev ninja-build pkg-config python3 zlib1g-dev
        touch /packages'
fi
# LLVM's OpenMP runtime for host code: Debian 11 has none of 19, and Debian 12's needs a newer glibc.
if [ ! -e "$root/opt/openmp/complete" ]; then
    in_root '
        list=/etc/apt/sources.list.d/kudzu.list
        echo "deb-src http://deb.debian.org/debian bookworm main" >>$list
        apt-get update -q
        apt-get install -y -q --no-install-recommends xz-utils
        rm -rf /opt/openmp
        mkdir -p /opt/openmp && cd /opt/openmp
        apt-get source -q --download-only llvm-toolchain-19/bookworm
        tar -xJf llvm-toolchain-19_*.orig.tar.xz --strip-components=1 --no-wildcards-match-slash \
            --wildcards "*/openmp" "*/cmake"
        rm llvm-toolchain-19_*
        PATH=/opt/cmake/cmake/data/bin:$PATH
        cmake -G Ninja -S openmp -B out -DCMAKE_BUILD_TYPE=Release \
            -DCMAKE_C_COMPILER=clang-19 -DCMAKE_CXX_COMPILER=clang++-19 -DLIBOMP_OMPD_SUPPORT=OFF \
            -DCMAKE_SHARED_LINKER_FLAGS="--rtlib=compiler-rt --unwindlib=libgcc -static-libgcc"
        ninja -C out -j "$1" omp
        touch complete'
fi
"$source/scripts/direction_numbers.sh" "$root/out/direction-numbers"

in_root '
    export PATH=/opt/cmake/cmake/data/bin:$PATH
    cmake -G Ninja -S /kudzu -B /out -DCMAKE_BUILD_TYPE=Release -DKUDZU_PORTABLE=ON -DKUDZU_TESTS=OFF \
        -DCMAKE_C_COMPILER=clang-19 -DCMAKE_CXX_COMPILER=clang++-19 \
        -DLLD_DIR=/opt/lld/usr/lib/llvm-19/lib -DCMAKE_INSTALL_PREFIX=/toolkit
    ninja -C /out -j "$1"
    rm -rf /out/stage
    DESTDIR=/out/stage cmake --install /out --strip >/dev/null
    cd /opt/openmp/out/runtime/src
    install -s -m 755 libomp.so /out/stage/toolkit/lib
    install -m 644 omp.h omp-tools.h ompx.h /out/stage/toolkit/lib/clang/19/include'
python3 -B "$source/scripts/wheel.py" "$root/out/stage/toolkit" "$version" "$dist"
