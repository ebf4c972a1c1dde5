"""tcgen05 of pairs of blocks on the interpreter and as SIMD code, against grids computed in Python: the kernels of
tests/ir/tensor_pair_kernels.py.  tensor_pairs.py PTX_RUN [FILTER]

All kernels are run on the interpreter, and each at one width and tier of vectors: they are dealt out.
KUDZU_COMPARE=all tries every width and tier with every kernel."""
import os
import re
import sys
import tempfile

import compare

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "ir"))
import tensor_memory_kernels  # noqa: E402
import tensor_pair_kernels  # noqa: E402


def hash_of(words):
    """As ptx_run prints it."""
    h = 14695981039346656037
    for w in words:
        h = (h ^ w) * 1099511628211 & (1 << 64) - 1
    return "%016x" % h


def wrong(tool, path, cache, cases, **env):
    """Names of the kernels that leave something else behind."""
    text = compare.run(tool, path, cache, **env)
    found = dict(re.findall(r"^(\w+) grid .*\n  buffer 0: hash (\w+)", text, re.M))
    return [(kernel.name, env, text[:400]) for kernel, want in cases if found.get(kernel.name) != hash_of(want)]


def main(tool, only=""):
    level = compare.host_levels()[-1]
    settings = [(width, tier) for width in compare.WIDTHS for tier in compare.TIERS]
    cases = [c for c in tensor_pair_kernels.cases(3) if only in c[0].name]
    bad = []
    with tempfile.TemporaryDirectory() as out:
        for group, (width, tier) in enumerate(settings):
            everything = os.environ.get("KUDZU_COMPARE") == "all"
            mine = cases if everything else cases[group::len(settings)]
            path = os.path.join(out, "pairs%d.ptx" % group)
            with open(path, "w") as f:
                f.write(tensor_memory_kernels.HEAD)
                for kernel, _ in mine:
                    f.write("// run: %s grid=2 block=%d cluster=2 args=buf:%d\n%s" % (
                        kernel.name, kernel.threads, kernel.words, kernel.text()))
            bad += wrong(tool, path, out, mine, KUDZU_EXEC="interp")
            bad += wrong(tool, path, out, mine, KUDZU_EXEC="simd", KUDZU_WIDTH=width, KUDZU_TIER=tier, KUDZU_CPU=level)
    for name, env, text in bad:
        print("%s %s:\n%s" % (name, env, text))
    print("%d kernels, %d problems" % (len(cases), len(bad)))
    return bool(bad) or not cases


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
