"""Will this training run fit on this GPU, what takes the memory, and what should I change?

``predict`` plays the training step that PyTorch would run, without data and without a GPU. All sizes are bytes.
"""

from headroom._predict import LargestBatch, check, devices, largest_batch, predict
from headroom._result import Answer, DoesNotFit, Layer, Peak, Phase, Prediction
from headroom.errors import Defect, HeadroomError

__all__ = [
    "Answer",
    "Defect",
    "DoesNotFit",
    "HeadroomError",
    "LargestBatch",
    "Layer",
    "Peak",
    "Phase",
    "Prediction",
    "check",
    "devices",
    "largest_batch",
    "predict",
]


def __getattr__(name: str) -> str:
    if name == "__version__":
        from importlib.metadata import version  # takes as long as a quarter of a prediction

        return version("headroom")
    raise AttributeError(f"module 'headroom' has no attribute {name!r}")
