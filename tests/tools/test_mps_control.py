#!/usr/bin/env python3
"""kudzu mps-control: the control program, its clients' threads and their list.

usage: test_mps_control.py KUDZU CLIENT (mps_client.c)
"""
import os
import subprocess
import sys
import tempfile
import time

KUDZU, CLIENT = sys.argv[1:3]
failures = 0


def check(condition, what):
    global failures
    if not condition:
        failures += 1
        print("failed: " + what)


def ask(environment, *lines):
    p = subprocess.run([KUDZU, "mps-control"], input="\n".join(lines) + "\n", env=environment,
                       capture_output=True, text=True, timeout=60)
    return p.returncode, p.stdout


class Client:
    def __init__(self, environment, *arguments, **more):
        self.p = subprocess.Popen([CLIENT, *arguments], env=dict(environment, **more), stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE, text=True)
        words = self.p.stdout.readline().split()
        self.answer, self.memory, self.nice = words[:2], [int(w) for w in words[2:7]], int(words[7])

    def end(self):
        self.p.stdin.close()
        return self.p.wait(60)


def alone(environment, **more):
    c = Client(environment, **more)
    c.end()
    return c.answer


OUT_OF_MEMORY = 2


def memory(environment, **more):
    """MiB of the devices, and the results of allocations: as much, more, pinned memory of more."""
    c = Client(environment, **more)
    c.end()
    return c.memory


def limits_of_memory(environment, server):
    whole = memory(dict(environment, CUDA_MPS_PIPE_DIRECTORY="/nonexistent"),
                   CUDA_MPS_PINNED_DEVICE_MEM_LIMIT="0=48M")
    check(min(whole[:2]) > 64 and whole[3] == OUT_OF_MEMORY, "without the service limits say nothing: %s" % whole)
    check(ask(environment, "get_default_device_pinned_mem_limit 0")[1] == "No limit\n", "no limit")
    check(memory(environment, CUDA_MPS_PINNED_DEVICE_MEM_LIMIT="1=48M,0=64MB") == [64, 48, 0, OUT_OF_MEMORY, 0],
          "a client's own limits")
    check(memory(environment, CUDA_MPS_PINNED_DEVICE_MEM_LIMIT="nothing") == whole, "no limits")
    ask(environment, "set_device_pinned_mem_limit %s 0 56M" % server, "set_default_device_pinned_mem_limit 0 2G")
    check(ask(environment, "get_device_pinned_mem_limit %s 0" % server, "get_device_pinned_mem_limit %s 1" % server,
              "get_default_device_pinned_mem_limit 0")[1] == "56M\nNo limit\n2G\n", "limits of the server and the next")
    check(memory(environment)[0::2] == [56, 0, 0] and memory(environment)[1] == whole[1], "the server's limit")
    check(memory(environment, CUDA_MPS_PINNED_DEVICE_MEM_LIMIT="0=60M")[0] == 56, "a client cannot have more")
    check(memory(environment, CUDA_MPS_PINNED_DEVICE_MEM_LIMIT="0=40M")[0] == 40, "but less")
    for text in ("0", "0 0G", "0 1T", "0 G", "64 1G", "x 1G", "0 1Gx"):
        check("Invalid" in ask(environment, "set_default_device_pinned_mem_limit " + text)[1], "limit " + text)


def priorities(environment):
    def nice(*arguments, **more):
        c = Client(environment, *arguments, **more)
        c.end()
        return c.nice

    usual = nice()
    check(nice("nicer", CUDA_MPS_CLIENT_PRIORITY="1") == min(19, usual + 10), "a client below normal")
    check(ask(environment, "get_default_client_priority", "set_default_client_priority 1",
              "get_default_client_priority")[1] == "0\n1\n", "the default")
    check(nice("nicer") == min(19, usual + 10) and nice(CUDA_MPS_CLIENT_PRIORITY="0") == usual, "clients to come")
    check("Invalid" in ask(environment, "set_default_client_priority 2")[1], "no such priority")
    ask(environment, "set_default_client_priority 0")


