"""What the Python that asks says of the run: its versions of PyTorch and cuDNN, its switches and its environment."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Any

import torch

NEWEST_TORCH = (2, 14)
"""The newest version of PyTorch that the command line models."""

ALLOCATOR = ("PYTORCH_ALLOC_CONF", "PYTORCH_CUDA_ALLOC_CONF")
"""Where PyTorch reads the allocator's settings, its own word for it first (c10/core/AllocatorConfig.h)."""


def of_process(asked: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Options that the process says, and remarks.

    Args:
        asked: options that the caller named. Who names a version of PyTorch asks for another place than this one, of
            whose cuDNN nothing is known here.
    """
    options: dict[str, Any] = {
        "cudnn_benchmark": torch.backends.cudnn.benchmark,
        "deterministic": torch.are_deterministic_algorithms_enabled(),
        "alloc_conf": next((os.environ[name] for name in ALLOCATOR if os.environ.get(name)), None),
    }
    if asked.get("torch") is not None:
        return options, []
    if torch.cuda.is_available() and asked.get("cudnn") is None and not _is_one_of_several():
        options["cudnn_workspace"] = "live"
    installed = version(str(torch.__version__))
    options["cudnn"] = cudnn(torch.backends.cudnn.version())
    if installed is None or installed > NEWEST_TORCH:
        newest = ".".join(map(str, NEWEST_TORCH))
        return options, [f"PyTorch {torch.__version__} is not modelled: the prediction is of {newest}"]
    options["torch"] = ".".join(map(str, installed))
    return options, []


def _is_one_of_several() -> bool:
    """Whether other ranks would ask cuDNN at the same time, each with a context on the first GPU."""
    return torch.distributed.is_available() and torch.distributed.is_initialized()


def version(text: str) -> tuple[int, int] | None:
    """Major and minor of such as ``"2.11.0+cu130"``; ``None`` where there are none."""
    found = re.match(r"(\d+)\.(\d+)", text)
    return (int(found[1]), int(found[2])) if found else None


def cudnn(number: int | None) -> str | None:
    """9.19 for 91900, and 8.9 for 8902: from cuDNN 9 on, the minor version has one digit more."""
    if number is None:
        return None
    major, rest = (number // 10000, number % 10000) if number >= 90000 else (number // 1000, number % 1000)
    return f"{major}.{rest // 100}"
