#!/usr/bin/env python3
"""A kernel that never ends: SIGINT ends the process, by that signal, within a second; where others
use the machine, before it has used a second of each processor.

usage: interrupt.py PROGRAM
"""
import os
import resource
import signal
import subprocess
import sys
import time



def processor_time(pid):
    """Seconds that a process has used, all its threads together."""
    with open(f"/proc/{pid}/stat") as f:
        fields = f.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


program = subprocess.Popen([sys.argv[1], "loop"], stdout=subprocess.PIPE, text=True)
try:
    line = program.stdout.readline()
    if line != "looping\n":
        sys.exit(f"the program said {line!r}")
    time.sleep(0.5)
    if program.poll() is not None:
        sys.exit(f"the program ended by itself with {program.returncode}")
    sent, used = time.monotonic(), processor_time(program.pid)
    program.send_signal(signal.SIGINT)
    status = program.wait(timeout=60)
    took = time.monotonic() - sent
    if status != -signal.SIGINT:
        sys.exit(f"the program ended with {status}, expected death by SIGINT")
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = children.ru_utime + children.ru_stime - used
    if took > 1 and used > os.cpu_count():
        sys.exit(f"it took {took:.1f} s, {used:.1f} s of them on processors")
finally:
    program.kill()
