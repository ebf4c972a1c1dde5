#!/usr/bin/env python3
"""A kernel that never ends: SIGINT ends the process, by that signal, within a second.

usage: interrupt.py PROGRAM
"""
import signal
import subprocess
import sys
import time

program = subprocess.Popen([sys.argv[1], "loop"], stdout=subprocess.PIPE, text=True)
try:
    line = program.stdout.readline()
    if line != "looping\n":
        sys.exit(f"the program said {line!r}")
    time.sleep(0.5)
    if program.poll() is not None:
        sys.exit(f"the program ended by itself with {program.returncode}")
    sent = time.monotonic()
    program.send_signal(signal.SIGINT)
    status = program.wait(timeout=30)
    took = time.monotonic() - sent
    if status != -signal.SIGINT:
        sys.exit(f"the program ended with {status}, expected death by SIGINT")
    if took > 1:
        sys.exit(f"it took {took:.1f} s")
finally:
    program.kill()
