#!/usr/bin/env python3
"""recursion.py BUILD CLANG: no function of the compiler goes as deep as its input is. Lists the
functions that can call themselves, directly or through others (a function that another one names,
as an argument or in a table, counts as called by it), and compares them with recursion.txt, which
says for each what bounds its depth. A new one fails, and so does a line that is no longer true.
From the same calls follows which files call each other in circles: file_cycles.txt lists those, one
circle a line, and a new one fails, one that has grown, and one that is no longer there."""
import glob
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

PARTS = re.compile(r"/src/(ptx|ir|isa|passes|plan|codegen|jit|support)/(?:[^/]+/)?[^/]*\.c$")


def sources(build):
    """Each file of the compiler, by what it is compiled with: {(folder, options): paths}"""
    seen, groups = set(), {}
    with open(os.path.join(build, "compile_commands.json")) as f:
        entries = json.load(f)
    for entry in entries:
        path = entry["file"]
        if not PARTS.search(path) or path in seen:
            continue
        seen.add(path)
        words, keep = shlex.split(entry["command"]), []
        for i, word in enumerate(words):
            if word.startswith(("-I", "-D", "-std=")) and word != "-I":
                keep.append(word)
            elif word in ("-isystem", "-include", "-I"):
                keep += [word, words[i + 1]]
        groups.setdefault((entry["directory"], tuple(keep)), []).append(path)
    return groups


def commands(build, clang, folder):
    """What makes LLVM IR of the files. A start of clang takes longer than a file: many files a process, which
    clang's driver has no option for. Each output lies beside its input, which is a link."""
    for (directory, options), paths in sources(build).items():
        driver = [clang, "-###", "-S", "-emit-llvm", "-O0", "-w", *options, paths[0], "-o", "out.ll"]
        said = subprocess.run(driver, cwd=directory, capture_output=True, text=True, check=True).stderr
        line = shlex.split(said.strip().splitlines()[-1])
        for name in ("-o", "-main-file-name"):
            at = line.index(name)
            del line[at:at + 2]
        line.remove(paths[0])
        links = [os.path.join(folder, path.split("/src/")[1].replace("/", "_") + ".c") for path in paths]
        for path, link in zip(paths, links):
            os.symlink(path, link)
        for some in (links[0::2], links[1::2]):
            if some:
                yield directory, line + some


def read_calls(path):
    """Who names whom: {function or table: names}. Those of one file are told apart by its name."""
    unit = os.path.basename(path)[:-len(".ll")]
    with open(path) as f:
        text = f.read()
    name = r'@"?([\w.$]+)"?'
    own = set(re.findall(r"^define internal [^@]*" + name, text, re.M))
    tables = dict(re.findall("^" + name + r" = (.*)$", text, re.M))
    own |= {n for n, body in tables.items() if body.startswith(("internal", "private"))}

    def full(n):
        return f"{unit}:{n}" if n in own else n

    calls = {full(n): set(map(full, re.findall(name, body))) for n, body in tables.items()}
    for m in re.finditer(r"^define [^@]*" + name + r"\(.*?\n}", text, re.M | re.S):
        body = m.group(0).split("\n", 1)[1]
        calls[full(m.group(1))] = set(map(full, re.findall(name, body)))
    return calls


def cycles(calls):
    """Tarjan's algorithm: the groups of functions that can come back to themselves."""
    index, low, stack, on_stack, found = {}, {}, [], set(), []
    for root in calls:
        if root in index:
            continue
        index[root] = low[root] = len(index)
        stack.append(root)
        on_stack.add(root)
        path = [(root, iter(calls[root]))]
        while path:
            v, rest = path[-1]
            for w in rest:
                if w not in calls:
                    continue
                if w not in index:
                    index[w] = low[w] = len(index)
                    stack.append(w)
                    on_stack.add(w)
                    path.append((w, iter(calls[w])))
                    break
                if w in on_stack:
                    low[v] = min(low[v], index[w])
            else:
                path.pop()
                if path:
                    low[path[-1][0]] = min(low[path[-1][0]], low[v])
                if low[v] != index[v]:
                    continue
                group = []
                while not group or group[-1] != v:
                    group.append(stack.pop())
                    on_stack.discard(group[-1])
                if len(group) > 1 or v in calls[v]:
                    found.append(group)
    return found


def listed(name):
    """The lines of a list beside this file, without its comments"""
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), name)) as f:
        return [line.split() for line in f if line.strip() and not line.startswith("#")]


def file_cycles(calls, where):
    """Groups of files that call each other in circles, each sorted. where: {function: file}"""
    files = {}
    for name, callees in calls.items():
        files.setdefault(where[name], set()).update(where[c] for c in callees if c in where)
    for name, callees in files.items():
        callees.discard(name)
    return {tuple(sorted(group)) for group in cycles(files)}


def check_files(calls, where):
    """Prints what differs from file_cycles.txt, and returns whether anything does."""
    allowed = {tuple(sorted(words)) for words in listed("file_cycles.txt")}
    found = file_cycles(calls, where)
    for group in sorted(found - allowed):
        print("these files call each other in a circle, and are not listed:", *group)
    for group in sorted(allowed - found):
        print("listed in file_cycles.txt, and no longer a circle:", *group)
    return found != allowed


def main():
    build, clang = sys.argv[1:3]
    allowed = {words[0] for words in listed("recursion.txt")}
    calls, where = {}, {}
    with tempfile.TemporaryDirectory() as folder:
        with ThreadPoolExecutor(2) as pool:
            list(pool.map(lambda c: subprocess.run(c[1], cwd=c[0], check=True),
                          commands(build, clang, folder)))
        for path in sorted(glob.glob(folder + "/*.ll")):
            own = read_calls(path)
            calls.update(own)
            where.update(dict.fromkeys(own, os.path.basename(path)[:-len(".ll")]))
    found = {f for group in cycles(calls) for f in group}
    print(f"{len(calls)} functions and tables, {len(found)} of them recursive")
    for name in sorted(found - allowed):
        print(f"{name} can call itself: recursion.txt does not say what bounds its depth")
    for name in sorted(allowed - found):
        print(f"{name} is in recursion.txt and does not call itself")
    differ = check_files(calls, where)
    return 1 if found != allowed or differ or len(calls) < 1000 else 0


if __name__ == "__main__":
    sys.exit(main())
