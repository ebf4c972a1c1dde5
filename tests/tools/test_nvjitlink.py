"""libnvJitLink.so.12 and .13: PTX and cubins in, an image out; errors by number and in words."""
import ctypes
import os
import subprocess
import tempfile

from device_image import Driver, expect, library, run

SUCCESS, OPTION, MISSING_ARCH, INVALID, PTX_COMPILE, NVVM_COMPILE = 0, 1, 2, 3, 4, 5
UNRECOGNIZED_INPUT, NULL_INPUT, INCORRECT_TYPE, LTO = 8, 10, 12, 18
CUBIN, PTX, LTOIR, FATBIN, OBJECT, LIBRARY, INDEX, ANY = 1, 2, 3, 4, 5, 6, 7, 10
HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"
source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "add_seven.ptx")
text = open(source, "rb").read()
call = text.replace(b".visible .global .align 4 .u32 seven = 7;", b".extern .global .align 4 .u32 seven;")
definition = (HEAD + ".visible .global .align 4 .u32 seven = 9;\n").encode()


IR = b"""target triple = "nvptx64-nvidia-cuda"
define i32 @tripled(i32 %x) {
  %y = mul i32 %x, 3
  ret i32 %y
}
!nvvmir.version = !{!0}
!0 = !{i32 2, i32 0}
"""


def lto_code():
    """What libnvvm makes of a function for the link."""
    nvvm = ctypes.CDLL(os.path.join(library, "libnvvm.so.4"))
    program, size = ctypes.c_void_p(), ctypes.c_size_t()
    options = (ctypes.c_char_p * 2)(b"-gen-lto", b"-arch=compute_90")
    expect(nvvm.nvvmCreateProgram(ctypes.byref(program)) == 0, "nvvmCreateProgram")
    expect(nvvm.nvvmAddModuleToProgram(program, IR, ctypes.c_size_t(len(IR)), b"tripled") == 0, "nvvmAddModuleToProgram")
    expect(nvvm.nvvmCompileProgram(program, 2, options) == 0, "nvvmCompileProgram")
    expect(nvvm.nvvmGetCompiledResultSize(program, ctypes.byref(size)) == 0, "nvvmGetCompiledResultSize")
    data = ctypes.create_string_buffer(size.value)
    expect(nvvm.nvvmGetCompiledResult(program, data) == 0, "nvvmGetCompiledResult")
    expect(nvvm.nvvmDestroyProgram(ctypes.byref(program)) == 0, "nvvmDestroyProgram")
    return data.raw


def compiled(nvrtc, source, *expressions):
    """NVRTC's code for the link, and what the expressions are called in it."""
    program, size, name = ctypes.c_void_p(), ctypes.c_size_t(), ctypes.c_char_p()
    options = (ctypes.c_char_p * 2)(b"-dlto", b"-arch=sm_90")
    expect(nvrtc.nvrtcCreateProgram(ctypes.byref(program), source, None, 0, None, None) == 0, "nvrtcCreateProgram")
    for e in expressions:
        expect(nvrtc.nvrtcAddNameExpression(program, e) == 0, "nvrtcAddNameExpression")
    expect(nvrtc.nvrtcCompileProgram(program, 2, options) == 0, "nvrtcCompileProgram")
    names = []
    for e in expressions:
        expect(nvrtc.nvrtcGetLoweredName(program, e, ctypes.byref(name)) == 0, f"a name for {e}")
        names.append(name.value.decode())
    expect(nvrtc.nvrtcGetLTOIRSize(program, ctypes.byref(size)) == 0, "nvrtcGetLTOIRSize")
    data = ctypes.create_string_buffer(size.value)
    expect(nvrtc.nvrtcGetLTOIR(program, data) == 0, "nvrtcGetLTOIR")
    expect(nvrtc.nvrtcDestroyProgram(ctypes.byref(program)) == 0, "nvrtcDestroyProgram")
    return data.raw, names


# Both instantiate add<5>; what only an expression names is called by the other program.
PARTS = (b"""template <int n> __global__ void add(int *p) { p[threadIdx.x] += n; }
template <class T> __device__ T doubled(T x) { return 2 * x; }
__device__ int bias = 3;
""", b"""template <int n> __global__ void add(int *p) { p[threadIdx.x] += n; }
template <class T> __device__ T doubled(T x);
extern __device__ int bias;
__global__ void calls(int *p) { p[threadIdx.x] = doubled(p[threadIdx.x]) + bias; }
""")


