#!/usr/bin/env python3
"""NVIDIA's samples of compute-sanitizer (NVIDIA/compute-sanitizer-samples): the programs with planted bugs.

Those that show the tool's programming interface (ApiTracker, DeviceMalloc, MemoryTracker) and NVTX are no programs
with bugs and are left out. A case's name is the file's. They are few: all are seen with --half all.
"""
import os, sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import common

LABELS = {  # file: (folder, kinds, arguments of the runs)
    "memcheck_demo": ("Memcheck", {"memory"}, [[]]),
    "memset_error": ("Initcheck", {"init"}, [[]]),
    "block_error": ("Racecheck", {"race"}, [[]]),
    "warp_error": ("Racecheck", {"race"}, [[]]),
    "divergent_threads": ("Synccheck", {"sync"}, [[]]),
    "illegal_syncwarp": ("Synccheck", {"sync"}, [[]]),
    "suppressions_demo": ("Suppressions", set(), [[]]),  # calls that fail and are looked at
    "suppressions_initcheck_demo": ("Suppressions", {"init"}, [[]]),
}


def cases(checkout):
    for name, (folder, kinds, runs) in LABELS.items():
        if os.path.exists(os.path.join(checkout, folder, name + ".cu")):
            yield common.Case(name, frozenset(kinds), runs)


if __name__ == "__main__":
    sys.exit(common.main(__doc__, cases))
