#!/bin/bash
# Installs Debian's packages for arm64, or the wheel, in a root of their own and checks, by qemu-user, what is there: the
# commands, examples as they are compiled there, kernels of tests/simd as the compiler there makes their code,
# against the interpreter there (tests/aarch64/check_root.sh). As root; the root takes 10 minutes the first time, the checks some minutes.
# usage: check_arm64.sh FOLDER FILE.deb... | FILE.whl
# KUDZU_CHECKS: these alone. KUDZU_SECONDS: no example or kernel is begun later than this (default 420); what was left out is said.
set -eu

[ $# -ge 2 ] || { echo "usage: check_arm64.sh FOLDER FILE.deb... | FILE.whl" >&2; exit 2; }
scripts=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
folder=$(cd "$1" && pwd)
root=$folder/root
shift
"$scripts/arm64_root.sh" "$folder" true
rm -rf "$root/package"
mkdir "$root/package"
case $1 in
*.whl)
    cp "$1" "$root/package"
    toolkit=/usr/local/lib/python3.11/dist-packages/kudzu/toolkit
    ;;
*)
    cp "$@" "$root/package"
    toolkit=/usr/lib/kudzu
    ;;
esac
# shellcheck disable=SC2086
"$scripts/arm64_root.sh" "$folder" sh -euc '
    case $1 in
    /usr/lib/kudzu) dpkg --force-unsafe-io -i /package/*.deb ;;
    *) python3 -m pip install -q --no-index --no-deps --no-compile --force-reinstall --break-system-packages \
        --root-user-action=ignore --no-warn-script-location /package/*.whl ;;
    esac
    exec bash /kudzu/tests/aarch64/check_root.sh "$@"' sh "$toolkit" "${KUDZU_SECONDS:-420}" ${KUDZU_CHECKS-}
