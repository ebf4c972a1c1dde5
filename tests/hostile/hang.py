"""A launch that never ends is told of: which threads wait, where, and for what.
usage: hang.py KUDZU SOURCE"""
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

KUDZU, SOURCE = sys.argv[1:3]
failures = []


def run(binary, what, seconds, interrupt_after=None, limit=200, hangs=True, **more):
    """What the program has written to stderr when it says that threads wait, or ends."""
    env = dict(os.environ, KUDZU_HANG_SECONDS=seconds, **more)
    # Read by a file description of its own: a seek in the program's would move where it writes.
    with tempfile.NamedTemporaryFile("w") as err, open(err.name) as out:
        p = subprocess.Popen([binary, what], env=env, stdout=subprocess.DEVNULL, stderr=err,
                             preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        end = time.time() + limit
        if interrupt_after:
            time.sleep(interrupt_after)
            p.send_signal(signal.SIGINT)
        while p.poll() is None and time.time() < end and not (hangs and written(out).count("\n") > 1):
            time.sleep(0.1)
        p.kill()
        return written(out), p.wait()


def written(out):
    out.seek(0)
    return out.read()


def expect(name, text, pattern):
    if not re.search(pattern, text, re.S):
        failures.append(f"{name}: no {pattern!r} in\n{text}")


with tempfile.TemporaryDirectory() as folder:
    binary = os.path.join(folder, "hang")
    subprocess.run([KUDZU, "cc", "-O3", "-lineinfo", "-o", binary, SOURCE], check=True)
    begin = time.time()
    text, _ = run(binary, "flag", "1")
    took = time.time() - begin  # its threads had waited for a second, however loaded the machine is
    expect("flag", text, r"for 1 seconds no thread .*kernel _Z14waits_for_flagPi, block \([01],0,0\), "
           r".*\(3,0,0\).*hang\.cu:10: waits for variable flag")
    text, _ = run(binary, "lock", "1")
    expect("lock", text, r"kernel _Z14waits_for_lockPi, block \([012],0,0\), thread \(0,0,0\), at "
           r".*hang\.cu:17: waits for variable held")
    text, _ = run(binary, "shared", "1")
    expect("shared", text, r"block \(0,0,0\), .*hang\.cu:27: waits for shared memory at 8")
    text, code = run(binary, "flag", "1000", interrupt_after=took, hangs=False)
    expect("interrupted", text, r"interrupted.*_Z14waits_for_flagPi.*hang\.cu:10")
    if code != -signal.SIGINT:
        failures.append(f"interrupted: ended with {code}, not by SIGINT")
    text, code = run(binary, "fine", "1", hangs=False)
    if code != 0 or "wait" in text:
        failures.append(f"fine: {code}, {text}")
    # All that waits is told of by a line; what waits for one that computes, by none.
    text, code = run(binary, "slow", "0.3", hangs=False, limit=300, KUDZU_WORKERS="1")
    if code != 0 or "wait" in text:
        failures.append(f"slow: {code}, {text}")
print("\n".join(failures))
sys.exit(bool(failures))
