"""PyTorch's operators, torch.compile, Triton kernels and CUDA extensions on the same tensors."""
import os

import pytest
import torch
import torch.nn.functional as F
import triton
import triton.language as tl
from torch.utils.cpp_extension import CUDA_HOME, load_inline


@triton.jit
def scale_kernel(x, y, n, factor, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i, mask=i < n) * factor, mask=i < n)


class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        y = torch.empty_like(x)
        scale_kernel[(triton.cdiv(x.numel(), 256),)](x, y, x.numel(), factor, BLOCK=256)
        return y

    @staticmethod
    def backward(ctx, grad):
        return Scale.apply(grad.contiguous(), ctx.factor), None


def test_triton_kernels_mix_with_operators(device):
    x = torch.randn(1000, device=device, requires_grad=True)
    y = Scale.apply(x.sin(), 3.0)  # an operator before and behind the kernel
    (y * y).sum().backward()
    torch.testing.assert_close(y.detach(), x.detach().sin() * 3)
    torch.testing.assert_close(x.grad, 18 * x.detach().sin() * x.detach().cos())


def test_a_slow_kernel_ends_before_an_operator_reads(device):
    n = 1 << 20
    x = torch.ones(n, device=device)
    for _ in range(20):
        y = torch.empty_like(x)
        scale_kernel[(n // 256,)](x, y, n, 2.0, BLOCK=256)
        x = y * 0.5
    assert torch.equal(x.cpu(), torch.ones(n))


COMPILED = {
    "pointwise": (lambda x, y: (x.sin() + y.exp()).relu() * 2, ((300, 70), (300, 70))),
    "broadcast": (lambda x, y: x[:, None] * y[None] + 1, ((33,), (65,))),
    "softmax": (lambda x: torch.softmax(x, -1), ((64, 200),)),
    "layer_norm": (lambda x, w: F.layer_norm(x, (100,), w), ((40, 100), (100,))),
    "reduction": (lambda x: (x.sum(0), x.amax(1), x.var()), ((50, 60),)),
    "matmul": (lambda x, y: F.gelu(x @ y), ((40, 30), (30, 50))),
    "convolution": (lambda x, w: F.relu(F.conv2d(x, w, padding=1)), ((2, 3, 10, 10), (4, 3, 3, 3))),
    "index": (lambda x: x[torch.arange(0, 20, 2, device=x.device)].cumsum(0), ((20, 5),)),
}


@pytest.mark.parametrize("name", COMPILED)
def test_compiled_functions(name, device):
    function, shapes = COMPILED[name]
    arguments = [torch.randn(s, device=device) for s in shapes]
    torch._dynamo.reset()
    torch.testing.assert_close(torch.compile(function)(*arguments), function(*arguments), rtol=2e-5, atol=2e-5)


def test_compiled_training(device):
    torch._dynamo.reset()
    x, t = torch.randn(32, 20, device=device), torch.randint(5, (32,), device=device)
    curves = []
    for compiled in (False, True):
        torch.manual_seed(3)
        model = torch.nn.Sequential(torch.nn.Linear(20, 32), torch.nn.GELU(), torch.nn.LayerNorm(32),
                                    torch.nn.Linear(32, 5)).to(device)
        optimizer = torch.optim.SGD(model.parameters(), 0.2)
        run = torch.compile(model) if compiled else model
        losses = []
        for _ in range(6):
            loss = F.cross_entropy(run(x), t)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        curves.append(losses)
    assert curves[1] == pytest.approx(curves[0], rel=1e-5) and curves[0][-1] < curves[0][0]


SOURCE = r"""
#include <c10/cuda/CUDAStream.h>
#include <c10/cuda/CUDAException.h>
__global__ void clamp_add(const float *x, const float *y, float *out, int n, float most) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = fminf(x[i] + y[i], most);
}
torch::Tensor clamped_sum(torch::Tensor x, torch::Tensor y, double most) {
    TORCH_CHECK(x.is_cuda() && x.is_contiguous() && y.is_contiguous());
    auto out = torch::empty_like(x);
    int n = (int)x.numel();
    clamp_add<<<(n + 127) / 128, 128, 0, c10::cuda::getCurrentCUDAStream()>>>(
        x.data_ptr<float>(), y.data_ptr<float>(), out.data_ptr<float>(), n, (float)most);
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return out.mul_(2); // an operator of PyTorch's behind the kernel
}
"""


@pytest.mark.skipif(not CUDA_HOME or not os.path.exists(CUDA_HOME), reason="CUDA_HOME names no toolkit")
def test_cuda_extension(device, tmp_path):
    extension = load_inline("kudzu_test_extension", "torch::Tensor clamped_sum(torch::Tensor, torch::Tensor, double);",
                            SOURCE, functions=["clamped_sum"], build_directory=str(tmp_path))
    x, y = torch.randn(1000, device=device), torch.randn(1000, device=device)
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        out = extension.clamped_sum(x, y, 0.5)
    torch.cuda.current_stream().wait_stream(stream)
    assert torch.equal(out, (x + y).clamp(max=0.5) * 2)
