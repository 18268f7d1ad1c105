"""Where the tests find Headroom: the installed wheel, or the sources with HEADROOM_COMMAND as their launcher."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[5]
SOURCES = ROOT / "estimator/app/src/main/python"

try:
    import headroom  # noqa: F401
except ImportError:
    sys.path.insert(0, str(SOURCES))


@pytest.fixture
def fixtures() -> Path:
    """The project's models and recordings."""
    return ROOT / "fixtures"
