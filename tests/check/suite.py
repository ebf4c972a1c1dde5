#!/usr/bin/env python3
"""Programs with one bug each, and their twins without it, under a checker.

  suite.py [options] --plain                      compile each program and its twin; the twin runs and prints PASS
  suite.py [options] COMMAND...                   run both under COMMAND, such as: kudzu check

  --kudzu FILE     the command kudzu, which compiles (default: kudzu)
  --compile "..."  another compiler's command, such as: nvcc -arch=sm_90
  --only RE        programs whose name matches, such as memory/
  --found FILE     names of programs whose bug must be found, one a line (default: found.txt beside this file)
  --dir DIR        keeps executables and outputs there, and takes those that are newer than their source
  --limit SECONDS  for each run (default 60); what a run wrote before counts
  --jobs N         programs at a time (default 1)

programs/GROUP/NAME.cu has the bug where BUG is defined. A comment `// bug: KIND` marks the line that must be named,
`// with` the second line of a race, `// or` a line that will do as well. Lines at the head: `// options:` for the
compiler, `// check:` for the checker, `// ends: deadlock` where the bug keeps the program from its end,
`// needs: protection keys` where processors and systems without those cannot name it: it is left out there.

The table has a row for each kind: bugs found with a line, bugs of which only other lines are named, bugs missed, and
twins of which anything is reported. The exit status is 1 where a bug of --found is not found, or a twin is reported
or does not pass; 2 where the arguments are wrong.
"""
import argparse, collections, concurrent.futures, contextlib, ctypes, os, re, shlex, signal, subprocess, sys
import tempfile, threading

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import reports

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAMS = os.path.join(HERE, "programs")
MARK = re.compile(r"// (bug: (?P<kind>[\w.-]+)|(?P<word>with|or))\s*$")

Program = collections.namedtuple("Program", "name source kind bug second options check deadlock needs_keys")
Outcome = collections.namedtuple("Outcome", "bug named twin detail")  # bug: found, line, missed; twin: clean, reported, ...


def read_program(source, name):
    """The program of a file, with the lines that are marked. Raises ValueError where it has no mark."""
    with open(source) as f:
        lines = f.read().splitlines()
    kind, bug, second = None, set(), set()
    head = {}
    for number, line in enumerate(lines, 1):
        mark, option = MARK.search(line), re.match(r"// (options|check|ends|needs): (.*)", line)
        if option:
            head[option[1]] = option[2].split()
        elif mark and mark["word"] == "with":
            second.add(number)
        elif mark:
            kind = mark["kind"] or kind
            bug.add(number)
    if not kind or not any("#ifdef BUG" in line or "#ifndef BUG" in line for line in lines):
        raise ValueError(f"{source}: no line is marked with '// bug: KIND', or nothing depends on BUG")
    return Program(name, source, kind, frozenset(bug), frozenset(second), head.get("options", []),
                   head.get("check", []), head.get("ends") == ["deadlock"], head.get("needs") == ["protection", "keys"])


def has_protection_keys():
    """Whether the system gives keys of the processor's to pages (pkeys(7))."""
    libc = ctypes.CDLL(None)
    return hasattr(libc, "pkey_alloc") and libc.pkey_alloc(0, 0) > 0


def programs(only):
    for group in sorted(os.listdir(PROGRAMS)):
        folder = os.path.join(PROGRAMS, group)
        if not os.path.isdir(folder):
            continue
        for file in sorted(os.listdir(folder)):
            name = f"{group}/{file[:-3]}"
            if file.endswith(".cu") and re.search(only, name):
                yield read_program(os.path.join(folder, file), name)


def judge(program, bug_reports, twin_reports, twin_passed):
    """What a checker's reports of both programs are worth."""
    file = os.path.basename(program.source)
    named = {line for report in bug_reports for name, line in report.places if name == file}
    if named & program.bug:
        bug = "found"
    else:
        bug = "line" if bug_reports else "missed"
    twin = "reported" if twin_reports else "clean" if twin_passed else "failed"
    detail = "; ".join(r.title for r in (twin_reports or ([] if bug == "found" else bug_reports))[:2])
    return Outcome(bug, named, twin, detail)


def run(command, limit, log, **environment):
    """Exit status and text; the status is None where the limit was met."""
    with open(log, "wb") as out:
        process = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                                   start_new_session=True, env=dict(os.environ, **environment))
        late = threading.Event()

        def end():
            late.set()
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)

        # Popen.wait(limit) asks twenty times a second, and most programs take less than that.
        timer = threading.Timer(limit, end)
        timer.start()
        status = process.wait()
        timer.cancel()
        timer.join()
        status = None if late.is_set() else status
    with open(log, errors="replace") as f:
        return status, f.read()


