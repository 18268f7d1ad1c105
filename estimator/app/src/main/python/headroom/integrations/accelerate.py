"""For loops of one's own with Accelerate."""

from __future__ import annotations

from typing import Any

import torch
from accelerate import Accelerator
from accelerate.hooks import ModelHook, add_hook_to_module

from headroom.integrations._preflight import Preflight


class HeadroomHook(ModelHook):  # type: ignore[misc]
    """Predicts the run when a model is first called. ``attach`` puts it there.

    Attributes:
        preflight: the prediction, and what was measured after two steps.
    """

    no_grad = False

    def __init__(self, preflight: Preflight, optimizer: torch.optim.Optimizer, run: dict[str, Any]) -> None:
        """Takes what to ask and what is known of the run."""
        self.preflight = preflight
        self._optimizer: torch.optim.Optimizer | None = optimizer
        self._run = run

    def pre_forward(self, module: torch.nn.Module, *args: Any, **kwargs: Any) -> tuple[Any, Any]:
        """Asks once; a later call is between two steps."""
        self.preflight.settle()
        optimizer, self._optimizer = self._optimizer, None
        if optimizer is not None:
            self.preflight.try_to_ask(module, args, kwargs, optimizer=optimizer, **self._run)
        return args, kwargs


def attach(
    accelerator: Accelerator, model: torch.nn.Module, optimizer: torch.optim.Optimizer, **question: Any
) -> Preflight:
    """Watches a loop; to be called after ``accelerator.prepare`` and before the first batch.

    Args:
        accelerator: says precision and accumulation.
        model: what the loop calls.
        optimizer: as ``prepare`` gave it.
        question: what ``Preflight`` takes: ``strict``, ``record``, ``gpu`` ...
    """
    preflight = Preflight(**question)
    steps = accelerator.gradient_accumulation_steps
    precision = accelerator.mixed_precision
    run = {
        "accumulate": steps if steps > 1 else None,
        "amp": precision if precision in ("bf16", "fp16") else None,
    }
    preflight.watch(model, optimizer, **run)
    add_hook_to_module(model, HeadroomHook(preflight, optimizer, run), append=True)
    return preflight
