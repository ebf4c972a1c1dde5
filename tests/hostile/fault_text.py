#!/usr/bin/env python3
"""The error log names kernel, block and, where it is known, thread.

usage: fault_text.py PROGRAM CASE PATTERN
"""
import os
import re
import subprocess
import sys

program, case, pattern = sys.argv[1:]
run = subprocess.run([program, case], env={**os.environ, "CUDA_LOG_FILE": "stderr"},
                     capture_output=True, text=True, timeout=120)
if run.returncode != 0 or "as documented" not in run.stdout:
    sys.exit(f"ended with {run.returncode}\n{run.stdout}{run.stderr}")
if not re.search(pattern, run.stderr):
    sys.exit(f"the log has no {pattern!r}:\n{run.stderr}")
