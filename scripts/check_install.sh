#!/bin/bash
# Installs kudzu in a fresh root of Debian or Ubuntu as a user would, and checks it there
# (tests/install/check_installed.sh). As root, from the network; examples and projects take some minutes.
# usage: check_install.sh SUITE FOLDER [-p PART]... FILE...
# FILE: a wheel, or the packages of `make deb`, or an archive (.tar) of what `make install PREFIX=/opt/kudzu`
# wrote; PART: of check_installed.sh, not all. A program that looks at no error is left as FOLDER/unchecked, to be
# run in other roots.
set -eu

parts=()
[ $# -ge 3 ] || { echo "usage: check_install.sh SUITE FOLDER [-p PART]... FILE..." >&2; exit 2; }
scripts=$(cd "$(dirname "$0")" && pwd)
suite=$1 folder=$2
shift 2
while [ "$1" = -p ]; do
    parts+=("$2")
    shift 2
done
"$scripts/debian_root.sh" "$suite" "$folder" true
rm -rf "$folder/package"
mkdir "$folder/package"
cp "$@" "$folder/package"
"$scripts/debian_root.sh" "$suite" "$folder" bash -euc '
    export DEBIAN_FRONTEND=noninteractive
    tools="g++ cmake make meson ninja-build pkg-config python3-pip python3-venv"
    dpkg -s $tools >/dev/null 2>&1 || {
        apt-get update -q && apt-get install -y -q --no-install-recommends $tools
    } >/dev/null
    cd /package
    for file in *; do
        case $file in
        *.whl)
            python3 -m venv /opt/environment
            . /opt/environment/bin/activate
            pip install -q --no-index --force-reinstall "$PWD/$file"
            ;;
        *.deb)
            apt-get update -q >/dev/null
            apt-get install -y -q --no-install-recommends ./*.deb libomp-19-dev >/dev/null
            break
            ;;
        *.tar) tar -xf "$file" -C / && PATH=/opt/kudzu/bin:$PATH ;;
        *) echo "check_install.sh: $file is no wheel, package or archive" >&2 && exit 2 ;;
        esac
    done
    command -v kudzu
    kudzu smi -L
    status=0
    bash /kudzu/tests/install/check_installed.sh "$@" || status=1
    kudzu cc /kudzu/tests/install/project/unchecked.cu -o /unchecked && env -i /unchecked || status=1
    exit "$status"' sh ${parts[@]+"${parts[@]}"}
