"""Triton's tutorials, files unchanged: what each computes agrees with PyTorch. TRITON_TUTORIALS is their folder.

Benchmarks are not run, autotuners choose between two configurations, and cuBLAS's place in the one tutorial
that asks for it is taken by PyTorch's product.
"""

import importlib.util
import os
import sys

import pytest
import torch
import triton
import triton.testing

FOLDER = os.environ["TRITON_TUTORIALS"]


class _Product:
    def __init__(self, workspace):
        pass

    def matmul(self, a, b, c):
        c.copy_(torch.matmul(a.float(), b.float().T))


@pytest.fixture
def tutorial(monkeypatch):
    from triton._C.libtriton import nvidia

    autotune = triton.autotune
    monkeypatch.setattr(triton, "autotune", lambda configs, *a, **k: autotune(configs[:2], *a, **k))
    monkeypatch.setattr(triton.testing.Mark, "run", lambda *a, **k: None)
    monkeypatch.setattr(nvidia.cublas, "CublasLt", _Product)

    def load(name):
        spec = importlib.util.spec_from_file_location("tutorial", os.path.join(FOLDER, name + ".py"))
        module = importlib.util.module_from_spec(spec)
        monkeypatch.setitem(sys.modules, "tutorial", module)
        spec.loader.exec_module(module)
        return module

    yield load
    torch.cuda.synchronize()


def no_differences(capsys, matches):
    printed = capsys.readouterr().out
    assert printed.count("✅") == matches and "❌" not in printed, printed


def test_vector_add(tutorial):
    t = tutorial("01-vector-add")
    assert torch.equal(t.output_triton, t.output_torch)


def test_fused_softmax(tutorial):
    t = tutorial("02-fused-softmax")
    torch.testing.assert_close(t.y_triton, t.y_torch)


def test_matrix_multiplication(tutorial, capsys):
    tutorial("03-matrix-multiplication")
    no_differences(capsys, 2)  # float16 and float8


def test_low_memory_dropout(tutorial):
    t = tutorial("04-low-memory-dropout")
    assert torch.equal(t.output, t.output2) and not torch.equal(t.output, t.output3)
    kept = torch.where(t.output != 0, t.x / (1 - 0.5), t.output)
    torch.testing.assert_close(t.output, kept)


def test_layer_norm(tutorial):
    tutorial("05-layer-norm").test_layer_norm(67, 1000, torch.float16)


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("mode, provider", [("bwd", "triton-fp16"), ("fwd", "triton-fp8")])
def test_fused_attention(tutorial, causal, mode, provider):
    tutorial("06-fused-attention").test_op(1, 2, 128, 64, causal, False, mode, provider)


def test_extern_functions(tutorial):
    t = tutorial("07-extern-functions")
    torch.testing.assert_close(t.output_triton, t.output_torch)


def test_grouped_gemm(tutorial):
    t = tutorial("08-grouped-gemm")
    for a, b in zip(t.tri_out + t.tri_tma_out, t.ref_out * 2):
        torch.testing.assert_close(a, b, atol=1e-2, rtol=1e-2)


@pytest.mark.parametrize("dtype", [torch.float16, torch.float8_e4m3fn])
def test_persistent_matmul(tutorial, capsys, dtype):
    t = tutorial("09-persistent-matmul")
    t.validate(512, 384, 192, dtype)
    printed = capsys.readouterr().out
    assert "❌" not in printed and printed.count("✅") >= 5, printed


def test_programmatic_dependent_launch(tutorial, capsys):
    t = tutorial("11-programmatic-dependent-launch")
    t.validate(1024)
    no_differences(capsys, 1)
    x = torch.rand(1000, device="cuda")
    assert torch.equal(t.add(x, x, True), x + x)
