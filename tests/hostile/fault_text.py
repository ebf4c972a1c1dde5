#!/usr/bin/env python3
"""The error log names kernel, block, thread, address and line, as far as PATTERN asks for them.
"LINE" in it stands for the number of the source line that says "fault: CASE".

usage: fault_text.py PROGRAM CASE PATTERN
"""
import os
import re
import subprocess
import sys

program, case, pattern = sys.argv[1:]
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "hostile.cu")) as f:
    for number, text in enumerate(f, 1):
        if text.rstrip().endswith("fault: " + case):
            pattern = pattern.replace("LINE", str(number))
run = subprocess.run([program, case], env={**os.environ, "CUDA_LOG_FILE": "stderr"},
                     capture_output=True, text=True, timeout=120)
if run.returncode != 0 or "as documented" not in run.stdout:
    sys.exit(f"ended with {run.returncode}\n{run.stdout}{run.stderr}")
if not re.search(pattern, run.stderr):
    sys.exit(f"the log has no {pattern!r}:\n{run.stderr}")