def main():
    with tempfile.TemporaryDirectory() as folder:
        environment = dict(os.environ, CUDA_MPS_PIPE_DIRECTORY=folder + "/pipes", KUDZU_WORKERS="8",
                           KUDZU_DEVICE="cpu", KUDZU_DEVICES="2")
        for name in ("ACTIVE_THREAD_PERCENTAGE", "PINNED_DEVICE_MEM_LIMIT", "CLIENT_PRIORITY"):
            environment.pop("CUDA_MPS_" + name, None)
        code, out = ask(environment, "get_server_list")
        check(code == 1 and "Cannot find MPS control daemon process" in out, "there is no daemon")
        # Without a daemon a percentage says nothing.
        check(alone(environment, CUDA_MPS_ACTIVE_THREAD_PERCENTAGE="50") == ["8", "0"],
              "no daemon, no limit")
        bad = subprocess.run([KUDZU, "mps-control", "-d"], capture_output=True, text=True, timeout=60,
                             env=dict(environment, CUDA_MPS_ACTIVE_THREAD_PERCENTAGE="150"))
        check(bad.returncode == 1 and "150" in bad.stderr, "a wrong percentage is refused")
        for name, text in (("PINNED_DEVICE_MEM_LIMIT", "1G"), ("CLIENT_PRIORITY", "2")):
            bad = subprocess.run([KUDZU, "mps-control", "-d"], capture_output=True, text=True, timeout=60,
                                 env=dict(environment, **{"CUDA_MPS_" + name: text}))
            check(bad.returncode == 1 and text in bad.stderr, "a wrong %s is refused" % name)
        subprocess.run([KUDZU, "mps-control", "-d"], env=environment, check=True, timeout=60)
        try:
            again = subprocess.run([KUDZU, "mps-control", "-d"], env=environment, capture_output=True,
                                   text=True, timeout=60)
            check(again.returncode == 1 and "already running" in again.stderr, "one daemon alone")
            check(ask(environment, "get_server_list") == (0, ""), "no server before a client")
            check(ask(environment, "get_default_active_thread_percentage") == (0, "100.0\n"), "100")
            a = Client(environment)
            b = Client(environment, CUDA_MPS_ACTIVE_THREAD_PERCENTAGE="30")
            check(a.answer == ["8", "1"], "a client has all")
            check(b.answer == ["3", "1"], "30 % of 8 are 3")
            code, server = ask(environment, "get_server_list")
            server = server.strip()
            check(server.isdigit(), "a server")
            check(ask(environment, "get_server_status " + server) == (0, "ACTIVE\n"), "it is active")
            clients = ask(environment, "get_client_list " + server)[1].split()
            check(sorted(clients) == sorted([str(a.p.pid), str(b.p.pid)]), "both clients")
            check("not found" in ask(environment, "get_client_list 1")[1], "another server")
            check(str(a.p.pid) in ask(environment, "ps")[1], "ps")
            check(ask(environment, "set_active_thread_percentage " + server + " 50",
                      "get_active_thread_percentage " + server,
                      "get_default_active_thread_percentage")[1] == "50.0\n50.0\n100.0\n",
                  "the server's percentage, several commands")
            check(alone(environment) == ["4", "1"], "half")
            check(alone(environment, CUDA_MPS_ACTIVE_THREAD_PERCENTAGE="70") == ["4", "1"],
                  "a client cannot have more")
            check(alone(environment, CUDA_MPS_ACTIVE_THREAD_PERCENTAGE="1") == ["1", "1"],
                  "one at least")
            check("Invalid" in ask(environment, "set_default_active_thread_percentage 0")[1], "not 0")
            limits_of_memory(environment, server)
            priorities(environment)
            check("Unknown" in ask(environment, "dance")[1], "an unknown command")
            check("has clients" in ask(environment, "shutdown_server " + server)[1], "clients run")
            check(b.end() == 0, "b ends")
            for _ in range(100):
                if ask(environment, "get_client_list " + server)[1].split() == [str(a.p.pid)]:
                    break
                time.sleep(0.05)
            else:
                check(False, "who has ended is listed no more")
            ask(environment, "shutdown_server " + server + " -f")
            check(a.p.wait(60) != 0, "a client is ended")
        finally:
            ask(environment, "quit")
        for _ in range(100):
            if not os.path.exists(folder + "/pipes/control"):
                break
            time.sleep(0.05)
        check(not os.path.exists(folder + "/pipes/control"), "the daemon has ended")
        check(alone(environment) == ["8", "0"], "as before")
    sys.exit(failures != 0)


main()
