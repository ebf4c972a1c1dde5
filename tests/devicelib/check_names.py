#!/usr/bin/env python3
"""Checks that the device library defines what clang's CUDA headers declare, and needs nothing else.

usage: check_names.py CLANG LIBRARY.bc
"""

import pathlib
import re
import subprocess
import sys


def declared(clang):
    resources = subprocess.run([clang, "-print-resource-dir"], check=True, capture_output=True,
                               text=True).stdout.strip()
    header = pathlib.Path(resources, "include", "__clang_cuda_libdevice_declares.h")
    return set(re.findall(r"\b__nv_\w+(?=\()", header.read_text(encoding="utf-8")))


def symbols(clang, library):
    tool = pathlib.Path(clang).resolve().with_name("llvm-nm")
    text = subprocess.run([str(tool), library], check=True, capture_output=True, text=True).stdout
    defined, needed = set(), set()
    for line in text.splitlines():
        kind, name = line.split()[-2:]
        (needed if kind == "U" else defined).add(name)
    return defined, needed


def main():
    clang, library = sys.argv[1:]
    defined, needed = symbols(clang, library)
    missing = declared(clang) - defined
    foreign = needed - {"__nvvm_reflect"}
    for name in sorted(missing):
        print("missing:", name)
    for name in sorted(foreign):
        print("needs:", name)
    return bool(missing or foreign)


if __name__ == "__main__":
    sys.exit(main())
