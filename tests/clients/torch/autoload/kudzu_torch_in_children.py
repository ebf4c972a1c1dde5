"""A back end of PyTorch's by its packaging: processes that tests start import kudzu.torch with PyTorch.

kudzu_torch_in_children-0.dist-info beside this file names `load`, which PyTorch calls at the end of its import.
"""


def load():
    import kudzu.torch  # noqa: F401
