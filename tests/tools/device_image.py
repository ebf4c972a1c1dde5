"""What tests of the commands on images share: the command, and the driver to run an image's kernels."""
import ctypes
import os
import subprocess
import sys

kudzu = sys.argv[1]
library = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(kudzu))), "lib")


def run(*arguments, status=0, **keywords):
    """Runs `kudzu arguments...`; its output (stdout, stderr), or the test ends."""
    done = subprocess.run([kudzu, *map(str, arguments)], text=True, errors="replace",
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, **keywords)
    if done.returncode != status:
        sys.exit(f"kudzu {' '.join(map(str, arguments))}: exit status {done.returncode}, not {status}\n"
                 f"{done.stdout}{done.stderr}")
    return done.stdout, done.stderr


def expect(condition, what):
    if not condition:
        sys.exit(f"FAILED: {what}")


class Driver:
    """The driver API, on images in memory."""

    def __init__(self):
        self.lib = ctypes.CDLL(os.path.join(library, "libcuda.so.1"))
        self.context = ctypes.c_void_p()
        self.call("cuInit", 0)
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(self.context), 0)
        self.call("cuCtxSetCurrent", self.context)

    def call(self, name, *arguments):
        result = getattr(self.lib, name)(*arguments)
        if result:
            sys.exit(f"FAILED: {name} returned {result}")

    def result(self, name, *arguments):
        return getattr(self.lib, name)(*arguments)

    def load(self, image):
        """A module of an image at the end of readable memory, whose length nobody is told."""
        self.image = ctypes.create_string_buffer(image, len(image))
        module = ctypes.c_void_p()
        self.call("cuModuleLoadData", ctypes.byref(module), self.image)
        return module

    def load_library(self, image):
        self.image = ctypes.create_string_buffer(image, len(image))
        library, module = ctypes.c_void_p(), ctypes.c_void_p()
        self.call("cuLibraryLoadData", ctypes.byref(library), self.image, None, None, 0, None, None, 0)
        self.call("cuLibraryGetModule", ctypes.byref(module), library)
        return module

    def link(self, *inputs):
        """A module of what cuLink* makes of inputs: (type, bytes)."""
        state, image, size = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_size_t()
        self.call("cuLinkCreate_v2", 0, None, None, ctypes.byref(state))
        for kind, data in inputs:
            self.call("cuLinkAddData_v2", state, kind, data, ctypes.c_size_t(len(data)), b"input", 0, None, None)
        self.call("cuLinkComplete", state, ctypes.byref(image), ctypes.byref(size))
        module = self.load(ctypes.string_at(image, size.value))
        self.call("cuLinkDestroy", state)
        return module

    def launch(self, module, kernel, values, threads=32):
        """Runs kernel(int *data) on a copy of the values; what they are then."""
        function, pointer = ctypes.c_void_p(), ctypes.c_uint64()
        data = (ctypes.c_int * len(values))(*values)
        self.call("cuModuleGetFunction", ctypes.byref(function), module, kernel.encode())
        self.call("cuMemAlloc_v2", ctypes.byref(pointer), ctypes.c_size_t(ctypes.sizeof(data)))
        self.call("cuMemcpyHtoD_v2", pointer, data, ctypes.c_size_t(ctypes.sizeof(data)))
        parameters = (ctypes.c_void_p * 1)(ctypes.addressof(pointer))
        self.call("cuLaunchKernel", function, 1, 1, 1, threads, 1, 1, 0, None, parameters, None)
        self.call("cuCtxSynchronize")
        self.call("cuMemcpyDtoH_v2", data, pointer, ctypes.c_size_t(ctypes.sizeof(data)))
        self.call("cuMemFree_v2", pointer)
        return list(data)
