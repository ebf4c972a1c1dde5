"""kudzu nvlink: cubins, PTX, objects and archives become one image."""
import os
import re
import subprocess
import sys
import tempfile

from device_image import Driver, expect, kudzu, run

HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"
# kernel(int *data): data[tid] = call(data[tid])
KERNEL = HEAD + """.extern .func (.param .b32 result) CALLED (.param .b32 x);
.visible .entry kernel(.param .u64 data)
{
	.reg .b32 %r<4>;
	.reg .b64 %rd<4>;
	.param .b32 argument;
	.param .b32 returned;
	ld.param.u64 %rd1, [data];
	mov.u32 %r1, %tid.x;
	mul.wide.u32 %rd2, %r1, 4;
	add.s64 %rd3, %rd1, %rd2;
	ld.global.u32 %r2, [%rd3];
	st.param.b32 [argument], %r2;
	call (returned), CALLED, (argument);
	ld.param.b32 %r3, [returned];
	st.global.u32 [%rd3], %r3;
	ret;
}
"""
FUNCTION = HEAD + """.visible .func (.param .b32 result) NAME (.param .b32 x)
{
	.reg .b32 %r<3>;
	ld.param.b32 %r1, [x];
	OPERATION.s32 %r2, %r1, VALUE;
	st.param.b32 [result], %r2;
	ret;
}
"""


def function(name, operation, value):
    return FUNCTION.replace("NAME", name).replace("OPERATION", operation + (".lo" if operation == "mul" else "")) \
                   .replace("VALUE", str(value))


def write(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, "w") as f:
        f.write(text)
    return path


def assemble(folder, name, text):
    source = write(folder, name + ".ptx", text)
    cubin = os.path.join(folder, name + ".cubin")
    run("ptxas", "-c", "-arch=sm_90", source, "-o", cubin)
    return cubin


def fails(wanted, *arguments):
    _, err = run("nvlink", *arguments, status=255)
    expect(wanted in err, f"{wanted!r} in {err!r}")


with tempfile.TemporaryDirectory() as folder:
    driver = Driver()
    values = list(range(32))
    output = os.path.join(folder, "linked.cubin")

    def result(*arguments):
        run("nvlink", "-arch", "sm_90", "-o", output, *arguments)
        image = open(output, "rb").read()
        return driver.launch(driver.load(image), "kernel", values)

    kernel = assemble(folder, "kernel", KERNEL.replace("CALLED", "twice"))
    twice = assemble(folder, "twice", function("twice", "mul", 2))
    other = assemble(folder, "other", function("other", "add", 5))
    doubled = [2 * v for v in values]
    expect(result(kernel, twice) == doubled, "two cubins")
    header = subprocess.run(["readelf", "-hW", output], text=True, stdout=subprocess.PIPE).stdout
    expect(re.search(r"Type: +EXEC ", header), "the result is complete")
    expect(result(kernel, write(folder, "twice.ptx", function("twice", "mul", 2))) == doubled, "a cubin and PTX")

    # An archive gives what is needed: the second definition of `twice` is not.
    archive = os.path.join(folder, "libdevice.a")
    again = assemble(folder, "twice_again", function("twice", "mul", 3))
    user = assemble(folder, "user", KERNEL.replace("CALLED", "other"))
    subprocess.run(["ar", "qc", archive, other, again], check=True)
    expect(result(kernel, twice, "-L", folder, "-ldevice") == doubled, "a library that is not needed")
    expect(result(kernel, f"-L{folder}", "-l", "device") == [3 * v for v in values], "a library that is needed")
    expect(result(user, archive) == [v + 5 for v in values], "an archive by its path")

    # Objects and programs with containers in them.
    container = os.path.join(folder, "a.fatbin")
    run("fatbinary", "--create", container, f"--image3=kind=elf,sm=90,file={twice}", "-64", "--cmdline=-O3")
    expect(result(kernel, container) == doubled, "a container")
    text = os.path.join(folder, "object.s")
    write(folder, "object.s", f'.section .nv_fatbin,"a"\n.p2align 3\n.incbin "{container}"\n')
    host = os.path.join(folder, "object.o")
    subprocess.run(["as", text, "-o", host], check=True)
    expect(result(kernel, host) == doubled, "an object of the host")

    _, err = run("nvlink", "-v", "-arch=sm_90", "-o", output, kernel, twice, "-lnowhere", "-m64", "-O3")
    expect("Used " in err and "'kernel'" in err, f"what the kernel takes in {err}")
    expect("nvlink warning : Could not find library 'nowhere'" in err, f"the missing library in {err}")
    fails("nvlink error   : Undefined reference to 'twice' in '", "-arch", "sm_90", "-o", output, kernel)
    fails(f"nvlink error   : Multiple definition of 'twice' in '{again}', first defined in '{twice}'",
          "-arch", "sm_90", "-o", output, kernel, twice, again)
    fails("nvlink error   : SM Arch ('sm_70') not found in '", "-arch", "sm_70", "-o", output, kernel, twice)
    fails("nvlink fatal   : Could not open input file '/nowhere.o': No such file", "/nowhere.o")
    fails("nvlink fatal   : Could not open input file '/dev/zero': ", "/dev/zero")
    fails("nvlink fatal   : Could not open input file '/': ", "/")
    fails("nvlink fatal   : No input files specified")
    fails("nvlink fatal   : Unknown option '--frob'", "--frob")
    fails("nvlink fatal   : No device code to link", "/bin/true")
    fails("intermediate form", "-lto", kernel)
    fails("Value 'sm_1' is not defined for option 'arch'", "-arch=sm_1", kernel)

    # What only the compiler can link.
    source = write(folder, "relocatable.cu", "__device__ int twice(int x) { return 2 * x; }\n")
    relocatable = os.path.join(folder, "relocatable.o")
    run("cc", "-dc", source, "-o", relocatable)
    fails(f"nvlink error   : '{relocatable}' holds LLVM bitcode", "-arch", "sm_90", kernel, relocatable)

    # Damage: every length of a cubin, and noise.
    image = open(twice, "rb").read()
    damaged = os.path.join(folder, "damaged")
    for size in list(range(0, len(image), 37)) + [len(image) - 1]:
        with open(damaged, "wb") as f:
            f.write(image[:size])
        fails("nvlink fatal   : Could not open input file", damaged)
