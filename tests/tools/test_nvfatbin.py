"""libnvfatbin.so.12 and .13: images in, a container out that the driver loads; errors by number and in words."""
import ctypes
import os
import subprocess
import tempfile

from device_image import Driver, expect, kudzu, library, run

(SUCCESS, INTERNAL, ARCH_MISMATCH, SIZE_MISMATCH, NO_VERSION, NULL_POINTER, OPTION, INVALID_ARCH, INVALID_NVVM, EMPTY,
 NO_TARGET, NO_FATBIN, INVALID_INDEX, REUSED) = (0, 1, 2, 3, 4, 5, 8, 9, 10, 11, 12, 14, 15, 16)
source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "add_seven.ptx")
text = open(source, "rb").read()
nine = text.replace(b"seven = 7", b"seven = 9").replace(b"sm_80", b"sm_90")
size_t, ref = ctypes.c_size_t, ctypes.byref


class Library:
    def __init__(self, name):
        self.lib = ctypes.CDLL(os.path.join(library, name))
        self.lib.nvFatbinGetErrorString.restype = ctypes.c_char_p

    def create(self, *options, result=SUCCESS):
        handle = ctypes.c_void_p()
        array = (ctypes.c_char_p * len(options))(*options)
        got = self.lib.nvFatbinCreate(ref(handle), array, size_t(len(options)))
        expect(got == result, f"nvFatbinCreate with {options}: {got}")
        return handle

    def ptx(self, handle, data, arch, name=b"ptx", result=SUCCESS, options=b""):
        got = self.lib.nvFatbinAddPTX(handle, data, size_t(len(data) if data else 0), arch, name, options)
        expect(got == result, f"nvFatbinAddPTX for {arch}: {got}, not {result}")

    def cubin(self, handle, data, arch, result=SUCCESS):
        got = self.lib.nvFatbinAddCubin(handle, data, size_t(len(data)), arch, b"cubin")
        expect(got == result, f"nvFatbinAddCubin for {arch}: {got}, not {result}")

    def image(self, handle):
        size = size_t()
        expect(self.lib.nvFatbinSize(handle, ref(size)) == SUCCESS, "nvFatbinSize")
        data = ctypes.create_string_buffer(size.value)
        expect(self.lib.nvFatbinGet(handle, data) == SUCCESS, "nvFatbinGet")
        expect(self.lib.nvFatbinDestroy(ref(handle)) == SUCCESS and not handle.value, "nvFatbinDestroy")
        return data.raw


def images(lib, driver, folder):
    # Of two texts the driver takes the one for its own architecture.
    handle = lib.create(b"-64", b"-compress=false", b"-host=linux")
    lib.ptx(handle, text, b"80", b"eighty")
    lib.ptx(handle, nine + b"\0", b"90", options=None)
    expect(lib.lib.nvFatbinGet(handle, ctypes.create_string_buffer(1 << 20)) == INTERNAL, "nvFatbinGet before nvFatbinSize")
    image = lib.image(handle)
    expect(driver.launch(driver.load(image), "add_seven", [1] * 32) == [10] * 32, "the PTX for the architecture runs")
    path = os.path.join(folder, "a.fatbin")
    open(path, "wb").write(image)
    expect("eighty" in run("objdump", path)[0], "cuobjdump shows the identifier")

    cubin = os.path.join(folder, "a.cubin")
    run("ptxas", "-arch=sm_90", source, "-o", cubin)
    data = open(cubin, "rb").read()
    handle = lib.create()
    lib.cubin(handle, data, b"80", ARCH_MISMATCH)
    lib.cubin(handle, data[:200], b"90", SIZE_MISMATCH)
    lib.cubin(handle, data, b"90")
    expect(driver.launch(driver.load(lib.image(handle)), "add_seven", [2] * 32) == [9] * 32, "a cubin runs")


def compiled(what, option):
    """What NVRTC makes of a kernel: its CUBIN or LTOIR."""
    nvrtc = ctypes.CDLL(os.path.join(library, "libnvrtc.so.12"))
    program, size = ctypes.c_void_p(), size_t()
    options = (ctypes.c_char_p * 2)(option, b"-arch=sm_90")
    code = b'extern "C" __global__ void thrice(int *p) { p[threadIdx.x] *= 3; }'
    expect(nvrtc.nvrtcCreateProgram(ref(program), code, None, 0, None, None) == 0, "nvrtcCreateProgram")
    expect(nvrtc.nvrtcCompileProgram(program, 2, options) == 0, "nvrtcCompileProgram")
    expect(nvrtc["nvrtcGet%sSize" % what](program, ref(size)) == 0, "the size of " + what)
    data = ctypes.create_string_buffer(size.value)
    expect(nvrtc["nvrtcGet" + what](program, data) == 0, what)
    return data.raw


def of_nvrtc(lib, driver):
    cubin = compiled("CUBIN", b"-lineinfo")
    handle = lib.create()
    lib.cubin(handle, cubin, b"80", ARCH_MISMATCH)
    lib.cubin(handle, cubin, b"90")
    expect(driver.launch(driver.load(lib.image(handle)), "thrice", [4] * 32) == [12] * 32, "NVRTC's cubin runs")
    data = compiled("LTOIR", b"-dlto")
    handle = lib.create()
    add = lambda options: lib.lib.nvFatbinAddLTOIR(handle, data, size_t(len(data)), b"90", b"lto", options)
    expect(add(b"-fast") == OPTION, "an option that is none")
    expect(add(b"-O3 -ftz=1 -lineinfo") == SUCCESS, "nvFatbinAddLTOIR of NVRTC's")
    expect(driver.launch(driver.load(lib.image(handle)), "thrice", [5] * 32) == [15] * 32, "link-time code runs")


