#!/usr/bin/env python3
"""Indigo's suites of labelled programs: burtscher/IndigoSuite (codes that its generators wrote into CUDA/) and
burtscher/Indigo3Suite (generatedCodes/).

The label is in the name. IndigoSuite's words are those of HiRace's artifact, which comes from it. In Indigo3, names
have a word for each bug: "BoundsBug" where it is planted, "NoBoundsBug" where it could have been. Programs with a bug
of logic (FieldBug, LivelockBug, OverflowBug, PrecedenceBug) are left out: what a checker should say of them has no
label. A program's case is the name of its file.
"""
import glob, os, sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import common, hirace

KIND_OF_BUG = {"RaceBug": "race", "SyncBug": "race", "BoundsBug": "memory", "NbrBoundsBug": "memory",
               "NborBoundsBug": "memory", "ExcessThreadsBug": "memory", "UninitializedBug": "init"}


def label_3(name):
    """Kinds that the words of a name of Indigo3 speak of; None where a bug has no kind of a checker."""
    bugs = [word for word in name.split("_") if word.endswith("Bug") and not word.startswith("No")]
    if not all(bug in KIND_OF_BUG for bug in bugs):
        return None
    return frozenset(KIND_OF_BUG[bug] for bug in bugs)


def cases(checkout):
    graphs = sorted(glob.glob(os.path.join(checkout, "**", "*.egr"), recursive=True), key=os.path.getsize)
    graphs = graphs[len(graphs) // 12::max(1, len(graphs) // 6)][:6][::-1]  # of all sizes, large ones first
    for source in sorted(glob.glob(os.path.join(checkout, "CUDA", "**", "*.cu"), recursive=True)):
        name = os.path.basename(source)[:-3]
        yield common.Case(name, hirace.label(name), [[graph, "256", "1024"] for graph in graphs])
    for source in sorted(glob.glob(os.path.join(checkout, "generatedCodes", "**", "*_CUDA_*.cu"), recursive=True)):
        name = os.path.basename(source)[:-3]
        if label_3(name) is not None:
            yield common.Case(name, label_3(name), [[graph, "1", "0"] for graph in graphs])


if __name__ == "__main__":
    sys.exit(common.main(__doc__, cases, ("race", "memory", "init")))
