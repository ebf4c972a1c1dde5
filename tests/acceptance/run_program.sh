#!/bin/sh
# run_program.sh KUDZU PROGRAM: compiles a program of this folder with the options that it names, runs it in a folder of
# its own, and succeeds when it ends with exit code 0 and "PASS name" as its last line.
kudzu=$1
source=$2
file=${source##*/}
name=${file%.*}
options=$(sed -n '1,20s|^// F[Ll][Aa][Gg][Ss]: *||p' "$source" | head -n 1)
case "$file $options" in
*-std=* | *.c\ *) standard= ;;
*) standard=-std=c++17 ;;
esac
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# Libraries come behind the source file.
# shellcheck disable=SC2086
"$kudzu" cc -arch=sm_90 $standard -o "$work/$name" "$source" $options || exit 1
(cd "$work" && "./$name" </dev/null >"$name.stdout")
code=$?
cat "$work/$name.stdout"
[ $code -eq 0 ] && [ "$(tail -n 1 "$work/$name.stdout")" = "PASS $name" ]
