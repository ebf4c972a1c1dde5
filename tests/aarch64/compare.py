"""The interpreter on this machine against SIMD code for aarch64, made here and run by qemu-user:
each file's launches, with code for exactly their shapes at every width, and with code for all shapes
at the compiler's width.

usage: compare.py BUILD CROSS SYSROOT [--vectors 256] FILE...   (exit 1 on any difference, 77: no cross build)

BUILD and CROSS are the build folders, SYSROOT holds the libraries for arm64. A .cu file is compiled
to PTX twice, optimised and not; KUDZU_COMPARE=quick leaves out the second. FILE may name one
width: a.cu=8. --vectors: for SVE with registers of so many bits (128, where the machine has SVE and code is
for NEON, 256 or 512)."""
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "simd"))
sys.dont_write_bytecode = True
import compare as simd  # noqa: E402

WIDTHS = ["1", "8", "16", "32"]
# What qemu-user is told, and the level that code is made for. None: a machine without SVE.
MACHINES = {
    None: ("cortex-a76", "aarch64"),
    "128": ("max,sve=on,sve128=on,sve256=off,sve512=off,sve1024=off,sve2048=off", "aarch64"),
    "256": ("max,sve=on,sve256=on,sve512=off,sve1024=off,sve2048=off", "aarch64-sve256"),
    "512": ("max,sve=on,sve512=on,sve1024=off,sve2048=off", "aarch64-sve512"),
}


def output(command, **env):
    try:
        p = subprocess.run(command, env=dict(os.environ, **env), stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, timeout=600)
    except subprocess.TimeoutExpired:
        return "timeout"
    text = p.stdout.decode(errors="replace")
    return text if p.returncode == 0 else text + "exit %d\n" % p.returncode


class Machines:
    def __init__(self, build, cross, sysroot, folder, vectors=None):
        self.build, self.cross, self.folder = build, cross, folder
        cpu, self.level = MACHINES[vectors]
        self.qemu = ["qemu-aarch64", "-L", sysroot, "-cpu", cpu]

    def here(self, ptx):
        return output([self.build + "/bin/ptx_run", ptx], KUDZU_EXEC="interp",
                      CUDA_CACHE_PATH=self.folder)

    def image(self, ptx, widths):
        """Native code at these widths for the launches of the file, or None and why."""
        path = ptx + ".image" if ptx.startswith(self.folder) else self.folder + "/image"
        why = output([self.build + "/bin/compile_ahead", self.level, widths, ptx, path])
        return (None, why) if why else (path, "")

    def there(self, ptx, image, width):
        return output(self.qemu + [self.cross + "/bin/ptx_run", ptx, image], KUDZU_EXEC="simd",
                      KUDZU_WIDTH=width, CUDA_CACHE_DISABLE="1")


def compare(machines, name, ptx, widths):
    """How many runs there were, and how many of them differ."""
    want = machines.here(ptx)
    with open(ptx) as f:
        fails = "// fails" in f.read()
    if ("exit" in want) != fails:
        print("%s: interpreter:\n%s" % (name, want))
        return 1, 1
    bad = 0
    runs = [(",".join(widths), w) for w in widths] + ([("any", "0")] if len(widths) > 1 else [])
    made = {}
    for kind, width in runs:
        if kind not in made:
            made = {kind: machines.image(ptx, kind)}
        image, why = made[kind]
        got = machines.there(ptx, image, width) if image else why
        if got != want:
            bad += 1
            print("%s: %s width %s differs\n--- interpreter\n%s--- %s\n%s" % (
                name, "exact" if kind != "any" else "any shape,", width, want, machines.level, got))
    return len(runs), bad


def main():
    build, cross, sysroot = sys.argv[1:4]
    if not os.path.exists(cross + "/bin/ptx_run"):
        print("no cross build: make check-aarch64 sets it up")
        sys.exit(77)
    count = bad = 0
    items, vectors = sys.argv[4:], None
    if items[0] == "--vectors":
        vectors, items = items[1], items[2:]
    with tempfile.TemporaryDirectory() as folder:
        machines = Machines(build, cross, sysroot, folder, vectors)
        for item in items:
            path, _, width = item.partition("=")
            files = simd.ptx_files(build + "/bin/kudzu", path, folder)
            if os.environ.get("KUDZU_COMPARE") == "quick":
                files = files[:1]
            for name, ptx in files:
                n, differ = compare(machines, name, ptx, [width] if width else WIDTHS)
                count, bad = count + n, bad + differ
    print("%d comparisons, %d differ" % (count, bad))
    sys.exit(bad != 0)


if __name__ == "__main__":
    main()
