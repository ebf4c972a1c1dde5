"""Counts tests in JUnit's files, each once, whatever parts it has.

usage: count_results.py CLIENT VERSION FILE...

Prints "client version passed failed skipped"; failed tests are listed on stderr.
"""

import sys
import xml.etree.ElementTree as ElementTree


def count(paths):
    """Outcomes by test: "failed" if a part of it failed, else "passed" if one passed."""
    rank = {"skipped": 0, "passed": 1, "failed": 2}
    outcomes = {}
    for path in paths:
        for case in ElementTree.parse(path).getroot().iter("testcase"):
            kinds = {child.tag for child in case}
            outcome = "passed"
            if kinds & {"failure", "error"}:
                outcome = "failed"
            elif "skipped" in kinds:
                outcome = "skipped"
            name = case.get("classname", "") + "." + case.get("name", "")
            outcomes[name] = max(outcomes.get(name, outcome), outcome, key=rank.get)
    return outcomes


def main():
    client, version, *paths = sys.argv[1:]
    outcomes = count(paths)
    for name in sorted(n for n, o in outcomes.items() if o == "failed"):
        print("failed: " + name, file=sys.stderr)
    numbers = [list(outcomes.values()).count(o) for o in ("passed", "failed", "skipped")]
    print(client, version, *numbers)


if __name__ == "__main__":
    main()
