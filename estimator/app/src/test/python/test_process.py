"""What the process that asks says of the run."""

from __future__ import annotations

from typing import Any

import headroom
import pytest

torch = pytest.importorskip("torch", reason="live modules need torch")

from headroom import _process  # noqa: E402


def scenario(**options: Any) -> dict[str, Any]:
    prediction = headroom.predict(torch.nn.Linear(8, 8), (torch.randn(4, 8),), **options)
    return prediction.to_dict()["scenario"]  # type: ignore[no-any-return]


def test_versions_as_they_are_written() -> None:
    assert _process.version("2.11.0+cu130") == (2, 11)
    assert _process.version("2.15.0a0+git1f3a") == (2, 15)
    assert _process.version("built here") is None
    assert [_process.cudnn(n) for n in (91900, 90100, 8902, None)] == ["9.19", "9.1", "8.9", None]


def test_the_newest_version_is_that_of_the_command_line() -> None:
    with pytest.raises(headroom.HeadroomError, match=r"from 1\.0 to {}\.{}$".format(*_process.NEWEST_TORCH)):
        scenario(torch="99.0")


def test_this_pythons_pytorch_is_predicted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch, "__version__", "2.11.0+cu130")
    assert scenario()["torch"] == "2.11"
    assert scenario(torch="2.6")["torch"] == "2.6"


def test_a_version_to_come_is_said() -> None:
    options, remarks = _process.of_process({})
    assert options["torch"] and not remarks
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(torch, "__version__", "3.1.0")
        options, remarks = _process.of_process({})
    assert "torch" not in options
    assert remarks == ["PyTorch 3.1.0 is not modelled: the prediction is of 2.14"]


def test_a_gpu_that_is_here_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.backends.cudnn, "version", lambda: 91900)
    assert _process.of_process({})[0]["cudnn_workspace"] == "live"
    for elsewhere in ({"torch": "2.6"}, {"cudnn": "9.1"}):
        assert "cudnn_workspace" not in _process.of_process(elsewhere)[0]
    monkeypatch.setattr(_process, "_is_one_of_several", lambda: True)
    assert "cudnn_workspace" not in _process.of_process({})[0]


def test_switches_and_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTORCH_CUDA_ALLOC_CONF", "expandable_segments:True")
    monkeypatch.setattr(torch.backends.cudnn, "benchmark", True)
    asked = scenario()
    assert (asked["alloc_conf"], asked["cudnn_benchmark"]) == ("expandable_segments:True", True)
    asked = scenario(alloc_conf="", cudnn_benchmark=False)
    assert (asked["alloc_conf"], asked["cudnn_benchmark"]) == ("", False)
