"""The examples of the manual that are no commands with shown output: those a Java test runs."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import socket
import subprocess
import time
from pathlib import Path
from typing import Any

import headroom
import pytest
from conftest import ROOT
from headroom._launcher import command

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def blocks(page: str, language: str) -> list[str]:
    """The blocks of a language in a page."""
    return re.findall(rf"^```{language}\n(.*?)^```", (ROOT / page).read_text(), re.S | re.M)


def block(page: str, language: str, word: str) -> str:
    """The first block with a word in it."""
    return next(b for b in blocks(page, language) if word in b)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the project's fixtures, a model and ``headroom`` on the path."""
    (tmp_path / "fixtures").symlink_to(ROOT / "fixtures")
    shutil.copy(ROOT / "fixtures/models/resnet18-i224.pt2", tmp_path / "model.pt2")
    programs = {"headroom": shlex.join(command([])) + ' "$@"', "python": "touch trained", "sbatch": "touch sent"}
    (tmp_path / "bin").mkdir()
    for name, line in programs.items():
        program = tmp_path / "bin" / name
        program.write_text(f"#!/bin/sh\nexec {line}\n")
        program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def shell(script: str, **variables: str) -> subprocess.CompletedProcess[str]:
    line = ["bash", "-c", script]
    return subprocess.run(line, env={**os.environ, **variables}, capture_output=True, text=True, check=False)


LINES = [
    (page.name, b)
    for page in PAGES
    for b in re.findall(r"^```\n(\./headroom .*?)^```", page.read_text(), re.S | re.M)
    if not re.match(r"\./headroom (serve|validate)", b)  # one does not end, the other is not in the wheel
]


@pytest.mark.parametrize(("page", "line"), LINES, ids=[f"{page}: {line[:60]}" for page, line in LINES])
def test_command_lines(page: str, line: str, here: Path) -> None:
    done = shell(line.replace("./headroom", "headroom"))
    assert done.returncode in (0, 3), done.stderr
    assert done.stdout


def test_a_job_of_slurm_ends_before_it_begins(here: Path) -> None:
    job = block("docs/clusters.md", "sh", "--gres")
    assert shell(job).returncode == 0
    assert (here / "trained").exists()
    (here / "trained").unlink()
    assert shell(job.replace("--batch 64", "--batch 64000")).returncode == 3
    assert not (here / "trained").exists()
    assert shell(block("docs/clusters.md", "sh", "sbatch train.sh")).returncode == 0
    assert (here / "sent").exists()


def test_an_array_of_slurm_has_every_row_once(here: Path) -> None:
    (here / "grid.yaml").write_text("model: model.pt2\nbatch: 1..5\n")
    job = block("docs/clusters.md", "sh", "--array").replace(".parquet", ".jsonl")
    rows = []
    for task in ("1", "2"):
        variables = {"SLURM_ARRAY_TASK_ID": task, "SLURM_ARRAY_TASK_COUNT": "2", "SLURM_CPUS_PER_TASK": "1"}
        done = shell(job, **variables)
        assert done.returncode == 0, done.stderr
        rows += [json.loads(line)["row"] for line in (here / f"sweep-{task}.jsonl").read_text().splitlines()]
    assert sorted(rows) == [0, 1, 2, 3, 4]


def test_the_service_answers_as_the_page_says(here: Path) -> None:
    curl, _ = block("docs/serve.md", "", "curl -s").strip().split("\n")
    if shutil.which("curl") is None:
        pytest.skip("the service's example goes untested without curl: apt-get install curl")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    line = command(["serve", "--port", port, "--models", str(ROOT / "fixtures/models")])
    with subprocess.Popen(line, stdout=subprocess.DEVNULL) as service:
        try:
            end = time.monotonic() + 60
            while not (answer := shell(curl.replace("8321", port)).stdout) and time.monotonic() < end:
                time.sleep(0.2)
            assert json.loads(answer)["verdict"]["fits"] in (True, False)
        finally:
            service.terminate()


def test_scenarios_of_a_sweep(here: Path) -> None:
    grid = block("docs/sweep.md", "yaml", "x2")
    assert "[null, bf16]" in grid
    fixed = re.sub(r"^dim:.*\n", "", grid, flags=re.M)  # the archive here has no open size but the batch
    (here / "grid.yaml").write_text(fixed.replace("resnet50.pt2", "model.pt2"))
    done = shell("headroom sweep grid.yaml -o rows.jsonl")
    assert done.returncode == 0, done.stderr
    assert len((here / "rows.jsonl").read_text().splitlines()) == 2 * 7 * 2 * 2 * 2


def test_a_known_model() -> None:
    predictions: dict[str, Any] = {"headroom": headroom}
    exec("answer = " + block("docs/python.md", "python", '"llama-3.1-8b"'), predictions)
    assert predictions["answer"].fits is True


@pytest.mark.parametrize("page", ["README.md", "docs/python.md"])
def test_a_live_module(page: str, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    torch = pytest.importorskip("torch", reason="the example is of a live module")
    torchvision = pytest.importorskip("torchvision", reason="the example is of a model of torchvision")
    model = torchvision.models.resnet18()
    names = {"model": model, "images": torch.empty(8, 3, 64, 64), "torch": torch, "torchvision": torchvision}
    names["optimizer"] = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    exec(block(page, "python", "import headroom"), names)
    assert names["prediction"].fits is True
    assert str(names["prediction"].peak.allocated) in capsys.readouterr().out or (here / "run.html").exists()


@pytest.mark.parametrize("word", ["torchvision.models.resnet50", "transformers.GPT2LMHeadModel"])
def test_exports(word: str, here: Path) -> None:
    for package in ("torch", word.split(".")[0]):
        pytest.importorskip(package, reason="the example exports a model")
    exec(block("docs/export.md", "python", word), {})
    archive = next(file for file in here.glob("*.pt2") if file.name != "model.pt2")
    assert headroom.predict(archive, batch=2, gpu="rtx-3090").fits is True
