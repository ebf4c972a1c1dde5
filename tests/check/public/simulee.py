#!/usr/bin/env python3
"""Simulee's kernels with races that were found in projects (shadowmydx/Simulee).

The repository has kernels cut out of their projects, a folder for each: those of a folder "...-new-bug" are as they were
found, with a race or a barrier that is not met. A case's name is "FOLDER.FILE". A kernel needs a main function that
calls it, as in gpuverify.py; what does not compile alone is told as not built.
"""
import glob, os, sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import common


def cases(checkout):
    for source in sorted(glob.glob(os.path.join(checkout, "*-new-bug", "*.cu"))):
        folder, file = os.path.split(os.path.relpath(source, checkout))
        yield common.Case(f"{folder}.{file[:-3]}", frozenset({"any"}), [[]])


if __name__ == "__main__":
    sys.exit(common.main(__doc__, cases, ("race", "sync")))
