"""Builds the two sides of a pair below a folder: kudzu's, and the host's with plain parallel loops."""
import os, re, shlex, shutil, stat, subprocess

import host_loops

NVCC = """#!/bin/sh
cccl=
grep -q -s -r -l -E 'include *[<"](cub|thrust)/' . && cccl="{cccl}"
exec "{kudzu}" cc $cccl "$@"
"""
# The host's flags are ours alone: what a program's makefile says of optimisation and devices is left out.
HOST = """#!/bin/sh
n=$#
while [ $n -gt 0 ]; do
    flag=$1
    shift
    n=$((n - 1))
    case $flag in
    -O* | -g* | -Wall | -W* | -march=* | -mtune=* | -ffast-math | -fast* | -fopenmp* | -fiopenmp | -qopenmp* | -mp* | \\
    -Minfo* | -gpu=* | -foffload* | -Xopenmp* | --offload* | -fsycl* | -foffload | -ta=* | -qnextgen | -x | -xHost) ;;
    *) set -- "$@" "$flag" ;;
    esac
done
exec {compiler} -O3 -march={march} -fno-math-errno -fopenmp -w $HOST_BEFORE "$@"
"""
SOURCES = (".c", ".cc", ".cpp", ".cxx", ".h", ".hpp", ".hh", ".inc")


class NotBuilt(Exception):
    pass


def write_program(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as f:
        f.write(text)
    os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)


def write_compilers(folder, kudzu, cccl, clang, march):
    """Programs nvcc, host-cc and host-c++ in folder/path."""
    include = ["-I%s/%s" % (os.path.abspath(cccl), d) for d in ("cub", "thrust", "libcudacxx/include")] if cccl else []
    path = os.path.join(folder, "path")
    write_program(os.path.join(path, "nvcc"), NVCC.format(cccl=" ".join(include), kudzu=os.path.abspath(kudzu)))
    for name, compiler in (("host-cc", clang), ("host-c++", clang.replace("clang", "clang++"))):
        write_program(os.path.join(path, name), HOST.format(compiler=compiler, march=march))
    return path


def with_host_loops(folder):
    """Rewrites the directives of all sources below the folder."""
    for base, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(base, name)
            if not name.endswith(SOURCES) or os.path.islink(path):
                continue
            with open(path, errors="surrogateescape") as f:
                text = f.read()
            try:
                new = host_loops.host_loops(text)
            except host_loops.NotALoop as e:
                raise NotBuilt("%s: %s" % (name, e))
            if new != text:
                with open(path, "w", errors="surrogateescape") as f:
                    f.write(new)


def place(pair, folder, side):
    """A copy of one side, with links to what lies beside it, since makefiles name their neighbours."""
    origin = pair.cuda if side == "kudzu" else pair.openmp
    parent = os.path.join(folder, pair.name, side, os.path.basename(os.path.dirname(origin)))
    shutil.rmtree(os.path.dirname(parent), ignore_errors=True)
    os.makedirs(parent)
    for name in os.listdir(os.path.dirname(origin)):
        if name != os.path.basename(origin):
            os.symlink(os.path.join(os.path.dirname(origin), name), os.path.join(parent, name))
    for name in os.listdir(os.path.dirname(os.path.dirname(origin))):
        beside = os.path.join(os.path.dirname(parent), name)
        if not os.path.lexists(beside):
            os.symlink(os.path.join(os.path.dirname(os.path.dirname(origin)), name), beside)
    return shutil.copytree(origin, os.path.join(parent, os.path.basename(origin)), symlinks=True)


def make(where, path, arguments, log, limit):
    environment = dict(os.environ, PATH=path + ":" + os.environ["PATH"], LC_ALL="C")
    if where.endswith("-omp"):  # some makefiles name another program's folder
        environment["HOST_BEFORE"] = "-I../" + os.path.basename(where)[: -len("omp")] + "cuda"
    command = ["timeout", str(limit), "make", "-f", makefile_of(where)] + arguments
    with open(log, "wb") as out:
        return subprocess.run(command, cwd=where, env=environment, stdin=subprocess.DEVNULL, stdout=out,
                              stderr=subprocess.STDOUT).returncode == 0


def makefile_of(where):
    names = [n for n in ("Makefile", "makefile", "GNUmakefile") if os.path.exists(os.path.join(where, n))]
    if not names:
        raise NotBuilt("no makefile")
    return names[0]


def command_of(where, path, pair):
    """How the program's authors run it: (program, arguments)."""
    if pair.suite == "rodinia":
        with open(os.path.join(where, "run")) as f:
            text = f.read()
    else:
        environment = dict(os.environ, PATH=path + ":" + os.environ["PATH"], LC_ALL="C")
        text = subprocess.run(["make", "-n", "-s", "-o", "main", "run"], cwd=where, env=environment,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL).stdout.decode(errors="replace")
    for line in re.sub(r"\\\n", " ", text).splitlines():
        try:
            words = shlex.split(re.split(r"[;|>&]", line)[0])
        except ValueError:
            continue
        if words and words[0].startswith("./"):
            return words
    raise NotBuilt("no command to run it")


def build(pair, folder, path, limit):
    """Builds both sides; {side: (folder, command)}. Raises NotBuilt."""
    built = {}
    for side in ("host", "kudzu"):  # the cheaper one first
        where = place(pair, folder, side)
        log = os.path.join(folder, pair.name, side + ".build")
        for base, _, names in os.walk(where):  # objects that a checkout was built with
            for name in names:
                if name.endswith(".o"):
                    os.remove(os.path.join(base, name))
        if side == "host":
            with_host_loops(where)
            arguments = ["CC=host-c++" if pair.suite == "hecbench" else "CC=host-cc", "CXX=host-c++", "DEVICE=cpu",
                         "OPTIMIZE=no"]
        else:
            arguments = ["CC=nvcc"] if pair.suite == "hecbench" else []
        command = command_of(where, path, pair)
        program = os.path.join(where, command[0])
        if os.path.exists(program):
            os.remove(program)
        if not make(where, path, arguments, log, limit) or not os.path.exists(program):
            raise NotBuilt("%s side does not build" % side)
        built[side] = (where, command)
    return built
