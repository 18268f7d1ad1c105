"""Values that a program's control flow may read although its tensors hold none.

Masks, positions and lengths are computed beside the recording from the integers that the caller passed, on the host.
What comes from weights or activations is not known.
"""

from __future__ import annotations

import math
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensor, unset_fake_temporarily
from torch.utils import _pytree as pytree

MOST = 1 << 20
"""Elements of a tensor that is computed."""

SYMBOLS = (torch.SymInt, torch.SymFloat, torch.SymBool)
"""Sizes that an exporter keeps open, which have the value that they were called with."""

aten = torch.ops.aten


class Known:
    """The tensors whose values are known, by the identity of those that stand for them."""

    def __init__(self) -> None:
        """Knows nothing."""
        self.values: dict[int, torch.Tensor] = {}
        self.all: set[int] = set()

    def note(self, twin: torch.Tensor, real: torch.Tensor) -> None:
        """Whole numbers and truth values of an input."""
        if real.numel() <= MOST and not real.is_meta and not isinstance(real, FakeTensor) and not _fractions(real):
            self.values[id(twin)] = real.detach().to("cpu", copy=True)

    def alias(self, twin: torch.Tensor, other: torch.Tensor) -> None:
        """Another object that stands for the same tensor."""
        if id(twin) in self.values:
            self.values[id(other)] = self.values[id(twin)]

    def forget(self, identity: int) -> None:
        """There is no such tensor any more."""
        self.values.pop(identity, None)
        self.all.discard(identity)

    def compute(self, func: Any, args: Any, kwargs: Any) -> Any:
        """What the operator gives for known operands; ``None`` where it is not known."""
        tensors = [t for t in pytree.tree_leaves((args, kwargs)) if isinstance(t, torch.Tensor)]
        if any(self._value(t) is None for t in tensors) or torch.Tag.nondeterministic_seeded in func.tags:
            return None

        def real(leaf: Any) -> Any:
            if isinstance(leaf, torch.Tensor):
                return self._value(leaf).cpu()  # type: ignore[union-attr]
            if isinstance(leaf, SYMBOLS):
                return _hint(leaf)
            return torch.device("cpu") if isinstance(leaf, torch.device) else leaf

        try:
            with torch._C.DisableTorchFunction(), unset_fake_temporarily(), torch.no_grad():
                return func(*pytree.tree_map(real, args), **pytree.tree_map(real, kwargs))
        except Exception:  # an operator that the host lacks, a symbol without a value
            return None

    def _value(self, tensor: torch.Tensor) -> torch.Tensor | None:
        """That of a tensor; a literal of the program, such as ``[-1, 0]`` of an index, has its own."""
        found = self.values.get(id(tensor))
        literal = type(tensor) is torch.Tensor and not tensor.is_meta and tensor.numel() <= MOST
        return tensor if found is None and literal else found

    def follow(self, func: Any, args: Any, kwargs: Any, out: Any) -> None:
        """Notes what a call that was recorded makes."""
        if func in (aten.all.default, aten.all.dim):
            self.all.add(id(out))
        leaves = [t for t in pytree.tree_leaves(out) if isinstance(t, torch.Tensor)]
        if not leaves or any(_elements(t) > MOST for t in leaves):
            return
        found = [t for t in pytree.tree_leaves(self.compute(func, args, kwargs)) if isinstance(t, torch.Tensor)]
        if len(found) == len(leaves):
            self.values |= {id(t): real for t, real in zip(leaves, found, strict=True)}
        else:
            for t in leaves:  # one that was changed in place
                self.values.pop(id(t), None)

    def read(self, func: Any, args: Any) -> tuple[Any, bool]:
        """The value that an operator brings to the host, and whether it is known; else as for zeros, ``all()`` true."""
        found = self.compute(func, args, {})
        if found is not None:
            return found, True
        if id(args[0]) in self.all:
            return True, False
        if func in (aten.is_nonzero.default, aten.equal.default) or args[0].dtype is torch.bool:
            return False, False
        return (0.0 if args[0].is_floating_point() else 0), False


def _fractions(tensor: torch.Tensor) -> bool:
    return tensor.is_floating_point() or tensor.is_complex()


def _hint(symbol: Any) -> Any:
    value = symbol.node.hint
    if value is None:
        raise ValueError("a symbol whose value depends on data")
    return value


def _elements(tensor: torch.Tensor) -> int:
    """How many, of open sizes too, about which nothing is decided here."""
    try:
        return math.prod(_hint(s) if isinstance(s, torch.SymInt) else s for s in tensor.shape)
    except ValueError:
        return MOST + 1
