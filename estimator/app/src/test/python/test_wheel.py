"""The wheel from a clean machine: a fresh environment without torch."""

from __future__ import annotations

import os
import subprocess
import sys
import time
import venv
from pathlib import Path

import pytest

WHEEL = os.environ.get("HEADROOM_WHEEL")

pytestmark = pytest.mark.skipif(not WHEEL, reason="HEADROOM_WHEEL names no wheel; mvn -Pwheel package makes one")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("env")
    venv.create(folder, with_pip=True)
    subprocess.run([folder / "bin/pip", "install", "-q", "--no-index", str(WHEEL)], check=True)
    return folder


def clean() -> dict[str, str]:
    return {k: v for k, v in os.environ.items() if not k.startswith(("HEADROOM", "JAVA", "PYTHON"))}


def test_is_small_and_says_what_it_is_for() -> None:
    wheel = Path(str(WHEEL))
    assert wheel.stat().st_size < 45 << 20
    assert "-py3-none-manylinux_" in wheel.name and wheel.name.endswith("_x86_64.whl")


def test_the_command(home: Path, fixtures: Path) -> None:
    model = str(fixtures / "models/resnet50-i224.pt2")
    started = time.perf_counter()
    line = [home / "bin/headroom", "predict", model, "--batch", "32", "--gpu", "rtx-3090"]
    done = subprocess.run(line, env=clean(), capture_output=True, text=True, check=True)
    print(f"first call: {time.perf_counter() - started:.2f} s")
    assert done.stdout.startswith("Fits on NVIDIA GeForce RTX 3090")
    assert subprocess.run([home / "bin/headroom", "predict"], env=clean(), capture_output=True).returncode == 2


def test_the_module_without_torch(home: Path) -> None:
    program = "import headroom; print(headroom.predict('llama-3.1-8b', batch=1, seq=128, gpu='h200').fits)"
    done = subprocess.run([home / "bin/python", "-c", program], env=clean(), capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "True"


def test_the_recorder_comes_along(home: Path) -> None:
    found = [p.name for p in home.glob("lib/python3*/site-packages/headroom/*")]
    assert {"record.py", "py.typed", "runtime"} <= set(found)
