"""kudzu cu++filt and libcufilt.a: names as C++ has them."""
import os
import subprocess
import tempfile

from device_image import expect, kudzu, library, run

# Mangled by the Itanium C++ ABI's rules; what they stand for, and without parameters.
NAMES = (
    ("_Z1fIiEbl", "bool f<int>(long)", "bool f<int>"),
    ("_Z6kernelPfi", "kernel(float*, int)", "kernel"),
    ("_ZN8clstmp01I5cls01E13clstmp01_mf01Ev", "clstmp01<cls01>::clstmp01_mf01()", "clstmp01<cls01>::clstmp01_mf01"),
    ("_ZNK1A1gEi", "A::g(int) const", "A::g const"),
    ("_ZNK1AclEi", "A::operator()(int) const", "A::operator() const"),
    ("_Z1gIiEPFidEc", "int (*g<int>(char))(double)", "int (*g<int>)(double)"),
    ("_Z1hPFiiE", "h(int (*)(int))", "h"),
    ("_ZN12_GLOBAL__N_11kEv", "(anonymous namespace)::k()", "(anonymous namespace)::k"),
    ("_ZTV1A", "vtable for A", "vtable for A"),
    ("_ZTIFiiE", "typeinfo for int (int)", "typeinfo for int (int)"),
    ("main", "main", "main"),
    ("i", "i", "i"),
    ("_Zq", "_Zq", "_Zq"),
)

for mangled, name, short in NAMES:
    expect(run("cu++filt", mangled) == (name + "\n", ""), mangled)
    expect(run("cu++filt", "-p", mangled) == (short + "\n", ""), f"-p {mangled}")
expect(run("cu++filt", "_Z1fv", "x", "_Z1gi")[0] == "f()\nx\ng(int)\n", "several names")
expect(run("cu++filt", "-_", "__Z1fIiEbl", "_main")[0] == "bool f<int>(long)\n_main\n", "-_")
expect(run("cu++filt", "__Z1fIiEbl")[0] == "__Z1fIiEbl\n", "no underscore is taken off unasked")
text = ".visible .entry _Z6kernelPfi(\n\t.param .u64 _Z6kernelPfi_param_0,\n) // <_Z1fv>"
expect(run("cu++filt", input=text)[0] == text.replace("_Z6kernelPfi(", "kernel(float*, int)(").replace("_Z1fv", "f()"),
       "text from the standard input")
_, err = run("cu++filt", "--unknown", status=255)
expect("Unknown option '--unknown'" in err, err)

PROGRAM = r"""
#include <nv_decode.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(void) {
    int status;
    size_t size = 4, length = 0;
    char *name = __cu_demangle("B@d_iDentiFier", 0, 0, &status);
    printf("%s %d\n", name ? name : "NULL", status);
    name = __cu_demangle("_ZN8clstmp01I5cls01E13clstmp01_mf01Ev", malloc(size), &size, &status);
    printf("%s %d %d\n", name, status, size > strlen(name));
    free(name);
    name = __cu_demangle("_Z1fv", 0, &length, 0);
    printf("%s %zu\n", name, length);
    free(name);
    name = __cu_demangle(0, 0, 0, &status);
    printf("%d %d ", !name, status);
    name = __cu_demangle("_Z1fv", malloc(8), 0, &status);
    printf("%d %d\n", !name, status);
    return 0;
}
"""
WANTED = "NULL -2\nclstmp01<cls01>::clstmp01_mf01() 0 1\nf() 4\n1 -3 1 -3\n"
root = os.path.dirname(library)
with tempfile.TemporaryDirectory() as folder:
    # In C the decoder is looked for; in C++ the program has it.
    for compiler, language in ("cc", "c"), ("c++", "c++"):
        program = os.path.join(folder, language)
        source = PROGRAM.replace("malloc(size)", "(char *)malloc(size)").replace("malloc(8)", "(char *)malloc(8)")
        subprocess.run([compiler, "-x", language, "-Wall", "-Werror", "-I", os.path.join(root, "include"), "-", "-x", "none",
                        os.path.join(library, "libcufilt.a"), "-ldl", "-o", program], input=source, text=True, check=True)
        out = subprocess.run([program], text=True, stdout=subprocess.PIPE, check=True).stdout
        expect(out == WANTED, f"{language}: {out!r}")
    link = os.path.join(folder, "cu++filt")
    os.symlink(os.path.abspath(kudzu), link)
    expect(subprocess.run([link, "_Z1fv"], text=True, stdout=subprocess.PIPE).stdout == "f()\n", "by its own name")
    expect("release" in subprocess.run([link, "-v"], text=True, stdout=subprocess.PIPE).stdout, "the version")
