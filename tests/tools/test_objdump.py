"""kudzu objdump: lists, symbols, what kernels take, code, on files of every kind."""
import os
import re
import shutil
import struct
import subprocess
import tempfile

from device_image import expect, kudzu, run

source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "add_seven.ptx")
text = open(source).read()
USAGE = r" Function add_seven:\n  REG:[1-9]\d* STACK:0 SHARED:128 LOCAL:0 CONSTANT\[0\]:\d+ "


def elf(sections, symbols, flags=0x5A055A, abi=7):
    """An ELF file of machine 190 as other assemblers write it: sections (name, type, info, data)."""
    names = b"\0"
    strings, table = b"\0", bytes(24)
    for name, info, other, section in symbols:
        table += struct.pack("<IBBHQQ", len(strings), info, other, section, 0, 0)
        strings += name.encode() + b"\0"
    sections = [("", 0, 0, b"")] + sections + [(".symtab", 2, 1, table), (".strtab", 3, 0, strings), (".shstrtab", 3, 0, b"")]
    offsets = []
    for name, *_ in sections:
        offsets.append(len(names))
        names += name.encode() + b"\0"
    sections[-1] = (".shstrtab", 3, 0, names)
    body, headers = b"", b""
    for i, (name, kind, info, data) in enumerate(sections):
        link = len(sections) - 2 if kind == 2 else 0
        headers += struct.pack("<IIQQQQIIQQ", offsets[i], kind, 0, 0, 64 + len(body), len(data), link, info, 1, 0)
        body += b"" if kind == 8 else data
    body += bytes(-len(body) % 8)
    ident = b"\x7fELF\2\1\1\x33" + bytes([abi]) + bytes(7)
    return ident + struct.pack("<HHIQQQIHHHHHH", 2, 190, 1, 0, 0, 64 + len(body), flags, 64, 56, 0, 64,
                               len(sections), len(sections) - 1) + body + headers


def check_cubin(folder):
    cubin = os.path.join(folder, "seven.cubin")
    run("ptxas", "-arch=sm_90a", source, "-o", cubin)
    out, _ = run("objdump", "--list-elf", "-lptx", cubin)
    expect(out == "ELF file    1: seven.1.sm_90a.cubin\nPTX file    1: seven.1.sm_90a.ptx\n"
           .replace("sm_90a.ptx", "sm_90.ptx"), f"lists: {out!r}")
    out, _ = run("objdump", "--dump-ptx", cubin)
    expect(text in out and "arch = sm_90" in out, "the PTX")
    out, _ = run("objdump", "--dump-elf-symbols", cubin)
    for line in ("STT_FUNC         STB_GLOBAL STO_ENTRY     add_seven", "STT_OBJECT       STB_GLOBAL STV_DEFAULT   seven"):
        expect(line + "\n" in out, f"{line} in {out}")
    out, _ = run("objdump", "-elf", cubin)
    expect(re.search(r"PROGBITS +2 \.kudzu_image\n", out) and "STO_ENTRY" in out, f"sections in {out}")
    out, _ = run("objdump", "--dump-resource-usage", cubin)
    expect(re.search(USAGE, out) and "GLOBAL:68 CONSTANT[3]:8" in out, f"usage in {out}")
    out, _ = run("objdump", "-sass", cubin, "--kudzu-native=x86-64-v2")
    expect("code for x86-64-v2\n\t\tFunction : add_seven\n" in out and re.search(r"\bret", out), f"code in {out[:500]}")
    out, _ = run("objdump", "-sass", cubin, "-fun", "other")
    expect("Function :" not in out, "only the functions that are asked for")
    out, _ = run("objdump", "-ptx", cubin, "-arch", "sm_80")
    expect(out == "", "only the architecture that is asked for")
    native = os.path.join(folder, "native.cubin")
    run("ptxas", "-arch=sm_90", source, "-o", native, "--kudzu-native=x86-64-v2")
    out, _ = run("objdump", "-sass", native)
    expect("no code in the image" not in out and "code for x86-64-v2" in out, "code of the image")
    run("objdump", "-xptx", "all", "-xelf", "1.sm_90a", cubin, cwd=folder) if os.path.isabs(kudzu) else None
    if os.path.isabs(kudzu):
        expect(open(os.path.join(folder, "seven.1.sm_90.ptx")).read() == text, "the extracted PTX")
        expect(open(os.path.join(folder, "seven.1.sm_90a.cubin"), "rb").read() == open(cubin, "rb").read(), "and cubin")
    return cubin


