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


# How many sections each chapter of the documents has, from their tables of contents. A chapter with none
# is a section itself.
GUIDE = {"5": 6, "6": 6, "6.2": 16, "10": 43, "11": 9, "12": 2, "13": 6, "14": 9, "15": 13, "16": 8, "17": 2,
         "18": 9, "19": 3, "20": 10, "21": 5, "22": 0, "23": 5, "24": 3, "25": 5, "26": 2}
NEWER = {"5.4.1": 6, "5.4.2": 3, "5.4.3": 3, "5.4.4": 3, "5.4.5": 2, "5.4.6": 6, "5.4.7": 4, "5.4.8": 6,
         "5.4.9": 6, "5.4.10": 3, "5.4.11": 7}
PRACTICES = {"1": 0, "2": 0, "3": 0, "4": 1, "5": 0, "6": 3, "7": 3, "8": 0, "9": 2, "10": 4, "11": 6, "12": 2,
             "13": 2, "14": 0, "15": 4, "16": 4, "17": 4, "18": 5, "19": 1, "20": 1}
DOCUMENTS = {"": GUIDE, "13.x": NEWER, "004": PRACTICES}  # by the word with which rows begin


def sections_of(cell):
    """The document and the sections that stand before the title: 10.10-10.13, 10.15 Title."""
    document, cell = re.fullmatch(r"(?:(13\.x|004): )?(.*)", cell).groups()
    found = set()
    for item in re.match(r"(?:\d[\d.]*(?:-[\d.]+)?(?:, | |$))*", cell)[0].replace(",", " ").split():
        first, last = (item.split("-") * 2)[:2]
        chapter = first.rpartition(".")[0]
        if last.rpartition(".")[0] != chapter:
            fail(f"coverage.md: {cell}: {item} is no range within a chapter")
            continue
        numbers = range(int(first.split(".")[-1]), int(last.split(".")[-1]) + 1)
        found |= {f"{chapter}.{i}" if chapter else str(i) for i in numbers}
    return document or "", found


def check_all_sections():
    listed = {document: set() for document in DOCUMENTS}
    for row in rows("coverage.md"):
        document, found = sections_of(row[0])
        listed[document] |= found
    for document, chapters in DOCUMENTS.items():
        for chapter, count in chapters.items():
            sections = [f"{chapter}.{i}" for i in range(1, count + 1)] if count else [chapter]
            # 6.2 has rows of its own sections.
            for section in sections:
                if section not in listed[document] and not chapters.get(section):
                    fail(f"coverage.md: section {(document + ' ' + section).strip()} is missing")


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
