"""This machine's card, when PyTorch is there to tell."""

from __future__ import annotations

import json
import sys

from headroom._launcher import run


def this_machine() -> tuple[str | None, int | None]:
    """The catalogue's name of the current device, or ``None``, and its memory in bytes; nothing without a device.

    PyTorch is asked when the caller has imported it.
    """
    torch = sys.modules.get("torch")
    if torch is None or not torch.cuda.is_available():
        return None, None
    card = torch.cuda.get_device_properties(torch.cuda.current_device())
    alike = [d for d in json.loads(run(["devices", "--json"])) if d["title"] == card.name]
    nearest = min(alike, key=lambda d: abs(d["memory"] - card.total_memory), default=None)
    return (nearest["name"] if nearest else None), int(card.total_memory)
