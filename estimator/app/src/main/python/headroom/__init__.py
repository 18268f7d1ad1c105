"""Will this training run fit on this GPU, what takes the memory, and what should I change?

``predict`` plays the training step that PyTorch would run, without data and without a GPU. All sizes are bytes.
"""

from importlib.metadata import PackageNotFoundError, version

from headroom._predict import LargestBatch, check, devices, largest_batch, predict
from headroom._result import Answer, Layer, Peak, Phase, Prediction
from headroom.errors import Defect, DoesNotFit, HeadroomError

try:
    __version__ = version("headroom")
except PackageNotFoundError:  # from the sources
    __version__ = "0"

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
