"""Predictions of files and known models: without torch."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import headroom
import pytest
from headroom._launcher import DOOR, command, environment
from headroom._options import SAY_TRUE, arguments

QUESTIONS: list[tuple[str, dict[str, object]]] = [
    ("mlp-xor.pt2", {"batch": 64}),
    ("cnn-small.pt2", {"batch": 100, "optimizer": "adam", "gpu": "rtx-3060"}),
    ("resnet18-i224.pt2", {"batch": 8, "optimizer": "sgd-momentum", "weight_decay": True}),
    ("resnet50-i224.pt2", {"batch": 32, "gpu": "rtx-3090", "channels_last": True}),
    ("vit_b_16-i224.pt2", {"batch": 16, "amp": "bf16", "memory": "24GiB"}),
    ("gpt2-s512.pt2", {"batch": 4, "checkpoint_modules": ["transformer.h.*"], "reentrant": False}),
    ("gpt2-s512.pt2", {"batch": 2, "compile": True, "gpu": "rtx-4090"}),
    ("unet-i256.pt2", {"batch": 2, "accumulate": 2, "foreach": False}),
    ("bert-base-cls-s128.pt2", {"batch": 8, "freeze": ["embeddings"]}),
    ("llama-3.2-1b", {"batch": 1, "seq": 512, "lora": 16, "targets": "all-linear", "quant": "nf4"}),
    ("smollm2-135m", {"batch": 2, "seq": 256, "set": {"num_hidden_layers": 4}}),
]


@pytest.mark.parametrize(("model", "options"), QUESTIONS, ids=[q[0] for q in QUESTIONS])
def test_equals_the_command_line(model: str, options: dict[str, object], fixtures: Path) -> None:
    name = str(fixtures / "models" / model) if model.endswith(".pt2") else model
    line = command(["predict", name, *arguments(options), "--json"])
    printed = subprocess.run(line, env={**environment(), DOOR: "python"}, capture_output=True, check=False).stdout
    prediction = headroom.predict(name, **options)  # type: ignore[arg-type]
    assert prediction.to_dict() == json.loads(printed)
    assert prediction.way == ("archive" if model.endswith(".pt2") else "config")


def test_the_result_says_what_the_json_says(fixtures: Path) -> None:
    prediction = headroom.predict(fixtures / "models/resnet18-i224.pt2", batch=8, gpu="rtx-3090")
    data = prediction.to_dict()
    assert prediction.fits is True
    assert prediction.probability == data["verdict"]["probability_oom"]
    assert prediction.peak == tuple(data["peak"].values())
    assert [p.phase for p in prediction.phases][:4] == ["model", "inputs", "zero_grad", "forward"]
    assert sum(layer.parameters for layer in prediction.layers) > 40 << 20
    assert "What makes the peak?" in prediction.explain()
    assert prediction.advise().data["fits"] is True
    assert str(prediction).startswith("Fits on NVIDIA GeForce RTX 3090")
    assert "resnet18-i224: fits" in repr(prediction)


def test_shows_itself_in_a_notebook(fixtures: Path, tmp_path: Path) -> None:
    prediction = headroom.predict(fixtures / "models/resnet18-i224.pt2", batch=8, gpu="rtx-3090")
    html = prediction._repr_html_()
    assert "<svg" in html and "saved activations" in html and "Fits on NVIDIA GeForce RTX 3090" in html
    assert "<script" not in html
    prediction.report(tmp_path / "run.html")
    assert (tmp_path / "run.html").stat().st_size > 100_000


def test_check_raises_with_the_advice(fixtures: Path) -> None:
    with pytest.raises(headroom.DoesNotFit, match="Does not fit") as e:
        headroom.check(fixtures / "models/resnet50-i224.pt2", batch=256, gpu="rtx-3060")
    assert e.value.prediction.fits is False
    assert "checkpoint(" in str(e.value)
    with pytest.raises(headroom.HeadroomError, match="no device is known"):
        headroom.check(fixtures / "models/mlp-xor.pt2", batch=2)


def test_the_largest_batch(fixtures: Path) -> None:
    largest = headroom.largest_batch(fixtures / "models/resnet50-i224.pt2", batch=2, gpu="rtx-3060")
    assert 50 < largest.safe <= largest.size < 500
    model = fixtures / "models/resnet50-i224.pt2"
    assert headroom.predict(model, batch=largest.size, gpu="rtx-3060").fits
    assert not headroom.predict(model, batch=largest.size + 1, gpu="rtx-3060").fits


@pytest.mark.parametrize(
    ("question", "line"),
    [
        ({"model": "nothing.pt2"}, "does not exist"),
        ({"model": "smollm2-135m", "gpu": "rtx-9999"}, "not in the catalogue"),
        ({"model": "smollm2-135m", "batchsize": 3}, "unknown option 'batchsize'"),
        ({"model": "smollm2-135m", "batch": 1}, "pass seq=N"),
        ({"model": "smollm2-135m", "seq": 8, "fused": True, "foreach": True}, "fused=True .* with foreach=True"),
        ({"model": "smollm2-135m", "seq": 8, "batch": "x"}, "batch: 'x' is not a whole number"),
        ({"model": "smollm2-135m", "args": (1,)}, "args and kwargs are for a module"),
    ],
)
def test_bad_input_is_one_line(question: dict[str, object], line: str) -> None:
    with pytest.raises(headroom.HeadroomError, match=line) as e:
        headroom.predict(**question)  # type: ignore[arg-type]
    assert "\n" not in str(e.value)


def test_options() -> None:
    assert arguments({"fused": True, "foreach": True, "batch": None, "maximize": False, "dim": {"seq": 4}}) == [
        *("--fused", "--foreach", "true", "--dim", "seq=4"),
    ]
    assert arguments({"checkpoint_modules": ["a", "b"], "freeze": ["a", "b"], "set": {"x": "y"}}) == [
        *("--checkpoint-modules", "a", "--checkpoint-modules", "b", "--freeze", "a,b", "--set", 'x="y"'),
    ]


def test_every_option_that_says_true_is_known() -> None:
    printed = subprocess.run(command(["predict", "--help"]), capture_output=True, text=True, check=True).stdout
    options = re.findall(r"^ +(?:-\w, )?--([\w-]+)(=\S+)?(.*?)(?=^ +(?:-\w, )?--|\Z)", printed, re.M | re.S)
    said = {name for name, value, text in options if value == "=BOOL" or re.search(r"\btrue\b", text)}
    assert {name.replace("-", "_") for name in said} == SAY_TRUE


def test_devices() -> None:
    assert {"name", "memory"} <= headroom.devices()[0].keys()


def test_the_module_is_the_command() -> None:
    done = subprocess.run([sys.executable, "-m", "headroom", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("headroom ")
    bad = subprocess.run([sys.executable, "-m", "headroom", "predict"], capture_output=True, check=False)
    assert bad.returncode == 2


def test_a_launcher_that_is_this_command_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    line = [sys.executable, "-m", "headroom", "devices"]
    monkeypatch.setenv("HEADROOM_COMMAND", f"{sys.executable} -m headroom")
    ran = subprocess.run(line, capture_output=True, text=True, check=False, timeout=60)
    assert ran.returncode == 2
    assert ran.stderr.strip().splitlines() == [
        "headroom: HEADROOM_COMMAND names this very command; unset it, or name another launcher"
    ]
