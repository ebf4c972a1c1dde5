"""OpenMP directives for devices, made into plain parallel loops for the host.

A programmer for CPUs would begin with `#pragma omp parallel for` where a program for devices says
`target teams distribute parallel for`, without maps and numbers of teams. Text in, text out: nothing but
pragmas changes, and lines keep their numbers. Loops inside a loop over teams are serial, as the loop outside
has the threads.
"""
import re

DATA = re.compile(r"(target\s+(data|enter\s+data|exit\s+data|update)|declare\s+target|end\s+declare\s+target|"
                  r"begin\s+declare\s+target|requires)\b")
FOR_DEVICES = {"map", "num_teams", "thread_limit", "num_threads", "is_device_ptr", "has_device_addr", "use_device_ptr",
               "use_device_addr", "device", "defaultmap", "nowait", "depend", "dist_schedule", "uses_allocators",
               "in_reduction", "allocate"}
DIRECTIVE = ["target", "teams", "distribute", "parallel", "for", "simd", "loop"]
PRAGMA = re.compile(r"^[ \t]*#[ \t]*pragma[ \t]+omp\b((?:[^\n]*\\\n)*[^\n]*)", re.M)


class NotALoop(Exception):
    """A region that is written for teams of threads, as a CUDA block is: it has no plain loop."""


def words_of(text):
    """The words of a directive with their arguments: [("map", "(to: a[0:n])"), ...]."""
    text = re.sub(r"//[^\n]*|/\*.*?\*/", "", text.replace("\\\n", " "), flags=re.S)
    words, k = [], 0
    while True:
        found = re.compile(r"\s*,?\s*([\w]+)\s*").match(text, k)
        if not found:
            return words
        k, argument = found.end(), ""
        if k < len(text) and text[k] == "(":
            depth, begin = 0, k
            while k < len(text):
                depth += {"(": 1, ")": -1}.get(text[k], 0)
                k += 1
                if depth == 0:
                    break
            argument = text[begin:k]
        words.append((found.group(1), argument))


def end_of_statement(text, k):
    """Where the statement ends that begins at or behind text[k]."""
    depth = 0
    while k < len(text):
        c = text[k]
        if text.startswith("//", k):
            k = text.find("\n", k)
            if k < 0:
                break
        elif text.startswith("/*", k):
            k = text.find("*/", k) + 1
        elif c in "\"'":
            k += 1
            while k < len(text) and text[k] != c:
                k += 2 if text[k] == "\\" else 1
        elif c in "({":
            depth += 1
        elif c in ")}":
            depth -= 1
            if depth <= 0 and c == "}":
                return k + 1
        elif c == ";" and depth == 0:
            return k + 1
        k += 1
    return len(text)


def directive(words, inside):
    """The host's directive, or "" where there is none."""
    names = [name for name, _ in words]
    head = []
    while names[len(head):] and names[len(head)] in DIRECTIVE:
        head.append(names[len(head)])
    clauses = [name + argument for name, argument in words[len(head):] if name not in FOR_DEVICES]
    if inside:  # the loop outside has the threads
        if "simd" in head:
            return " ".join(["simd"] + [c for c in clauses if not c.startswith(("schedule", "shared", "default", "if"))])
        return ""
    if "distribute" in head or ("parallel" in head and "for" in head) or "loop" in head:
        return " ".join(["parallel for"] + (["simd"] if "simd" in head else []) + clauses)
    if "teams" in head or "parallel" in head:
        raise NotALoop("a region of teams that is not a loop")
    return "simd " + " ".join(clauses) if "simd" in head else ""  # target alone: a region of one thread


def host_loops(text):
    """The text with directives for the host. Raises NotALoop."""
    out, end, inside = [], 0, (0, 0)
    for found in PRAGMA.finditer(text):
        words = words_of(found.group(1))
        if not words:
            continue
        names = [name for name, _ in words]
        lines = "\n" * found.group(0).count("\n")
        is_inside = inside[0] <= found.start() < inside[1]
        if DATA.match(" ".join(names)):
            new = ""
        elif names[0] in DIRECTIVE[:4]:
            new = directive(words, is_inside)
            for_threads = "target" in names or names[:2] == ["parallel", "for"] or names[0] in ("teams", "distribute")
            if for_threads and not is_inside:
                inside = (found.end(), end_of_statement(text, found.end()))
        elif names[0] in ("for", "barrier", "single", "master") and is_inside:
            raise NotALoop("threads of a team wait for each other")
        else:
            continue
        out += [text[end:found.start()], "#pragma omp " + new if new else "", lines]
        end = found.end()
    return "".join(out) + text[end:]
