#!/usr/bin/env python3
"""Packs an installation of kudzu and its Python package into a wheel.

usage: wheel.py PREFIX VERSION FOLDER

PREFIX is what `cmake --install` made of a build with KUDZU_PORTABLE. The wheel, FOLDER/kudzu-VERSION-*.whl,
is for the machine of its programs, x86-64 or aarch64, and glibc 2.28: every program and library in it is looked at,
and one that needs more is an error. The same files give the same wheel, byte for byte.
"""

import base64
import hashlib
import os
import platform
import re
import stat
import subprocess
import sys
import zipfile

SOURCE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TAG = "py3-none-manylinux_2_28_"
MACHINES = {62: "x86_64", 183: "aarch64"}  # by ELF's numbers
GLIBC = (2, 28)
LARGEST = 100_000_000  # bytes, to download

# What every system with glibc has, and the package managers and Pythons of all.
SYSTEM_LIBRARIES = re.compile(r"(libc|libm|libdl|libpthread|librt|libz)\.so\.\d+|ld-linux-(x86-64\.so\.2|aarch64\.so\.1)")

# On PATH. It starts the program itself, without what `import kudzu` does.
SCRIPT = """#!python
import importlib.util
import os
import sys

package = os.path.dirname(importlib.util.find_spec("kudzu").origin)
os.execv(os.path.join(package, "toolkit", "bin", "kudzu"), ["kudzu"] + sys.argv[1:])
"""

METADATA = """Metadata-Version: 2.1
Name: kudzu
Version: {version}
Summary: CUDA programs on any CPU: compiler, driver, runtime and libraries
License: Apache-2.0
Requires-Python: >=3.8
Classifier: Operating System :: POSIX :: Linux
Classifier: Programming Language :: Python :: 3
Classifier: Environment :: GPU :: NVIDIA CUDA :: 12
Description-Content-Type: text/markdown

{text}"""

WHEEL = """Wheel-Version: 1.0
Generator: kudzu
Root-Is-Purelib: false
Tag: {tag}
"""


class Error(Exception):
    pass


# ---- What a library needs --------------------------------------------------------------------


def needs(path):
    """(libraries, newest version of glibc) that an ELF file needs, from objdump's listing."""
    text = subprocess.run(["objdump", "-p", path], check=True, stdout=subprocess.PIPE, text=True).stdout
    libraries = re.findall(r"^\s+NEEDED\s+(\S+)$", text, re.M)
    references = text.partition("Version References:")[2]
    if "GLIBC_ABI_" in references:  # relative relocations, of 2.36
        return libraries, (2, 36)
    versions = [tuple(map(int, v.split("."))) for v in re.findall(r"\bGLIBC_(\d+(?:\.\d+)*)", references)]
    return libraries, max(versions, default=(0,))


def is_elf(path):
    with open(path, "rb") as f:
        return f.read(4) == b"\x7fELF"


def machine_of(files):
    """The one that all programs and libraries are for; without any, the one that this runs on."""
    found = {}
    for name, path in files:
        if is_elf(path):
            with open(path, "rb") as f:
                found[int.from_bytes(f.read(20)[18:], "little")] = name
    if len(found) > 1:
        raise Error(" and ".join(found.values()) + " are for different machines")
    number = next(iter(found), None)
    if number is not None and number not in MACHINES:
        raise Error(f"{found[number]} is for a machine that has no wheel")
    return MACHINES.get(number, platform.machine())


def check_needs(files):
    own = {os.path.basename(name) for name, _ in files}
    for name, path in files:
        if not is_elf(path):
            continue
        libraries, glibc = needs(path)
        if glibc[:2] > GLIBC:
            raise Error(f"{name} needs glibc {'.'.join(map(str, glibc))}")
        for library in libraries:
            if library not in own and not SYSTEM_LIBRARIES.fullmatch(library):
                raise Error(f"{name} needs {library}, which not every system has")


# ---- Files -----------------------------------------------------------------------------------


def tree(folder, prefix, leave_out=lambda name: False):
    """(name in the wheel, path) of every file, sorted."""
    found = []
    for place, folders, names in os.walk(folder):
        folders[:] = [f for f in folders if f != "__pycache__"]
        for name in names:
            path = os.path.join(place, name)
            inside = os.path.relpath(path, folder)
            if not leave_out(inside):
                found.append((f"{prefix}/{inside}", path))
    return sorted(found)


