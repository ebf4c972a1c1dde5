"""Compiles operators.cpp against the PyTorch that is installed, once for each of its versions."""
import hashlib
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import torch

_SOURCE = Path(__file__).with_name("operators.cpp")
_OPTIONS = ["-std=c++20", "-O2", "-fPIC", "-shared", "-fvisibility=hidden"]


def _compiler():
    for name in (os.environ.get("CXX"), "g++", "clang++", "c++"):
        path = shutil.which(name) if name else None
        if path:
            return path
    raise RuntimeError("kudzu.torch: no C++ compiler was found (g++, clang++ or $CXX); it is needed once, to build "
                       "kudzu.torch for this version of PyTorch")


def _folder():
    """The cache's folder, made if it is missing; a new one for this process where nobody may be trusted with it."""
    base = os.environ.get("XDG_CACHE_HOME") or (os.environ.get("HOME") and os.path.join(os.environ["HOME"], ".cache"))
    if base:
        folder = Path(base, "kudzu", "torch")
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            status = folder.stat()
            if status.st_uid == os.getuid() and not status.st_mode & 0o022 and os.access(folder, os.W_OK):
                return folder
        except OSError:
            pass
    return Path(tempfile.mkdtemp(prefix="kudzu-torch-"))


def library():
    """The path of the compiled library. RuntimeError has the compiler's messages."""
    root = Path(torch.__path__[0])
    compiler = _compiler()
    command = [compiler, *_OPTIONS, f"-D_GLIBCXX_USE_CXX11_ABI={int(torch._C._GLIBCXX_USE_CXX11_ABI)}",
               "-isystem", str(root / "include"), str(_SOURCE), "-L" + str(root / "lib"), "-lc10", "-ltorch_cpu"]
    key = hashlib.sha256()
    for part in (_SOURCE.read_bytes(), torch.__version__.encode(), "\0".join(command).encode()):
        key.update(part)
    path = _folder() / f"operators-{key.hexdigest()[:32]}.so"
    if path.exists():
        return path
    unfinished = path.with_name(f"{path.name}.{os.getpid()}")
    result = subprocess.run([*command, "-o", str(unfinished)], capture_output=True, text=True)
    if result.returncode:
        unfinished.unlink(missing_ok=True)
        raise RuntimeError("kudzu.torch: cannot be built for this version of PyTorch:\n" + result.stderr)
    os.replace(unfinished, path)
    return path
