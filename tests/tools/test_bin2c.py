"""kudzu bin2c: arrays that C and C++ compilers read as the file's bytes."""
import os
import subprocess
import tempfile

from device_image import expect, kudzu, run

BYTES = bytes(range(256)) + b"\x80tail"  # 261: no whole number of longer elements


def array(folder, *options, data=BYTES, name="imageBytes", language="c++"):
    """The bytes that a program finds in the array, and what bin2c printed."""
    source = os.path.join(folder, "data")
    with open(source, "wb") as f:
        f.write(data)
    text, _ = run("bin2c", *options, source)
    program = os.path.join(folder, "program")
    main = f"{text}\n#include <stdio.h>\nint main(void) {{ fwrite({name}, 1, sizeof {name}, stdout); }}\n"
    subprocess.run(["cc", "-x", language, "-Wall", "-Werror", "-", "-o", program], input=main, text=True, check=True)
    return subprocess.run([program], stdout=subprocess.PIPE, check=True).stdout, text


def fails(wanted, *arguments):
    out, err = run("bin2c", *arguments, status=255)
    expect(wanted in err and not out, f"{wanted!r} in {err!r}")


with tempfile.TemporaryDirectory() as folder:
    got, text = array(folder)
    expect(got == BYTES and "\nunsigned char imageBytes[] = {\n0x00,0x01," in text, "the bytes")
    expect('extern "C" {' in text, "the array's name is C's")
    expect(array(folder, language="c")[0] == BYTES, "in C")
    for kind, size, c, exact in (("char", 1, "unsigned char", "uint8_t"), ("short", 2, "unsigned short", "uint16_t"),
                                 ("int", 4, "unsigned int", "uint32_t"),
                                 ("longlong", 8, "unsigned long long", "uint64_t")):
        got, text = array(folder, "--type", kind, "-c")
        expect(got == BYTES + bytes(-len(BYTES) % size) and f"\nconst {c} imageBytes[]" in text, f"elements of {kind}")
        got, text = array(folder, "--stdint", "-t", kind, "-st", "-n", "words", name="words")
        expect(got[:261] == BYTES and f"\nstatic {exact} words[]" in text, f"<stdint.h>'s names: {kind}")
    for padding, added in ("0", b"\0"), ("1,0xff,3", b"\1\xff\3"):
        expect(array(folder, "-c", "--padd", padding, "--type", "char", "--name", "ptx", name="ptx")[0] == BYTES + added,
               f"--padd {padding}")
    text = array(folder, "--const", "--static", "--length", "--name=code", "-p", "0", name="code")[1]
    expect("\nstatic const unsigned long long codeLength = 262;\n" in text, "the length")

    # As a link of the tool's name, and as a file of options.
    link, options = os.path.join(folder, "bin2c"), os.path.join(folder, "options")
    os.symlink(os.path.abspath(kudzu), link)
    with open(options, "w") as f:
        f.write("-c -n embedded")
    text = subprocess.run([link, "--options-file", options, os.path.join(folder, "data")], text=True, check=True,
                          stdout=subprocess.PIPE).stdout
    expect("const unsigned char embedded[]" in text, "by its own name")
    version = subprocess.run([link, "--version"], text=True, stdout=subprocess.PIPE).stdout
    expect("bin2c" in version and ", release " in version, "the version")

    path = os.path.join(folder, "data")
    fails("No input file specified")
    fails("Could not open input file '/nowhere'", "/nowhere")
    fails("Could not open input file", folder)
    fails("More than one file", path, path)
    fails("Value 'double' is not defined for option 'type'", "-t", "double", path)
    for padding in "", "256", "-1", "1,", "x":
        fails("padd", f"--padd={padding}", path)
    fails("Unknown option '--frob'", "--frob", path)
    open(path, "w").close()
    fails("is empty", path)
    expect(run("bin2c", "-p", "0", path)[0].count("0x") == 1, "an empty file with a byte behind it")
    full = subprocess.run([link, options], stdout=open("/dev/full", "w"), stderr=subprocess.PIPE)
    expect(full.returncode == 255, "a full disk")
