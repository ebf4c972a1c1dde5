#!/bin/sh
# Compiles a program with kudzu for an MPI implementation and runs it on four ranks.
# usage: run.sh KUDZU (openmpi|mpich) SOURCE
# 77: the implementation is not there.
set -eu

kudzu=$1 which=$2 source=$3
# Debian's names; elsewhere mpicxx is one of the two.
mpicxx=$(command -v "mpicxx.$which" || command -v mpicxx || true)
mpirun=$(command -v "mpirun.$which" || command -v mpirun || true)
if [ -z "$mpicxx" ] || [ -z "$mpirun" ]; then
    echo "skipped: there is no mpicxx and mpirun of $which (scripts/deps.sh mpi installs them)"
    exit 77
fi
options=$("$mpicxx" "$([ "$which" = openmpi ] && echo --showme || echo -show)" 2>/dev/null || true)
case $which:$options in
openmpi:*-lmpi* | mpich:*-lmpich*) ;;
*)
    echo "skipped: $mpicxx is not of $which (scripts/deps.sh mpi installs it)"
    exit 77
    ;;
esac
# What a host compiler alone takes is left out.
options=$(printf '%s\n' $options | grep -E '^-[ILl]')

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
# shellcheck disable=SC2086
"$kudzu" cc -o "$dir/program" "$source" $options -lcuda
# Ranks on fewer cores, as root, with no network.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_btl=self,vader OMPI_MCA_hwloc_base_binding_policy=none
export HYDRA_IFACE=lo KUDZU_WORKERS="${KUDZU_WORKERS:-1}"
"$mpirun" -np 4 "$dir/program"
