#!/bin/sh
# Installs the packages that kudzu needs, those alone that are missing: on Debian 12 and 13, Ubuntu
# 24.04 (the same names) and Fedora.
# usage: deps.sh [build|bench|deb|aarch64|cross-deb|graphics|mpi]...   (default: build)
set -eu

build="gcc g++ libc6-dev cmake ninja-build python3 clang-19 lld-19 llvm-19-dev libclang-19-dev
       libclang-rt-19-dev libomp-19-dev pkg-config libzstd-dev zlib1g-dev libxxhash-dev libmpfr-dev
       python3-mpmath"
bench="pocl-opencl-icd ocl-icd-opencl-dev opencl-headers libdnnl2"
# What CPack calls to make packages.
deb="dpkg-dev file"
# Runs what is built for 64-bit Arm; the libraries for that come by scripts/sysroot.sh.
aarch64="qemu-user"
# Packages for arm64: what dpkg-shlibdeps reads libraries with.
cross_deb="binutils-aarch64-linux-gnu"
# OpenGL and Vulkan on CPUs, for tests that are skipped without them (about 200 MB with LLVM 15).
graphics="libegl1 libgl1-mesa-dri mesa-vulkan-drivers libvulkan-dev"
# Tests and examples of several ranks are skipped without.
mpi="libopenmpi-dev openmpi-bin libmpich-dev mpich"
# Releases whose LLVM is newer have LLVM 19 beside it, in packages with its number. It is Fedora 41's own.
fedora="gcc gcc-c++ glibc-devel libstdc++-static cmake ninja-build python3 clang19 lld19 llvm19-devel
        llvm19-static clang19-devel compiler-rt19 libomp19-devel pkgconf-pkg-config libzstd-devel
        zlib-devel xxhash-devel mpfr-devel python3-mpmath"

as_root=""
if [ "$(id -u)" != 0 ] && command -v sudo >/dev/null; then
    as_root=sudo
fi

if ! command -v dpkg-query >/dev/null; then
    if command -v dnf >/dev/null; then
        [ "${1:-build}" = build ] || { echo "deps.sh: no names for '$1' on this system" >&2; exit 2; }
        if grep -q '^VERSION_ID="*41"*$' /etc/os-release; then
            fedora=$(echo $fedora | sed 's/19\( \|-\|$\)/\1/g')
        fi
        # shellcheck disable=SC2086
        rpm -q $fedora >/dev/null 2>&1 || $as_root dnf install -y $fedora
        exit 0
    fi
    echo "deps.sh: install what these packages of Debian have:" $build >&2
    exit 1
fi

packages=""
for set in "${@:-build}"; do
    case $set in
    build) packages="$packages $build" ;;
    bench) packages="$packages $bench" ;;
    deb) packages="$packages $deb" ;;
    aarch64) packages="$packages $aarch64" ;;
    cross-deb) packages="$packages $cross_deb" ;;
    graphics) packages="$packages $graphics" ;;
    mpi) packages="$packages $mpi" ;;
    *) echo "deps.sh: unknown set '$set' (build, bench, deb, aarch64, cross-deb, graphics or mpi)" >&2; exit 2 ;;
    esac
done

missing=""
for p in $packages; do
    state=$(dpkg-query -W -f='${Status}' "$p" 2>/dev/null || true)
    [ "$state" = "install ok installed" ] || missing="$missing $p"
done
[ -n "$missing" ] || exit 0

echo "installing:$missing"
if [ "$(id -u)" != 0 ] && [ -z "$as_root" ]; then
    echo "deps.sh: please run as root: apt-get install -y$missing" >&2
    exit 1
fi
export DEBIAN_FRONTEND=noninteractive
$as_root apt-get update -q
# shellcheck disable=SC2086
$as_root apt-get install -y -q --no-install-recommends $missing
