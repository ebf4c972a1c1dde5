"""Which kernels have a loop with a version for its last lanes, as `kudzu explain` tells.

usage: test_last_lanes.py KUDZU SOURCE
"""
import os
import re
import subprocess
import sys
import tempfile

kudzu, source = sys.argv[1:3]

with tempfile.TemporaryDirectory() as cache:
    p = subprocess.run([kudzu, "explain", "--all", "--cpu=x86-64-v4", "--block=128", source], capture_output=True,
                       text=True, check=True, env=dict(os.environ, XDG_CACHE_HOME=cache))
has, name = {}, None
for line in p.stdout.splitlines():
    kernel = re.match(r"(yes|no)_\w+", line)
    if kernel:
        name = kernel[0]
        has[name] = False
    elif name and "the last threads in the loop run one by one" in line:
        has[name] = True
if len(has) != 6:
    sys.exit("six kernels expected\n" + p.stdout + p.stderr)
for name, found in has.items():
    if found != name.startswith("yes"):
        sys.exit("%s: %s\n%s" % (name, found, p.stdout))
