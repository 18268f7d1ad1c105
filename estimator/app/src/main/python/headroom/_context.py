"""The ``ctx`` of custom functions while they are recorded."""

from __future__ import annotations

from typing import Any

import torch
from torch.autograd.function import FunctionCtx
from torch.utils import _pytree as pytree


class Context(FunctionCtx):
    """What stands for a function's ``ctx``."""

    saved_tensors: tuple[Any, ...] = ()
    needs_input_grad: tuple[bool, ...] = ()
    to_save: tuple[Any, ...] = ()

    def kept(self) -> tuple[list[torch.Tensor], int]:
        """Tensors that are saved, behind them those that are plain attributes; and how many are saved."""
        saved = [t for t in self.to_save if isinstance(t, torch.Tensor)]
        own = [t for k, v in vars(self).items() if k != "to_save" for t in pytree.tree_leaves(v)]
        return saved + [t for t in own if isinstance(t, torch.Tensor)], len(saved)
