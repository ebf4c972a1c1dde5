"""`%%cuda` cells in Jupyter and IPython: CUDA C++ programs, compiled and run by `kudzu run`.

    %load_ext kudzu

    %%cuda [compiler's options] [-- arguments of the program]
    #include <cstdio>
    __global__ void hello() { printf("thread %d\\n", threadIdx.x); }
    int main() { hello<<<1, 4>>>(); return cudaDeviceSynchronize(); }

What the compiler says, and the faults of kernels, name the cell's lines as Jupyter numbers them: the
line with %%cuda is the first.
"""

import hashlib
import os
import re
import selectors
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile

import kudzu

NAME = "cell.cu"  # by which messages call the cell
GRACE_SECONDS = 5  # for a program that is interrupted


class CellError(Exception):
    """The cell was not compiled, or its program ended with another status than 0."""

    def _render_traceback_(self):  # what IPython shows in place of a traceback
        return [str(self)]


def _program():
    folder = kudzu.home() if hasattr(kudzu, "home") else os.environ.get("KUDZU_HOME")
    found = os.path.join(folder, "bin", "kudzu") if folder else shutil.which("kudzu")
    if not found:
        raise CellError("kudzu is not found: neither in this package nor on PATH")
    return found


def _split(line):
    """The compiler's options and the program's arguments, of the text behind %%cuda."""
    try:
        words = shlex.split(line)
    except ValueError as e:
        raise CellError("%%cuda: {}: {}".format(line, e)) from None
    if "--" not in words:
        return words, []
    return words[:words.index("--")], words[words.index("--") + 1:]


def _has_main(cell):
    return re.search(r"\bmain\s*\(", cell) is not None


class Cells:
    """The magics of one shell. A cell that is run again unchanged is not compiled again."""

    def __init__(self):
        self._folder = tempfile.TemporaryDirectory(prefix="kudzu-cells-")

    def _write(self, cell):
        """The cell's source in a file, with an empty line in the place of %%cuda's."""
        text = "\n" + cell
        folder = os.path.join(self._folder.name, hashlib.sha256(text.encode()).hexdigest()[:16])
        path = os.path.join(folder, NAME)
        if not os.path.exists(path):
            os.makedirs(folder, exist_ok=True)
            with open(path, "w", encoding="utf-8") as f:
                f.write(text)
        return path

    def cuda(self, line, cell):
        """Compiles the cell and runs it.

        %%cuda [options of kudzu cc] [-- arguments of the program]
        """
        options, arguments = _split(line)
        if not _has_main(cell):
            raise CellError("%%cuda: the cell has no main function: each cell is a whole program")
        path = self._write(cell)
        status = _run([_program(), "run", *options, path, *arguments], os.path.dirname(path) + "/")
        if status < 0:
            raise CellError("%%cuda: ended by {}".format(signal.Signals(-status).name))
        if status > 0:
            raise CellError("%%cuda: exit status {}".format(status))

    def close(self):
        self._folder.cleanup()


class _Output:
    """Passes on what a pipe brings, line by line, without the folder of the cell's file."""

    def __init__(self, stream, folder):
        self._stream, self._folder, self._rest = stream, folder.encode(), b""

    def write(self, data):
        lines = self._rest + data
        # The folder's name may come in two parts: what is no whole line waits, but for prompts.
        end = len(lines) if self._folder[:1] not in lines else lines.rfind(b"\n") + 1
        self._rest = lines[end:]
        self._pass_on(lines[:end])

    def close(self):
        self._pass_on(self._rest)
        self._rest = b""

    def _pass_on(self, data):
        if data:
            self._stream.write(data.replace(self._folder, b"").decode("utf-8", "replace"))
            self._stream.flush()


def _forward(process, folder):
    with selectors.DefaultSelector() as selector:
        for pipe, stream in (process.stdout, sys.stdout), (process.stderr, sys.stderr):
            selector.register(pipe, selectors.EVENT_READ, _Output(stream, folder))
        while selector.get_map():
            for key, _ in selector.select():
                data = os.read(key.fd, 65536)
                if data:
                    key.data.write(data)
                else:
                    key.data.close()
                    selector.unregister(key.fileobj)


def _run(command, folder):
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE) as process:
        try:
            _forward(process, folder)
        except KeyboardInterrupt:
            # The terminal's signal reaches the program, too; that of a notebook does not.
            process.send_signal(signal.SIGINT)
            try:
                process.wait(GRACE_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
            raise
        return process.wait()


def load_ipython_extension(ipython):
    """For %load_ext kudzu: gives the shell %%cuda."""
    cells = Cells()
    ipython.kudzu_cells = cells
    ipython.register_magic_function(cells.cuda, "cell", "cuda")


def unload_ipython_extension(ipython):
    """For %unload_ext kudzu."""
    ipython.magics_manager.magics["cell"].pop("cuda", None)
    ipython.kudzu_cells.close()
    del ipython.kudzu_cells
