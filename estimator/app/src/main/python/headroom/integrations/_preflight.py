"""What the integrations have in common."""

from __future__ import annotations

import importlib
import os
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import torch

from headroom._live import unwrapped
from headroom._optimizer import bare, settings
from headroom._predict import check, predict
from headroom._result import DoesNotFit, Peak, Prediction
from headroom._units import size
from headroom.errors import HeadroomError

STEPS = 2
"""After so many steps of the optimizer memory is as high as in all that follow, mostly."""


class Preflight:
    """Predicts a run before its first step, and measures it after two.

    Attributes:
        prediction: what was predicted; ``None`` before the first batch.
        measured: allocated, reserved and, where the process is alone on the GPU, device memory after two steps, in
            bytes; ``None`` before, and without CUDA.
    """

    def __init__(
        self,
        *,
        strict: bool = True,
        record: str | os.PathLike[str] | None = None,
        name: str = "run",
        **question: Any,
    ) -> None:
        """Takes what to ask.

        Args:
            strict: whether a run that does not fit raises ``DoesNotFit``; else it is a warning.
            record: a folder for a recording of the run, which ``headroom validate FOLDER`` compares.
            name: of that recording.
            question: ``gpu``, ``memory`` and other options of ``headroom.predict``; they win over what is read off the
                run.
        """
        self.strict, self.record, self.name = strict, record, name
        self.question = question
        self.prediction: Prediction | None = None
        self.measured: Peak | None = None
        self._steps = 0
        self._recording: Any = None

    def watch(self, model: torch.nn.Module, optimizer: torch.optim.Optimizer, **run: Any) -> None:
        """Counts the optimizer's steps, and records the run when asked; called before the first batch is there.

        Args:
            model: what is trained.
            optimizer: what trains it.
            run: options that are known of the run, such as ``loop="trainer"``; the recording holds them.
        """
        optimizer = bare(optimizer)
        self._handle = optimizer.register_step_post_hook(lambda *_: self.stepped())
        if self.record is not None:
            recorder = importlib.import_module("headroom.record")
            known = settings(optimizer, unwrapped(model), run)[0] | {k: v for k, v in run.items() if v is not None}
            self._recording = recorder.watch(self.name, model, optimizer, folder=os.fspath(self.record))
            self._recording.named.update(known)
            self._recording.__enter__()

    def ask(
        self, model: torch.nn.Module, args: Sequence[Any], kwargs: Mapping[str, Any] | None = None, **run: Any
    ) -> Prediction:
        """Predicts the run whose first batch this is.

        Raises:
            DoesNotFit: when it does not fit, and ``strict``.
        """
        asked = run | self.question
        if self.strict and (torch.cuda.is_available() or asked.get("gpu") or asked.get("memory")):
            self.prediction = check(model, args, kwargs, **asked)
            return self.prediction
        self.prediction = predict(model, args, kwargs, **asked)
        if self.prediction.fits is False:
            warnings.warn(f"headroom: {self.prediction}", stacklevel=2)
        return self.prediction

    def try_to_ask(
        self, model: torch.nn.Module, args: Sequence[Any], kwargs: Mapping[str, Any] | None = None, **run: Any
    ) -> None:
        """The same; a model that cannot be predicted is a warning, not the end of the run."""
        try:
            self.ask(model, args, kwargs, **run)
        except DoesNotFit:
            raise
        except HeadroomError as e:
            warnings.warn(f"headroom: no prediction: {e}", stacklevel=2)

    def stepped(self) -> None:
        """A step of the optimizer is done."""
        self._steps += 1
        if self._steps == STEPS and torch.cuda.is_available():
            free, total = torch.cuda.mem_get_info()
            self.measured = Peak(torch.cuda.max_memory_allocated(), torch.cuda.max_memory_reserved(), total - free)

    def settle(self) -> None:
        """Between two steps: ends the recording when it has seen enough."""
        if self._steps > STEPS:
            self.close()

    def close(self) -> None:
        """Ends the recording, when there is one."""
        recording, self._recording = self._recording, None
        if recording is not None:
            recording.__exit__(None, None, None)

    def comparison(self) -> str:
        """Predicted beside measured, in lines."""
        if self.prediction is None:
            return "headroom: nothing was predicted"
        lines = ["headroom     predicted     measured"]
        for key in ("allocated", "reserved"):
            measured = "-" if self.measured is None else size(getattr(self.measured, key))
            lines.append(f"{key:10} {size(getattr(self.prediction.peak, key)):>12} {measured:>12}")
        return "\n".join(lines)