def check_names(lib, nvrtc, driver, values):
    """Templates that only name expressions instantiate, in code for the link."""
    first, names = compiled(nvrtc, PARTS[0], b"add<5>", b"doubled<int>", b"&bias")
    expect(names == ["_Z3addILi5EEvPi", "_Z7doubledIiET_S0_", "bias"], f"names: {names}")
    second, more = compiled(nvrtc, PARTS[1], b"calls", b"&add<5>")
    expect(more == ["_Z5callsPi", names[0]], f"names: {more}")
    link = Link(lib, "-arch=sm_90", "-lto")
    expect(link.add(LTOIR, first) == SUCCESS and link.add(LTOIR, second) == SUCCESS, link.log())
    expect(link.call("Complete") == SUCCESS, link.log())
    module = driver.load(link.get("LinkedCubin"))
    expect(driver.launch(module, names[0], values) == [v + 5 for v in values], "add<5>")
    expect(driver.launch(module, "_Z5callsPi", values) == [2 * v + 3 for v in values], "calls")
    expect(b"__kudzu_name" not in link.get("LinkedPtx"), "nothing of the expressions is left")


class Link:
    def __init__(self, lib, *options, names="nvJitLink%s"):
        self.lib, self.names = lib, names
        self.handle = ctypes.c_void_p()
        self.created = self.call("Create", ctypes.byref(self.handle), len(options),
                                 (ctypes.c_char_p * len(options))(*[o.encode() for o in options]), handle=False)

    def call(self, name, *arguments, handle=True):
        return getattr(self.lib, self.names % name)(*([self.handle] if handle else []), *arguments)

    def add(self, kind, data, name=b"input"):
        return self.call("AddData", kind, data, ctypes.c_size_t(len(data)), name)

    def get(self, what):
        size = ctypes.c_size_t()
        if self.call(f"Get{what}Size", ctypes.byref(size)):
            return None
        data = ctypes.create_string_buffer(size.value)
        expect(self.call(f"Get{what}", data) == SUCCESS, f"Get{what}")
        return data.raw

    def log(self):
        return self.get("ErrorLog").rstrip(b"\0").decode()


