"""Compiles one file of language/ on both sides and looks into its PTX.

The file says what must be there: "// CHECK: regex" matches on some line of the PTX,
"// CHECK-NOT: regex" on none.
"""
import os
import re
import subprocess
import sys
import tempfile

kudzu, source = sys.argv[1], sys.argv[2]
with tempfile.TemporaryDirectory(prefix="kudzu-test-") as directory:
    ptx = os.path.join(directory, "out.ptx")
    environment = dict(os.environ, TMPDIR=directory)
    flags = ["-std=c++17", "-extended-lambda", "-Werror", "all-warnings"]
    subprocess.run([kudzu, "cc", *flags, "-ptx", source, "-o", ptx], check=True, env=environment)
    subprocess.run([kudzu, "cc", *flags, "-c", source, "-o", os.path.join(directory, "out.o")],
                   check=True, env=environment)
    text = open(ptx).read()
bad = 0
for line in open(source):
    m = re.match(r"// (CHECK|CHECK-NOT): (.*)", line)
    if not m:
        continue
    found = re.search(m[2], text)
    if bool(found) != (m[1] == "CHECK"):
        print(f"{source}: {m[1]}: {m[2]}")
        bad += 1
sys.exit(bad != 0)
