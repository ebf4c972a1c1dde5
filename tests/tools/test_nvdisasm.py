"""kudzu nvdisasm: PTX of images by functions and as graphs."""
import os
import re
import subprocess
import tempfile

from device_image import expect, kudzu, run

BRANCHES = """.version 8.0
.target sm_90
.address_size 64
.file 1 "loop.cu"
.global .align 4 .b8 table[40];
.visible .entry count(.param .u64 p, .param .u32 n)
{
    .reg .pred %p<3>;
    .reg .b32 %r<4>;
    .loc 1 7 0
    ld.param.u32 %r1, [n];
    mov.u32 %r2, 0;
    setp.eq.u32 %p1, %r1, 0;
    @%p1 bra END;
LOOP:
    .loc 1 9 0
    add.u32 %r2, %r2, 1;
    setp.lt.u32 %p2, %r2, %r1;
    @%p2 bra LOOP;
END:
    ret;
}
.visible .entry other() { ret; }
"""


def fails(wanted, *arguments):
    _, err = run("nvdisasm", *arguments, status=255)
    expect(wanted in err, f"{wanted!r} in {err!r}")


with tempfile.TemporaryDirectory() as folder:
    source, cubin = os.path.join(folder, "loop.ptx"), os.path.join(folder, "loop.cubin")
    with open(source, "w") as f:
        f.write(BRANCHES)
    run("ptxas", "-arch=sm_90", source, "-o", cubin)
    out, _ = run("nvdisasm", cubin)
    expect("// PTX for sm_90" in out and ".nv.global ----" in out and "table: // 40 bytes at multiples of 4\n" in out, out)
    expect(re.search(r"\.text\.count -+\ncount:\n\tld\.param\.u32 %r1, \[n\];\n", out), out)
    expect("\n\t@%p1 bra END;\nLOOP:\n\tadd.u32 %r2, %r2, 1;\n" in out and "\nother:\n\tret;\n" in out, out)
    expect("//##" not in out, "lines only when they are asked for")
    out, _ = run("nvdisasm", "-c", "-g", "-hex", cubin)
    expect("table" not in out and '\t//## File "loop.cu", line 7\n\tld.param' in out, out)
    expect(out.count('//## File "loop.cu", line 9\n') == 1, out)
    number = next(n for n in range(1, 20) if "\nother:" in run("nvdisasm", "-fun", str(n), cubin)[0])
    out, _ = run("nvdisasm", "--cuda-function-index", f"{number}", cubin)
    expect("\nother:" in out and "\ncount:" not in out, out)
    for option in "-cfg", "-bbcfg":
        out, _ = run("nvdisasm", option, cubin)
        expect(out.startswith("digraph f {\n") and out.endswith("}\n"), out)
        edges = sorted(re.findall(r'"count\.(\d)" -> "count\.(\d)";', out))
        expect(edges == [("0", "1"), ("0", "2"), ("1", "1"), ("1", "2")], f"edges {edges}")
        expect(len(re.findall(r'"count\.\d" \[label=', out)) == 3, out)
    # What kudzu cc -cubin writes is a cubin for users, although it is a container.
    container = os.path.join(folder, "container.cubin")
    run("cc", "-cubin", "-arch=sm_90", source, "-o", container)
    out, _ = run("nvdisasm", container)
    expect("// PTX for sm_90" in out and "\n\t@%p1 bra END;\nLOOP:\n" in out and "\nother:\n\tret;\n" in out, out)
    link = os.path.join(folder, "nvdisasm")
    os.symlink(os.path.abspath(kudzu), link)
    out = subprocess.run([link, "--version"], text=True, stdout=subprocess.PIPE).stdout
    expect("nvdisasm" in out and "release 12.9, V12.9" in out, out)
    fails("No input file specified")
    fails("is no cubin", source)
    fails("has no form in JSON", "-json", cubin)
    fails("Value 'x' is not defined", "-fun", "x", cubin)
