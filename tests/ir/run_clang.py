"""Compiles a file for the host and, at each level of optimisation, for the device, and expects the
interpreter to compute what the host does.  usage: run_clang.py KIR_RUN CLANG FILE..."""
import os
import subprocess
import sys
import tempfile

DEVICE = ["-x", "cuda", "--cuda-device-only", "--cuda-gpu-arch=sm_90", "-nocudainc", "-nocudalib",
          "-Wno-unknown-cuda-version", "-D__CUDA__", "-ffp-contract=off", "-S", "-std=c++17"]
THREADS, WORDS = 40, 4


def host_results(clang, path, out):
    exe = os.path.join(out, "host")
    subprocess.run([clang, "-x", "c++", "-std=c++17", "-U__CUDA__", "-O1", "-ffp-contract=off",
                    "-w", path, "-x", "none", "-lstdc++", "-o", exe], check=True)
    text = subprocess.run([exe], check=True, capture_output=True, text=True).stdout
    return {line.split()[0]: line.split()[1:] for line in text.splitlines()}


def run(tool, ptx, kernel):
    p = subprocess.run([tool, "--text", "--stack", "65536", ptx, kernel, "1", "1", "1",
                        str(THREADS), "1", "1", "buf:%d" % (THREADS * WORDS)],
                       capture_output=True, text=True, timeout=120)
    if p.returncode:
        return [p.stdout + p.stderr]
    return [w for line in p.stdout.splitlines() for w in line.split()[1:]]


def main(tool, clang, *paths):
    bad = total = 0
    for path in paths:
        with tempfile.TemporaryDirectory() as out:
            want = host_results(clang, path, out)
            for level in ("-O0", "-O1", "-O2", "-O3"):
                ptx = os.path.join(out, "device.ptx")
                subprocess.run([clang, *DEVICE, level, path, "-o", ptx], check=True)
                for kernel, words in want.items():
                    total += 1
                    got = run(tool, ptx, kernel)
                    if got != words:
                        bad += 1
                        at = [k for k in range(len(words)) if k >= len(got) or got[k] != words[k]]
                        print("%s %s: %s differs at %s: %s, expected %s" % (
                            path, level, kernel, at[:3], got[at[0]:at[0] + 2],
                            words[at[0]:at[0] + 2]))
    print("%d runs, %d problems" % (total, bad))
    return bad != 0 or total == 0


sys.exit(main(*sys.argv[1:]))
