"""What a prediction says."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from headroom._launcher import run
from headroom._units import size
from headroom.errors import HeadroomError


class Peak(NamedTuple):
    """The most memory of a run, in bytes."""

    allocated: int
    """Live blocks: ``torch.cuda.max_memory_allocated()``."""
    reserved: int
    """Segments taken from the driver: ``torch.cuda.max_memory_reserved()``."""
    device: int
    """With CUDA's context and the libraries' own memory: what ``nvidia-smi`` shows; without a device, as reserved."""


class Phase(NamedTuple):
    """The allocator at the end of a phase of the training loop, in bytes; maxima run from the start."""

    phase: str
    """Such as ``model``, ``inputs``, ``forward``, ``loss``, ``backward``, ``optimizer``."""
    step: int | None
    """Counted from 0; ``None`` before the first."""
    micro: int | None
    """Which pass of an accumulated step."""
    allocated: int
    reserved: int
    max_allocated: int
    max_reserved: int


class Layer(NamedTuple):
    """What an operator of a module holds, in bytes."""

    module: str
    """Such as ``layer1.0.conv1``; ``""`` is the model itself."""
    operator: str
    parameters: int
    gradients: int
    optimizer_state: int
    saved: int
    """Activations that autograd keeps for the backward pass."""
    peak_share: int
    """Of the memory at the peak."""


class Answer(str):
    """A text, with the same as data: what the command prints with ``--json``."""

    data: dict[str, Any]

    def __new__(cls, text: str, data: dict[str, Any]) -> Answer:
        """Takes both."""
        answer = super().__new__(cls, text)
        answer.data = data
        return answer


@dataclass(frozen=True)
class Question:
    """A command line but for its first word, and what must live as long as it is asked."""

    arguments: tuple[str, ...]
    way: str
    notes: tuple[str, ...] = ()
    held: tempfile.TemporaryDirectory[str] | None = field(default=None, repr=False, compare=False)

    def ask(self, command: str, *more: str) -> str:
        """Runs a command and returns what it prints."""
        return run([command, *self.arguments, *more])


class Prediction:
    """The memory of a training run. All sizes are bytes."""

    def __init__(self, question: Question) -> None:
        """Asks; raises ``HeadroomError`` for a question that cannot be."""
        self._question = question
        self._data: dict[str, Any] = json.loads(question.ask("predict", "--json"))

    def save(self, file: str | os.PathLike[str]) -> list[str]:
        """Keeps the archive of a module, for the command line, a sweep or the service.

        Args:
            file: to write, such as ``"net.pt2"``.

        Returns:
            What ``headroom predict`` is called with to give the same prediction, the file first.

        Raises:
            HeadroomError: when a file was asked about, which is there already.
        """
        if self._question.held is None:
            raise HeadroomError(f"{self._question.arguments[0]} is a model's own file already")
        shutil.copyfile(self._question.arguments[0], file)
        return [os.fspath(file), *self._question.arguments[1:]]

    @property
    def fits(self) -> bool | None:
        """Whether the run gets through on its device; ``None`` when no device is known."""
        return self._data["verdict"]["fits"]  # type: ignore[no-any-return]

    @property
    def probability(self) -> float | None:
        """The probability, 0 to 1, that the run is out of memory; ``None`` without a device."""
        return self._data["verdict"]["probability_oom"]  # type: ignore[no-any-return]

    @property
    def headroom(self) -> int | None:
        """Bytes of the device that stay free, negative where some are missing; ``None`` without a device."""
        return self._data["verdict"]["headroom"]  # type: ignore[no-any-return]

    @property
    def peak(self) -> Peak:
        """The most memory that the run takes."""
        return Peak(**self._data["peak"])

    @property
    def phases(self) -> list[Phase]:
        """The phases of the training loop in order."""
        return [Phase(**{k: p[k] for k in Phase._fields}) for p in self._data["phases"]]

    @property
    def layers(self) -> list[Layer]:
        """What every layer holds, in the order of the forward pass."""
        return [Layer(**{k: row[k] for k in Layer._fields}) for row in self._data["layers"]]

    @property
    def oom(self) -> dict[str, Any] | None:
        """Where memory runs out: ``phase``, ``step``, ``module``, ``operator``, ``requested`` bytes; or ``None``."""
        return self._data["oom"]  # type: ignore[no-any-return]

    @property
    def warnings(self) -> list[str]:
        """What the prediction leaves open, a sentence each."""
        return [*self._question.notes, *self._data["warnings"]]

    @property
    def unmodelled(self) -> dict[str, int]:
        """Operators that have no memory rule, and how often each runs."""
        return {row["operator"]: row["count"] for row in self._data["unmodelled"]}

    @property
    def way(self) -> str:
        """How the model was read.

        ``archive``, ``config`` (a config.json or a known model), ``export`` (by torch.export, from a live module), or
        ``recorded`` (a live module's forward pass, run on fake tensors).
        """
        return self._question.way

    def explain(self) -> Answer:
        """What makes the peak, in sentences; ``.data`` holds the numbers."""
        return self._both("explain")

    def advise(self) -> Answer:
        """What to change so that the run fits, with the lines of PyTorch to write; ``.data`` holds the plans."""
        return self._both("advise")

    def report(self, path: str | os.PathLike[str]) -> None:
        """Writes a page for a browser: the timeline of every tensor, segments, layers."""
        self._question.ask("predict", "--report", os.fspath(path))

    def to_dict(self) -> dict[str, Any]:
        """What ``headroom predict --json`` prints."""
        return json.loads(json.dumps(self._data))  # type: ignore[no-any-return]

    def _both(self, command: str) -> Answer:
        return Answer(self._question.ask(command), json.loads(self._question.ask(command, "--json")))

    @cached_property
    def _timeline(self) -> dict[str, Any]:
        return json.loads(self._question.ask("predict", "--json", "--timeline", "400"))["timeline"]  # type: ignore[no-any-return]

    def _repr_html_(self) -> str:
        from headroom._html import page

        return page(self._data, self.warnings, self._timeline)

    def __str__(self) -> str:
        """What ``headroom predict`` prints."""
        return self._question.ask("predict").rstrip()

    def __repr__(self) -> str:
        """One line."""
        verdict = {None: "no device", True: "fits", False: "does not fit"}[self.fits]
        return (
            f"<headroom.Prediction {self._data['model']}: {verdict}, peak {size(self.peak.allocated)} allocated,"
            f" {size(self.peak.reserved)} reserved, {self.way}>"
        )


class DoesNotFit(MemoryError):
    """A run that does not fit on its device; the message holds the verdict and the advice.

    Attributes:
        prediction: the prediction that says so.
    """

    def __init__(self, prediction: Prediction, message: str) -> None:
        """Takes the prediction and the whole text."""
        super().__init__(message)
        self.prediction = prediction
