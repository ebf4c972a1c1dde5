"""The pages under docs/ and the README: no cell of a table is longer than a screen's lines, and what
they link to is there.

usage: test_pages.py
"""
import glob
import os
import re
import sys

from sources import ROOT

MOST_CHARACTERS = 300
bad = 0


def fail(text):
    global bad
    print(text)
    bad += 1


def pages():
    found = [os.path.join(ROOT, "README.md"), os.path.join(ROOT, "CONTRIBUTING.md"),
             os.path.join(ROOT, "examples", "README.md")]
    return found + sorted(glob.glob(os.path.join(ROOT, "docs", "**", "*.md"), recursive=True))


def check_cells(name, lines):
    for number, line in enumerate(lines, 1):
        if not line.startswith("|"):
            continue
        for cell in line.strip().strip("|").split(" | "):
            if len(cell.strip()) > MOST_CHARACTERS:
                fail(f"{name}:{number}: a cell of {len(cell.strip())} characters: {cell.strip()[:60]} ...")


def anchors(path):
    with open(path, encoding="utf-8") as f:
        heads = re.findall(r"^#+ +(.*)$", f.read(), flags=re.M)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


def check_links(name, path, lines):
    for number, line in enumerate(lines, 1):
        for target in re.findall(r"\]\(([^)\s]+)\)", line):
            if re.match(r"[a-z]+:", target):
                continue
            file, _, anchor = target.partition("#")
            there = os.path.join(os.path.dirname(path), file) if file else path
            if not os.path.exists(there):
                fail(f"{name}:{number}: there is no {target}")
            elif anchor and there.endswith(".md") and anchor not in anchors(there):
                fail(f"{name}:{number}: {file or name} has no section #{anchor}")


# Messages of the system, of clang and of the linker.
OTHERS = re.compile(r"error while loading shared libraries|\(ADVANCED\)|version `GLIBC|file not found|"
                    r"unable to find library|No space left on device|not found$")


def sources():
    """The text of kudzu's sources, in which literals that were split are whole."""
    text = []
    for pattern in ("*.c", "*.cpp", "*.h", "*.api", "*.py"):
        for path in glob.glob(os.path.join(ROOT, "src", "**", pattern), recursive=True):
            with open(path, encoding="utf-8", errors="replace") as f:
                text.append(re.sub(r'"\s*\n\s*"', "", f.read()))
    return "\n".join(text)


def check_messages():
    """What docs/troubleshooting.md quotes is said somewhere."""
    everything = sources()
    with open(os.path.join(ROOT, "docs", "troubleshooting.md"), encoding="utf-8") as f:
        heads = re.findall(r"^### (.*)$", f.read(), flags=re.M)
    for head in heads:
        for quoted in re.findall(r"``(.+?)``|`([^`]+)`", head):
            message = quoted[0] or quoted[1]
            if OTHERS.search(message) or re.fullmatch(r"[\w./]+", message):
                continue
            for part in re.split(r"\.\.\.|\b\d+\b|\bN\b", message):
                if len(part.strip()) > 3 and part.strip() not in everything:
                    fail(f"docs/troubleshooting.md: nothing says '{part.strip()}'")


check_messages()
for page in pages():
    with open(page, encoding="utf-8") as f:
        text = f.read().splitlines()
    relative = os.path.relpath(page, ROOT)
    check_cells(relative, text)
    check_links(relative, page, text)
sys.exit(bad != 0)
