"""The rules of restrictions/cases.tsv, one small program each: what nvcc says of it kudzu says, too.

usage: test_restriction_table.py [part of how many]"""
import concurrent.futures
import os
import re
import sys
import unittest

from common import CompilerTest, main

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "restrictions")


def lines(name):
    with open(os.path.join(FOLDER, name)) as f:
        return [line.rstrip("\n") for line in f if line.strip() and not line.startswith("#")]


CASES = [line.split("\t") for line in lines("cases.tsv")[1:]]
# What is not as nvcc has it, with the reason. It only shrinks: a case that passes leaves it.
DIFFERENT = dict(line.split("\t") for line in lines("differences.tsv"))


class Restrictions(CompilerTest):
    def verdict(self, case):
        """What is wrong; empty: nothing."""
        name, _, options, verdict, message = case
        options = [] if options == "-" else options.split()
        if not any(o.startswith("-arch") for o in options):
            options.insert(0, "-arch=sm_90")
        r = self.cc("-c", *options, os.path.join(FOLDER, name + ".cu"), "-o", name + ".o")
        if r.returncode not in (0, 1):
            return f"ends with {r.returncode}"
        if (r.returncode == 1) != (verdict == "error"):
            return f"{'refused' if r.returncode else 'accepted'}, not {verdict}: {r.stderr}"
        if verdict == "accepted":
            return ""
        said = [line for line in r.stderr.splitlines() if f"{verdict}: " in line]
        found = any(re.search(message, line) for line in said)
        return "" if found else f"no {verdict} with {message!r}: {r.stderr}"

    def test_table(self):
        part, parts = PART
        mine = CASES[part::parts]
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            results = list(pool.map(self.verdict, mine))
        for case, wrong in zip(mine, results):
            with self.subTest(case=case[0], section=case[1]):
                if case[0] in DIFFERENT:
                    self.assertTrue(wrong, "passes: take it out of differences.tsv")
                else:
                    self.assertFalse(wrong, wrong)

    def test_files(self):
        """Each file has its line, each line its file."""
        files = {f[:-3] for f in os.listdir(FOLDER) if f.endswith(".cu")}
        self.assertEqual(files, {case[0] for case in CASES})
        self.assertEqual(len(CASES), len(files))
        self.assertLessEqual(set(DIFFERENT), files)


PART = (0, 1)
if __name__ == "__main__":
    if len(sys.argv) > 2 and sys.argv[1].isdigit():
        PART = int(sys.argv.pop(1)), int(sys.argv.pop(1))
    main()
