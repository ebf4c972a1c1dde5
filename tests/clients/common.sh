# What the scripts of this folder have in common. Each is called
#
#     CLIENT.sh KUDZU WORKFOLDER [files or names of tests]
#
#   KUDZU       an installation, or the build folder
#   WORKFOLDER  where virtual environments, sources and results are kept (made when missing)
#
# and prints one line: client, version, tests passed, failed, skipped. What it runs in between goes to
# WORKFOLDER/CLIENT.log. The exit status is 0 when tests ran, whatever came of them.
#
# Packages come from the Python registry, sources from where the script says. A variable that the
# script names (NUMBA_CUDA_SOURCE=/path) names a local checkout, or bare repository, instead.
# CLIENT_SAMPLE=N takes every N-th test, CLIENT_EACH=N N parameter sets of each test function, CLIENT_RANDOM=N N tests
# in the order of digests of their names (after CLIENT_SEED);
# CLIENT_JOBS=N runs N at a time (default: the cores).

[ $# -ge 2 ] || { echo "usage: $(basename "$0") KUDZU WORKFOLDER [tests]" >&2; exit 2; }
kudzu=$(cd "$1" && pwd) || exit 2
mkdir -p "$2" && work=$(cd "$2" && pwd) || exit 2
clients=$(cd "$(dirname "$0")" && pwd)
client=$(basename "$0" .sh)
log=$work/$client.log
results=$work/$client.xml
shift 2
: > "$log"
rm -f "$results"

# The environment of a machine whose CUDA is kudzu. `nvcc` is kudzu under that name.
mkdir -p "$work/bin" "$work/cache"
ln -sfn "$kudzu/bin/kudzu" "$work/bin/nvcc"
for tool in ptxas nvlink nvidia-smi; do
    [ ! -e "$kudzu/bin/$tool" ] || ln -sfn "$kudzu/bin/$tool" "$work/bin/$tool"
done
export PATH="$work/bin:/usr/local/bin:/usr/bin:/bin"
export LD_LIBRARY_PATH="$kudzu/lib"
export CUDA_HOME="$kudzu" CUDA_PATH="$kudzu"
export XDG_CACHE_HOME="$work/cache"
export KUDZU_TIER="${KUDZU_TIER:-quick}"
jobs=${CLIENT_JOBS:-$(nproc)}

fail() {
    echo "$client: $1 (see $log)" >&2
    exit 1
}

# environment PACKAGE...: a virtual environment with these packages and nothing that they depend on
# unless it is named, since that would be NVIDIA's libraries. $python is its interpreter.
environment() {
    python=$work/$client/bin/python
    if [ "$(cat "$work/$client/packages" 2>/dev/null)" != "$*" ]; then
        rm -rf "${work:?}/$client"
        python3 -m venv "$work/$client" >> "$log" 2>&1 || fail "no virtual environment"
        "$python" -m pip -q install --no-deps "$@" >> "$log" 2>&1 || fail "pip install failed"
        echo "$*" > "$work/$client/packages"
    fi
}

# add_packages PACKAGE...: these for this client alone, beside the packages of an environment that it shares.
add_packages() {
    folder=$work/$client-packages
    if [ "$(cat "$folder/packages" 2>/dev/null)" != "$*" ]; then
        rm -rf "$folder"
        "$python" -m pip -q install --no-deps --target "$folder" "$@" >> "$log" 2>&1 || fail "pip install failed"
        echo "$*" > "$folder/packages"
    fi
    PYTHONPATH="$folder${PYTHONPATH:+:$PYTHONPATH}"
}

# sources VARIABLE URL REVISION PATH...: these paths of the revision, in $sources.
sources() {
    eval "repository=\${$1:-}"
    url=$2 revision=$3
    shift 3
    sources=$work/$client-$revision
    [ ! -d "$sources" ] || return 0
    if [ -z "$repository" ]; then
        repository=$work/$client.git
        [ -d "$repository" ] || git clone -q --bare --filter=blob:none "$url" "$repository" >> "$log" 2>&1 ||
            fail "cannot clone $url"
    fi
    mkdir -p "$sources.new"
    git -C "$repository" archive "$revision" "$@" | tar x -C "$sources.new" || fail "no $revision in $repository"
    mv "$sources.new" "$sources"
}

# add_cccl: Thrust, CUB and libcu++ for `nvcc`, for all clients of this folder.
add_cccl() {
    sources CCCL_SOURCE https://github.com/NVIDIA/cccl v2.8.5 cub thrust libcudacxx
    export XDG_DATA_HOME="$work/data"
    [ -d "$XDG_DATA_HOME/kudzu/cccl" ] || "$kudzu/bin/kudzu" cccl "$sources" >> "$log" 2>&1 || fail "kudzu cccl failed"
}

# tests ARGUMENT...: pytest with these arguments, results to be counted. $around: a command in front.
around=
tests() {
    n=$(ls "$results"* 2>/dev/null | wc -l)
    PYTHONPATH="$clients/pytest_plugins${PYTHONPATH:+:$PYTHONPATH}"
    export PYTHONPATH
    $around "$python" -m pytest -p every_nth -p some_of_each -p random_sample -p no:cacheprovider -q --junitxml="$results.$n" "$@" \
        >> "$log" 2>&1
}

# report VERSION: the line of results.
report() {
    ls "$results".* > /dev/null 2>&1 || fail "no test ran"
    python3 "$clients/count_results.py" "$client" "$1" "$results".*
    rm -f "$results".*
}

# with_device_file FILE COMMAND...: runs it where FILE exists in /dev, for clients that look whether a
# driver's device is there and never open it. In namespaces of its own, nothing of the machine changes.
with_device_file() {
    name=$1
    shift
    if [ -e "/dev/$name" ]; then
        "$@"
        return
    fi
    unshare --user --map-root-user --mount sh -c '
        name=$1; shift
        new=$(mktemp -d) && mount -t tmpfs -o mode=755 dev "$new" || exit 1
        for f in null zero full random urandom tty; do : > "$new/$f"; mount --bind "/dev/$f" "$new/$f"; done
        for d in shm pts; do mkdir "$new/$d"; mount --rbind "/dev/$d" "$new/$d"; done
        for l in fd stdin stdout stderr; do cp -a "/dev/$l" "$new/$l"; done
        : > "$new/$name"
        mount --rbind "$new" /dev && exec "$@"' sh "$name" "$@"
}
