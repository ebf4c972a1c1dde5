"""Models train on device "cuda" with the loss curve of the CPU."""
import pytest
import torch
import torch.nn.functional as F
from torch import nn


class MLP(nn.Sequential):
    def __init__(self):
        super().__init__(nn.Linear(20, 64), nn.GELU(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 10))


class CNN(nn.Sequential):
    def __init__(self):
        super().__init__(
            nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(8, 16, 3, stride=2, groups=2), nn.BatchNorm2d(16), nn.ReLU(), nn.AdaptiveAvgPool2d(2),
            nn.Flatten(), nn.Linear(64, 10))


class Recurrent(nn.Module):
    def __init__(self, kind):
        super().__init__()
        self.cells = kind(20, 16, 2, batch_first=True)
        self.out = nn.Linear(16, 10)

    def forward(self, x):
        return self.out(self.cells(x)[0])


class Block(nn.Module):
    """nanoGPT's: attention and a perceptron behind layer norms."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.projection = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x):
        b, t, c = x.shape
        q, k, v = (s.view(b, t, self.heads, c // self.heads).transpose(1, 2)
                   for s in self.qkv(self.norm1(x)).split(c, 2))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.projection(y.transpose(1, 2).reshape(b, t, c))
        return x + self.mlp(self.norm2(x))


class GPT(nn.Module):
    def __init__(self, vocabulary=50, width=32, heads=4, length=16, layers=2):
        super().__init__()
        self.token, self.place = nn.Embedding(vocabulary, width), nn.Embedding(length, width)
        self.blocks = nn.Sequential(*[Block(width, heads) for _ in range(layers)])
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, vocabulary, bias=False)
        self.head.weight = self.token.weight

    def forward(self, x):
        place = torch.arange(x.shape[1], device=x.device)
        return self.head(self.norm(self.blocks(self.token(x) + self.place(place))))


def vectors():
    return torch.randn(16, 20), torch.randint(10, (16,))


def images():
    return torch.randn(8, 3, 16, 16), torch.randint(10, (8,))


def sequences():
    return torch.randn(4, 6, 20), torch.randint(10, (4, 6))


def texts():
    t = torch.randint(50, (4, 17))
    return t[:, :-1], t[:, 1:]


def train(model, batches, device, optimizer, steps=12, autocast=False):
    torch.manual_seed(1)
    model = model().to(device)
    optimizer = optimizer(model.parameters())
    losses = []
    for step in range(steps):
        x, y = (t.to(device) for t in batches[step % len(batches)])
        with torch.autocast(torch.device(device).type, torch.bfloat16, enabled=autocast):
            loss = F.cross_entropy(model(x).flatten(0, -2), y.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < losses[0]
    return losses


def adamw(parameters):
    return torch.optim.AdamW(parameters, 3e-3)


MODELS = {"mlp": (MLP, vectors), "cnn": (CNN, images), "gpt": (GPT, texts)}


@pytest.mark.parametrize("name", MODELS)
def test_the_cpus_loss_curve_exactly(name):
    model, batch = MODELS[name]
    batches = [batch() for _ in range(3)]
    if name == "gpt":  # the CPU's attention is fused; on "cuda" it is composed
        with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH):
            expected = train(model, batches, "cpu", adamw)
    else:
        expected = train(model, batches, "cpu", adamw)
    assert train(model, batches, "cuda", adamw) == expected


@pytest.mark.parametrize("kind", [nn.RNN, nn.LSTM, nn.GRU])
def test_recurrent_networks(kind):
    batches = [sequences() for _ in range(3)]
    expected = train(lambda: Recurrent(kind), batches, "cpu", adamw)
    assert train(lambda: Recurrent(kind), batches, "cuda", adamw) == pytest.approx(expected, abs=2e-6)


@pytest.mark.parametrize("name", MODELS)
def test_autocast(name):
    model, batch = MODELS[name]
    batches = [batch() for _ in range(3)]
    expected = train(model, batches, "cpu", adamw, autocast=True)
    # Which operators are lowered differs between the CPU's list and CUDA's: bfloat16 has 8 bits.
    assert train(model, batches, "cuda", adamw, autocast=True) == pytest.approx(expected, rel=0.02)


@pytest.mark.parametrize("optimizer", [
    lambda p: torch.optim.SGD(p, 0.05, momentum=0.9, nesterov=True),
    lambda p: torch.optim.SGD(p, 0.05, fused=True),
    lambda p: torch.optim.Adam(p, 3e-3, foreach=True),
    lambda p: torch.optim.Adam(p, 3e-3, foreach=False, amsgrad=True),
    lambda p: torch.optim.AdamW(p, 3e-3, fused=True),
    lambda p: torch.optim.RMSprop(p, 1e-3),
    lambda p: torch.optim.Adagrad(p, 1e-2),
], ids=["nesterov", "sgd-fused", "adam-foreach", "amsgrad", "adamw-fused", "rmsprop", "adagrad"])
def test_optimizers(optimizer):
    batches = [vectors() for _ in range(3)]
    expected = train(MLP, batches, "cpu", optimizer)
    assert train(MLP, batches, "cuda", optimizer) == pytest.approx(expected, abs=1e-6)


def test_gradient_scaler(device):
    model = MLP().to(device)
    optimizer, scaler = torch.optim.SGD(model.parameters(), 0.1), torch.amp.GradScaler("cuda", 2.0 ** 10)
    x, y = (t.to(device) for t in vectors())
    for huge in (False, True):
        before = model[0].weight.clone()
        with torch.autocast("cuda", torch.float16):
            loss = F.cross_entropy(model(x), y)
        scaler.scale(loss * float("inf") if huge else loss).backward()
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad()
        assert torch.equal(before, model[0].weight) == huge
    assert scaler.get_scale() == 2.0 ** 9


def test_checkpoint_repeats_dropout(device):
    from torch.utils.checkpoint import checkpoint

    layer = nn.Sequential(nn.Linear(20, 20), nn.Dropout(0.5), nn.Linear(20, 20)).to(device)
    x = torch.randn(8, 20, device=device)
    grads = []
    for again in (False, True):
        torch.cuda.manual_seed(5)
        layer.zero_grad()
        y = checkpoint(layer, x, use_reentrant=False) if again else layer(x)
        y.square().sum().backward()
        grads.append(layer[0].weight.grad.clone())
    torch.testing.assert_close(*grads, rtol=0, atol=0)


def test_saved_model(tmp_path, device):
    model = MLP().to(device)
    torch.save(model.state_dict(), tmp_path / "model.pt")
    other = MLP()
    other.load_state_dict(torch.load(tmp_path / "model.pt", map_location="cpu"))
    x = torch.randn(3, 20)
    assert torch.equal(model(x.to(device)).cpu(), other(x))
    assert torch.load(tmp_path / "model.pt")["0.weight"].device.type == "cuda"
