"""Matrix instructions on the interpreter and as SIMD code, at every width and level, on random bits:
NaNs, infinities and subnormals among them.  matrix.py PTX_RUN KUDZU PART PARTS"""
import os
import random
import subprocess
import sys
import tempfile

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


def main(tool, kudzu, part, parts):
    rng = random.Random(7)
    for kind, bits in matrix_kernels.BITS.items():
        matrix_kernels.ENCODE[kind] = noise(rng, bits)
    with tempfile.TemporaryDirectory() as out:
        path = os.path.join(out, "matrix.ptx")
        with open(path, "w") as f:
            f.write(matrix_kernels.HEAD)
            kernels = [kernel for kernel, _ in matrix_kernels.cases(2)]
            for kernel in kernels[int(part)::int(parts)]:
                f.write("// run: %s grid=1 block=%d args=buf:%d\n%s" % (
                    kernel.name, kernel.threads, kernel.words, kernel.text()))
        env = dict(os.environ, KUDZU_COMPARE_NATIVE="1")
        compare = [sys.executable, os.path.join(HERE, "compare.py"), tool, kudzu, path]
        return subprocess.run(compare, env=env).returncode


sys.exit(main(*sys.argv[1:]))