def build(args, program, bug):
    """The executable of a program or its twin, and what the compiler said if there is none."""
    base = os.path.join(args.dir, program.name.replace("/", "."))
    executable = base + (".bug" if bug else ".twin")
    newest = max(os.path.getmtime(f) for f in (program.source, os.path.join(PROGRAMS, "suite.h")))
    if os.path.exists(executable) and os.path.getmtime(executable) > newest:
        return executable, ""
    # Of the host's debug information lines are all that a checker needs; kudzu's headers are precompiled for that.
    compiler = (shlex.split(args.compile) + ["-g"] if args.compile else
                [args.kudzu, "cc", "-arch=sm_90", "-Xcompiler", "-g1"])
    command = compiler + ["-lineinfo", program.source, "-o", executable, *program.options]
    status, text = run(command + (["-DBUG"] if bug else []), 300, executable + ".build")
    return (executable, "") if status == 0 else (None, text)


def passed(status, text):
    return status == 0 and re.search(r"^PASS$", text, re.M) is not None


def one(args, program):
    executables = []
    for bug in (False, True):
        executable, text = build(args, program, bug)
        if not executable:
            return Outcome("missed", set(), "failed", "not compiled: " + text.strip()[-400:])
        executables.append(executable)
    twin, bug = executables
    if args.plain:
        status, text = run([twin], args.limit, twin + ".out")
        return Outcome("missed", set(), "clean" if passed(status, text) else "failed", text.strip()[-200:])
    texts = []
    for executable in (bug, twin):
        # What never ends is not waited for so long as what may; the twin of it has kudzu's own ten seconds.
        waits = {"KUDZU_HANG_SECONDS": "1"} if program.deadlock and executable == bug else {}
        status, text = run(args.command + program.check + [executable], args.limit, executable + ".out", **waits)
        texts.append((status, text))
    return judge(program, reports.parse(texts[0][1]), reports.parse(texts[1][1]), passed(*texts[1]))


def table(outcomes):
    """Rows of (kind, programs, found, other line, missed, twins reported, twins failed), and the sum."""
    rows = collections.OrderedDict()
    for program, outcome in outcomes:
        for kind in (program.kind, "all"):
            row = rows.setdefault(kind, collections.Counter())
            row["programs"] += 1
            row[outcome.bug] += 1
            row[outcome.twin] += 1
    rows.move_to_end("all")
    return [(kind, *(row[c] for c in ("programs", "found", "line", "missed", "reported", "failed")))
            for kind, row in rows.items()]


def read_names(path):
    with open(path) as f:
        return [line.split("#")[0].strip() for line in f if line.split("#")[0].strip()]


def verdict(outcomes, must):
    """Reasons for which the exit status is 1."""
    by_name = {program.name: outcome for program, outcome in outcomes}
    for name in must:
        if name in by_name and by_name[name].bug != "found":
            yield f"{name}: not found"
    for name, outcome in by_name.items():
        if outcome.twin != "clean":
            yield f"{name}: twin {outcome.twin}: {outcome.detail}"


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--kudzu", default="kudzu")
    parser.add_argument("--compile")
    parser.add_argument("--only", default="")
    parser.add_argument("--found", default=os.path.join(HERE, "found.txt"))
    parser.add_argument("--dir")
    parser.add_argument("--limit", type=float, default=60)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--plain", action="store_true")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    args = parser.parse_args()
    if args.plain == bool(args.command):
        parser.error("give either --plain or a checker's command")
    keys = has_protection_keys()
    chosen = [p for p in programs(args.only) if args.plain or keys or not p.needs_keys]
    if not chosen:
        parser.error("no program's name matches " + args.only)
    must = read_names(args.found)
    unknown = set(must) - {p.name for p in programs("")}
    if unknown:
        parser.error("no such programs in " + args.found + ": " + " ".join(sorted(unknown)))
    with tempfile.TemporaryDirectory(prefix="kudzu-suite-") as temporary:
        if args.dir:
            os.makedirs(args.dir, exist_ok=True)
        else:
            args.dir = temporary
        with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
            outcomes = list(zip(chosen, pool.map(lambda p: one(args, p), chosen)))
    if not args.plain:
        for program, outcome in outcomes:
            lines = ",".join(map(str, sorted(outcome.named))) or "-"
            print(f"{program.name:42} {outcome.bug:7} {outcome.twin:9} lines {lines}  {outcome.detail}".rstrip())
        print(f"\n{'kind':24} programs  found  other line  missed  twins reported  twins failed")
        for kind, count, found, line, missed, reported, failed in table(outcomes):
            print(f"{kind:24} {count:8} {found:6} {line:11} {missed:7} {reported:15} {failed:13}")
    reasons = list(verdict(outcomes, [] if args.plain else must))
    for reason in reasons:
        print(reason, file=sys.stderr)
    if args.plain:
        print(f"{len(outcomes) - len(reasons)} of {len(outcomes)} compile, and their twins pass")
    return 1 if reasons else 0


if __name__ == "__main__":
    sys.exit(main())
