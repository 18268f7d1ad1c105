"""What a model reads from its data is answered while it is exported, where it is known."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="live modules need torch")

from headroom._live import live_question  # noqa: E402
from headroom._result import Question  # noqa: E402
from torch import nn  # noqa: E402


def asked(model: Any, *args: Any, **kwargs: Any) -> Question:
    return live_question(model.train(), args, kwargs, "sgd", {"gpu": "h200"})


def targets(question: Question) -> list[str]:
    with zipfile.ZipFile(Path(question.arguments[0])) as file:
        program = next(n for n in file.namelist() if n.endswith(("models/model.json", "exported_program.json")))
        nodes = json.loads(file.read(program))["graph_module"]["graph"]["nodes"]
    return [n["target"].removeprefix("torch.ops.aten.") for n in nodes]


def masked(question: Question) -> bool:
    with zipfile.ZipFile(Path(question.arguments[0])) as file:
        program = next(n for n in file.namelist() if n.endswith(("models/model.json", "exported_program.json")))
        nodes = json.loads(file.read(program))["graph_module"]["graph"]["nodes"]
    attention = [n for n in nodes if "scaled_dot_product_attention" in n["target"]]
    assert attention
    return any("as_tensor" in i["arg"] for n in attention for i in n["inputs"] if i["name"] == "attn_mask")


class Reads(nn.Module):
    """Goes as far as the longest row, and leaves a layer out by chance."""

    def __init__(self, chance: float = 0.0) -> None:
        super().__init__()
        self.lin = nn.Linear(16, 16)
        self.chance = chance

    def forward(self, x: Any, lengths: Any) -> Any:
        x = x[:, : int(lengths.max())]
        return x if torch.rand([]) < self.chance else self.lin(x)


def test_lengths_are_known_and_chance_is_assumed() -> None:
    question = asked(Reads(), torch.randn(4, 9, 16), torch.tensor([3, 5, 2, 4]))
    assert question.way == "export"
    assert question.arguments[question.arguments.index("--batch") + 1] == "4"
    assert [n for n in question.notes if "assumed" in n and "False" in n]
    assert not [n for n in question.notes if "max" in n]
    names = targets(question)
    assert "max.default" in names and "rand.default" in names and "linear.default" in names


def test_what_the_gpu_computes_is_not_assumed_by_the_exporter() -> None:
    class Branches(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.lin = nn.Linear(16, 16)

        def forward(self, x: Any) -> Any:
            y = self.lin(x)
            return y.relu() if y.sum() > 0 else y

    question = asked(Branches(), torch.randn(4, 16))
    assert question.way == "recorded"


def bert() -> Any:
    transformers = pytest.importorskip("transformers")
    sizes = {"vocab_size": 100, "hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2}
    return transformers.BertForMaskedLM(transformers.BertConfig(**sizes, intermediate_size=32))


@pytest.mark.parametrize(("mask", "keeps", "looks"), [("ones", False, 1), ("padded", True, 1), ("unknown", True, 0)])
def test_transformers_looks_at_its_mask_as_it_does_when_it_runs(mask: str, keeps: bool, looks: int) -> None:
    model = bert()
    ids = torch.randint(5, 100, (4, 24))
    given = torch.ones_like(ids)
    if mask == "padded":
        given[:, 20:] = 0
    if mask == "unknown":
        given = given.to("meta")
    question = asked(model, input_ids=ids, attention_mask=given, labels=ids)
    assert question.way == "export"
    assert (masked(question), targets(question).count("all.default")) == (keeps, looks)


def test_packed_sequences_are_looked_for() -> None:
    transformers = pytest.importorskip("transformers")
    sizes = {"vocab_size": 100, "hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2}
    model = transformers.LlamaForCausalLM(transformers.LlamaConfig(**sizes, intermediate_size=32, use_cache=False))
    ids = torch.randint(5, 100, (4, 24))
    question = asked(model, input_ids=ids, labels=ids)
    names = targets(question)
    assert question.way == "export"
    at = names.index("cumsum.default")
    assert "all.default" in names[at : at + 5]
    assert not masked(question)


def test_layers_that_chance_leaves_out_are_exported() -> None:
    transformers = pytest.importorskip("transformers")
    sizes = {"vocab_size": 100, "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "ffn_dim": 32}
    model = transformers.OPTForCausalLM(transformers.OPTConfig(**sizes, word_embed_proj_dim=32))
    ids = torch.randint(5, 100, (4, 24))
    question = asked(model, input_ids=ids, labels=ids)
    assert question.way == "export"
    assert [n for n in question.notes if "modeling_opt.py" in n]
