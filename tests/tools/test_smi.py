#!/usr/bin/env python3
"""kudzu smi on two CPU devices: every form of output, and what it refuses.

usage: test_smi.py KUDZU
"""
import os
import re
import subprocess
import sys

KUDZU = sys.argv[1]
ENVIRONMENT = dict(os.environ, KUDZU_DEVICES="2", KUDZU_DEVICE="cpu")
failures = 0


def check(condition, what):
    global failures
    if not condition:
        failures += 1
        print("failed: " + what)


def smi(*args):
    p = subprocess.run([KUDZU, "smi"] + list(args), env=ENVIRONMENT, capture_output=True, text=True,
                       timeout=60)
    return p.returncode, p.stdout, p.stderr


def main():
    code, out, _ = smi()
    rows = [line for line in out.splitlines() if line.startswith(("+", "|"))]
    check(code == 0 and all(len(row) == 91 for row in rows), "the table's lines have one width")
    check(len(re.findall(r"^\|   [01]  kudzu CPU", out, re.M)) == 2, "a row a device")
    check(re.search(r"\d+MiB / +\d+MiB", out) and re.search(r"\d+% +Default", out), "memory, use")
    check("CUDA Version: 12." in out and "Processes:" in out, "versions, processes")

    code, out, _ = smi("-L")
    lines = re.findall(r"^GPU (\d): (.*) \(UUID: (GPU-[0-9a-f-]{36})\)$", out, re.M)
    check(code == 0 and [x[0] for x in lines] == ["0", "1"], "-L")
    names, uuids = [x[1] for x in lines], [x[2] for x in lines]
    check(len(set(uuids)) == 2, "devices have UUIDs of their own")

    code, out, _ = smi("--query-gpu=index,gpu_name,uuid,memory.total,temperature.gpu",
                       "--format=csv")
    rows = [line.split(", ") for line in out.splitlines()]
    check(code == 0 and rows[0] == ["index", "name", "uuid", "memory.total [MiB]",
                                    "temperature.gpu"], "csv's header")
    check([r[:3] for r in rows[1:]] == [["0", names[0], uuids[0]], ["1", names[1], uuids[1]]],
          "csv's rows")
    check(all(re.fullmatch(r"\d+ MiB", r[3]) and r[4] == "[N/A]" for r in rows[1:]), "csv's units")

    code, out, _ = smi("--query-gpu", "memory.total,memory.used,memory.free", "--format",
                       "csv,noheader,nounits", "-i", "1")
    total, used, free = map(int, out.strip().split(", "))
    check(code == 0 and total > 0 and abs(used + free - total) <= 1, "memory adds up")
    check(smi("-i", uuids[1], "--query-gpu=index", "--format=csv,noheader")[1] == "1\n", "-i UUID")
    bus = smi("-i", "1", "--query-gpu=pci.bus_id", "--format=csv,noheader")[1].strip()
    check(smi("--id=" + bus, "--query-gpu=index", "--format=csv,noheader")[1] == "1\n", "-i PCI")

    code, out, _ = smi("-q")
    check(code == 0 and "Attached GPUs                             : 2" in out and
          out.count("Product Name") == 2, "-q")
    code, out, _ = smi("--query-compute-apps=pid,process_name,used_memory", "--format=csv")
    check(code == 0 and out.startswith("pid, process_name, used_gpu_memory [MiB]\n"), "processes")
    check("--query-gpu" in smi("--help")[1] and "memory.total" in smi("--help-query-gpu")[1], "help")

    code, out, _ = smi("--query-gpu=index,nothing", "--format=csv")
    check(code == 2 and out.startswith('Field "nothing" is not a valid field to query.'), "field")
    check(smi("--query-gpu=index")[0] == 2, "a query needs a format")
    check(smi("--format=json")[0] == 1 and smi("--nothing")[0] == 1, "unknown options")
    check(smi("-i", "7")[0] == 6 and smi("-i", "GPU-x")[0] == 6, "no such device")
    return 1 if failures else 0


sys.exit(main())
