"""How a step calls the model: the forward pass, and the loss where the caller gives it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch

from headroom._outputs import exportable
from headroom._twin import Twins

CRITERION = "criterion"
"""The name of a loss that is a module, among those of the model."""


@dataclass(frozen=True)
class Called:
    """What a training step calls."""

    args: tuple[Any, ...]
    """Positional arguments of the model."""
    kwargs: dict[str, Any]
    """Arguments by name."""
    loss: Callable[..., torch.Tensor] | None = None
    """Computes the loss as ``loss(output, *loss_args)``; ``None``: an option, or the model, says what it is."""
    loss_args: tuple[Any, ...] = ()
    """What the loss is called with behind the output, such as labels."""
    amp: torch.dtype | None = None
    """The type of autocast around the call; what it makes of a tensor is what ``type_as`` and its like read."""

    earlier: int = 0
    """How many passes run before the one in question: in these the model makes what it keeps for all others."""

    @property
    def inputs(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Positional and named arguments of what ``around`` gives."""
        if self.loss is None:
            return self.args, self.kwargs
        return (self.args, self.kwargs, self.loss_args), {}

    def around(
        self, twin: torch.nn.Module, twins: Twins, returned: Callable[[], None] = lambda: None
    ) -> torch.nn.Module:
        """The twin of the model, made to take ``inputs`` and to return tensors, a loss of the caller's first.

        Args:
            twin: of the model.
            twins: that it was made by.
            returned: is called when the model has returned and the loss follows.
        """
        if self.loss is None:
            twin.register_forward_hook(lambda _, __, output: exportable(output))
            return twin
        loss = self.loss
        if isinstance(loss, torch.nn.Module) and any(True for _ in _tensors(loss)):
            loss = twins.module(loss)
            # Its tensors are the program's under a module that calls no others: containers call all that they hold.
            next(m for m in twin.modules() if not any(True for _ in m.children())).add_module(CRITERION, loss)
        own = twin.forward

        # Traces begin with the first frame called forward (torch/fx/proxy.py): that of the model, as without a loss.
        def step(args: Any, kwargs: Any, loss_args: Any) -> Any:
            output = own(*args, **kwargs)
            returned()
            return loss(output, *loss_args), exportable(output)

        twin.forward = step
        return twin


def _tensors(module: torch.nn.Module) -> Iterator[torch.Tensor]:
    yield from module.parameters()
    yield from module.buffers()
