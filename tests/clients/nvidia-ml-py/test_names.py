"""Every function of the library that the installed nvidia-ml-py names: it is there, says that nvmlInit is
missing, and never anything but what the interface documents, whatever its arguments are."""
import ctypes
import inspect
import re

import pynvml
import pytest

NAMES = sorted(set(re.findall(r'_nvmlGetFunctionPointer\("(\w+)"', inspect.getsource(pynvml))))
OF_THE_LIBRARY = {"nvmlInit_v2", "nvmlInitWithFlags", "nvmlShutdown", "nvmlErrorString"}
DOCUMENTED = {pynvml.NVML_SUCCESS, pynvml.NVML_ERROR_INVALID_ARGUMENT, pynvml.NVML_ERROR_NOT_SUPPORTED,
              pynvml.NVML_ERROR_NOT_FOUND, pynvml.NVML_ERROR_ARGUMENT_VERSION_MISMATCH}
library = ctypes.CDLL("libnvidia-ml.so.1")


def call(name, first=None, second=None):
    f = getattr(library, name)
    f.restype = ctypes.c_int
    f.argtypes = [ctypes.c_void_p] * 6
    return f(first, second, None, None, None, None)


@pytest.fixture
def device():
    pynvml.nvmlInit()
    yield pynvml.nvmlDeviceGetHandleByIndex(0)
    pynvml.nvmlShutdown()


def test_there_are_many():
    assert len(NAMES) > 300


@pytest.mark.parametrize("name", [n for n in NAMES if n not in OF_THE_LIBRARY])
def test_before_init(name):
    assert call(name) == pynvml.NVML_ERROR_UNINITIALIZED


@pytest.mark.parametrize("name", [n for n in NAMES if n not in OF_THE_LIBRARY])
def test_with_zeros(name, device):
    assert call(name) in (pynvml.NVML_ERROR_INVALID_ARGUMENT, pynvml.NVML_ERROR_NOT_SUPPORTED)


@pytest.mark.parametrize("name", [n for n in NAMES if re.match(r"nvml(Device|Gpm)", n)
                                  and not re.search("GetCount|GetHandleBy|DrainState|DiscoverGpus|RemoveGpu"
                                                    "|GpmMetrics|GpmSampleAlloc|GpmSampleFree", n)])
def test_with_a_device(name, device):
    assert call(name, ctypes.cast(device, ctypes.c_void_p)) in DOCUMENTED


# The binding's own functions of one device, which bring the structures.
@pytest.mark.parametrize("name", [n for n, f in sorted(vars(pynvml).items())
                                  if re.match("nvmlDevice(Get|Is|Query)", n) and callable(f)
                                  and not re.search("Count|HandleBy|DrainState", n)
                                  and len(inspect.signature(f).parameters) == 1])
def test_the_bindings_function(name, device):
    try:
        getattr(pynvml, name)(device)
    except pynvml.NVMLError as e:
        assert e.value in DOCUMENTED - {pynvml.NVML_ERROR_ARGUMENT_VERSION_MISMATCH}, name
