#!/bin/sh
# Fetches the direction numbers of Sobol's sequences in 20,000 dimensions (Joe & Kuo's, for
# libcurand) into a folder, out of Debian's package python3-scipy, which has them in one file of
# 0.6 MB. The package is downloaded (15 MB), not installed: with what it needs that is 240 MB.
# Where nothing can be downloaded libcurand is built with two dimensions, and this says so, once a
# folder.
# usage: direction_numbers.sh FOLDER
set -eu

name=_sobol_direction_numbers.npz
inside=usr/lib/python3/dist-packages/scipy/stats/$name
mkdir -p "$1"
folder=$(cd "$1" && pwd)
[ ! -e "/$inside" ] || exit 0 # installed
[ ! -e "$folder/$name" ] && [ ! -e "$folder/none" ] || exit 0

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/lists/partial" "$work/cache/archives/partial"

download() {
    cd "$work"
    # apt's own lists may be missing or old; others then, which need no rights.
    apt-get -qq -o APT::Sandbox::User= download python3-scipy 2>/dev/null && return
    set -- -qq -o Dir::State::lists="$work/lists" -o Dir::Cache="$work/cache" -o Debug::NoLocking=1 \
        -o Acquire::Languages=none -o APT::Sandbox::User=
    apt-get "$@" update && apt-get "$@" download python3-scipy
}

echo "fetching the direction numbers of Sobol's sequences"
if (download) && dpkg-deb --fsys-tarfile "$work"/python3-scipy_*.deb |
    tar -xOf - "./$inside" >"$work/numbers" && [ -s "$work/numbers" ]; then
    mv "$work/numbers" "$folder/$name"
else
    echo "direction_numbers.sh: python3-scipy cannot be downloaded; libcurand will have Sobol's" \
        "sequences of two dimensions (to try again: rm -r $folder)" >&2
    touch "$folder/none"
fi
