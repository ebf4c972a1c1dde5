"""No cache is used that another user could have put something into."""
import os
import shutil

from common import KUDZU, OTHER, check, finish, need_root, run, scratch

PROGRAM = r"""
#include <cstdio>
#include <cuda_runtime.h>
__global__ void twice(int *p) { *p *= 2; }
int main() {
    int *p, n = 21;
    cudaMalloc(&p, sizeof n);
    cudaMemcpy(p, &n, sizeof n, cudaMemcpyDefault);
    twice<<<1, 1>>>(p);
    cudaMemcpy(&n, p, sizeof n, cudaMemcpyDefault);
    printf("%d\n", n);
}
"""
need_root()
folder = scratch()
source = os.path.join(folder, "a.cu")
with open(source, "w") as f:
    f.write(PROGRAM)
temporary = os.path.join(folder, "tmp")
os.mkdir(temporary)


def files_below(path):
    return sorted(os.path.relpath(os.path.join(root, name), path)
                  for root, _, names in os.walk(path) for name in names)


def run_program(env, what):
    r = run([KUDZU, "run", source], folder, dict(env, TMPDIR=temporary))
    check(r.returncode == 0 and r.stdout == "42\n", f"{what}: {r.stdout}{r.stderr}")
    check(os.listdir(temporary) == [], f"{what}: {os.listdir(temporary)} is left")
    return r.stderr


# A cache that can be trusted: the program's name in it is the same in every other.
own = os.path.join(folder, "own")
check(run_program({"XDG_CACHE_HOME": own}, "own cache") == "", "own cache: a message")
kept = os.path.join(own, "kudzu", "run")
programs = [name for name in os.listdir(kept) if len(name) == 32]
check(len(programs) == 1, f"own cache: {os.listdir(kept)}")
check(any(name.endswith(".kzo") for name in os.listdir(os.path.join(own, "kudzu"))),
      "own cache: no compiled kernel is kept")
before = os.stat(os.path.join(kept, programs[0])).st_ino
run_program({"XDG_CACHE_HOME": own}, "own cache again")
check(os.stat(os.path.join(kept, programs[0])).st_ino == before, "own cache: compiled again")


def plant(path, owner):
    """A cache with an entry for the program that is another one."""
    shutil.copytree(own, path)
    run_folder = os.path.join(path, "kudzu", "run")
    with open(os.path.join(run_folder, programs[0]), "w") as f:
        f.write("#!/bin/sh\necho planted\n")
    os.chmod(os.path.join(run_folder, programs[0]), 0o755)
    for root, _, names in os.walk(path):
        for name in [root] + [os.path.join(root, n) for n in names]:
            os.chown(name, owner, owner)
    return path


def refuse(env, planted, what):
    """The planted cache is neither read nor written."""
    state = files_below(planted)
    message = run_program(env, what)
    check("compiled programs are not kept" in message, f"{what}: nothing is said: {message}")
    check(files_below(planted) == state, f"{what}: {set(files_below(planted)) - set(state)} is new")
    # What the compiled kernels' cache does alone.
    program = os.path.join(folder, "program")
    r = run([program], folder, dict(env, CUDA_FORCE_PTX_JIT="1"))
    check(r.stdout == "42\n", f"{what}: {r.stdout}{r.stderr}")
    check(files_below(planted) == state, f"{what}: a kernel was written there")


shutil.copy(os.path.join(kept, programs[0]), os.path.join(folder, "program"))

# The test can fail: what is planted is run where the owner is the user himself.
mine = plant(os.path.join(folder, "mine"), 0)
r = run([KUDZU, "run", source], folder, {"XDG_CACHE_HOME": mine, "TMPDIR": temporary})
check(r.stdout == "planted\n", f"the planted entry is none: {r.stdout}{r.stderr}")

theirs = plant(os.path.join(folder, "theirs"), OTHER)
refuse({"XDG_CACHE_HOME": theirs}, theirs, "another's folder")

open_to_all = plant(os.path.join(folder, "open"), 0)
os.chmod(os.path.join(open_to_all, "kudzu", "run"), 0o777)
os.chmod(os.path.join(open_to_all, "kudzu"), 0o777)
refuse({"XDG_CACHE_HOME": open_to_all}, open_to_all, "a folder that all can write to")

public = os.path.join(folder, "public")
os.mkdir(public)
os.chmod(public, 0o1777)
link = os.path.join(public, "kudzu")
os.symlink(os.path.join(theirs, "kudzu"), link)
os.lchown(link, OTHER, OTHER)
refuse({"XDG_CACHE_HOME": public}, theirs, "another's link to his folder")
os.unlink(link)
os.symlink(os.path.join(own, "kudzu"), link)
os.lchown(link, OTHER, OTHER)
refuse({"XDG_CACHE_HOME": public}, own, "another's link to the user's folder")

home = os.path.join(folder, "home")
os.mkdir(home)
os.chmod(home, 0o1777)
shutil.move(plant(os.path.join(folder, "cache"), OTHER), os.path.join(home, ".cache"))
refuse({"HOME": home}, home, "another's .cache")

# An entry of another's in a folder that was open once.
closed = plant(os.path.join(folder, "closed"), 0)
for name in os.listdir(os.path.join(closed, "kudzu", "run")):
    os.chown(os.path.join(closed, "kudzu", "run", name), OTHER, OTHER)
run_program({"XDG_CACHE_HOME": closed}, "another's entry")
linked = plant(os.path.join(folder, "linked"), 0)
entry = os.path.join(linked, "kudzu", "run", programs[0])
os.unlink(entry)
os.symlink(os.path.join(theirs, "kudzu", "run", programs[0]), entry)
run_program({"XDG_CACHE_HOME": linked}, "a link to another's entry")

# Without HOME nothing is kept in a folder that all share.
had = os.path.exists("/tmp/.cache/kudzu")
message = run_program({}, "without HOME")
check(message == "", f"without HOME: {message}")
check(had or not os.path.exists("/tmp/.cache/kudzu"), "without HOME: /tmp/.cache is made")
finish(folder)
