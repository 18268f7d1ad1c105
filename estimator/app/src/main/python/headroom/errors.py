"""What can go wrong."""

from __future__ import annotations


class HeadroomError(ValueError):
    """A question that cannot be: an unknown option or card, a file that cannot be read; the message says what to do."""


class Defect(RuntimeError):
    """A defect of Headroom; the message says where to report it."""
