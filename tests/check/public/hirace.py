#!/usr/bin/env python3
"""The 590 labelled kernels of HiRace's artifact (JohnJacobsonIII/HiRace-Artifact-SC24), on its six inputs.

The label is in the name: atomicBug, guardBug, syncBug and raceBug are races, boundsBug is a bug of memory. A program's
case is the name of its file; it takes a graph, threads a block, and blocks (256 and 1024 in the artifact).
"""
import glob, os, sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import common

RACES = {"atomicBug", "guardBug", "syncBug", "raceBug"}


def label(name):
    words = set(name.split("_"))
    return frozenset((["race"] if words & RACES else []) + (["memory"] if "boundsBug" in words else []))


def cases(checkout, blocks="1024"):
    root = os.path.join(checkout, "indigo")
    graphs = sorted(glob.glob(os.path.join(root, "input", "*.egr")))
    for source in sorted(glob.glob(os.path.join(root, "indigo_sources", "*", "*.cu"))):
        name = os.path.basename(source)[:-3]
        yield common.Case(name, label(name), [[graph, "256", blocks] for graph in graphs])


if __name__ == "__main__":
    sys.exit(common.main(__doc__, cases, ("race", "memory")))
