"""Whether the outputs of two sides tell of the same results."""
import re

NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?![\w.]*\w)")
WRONG = re.compile(r"\bfail(ed|ure|s)?\b|mismatch|\bwrong\b|incorrect|\bnan\b|\berror\b:?(?![^\n]*\d)", re.I)
OF_ERROR = re.compile(r"\berror\b|difference|deviation|\brmse?\b", re.I)
RIGHT = re.compile(r"\bpass(ed)?\b|success|\bcorrect|verified", re.I)
OF_SPEED = re.compile(r"time|took|latency|elapsed|duration|[GM](B|iB|b)?/s|flop|bandwidth|throughput|speed|thread|block", re.I)


def results(text):
    """The numbers of each line that tells neither of speed nor of a rounding error, by its words."""
    found = {}
    for line in text.splitlines():
        numbers = [float(n) for n in NUMBER.findall(line)]
        if numbers and not OF_SPEED.search(line) and not OF_ERROR.search(line):
            found.setdefault(NUMBER.sub("#", line).strip(), []).append(numbers)
    return found


def agree(kudzu, host, tolerance=1e-3):
    """"checked": both say that they passed, or print the same numbers; "unchecked"; or "differ: ...".

    tolerance: of |difference| / |value|; sums of floats in another order differ."""
    for side, text in (("kudzu", kudzu), ("host", host)):
        wrong = WRONG.search(text)
        if wrong:
            return "differ: %s says %s" % (side, wrong.group())
    compared = bool(RIGHT.search(kudzu) and RIGHT.search(host))
    a, b = results(kudzu), results(host)
    for words in sorted(a.keys() & b.keys()):
        if len(a[words]) != len(b[words]):
            continue
        for x, y in zip(a[words], b[words]):
            if any(abs(p - q) > tolerance * max(abs(p), abs(q), 1e-6) for p, q in zip(x, y)):
                return "differ: %s: %s, %s" % (words[:60], x[:4], y[:4])
            compared = True
    return "checked" if compared else "unchecked"
