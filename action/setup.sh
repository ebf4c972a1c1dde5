#!/usr/bin/env bash
# Sets kudzu up for the later steps of a job: installs a wheel, or builds the checkout that this lies
# in, and exports what `kudzu env` prints. Not only on GitHub: without GITHUB_ENV it prints that.
# usage: setup.sh [wheel: file, pattern or address]
set -euo pipefail

source=$(cd "$(dirname "$0")/.." && pwd)
place=${RUNNER_TEMP:-/tmp}/kudzu
mkdir -p "$place"

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

# What the wheel takes of the machine.
need_compiler() {
    compgen -G '/usr/include/c++/*/climits' >/dev/null && return
    if command -v apt-get >/dev/null; then
        as_root apt-get update -q && as_root apt-get install -y -q --no-install-recommends g++
    else
        as_root dnf install -y gcc-c++
    fi
}

from_wheel() {
    local wheel=$1
    if [[ $wheel == *://* ]]; then
        curl -fsSL --retry 3 -o "$place/${wheel##*/}" "$wheel"
        wheel=$place/${wheel##*/}
    fi
    # shellcheck disable=SC2206
    local files=($wheel)
    [ -e "${files[0]}" ] || { echo "setup.sh: there is no $wheel" >&2; exit 1; }
    need_compiler
    # Unpacked, not installed: that leaves the job's Pythons as they are.
    rm -rf "$place/wheel"
    python3 -m zipfile -e "${files[0]}" "$place/wheel"
    home=$place/wheel/kudzu/toolkit
    chmod +x "$home"/bin/* "$home"/lib/*
}

from_source() {
    make -C "$source" CMAKE_FLAGS=-DKUDZU_TESTS=OFF
    home=$place/install
    make -C "$source" install PREFIX="$home" CMAKE_FLAGS=-DKUDZU_TESTS=OFF
}

if [ -n "${1:-}" ]; then from_wheel "$1"; else from_source; fi

"$home/bin/kudzu" smi -L
if [ -z "${GITHUB_ENV:-}" ]; then
    "$home/bin/kudzu" env
    exit 0
fi
# Each line is: export NAME='value'. PATH has a file of its own.
"$home/bin/kudzu" env | grep -v '^export PATH=' | sed "s/^export \\([A-Z_]*\\)='\\(.*\\)'\$/\\1=\\2/" >>"$GITHUB_ENV"
echo "$home/bin" >>"$GITHUB_PATH"
echo "home=$home" >>"$GITHUB_OUTPUT"
