"""Of which kernels the threads' own arrays lie word by word beside each other, as kudzu explain tells.

usage: test_private_frames.py KUDZU SOURCE
"""
import os
import re
import subprocess
import sys
import tempfile

kudzu, source = sys.argv[1:3]
# Vectors of local memory, and accesses at an address for each thread.
WANT = {"history": (True, False), "apart": (True, True), "parts": (True, False), "stack": (True, True),
        "across": (True, False), "chosen": (True, True), "passed": (False, True), "kept": (False, True),
        "looked_at": (False, True), "mixed": (False, True)}

with tempfile.TemporaryDirectory() as cache:
    out = subprocess.run([kudzu, "explain", "--all", "--block=64", source], capture_output=True, text=True,
                         check=True, env=dict(os.environ, XDG_CACHE_HOME=cache)).stdout
found = {}
for part in re.split(r"^(?=\S)", out, flags=re.M):
    if part.strip():
        found[part.split(",")[0].split("(")[0]] = (
            "one place in all threads' frames, a vector" in part,
            bool(re.search(r"local (load|store): (gather|scatter)", part)))
if found != WANT:
    sys.exit("found %s\nnot %s\n%s" % (found, WANT, out))
