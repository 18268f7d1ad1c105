"""The card that a model asks for: code that chooses kernels by it takes those of the card of the question."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import torch

from headroom._launcher import run
from headroom.errors import HeadroomError

DEFAULT = "h200"
"""Stands in where a question names a size of memory and no card."""


@contextmanager
def pretended(gpu: str | None) -> Iterator[None]:
    """While a twin runs: queries of the device's properties are answered from the catalogue.

    Args:
        gpu: a card that ``headroom devices`` lists; without one a card of this machine answers for itself.
    """
    if gpu is None and torch.cuda.is_available():
        yield
        return

    @cache
    def asked() -> dict[str, Any]:
        for card in json.loads(run(["devices", "--json"])):
            if card["name"] == (gpu or DEFAULT):
                return dict(card)
        raise HeadroomError(f"no card is called {gpu!r}; headroom devices lists them")

    def capability(*_: Any, **__: Any) -> tuple[int, int]:
        major, minor = str(asked()["capability"]).split(".")
        return int(major), int(minor)

    def properties(*_: Any, **__: Any) -> SimpleNamespace:
        major, minor = capability()
        return SimpleNamespace(
            name=asked()["title"],
            major=major,
            minor=minor,
            total_memory=asked()["memory"],
            multi_processor_count=asked()["sms"],
        )

    answers = {
        "get_device_capability": capability,
        "get_device_properties": properties,
        "get_device_name": lambda *_, **__: asked()["title"],
        "is_bf16_supported": lambda *_, **__: capability() >= (8, 0),
    }
    with ExitStack() as stack:
        for name, answer in answers.items():
            stack.enter_context(patch.object(torch.cuda, name, answer))
        yield
