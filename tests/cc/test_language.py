"""Compiles one file of language/ on both sides and looks into its PTX.

The file says what must be there: "// CHECK: regex" matches on some line of the PTX,
"// CHECK-NOT: regex" on none. Where there is a driver, it must accept the PTX, optimised and not,
unless the file says "// NOT ALONE: ..." because another file is needed.
"""
import ctypes
import glob
import os
import re
import subprocess
import sys
import tempfile

kudzu, source = sys.argv[1], sys.argv[2]
FLAGS = ["-std=c++17", "-extended-lambda", "-Werror", "all-warnings"]
bad = 0


def fail(text):
    global bad
    print(f"{source}: {text}")
    bad += 1


def load(variant, text):
    cuda = ctypes.CDLL(os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(kudzu))),
                                    "lib", "libcuda.so.1"))
    device, context, module = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_void_p()
    if (cuda.cuInit(0) or cuda.cuDeviceGet(ctypes.byref(device), 0)
            or cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), device)
            or cuda.cuCtxSetCurrent(context)):
        return fail("the driver does not start")
    log = ctypes.create_string_buffer(4096)
    options = (ctypes.c_int * 2)(5, 6)  # CU_JIT_ERROR_LOG_BUFFER and its size
    values = (ctypes.c_void_p * 2)(ctypes.cast(log, ctypes.c_void_p), len(log))
    status = cuda.cuModuleLoadDataEx(ctypes.byref(module),
                                     ctypes.create_string_buffer(text.encode()), 2, options, values)
    if status:
        fail(f"{variant}: the driver answers {status}: {log.value.decode()}")


with tempfile.TemporaryDirectory(prefix="kudzu-test-") as directory:
    environment = dict(os.environ, TMPDIR=directory)

    def compile(*args, output):
        path = os.path.join(directory, output)
        subprocess.run([kudzu, "cc", *FLAGS, *args, source, "-o", path], check=True,
                       env=environment)
        return open(path, errors="replace").read()

    contents = open(source).read()
    if "// NOT ALONE" in contents:
        compile("-dc", output="out.o")
        text = compile("-ptx", output="out.ptx")
    else:
        compile("-c", "-keep", "-keep-dir", directory, output="out.o")
        ptx, = glob.glob(directory + "/*.ptx")
        text = open(ptx).read()
    for kind, pattern in re.findall(r"(?m)^// (CHECK|CHECK-NOT): (.*)", contents):
        if bool(re.search(pattern, text)) != (kind == "CHECK"):
            fail(f"{kind}: {pattern}")
    if os.environ.get("KUDZU_RUNS") == "1" and "// NOT ALONE" not in contents:
        load("optimised", text)
        load("-G", compile("-ptx", "-G", output="debug.ptx"))
        load("-use_fast_math", compile("-ptx", "-use_fast_math", output="fast.ptx"))
sys.exit(bad != 0)
