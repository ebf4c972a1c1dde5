"""Which kernels without loops and tests of blocks have a version for groups inside all bounds: there
is a branch that all threads take alike, as the order of a kernel's blocks tells.

usage: test_group_versions.py KUDZU SOURCE
"""
import os
import re
import subprocess
import sys
import tempfile

kudzu, source = sys.argv[1:3]
HAS = {"clamped": True, "guarded": False, "from_memory": False}

with tempfile.TemporaryDirectory() as cache:
    p = subprocess.run([kudzu, "explain", "--cpu=x86-64-v4", "--block=128", source], capture_output=True,
                       text=True, check=True, env=dict(os.environ, XDG_CACHE_HOME=cache, KUDZU_DEBUG="mask"))
found, name = {}, None
for line in (p.stdout + p.stderr).splitlines():
    kernel = re.match(r"kudzu: (\w+): mode ", line)
    if kernel:
        name = kernel[1]
        found[name] = False
    elif name and re.match(r"  block \d+ (full )?-> \d+ \d+$", line):
        found[name] = True
for name, has in HAS.items():
    if found.get(name) != has:
        sys.exit("%s: %s expected\n%s" % (name, has, p.stdout + p.stderr))
