"""Eager PyTorch on device "cuda": what programs do with tensors, beside models."""
import gc
import pickle
import threading

import pytest
import torch
from torch.utils.data import DataLoader, TensorDataset


def same(on_device, on_cpu):
    assert on_device.device.type == "cuda" and on_device.dtype == on_cpu.dtype
    torch.testing.assert_close(on_device.cpu(), on_cpu, rtol=0, atol=0, equal_nan=True)


def test_device_answers():
    assert torch.cuda.is_available() and torch.cuda.device_count() >= 1
    assert torch.cuda.get_device_name(0).startswith("kudzu CPU")
    assert torch.cuda.get_device_capability(0) == (9, 0)
    free, total = torch.cuda.mem_get_info()
    assert 0 < free <= total
    assert torch.cuda.current_device() == 0
    torch.cuda.synchronize()


def test_factories(device):
    same(torch.zeros(3, device=device), torch.zeros(3))
    same(torch.full((2, 2), 7, device=device), torch.full((2, 2), 7))
    same(torch.arange(0, 1, 0.125, device=device), torch.arange(0, 1, 0.125))
    same(torch.linspace(0, 1, 7, device=device), torch.linspace(0, 1, 7))
    same(torch.eye(4, device=device), torch.eye(4))
    same(torch.tril_indices(3, 3, device=device), torch.tril_indices(3, 3))
    same(torch.tensor([[1, 2], [3, 4]], device=device), torch.tensor([[1, 2], [3, 4]]))
    assert sorted(torch.randperm(10, device=device).tolist()) == list(range(10))


def test_copies(device):
    x = torch.randn(5, 6)
    same(x.to(device), x)
    same(x.t().to(device), x.t())
    same(x.cuda().t().contiguous(), x.t().contiguous())
    same(x.to(device, torch.float16), x.half())
    same(x.cuda().double(), x.double())
    y = torch.empty(5, 6)
    y.copy_(x.cuda())
    assert torch.equal(x, y) and x.cuda().sum().item() == x.sum().item()
    assert x.cuda().tolist() == x.tolist()
    pinned = x.pin_memory()
    assert pinned.is_pinned()
    same(pinned.to(device, non_blocking=True), x)
    same(x.cuda().clone(), x)
    same(pickle.loads(pickle.dumps(x.cuda())), x)
    assert "cuda:0" in repr(x.cuda())


def test_views_share_memory(device):
    x = torch.arange(12.0, device=device)
    y = x.view(3, 4)
    y[1] = -1
    y.t()[0].add_(100)
    expected = torch.tensor([100.0, 1, 2, 3, 99, -1, -1, -1, 108, 9, 10, 11])
    same(x, expected)
    assert y.t().data_ptr() == x.data_ptr() and y[1].storage_offset() == 4
    same(x.unfold(0, 4, 4)[2], expected[8:])


def test_indexing(device):
    x, i = torch.randn(6, 5), torch.tensor([4, 0, 2])
    c = x.to(device)
    same(c[i], x[i])
    same(c[i.to(device)], x[i])
    same(c[c > 0], x[x > 0])
    same(c[:, 1::2], x[:, 1::2])
    same(c.index_select(1, i.to(device)), x.index_select(1, i))
    same(torch.where(c > 0, c, 0), torch.where(x > 0, x, 0))
    same(c.nonzero(), x.nonzero())
    c[i.to(device)] = 7
    x[i] = 7
    same(c, x)
    c[c < 0] = 0
    x[x < 0] = 0
    same(c, x)
    same(c.scatter_add(0, i.to(device).view(1, 3), torch.ones(1, 3, device=device)),
         x.scatter_add(0, i.view(1, 3), torch.ones(1, 3)))


def test_out_arguments_grow(device):
    x = torch.randn(4, 4)
    out = torch.empty(0, device=device)
    assert torch.matmul(x.to(device), x.to(device), out=out) is out
    same(out, x @ x)
    values, indices = torch.empty(0, device=device), torch.empty(0, dtype=torch.long, device=device)
    torch.sort(x.to(device), 1, out=(values, indices))
    same(values, x.sort(1).values)
    same(indices, x.sort(1).indices)
    same(out.resize_(2, 2).fill_(3), torch.full((2, 2), 3.0))


@pytest.mark.parametrize("name", ["svd", "qr", "cholesky", "inv", "eigh", "lu_factor", "det"])
def test_linear_algebra(name, device):
    x = torch.randn(5, 5, dtype=torch.double)
    x = x @ x.t() + 5 * torch.eye(5, dtype=torch.double)
    results = [getattr(torch.linalg, name)(t) for t in (x.to(device), x)]
    for a, b in zip(*[r if isinstance(r, tuple) else (r,) for r in results]):
        same(a, b)


