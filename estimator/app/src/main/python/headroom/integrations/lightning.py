"""For the Trainer of Lightning."""

from __future__ import annotations

from typing import Any

import torch
from lightning.pytorch import Callback, LightningModule, Trainer

from headroom.integrations._preflight import Preflight

PRECISION = {"bf16-mixed": "bf16", "16-mixed": "fp16"}


class TrainingStep(torch.nn.Module):
    """A module's ``training_step`` as a forward pass that returns the loss."""

    def __init__(self, module: LightningModule) -> None:
        """Takes the module."""
        super().__init__()
        self.module = module

    def forward(self, batch: Any, batch_idx: int) -> torch.Tensor:
        """The loss of a batch."""
        result = self.module.training_step(batch, batch_idx)
        return result["loss"] if isinstance(result, dict) else result  # type: ignore[no-any-return]


class HeadroomCallback(Callback):  # type: ignore[misc]
    """Predicts the run when its first batch is there: ``Trainer(callbacks=[HeadroomCallback()])``.

    Attributes:
        preflight: the prediction, and what was measured after two steps.
    """

    def __init__(self, **question: Any) -> None:
        """Takes what ``Preflight`` takes: ``strict``, ``record``, ``gpu`` ..."""
        self.preflight = Preflight(**question)

    def on_train_start(self, trainer: Trainer, pl_module: LightningModule) -> None:
        """The model and the optimizer are there, no batch is."""
        self.preflight.watch(pl_module, trainer.optimizers[0], **options(trainer))

    def on_train_batch_start(self, trainer: Trainer, pl_module: LightningModule, batch: Any, batch_idx: int) -> None:
        """Asks once."""
        if self.preflight.prediction is None and batch_idx == 0:
            step = TrainingStep(pl_module)
            self.preflight.try_to_ask(step, (batch, batch_idx), optimizer=trainer.optimizers[0], **options(trainer))

    def on_train_batch_end(self, trainer: Trainer, pl_module: LightningModule, *_: Any) -> None:
        """A batch is done."""
        self.preflight.settle()

    def on_train_end(self, trainer: Trainer, pl_module: LightningModule) -> None:
        """Prints predicted beside measured."""
        self.preflight.close()
        print(self.preflight.comparison())


def options(trainer: Trainer) -> dict[str, Any]:
    """Options of ``headroom.predict`` that the Trainer says."""
    return {
        "amp": PRECISION.get(str(trainer.precision)),
        "accumulate": trainer.accumulate_grad_batches if trainer.accumulate_grad_batches > 1 else None,
        "clip_grad_norm": trainer.gradient_clip_val,
    }
