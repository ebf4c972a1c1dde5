"""A pytest plugin: tests that use PyTorch's operators on device "cuda", each with a context that works.

A kernel's fault ends a context, and every later test of the process would fail: xdist starts another.
"""

import os

import kudzu.torch  # noqa: F401
import torch


def pytest_runtest_logfinish(nodeid, location):
    if not os.environ.get("PYTEST_XDIST_WORKER"):
        return
    try:
        torch.cuda.synchronize()
    except Exception:
        os._exit(1)