def test_fourier_complex_and_sorting(device):
    x = torch.randn(16, 8)
    c = x.to(device)
    same(torch.fft.rfft(c), torch.fft.rfft(x))
    same(torch.fft.ifft(torch.fft.fft(c)).real, torch.fft.ifft(torch.fft.fft(x)).real)
    z = torch.view_as_complex(c.view(16, 4, 2))
    same((z.conj() @ z.t()).resolve_conj(), (lambda z: z.conj() @ z.t())(torch.view_as_complex(x.view(16, 4, 2))))
    same(c.topk(3).indices, x.topk(3).indices)
    same(torch.unique((c * 2).long()), torch.unique((x * 2).long()))
    same(torch.cat([c, c], 1).cumsum(0), torch.cat([x, x], 1).cumsum(0))
    same(torch.einsum("ij,kj->ik", c, c), torch.einsum("ij,kj->ik", x, x))


def test_devices_do_not_mix(device):
    with pytest.raises(RuntimeError, match="same device"):
        torch.ones(3, device=device) + torch.ones(3)
    same(torch.ones(3, device=device) + torch.tensor(2.0), torch.full((3,), 3.0))


def test_errors_stay_python_errors(device):
    with pytest.raises(RuntimeError, match="size"):
        torch.ones(3, device=device) + torch.ones(4, device=device)
    with pytest.raises(IndexError):
        torch.ones(3, device=device)[5]
    with pytest.raises(NotImplementedError, match="no CPU kernel"):
        torch.ops.aten._cudnn_init_dropout_state(0.5, True, 1, dtype=torch.uint8, device=device)


def test_ctc_loss(device):
    x, targets, lengths = torch.randn(20, 2, 9).log_softmax(2), torch.randint(1, 9, (2, 6)), (20, 20)
    expected = torch.nn.functional.ctc_loss(x, targets, lengths, (6, 4))
    same(torch.nn.functional.ctc_loss(x.to(device), targets.to(device), lengths, (6, 4)), expected)


def test_a_graph_does_not_record_operators(device):
    x, graph = torch.ones(4, device=device), torch.cuda.CUDAGraph()
    with pytest.raises(RuntimeError, match="cannot record"):
        with torch.cuda.graph(graph):
            x + 1
    same(x + 1, torch.full((4,), 2.0))


def test_streams_and_events(device):
    x = torch.ones(1 << 16, device=device)
    stream, start, end = torch.cuda.Stream(), *(torch.cuda.Event(enable_timing=True) for _ in range(2))
    start.record()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        assert torch.cuda.current_stream() == stream
        y = x * 2
        y.record_stream(stream)
    torch.cuda.current_stream().wait_stream(stream)
    z = y + 1
    end.record()
    end.synchronize()
    assert start.elapsed_time(end) > 0 and stream.query()
    same(z, torch.full((1 << 16,), 3.0))


def test_memory_statistics(device):
    gc.collect()
    torch.cuda.empty_cache()
    before = torch.cuda.memory_allocated()
    torch.cuda.reset_peak_memory_stats()
    x = torch.randn(1 << 20, device=device)
    y = x + x
    assert torch.cuda.memory_allocated() - before == 2 * 4 << 20
    assert torch.cuda.max_memory_allocated() - before == 2 * 4 << 20
    del x, y
    assert torch.cuda.memory_allocated() == before
    assert torch.cuda.memory_stats()["num_ooms"] == 0 and "Allocated" in torch.cuda.memory_summary()
    with pytest.raises(torch.cuda.OutOfMemoryError):
        torch.empty(1 << 50, dtype=torch.uint8, device=device)


def test_random_numbers_follow_the_device_generator(device):
    torch.cuda.manual_seed(7)
    a, state = torch.rand(100, device=device), torch.cuda.get_rng_state()
    b = torch.rand(100, device=device)
    torch.cuda.set_rng_state(state)
    same(torch.rand(100, device=device), b.cpu())
    torch.cuda.manual_seed(7)
    same(torch.rand(100, device=device), a.cpu())
    assert not torch.equal(a, b)
    g = [torch.Generator(device).manual_seed(3) for _ in range(2)]
    same(torch.randn(9, device=device, generator=g[0]), torch.randn(9, device=device, generator=g[1]).cpu())
    host = torch.get_rng_state()
    dropped = torch.nn.functional.dropout(torch.ones(10000, device=device), 0.25)
    assert torch.equal(host, torch.get_rng_state())
    assert abs((dropped == 0).float().mean().item() - 0.25) < 0.02
    x = torch.randn(1 << 16, device=device)
    assert abs(x.mean().item()) < 0.02 and abs(x.std().item() - 1) < 0.02


