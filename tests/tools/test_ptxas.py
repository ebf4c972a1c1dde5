"""kudzu ptxas: options, messages, exit statuses, and images that the driver loads."""
import os
import re
import struct
import subprocess
import sys
import tempfile

from device_image import Driver, expect, kudzu, run

source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "add_seven.ptx")
text = open(source).read()


def check_image(folder):
    cubin = os.path.join(folder, "a.cubin")
    out, err = run("ptxas", "-lineinfo", "-v", "--gpu-name=sm_90a", source, "-o", cubin)
    expect(out == "", "ptxas prints nothing on stdout")
    expect(re.search(r"^ptxas info    : 68 bytes gmem, 8 bytes cmem\[3\]$", err, re.M), f"memory in: {err}")
    expect("ptxas info    : Compiling entry function 'add_seven' for 'sm_90a'\n" in err, f"the kernel in: {err}")
    expect(re.search(r"^    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads$", err, re.M), err)
    expect(re.search(r"^ptxas info    : Used [1-9]\d* registers, used 1 barriers, 128 bytes smem, ", err, re.M), err)

    image = open(cubin, "rb").read()
    fields = struct.unpack_from("<16sHHIQQQIHHHHHH", image)
    expect(fields[0][:4] == b"\x7fELF" and fields[2] == 190, "an ELF file of machine 190")
    expect(fields[1] == 2 and fields[7] & 0xff == 90 and fields[7] & 0x800, "for sm_90a, complete")
    expect(fields[6] + fields[11] * fields[12] == len(image), "the section headers end the file")
    again = os.path.join(folder, "again.cubin")
    run("ptxas", source, "--output-file", again, "-arch", "sm_90a", "-O3", "-m64", "--fmad", "false",
        "--regAllocOptLevel=2", "--warn-on-spills", "-g", "--dont-merge-basicblocks", "--return-at-end")
    expect(open(again, "rb").read() == image, "the same text gives the same image")
    symbols = subprocess.run(["readelf", "-sW", cubin], text=True, stdout=subprocess.PIPE).stdout
    for pattern in (r" FUNC +GLOBAL .* add_seven$", r" 4 OBJECT +GLOBAL .* seven$", r" 64 OBJECT +GLOBAL .* zeroes$",
                    r" 8 OBJECT +GLOBAL .* factors$"):
        expect(re.search(pattern, symbols, re.M), f"{pattern} in {symbols}")
    return image


def check_loads(image):
    driver = Driver()
    values = list(range(32))
    wanted = [v + 7 for v in values]
    expect(driver.launch(driver.load(image), "add_seven", values) == wanted, "cuModuleLoadData runs")
    expect(driver.launch(driver.load_library(image), "add_seven", values) == wanted, "cuLibraryLoadData runs")
    cubin, ptx = 0, 1
    expect(driver.launch(driver.link((cubin, image)), "add_seven", values) == wanted, "cuLink* runs")
    other = text.replace("add_seven", "other").replace("seven", "eight").replace("factors", "more")
    other = other.replace("zeroes", "others").replace("u32 eight = 7", "u32 eight = 8")
    module = driver.link((cubin, image), (ptx, other.encode() + b"\0"))
    expect(driver.launch(module, "add_seven", values) == wanted, "an image and PTX linked")
    expect(driver.launch(module, "other", values) == [v + 8 for v in values], "the PTX of them")

    import ctypes
    module = ctypes.c_void_p()
    damaged = {"a header cut off": image[:40] + bytes(200), "headers elsewhere": image[:40] + b"\xff" * 8 + image[48:]}
    for what, data in damaged.items():
        result = driver.result("cuModuleLoadData", ctypes.byref(module), ctypes.create_string_buffer(data))
        expect(result in (200, 209), f"{what}: {result}")
    foreign = image.replace(b".kudzu_image\0", b".other_image\0")
    result = driver.result("cuModuleLoadData", ctypes.byref(module), ctypes.create_string_buffer(foreign))
    expect(result == 209, f"machine code of a GPU: {result}, not CUDA_ERROR_NO_BINARY_FOR_GPU")


