"""kudzu nvprune: what stays in objects and libraries, and that programs of them run."""
import os
import re
import struct
import subprocess
import tempfile

from device_image import expect, kudzu, run

SOURCE = """
#ifdef __CUDA_ARCH__
#define ARCHITECTURE __CUDA_ARCH__
#else
#define ARCHITECTURE 0
#endif
__global__ void %(name)s(int *p) { *p = %(value)s; }
int run_%(name)s() {
    int *p, v = -1;
    cudaMalloc(&p, sizeof v);
    %(name)s<<<1, 1>>>(p);
    cudaMemcpy(&v, p, sizeof v, cudaMemcpyDeviceToHost);
    return cudaGetLastError() == cudaErrorNoKernelImageForDevice ? -2 : v;
}
"""
MAIN = """
#include <cstdio>
int run_one(), run_two();
int main() { printf("%d %d\\n", run_one(), run_two()); }
"""
ARCHITECTURES = [f"-gencode=arch=compute_{n},code={kind}_{n}" for n, kind in ((70, "sm"), (80, "sm"), (90, "compute"))]


def compiled(folder, name, value, *options):
    source, out = os.path.join(folder, name + ".cu"), os.path.join(folder, name + ".o")
    with open(source, "w") as f:
        f.write(SOURCE % {"name": name, "value": value})
    run("cc", *ARCHITECTURES, *options, "-c", source, "-o", out)
    return out


def architectures(path):
    """What `kudzu objdump` finds, such as ["ptx 70", "ptx 80"]."""
    out, _ = run("objdump", path)
    return [f"{kind} {n}" for kind, n in re.findall(r"Fatbin (.+) code:\n=+\n(?:arch = sm_(\d+))?", out)]


def fails(wanted, *arguments):
    _, err = run("nvprune", *arguments, status=255)
    expect(wanted in err, f"{wanted!r} in {err!r}")


def check_containers(folder):
    """A container with entries of kinds and flags that kudzu does not make stays as it is, entry for entry."""
    def entry(kind, arch, data, flags=0x11):
        data += bytes(-len(data) % 8)
        return struct.pack("<HHIQIIHHIIIQQQ", kind, 0x101, 64, len(data), 0, 0, 5, 8, arch, 0, 0, flags, 0, 0) + data

    def container(*entries):
        return struct.pack("<IHHQ", 0xBA55ED50, 1, 16, sum(map(len, entries))) + b"".join(entries)

    elf90 = entry(2, 90, b"not an ELF file: compressed", 0x8011)
    ptx90 = entry(1, 90, b"compressed", 0x8011)
    ptx80 = entry(1, 80, b".version 8.0\n.target sm_80\n.address_size 64\n\0")
    ptx80a = entry(1, 90, b".version 8.0\n.target sm_90a\n.address_size 64\n\0")
    first, second = container(ptx80, elf90, ptx90, ptx80a), container(elf90, ptx80)
    for name, data in ("first", first), ("second", second):
        with open(os.path.join(folder, name), "wb") as f:
            f.write(data)
    assembly, host, out = (os.path.join(folder, n) for n in ("two.s", "two.o", "pruned.o"))
    with open(assembly, "w") as f:
        f.write(f'.section .nv_fatbin,"a"\n.p2align 3\none:\n.incbin "{folder}/first"\n.globl two\ntwo:\n'
                f'.incbin "{folder}/second"\nend:\n.data\n.quad one\n.quad two\n.quad end\n.asciz "after"\n')
    subprocess.run(["as", assembly, "-o", host], check=True)
    for options, left in ((("-arch", "sm_90"), ((elf90,), (elf90,))), (("-arch", "compute_90"), ((ptx90,), ())),
                          (("-arch", "sm_80"), ((ptx80,), (ptx80,))), (("-arch=sm_90,compute_80",), ((ptx80, elf90), (elf90, ptx80))),
                          (("-arch", "compute_90a"), ((ptx90, ptx80a)[1:], ()))):
        run("nvprune", *options, host, "-o", out)
        # Linked at known addresses, the section and the three addresses can be read off the program's bytes.
        linked, binary = out + ".elf", out + ".bin"
        subprocess.run(["ld", "-Ttext=0x400000", "--section-start=.nv_fatbin=0x500000", "-Tdata=0x600000", "-e", "two",
                        out, "-o", linked], check=True)
        def section(name):
            subprocess.run(["objcopy", "-O", "binary", "-j", name, linked, binary], check=True)
            with open(binary, "rb") as f:
                return f.read()
        one, two = (container(*entries) for entries in left)
        if options[-1] == "compute_90a":  # of what is compressed the number alone is known
            one = container(ptx90, ptx80a)
        expect(section(".nv_fatbin") == one + two, f"{options}: the containers")
        data = section(".data")
        expect(struct.unpack_from("<3Q", data) == (0x500000, 0x500000 + len(one), 0x500000 + len(one) + len(two))
               and data[24:30] == b"after\0", f"{options}: the addresses")
    with open(assembly, "a") as f:
        f.write(".quad one + 24\n")
    subprocess.run(["as", assembly, "-o", host], check=True)
    fails("refers to the inside of a container", "-arch", "sm_90", host, "-o", out)


