"""kudzu fatbinary: containers that the driver loads and programs embed."""
import os
import struct
import subprocess
import sys
import tempfile

from device_image import Driver, expect, kudzu, library, run

source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "add_seven.ptx")
text = open(source).read()


def entries(container):
    """Kind, architecture and data of each, by the public layout."""
    magic, version, header, payload = struct.unpack_from("<IHHQ", container)
    expect((magic, version, header, payload) == (0xBA55ED50, 1, 16, len(container) - 16), "the container's header")
    at, found = 16, []
    while at < len(container):
        kind, _, entry_header, size = struct.unpack_from("<HHIQ", container, at)
        arch = struct.unpack_from("<I", container, at + 28)[0]
        found.append((kind, arch, container[at + entry_header:at + entry_header + size]))
        at += entry_header + size
    return found


def fails(wanted, *arguments):
    _, err = run("fatbinary", *arguments, status=255)
    expect(wanted in err, f"{wanted!r} in {err!r}")


with tempfile.TemporaryDirectory() as folder:
    driver = Driver()
    values = list(range(32))
    cubin, container = os.path.join(folder, "a.cubin"), os.path.join(folder, "a.fatbin")
    run("ptxas", "-arch=sm_90", source, "-o", cubin)

    # What kudzu's cubins hold is plain in the container: a GPU's driver finds the PTX.
    run("fatbinary", "-64", "--create", container, f"--image3=kind=elf,sm=90,file={cubin}",
        f"--image3=kind=ptx,sm=80,file={source}", "--cmdline=--compile-only")
    found = entries(open(container, "rb").read())
    expect([e[:2] for e in found] == [(1, 90), (1, 80)], f"two texts, for 90 and 80: {[e[:2] for e in found]}")
    expect(all(e[2].rstrip(b"\0").decode() == text for e in found), "the texts are the source")
    image = open(container, "rb").read()
    expect(driver.launch(driver.load(image), "add_seven", values) == [v + 7 for v in values], "it runs")
    run("fatbinary", "--create", container, f"--image=profile=sm_90a,file={cubin}",
        f"--image=profile=compute_90,file={source}")
    expect([e[:2] for e in entries(open(container, "rb").read())] == [(1, 90), (1, 90)], "profiles")

    # Machine code of a GPU stays what it is.
    foreign = open(cubin, "rb").read().replace(b".kudzu_image\0", b".other_image\0")
    other = os.path.join(folder, "other.cubin")
    with open(other, "wb") as f:
        f.write(foreign)
    run("fatbinary", "--create", container, f"--image3=kind=elf,sm=86,file={other}")
    kind, arch, data = entries(open(container, "rb").read())[0]
    expect((kind, arch, data[:len(foreign)]) == (2, 86, foreign), "a cubin of others is an entry")

    # C that holds it, in a program that registers it.
    embedded = os.path.join(folder, "embedded.c")
    run("fatbinary", f"--embedded-fatbin={embedded}", f"--image3=kind=elf,sm=90,file={cubin}")
    with open(embedded, "a") as f:
        f.write("""
#include <stdio.h>
void **__cudaRegisterFatBinary(void *); void __cudaRegisterFatBinaryEnd(void **);
int __cudaRegisterFunction(void **, const char *, char *, const char *, int, void *, void *, void *, void *, int *);
int cudaMallocManaged(void **, unsigned long, unsigned); int cudaDeviceSynchronize(void);
struct dim3 { unsigned x, y, z; };
int cudaLaunchKernel(const void *, struct dim3, struct dim3, void **, unsigned long, void *);
static char add_seven;
int main(void) {
  void **handle = __cudaRegisterFatBinary((void *)&__fatDeviceText);
  int *data = 0;
  void *arguments[] = {&data};
  struct dim3 one = {1, 1, 1};
  __cudaRegisterFunction(handle, &add_seven, "add_seven", "add_seven", -1, 0, 0, 0, 0, 0);
  __cudaRegisterFatBinaryEnd(handle);
  cudaMallocManaged((void **)&data, 4, 1);
  *data = 35;
  if (cudaLaunchKernel(&add_seven, one, one, arguments, 0, 0) || cudaDeviceSynchronize()) return 1;
  printf("%d", *data);
  return 0;
}
""")
    program = os.path.join(folder, "program")
    subprocess.run(["cc", embedded, "-o", program, f"-L{library}", "-lcudart", f"-Wl,-rpath,{library}"], check=True)
    out = subprocess.run([program], text=True, stdout=subprocess.PIPE,
                         env={**os.environ, "LD_LIBRARY_PATH": library}).stdout
    expect(out == "42", f"the program prints {out!r}")

    fails("fatbinary fatal   : No output", f"--image3=kind=elf,sm=90,file={cubin}")
    fails("fatbinary fatal   : No images specified", "--create", container)
    fails("is not profile=sm_90,file=FILE", "--create", container, "--image=frob")
    fails("Value 'sm_7' is not defined for option 'image'", "--create", container, f"--image3=kind=elf,sm=7,file={cubin}")
    fails("Images of kind 'lto'", "--create", container, f"--image3=kind=lto,sm=90,file={cubin}")
    fails("fatbinary fatal   : Could not open input file '/nowhere'", "--create", container,
          "--image3=kind=elf,sm=90,file=/nowhere")
    fails("fatbinary fatal   : Could not open output file '/nowhere/a'", "--create=/nowhere/a",
          f"--image3=kind=elf,sm=90,file={cubin}")
    fails("there is no code of 32 bits", "-32")
    fails("fatbinary fatal   : Unknown option '--frob'", "--frob")
