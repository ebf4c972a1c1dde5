"""Runs hand-written PTX on the interpreter and compares with results that are known independently.

A case file holds PTX and lines such as
    //! run [--shared N] KERNEL GX GY GZ BX BY BZ ARGS...
    //! out K: EXPRESSION         buffer K afterwards, as a list of 32-bit words
    //! text LINE                 what the kernel prints, a line each
    //! fault NAME thread T
Each runs twice: from PTX, and from the printed and parsed text form of the IR.
"""
import struct
import subprocess
import sys


def collatz(n):
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def irreducible(t):
    r, n, at_x = 1, t, t % 2 == 0
    while True:
        r = r * 3 if at_x else r + 5
        if n == 0:
            return r % 2**32
        n, at_x = n - 1, not at_x


def words(value, n):
    return [value >> 32 * k & 0xffffffff for k in range(n)]


def bits(kind, word, value):
    return struct.unpack(word, struct.pack(kind, value))[0]


NAMES = dict(collatz=collatz, fib=fib, irreducible=irreducible, words=words,
             f16=lambda v: bits("<e", "<H", v), f32=lambda v: bits("<f", "<I", v),
             f64lo=lambda v: bits("<d", "<Q", v) & 0xffffffff,
             f64hi=lambda v: bits("<d", "<Q", v) >> 32)


def read_cases(path):
    cases = []
    for line in open(path):
        if not line.startswith("//! "):
            continue
        kind, _, rest = line[4:].rstrip("\n").partition(" ")
        if kind == "run":
            cases.append(dict(command=rest.split(), out={}, text=[], fault=None))
        elif kind == "out":
            k, _, expr = rest.partition(":")
            cases[-1]["out"][int(k)] = [v % 2**32 for v in eval(expr, dict(NAMES))]
        elif kind == "text":
            cases[-1]["text"].append(rest)
        elif kind == "fault":
            cases[-1]["fault"] = rest
        else:
            raise SystemExit("%s: unknown line %s" % (path, line))
    return cases


def run(tool, path, case, extra):
    options, rest = [], list(case["command"])
    while rest[0].startswith("--"):
        options += rest[:2]
        rest = rest[2:]
    p = subprocess.run([tool, *extra, *options, path, *rest], capture_output=True, text=True,
                       timeout=60)
    buffers, text, fault = {}, [], None
    for line in p.stdout.splitlines():
        head, _, tail = line.partition(": ")
        if head.isdigit():
            buffers.setdefault(int(head), []).extend(int(w, 16) for w in tail.split())
        elif head == "fault":
            fault = tail
        else:
            text.append(line)
    return p, buffers, text, fault


def check(tool, path, case, extra):
    p, buffers, text, fault = run(tool, path, case, extra)
    problems = []
    if p.returncode not in (0, 1) or p.stderr:
        problems.append("exit %d: %s" % (p.returncode, p.stderr.strip()))
    if fault != case["fault"]:
        problems.append("fault %s where %s was expected" % (fault, case["fault"]))
    if text != case["text"]:
        problems.append("printed %s where %s was expected" % (text, case["text"]))
    for k, want in case["out"].items():
        got = buffers.get(k, [])
        if got != want:
            wrong = [n for n in range(max(len(got), len(want)))
                     if n >= len(got) or n >= len(want) or got[n] != want[n]]
            n = wrong[0]
            problems.append("buffer %d differs at %d words, first %d: %s, expected %s" % (
                k, len(wrong), n, [hex(v) for v in got[n:n + 4]], [hex(v) for v in want[n:n + 4]]))
    return problems


def main(tool, *paths):
    bad = total = 0
    for path in paths:
        for case in read_cases(path):
            for extra in ([], ["--text"]):
                total += 1
                for problem in check(tool, path, case, extra):
                    bad += 1
                    print("%s: %s %s: %s" % (path, " ".join(case["command"]), extra, problem))
    print("%d runs, %d problems" % (total, bad))
    return bad != 0 or total == 0


sys.exit(main(*sys.argv[1:]))
