#!/usr/bin/env python3
"""GPUVerify's kernels for CUDA (mc-imperial/gpuverify, testsuite/CUDA).

The first line of a kernel tells what the verifier answers: "pass", or "xfail:NOT_ALL_VERIFIED" (a race, a divergent
barrier or an assertion that does not hold). Kernels that are to fail in its front end are left out. A case's name
is the folder's, with "." for "/". A verifier speaks of all inputs, a run of one: kernels are run by a main function
that gives every pointer parameter an array and every number a value, and each difference is looked at.
"""
import os, re, sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import common


def cases(checkout):
    root = os.path.join(checkout, "testsuite", "CUDA")
    for folder, _, files in sorted(os.walk(root)):
        if "kernel.cu" not in files:
            continue
        with open(os.path.join(folder, "kernel.cu"), errors="replace") as f:
            first = f.readline().strip().lower()
        name = os.path.relpath(folder, root).replace(os.sep, ".")
        if re.match(r"//\s*pass", first):
            yield common.Case(name, frozenset(), [[]])
        elif re.match(r"//\s*xfail:\s*not_all_verified", first):
            yield common.Case(name, frozenset({"any"}), [[]])


if __name__ == "__main__":
    sys.exit(common.main(__doc__, cases, ("race", "sync", "memory")))
