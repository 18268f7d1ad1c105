"""What can go wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from headroom._result import Prediction


class HeadroomError(ValueError):
    """A question that cannot be: an unknown option or card, a file that cannot be read; the message says what to do."""


class Defect(RuntimeError):
    """A defect of Headroom; the message says where to report it."""


class DoesNotFit(MemoryError):
    """A run that does not fit on its device; the message holds the verdict and the advice.

    Attributes:
        prediction: the prediction that says so.
    """

    def __init__(self, prediction: Prediction, message: str) -> None:
        """Takes the prediction and the whole text."""
        super().__init__(message)
        self.prediction = prediction
