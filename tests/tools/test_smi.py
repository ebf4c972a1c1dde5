#!/usr/bin/env python3
"""kudzu smi on two CPU devices: every form of output, and what it refuses.

usage: test_smi.py KUDZU
"""
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

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


def sections(uuids):
    """-q: all, chosen sections, XML."""
    code, out, _ = smi("-q", "-d", "MEMORY,COMPUTE", "-i", "1")
    check(code == 0 and "Attached GPUs" in out and out.count("FB Memory Usage") == 1 and
          re.search(r"^        Total +: \d+ MiB$", out, re.M) and
          re.search(r"^    Compute Mode +: Default$", out, re.M), "-d shows what it is asked for")
    check("Product Name" not in out and "Utilization" not in out and "Processes" not in out,
          "-d shows nothing else")
    check("Processes" in smi("-q", "--display=PIDS")[1], "-d PIDS")
    code, out, _ = smi("-q", "-d", "ACCOUNTING")
    check(code == 0 and "GPU 0" in out and "N/A" not in out, "-d of a section without rows")
    code, out, err = smi("-q", "-d", "MEMORY,NOTHING")
    check(code == 2 and "'NOTHING'" in err, "-d refuses what is no section")

    code, out, _ = smi("-q", "-x")
    log = xml.etree.ElementTree.fromstring(out)
    devices = log.findall("gpu")
    check(code == 0 and log.tag == "nvidia_smi_log" and log.findtext("attached_gpus") == "2" and
          log.findtext("cuda_version") == "13.0", "XML's head")
    check([d.findtext("uuid") for d in devices] == uuids and
          [d.get("id") for d in devices] == [d.findtext("pci/pci_bus_id") for d in devices] and
          all(re.fullmatch(r"\d+ MiB", d.findtext("fb_memory_usage/total")) and
              d.findtext("pci/pci_domain") == "0000" and
              d.findtext("temperature/gpu_temp") == "N/A" and
              d.find("processes") is not None for d in devices), "XML's devices")
    check(smi("-x")[0] == 2 and smi("-d", "MEMORY")[0] == 2, "-x and -d need -q")
    check(smi("-q", "-x", "-d", "MEMORY")[0] == 2, "-x shows everything")


def own_process():
    """A process that has loaded the driver is seen by the others."""
    library = os.path.join(os.path.dirname(KUDZU), "..", "lib", "libcuda.so.1")
    program = ("import ctypes, sys; ctypes.CDLL(%r); print('ready', flush=True); sys.stdin.read()" %
               os.path.realpath(library))
    with subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, env=ENVIRONMENT) as other:
        other.stdout.readline()
        lines = smi("pmon", "-c", "1", "-i", "0")[1].splitlines()
        check(any(line.split()[:3] == ["0", str(other.pid), "C"] for line in lines), "pmon")
        log = xml.etree.ElementTree.fromstring(smi("-q", "-x", "-i", "0")[1])
        check(str(other.pid) in [p.text for p in log.iter("pid")], "processes in XML")
        out = smi("-q", "-d", "PIDS", "-i", "0")[1]
        check(re.search(r"Process ID +: %d$" % other.pid, out, re.M), "processes in -q")
        other.stdin.close()


def monitors():
    code, out, _ = smi("dmon", "-c", "1", "-s", "um")
    lines = [line.split() for line in out.splitlines()]
    check(code == 0 and lines[0] == "# gpu sm mem enc dec jpg ofa fb bar1 ccpm".split() and
          [line[0] for line in lines[2:]] == ["0", "1"] and
          all(line[1].isdigit() and line[3] == "-" and line[7].isdigit() for line in lines[2:]),
          "dmon")
    code, out, _ = smi("dmon", "--count=1", "-i", "1", "-o", "DT", "--select=p")
    check(code == 0 and re.search(r"^ \d{8} \d\d:\d\d:\d\d +1 +- +- +-$", out, re.M), "dmon's time")
    check(smi("dmon", "-c", "0")[0] == 2 and smi("dmon", "-d", "11", "-c", "1")[0] == 2 and
          smi("dmon", "-s", "z")[0] == 2 and smi("pmon", "-s", "p")[0] == 2 and
          smi("dmon", "-i", "5", "-c", "1")[0] == 6 and smi("dmon", "-o", "X")[0] == 2,
          "what monitors refuse")
    own_process()


def compute_modes():
    with tempfile.TemporaryDirectory() as folder:
        ENVIRONMENT["XDG_CONFIG_HOME"] = folder
        code, out, _ = smi("-c", "EXCLUSIVE_PROCESS", "-i", "1")
        check(code == 0 and re.fullmatch("Set compute mode to EXCLUSIVE_PROCESS for GPU [0-9:.]+\\.\nAll done.\n", out),
              "-c for a device")
        query = ("--query-gpu=compute_mode", "--format=csv,noheader")
        check(smi(*query)[1].split() == ["Default", "Exclusive_Process"], "the mode is kept")
        check(smi("--compute-mode=2")[0] == 0 and smi(*query)[1].split() == ["Prohibited"] * 2, "-c for all devices")
        check(smi("-c", "default")[0] == 0 and smi(*query)[1].split() == ["Default"] * 2, "-c by a name")
        check(smi("-c", "1")[0] == 3 and smi("-c", "4")[0] == 2 and smi("-c")[0] == 2, "-c refuses other modes")
        os.chmod(os.path.join(folder, "kudzu"), 0o777)
        code, _, err = smi("-c", "2")
        check(code == 4 and "cannot be written" in err, "a folder that others can write")
        del ENVIRONMENT["XDG_CONFIG_HOME"]


