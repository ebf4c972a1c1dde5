#!/bin/sh
# Writes the database of dpkg for packages that were unpacked into a root (dpkg-deb -x): as if they had been
# installed, which scripts of theirs were not run for.
# usage: dpkg_database.sh ROOT ARCHITECTURE PREFIX DEB...
# PREFIX: what the names of files begin with, "" where ROOT will be entered.
set -eu

database=$1/var/lib/dpkg
arch=$2 prefix=$3
shift 3
rm -rf "$database"
mkdir -p "$database/info" "$database/updates" "$database/triggers"
echo 1 >"$database/info/format"
# dpkg takes its own machine's architecture for granted: with a prefix that is the one of this machine.
printf '%s\n' "$(dpkg --print-architecture)" "$arch" >"$database/arch"
[ -n "$prefix" ] || echo "$arch" >"$database/arch"
for deb; do
    name=$(dpkg-deb -f "$deb" Package)
    { dpkg-deb -f "$deb" && echo "Status: install ok installed" && echo; } >>"$database/status"
    [ "$(dpkg-deb -f "$deb" Multi-Arch)" != same ] || name=$name:$arch
    for file in shlibs symbols; do
        dpkg-deb -I "$deb" "$file" >"$database/info/$name.$file" 2>/dev/null ||
            rm "$database/info/$name.$file"
    done
    dpkg-deb --fsys-tarfile "$deb" | tar -tf - | sed -e 's|^\.||' -e 's|/$||' -e "s|^|$prefix|" \
        -e 's|^$|/.|' >"$database/info/$name.list"
done
