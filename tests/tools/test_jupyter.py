"""%%cuda cells, with a shell that is none; and in IPython, where it is installed.

usage: test_jupyter.py BUILD
"""
import contextlib
import importlib.util
import io
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

BUILD = os.path.abspath(sys.argv[1])
PYTHON = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))),
                      "python")
cache = tempfile.TemporaryDirectory()
os.environ.update(KUDZU_HOME=BUILD, XDG_CACHE_HOME=cache.name)
os.environ.pop("KUDZU_REPORT", None)
sys.path.insert(0, PYTHON)

from kudzu import jupyter  # noqa: E402

HELLO = """#include <cstdio>
__global__ void hello(int n) { printf("thread %d of %d\\n", threadIdx.x, n); }
int main(int argc, char **argv) {
    hello<<<1, 2>>>(argc);
    return cudaDeviceSynchronize();
}
"""
WRONG = """__global__ void kernel(int *p) {
    *p = blok; // line 3 of the cell, whose first is %%cuda
}
int main() {}
"""
FAULT = """__global__ void kernel(int *p) {
    *p = 1;
}
int main() { kernel<<<1, 1>>>((int *)8); cudaDeviceSynchronize(); }
"""


class Shell:
    """What the extension uses of IPython's shell."""

    class Manager:
        def __init__(self):
            self.magics = {"line": {}, "cell": {}}

    def __init__(self):
        self.magics_manager = self.Manager()

    def register_magic_function(self, function, kind, name):
        self.magics_manager.magics[kind][name] = function


class Magic(unittest.TestCase):
    def setUp(self):
        self.shell = Shell()
        jupyter.load_ipython_extension(self.shell)
        self.addCleanup(jupyter.unload_ipython_extension, self.shell)

    def run_cell(self, line, cell):
        """What the cell prints, on both streams, and its error."""
        out, err, error = io.StringIO(), io.StringIO(), None
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                self.shell.magics_manager.magics["cell"]["cuda"](line, cell)
            except jupyter.CellError as e:
                error = str(e)
        return out.getvalue(), err.getvalue(), error

    def test_output(self):
        self.assertEqual(self.run_cell("", HELLO), ("thread 0 of 1\nthread 1 of 1\n", "", None))

    def test_arguments_and_options(self):
        out, err, error = self.run_cell("-O1 -DN=3 -- a 'b c'", HELLO + "static_assert(N == 3);\n")
        self.assertEqual((out, err, error), ("thread 0 of 3\nthread 1 of 3\n", "", None))

    def test_errors_have_the_cells_lines(self):
        out, err, error = self.run_cell("", WRONG)
        self.assertEqual((out, error), ("", "%%cuda: exit status 1"))
        self.assertRegex(err, r"(?m)^cell\.cu:3:10: error: .*'blok'")
        self.assertNotIn("/", err.split("error")[0])

    def test_faults_have_the_cells_lines(self):
        out, err, error = self.run_cell("", FAULT)
        self.assertEqual((out, error), ("", "%%cuda: exit status 1"))
        self.assertRegex(err, r"kernel kernel\(int\*\) touched memory .* at cell\.cu:3\n")

    def test_statuses(self):
        self.assertEqual(self.run_cell("", "int main() { return 7; }")[2], "%%cuda: exit status 7")
        self.assertEqual(self.run_cell("", "int main() { __builtin_trap(); }")[2],
                         "%%cuda: ended by SIGILL")

    def test_what_is_no_program(self):
        self.assertIn("no main function", self.run_cell("", "__global__ void f() {}")[2])
        self.assertIn("No closing quotation", self.run_cell("-DX='a", HELLO)[2])

    def test_output_comes_at_once(self):
        cell = '#include <cstdio>\n#include <unistd.h>\nint main() { printf("now"); fflush(stdout); ' \
               'sleep(60); }\n'
        class Stream(io.StringIO):
            seen = threading.Event()
            def write(self, text):
                self.seen.set()
                return super().write(text)
        done = threading.Event()
        def interrupt():
            if Stream.seen.wait(60):
                os.kill(os.getpid(), signal.SIGINT)
            # A signal that comes just before Python begins to read does not end the read.
            while not done.wait(5):
                os.kill(os.getpid(), signal.SIGINT)
        self.run_cell("", cell.replace("60", "0"))  # compiles
        out = Stream()
        Stream.seen.clear()
        thread = threading.Thread(target=interrupt)
        thread.start()
        begin = time.monotonic()
        with contextlib.redirect_stdout(out), self.assertRaises(KeyboardInterrupt):
            try:
                self.shell.magics_manager.magics["cell"]["cuda"]("", cell)
            finally:
                done.set()
        thread.join()
        self.assertEqual(out.getvalue(), "now")
        self.assertLess(time.monotonic() - begin, 55)

    def test_unloaded(self):
        folder = self.shell.kudzu_cells._folder.name
        self.run_cell("", HELLO)
        jupyter.unload_ipython_extension(self.shell)
        self.assertEqual(self.shell.magics_manager.magics["cell"], {})
        self.assertFalse(os.path.exists(folder))
        jupyter.load_ipython_extension(self.shell)


@unittest.skipUnless(importlib.util.find_spec("IPython"), "no IPython")
class InIPython(unittest.TestCase):
    def test_a_session(self):
        script = ("%load_ext kudzu\n"
                  "get_ipython().run_cell_magic('cuda', '', {!r})\n"
                  "get_ipython().run_cell_magic('cuda', '', {!r})\n").format(HELLO, WRONG)
        with tempfile.TemporaryDirectory() as home:
            path = os.path.join(home, "session.ipy")
            with open(path, "w") as f:
                f.write(script)
            r = subprocess.run([sys.executable, "-m", "IPython", "--no-banner", path], text=True,
                               capture_output=True, timeout=300,
                               env=dict(os.environ, PYTHONPATH=PYTHON, IPYTHONDIR=home))
        self.assertIn("thread 1 of 1\n", r.stdout, r.stderr)
        self.assertIn("cell.cu:3:10: error:", r.stderr + r.stdout)
        self.assertIn("%%cuda: exit status 1", r.stderr + r.stdout)
        self.assertNotIn("Traceback", r.stderr + r.stdout)


unittest.main(argv=sys.argv[:1] + sys.argv[2:])
