#!/usr/bin/env python3
"""kudzu env and kudzu exec: the environment as shells read it, exit statuses, signals.

usage: test_env.py KUDZU
"""
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

KUDZU = os.path.realpath(sys.argv[1])
SHELLS = [s for s in ("sh", "dash", "bash", "zsh") if shutil.which(s)]
LISTS = ("PATH", "LD_LIBRARY_PATH", "LIBRARY_PATH")
failures = 0


def check(condition, what):
    global failures
    if not condition:
        failures += 1
        print("failed: " + what)


def environment(**changes):
    e = {"PATH": "/usr/bin:/bin", "LC_ALL": "C"}
    e.update(changes)
    return {k: v for k, v in e.items() if v is not None}


def run(kudzu, *args, env=None, **more):
    return subprocess.run([kudzu] + list(args), env=env or environment(), capture_output=True,
                          text=True, timeout=60, **more)


def after_eval(shell, kudzu, env):
    """The environment in the shell after eval."""
    p = subprocess.run(["/usr/bin/env", "-i"] + ["%s=%s" % i for i in env.items()] +
                       [shutil.which(shell), "-c", 'eval "$("$1" env)" && exec /usr/bin/env -0', "sh",
                        kudzu], capture_output=True, timeout=60)
    check(p.returncode == 0 and not p.stderr, "%s evaluates what env prints" % shell)
    return dict(v.split("=", 1) for v in p.stdout.decode().split("\0") if v)


def installation(folder):
    """A folder laid out as an installation is, with a copy of kudzu."""
    os.makedirs(folder + "/bin")
    shutil.copy(KUDZU, folder + "/bin/kudzu")
    return folder + "/bin/kudzu"


def values(top):
    for name in ("plain", "a b", "it's", 'q"$HOME`id`\\', "new\nline", "*"):
        root = top + "/" + name
        kudzu = installation(root)
        for shell in SHELLS:
            e = after_eval(shell, kudzu, environment(LD_LIBRARY_PATH="/x y:/$z"))
            check(e.get("PATH") == root + "/bin:/usr/bin:/bin", "PATH in %r by %s" % (name, shell))
            check(e.get("LD_LIBRARY_PATH") == root + "/lib:/x y:/$z", "LD_LIBRARY_PATH, %r" % name)
            check(e.get("LIBRARY_PATH") == root + "/lib", "LIBRARY_PATH, %r" % name)
            check(e.get("CUDA_HOME") == e.get("CUDA_PATH") == root, "CUDA_HOME, %r" % name)
            check("CUDACXX" not in e and "TRITON_PTXAS_PATH" not in e,
                  "programs that are not there are not named")
    root = top + "/plain"
    for program in ("nvcc", "ptxas", "cuobjdump", "nvdisasm"):
        os.symlink("kudzu", root + "/bin/" + program)
    e = after_eval("sh", root + "/bin/kudzu", environment())
    check(e.get("CUDACXX") == root + "/bin/nvcc" and
          e.get("TRITON_PTXAS_PATH") == e.get("TRITON_PTXAS_BLACKWELL_PATH") == root + "/bin/ptxas" and
          e.get("TRITON_CUOBJDUMP_PATH") == root + "/bin/cuobjdump" and
          e.get("TRITON_NVDISASM_PATH") == root + "/bin/nvdisasm", "programs that are there are named")
    os.symlink(root + "/bin/kudzu", top + "/kudzu")
    check(after_eval("sh", top + "/kudzu", environment()) == e, "a link to kudzu gives the same")


def lists(top):
    root = top + "/plain"
    kudzu = root + "/bin/kudzu"
    once = after_eval("sh", kudzu, environment(LD_LIBRARY_PATH="/a"))
    twice = after_eval("sh", kudzu, once)
    check(all(once[v] == twice[v] for v in LISTS), "twice is once")

    def path(before):
        p = run(kudzu, "exec", "/usr/bin/printenv", "PATH", env=environment(PATH=before))
        return p.stdout.rstrip("\n")
    own = root + "/bin"
    check(path("/usr/bin:%s:/bin" % own) == own + ":/usr/bin:/bin", "moved to the head")
    check(path("/usr/bin:%s" % own) == own + ":/usr/bin", "moved from the end")
    check(path(own + "x:/usr/bin") == own + ":" + own + "x:/usr/bin", "only the whole name counts")
    check(path("/usr/bin::/bin:") == own + ":/usr/bin::/bin:", "other folders stay as they are")
    check(path("") == path(None) == own + ":/usr/bin:/bin", "without PATH the system's stays")
    p = run(kudzu, "exec", "/usr/bin/printenv", "LD_LIBRARY_PATH", env=environment(LD_LIBRARY_PATH=""))
    check(p.stdout == root + "/lib\n", "no empty folder is made")

    p = run(installation(top + "/co:lon"), "env")
    check(p.returncode == 1 and not p.stdout and "colon" in p.stderr, "a colon is refused")
    check(run(kudzu, "env", "x").returncode == 1, "env takes no arguments")
    check("eval" in run(kudzu, "env", "--help").stdout, "env --help")


