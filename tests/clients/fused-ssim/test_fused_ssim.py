"""fused-ssim's kernels, values and gradients, against its formula in double precision on the CPU."""
from math import exp

import kudzu.torch
import pytest
import torch
import torch.nn.functional as F
from fused_ssim import fused_ssim


def window(channels):
    line = torch.tensor([exp(-(x - 5) ** 2 / (2 * 1.5 ** 2)) for x in range(11)], dtype=torch.float64)
    line = (line / line.sum())[:, None]
    return (line @ line.T)[None, None].expand(channels, 1, 11, 11).contiguous()


def reference(a, b):
    channels = a.size(1)
    weights = window(channels)

    def mean(x):
        return F.conv2d(x, weights, padding=5, groups=channels)

    ma, mb = mean(a), mean(b)
    va, vb, both = mean(a * a) - ma * ma, mean(b * b) - mb * mb, mean(a * b) - ma * mb
    return (((2 * ma * mb + 1e-4) * (2 * both + 9e-4)) / ((ma * ma + mb * mb + 1e-4) * (va + vb + 9e-4))).mean()


@pytest.mark.parametrize("shape", [(1, 3, 64, 96), (2, 1, 33, 47), (1, 5, 128, 128)])
def test_values_and_gradients(shape):
    assert kudzu.torch.active
    torch.manual_seed(0)
    a, b = torch.rand(shape), torch.rand(shape)
    expected_of = a.double().requires_grad_()
    expected = reference(expected_of, b.double())
    expected.backward()
    found_of = a.cuda().requires_grad_()
    found = fused_ssim(found_of, b.cuda())
    found.backward()
    assert abs(found.item() - expected.item()) < 1e-6
    assert torch.allclose(found_of.grad.cpu().double(), expected_of.grad, atol=1e-9, rtol=1e-3)
