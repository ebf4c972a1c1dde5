#!/bin/sh
# Runs a command in a fresh root of a release of Debian or Ubuntu, such as a build and the quick tests:
# what a user of that release would do, who has nothing installed. The checkout is seen there as /kudzu,
# read-only; what is built stays in the folder.
# usage: debian_root.sh SUITE FOLDER COMMAND...    (as root)
set -eu

[ $# -ge 3 ] || { echo "usage: debian_root.sh SUITE FOLDER COMMAND..." >&2; exit 2; }
[ "$(id -u)" = 0 ] || { echo "debian_root.sh: a root is made by root alone" >&2; exit 1; }
suite=$1
mkdir -p "$2"
root=$(cd "$2" && pwd)
source=$(cd "$(dirname "$0")/.." && pwd)
shift 2

if [ ! -e "$root/complete" ]; then
    command -v debootstrap >/dev/null || {
        export DEBIAN_FRONTEND=noninteractive
        apt-get update -q && apt-get install -y -q --no-install-recommends debootstrap
    }
    case $suite in
    focal | jammy | noble)
        mirror=http://archive.ubuntu.com/ubuntu
        "$source/scripts/ubuntu_keys.sh" "$root.keys"
        # gutsy: the rules for all its releases; an older debootstrap does not know the newest name.
        debootstrap --variant=minbase --include=make --keyring="$root.keys" \
            --components=main,universe "$suite" "$root" $mirror gutsy
        rm "$root.keys"
        # LLVM 19 is among the updates of 24.04.
        for part in updates security; do
            echo "deb $mirror $suite-$part main universe"
        done >>"$root/etc/apt/sources.list"
        ;;
    *) debootstrap --variant=minbase --include=make "$suite" "$root" http://deb.debian.org/debian ;;
    esac
    # Nobody needs these files after a crash: not each is waited for.
    echo force-unsafe-io >"$root/etc/dpkg/dpkg.cfg.d/unsafe-io"
    touch "$root/complete"
fi
mkdir -p "$root/kudzu"
# Mounts of its own go with the process.
exec unshare --mount --propagation private sh -eu -c '
    root=$1 source=$2
    shift 2
    mount --bind "$source" "$root/kudzu"
    mount -o remount,bind,ro "$root/kudzu"
    mount --rbind /dev "$root/dev"
    mount --rbind /sys "$root/sys"
    mount -t proc proc "$root/proc"
    exec chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 \
        PYTHONDONTWRITEBYTECODE=1 "$@"' sh "$root" "$source" "$@"
