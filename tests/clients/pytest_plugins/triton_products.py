"""A pytest plugin: where Triton's tests compare with products of cuBLASLt, those of PyTorch stand in.

Without cuBLAS Triton's handle ends the process when a test's file is imported.
"""

from triton._C.libtriton import nvidia


class CublasLt:
    def __init__(self, workspace):
        pass

    def matmul(self, a, b, out):
        out.copy_(a.float() @ b.float().T)


nvidia.cublas.CublasLt = CublasLt
