"""Tensors that a forward pass leaves on its model, as attributes: caches, states, what somebody wants to look at."""

from __future__ import annotations

import torch

Attributes = dict[tuple[str, str], torch.Tensor]
"""Tensors by the module's path and the attribute's name; neither parameters nor buffers."""


def attributes(model: torch.nn.Module) -> Attributes:
    """Those of a model now."""
    return {
        (path, name): value
        for path, module in model.named_modules()
        for name, value in vars(module).items()
        if isinstance(value, torch.Tensor)
    }


def make_buffers(model: torch.nn.Module, before: Attributes) -> None:
    """Has attributes that passes have made count to the model: as buffers, which a state dict leaves out.

    Args:
        model: that ran.
        before: its attributes then.
    """
    modules = dict(model.named_modules())
    for (path, name), value in attributes(model).items():
        if before.get((path, name)) is not value:
            delattr(modules[path], name)
            modules[path].register_buffer(name, value, persistent=False)