with tempfile.TemporaryDirectory() as folder:
    one, two = compiled(folder, "one", "1"), compiled(folder, "two", "ARCHITECTURE")
    expect(architectures(two) == ["ptx 70", "ptx 80", "ptx 90"], "what is there at first")
    main = os.path.join(folder, "main.cpp")
    with open(main, "w") as f:
        f.write(MAIN)
    run("cc", "-c", main, "-o", main + ".o")
    archive, pruned = os.path.join(folder, "lib.a"), os.path.join(folder, "pruned.a")
    subprocess.run(["ar", "qcs", archive, one, two], check=True)

    def output(*files):
        program = os.path.join(folder, "program")
        run("cc", main + ".o", *files, "-o", program)
        return subprocess.run([program], text=True, stdout=subprocess.PIPE, check=True).stdout.split()

    for options, left, value in (("-arch sm_80", ["ptx 80"], "800"), ("--arch compute_70", ["ptx 70"], "700"),
                                 ("-gencode arch=compute_70,code=[sm_70,compute_80]", ["ptx 70", "ptx 80"], "800"),
                                 ('-gencode arch=compute_70,code="sm_70" --generate-code=arch=compute_90', ["ptx 70", "ptx 90"], "900")):
        run("nvprune", *options.split(), archive, "-o", pruned)
        expect(architectures(pruned) == left * 2, f"{options}: {architectures(pruned)}")
        expect(os.path.getsize(pruned) < os.path.getsize(archive), f"{options}: it is shorter")
        expect(output(pruned) == ["1", value], f"{options}: {output(pruned)}")
        # The linker takes members by the index.
        subprocess.run(["nm", "--print-armap", pruned], stdout=subprocess.DEVNULL, stderr=subprocess.STDOUT, check=True)
        small = os.path.join(folder, "small.o")
        run("nvprune", *options.split(), two, f"--output-file={small}")
        expect(architectures(small) == left, f"{options}: one object")
    _, err = run("nvprune", "-arch", "sm_100", two, "-o", pruned)
    expect("warning" in err and "has no device code for these targets" in err and architectures(pruned) == [], err)
    expect(output(one, pruned)[1] == "-2", "no kernel image is there")

    # Native code stays with the PTX that it was made from.
    native = compiled(folder, "one", "1", "--kudzu-native=x86-64-v2")
    expect("native " in architectures(native), "native code is there at first")
    for arch, left in ("sm_90", ["ptx 90", "native "]), ("sm_70", ["ptx 70"]):
        run("nvprune", "-arch", arch, native, "-o", pruned)
        expect(sorted(architectures(pruned)) == sorted(left), f"native code: {architectures(pruned)}")

    # Code that waits for a device link.
    relocatable = compiled(folder, "one", "1", "-rdc=true")
    run("nvprune", "-arch", "sm_80", relocatable, "-o", pruned)
    expect(architectures(pruned) == ["LLVM bitcode 80"], "bitcode")
    run("nvprune", "-arch", "sm_80", "-no-relocatable-elf", relocatable, "-o", pruned)
    expect(architectures(pruned) == [], "no bitcode")

    check_containers(folder)
    program, out = os.path.join(folder, "program"), os.path.join(folder, "out")
    fails("No input file specified")
    fails("--arch or --generate-code must tell what stays", two, "-o", out)
    fails("No output", "-arch", "sm_90", two)
    fails("Value 'sm_1' is not defined for option 'arch'", "-arch", "sm_1", two, "-o", out)
    fails("Value 'x' is not defined for option 'generate-code'", "-gencode", "x", two, "-o", out)
    fails("it is no relocatable object of 64 bits", "-arch", "sm_90", program, "-o", out)
    fails("it is no object or library of the host", "-arch", "sm_90", main, "-o", out)
    fails("Could not open input file", "-arch", "sm_90", os.path.join(folder, "none"), "-o", out)
    expect(not os.path.exists(out), "nothing is written after an error")
    # Damage is an error or goes unseen, never a crash.
    with open(archive, "rb") as f:
        data = f.read()
    for at in range(0, len(data), len(data) // 39):
        with open(out, "wb") as f:
            f.write(data[:at] if at % 2 else data[:at] + bytes([data[at] ^ 0xFF]) + data[at + 1:])
        status = subprocess.run([kudzu, "nvprune", "-arch", "sm_90", out, "-o", pruned], stderr=subprocess.DEVNULL).returncode
        expect(status in (0, 255), f"damage at {at}: {status}")