def check_messages(folder):
    def fails(wanted, *arguments, content=None):
        path = os.path.join(folder, "bad.ptx")
        if content is not None:
            with open(path, "w") as f:
                f.write(content)
            arguments = (path, "-o", os.path.join(folder, "bad.cubin"), *arguments)
        _, err = run("ptxas", *arguments, status=255)
        expect(wanted.replace("FILE", path) in err, f"{wanted!r} in {err!r}")
        expect(not os.path.exists(os.path.join(folder, "bad.cubin")), "nothing is written after an error")

    fails("ptxas fatal   : Value 'sm_20' is not defined for option 'gpu-name'\n", "-arch=sm_20", source)
    fails("ptxas fatal   : Value 'sm_900' is not defined for option 'gpu-name'\n", "-arch=sm_900", source)
    fails("ptxas fatal   : Unknown option '--frob'", "--frob", source)
    fails("ptxas fatal   : Argument expected after 'gpu-name'", source, "-arch")
    fails("ptxas fatal   : Value '9' is not defined for option 'opt-level'", "-O9", source)
    fails("ptxas fatal   : Value '32' is not defined for option 'machine'", "-m32", source)
    fails("ptxas fatal   : Value 'maybe' is not defined for option 'fmad'", "--fmad=maybe", source)
    fails("ptxas fatal   : No input files specified")
    fails("ptxas fatal   : Could not open input file '/dev/zero': ", "/dev/zero")
    fails("ptxas fatal   : Could not open input file '/': ", "/")
    fails("ptxas fatal   : Could not open input file '/nowhere.ptx': No such file", "/nowhere.ptx")
    fails("ptxas fatal   : Could not open output file '/nowhere/a'", source, "-arch", "sm_90", "-o", "/nowhere/a")
    fails("ptxas FILE, line 2; error   : SM version specified by .target is higher", "-arch=sm_75", content=text)
    fails("ptxas FILE, line 2; error   : PTX with .target 'sm_90a' cannot be compiled", "-arch=sm_100",
          content=text.replace("sm_80", "sm_90a"))
    fails("ptxas FILE, line 1; fatal   : Unsupported .version 99.99; current version is '8.8'",
          content=".version 99.99")
    bad = text.replace("add.s32", "bad.s32")
    fails("ptxas FILE, line 23; error   : ", "-arch=sm_90", content=bad)
    fails("ptxas fatal   : Ptx assembly aborted due to errors\n", "-arch=sm_90", content=bad)
    for content in ("", "\0", "\x7fELF", "{" * 5000, ".version 8.0\n.target sm_80\n" + "(" * 100000):
        fails("ptxas", "-arch=sm_90", content=content)

    call = text.replace(".visible .entry", ".extern .func elsewhere;\n.visible .entry") \
               .replace("\tbar.sync 0;", "\tcall elsewhere;")
    fails("ptxas fatal   : Unresolved extern function 'elsewhere'", "-arch=sm_90", content=call)
    path = os.path.join(folder, "call.ptx")
    with open(path, "w") as f:
        f.write(call)
    cubin = os.path.join(folder, "call.cubin")
    run("ptxas", "-c", "-arch=sm_90", path, "-o", cubin)
    symbols = subprocess.run(["readelf", "-hsW", cubin], text=True, stdout=subprocess.PIPE).stdout
    expect(re.search(r"^ *Type: +REL ", symbols, re.M), "a relocatable image")
    expect(re.search(r" NOTYPE +GLOBAL DEFAULT +UND elsewhere$", symbols, re.M), f"what is missing in {symbols}")
    shared = text.replace("tile[128]", "tile[65536]")
    fails("65536 bytes of static shared memory", "-arch=sm_90", content=shared)


def check_names(folder):
    out, _ = run("ptxas", "--version")
    expect(re.search(r"release 12\.9, V12\.9\.\d+", out), f"a version in {out}")
    link = os.path.join(folder, "ptxas")
    os.symlink(os.path.abspath(kudzu), link)
    expect(subprocess.run([link, "--version"], text=True, stdout=subprocess.PIPE).stdout == out, "as ptxas the same")
    options = os.path.join(folder, "options")
    cubin = os.path.join(folder, "from_options.cubin")
    with open(options, "w") as f:
        f.write(f'-arch=sm_90 "{source}"\n -o {cubin}')
    run("ptxas", "--options-file", options)
    expect(os.path.getsize(cubin) > 1000, "options of a file")
    with open(options, "w") as f:
        f.write(f"-optf {options}")
    _, err = run("ptxas", "-optf", options, status=255)
    expect("too deeply" in err, "files of options that name each other")
    run("ptxas", "-arch=sm_90", "-o", cubin, "/dev/stdin", input=text)
    out, _ = run("ptxas", "--help")
    expect("--gpu-name <value>  (-arch)" in out, "help")
    native = os.path.join(folder, "native.cubin")
    run("ptxas", "-arch=sm_90", source, "-o", native, "--kudzu-native=x86-64-v3")
    expect(os.path.getsize(native) > os.path.getsize(cubin), "native code beside the PTX")
    return open(native, "rb").read()


with tempfile.TemporaryDirectory() as folder:
    image = check_image(folder)
    check_messages(folder)
    native = check_names(folder)
    check_loads(image)
    check_loads(native)
