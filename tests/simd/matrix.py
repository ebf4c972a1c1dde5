"""Matrix instructions on the interpreter and as SIMD code, on random bits: NaNs, infinities and
subnormals among them.  matrix.py PTX_RUN KUDZU PART PARTS

Kernels are dealt into groups of shapes and types alike; all groups together try every width, level
and tier. A group is compiled quickly for each width, at a level that changes from width to width, and well
for one lane and for one wider width, each group for it at another level: operations of a warp run in vectors of
32, whatever width is asked for. KUDZU_COMPARE=thorough compiles well for each width, too;
KUDZU_COMPARE=all tries everything with every kernel."""
import itertools
import os
import random
import sys
import tempfile

import compare

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "ir"))
import matrix_kernels  # noqa: E402


def noise(rng, bits):
    """Any bits; half the time numbers of ordinary size, where the format has room for a choice."""
    def value(v):
        x = rng.getrandbits(bits)
        if bits == 16 and x & 1:
            return x & 0x83ff | rng.randint(8, 20) << 10
        if bits == 32 and x & 1:
            return x & 0x807fffff | rng.randint(110, 140) << 23
        return x
    return value


def group_of(n, count):
    """The group of kernel n: neighbours, which are variants of one shape, are dealt apart, and so are
    the same variants of neighbouring shapes."""
    return (n + n // count + n // count ** 2) % count


def settings(levels, group):
    """The settings (level, width, tier) for a group's kernels."""
    if os.environ.get("KUDZU_COMPARE") == "all":
        return list(itertools.product(levels, compare.WIDTHS, compare.TIERS))
    half = (len(levels) + 1) // 2
    thorough = os.environ.get("KUDZU_COMPARE") == "thorough"
    return [(levels[(group + n + half * t) % len(levels)], width, tier)
            for n, width in enumerate(compare.WIDTHS) for t, tier in enumerate(compare.TIERS)
            if thorough or tier == "quick" or n < 2]


def main(tool, kudzu, part, parts):
    rng = random.Random(7)
    for kind, bits in matrix_kernels.BITS.items():
        matrix_kernels.ENCODE[kind] = noise(rng, bits)
    levels = compare.host_levels()
    if levels[-1]:
        levels.append("")  # with what the machine has beyond its level
    kernels = [kernel for kernel, _ in matrix_kernels.cases(2)]
    bad = 0
    with tempfile.TemporaryDirectory() as out:
        for group in range(int(part), len(levels), int(parts)):
            path = os.path.join(out, "matrix%d.ptx" % group)
            with open(path, "w") as f:
                f.write(matrix_kernels.HEAD)
                for n, kernel in enumerate(kernels):
                    if group_of(n, len(levels)) == group:
                        f.write("// run: %s grid=1 block=%d args=buf:%d\n%s" % (
                            kernel.name, kernel.threads, kernel.words, kernel.text()))
            tried = settings(levels, group)
            print("group %d: %s" % (group, tried))
            bad += compare.differences(tool, "group %d" % group, path, tried, out)
    print("%d comparisons differ" % bad)
    return bad != 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
