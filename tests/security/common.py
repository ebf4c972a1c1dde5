"""What the tests with two users share. SKIPPED: ctest's code for a test that did not run."""
import os
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
OTHER = 65533  # a user without a name
KUDZU = os.path.abspath(sys.argv[1])
LIB = os.path.join(os.path.dirname(os.path.dirname(KUDZU)), "lib")
failures = []


def check(good, what):
    if not good:
        print("failed:", what)
        failures.append(what)


def need_root():
    if os.geteuid() != 0:
        print("skipped: a second user is needed, and only root can be two")
        sys.exit(SKIPPED)


def scratch():
    """A folder in /tmp, which others can look into."""
    path = tempfile.mkdtemp(prefix="kudzu-test-", dir="/tmp")
    os.chmod(path, 0o755)
    return path


def run(args, folder, env=None, user=None, timeout=240):
    """With an environment of PATH alone and what is given."""
    environment = {"PATH": "/usr/bin:/bin", "LANG": "C"}
    environment.update(env or {})
    ids = {"user": user, "group": user, "extra_groups": []} if user is not None else {}
    return subprocess.run(args, cwd=folder, env=environment, capture_output=True, text=True,
                          errors="replace", timeout=timeout, **ids)


def finish(folder):
    shutil.rmtree(folder, ignore_errors=True)
    sys.exit(bool(failures))
