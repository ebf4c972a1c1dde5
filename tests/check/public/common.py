"""What the scripts for public suites share: run a suite's programs under a checker, and compare with its labels.

A suite gives cases: a name, the kinds of bug that its authors say are in it, and the arguments of its runs. The
programs have been built before, each at BUILT/NAME. Half of each suite, by a hash of the name as in bench/unseen,
is kept for the end of a piece of work: --half seen is the default.
"""
import argparse, collections, importlib.util, os, re, signal, subprocess, sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import reports

KINDS = ("race", "memory", "init", "sync")
# expected: kinds, or {"any"}; runs: lists of arguments; stdin: text that each run reads.
Case = collections.namedtuple("Case", "name expected runs stdin", defaults=("",))
OTHER = re.compile(r"leak|Program hit|not freed|unused", re.I)
OF_TITLE = [("race", re.compile(r"race|hazard", re.I)), ("init", re.compile(r"uninitiali[sz]ed", re.I)),
            ("sync", re.compile(r"barrier|sync|mask|divergent|deadlock|inactive", re.I))]


def half_of(name):
    """The half that bench/unseen would put it into."""
    path = os.path.join(HERE, "..", "..", "..", "bench", "unseen", "suites.py")
    spec = importlib.util.spec_from_file_location("unseen_suites", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    globals()["half_of"] = module.half_of  # once
    return module.half_of(name)


def kind_of(report):
    """The kind of bug that a report tells of; None for what no suite has labels of (leaks, failed calls)."""
    if OTHER.search(report.title):
        return None
    for kind, pattern in OF_TITLE:
        if pattern.search(report.title):
            return kind
    return "memory"


def judge(expected, told, judged):
    """(found, missed, false): kinds that were expected and told, expected and not told, told and not expected."""
    told = {kind for kind in told if kind in judged}
    if "any" in expected:
        return ({"any"}, set(), set()) if told else (set(), {"any"}, set())
    return expected & told, (expected & set(judged)) - told, told - expected


def execute(command, limit, log, folder, stdin):
    """Exit status (None where the limit was met, negative for a signal) and what it wrote."""
    with open(log, "wb") as out:
        process = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT, stdin=subprocess.PIPE, cwd=folder,
                                   start_new_session=True)
        try:
            process.communicate(stdin.encode(), limit)
            status = process.returncode
        except subprocess.TimeoutExpired:
            status = None
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    with open(log, errors="replace") as f:
        return status, f.read()


def ending(status):
    return "limit" if status is None else f"signal {-status}" if status < 0 else f"status {status}"


def check_case(args, case, judged):
    """A row for each run: (name, run, expected, found, missed, false, how it ended)."""
    program = os.path.join(os.path.abspath(args.built), case.name)
    for number, arguments in enumerate(case.runs):
        log = os.path.join(args.logs, f"{case.name}.{number}.log")
        status, text = execute(args.command + [program, *arguments], args.limit, log, args.logs, case.stdin)
        told = [kind_of(report) for report in reports.parse(text)]
        yield (case.name, number, case.expected, *judge(case.expected, told, judged), ending(status))


def summary(rows):
    """Counts over rows of check_case: {column: number}."""
    sums = collections.Counter()
    for _, _, expected, found, missed, false, _ in rows:
        sums["runs"] += 1
        sums["runs with a bug"] += bool(expected)
        sums["runs without"] += not expected
        sums["false"] += bool(false)
        sums["clean without a bug"] += not expected and not false
        for kind in found:
            sums["found " + kind] += 1
        for kind in missed:
            sums["missed " + kind] += 1
    return sums


def main(usage, cases, judged=KINDS):
    """A suite's script. cases(checkout) gives its cases; judged are the kinds that its labels speak of."""
    parser = argparse.ArgumentParser(description=usage, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--half", choices=("seen", "unseen", "all"), default="seen")
    parser.add_argument("--match", default="", help="programs whose name matches this expression")
    parser.add_argument("--limit", type=float, default=120, help="seconds for a run")
    parser.add_argument("--logs", default="check-logs", help="folder for what each run writes")
    parser.add_argument("--runs", type=int, help="this many of each program's runs")
    parser.add_argument("--list", action="store_true", help="the cases and their labels alone")
    parser.add_argument("checkout")
    parser.add_argument("built", nargs="?", help="folder with the programs, each under its case's name")
    parser.add_argument("command", nargs=argparse.REMAINDER, help="the checker; none: plain runs")
    args = parser.parse_args()
    args.checkout = os.path.abspath(args.checkout)
    chosen = [case for case in cases(args.checkout)
              if args.half in ("all", half_of(case.name)) and re.search(args.match, case.name)]
    if args.list or not args.built:
        for case in chosen:
            print(case.name, ",".join(sorted(case.expected)) or "-", len(case.runs), sep="\t")
        return 0
    args.logs = os.path.abspath(args.logs)
    os.makedirs(args.logs, exist_ok=True)
    rows, absent = [], []
    for case in chosen:
        if not os.path.exists(os.path.join(args.built, case.name)):
            absent.append(case.name)
            continue
        for row in check_case(args, case._replace(runs=case.runs[:args.runs]), judged):
            rows.append(row)
            name, number, expected, found, missed, false, ended = row
            words = [",".join(sorted(part)) or "-" for part in (expected, found, missed, false)]
            print(f"{name}\t{number}\texpected {words[0]}\tfound {words[1]}\tmissed {words[2]}\tfalse {words[3]}\t{ended}",
                  flush=True)
    print()
    for column, number in sorted(summary(rows).items()):
        print(f"{column:24} {number}")
    if absent:
        print(f"{'not built':24} {len(absent)}: {' '.join(absent[:8])}{' ...' if len(absent) > 8 else ''}")
    return 0
