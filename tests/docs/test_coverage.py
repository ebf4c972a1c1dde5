"""docs/coverage.md and docs/functions.md: each section and function that is listed as working names a
test, the test exists, no section of the device language is left out, and a function stands in the source of one of its tests. docs/api.md: some test
names each function of the APIs that is built.

usage: test_coverage.py CTEST BUILD
"""
import glob
import os
import re
import subprocess
import sys

from sources import ROOT, sources_of

NOTHING_TO_TEST = re.compile(r"(does not|concern|advice)\b")  # a state that begins so
PROGRAMS = {"tests/clients/numba-cuda.sh"}  # run by hand, with programs of others
bad = 0


def fail(text):
    global bad
    print(text)
    bad += 1


def rows(name):
    """The cells of each row of the page's tables, without their heads."""
    with open(os.path.join(ROOT, "docs", name), encoding="utf-8") as f:
        lines = [line.strip().strip("|") for line in f if line.startswith("|")]
    cells = [[cell.strip() for cell in line.split(" | ")] for line in lines]
    return [row for row in cells if not re.match(r"-+", row[0]) and row[0] != "section"]


def existing_tests():
    ctest, build = sys.argv[1:]
    text = subprocess.run([ctest, "--test-dir", build, "-N"], check=True, capture_output=True,
                          text=True).stdout
    return re.findall(r"Test +#\d+: (\S+)", text)


def quoted(cell):
    return re.findall(r"`([^`]+)`", cell)


def check_sections(tests):
    for row in rows("coverage.md"):
        section, state, named = row[0], row[1], quoted(row[2]) if len(row) > 2 else []
        if not named and not NOTHING_TO_TEST.match(state):
            fail(f"coverage.md: {section}: no test is named")
        for name in named:
            if name in PROGRAMS:
                if not os.path.exists(os.path.join(ROOT, name)):
                    fail(f"coverage.md: {section}: there is no {name}")
            elif not any(test.startswith(name) for test in tests):
                fail(f"coverage.md: {section}: there is no test {name}")


# What the guide has of the device language, and the chapters behind it.
SECTIONS = [f"10.{i}" for i in range(1, 44)] + [str(i) for i in range(11, 27)]


def check_all_sections():
    listed = set()
    for row in rows("coverage.md"):
        for first, last in re.findall(r"(?<![\w.])(\d+(?:\.\d+)*)(?:-(\d+(?:\.\d+)*))?", row[0]):
            listed.add(first)
            if "." in first and last:
                chapter = first.split(".")[0]
                listed |= {f"{chapter}.{i}" for i in range(int(first.split(".")[1]), int(last.split(".")[1]) + 1)}
    for section in SECTIONS:
        if section not in listed:
            fail(f"coverage.md: section {section} is missing")


def words_of(test):
    words = set()
    for path in sources_of(test):
        with open(os.path.join(ROOT, path), encoding="utf-8", errors="replace") as f:
            words.update(re.findall(r"\w+", f.read()))
    return words


def check_functions(tests):
    for section, functions, named in rows("functions.md"):
        words = set()
        for test in quoted(named):
            if test not in tests:
                fail(f"functions.md: {section}: there is no test {test}")
            words |= words_of(test)
        for function in quoted(functions):
            if function.split("::")[-1] not in words:
                fail(f"functions.md: {section}: no source of {named} names {function}")


def check_entry_points():
    words = set()
    for pattern in ("*.c", "*.cu", "*.cpp", "*.h", "*.py"):
        for path in glob.glob(os.path.join(ROOT, "tests", "**", pattern), recursive=True):
            with open(path, encoding="utf-8", errors="replace") as f:
                words.update(re.findall(r"\w+", f.read()))
    for row in rows("api.md"):
        name, state = row[0].strip("`"), row[-1]
        named = name in words or re.sub(r"_v\d+$", "", name) in words
        if state == "built" and not named:
            fail(f"api.md: no test names {name}")


all_tests = existing_tests()
check_sections(all_tests)
check_all_sections()
check_functions(all_tests)
check_entry_points()
sys.exit(bad != 0)
