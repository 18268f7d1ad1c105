"""The integrations with the real libraries; with CUDA, what they measure too."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import headroom
import pytest

torch = pytest.importorskip("torch", reason="integrations need torch")

CUDA = torch.cuda.is_available()
QUESTION = {"gpu": "h200", "cudnn_workspace": "none"}


def close_to_measured(preflight: Any) -> None:
    assert preflight.prediction is not None and preflight.prediction.way == "export"
    assert "predicted" in preflight.comparison()
    if CUDA:
        predicted, measured = preflight.prediction.peak, preflight.measured
        assert abs(predicted.reserved - measured.reserved) <= 0.05 * measured.reserved
    else:
        assert preflight.measured is None


def language_model() -> Any:
    transformers = pytest.importorskip("transformers")
    size = {"hidden_size": 256, "intermediate_size": 512, "num_hidden_layers": 2, "num_attention_heads": 4}
    return transformers.AutoModelForCausalLM.from_config(transformers.LlamaConfig(vocab_size=1000, **size))


def trained(tmp_path: Path, callback: Any) -> None:
    transformers = pytest.importorskip("transformers")
    rows = [{k: torch.randint(0, 1000, (64,)) for k in ("input_ids", "labels")} for _ in range(16)]
    arguments = transformers.TrainingArguments(
        str(tmp_path),
        per_device_train_batch_size=4,
        max_steps=3,
        report_to=[],
        save_strategy="no",
        use_cpu=not CUDA,
        optim="adamw_torch",
    )
    transformers.Trainer(model=language_model(), args=arguments, train_dataset=rows, callbacks=[callback]).train()


def test_transformers_trainer(tmp_path: Path) -> None:
    pytest.importorskip("accelerate")
    from headroom.integrations.transformers import HeadroomCallback

    callback = HeadroomCallback(**QUESTION)
    trained(tmp_path, callback)
    close_to_measured(callback.preflight)


def test_ranks_of_the_trainer_are_predicted_as_such() -> None:
    pytest.importorskip("transformers")
    from headroom.integrations.transformers import spread

    args = SimpleNamespace(
        world_size=4,
        process_index=2,
        fsdp=[],
        deepspeed=None,
        ddp_find_unused_parameters=None,
        gradient_checkpointing=True,
    )
    ddp = {"parallel": "ddp", "world": 4, "rank": 2}
    assert spread(args, language_model()) == ddp | {"ddp_find_unused_parameters": False}
    assert spread(args, torch.nn.Linear(2, 2)) == ddp | {"ddp_find_unused_parameters": True}
    args.deepspeed = "zero3.json"
    assert spread(args, language_model()) == {}
    args.deepspeed, args.world_size = None, 1
    assert spread(args, language_model()) == {}


def test_a_run_that_does_not_fit_ends_before_its_first_step(tmp_path: Path) -> None:
    pytest.importorskip("accelerate")
    from headroom.integrations.transformers import HeadroomCallback

    with pytest.raises(headroom.DoesNotFit):
        trained(tmp_path, HeadroomCallback(memory="64MiB"))
    with pytest.warns(UserWarning, match="Does not fit"):
        trained(tmp_path, HeadroomCallback(memory="64MiB", strict=False))


@pytest.mark.parametrize("precision", ["no", "bf16"])
def test_accelerate(precision: str, tmp_path: Path) -> None:
    accelerate = pytest.importorskip("accelerate")
    from headroom.integrations.accelerate import attach

    accelerate.state.AcceleratorState._reset_state(reset_partial_state=True)
    accelerator = accelerate.Accelerator(mixed_precision=precision, cpu=not CUDA)
    model = language_model()
    model, optimizer = accelerator.prepare(model, torch.optim.AdamW(model.parameters()))
    preflight = attach(accelerator, model, optimizer, record=tmp_path if CUDA else None, **QUESTION)
    for _ in range(3):
        ids = torch.randint(0, 1000, (4, 64), device=accelerator.device)
        accelerator.backward(model(input_ids=ids, labels=ids, use_cache=False).loss)
        optimizer.step()
        optimizer.zero_grad()
    preflight.close()
    close_to_measured(preflight)
    if CUDA:
        assert (tmp_path / "run.json.gz").exists() and (tmp_path / "run.pt2").exists()


def test_lightning() -> None:
    lightning = pytest.importorskip("lightning")
    from headroom.integrations.lightning import HeadroomCallback

    class Module(lightning.LightningModule):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.net = torch.nn.Sequential(torch.nn.Linear(64, 256), torch.nn.ReLU(), torch.nn.Linear(256, 10))

        def training_step(self, batch: Any, _: int) -> Any:
            x, y = batch
            return torch.nn.functional.cross_entropy(self.net(x), y)

        def configure_optimizers(self) -> Any:
            return torch.optim.SGD(self.parameters(), lr=0.1, momentum=0.9)

    rows = torch.utils.data.TensorDataset(torch.randn(64, 64), torch.randint(0, 10, (64,)))
    callback = HeadroomCallback(**QUESTION)
    quiet = {
        "logger": False,
        "enable_checkpointing": False,
        "enable_progress_bar": False,
        "enable_model_summary": False,
    }
    accelerator = "cuda" if CUDA else "cpu"
    trainer = lightning.Trainer(accelerator=accelerator, devices=1, max_steps=3, callbacks=[callback], **quiet)
    trainer.fit(Module(), torch.utils.data.DataLoader(rows, batch_size=16))
    close_to_measured(callback.preflight)
    assert "sgd-momentum" in json.dumps(callback.preflight.prediction.to_dict())
