"""Which operations on memory a run of blocks keeps, as kudzu explain tells: marks in the source say
"window", "lanes", or "not:" and the kernel.

usage: test_put_off.py KUDZU SOURCE
"""
import os
import re
import subprocess
import sys
import tempfile

kudzu, source = sys.argv[1:3]
KEPT = {"window": "in a window of memory", "lanes": "a value a lane"}

with tempfile.TemporaryDirectory() as cache:
    out = subprocess.run([kudzu, "explain", "--all", "--cpu=x86-64-v3", source], capture_output=True,
                         text=True, check=True, env=dict(os.environ, XDG_CACHE_HOME=cache)).stdout
failures = []
with open(source) as f:
    for n, text in enumerate(f, 1):
        mark = re.search(r"// (window|lanes|not: \w+)$", text)
        if not mark:
            continue
        found = re.findall(r"^  put_off\.cu:%d:.*\n((?:      .*\n)*)" % n, out, flags=re.M)
        notes = "".join(found)
        kept = [word for word, says in KEPT.items() if says in notes]
        want = [] if mark.group(1).startswith("not") else [mark.group(1)]
        if kept != want:
            failures.append("line %d: kept %s, not %s:\n%s" % (n, kept, want, notes))
if failures:
    sys.exit("\n".join(failures) + "\n" + out)
