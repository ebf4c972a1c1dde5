"""Writes headers for the libraries that CuPy is compiled with and that are not here, each function an error.

usage: absent_libraries.py SOURCES FOLDER

SOURCES is CuPy's source tree. It has stubs of cuBLAS, cuFFT, cuSPARSE and cuSOLVER, which its documentation is
built with: types, and functions that take anything and succeed. The headers get these types, and functions that
return the library's own "not supported".
"""

import os
import re
import sys

# By what the names of functions begin with: success, "not supported", and the value of that.
STATUS = {
    "cublas": ("CUBLAS_STATUS_SUCCESS", "CUBLAS_STATUS_NOT_SUPPORTED", 15),
    "cufft": ("CUFFT_SUCCESS", "CUFFT_NOT_SUPPORTED", 16),
    "cusparse": ("CUSPARSE_STATUS_SUCCESS", "CUSPARSE_STATUS_NOT_SUPPORTED", 10),
    "cusolver": ("CUSOLVER_STATUS_SUCCESS", "CUSOLVER_STATUS_NOT_SUPPORTED", 9),
}
FUNCTION = re.compile(r"^(\w+) ((cublas|cufft|cusparse|cusolver)\w+)\(([^)]*)\) \{\n.*?^\}\n", re.M | re.S)


def refuse(text, absent=()):
    """The text with each function static and refusing; those of the names in absent left out."""

    def function(found):
        kind, name, library, parameters = found.groups()
        if name in absent:
            return ""
        return "static inline %s %s(%s) { return %s; }\n" % (kind, name, parameters, STATUS[library][1])

    text = FUNCTION.sub(function, text)
    for success, other, value in STATUS.values():
        if other + " =" not in text:
            text = re.sub(r"%s *= *0,?" % success, "%s = 0, %s = %d," % (success, other, value), text)
    return text


def header(folder, name, text, includes=("cuda_runtime.h", "cuComplex.h")):
    with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
        f.write("#pragma once\n" + "".join("#include <%s>\n" % i for i in includes) + text)


def main():
    sources, folder = sys.argv[1:]

    def read(path):
        with open(os.path.join(sources, path), encoding="utf-8") as f:
            return f.read()

    def stub(name):
        """A stub without its guard and what it includes."""
        return re.sub(r"^#(?:ifndef|define) INCLUDE_GUARD.*$|^#include.*$|^#endif .*\s*\Z", "", read(name), flags=re.M)

    os.makedirs(folder, exist_ok=True)
    common = read("cupy_backends/stub/cupy_cuda_common.h")
    types = common[common.index("// cublas_v2.h") :]
    types = types[: types.index("#endif")]
    # For CUDA 11 and later CuPy renames two functions to the names that they have there.
    functions = stub("cupy_backends/stub/cupy_cublas.h")
    functions = re.sub(r"^cublasStatus_t cublasGemm(Strided\w+)?Ex\(.*?^\}\n", "", functions, flags=re.M | re.S)
    header(folder, "cublas_v2.h", 'extern "C" {\n' + refuse(types) + refuse(functions.replace("Ex_v11(", "Ex(")))

    own = {m.group(2) for m in FUNCTION.finditer(read("cupy_backends/cuda/cupy_cusparse.h"))}
    header(folder, "cusparse.h", refuse(stub("cupy_backends/stub/cupy_cusparse.h"), own))
    header(folder, "cusolverDn.h", refuse(stub("cupy_backends/stub/cupy_cusolver.h")), ["cublas_v2.h"])
    header(folder, "cusolverSp.h", "", ["cusolverDn.h"])

    text = read("cupy/cuda/cupy_cufft.h")
    library = text[text.index("typedef float cufftReal;") : text.index("#endif  // #if !defined(CUPY_NO_CUDA)")]
    multiple = text[text.index("// cufftXt relevant data structs") : text.rindex("#endif // #if defined(CUPY_NO_CUDA)")]
    names = "typedef cufftResult_t cufftResult;\ntypedef cufftType_t cufftType;\n"
    header(folder, "cufft.h", 'extern "C" {\n' + refuse(library) + names + 'extern "C" {\n' + multiple)
    header(folder, "cufftXt.h", "", ["cufft.h"])


if __name__ == "__main__":
    main()