def test_gradients(device):
    from torch.autograd import gradcheck

    a, b = (torch.randn(3, 3, dtype=torch.double, device=device, requires_grad=True) for _ in range(2))
    assert gradcheck(lambda a, b: (a @ b).sin().softmax(1), (a, b))
    x = torch.randn(2, 3, 8, 8, dtype=torch.double, device=device, requires_grad=True)
    w = torch.randn(4, 3, 3, 3, dtype=torch.double, device=device, requires_grad=True)
    assert gradcheck(lambda x, w: torch.conv2d(x, w, stride=2, padding=1), (x, w))
    seen = []
    y = torch.ones(3, device=device, requires_grad=True)
    y.register_hook(lambda g: seen.append((g.device.type, threading.current_thread() is threading.main_thread())))
    (y * 2).sum().backward()
    assert seen[0][0] == "cuda"
    same(y.grad, torch.full((3,), 2.0))
    h = torch.autograd.functional.hessian(lambda t: (t ** 3).sum(), torch.ones(2, device=device))
    same(h, torch.eye(2) * 6)
    same(torch.func.vmap(lambda t: t.sum())(torch.ones(4, 3, device=device)), torch.full((4,), 3.0))


@pytest.mark.parametrize("workers", [0, 2])
def test_data_loader(workers, device):
    data = TensorDataset(torch.arange(20.0).view(10, 2), torch.arange(10))
    total = torch.zeros((), device=device)
    for x, y in DataLoader(data, batch_size=4, pin_memory=True, num_workers=workers):
        assert x.is_pinned()
        total += x.to(device, non_blocking=True).sum() + y.to(device).sum()
    assert total.item() == 190 + 45


def test_threads(device):
    errors = []

    def work(k):
        try:
            x = torch.full((100,), float(k), device=device)
            for _ in range(50):
                x = (x * 2) / 2
            same(x, torch.full((100,), float(k)))
        except Exception as e:
            errors.append(e)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not errors


def test_dlpack_numpy_and_array_interface(device):
    x = torch.arange(6.0, device=device)
    same(torch.from_dlpack(x), torch.arange(6.0))
    assert x.__cuda_array_interface__["data"][0] == x.data_ptr()
    assert x.cpu().numpy().sum() == 15
    with pytest.raises(TypeError):
        x.numpy()


def test_foreach(device):
    a = [torch.randn(3), torch.randn(2, 2)]
    b = [t.to(device) for t in a]
    for x, y in zip(torch._foreach_add(b, b), torch._foreach_add(a, a)):
        same(x, y)
    torch._foreach_mul_(b, 2.0)
    torch._foreach_mul_(a, 2.0)
    for x, y in zip(b, a):
        same(x, y)
    norms = torch._foreach_norm(b)
    same(norms[0], a[0].norm())
    parameters = [torch.nn.Parameter(t) for t in b]
    for p in parameters:
        p.grad = torch.ones_like(p)
    assert abs(torch.nn.utils.clip_grad_norm_(parameters, 1.0).item() - 7 ** 0.5) < 1e-6


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("name", ["softmax", "log_softmax"])
def test_softmax_rounds_once(name, dtype, device):
    function = getattr(torch, name)
    x = torch.randn(4, 32000, dtype=dtype, device=device, requires_grad=True)
    exact = function(x.detach().cpu().float(), -1)
    y = function(x, -1)
    assert y.dtype == dtype and torch.equal(y.cpu(), exact.to(dtype))
    grad = torch.randn(4, 32000, dtype=dtype, device=device)
    y.backward(grad)
    backward = getattr(torch.ops.aten, f"_{name}_backward_data")
    kept = backward(grad.cpu().float(), y.detach().cpu().float(), -1, torch.float32)
    assert x.grad.dtype == dtype and torch.equal(x.grad.cpu(), kept.to(dtype))
    wide = function(x, -1, dtype=torch.float32)
    assert wide.dtype == torch.float32 and torch.equal(wide.detach().cpu(), exact)
    wide.sum().backward()


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_layer_norm_sums_in_float(dtype, device):
    x = torch.randn(1000, 64, dtype=dtype, device=device)
    grad = torch.randn(1000, 64, dtype=dtype, device=device)
    weight, bias = (torch.rand(64, dtype=dtype, device=device, requires_grad=True) for _ in range(2))
    torch.nn.functional.layer_norm(x, (64,), weight, bias).backward(grad)
    exact = grad.cpu().double().sum(0)
    torch.testing.assert_close(bias.grad.cpu().double(), exact, rtol=torch.finfo(dtype).eps, atol=1e-3)
