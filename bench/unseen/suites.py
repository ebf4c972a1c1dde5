"""Which pairs of programs there are: a CUDA side and an OpenMP side of the same job, by others.

A suite is a checkout that the user has. Each pair belongs to one half by a hash of its name: "seen" is what the
compiler is developed on; "unseen" is run at the end of a piece of work, and nobody looks into it.
"""
import collections, hashlib, os

Pair = collections.namedtuple("Pair", "suite name cuda openmp tuned")


def half_of(name):
    return "seen" if hashlib.sha1(name.encode()).digest()[0] % 2 == 0 else "unseen"


def hecbench(root):
    src = os.path.join(root, "src")
    have = set(os.listdir(src))
    for folder in sorted(have):
        name = folder[: -len("-cuda")]
        if folder.endswith("-cuda") and name + "-omp" in have:
            yield Pair("hecbench", name, os.path.join(src, folder), os.path.join(src, name + "-omp"), False)


def rodinia(root):
    both = set(os.listdir(os.path.join(root, "cuda"))) & set(os.listdir(os.path.join(root, "openmp")))
    for name in sorted(both):
        sides = [os.path.join(root, side, name) for side in ("cuda", "openmp")]
        if all(os.path.exists(os.path.join(side, "run")) for side in sides):
            yield Pair("rodinia", "rodinia-" + name, *sides, True)


SUITES = {"hecbench": hecbench, "rodinia": rodinia}


def pairs(checkouts, half):
    """The pairs of {suite: folder}; half is "seen", "unseen" or "all"."""
    for suite, root in checkouts.items():
        for pair in SUITES[suite](os.path.abspath(root)):
            if half in ("all", half_of(pair.name)):
                yield pair
