#!/bin/bash
# Runs a command in a fresh root of Debian 12 for 64-bit Arm, by qemu-user: the first time its packages
# are unpacked, those that kudzu's packages need among them (950 MB; their scripts are not run). The checkout
# is seen there as /kudzu, read-only. The system is left as it is: that programs for arm64 run by qemu holds in
# a user namespace of its own. As root, on Linux 6.7 or later (exit 77: that is not so).
# usage: arm64_root.sh FOLDER COMMAND...
set -eu

[ $# -ge 2 ] || { echo "usage: arm64_root.sh FOLDER COMMAND..." >&2; exit 2; }
[ "$(id -u)" = 0 ] || { echo "arm64_root.sh: a root is made by root alone" >&2; exit 1; }
mkdir -p "$1"
folder=$(cd "$1" && pwd)
scripts=$(cd "$(dirname "$0")" && pwd)
root=$folder/root
shift

packages=g++,clang-19,lld-19,python3-pip
if [ "$(cat "$folder/complete" 2>/dev/null)" != "$packages" ]; then
    command -v debootstrap >/dev/null || {
        export DEBIAN_FRONTEND=noninteractive
        apt-get update -q && apt-get install -y -q --no-install-recommends debootstrap
    }
    rm -rf "$root" "$folder/qemu"
    debootstrap --foreign --arch=arm64 --variant=minbase --include="$packages" bookworm "$root" \
        http://deb.debian.org/debian >"$folder/log" || { cat "$folder/log" >&2; exit 1; }
    for deb in "$root"/var/cache/apt/archives/*.deb; do
        dpkg-deb -x "$deb" "$root"
    done
    "$scripts/dpkg_database.sh" "$root" arm64 "" "$root"/var/cache/apt/archives/*.deb
    # What the scripts of packages would have made.
    ln -sf g++-12 "$root/usr/bin/g++"
    echo "root:x:0:0:root:/root:/bin/sh" >"$root/etc/passwd"
    echo "root:x:0:" >"$root/etc/group"
    # A static qemu, which needs nothing of the root that it runs programs of.
    mkdir -p "$folder/qemu"
    (cd "$folder/qemu" && apt-get download -q -o APT::Sandbox::User=root qemu-user-static)
    dpkg-deb -x "$folder"/qemu/qemu-user-static_*.deb "$folder/qemu"
    echo "$packages" >"$folder/complete"
fi
mkdir -p "$root/kudzu"

# The namespace's identities are those outside; only from outside can that be said.
pipes=$(mktemp -d)
mkfifo "$pipes/begun" "$pipes/mapped"
{
    read -r pid <"$pipes/begun"
    echo "0 0 65536" >"/proc/$pid/uid_map"
    echo "0 0 65536" >"/proc/$pid/gid_map"
    echo >"$pipes/mapped"
    rm -r "$pipes"
} &
exec unshare --user --mount --pid --fork sh -euc '
    pipes=$1 qemu=$2 source=$3 root=$4
    shift 4
    cut -d" " -f4 /proc/self/stat >"$pipes/begun"
    read -r _ <"$pipes/mapped"
    mount -t binfmt_misc binfmt_misc /proc/sys/fs/binfmt_misc 2>/dev/null || {
        echo "arm64_root.sh: a namespace has no interpreters of its own here: Linux 6.7 has" >&2
        exit 77
    }
    magic="\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00"
    mask="\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff"
    printf %s ":kudzu-arm64:M::$magic:$mask:$qemu:FPOC" >/proc/sys/fs/binfmt_misc/register
    mount --bind "$source" "$root/kudzu"
    mount -o remount,bind,ro "$root/kudzu"
    mount --rbind /dev "$root/dev"
    mount -t proc proc "$root/proc"
    exec chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 \
        ${QEMU_CPU:+QEMU_CPU="$QEMU_CPU"} "$@"' \
    sh "$pipes" "$folder/qemu/usr/bin/qemu-aarch64-static" "$scripts/.." "$root" "$@"
