"""Which loops of blocks with barriers are written out, as the order of a kernel's blocks tells.

usage: test_thread_counts.py KUDZU SOURCE
"""
import os
import re
import subprocess
import sys
import tempfile

kudzu, source = sys.argv[1:3]
LOOPS = {"filled": False, "rows": False, "halo": False, "halved": False, "outside": False,
         "quotients": False, "below_zero": False, "wrapped": False, "backwards": True,
         "to_count": True, "from_data": True, "long_way": True}

with tempfile.TemporaryDirectory() as cache:
    p = subprocess.run([kudzu, "explain", "--cpu=x86-64-v3", "--block=64", source], capture_output=True,
                       text=True, check=True, env=dict(os.environ, XDG_CACHE_HOME=cache, KUDZU_DEBUG="mask"))
found, seen, name = {}, set(), None
for line in (p.stdout + p.stderr).splitlines():
    kernel = re.match(r"kudzu: (\w+): mode ", line)
    block = re.match(r"  block (\d+)[a-z ]*->(.*)", line)
    if kernel:
        name, seen = kernel[1], set()
        found[name] = False
    elif block and name:
        seen.add(block[1])
        found[name] |= any(t in seen for t in re.findall(r" (\d+)", block[2]))
if found != LOOPS:
    sys.exit("loops in %s\nnot %s\n%s" % (found, LOOPS, p.stdout + p.stderr))
