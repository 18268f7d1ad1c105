"""What a model returns, as tensors: results may be objects of any class, such as caches of keys and values."""

from __future__ import annotations

import enum
import types
from typing import Any

import torch
from torch.utils import _pytree as pytree

CLOSED = (torch.nn.Module, torch.device, torch.dtype, enum.Enum, type, types.ModuleType, types.FunctionType)
"""What is not looked into."""


def exportable(result: Any) -> Any:
    """The result where ``torch.export`` can write it down, else the tensors that it holds, in order, each once.

    A loop that keeps the result keeps all of them, wherever they are.
    """
    return result if _plain(result) else tensors(result)


def tensors(result: Any) -> list[torch.Tensor]:
    """The tensors that containers, and attributes of objects, hold."""
    found: dict[int, torch.Tensor] = {}
    _collect(result, found, set())
    return list(found.values())


def _plain(value: Any) -> bool:
    if value is None or isinstance(value, (torch.Tensor, bool, int, float, str)):
        return True
    if type(value) not in pytree.SUPPORTED_NODES:  # so are named tuples, whose classes an archive cannot name
        return False
    children, _ = pytree.tree_flatten(value, is_leaf=lambda part: part is not value)
    return all(_plain(child) for child in children)


def _collect(value: Any, found: dict[int, torch.Tensor], seen: set[int]) -> None:
    if isinstance(value, torch.Tensor):
        found.setdefault(id(value), value)
        return
    if id(value) in seen or isinstance(value, CLOSED):
        return
    seen.add(id(value))
    parts: list[Any] = []
    if isinstance(value, dict):
        parts += value.values()
    elif isinstance(value, (list, tuple, set, frozenset)):
        parts += value
    elif hasattr(value, "__dict__"):
        parts += vars(value).values()
    elif hasattr(type(value), "__slots__"):
        parts += [getattr(value, name, None) for name in type(value).__slots__]
    for part in parts:
        _collect(part, found, seen)
