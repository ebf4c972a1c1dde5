#!/bin/sh
# Writes the keys by which Ubuntu's archive is signed into a file: out of Debian's package ubuntu-keyring,
# which is not installed. Needs no rights.
# usage: ubuntu_keys.sh FILE
set -eu

file=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/lists/partial" "$work/cache/archives/partial"
: >"$work/status"
echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg]" \
    "http://deb.debian.org/debian trixie main" >"$work/sources.list"
apt() {
    apt-get -qq -o Dir::Etc::sourcelist="$work/sources.list" -o Dir::Etc::sourceparts=- \
        -o Dir::State::lists="$work/lists" -o Dir::State::status="$work/status" \
        -o Dir::Cache="$work/cache" -o Debug::NoLocking=1 -o Acquire::Languages=none \
        -o APT::Sandbox::User= "$@"
}
apt update
(cd "$work" && apt download ubuntu-keyring)
dpkg-deb --fsys-tarfile "$work"/ubuntu-keyring_*.deb |
    tar -xOf - ./usr/share/keyrings/ubuntu-archive-keyring.gpg >"$work/keys"
mv "$work/keys" "$file"
