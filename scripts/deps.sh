#!/bin/sh
# Installs the Debian packages that kudzu needs, those alone that are missing.
# usage: deps.sh [build|bench|aarch64]...   (default: build)
set -eu

build="gcc g++ libc6-dev cmake ninja-build python3 clang-19 lld-19 llvm-19-dev libclang-19-dev
       libclang-rt-19-dev libomp-19-dev pkg-config libzstd-dev zlib1g-dev libxxhash-dev libmpfr-dev"
bench="pocl-opencl-icd ocl-icd-opencl-dev opencl-headers libdnnl2"
# Runs what is built for 64-bit Arm; the libraries for that come by scripts/sysroot.sh.
aarch64="qemu-user"

packages=""
for set in "${@:-build}"; do
    case $set in
    build) packages="$packages $build" ;;
    bench) packages="$packages $bench" ;;
    aarch64) packages="$packages $aarch64" ;;
    *) echo "deps.sh: unknown set '$set' (build, bench or aarch64)" >&2; exit 2 ;;
    esac
done

missing=""
for p in $packages; do
    state=$(dpkg-query -W -f='${Status}' "$p" 2>/dev/null || true)
    [ "$state" = "install ok installed" ] || missing="$missing $p"
done
[ -n "$missing" ] || exit 0

echo "installing:$missing"
as_root=""
if [ "$(id -u)" != 0 ]; then
    if ! command -v sudo >/dev/null; then
        echo "deps.sh: please run as root: apt-get install -y$missing" >&2
        exit 1
    fi
    as_root=sudo
fi
export DEBIAN_FRONTEND=noninteractive
$as_root apt-get update -q
# shellcheck disable=SC2086
$as_root apt-get install -y -q --no-install-recommends $missing