def check(lib, version, folder):
    major, minor = ctypes.c_uint(), ctypes.c_uint()
    expect(lib.nvJitLinkVersion(ctypes.byref(major), ctypes.byref(minor)) == SUCCESS, "a version")
    expect((major.value, minor.value) == version, f"version {major.value}.{minor.value}")
    driver = Driver()
    values = list(range(32))

    # By the plain names and by those of releases.
    for names in ["nvJitLink%s"] + [f"__nvJitLink%s_{version[0]}_{n}" for n in (0, 4, 9)]:
        link = Link(lib, "-arch=sm_90", "-Xptxas=--warn-on-spills", "-verbose", "-split-compile=2", "-O3", names=names)
        expect(link.created == SUCCESS and link.log() == "", f"created: {link.log()}")
        expect(link.add(PTX, call + b"\0") == SUCCESS, link.log())
        expect(link.get("LinkedCubin") is None, "no image before the link")
        expect(link.add(ANY, definition) == SUCCESS, link.log())
        expect(link.call("Complete") == SUCCESS, link.log())
        image = link.get("LinkedCubin")
        expect(driver.launch(driver.load(image), "add_seven", values) == [v + 9 for v in values], "it runs")
        ptx = link.get("LinkedPtx")
        expect(ptx.endswith(b"\0") and driver.launch(driver.load(ptx), "add_seven", values)[0] == 9, "so does the text")
        info = link.get("InfoLog")
        expect(b"Compiling entry function 'add_seven' for 'sm_90'" in info and b" registers" in info, f"info: {info}")
        expect(link.add(PTX, definition) == INVALID, "nothing is added after the link")
        expect(link.get("LinkedLTOIR") is None, "no LTO code")
        expect(link.call("Destroy", ctypes.byref(link.handle), handle=False) == SUCCESS, "destroyed")
        expect(not link.handle, "the handle is gone")

    # Files of every kind.
    cubin = os.path.join(folder, "a.cubin")
    with open(os.path.join(folder, "call.ptx"), "wb") as f:
        f.write(call)
    run("ptxas", "-c", "-arch=sm_80", os.path.join(folder, "call.ptx"), "-o", cubin)
    container = os.path.join(folder, "a.fatbin")
    run("fatbinary", "--create", container, f"--image3=kind=elf,sm=80,file={cubin}")
    archive = os.path.join(folder, "lib.a")
    with open(os.path.join(folder, "definition.ptx"), "wb") as f:
        f.write(definition)
    member = os.path.join(folder, "definition.cubin")
    run("ptxas", "-c", "-arch=sm_80", os.path.join(folder, "definition.ptx"), "-o", member)
    subprocess.run(["ar", "qcS", archive, member], check=True)
    for kind, path in ((CUBIN, cubin), (FATBIN, container), (ANY, cubin)):
        link = Link(lib, "-arch=sm_90a")
        expect(link.call("AddFile", kind, path.encode()) == SUCCESS, link.log())
        expect(link.call("AddFile", LIBRARY, archive.encode()) == SUCCESS, link.log())
        expect(link.call("Complete") == SUCCESS, link.log())
        expect(driver.launch(driver.load(link.get("LinkedCubin")), "add_seven", values)[1] == 10, "files")

    # LTO code of libnvvm, which PTX calls.
    lto = lto_code()
    caller = text.replace(b"bar.sync 0;", b"""{
	.param .b32 argument;
	.param .b32 returned;
	st.param.b32 [argument], %r4;
	call (returned), tripled, (argument);
	ld.param.b32 %r4, [returned];
	}""").replace(b".visible .entry", b".extern .func (.param .b32 r) tripled (.param .b32 x);\n.visible .entry")
    for kind in LTOIR, ANY:
        link = Link(lib, "-arch=sm_90", "-lto", "-ftz=1", "-O3")
        expect(link.add(kind, lto) == SUCCESS and link.add(PTX, caller) == SUCCESS, link.log())
        expect(link.call("Complete") == SUCCESS, link.log())
        expect(driver.launch(driver.load(link.get("LinkedCubin")), "add_seven", values) == [3 * (v + 7) for v in values],
               "LTO code and PTX")

    check_names(lib, ctypes.CDLL(os.path.join(library, f"libnvrtc.so.{version[0]}")), driver, values)

    empty = Link(lib, "-arch=sm_75")
    expect(empty.call("Complete") == SUCCESS and empty.get("LinkedCubin")[:4] == b"\x7fELF", "a link of nothing")

    def fails(result, words, action, *options):
        link = Link(lib, *options) if options else Link(lib, "-arch=sm_90")
        got = action(link)
        expect(got == result and words in link.log(), f"{words!r}: {got}, not {result}: {link.log()}")

    fails(OPTION, "'-fictitious_option'", lambda l: l.created, "-fictitious_option")
    fails(OPTION, "'sm_XX'", lambda l: l.created, "-arch=sm_XX")
    fails(OPTION, "'--frob'", lambda l: l.created, "-arch=sm_90", "-Xptxas=--frob")
    fails(MISSING_ARCH, "-arch", lambda l: l.created, "-O2")
    fails(UNRECOGNIZED_INPUT, "NVIDIA's form", lambda l: l.add(LTOIR, b"\xed\x43\x4e\x7fLTO"), "-arch=sm_90", "-lto")
    fails(LTO, "-lto is not given", lambda l: l.add(LTOIR, lto))
    fails(UNRECOGNIZED_INPUT, "indices", lambda l: l.add(INDEX, lto))
    fails(NVVM_COMPILE, "LTO code cannot be compiled", lambda l: l.add(ANY, lto[:16] + b"x" * (len(lto) - 16)) or l.call("Complete"),
          "-arch=sm_90", "-lto")
    fails(INCORRECT_TYPE, "type", lambda l: l.add(CUBIN, text))
    fails(INCORRECT_TYPE, "type", lambda l: l.add(PTX, open(cubin, "rb").read()))
    fails(INVALID, "77", lambda l: l.add(77, text))
    fails(PTX_COMPILE, "Unsupported .version 99.99; current version is '8.8'", lambda l: l.add(PTX, b".version 99.99"))
    fails(PTX_COMPILE, "ptxas input, line 23; error   : ", lambda l: l.add(PTX, text.replace(b"add.s32", b"bad.s32")))
    fails(INVALID, "SM Arch ('sm_75') not found in 'input'", lambda l: l.add(PTX, text) and INVALID, "-arch=sm_75")
    fails(INVALID, "No such file", lambda l: l.call("AddFile", ANY, b"/nowhere"))
    fails(INVALID, "a device", lambda l: l.call("AddFile", ANY, b"/dev/zero"))
    fails(INVALID, "damaged", lambda l: l.add(CUBIN, open(cubin, "rb").read()[:700]))
    fails(INVALID, "nvlink error   : Undefined reference to 'seven' in 'input'",
          lambda l: l.add(PTX, call) or l.call("Complete"))
    fails(NULL_INPUT, "", lambda l: l.call("AddData", PTX, None, ctypes.c_size_t(3), b"n"))
    fails(LTO, "", lambda l: l.call("GetLinkedLTOIRSize", ctypes.byref(ctypes.c_size_t())))

    stray = ctypes.c_void_p(0x1234)
    expect(lib.nvJitLinkComplete(stray) == INVALID and lib.nvJitLinkComplete(None) == NULL_INPUT, "stray handles")
    expect(lib.nvJitLinkDestroy(ctypes.byref(stray)) == INVALID, "a stray handle to destroy")


with tempfile.TemporaryDirectory() as folder:
    for version in (12, 9), (13, 0):
        check(ctypes.CDLL(os.path.join(library, f"libnvJitLink.so.{version[0]}")), version, folder)
