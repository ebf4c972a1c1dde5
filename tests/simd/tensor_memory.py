"""tcgen05 on the interpreter and as SIMD code: the kernels of tests/ir/tensor_memory_kernels.py, which are compared
with grids computed in Python there.  tensor_memory.py PTX_RUN [PART PARTS]

Kernels are dealt into groups, one for each width and tier; the level is the machine's.
KUDZU_COMPARE=all tries every width and tier with every kernel."""
import os
import sys
import tempfile

import compare
import matrix

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "ir"))
import tensor_memory_kernels  # noqa: E402


def main(tool, part="0", parts="1"):
    level = compare.host_levels()[-1]
    settings = [(level, width, tier) for width in compare.WIDTHS for tier in compare.TIERS]
    kernels = [kernel for kernel, _ in tensor_memory_kernels.cases(2)]
    bad = 0
    with tempfile.TemporaryDirectory() as out:
        for group in range(int(part), len(settings), int(parts)):
            path = os.path.join(out, "tensor_memory%d.ptx" % group)
            with open(path, "w") as f:
                f.write(tensor_memory_kernels.HEAD)
                for n, kernel in enumerate(kernels):
                    if matrix.group_of(n, len(settings)) == group:
                        f.write("// run: %s grid=1 block=%d args=buf:%d\n%s" % (
                            kernel.name, kernel.threads, kernel.words, kernel.text()))
            tried = settings if os.environ.get("KUDZU_COMPARE") == "all" else [settings[group]]
            bad += compare.differences(tool, "group %d" % group, path, tried, out)
    print("%d kernels, %d comparisons differ" % (len(kernels), bad))
    return bad != 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
