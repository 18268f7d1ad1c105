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

from headroom.errors import HeadroomError

DRESSES = ("_original_forward", "_old_forward")
"""Where Accelerate keeps a module's own ``forward`` behind one that casts, or that calls hooks."""

HOOKS = ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks")
LEFT = object()


class Twins:
    """Makes twins that may meet each other: those of one maker."""

    def __init__(self, *, symbolic: bool, device: str = "cuda:0") -> None:
        """With ``symbolic``, sizes may become symbols later."""
        self.device = torch.device(device)
        self.mode = FakeTensorMode(allow_non_fake_inputs=True, shape_env=ShapeEnv() if symbolic else None)

    def module(self, model: torch.nn.Module) -> torch.nn.Module:
        """A copy of the module with its mode, names, ties and ``requires_grad``."""
        memo: dict[int, Any] = {}
        for module in model.modules():
            _leave_behind(module, memo)
        try:
            with _Copying(self.tensor, memo):
                twin = copy.deepcopy(model, memo)
        except (TypeError, RuntimeError, copy.Error) as e:
            raise HeadroomError(
                f"the model cannot be copied ({e}); take what cannot be off its modules, or export it yourself"
            ) from e
        for module in twin.modules():
            _undress(module)
        return twin

    def tree(self, inputs: Any) -> Any:
        """The inputs with twins in place of their tensors."""
        return pytree.tree_map_only(torch.Tensor, self.tensor, inputs)

    def tensor(self, tensor: torch.Tensor) -> torch.Tensor:
        """A twin; a parameter's is one too."""
        with torch.no_grad():
            meta = torch.empty_strided(tensor.size(), tensor.stride(), dtype=tensor.dtype, device="meta")
        twin = FakeTensor(self.mode, meta, self.device)
        if isinstance(tensor, torch.nn.Parameter):
            return torch.nn.Parameter(twin, requires_grad=tensor.requires_grad)
        return twin.requires_grad_(tensor.requires_grad)


def _leave_behind(module: torch.nn.Module, memo: dict[int, Any]) -> None:
    """Hooks watch the module, not its twin, but for PyTorch's own, which make weights; so do wrappers of libraries."""
    for name in HOOKS:
        hooks = module.__dict__.get(name)
        if hooks:
            kept = {k: h for k, h in hooks.items() if type(h).__module__.startswith("torch.")}
            memo[id(hooks)] = type(hooks)(kept)
            memo[id(memo[id(hooks)])] = memo[id(hooks)]
    if any(name in module.__dict__ for name in DRESSES):
        for name in ("forward", "_hf_hook", *DRESSES):
            if name in module.__dict__:
                memo[id(module.__dict__[name])] = LEFT


def _undress(module: torch.nn.Module) -> None:
    """Gives a twin its class's ``forward`` back: that of the instance leads to the module it was copied from."""
    if any(name in module.__dict__ for name in DRESSES):
        for name in ("forward", "_hf_hook", *DRESSES):
            module.__dict__.pop(name, None)


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
