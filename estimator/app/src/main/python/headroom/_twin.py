"""Twins: copies of a module and of its inputs on a GPU that need not be there, without data.

A twin's tensors are PyTorch's fake tensors on ``cuda:0``: they have sizes, strides and a type, and nothing behind them.
So a model sees the device that it will run on, wherever it is now, and the caller's module stays as it is.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from torch.fx.experimental.symbolic_shapes import ShapeEnv
from torch.overrides import TorchFunctionMode
from torch.utils import _pytree as pytree

DEVICE = torch.device("cuda:0")


class Twins:
    """Makes twins that may meet each other: those of one maker."""

    def __init__(self, *, symbolic: bool) -> None:
        """With ``symbolic``, sizes may become symbols later."""
        self.mode = FakeTensorMode(allow_non_fake_inputs=True, shape_env=ShapeEnv() if symbolic else None)

    def module(self, model: torch.nn.Module) -> torch.nn.Module:
        """A copy of the module with its mode, names, ties and ``requires_grad``."""
        memo: dict[int, Any] = {}
        with _Copying(self.tensor, memo):
            return copy.deepcopy(model, memo)

    def tree(self, inputs: Any) -> Any:
        """The inputs with twins in place of their tensors."""
        return pytree.tree_map_only(torch.Tensor, self.tensor, inputs)

    def tensor(self, tensor: torch.Tensor) -> torch.Tensor:
        """A twin; a parameter's is one too."""
        with torch.no_grad():
            meta = torch.empty_strided(tensor.size(), tensor.stride(), dtype=tensor.dtype, device="meta")
        twin = FakeTensor(self.mode, meta, DEVICE)
        if isinstance(tensor, torch.nn.Parameter):
            return torch.nn.Parameter(twin, requires_grad=tensor.requires_grad)
        return twin.requires_grad_(tensor.requires_grad)


class _Copying(TorchFunctionMode):
    """While a module is copied, its tensors are not: their twins stand in."""

    def __init__(self, twin: Callable[[torch.Tensor], torch.Tensor], memo: dict[int, Any]) -> None:
        super().__init__()
        self.twin = twin
        self.memo = memo

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        if func is torch.Tensor.__deepcopy__:
            tensor = args[0]
            if id(tensor) not in self.memo:
                self.memo[id(tensor)] = self.twin(tensor)
            return self.memo[id(tensor)]
        if func is torch.Tensor.clone:  # by which a parameter copies itself
            return self.twin(args[0].detach())
        return func(*args, **(kwargs or {}))
