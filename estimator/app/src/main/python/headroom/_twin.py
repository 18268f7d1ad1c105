"""Twins: copies of a module and of its inputs on a GPU that need not be there, without data.

A twin's tensors are PyTorch's fake tensors on ``cuda:0``: they have sizes, strides and a type, and nothing behind them.
So a model sees the device that it will run on, wherever it is now, and the caller's module stays as it is.
"""

from __future__ import annotations

import copy
import functools
import types
from collections.abc import Callable, Mapping
from contextlib import suppress
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
COLLECTING = (list, dict, set)
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
        hooks = [entry for module in model.modules() for entry in _leave_behind(module, memo)]
        try:
            with _Copying(self.tensor, memo):
                twin = copy.deepcopy(model, memo)
        except (TypeError, RuntimeError, copy.Error) as e:
            raise HeadroomError(
                f"the model cannot be copied ({e}); take what cannot be off its modules, or export it yourself"
            ) from e
        for module in twin.modules():
            _undress(module)
        for copied, own in hooks:
            for number, hook in own.items():
                bound = _bound(hook, memo)
                if bound is not hook:
                    copied[number] = bound
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


def _leave_behind(module: torch.nn.Module, memo: dict[int, Any]) -> list[tuple[dict[int, Any], dict[int, Any]]]:
    """Hooks watch the module, not its twin, but for PyTorch's own, which make weights; so do wrappers of libraries.

    Returns:
        The twin's hooks and the module's, of each kind that it has.
    """
    found = []
    for name in HOOKS:
        hooks = module.__dict__.get(name)
        if hooks:
            kept = {k: h for k, h in hooks.items() if type(h).__module__.startswith("torch.")}
            memo[id(hooks)] = type(hooks)(kept)
            memo[id(memo[id(hooks)])] = memo[id(hooks)]
            found.append((memo[id(hooks)], hooks))
    if any(name in module.__dict__ for name in DRESSES):
        for name in ("forward", "_hf_hook", *DRESSES):
            if name in module.__dict__:
                memo[id(module.__dict__[name])] = LEFT
    return found


def _bound(hook: Any, memo: dict[int, Any]) -> Any:
    """The same function for the twin, where it is the model's own: a method of it, or one that knows a part of it."""
    if id(hook) in memo:
        return memo[id(hook)]
    if isinstance(hook, types.MethodType):
        instance = memo.get(id(hook.__self__), hook.__self__)
        return hook if instance is hook.__self__ else types.MethodType(hook.__func__, instance)
    if isinstance(hook, functools.partial):
        function, *args = (_bound(part, memo) for part in (hook.func, *hook.args))
        named = {name: _bound(part, memo) for name, part in hook.keywords.items()}
        same = (function, *args, *named.values()) == (hook.func, *hook.args, *hook.keywords.values())
        return hook if same else functools.partial(function, *args, **named)
    if isinstance(hook, types.FunctionType) and hook.__closure__:
        return _function(hook, hook.__closure__, memo)
    return hook


def _function(hook: types.FunctionType, closure: tuple[types.CellType, ...], memo: dict[int, Any]) -> Any:
    cells = [types.CellType() for _ in closure]
    bound = types.FunctionType(hook.__code__, hook.__globals__, hook.__name__, hook.__defaults__, tuple(cells))
    bound.__kwdefaults__ = hook.__kwdefaults__
    memo[id(hook)] = bound  # it may know itself
    own = False
    for cell, given in zip(cells, closure, strict=True):
        with suppress(ValueError):  # of an empty cell
            content = given.cell_contents
            twin = _bound(content, memo)
            own |= twin is not content and twin is not bound
            # What it collects elsewhere, it does not for the twin.
            cell.cell_contents = copy.copy(content) if twin is content and isinstance(content, COLLECTING) else twin
    if own:
        return bound
    del memo[id(hook)]
    return hook


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
