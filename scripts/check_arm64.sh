#!/bin/bash
# Installs Debian's packages for arm64 in a root of their own and checks, by qemu-user, what is there: the
# commands, examples as they are compiled there, kernels of tests/simd as the compiler there makes their code,
# against the interpreter there (tests/aarch64/check_root.sh). As root; the root takes 10 minutes the first time, the checks some minutes.
# usage: check_arm64.sh FOLDER FILE.deb...
# KUDZU_SECONDS: no example or kernel is begun later than this (default 420); what was left out is said.
set -eu

[ $# -ge 2 ] || { echo "usage: check_arm64.sh FOLDER FILE.deb..." >&2; exit 2; }
scripts=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
folder=$(cd "$1" && pwd)
root=$folder/root
shift
"$scripts/arm64_root.sh" "$folder" true
rm -rf "$root/package"
mkdir "$root/package"
cp "$@" "$root/package"
"$scripts/arm64_root.sh" "$folder" sh -euc '
    dpkg --force-unsafe-io -i /package/*.deb
    exec bash /kudzu/tests/aarch64/check_root.sh "$1"' sh "${KUDZU_SECONDS:-420}"
