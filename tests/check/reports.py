"""What a checker said: reports in the text form that compute-sanitizer prints.

A report begins with a line "========= " whose text stands one blank behind the signs, and goes on in lines that are
indented further. Lines of the program are named as "FILE:LINE" or "FILE (LINE)".
"""
import collections, os, re

Report = collections.namedtuple("Report", "title places")  # places: (file's name, line), in the order of the text

TITLE = re.compile(r"^=========\s(?!\s)(.*)$")
DETAIL = re.compile(r"^=========\s\s+(.*)$")
NO_REPORT = re.compile(r"SUMMARY|COMPUTE-SANITIZER|KUDZU|Target application|No attachable process|^\s*$|^Saved|"
                       r"^Options:|^Running|^Progress|No (issues|errors)|^Seed\b|^Schedule\b", re.I)
PLACE = re.compile(r"([^\s:()\[\]]+\.(?:cuh?|cpp|cc|h|hpp|inl)) ?(?::(\d+)|\((\d+)\))")
HOST = re.compile(r"Host Frame|Saved host backtrace|backtrace", re.I)


def parse(text):
    """The reports of a checker's output. Where a report names lines of device code, those of host code are left out:
    they tell which launch it was."""
    found, title, device, host = [], None, [], []

    def end():
        if title is not None:
            found.append(Report(title, tuple(device or host)))

    for line in text.splitlines():
        first, more = TITLE.match(line), DETAIL.match(line)
        if first and not NO_REPORT.search(first[1]):
            end()
            title, device, host = first[1], [], []
        elif first or (line.startswith("=========") and not more):
            end()
            title = None
        if title is None:
            continue
        body = (first or more)[1] if first or more else ""
        where = host if HOST.search(body) else device
        for place in PLACE.finditer(body):
            where.append((os.path.basename(place[1]), int(place[2] or place[3])))
    end()
    return found
