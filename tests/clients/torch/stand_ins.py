#!/usr/bin/env python3
"""Makes stand-ins for the libraries that PyTorch's CUDA wheel links and a test machine lacks.

usage: stand_ins.py TORCH_LIB_FOLDER OUTPUT_FOLDER [FOLDER ...]

PyTorch's libraries do not load without cuBLAS, cuDNN, NCCL and others, gigabytes of code for GPUs alone.
For each of NVIDIA's libraries that they need, beside the driver, and that is neither beside them nor in one
of the FOLDERs, a library of that name is linked whose functions all return 1, an error in each of these
interfaces, and whose functions that return a text return one that says so. Nothing of PyTorch is changed.
OUTPUT_FOLDER/include gets headers with the types that ATen/cuda/CUDAContext.h names, for extensions.
Needs readelf and gcc.
"""
import re
import subprocess
import sys
from pathlib import Path

# Libraries whose functions are found by the beginnings of their names, for they have no version.
PREFIXES = {
    "libnccl.so.2": "nccl",
    "libnvshmem_host.so.3": "nvshmem",
    "libcufile.so.0": "cuFile",
    "libcusparseLt.so.0": "cusparseLt",
}


HEADERS = {
    "cublas_v2.h": "typedef struct cublasContext *cublasHandle_t; typedef enum { CUBLAS_STATUS_SUCCESS } cublasStatus_t;",
    "cublasLt.h": '#include "cublas_v2.h"\ntypedef struct cublasLtContext *cublasLtHandle_t;',
    "cusparse.h": "typedef struct cusparseContext *cusparseHandle_t; typedef enum { CUSPARSE_STATUS_SUCCESS } cusparseStatus_t;"
                  "\nextern \"C\" const char *cusparseGetErrorString(cusparseStatus_t status);",
    "cusolver_common.h": "typedef enum { CUSOLVER_STATUS_SUCCESS, CUSOLVER_STATUS_INVALID_VALUE = 3 } cusolverStatus_t;",
    "cusolverDn.h": '#include "cusolver_common.h"\ntypedef struct cusolverDnContext *cusolverDnHandle_t;',
}


def readelf(*arguments):
    return subprocess.run(["readelf", "-W", *arguments], check=True, capture_output=True, text=True).stdout


def versions(path):
    """Which library has to define each version of a symbol that the library at this path needs."""
    library, of = None, {}
    for line in readelf("-V", str(path)).splitlines():
        if found := re.search(r"File: (\S+)", line):
            library = found[1]
        elif found := re.search(r"Name: (\S+).*Flags: .*Version: ", line):
            of[found[1]] = library
    return of


def stand_in(library, symbols, output):
    """Links a library of that name into the output folder, with these functions: (name, version or None)."""
    lines = [".section .rodata", f'text: .string "{library} is not installed: a stand-in for tests"', ".text"]
    for symbol, _ in sorted(symbols):
        returns = "lea text(%rip), %rax" if re.search(r"String|Name|GetLastError", symbol) else "mov $1, %eax"
        lines += [f".globl {symbol}", f".type {symbol}, @function", f"{symbol}: {returns}", "ret"]
    lines.append('.section .note.GNU-stack,"",@progbits')
    source, script = output / (library + ".s"), output / (library + ".map")
    source.write_text("\n".join(lines) + "\n")
    command = ["gcc", "-shared", "-nostdlib", f"-Wl,-soname,{library}", "-o", str(output / library), str(source)]
    of_version = {}
    for symbol, version in symbols:
        of_version.setdefault(version, []).append(symbol)
    of_version.pop(None, None)
    if of_version:
        script.write_text("".join(f"{v} {{ global: {'; '.join(s)}; }};\n" for v, s in sorted(of_version.items())))
        command.append(f"-Wl,--version-script={script}")
    subprocess.run(command, check=True)


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    torch_lib, output = Path(sys.argv[1]), Path(sys.argv[2])
    output.mkdir(parents=True, exist_ok=True)
    present = {"libcuda.so.1"}
    for folder in [torch_lib, *map(Path, sys.argv[3:])]:
        present |= {path.name for path in folder.iterdir()}
    functions = {}
    for path in torch_lib.glob("lib*.so"):
        for library in re.findall(r"\(NEEDED\).*\[(lib(?:cu|nv|nccl).+)\]", readelf("-d", str(path))):
            functions.setdefault(library, set())
    for path in torch_lib.glob("lib*.so"):
        library_of = versions(path)
        for symbol, version in re.findall(r"\bUND ([^\s@]+)(?:@(\S+))?", readelf("--dyn-syms", str(path))):
            library = library_of.get(version)
            if not version:
                library = next((l for l, prefix in PREFIXES.items() if symbol.startswith(prefix)), None)
            if library in functions:
                functions[library].add((symbol, version or None))
    for library in sorted(set(functions) - present):
        stand_in(library, functions[library], output)
        print(library, len(functions[library]))
    (output / "include").mkdir(exist_ok=True)
    for name, text in HEADERS.items():
        (output / "include" / name).write_text(f"#pragma once\n{text}\n")


main()
