"""Runs what asks for CUDA on the CPU: `import kudzu` before torch, jax, numba or others.

The import loads kudzu's libraries, so that whoever asks for them by name finds them loaded, and sets
what `kudzu env` prints for this process and those that it starts. Lists such as PATH get kudzu's
folder as their first; other variables keep a value that they have.
"""

import ctypes
import glob
import os
import shlex
import subprocess

_LISTS = {"PATH", "LD_LIBRARY_PATH", "LIBRARY_PATH"}


def home():
    """The folder with kudzu's bin, lib and include; None: there is none with this package.

    It comes with the package. Without it, in a checkout, KUDZU_HOME names it.
    """
    for folder in (os.path.join(os.path.dirname(__file__), "toolkit"), os.environ.get("KUDZU_HOME")):
        if folder and os.path.exists(os.path.join(folder, "bin", "kudzu")):
            return os.path.abspath(folder)
    return None


def _set_environment(folder):
    program = os.path.join(folder, "bin", "kudzu")
    text = subprocess.run([program, "env"], check=True, stdout=subprocess.PIPE, text=True).stdout
    for word in shlex.split(text):
        name, equals, value = word.partition("=")
        if equals and (name in _LISTS or name not in os.environ):
            os.environ[name] = value


def _load_libraries(folder):
    # Names that are undefined in libraries which do not say what they need are the driver's.
    ctypes.CDLL(os.path.join(folder, "lib", "libcuda.so.1"), mode=ctypes.RTLD_GLOBAL)
    for library in sorted(glob.glob(os.path.join(glob.escape(folder), "lib", "lib*.so.[0-9]*"))):
        ctypes.CDLL(library)


def load_ipython_extension(ipython):
    """For %load_ext kudzu: %%cuda cells (jupyter.py)."""
    from kudzu import jupyter
    jupyter.load_ipython_extension(ipython)


def unload_ipython_extension(ipython):
    """For %unload_ext kudzu."""
    from kudzu import jupyter
    jupyter.unload_ipython_extension(ipython)


if home():
    _set_environment(home())
    _load_libraries(home())
