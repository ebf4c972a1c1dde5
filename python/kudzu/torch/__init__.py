"""PyTorch's operators on device "cuda" of kudzu's CPU device.

`import kudzu.torch` replaces the CUDA kernels of PyTorch's own operators, machine code that only NVIDIA's
processors run, by its CPU kernels, which work on the same memory. Tensors stay on device "cuda"; autograd,
streams, events, the caching allocator, custom extensions and Triton kernels are as they were. With an
NVIDIA driver nothing is replaced, so a program can import it always. docs/torch.md has the limits.
"""
import ctypes
import os

import torch

from kudzu.torch.build import library

__all__ = ["active"]


def _is_kudzu():
    names = [torch.cuda.get_device_name(k) for k in range(torch.cuda.device_count())]
    return all(name.startswith("kudzu CPU") for name in names)


def _install():
    """Replaces the kernels; whether it did. RuntimeError says what is missing."""
    if not torch.cuda.is_available():
        raise RuntimeError(
            "kudzu.torch: torch.cuda.is_available() is False. PyTorch has to be a build for CUDA, and to find kudzu's "
            "libcuda.so.1 and libcudart (run the program by `kudzu exec --`, or import kudzu first)"
        )
    if not _is_kudzu():
        return False
    os.environ["KUDZU_HOST_ACCESS"] = "1"  # for `kudzu check`: operators run on the host
    code = ctypes.CDLL(str(library()))
    code.kudzu_torch_install.restype = ctypes.c_char_p
    error = code.kudzu_torch_install()
    if error:
        raise RuntimeError("kudzu.torch: " + error.decode())
    from kudzu.torch import composed

    composed.install()
    # Where PyTorch would choose kernels of libraries that are machine code throughout.
    torch.backends.cudnn.enabled = False
    torch.backends.cuda.enable_flash_sdp(False)
    torch.backends.cuda.enable_mem_efficient_sdp(False)
    torch.backends.cuda.enable_cudnn_sdp(False)
    return True


active = _install()
