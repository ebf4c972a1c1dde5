import kudzu.torch
import pytest
import torch


@pytest.fixture(autouse=True)
def seeded():
    assert kudzu.torch.active
    torch.manual_seed(1)


@pytest.fixture
def device():
    return torch.device("cuda")