def objects(lib, driver, folder):
    program, path = os.path.join(folder, "a.cu"), os.path.join(folder, "a.o")
    open(program, "w").write('extern "C" __global__ void twice(int *p) { p[threadIdx.x] *= 2; }\n')
    run("cc", "-c", program, "-o", path, cwd=folder)
    data = open(path, "rb").read()
    handle = lib.create()
    expect(lib.lib.nvFatbinAddReloc(handle, data, size_t(len(data))) == SUCCESS, "nvFatbinAddReloc")
    again = lib.lib.nvFatbinAddReloc(handle, data, size_t(len(data)))
    expect(again == REUSED, f"nvFatbinAddReloc of the same object: {again}")
    expect(lib.lib.nvFatbinAddReloc(handle, text[:0], size_t(0)) == EMPTY, "nvFatbinAddReloc of nothing")
    expect(lib.lib.nvFatbinAddReloc(handle, b"no object", size_t(9)) == NO_FATBIN, "nvFatbinAddReloc of no object")
    expect(driver.launch(driver.load(lib.image(handle)), "twice", list(range(32))) == [2 * k for k in range(32)],
           "an object's PTX runs")


# What NVIDIA's library takes for an architecture, and for options.
def errors(lib):
    for options in ([b"-32", b"-64"], [b"-cuda", b"-opencl"], [b"-compress=maybe"], [b"-compress=TRUE"], [b"-compress-mode=fast"],
                    [b"-host=Linux"], [b"-compress-all=true"], [b"-O3"]):
        lib.create(*options, result=OPTION)
    handle = lib.create(b"-c", b"-compress-all", b"-compress-mode=balance", b"-compress-mode=speed", b"-host=mac", b"-opencl",
                        b"-32", b"-g")
    for arch in (b"", b"+80", b" 80", b"99999", b"8", b"90a", b"100f"):
        lib.ptx(handle, text, arch)
    for arch in (b"sm_80", b"80 ", b"-5", b"0x50", b"80af", b"compute_80"):
        lib.ptx(handle, text, arch, result=INVALID_ARCH)
    lib.ptx(handle, None, b"80", result=NULL_POINTER)
    lib.ptx(None, text, b"80", result=NULL_POINTER)
    lib.ptx(handle, text, None, result=NULL_POINTER)
    lib.ptx(handle, b"", b"80", result=EMPTY)
    lib.ptx(handle, b"// nothing", b"80", result=NO_VERSION)
    lib.ptx(handle, b".version 8.0\n", b"80", result=NO_TARGET)
    lib.ptx(ctypes.c_void_p(4096), text, b"80", result=INTERNAL)
    lib.cubin(handle, text, b"80", INTERNAL)
    size, two = size_t(), size_t(2)
    expect(lib.lib.nvFatbinAddLTOIR(handle, b"BC", two, b"90", b"x", b"") == INVALID_NVVM, "nvFatbinAddLTOIR")
    expect(lib.lib.nvFatbinAddIndex(handle, b"xy", two, b"x") == INVALID_INDEX, "nvFatbinAddIndex")
    expect(lib.lib.nvFatbinAddTileIR(handle, b"xy", two, b"x", b"") == INTERNAL, "nvFatbinAddTileIR")
    expect(lib.lib.nvFatbinSize(handle, None) == NULL_POINTER, "nvFatbinSize without a place")
    expect(lib.lib.nvFatbinCreate(None, None, size_t(0)) == NULL_POINTER, "nvFatbinCreate without a place")
    old = ctypes.c_void_p(handle.value)
    expect(lib.lib.nvFatbinDestroy(ref(handle)) == SUCCESS, "nvFatbinDestroy")
    expect(lib.lib.nvFatbinDestroy(ref(old)) == INTERNAL, "nvFatbinDestroy of what is gone")
    expect(lib.lib.nvFatbinSize(old, ref(size)) == INTERNAL, "nvFatbinSize of what is gone")
    words = lib.lib.nvFatbinGetErrorString
    expect(words(SUCCESS) is None and words(INVALID_ARCH) == b"invalid architecture" and words(99) == b"unknown error",
           "nvFatbinGetErrorString")


def header(folder):
    """The header is C, and a program links with the library by its plain name."""
    path, program = os.path.join(folder, "v.c"), os.path.join(folder, "v")
    open(path, "w").write("#include <nvFatbin.h>\n#include <stdio.h>\nint main(void) { unsigned major = 0, minor = 0;\n"
                          "nvFatbinVersion(&major, &minor); printf(\"%u.%u\\n\", major, minor); return 0; }\n")
    run("cc", path, "-lnvfatbin", "-o", program, cwd=folder)
    out = subprocess.run([program], stdout=subprocess.PIPE, text=True, env=dict(os.environ, LD_LIBRARY_PATH=library)).stdout
    expect(out == "12.9\n", f"a program's version: {out!r}")


driver = Driver()
with tempfile.TemporaryDirectory() as folder:
    for name, version in (("libnvfatbin.so.12", (12, 9)), ("libnvfatbin.so.13", (13, 0))):
        lib = Library(name)
        major, minor = ctypes.c_uint(), ctypes.c_uint()
        expect(lib.lib.nvFatbinVersion(ref(major), ref(minor)) == SUCCESS, "nvFatbinVersion")
        expect((major.value, minor.value) == version, f"the version of {name}")
        images(lib, driver, folder)
        errors(lib)
    of_nvrtc(lib, driver)
    objects(lib, driver, folder)
    header(folder)
