#!/bin/sh
# Unpacks Debian's headers and libraries of another architecture into a folder, for cross builds.
# Nothing is installed: the system's packages and its list of architectures stay as they are.
# usage: sysroot.sh ARCHITECTURE FOLDER
set -eu

arch=$1
mkdir -p "$2"
root=$(cd "$2" && pwd)
packages="libc6 libc6-dev linux-libc-dev libgcc-s1 libgcc-12-dev libstdc++6 libstdc++-12-dev
          libzstd1 libzstd-dev libxxhash0 libxxhash-dev"
[ ! -e "$root/complete" ] || exit 0

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/lists/partial" "$work/cache/archives/partial" "$work/debs"
: >"$work/status"
# apt with lists and a state of its own, which need no rights.
apt() {
    apt-get -q -o APT::Architecture="$arch" -o APT::Architectures::="$arch" \
        -o Dir::State::lists="$work/lists" -o Dir::State::status="$work/status" \
        -o Dir::Cache="$work/cache" -o Debug::NoLocking=1 -o Acquire::Languages=none \
        -o Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=false -o APT::Sandbox::User= "$@"
}
apt update
# shellcheck disable=SC2086
(cd "$work/debs" && apt download $packages)
for deb in "$work"/debs/*.deb; do
    dpkg-deb -x "$deb" "$root"
done
touch "$root/complete"
