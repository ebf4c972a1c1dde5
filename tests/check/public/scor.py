#!/usr/bin/env python3
"""ScoR (csl-iisc/ScoR): 32 small programs of scoped synchronisation, and seven applications with and without races.

A small program's case is its file's name, which begins with "race_" or "norace_". An application's cases are
its folder's name with "-racy" (its switch RACEY on) and with "-right".
"""
import glob, os, sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import common

NONE = frozenset()
RACE = frozenset({"race"})


def numbers(count):
    return " ".join(str(i * 7 % 10) for i in range(count))


def ring(vertices):
    """A graph as the applications read it: how many vertices and edges, then the ends of each edge."""
    return f"{vertices} {vertices}\n" + "\n".join(f"{i} {(i + 1) % vertices}" for i in range(vertices))


INPUTS = {  # what an application reads; small, so that a checker ends
    "1dconv": f"5 4096\n{numbers(5)}\n{numbers(4096)}\n",
    "graph-coloring": ring(300) + "\n",
    "graph-connectivity": ring(300) + "\n",
    "matrix-multiplication": f"32 32 32\n{numbers(2 * 32 * 32)}\n",
    "reduction": f"4096\n{numbers(4096)}\n",
    "rule-110": f"1024 4\n{numbers(1024).translate(str.maketrans('23456789', '01010101'))}\n",
    "uts": "4 3\n7\n",
}


def cases(checkout):
    for source in sorted(glob.glob(os.path.join(checkout, "microbenchmarks", "src", "*.cu"))):
        name = os.path.basename(source)[:-3]
        yield common.Case(name, RACE if name.startswith("race_") else NONE, [[]])
    for makefile in sorted(glob.glob(os.path.join(checkout, "benchmarks", "*", "Makefile"))):
        name = os.path.basename(os.path.dirname(makefile))
        yield common.Case(name + "-racy", RACE, [[]], INPUTS.get(name, ""))
        yield common.Case(name + "-right", NONE, [[]], INPUTS.get(name, ""))


if __name__ == "__main__":
    sys.exit(common.main(__doc__, cases, ("race",)))
