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


def cases(checkout):
    for source in sorted(glob.glob(os.path.join(checkout, "microbenchmarks", "src", "*.cu"))):
        name = os.path.basename(source)[:-3]
        yield common.Case(name, RACE if name.startswith("race_") else NONE, [[]])
    for makefile in sorted(glob.glob(os.path.join(checkout, "benchmarks", "*", "Makefile"))):
        name = os.path.basename(os.path.dirname(makefile))
        yield common.Case(name + "-racy", RACE, [[]])
        yield common.Case(name + "-right", NONE, [[]])


if __name__ == "__main__":
    sys.exit(common.main(__doc__, cases, ("race",)))
