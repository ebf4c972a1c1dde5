#!/bin/sh
# Unpacks Debian's headers and libraries of another architecture or release into a folder, for cross
# builds and to compile against another C library. Nothing is installed: the system's packages and
# its list of architectures stay as they are.
# usage: sysroot.sh [-c] ARCHITECTURE FOLDER [SUITE GCC [PACKAGE...]]
# -c: also what the compilers are built from, and a dpkg database in FOLDER/var/lib/dpkg, from which
# dpkg-shlibdeps tells the packages of FOLDER's libraries. SUITE: another release of Debian or Ubuntu,
# headers alone (with -c: and libraries), "": the one that apt is set up for; GCC: whose C++ library;
# PACKAGE: what is wanted besides.
set -eu

compilers= security=
if [ "$1" = -c ]; then
    compilers=yes
    shift
fi
arch=$1
mkdir -p "$2"
root=$(cd "$2" && pwd)
suite=${3-}
gcc=${4-12}
[ $# -le 4 ] && shift $# || shift 4
packages="$* libc6-dev linux-libc-dev libgcc-$gcc-dev libstdc++-$gcc-dev"
[ -n "$suite" ] && [ -z "$compilers" ] ||
    packages="$packages libc6 libgcc-s1 libstdc++6 libzstd1 libzstd-dev libxxhash0 libxxhash-dev"
[ -z "$compilers" ] ||
    packages="$packages zlib1g zlib1g-dev llvm-19-dev libllvm19 libclang-19-dev libclang-common-19-dev
              libclang-rt-19-dev"
[ ! -e "$root/complete" ] || exit 0

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/lists/partial" "$work/cache/archives/partial" "$work/debs"
: >"$work/status"
# apt with lists and a state of its own, which need no rights.
apt() {
    apt-get -q ${suite:+-o Dir::Etc::sourcelist="$work/sources.list" -o Dir::Etc::sourceparts=-} \
        -o APT::Architecture="$arch" -o APT::Architectures::="$arch" \
        -o Dir::State::lists="$work/lists" -o Dir::State::status="$work/status" \
        -o Dir::Cache="$work/cache" -o Debug::NoLocking=1 -o Acquire::Languages=none \
        -o Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=false -o APT::Sandbox::User= "$@"
}
use_release() { # suite, keys, archive, its parts and what has mended versions of its packages
    echo "deb [signed-by=$2] $3 $1 $4" >"$work/sources.list"
    [ -z "${5-}" ] || echo "deb [signed-by=$2] $5" >>"$work/sources.list"
    apt update
}
debian_keys=/usr/share/keyrings/debian-archive-keyring.gpg
case $suite in
"") apt update ;;
bionic | focal | jammy | noble)
    "$(dirname "$0")/ubuntu_keys.sh" "$work/ubuntu-keys.gpg"
    use_release "$suite" "$work/ubuntu-keys.gpg" http://archive.ubuntu.com/ubuntu "main universe"
    ;;
*)
    # What is linked in would stay as it is when the system's own library is mended.
    case $suite in bookworm | trixie) security="http://deb.debian.org/debian-security $suite-security main" ;; esac
    use_release "$suite" $debian_keys http://deb.debian.org/debian main ${security:+"$security"}
    ;;
esac
# shellcheck disable=SC2086
(cd "$work/debs" && apt download $packages)
for deb in "$work"/debs/*.deb; do
    dpkg-deb -x "$deb" "$root"
done
# Links such as libm.so's name the library from the root of the system. Without it a linker takes libm.a.
find "$root" -type l -lname '/*' | while read -r link; do
    target=$root$(readlink "$link")
    [ ! -e "$target" ] || ln -sfr "$target" "$link"
done
[ -z "$compilers" ] ||
    "$(dirname "$0")/dpkg_database.sh" "$root" "$arch" "$root" "$work"/debs/*.deb
touch "$root/complete"
