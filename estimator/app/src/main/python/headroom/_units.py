"""Sizes for people."""

from __future__ import annotations


def size(count: int) -> str:
    """Bytes in MiB or, from 1 GiB on, in GiB."""
    return f"{count / 2**30:.2f} GiB" if abs(count) >= 1 << 30 else f"{count / 2**20:.2f} MiB"
