"""Which kernels have a version without tests of indices, as `kudzu explain` says.

usage: test_group_versions.py KUDZU SOURCE
"""
import os
import re
import subprocess
import sys
import tempfile

kudzu, source = sys.argv[1:3]
NOTE = "without tests of indices where threads lie inside all bounds"
HAS = {"clamped": True, "boxes": True, "taps": True, "looped": True, "guarded": False,
       "from_memory": False}

with tempfile.TemporaryDirectory() as cache:
    p = subprocess.run([kudzu, "explain", "--cpu=x86-64-v3", "--block=128", source], capture_output=True,
                       text=True, check=True, env=dict(os.environ, XDG_CACHE_HOME=cache))
for name, has in HAS.items():
    part = re.search(r"^[^\n]*\b%s\b.*?(?=^\S|\Z)" % name, p.stdout, re.M | re.S)
    if not part or (NOTE in part[0]) != has:
        sys.exit("%s: %s expected\n%s" % (name, has, p.stdout))