def topology():
    code, out, _ = smi("topo", "-m")
    rows = [line.split("\t") for line in out.splitlines()]
    check(code == 0 and rows[0][1:4] == ["GPU0", "GPU1", "CPU Affinity"] and rows[1][1] == " X " and
          rows[1][2] == rows[2][1] and rows[1][2] in ("NODE", "SYS") and
          re.fullmatch(r"\d+([-,]\d+)*", rows[1][3]), "topo -m")
    code, out, _ = smi("topo", "-p2p", "r")
    check(code == 0 and out.splitlines()[1] == "GPU0\t X \tOK", "topo -p2p")
    check(smi("topo", "-p2p", "n")[1].splitlines()[1] == "GPU0\t X \tNS", "topo without NVLink")
    check(smi("topo")[0] == 2 and smi("topo", "-p2p", "x")[0] == 2 and smi("topo", "-z")[0] == 2 and
          smi("topo", "-m", "-i", "3")[0] == 6, "what topo refuses")


def repetition():
    """-lms repeats until it is ended, with one header; -f writes to a file."""
    command = [KUDZU, "smi", "--query-gpu=index", "--format=csv", "-i", "1", "-lms=5"]
    with subprocess.Popen(command, env=ENVIRONMENT, stdout=subprocess.PIPE, text=True) as p:
        lines = [p.stdout.readline() for _ in range(4)]
        p.kill()
    check(lines == ["index\n", "1\n", "1\n", "1\n"], "-lms")
    with subprocess.Popen([KUDZU, "smi", "-L", "-l", "1", "-i", "0"], env=ENVIRONMENT,
                          stdout=subprocess.PIPE, text=True) as p:
        check(p.stdout.readline().startswith("GPU 0:") and p.poll() is None, "-l goes on")
        p.kill()
    check(smi("-l", "0")[0] == 2 and smi("-lms=x")[0] == 2, "intervals")
    with tempfile.TemporaryDirectory() as folder:
        name = os.path.join(folder, "log")
        code, out, _ = smi("-L", "-f", name)
        check(code == 0 and out == "" and open(name).read().count("GPU ") == 2, "-f")
        check(smi("-L", "-f", os.path.join(folder, "no", "log"))[0] == 2, "-f that cannot be written")


def main():
    code, out, _ = smi()
    rows = [line for line in out.splitlines() if line.startswith(("+", "|"))]
    check(code == 0 and all(len(row) == 91 for row in rows), "the table's lines have one width")
    check(len(re.findall(r"^\|   [01]  kudzu CPU", out, re.M)) == 2, "a row a device")
    check(re.search(r"\d+MiB / +\d+MiB", out) and re.search(r"\d+% +Default", out), "memory, use")
    check("CUDA Version: 13." in out and "Processes:" in out, "versions, processes")

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
    sections(uuids)
    monitors()
    compute_modes()
    topology()
    repetition()
    check(smi("-L", "-i", "1,0")[1].splitlines() == list(reversed(smi("-L")[1].splitlines())),
          "-i takes a list")
    ENVIRONMENT["KUDZU_COMPUTE_CAPABILITY"] = "8.6"
    check(smi("--query-gpu=compute_cap", "--format=csv,noheader")[1].split() == ["8.6", "8.6"],
          "the capability that was chosen")
    del ENVIRONMENT["KUDZU_COMPUTE_CAPABILITY"]
    ENVIRONMENT["KUDZU_CUDA_VERSION"] = "12.4"
    check(re.search(r"^CUDA version +: 12.4$", smi("--version")[1], re.M), "another version")
    del ENVIRONMENT["KUDZU_CUDA_VERSION"]
    check(re.search(r"^CUDA version +: 13.0$", smi("--version")[1], re.M), "--version")
    code, out, _ = smi("--query-compute-apps=pid,process_name,used_memory", "--format=csv")
    check(code == 0 and out.startswith("pid, process_name, used_gpu_memory [MiB]\n"), "processes")
    check("--query-gpu" in smi("--help")[1] and "memory.total" in smi("--help-query-gpu")[1], "help")

    code, out, _ = smi("--query-gpu=index,nothing", "--format=csv")
    check(code == 2 and out.startswith('Field "nothing" is not a valid field to query.'), "field")
    check(smi("--query-gpu=index")[0] == 2, "a query needs a format")
    check(smi("--format=json")[0] == 2 and smi("--nothing")[0] == 2 and smi("nothing")[0] == 2,
          "unknown options")
    for refused in ["-pm", "-r", "--gpu-reset", "--power-limit=100", "nvlink", "mig", "--unit"]:
        code, _, err = smi(refused)
        check(code == 3 and "is not supported" in err, refused + " is refused")
    check(smi("-i", "7")[0] == 6 and smi("-i", "0,7")[0] == 6 and smi("-i", "GPU-x")[0] == 6, "no such device")
    return 1 if failures else 0


sys.exit(main())
