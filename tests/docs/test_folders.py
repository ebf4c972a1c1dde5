#!/usr/bin/env python3
"""test_folders.py SOURCE: how src is laid out. A part includes itself and parts below it; of the parts of the compiler
the same holds for their folders. No folder is larger than one can look through."""
import collections
import os
import re
import sys
import unittest

SRC = os.path.join(sys.argv.pop(), "src")

# From the bottom up. What stands in one line does not know each other.
PARTS = """
abi api
support isa
ptx image target
ir
passes
plan
codegen
jit
device
driver
runtime nvml curand cufilt standins
cc
assembler
binutils nvptxcompiler nvvm
nvjitlink nvrtc cc/clang
nvfatbin
tools
"""
FOLDERS = {
    "ir": "ir clean lower interp",
    "cc": "processes options messages compat objects headers link driver",
    "codegen": "codegen pointwise core value ahead access update matrix memory emit control llvm pipeline",
    "passes": "flow analysis affine loops check",
}
LARGEST = 36  # files


def sources():
    for folder, _, files in os.walk(SRC):
        for name in files:
            if name.endswith((".c", ".h", ".cpp")):
                yield os.path.relpath(os.path.join(folder, name), SRC)


def includes(path):
    with open(os.path.join(SRC, path), encoding="utf-8") as f:
        for line in f:
            m = re.match(r'#include "((?:[\w.-]+/)+)[\w.-]+"', line)
            if m and os.path.isdir(os.path.join(SRC, m[1])):
                yield os.path.normpath(m[1])


def part(folder):
    """cc/clang is a program that holds others, and what compiles for it stands in cc."""
    return "cc/clang" if folder.startswith("cc/clang") else folder.split("/")[0]


class Folders(unittest.TestCase):
    def check(self, where, rank, what):
        wrong = [f"{a} includes {what(b)}/" for a in sources() for b in includes(a)
                 if where(a, b) and what(os.path.dirname(a)) != what(b)
                 and rank.get(what(os.path.dirname(a)), -1) <= rank.get(what(b), len(rank))]
        self.assertEqual(wrong, [])

    def test_parts_include_downwards(self):
        rank = {name: i for i, line in enumerate(PARTS.split("\n")) for name in line.split()}
        missing = {part(os.path.dirname(p)) for p in sources()} - set(rank)
        self.assertEqual(missing, set(), "parts without a place in PARTS")
        self.check(lambda a, b: True, rank, part)

    def test_folders_of_the_compiler_include_downwards(self):
        for top, order in FOLDERS.items():
            rank = {name: i for i, name in enumerate(order.split())}

            def inside(path, top=top):
                return (path.split("/")[1:] or [top])[0]

            self.check(lambda a, b, top=top: part(os.path.dirname(a)) == top == part(b), rank, inside)

    def test_folders_can_be_looked_through(self):
        count = collections.Counter(map(os.path.dirname, sources()))
        self.assertEqual({f: n for f, n in count.items() if n > LARGEST}, {})


if __name__ == "__main__":
    unittest.main()
