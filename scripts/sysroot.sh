#!/bin/sh
# Unpacks Debian's headers and libraries of another architecture or release into a folder, for cross
# builds and to compile against another C library. Nothing is installed: the system's packages and
# its list of architectures stay as they are.
# usage: sysroot.sh ARCHITECTURE FOLDER [SUITE GCC]
# SUITE: another release of Debian or Ubuntu, headers alone; GCC: whose C++ library.
set -eu

arch=$1
mkdir -p "$2"
root=$(cd "$2" && pwd)
suite=${3-}
gcc=${4-12}
packages="libc6-dev linux-libc-dev libgcc-$gcc-dev libstdc++-$gcc-dev"
[ -n "$suite" ] || packages="$packages libc6 libgcc-s1 libstdc++6 libzstd1 libzstd-dev
                             libxxhash0 libxxhash-dev"
[ ! -e "$root/complete" ] || exit 0

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/lists/partial" "$work/cache/archives/partial" "$work/debs"
: >"$work/status"
# apt with lists and a state of its own, which need no rights.
apt() {
    apt-get -q ${suite:+-o Dir::Etc::sourcelist="$work/sources.list" -o Dir::Etc::sourceparts=-} \
        -o APT::Architecture="$arch" -o APT::Architectures::="$arch" \
        -o Dir::State::lists="$work/lists" -o Dir::State::status="$work/status" \
        -o Dir::Cache="$work/cache" -o Debug::NoLocking=1 -o Acquire::Languages=none \
        -o Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=false -o APT::Sandbox::User= "$@"
}
use_release() { # suite, keys, archive and its parts
    echo "deb [signed-by=$2] $3 $1 $4" >"$work/sources.list"
    apt update
}
debian_keys=/usr/share/keyrings/debian-archive-keyring.gpg
case $suite in
"") apt update ;;
bionic | focal | jammy | noble)
    "$(dirname "$0")/ubuntu_keys.sh" "$work/ubuntu-keys.gpg"
    use_release "$suite" "$work/ubuntu-keys.gpg" http://archive.ubuntu.com/ubuntu "main universe"
    ;;
*) use_release "$suite" $debian_keys http://deb.debian.org/debian main ;;
esac
# shellcheck disable=SC2086
(cd "$work/debs" && apt download $packages)
for deb in "$work"/debs/*.deb; do
    dpkg-deb -x "$deb" "$root"
done
touch "$root/complete"
