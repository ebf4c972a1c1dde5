"""Kernels on the interpreter against results computed by MODULE, which has their PTX: HEAD, cases(seed).
usage: run_kernels.py KIR_RUN MODULE [FILTER]"""
import importlib
import os
import subprocess
import sys
import tempfile


def run(tool, path, name, kernel):
    p = subprocess.run([tool, path, name, "1", "1", "1", str(kernel.threads), "1", "1", "buf:%d" % kernel.words],
                       capture_output=True, text=True, timeout=60)
    words = []
    for line in p.stdout.splitlines():
        head, _, tail = line.partition(": ")
        if head == "0":
            words += [int(w, 16) for w in tail.split()]
    return words, p.stderr + ("" if words else p.stdout)


def main(tool, module, only=""):
    kernels = importlib.import_module(module)
    bad = total = 0
    with tempfile.TemporaryDirectory() as out:
        for kernel, want in kernels.cases(1):
            if only not in kernel.name:
                continue
            path = os.path.join(out, "k.ptx")
            with open(path, "w") as f:
                f.write(kernels.HEAD + kernel.text())
            words, err = run(tool, path, kernel.name, kernel)
            total += 1
            wrong = [k for k in range(max(len(words), len(want)))
                     if k >= len(words) or k >= len(want) or words[k] != want[k]]
            if wrong or err:
                bad += 1
                k = wrong[0] if wrong else 0
                print("%s: %d of %d words differ, first %d: %s, expected %s %s" % (
                    kernel.name, len(wrong), len(want), k, [hex(w) for w in words[k:k + 4]],
                    [hex(w) for w in want[k:k + 4]], err[:300]))
    print("%d kernels, %d problems" % (total, bad))
    return bad != 0 or total == 0


sys.exit(main(*sys.argv[1:]))