def check_hosts(folder, cubin):
    container = os.path.join(folder, "c.fatbin")
    run("fatbinary", "--create", container, f"--image3=kind=elf,sm=90,file={cubin}")
    assembly = os.path.join(folder, "o.s")
    with open(assembly, "w") as f:
        f.write(f'.section .nv_fatbin,"a"\n.p2align 3\n.incbin "{container}"\n.incbin "{container}"\n')
    host, archive = os.path.join(folder, "o.o"), os.path.join(folder, "lib.a")
    subprocess.run(["as", assembly, "-o", host], check=True)
    subprocess.run(["ar", "qcS", archive, host], check=True)
    for path, count in ((container, 1), (host, 2), (archive, 2), (source, 1)):
        out, _ = run("objdump", "-res-usage", path)
        expect(len(re.findall(USAGE, out)) == count, f"{path}: {out}")
    out, _ = run("objdump", archive)
    expect(f"member = {archive}(o.o)\n" in out, f"the member in {out}")
    out, err = run("objdump", "/bin/true")
    expect(out == "" and "does not contain device code" in err, "a program without device code")


def check_foreign(folder):
    """Machine code of a GPU: what its tables say."""
    path = os.path.join(folder, "foreign.cubin")
    sections = [(".text.kernel", 1, 40 << 24 | 1, bytes(256)), (".nv.shared.kernel", 8, 0, bytes(1024)),
                (".nv.constant0.kernel", 1, 0, bytes(568)), (".nv.global", 8, 0, bytes(16))]
    symbols = [("kernel", 0x12, 0x10, 1), ("helper", 0x10, 0, 0)]
    with open(path, "wb") as f:
        f.write(elf(sections, symbols))
    out, _ = run("objdump", "-lelf", "-res-usage", "-symbols", "-sass", path)
    for words in ("ELF file    1: foreign.1.sm_90.cubin\n", "  GLOBAL:16 CONSTANT[3]:0\n",
                  " Function kernel:\n  REG:40 SHARED:1024 LOCAL:0 CONSTANT[0]:568 CODE:256\n",
                  "STT_FUNC         STB_GLOBAL STO_ENTRY     kernel\n",
                  "STT_NOTYPE       STB_GLOBAL STV_DEFAULT U helper\n", "machine code of a GPU"):
        expect(words in out, f"{words!r} in {out}")
    with open(path, "wb") as f:
        f.write(elf(sections, symbols, flags=0x6408, abi=8))
    out, _ = run("objdump", "-lelf", path)
    expect(out == "ELF file    1: foreign.1.sm_100a.cubin\n", f"the next version of the flags: {out}")


def check_stood_for(folder):
    """What machine code was asked for is listed, though PTX is there in its place; of virtual architectures nothing is."""
    source = os.path.join(folder, "asked.cu")
    with open(source, "w") as f:
        f.write("__global__ void k(int *p) { *p = 1; }\n")
    object = os.path.join(folder, "asked.o")
    run("cc", "-c", source, "-o", object, "-gencode=arch=compute_75,code=[sm_75,sm_86]", "-gencode=arch=compute_90,code=compute_90")
    out, _ = run("objdump", "--list-elf", object)
    expect(out == "ELF file    1: asked.1.sm_75.cubin\nELF file    2: asked.2.sm_86.cubin\n", f"asked for: {out}")
    out, _ = run("objdump", "--list-elf", "-arch=sm_86", object)
    expect(out == "ELF file    1: asked.1.sm_86.cubin\n", f"asked for sm_86: {out}")
    out, _ = run("objdump", "--list-ptx", object)
    expect(out == "PTX file    1: asked.1.sm_75.ptx\nPTX file    2: asked.2.sm_90.ptx\n", f"there: {out}")


def check_damage(folder, cubin):
    def fails(wanted, *arguments):
        _, err = run("objdump", *arguments, status=255)
        expect(wanted in err, f"{wanted!r} in {err!r}")

    fails("objdump fatal   : No input files specified")
    fails("objdump fatal   : Unknown option '--frob'", "--frob")
    fails("Value 'sm_1' is not defined for option 'gpu-architecture'", "-arch=sm_1", cubin)
    fails("Value 'z80' is not defined for option 'kudzu-native'", "--kudzu-native=z80", cubin)
    for path, words in (("/dev/zero", "a device"), ("/", "Is a directory"), ("/nowhere", "No such file")):
        fails(f"objdump fatal   : Could not open input file '{path}': {words}", path)
    damaged = os.path.join(folder, "damaged")
    for data in (open(cubin, "rb").read(), elf([(".text.k", 1, 0, bytes(64))], [("k", 0x12, 0x10, 1)])):
        for size in range(0, len(data), 61):
            with open(damaged, "wb") as f:
                f.write(data[:size])
            fails("objdump fatal   : Could not open input file", "-elf", "-res-usage", damaged)
    with open(damaged, "w") as f:
        f.write(text.replace("add.s32", "bad.s32"))
    fails("line 23; error   : ", "-res-usage", damaged)
    fails("bad.s32", "-sass", damaged)


with tempfile.TemporaryDirectory() as folder:
    cubin = check_cubin(folder)
    check_hosts(folder, cubin)
    check_foreign(folder)
    check_stood_for(folder)
    check_damage(folder, cubin)
    link = os.path.join(folder, "cuobjdump")
    os.symlink(os.path.abspath(kudzu), link)
    out = subprocess.run([link, "--version"], text=True, stdout=subprocess.PIPE).stdout
    expect("release 12.9, V12.9" in out, f"a version in {out}")