def is_left_out(inside):
    # Precompiled headers name the place that they were made in.
    return inside.startswith("lib/pch/")


def link_script(path):
    """What stands for a link `libx.so -> libx.so.1`, of which wheels have none: a script for linkers."""
    target = os.readlink(path)
    if "/" in target or not re.search(r"\.so(\.\d+)*$", target):
        raise Error(f"{path} is a link to {target}: a wheel has no links")
    return f"INPUT({target})\n".encode()


def library_scripts(prefix, inside):
    """(name in the wheel, data) for a link to the folder of libraries, such as lib64: scripts for linkers in a
    folder of that name."""
    folder = os.path.join(prefix, inside)
    if not os.path.islink(folder):
        return []
    target = os.readlink(folder)
    found = []
    for name, _ in tree(os.path.realpath(folder), ""):
        if re.fullmatch(r"/(stubs/)?lib\w+\.(so|a)", name):
            up = "../" * name.count("/")
            found.append((f"kudzu/toolkit/{inside}{name}", f"INPUT({up}{target}{name})\n".encode()))
    return found


def is_copied(path):
    """A link into another folder of the installation, of nvvm/."""
    return os.path.islink(path) and os.readlink(path).startswith("../")


def content(path):
    """(data, whether it is executable)."""
    if os.path.islink(path) and not is_copied(path):
        return link_script(path), False
    with open(path, "rb") as f:
        return f.read(), bool(os.stat(path).st_mode & stat.S_IXUSR)


# ---- The archive -----------------------------------------------------------------------------


class Wheel:
    def __init__(self, path):
        self.archive = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9)
        self.record = []

    def add(self, name, data, executable=False):
        info = zipfile.ZipInfo(name)  # of 1980: the same whenever it is made
        info.compress_type = zipfile.ZIP_DEFLATED
        info.external_attr = (stat.S_IFREG | (0o755 if executable else 0o644)) << 16
        self.archive.writestr(info, data)
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        self.record.append(f"{name},sha256={digest},{len(data)}\n")

    def close(self, record):
        self.add_record(record)
        self.archive.close()

    def add_record(self, name):
        lines = "".join(self.record) + f"{name},,\n"
        self.add(name, lines.encode())


def make(prefix, version, folder):
    """Gives the wheel's path."""
    if not re.fullmatch(r"\d+(\.\d+)*", version):
        raise Error(f"{version} is no version")
    files = tree(os.path.join(SOURCE, "python", "kudzu"), "kudzu")
    toolkit = tree(prefix, "kudzu/toolkit", is_left_out)
    if not toolkit:
        raise Error(f"{prefix} has no files")
    check_needs(toolkit)
    tag = TAG + machine_of(toolkit)
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, f"kudzu-{version}-{tag}.whl")
    part = path + ".part"
    info = f"kudzu-{version}.dist-info"
    wheel = Wheel(part)
    for name, source in files + toolkit:
        wheel.add(name, *content(source))
    for name, data in library_scripts(prefix, "lib64"):
        wheel.add(name, data)
    wheel.add(f"kudzu-{version}.data/scripts/kudzu", SCRIPT.encode(), True)
    with open(os.path.join(SOURCE, "README.md")) as f:
        wheel.add(f"{info}/METADATA", METADATA.format(version=version, text=f.read()).encode())
    wheel.add(f"{info}/WHEEL", WHEEL.format(tag=tag).encode())
    for name in ("LICENSE", "NOTICE"):
        wheel.add(f"{info}/licenses/{name}", *content(os.path.join(SOURCE, name)))
    wheel.close(f"{info}/RECORD")
    if os.path.getsize(part) > LARGEST:
        os.unlink(part)
        raise Error(f"the wheel has more than {LARGEST // 1_000_000} MB")
    os.rename(part, path)
    return path


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__.strip())
    try:
        path = make(*sys.argv[1:])
    except (Error, OSError, subprocess.CalledProcessError) as e:
        sys.exit(f"wheel.py: {e}")
    print(f"{path}: {os.path.getsize(path) / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