def versions(top):
    root = top + "/plain"
    home = root + "/cuda-13"
    os.makedirs(home + "/bin")
    os.symlink("../../bin/kudzu", home + "/bin/nvcc")
    e = after_eval("sh", root + "/bin/kudzu", environment(KUDZU_CUDA_VERSION="13.2"))
    check(e.get("CUDA_HOME") == e.get("CUDA_PATH") == home and e.get("CUDACXX") == home + "/bin/nvcc",
          "version 13 has a folder of its own")
    check(e.get("PATH") == "%s/bin:%s/bin:/usr/bin:/bin" % (home, root), "its programs come first")
    check(e.get("LIBRARY_PATH") == "%s/lib64:%s/lib" % (home, root), "its libraries come first")
    check(e.get("LD_LIBRARY_PATH") == root + "/lib" and e.get("KUDZU_CUDA_VERSION") == "13.2", "what stays")
    e = after_eval("sh", root + "/bin/kudzu", environment(KUDZU_CUDA_VERSION="12.4"))
    check(e.get("CUDA_HOME") == root and e.get("KUDZU_CUDA_VERSION") == "12.4", "version 12 is the usual one")
    p = run(root + "/bin/kudzu", "env", env=environment(KUDZU_CUDA_VERSION="11"))
    check(p.returncode == 1 and "KUDZU_CUDA_VERSION" in p.stderr, "an unknown version is refused")


def commands(top):
    kudzu = top + "/plain/bin/kudzu"
    check(run(kudzu, "exec", "--", "sh", "-c", "exit 7").returncode == 7, "the exit status")
    check(run(kudzu, "exec", "--", "--x").returncode == 127, "-- ends the options")
    p = run(kudzu, "exec", "echo", "-n", "a  b", "--", "$c")
    check(p.stdout == "a  b -- $c", "arguments as they are")
    p = run(kudzu, "exec", "cat", input="in\n")
    check(p.stdout == "in\n", "standard input")
    p = run(kudzu, "exec", "sh", "-c", 'echo "$CUDA_HOME"')
    check(p.stdout == top + "/plain\n", "the command's environment")
    check(run(kudzu, "exec", "kudzu", "version").returncode == 0, "found on the new PATH")

    p = run(kudzu, "exec", "no-such-command")
    check(p.returncode == 127 and "no-such-command" in p.stderr, "not found")
    with open(top + "/text", "w") as f:
        f.write("text\n")
    p = run(kudzu, "exec", top + "/text")
    check(p.returncode == 126 and "text" in p.stderr, "not executable")
    check(run(kudzu, "exec", top).returncode == 126, "a folder is not executable")
    for args in ([], ["--"], ["--wrong", "true"]):
        p = run(kudzu, "exec", *args)
        check(p.returncode == 125 and p.stderr, "exec %s is refused" % args)
    check("command" in run(kudzu, "exec", "--help").stdout, "exec --help")

    p = run(kudzu, "exec", "sh", "-c", "kill -TERM $$")
    check(p.returncode == -signal.SIGTERM, "a signal's end is seen")
    p = subprocess.Popen([kudzu, "exec", "sleep", "60"], env=environment())
    for _ in range(1000): # until it is the command
        with open("/proc/%d/comm" % p.pid) as f:
            if f.read() == "sleep\n":
                break
        time.sleep(0.01)
    else:
        check(False, "the process becomes the command")
    p.send_signal(signal.SIGINT)
    check(p.wait(timeout=60) == -signal.SIGINT, "the command gets signals")


with tempfile.TemporaryDirectory() as folder:
    folder = os.path.realpath(folder)
    values(folder)
    lists(folder)
    versions(folder)
    commands(folder)
print("%d failures" % failures)
sys.exit(failures != 0)
