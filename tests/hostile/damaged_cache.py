#!/usr/bin/env python3
"""Damaged files in the compute cache are refused: the program compiles again and is right.

usage: damaged_cache.py PROGRAM
"""
import os
import pathlib
import random
import subprocess
import sys
import tempfile


def run(program, cache):
    result = subprocess.run([program, "launches"], env={**os.environ, "CUDA_CACHE_PATH": cache},
                            capture_output=True, text=True, timeout=120)
    if result.returncode != 0 or "as documented" not in result.stdout:
        sys.exit(f"ended with {result.returncode}\n{result.stdout}{result.stderr}")


def files_of(cache):
    return sorted(f for f in pathlib.Path(cache).rglob("*") if f.is_file() and f.stat().st_size)


def damage(data, kind, rng):
    if kind == "empty":
        return b""
    if kind == "cut":
        return data[: rng.randrange(len(data))]
    if kind == "noise":
        return rng.randbytes(len(data))
    changed = bytearray(data)
    changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    return bytes(changed)


rng = random.Random(1)
with tempfile.TemporaryDirectory() as cache:
    run(sys.argv[1], cache)
    good = {f: f.read_bytes() for f in files_of(cache)}
    if not good:
        sys.exit("nothing was put into the cache")
    for kind in ["empty", "cut", "noise"] + ["bit"] * 6:
        for file, data in good.items():
            file.write_bytes(damage(data, kind, rng))
        run(sys.argv[1], cache)
