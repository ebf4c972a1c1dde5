#!/bin/sh
# Builds kudzu in a fresh root of a release of Debian and runs the quick tests there: what a user of
# that release would do, who has nothing installed. The checkout is seen there as /kudzu, read-only;
# what is built stays in the folder.
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
    debootstrap --variant=minbase --include=make "$suite" "$root" http://deb.debian.org/debian
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
