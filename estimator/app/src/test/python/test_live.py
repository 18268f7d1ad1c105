"""Predictions of live modules."""

from __future__ import annotations

import gzip
import importlib.util
import json
import zipfile
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import headroom
import pytest

torch = pytest.importorskip("torch", reason="live modules need torch")

from headroom._options import arguments  # noqa: E402
from headroom._process import of_process  # noqa: E402
from torch import nn  # noqa: E402
from torch.utils.checkpoint import checkpoint  # noqa: E402

NUMBERS = ("allocated", "reserved", "max_allocated", "max_reserved")


class Net(nn.Module):
    """Blocks, the last of which is under a checkpoint."""

    def __init__(self, recompute: bool = False) -> None:
        super().__init__()
        self.blocks = nn.ModuleList([nn.Sequential(nn.Linear(256, 256), nn.GELU()) for _ in range(3)])
        self.head = nn.Linear(256, 256, bias=False)
        self.head.weight = self.blocks[0][0].weight
        self.recompute = recompute

    def forward(self, x: Any) -> Any:
        for block in self.blocks:
            x = checkpoint(block, x, use_reentrant=False) if self.recompute else block(x)
        return self.head(x)


def numbers(prediction: headroom.Prediction) -> list[tuple[int, ...]]:
    return [tuple(getattr(p, n) for n in NUMBERS) for p in prediction.phases]


def test_the_module_stays_as_it_is() -> None:
    model = Net().eval()
    model.blocks[1].requires_grad_(False)
    seen = []
    model.register_forward_hook(lambda *_: seen.append(1))
    before = {n: (p.data_ptr(), p.requires_grad, p._version) for n, p in model.named_parameters(remove_duplicate=False)}
    keys = set(vars(model))
    prediction = headroom.predict(model, (torch.randn(8, 256),))
    after = {n: (p.data_ptr(), p.requires_grad, p._version) for n, p in model.named_parameters(remove_duplicate=False)}
    assert (before, keys, seen, model.training) == (after, set(vars(model)), [], False)
    assert prediction.way == "export"
    trained = sum(p.numel() for p in model.parameters() if p.requires_grad) * 4
    state = sum(layer.optimizer_state for layer in prediction.layers)
    assert trained * 2 <= state < trained * 2 + 200  # tied weights once, frozen ones not at all


def test_checkpoints_are_seen() -> None:
    plain = headroom.predict(Net(), (torch.randn(4096, 256),))
    seen = headroom.predict(Net(recompute=True), (torch.randn(4096, 256),))
    asked = headroom.predict(
        Net(), (torch.randn(4096, 256),), checkpoint_modules=["blocks.0", "blocks.1", "blocks.2"], reentrant=False
    )
    assert numbers(seen) == numbers(asked)
    assert seen.peak.allocated < plain.peak.allocated


class Spoken(nn.Module):
    """Its loss has no fake kernel, so that no exporter takes it."""

    def __init__(self) -> None:
        super().__init__()
        self.scores = nn.Linear(40, 30)

    def forward(self, x: Any, targets: Any, frames: Any, letters: Any) -> Any:
        logs = self.scores(x).log_softmax(-1).transpose(0, 1)
        return nn.functional.ctc_loss(logs, targets, frames, letters, zero_infinity=True)


def test_ctc_loss_is_taken() -> None:
    given = (torch.randn(4, 100, 40), torch.randint(1, 30, (4, 12)), torch.full((4,), 100), torch.full((4,), 12))
    spoken = headroom.predict(Spoken(), given, loss="output")
    table = 4 * 100 * (2 * 12 + 1) * 4  # log_alpha (LossCTC.cu)
    plain = headroom.predict(nn.Linear(40, 30), given[:1], loss="sum")
    assert spoken.way == "recorded"
    assert spoken.peak.allocated - plain.peak.allocated >= table


class Method(nn.Module):
    """A method that is under a checkpoint, or not."""

    def __init__(self, recompute: bool) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(256, 1024), nn.Linear(1024, 256)
        self.recompute = recompute

    def step(self, x: Any) -> Any:
        return x + self.second(torch.tanh(self.first(x)))

    def forward(self, x: Any) -> Any:
        if self.recompute:
            return checkpoint(self.step, x, use_reentrant=False)
        return self.step(x)


def test_checkpoints_of_functions_are_seen(tmp_path: Path) -> None:
    plain, seen = (
        headroom.predict(nn.Sequential(*(Method(recompute) for _ in range(3))), (torch.randn(4096, 256),))
        for recompute in (False, True)
    )
    saved = 4096 * 1024 * 4  # what tanh keeps of each layer, one of which is there while it is recomputed
    assert plain.peak.allocated - seen.peak.allocated >= saved
    assert not any("checkpoint" in w for w in seen.warnings)
    seen.save(tmp_path / "net.pt2")  # which says what is inside of each
    assert headroom.predict(tmp_path / "net.pt2", batch=4096).peak.allocated == seen.peak.allocated


@pytest.mark.parametrize(
    ("make", "option"),
    [
        (lambda p: torch.optim.SGD(p, lr=1), {"optimizer": "sgd"}),
        (
            lambda p: torch.optim.SGD(p, lr=1, momentum=0.9, nesterov=True),
            {"optimizer": "sgd-momentum", "nesterov": True},
        ),
        (
            lambda p: torch.optim.Adam(p, amsgrad=True, foreach=False),
            {"optimizer": "adam", "amsgrad": True, "foreach": False},
        ),
        (lambda p: torch.optim.AdamW(p, fused=True), {"optimizer": "adamw", "fused": True}),
        (lambda p: torch.optim.RMSprop(p, centered=True), {"optimizer": "rmsprop", "centered": True}),
        (lambda p: torch.optim.Adagrad(p, weight_decay=0.1), {"optimizer": "adagrad", "weight_decay": True}),
        (lambda p: torch.optim.Adafactor(p), {"optimizer": "adafactor"}),
    ],
)
def test_the_optimizer_is_read(make: Any, option: dict[str, Any]) -> None:
    model, x = Net(), torch.randn(64, 256)
    assert numbers(headroom.predict(model, (x,), optimizer=make(model.parameters()))) == numbers(
        headroom.predict(model, (x,), **option)
    )


def of_parameters(model: Any, word: str) -> list[Any]:
    return [p for name, p in model.named_parameters() if word in name]


def test_groups_of_parameters_are_read() -> None:
    model, x = Net(), torch.randn(64, 256)
    weights, biases = of_parameters(model, "weight"), of_parameters(model, "bias")
    grouped = torch.optim.SGD(
        [{"params": weights, "weight_decay": 0.1}, {"params": biases, "weight_decay": 0.0}], lr=1, momentum=0.9
    )
    words = ["*.weight", "*.bias;weight-decay=false"]
    asked = headroom.predict(model, (x,), optimizer="sgd-momentum", weight_decay=True, param_group=words)
    assert numbers(headroom.predict(model, (x,), optimizer=grouped)) == numbers(asked)
    one = headroom.predict(model, (x,), optimizer=torch.optim.SGD(model.parameters(), lr=1, momentum=0.9))
    assert numbers(one) != numbers(asked)


def test_what_the_optimizer_does_not_step_keeps_its_gradient() -> None:
    model, x = Net(), torch.randn(64, 256)
    some = headroom.predict(model, (x,), optimizer=torch.optim.AdamW(of_parameters(model, "bias")))
    held = [p.allocated for p in some.phases if p.phase == "zero_grad"]
    assert held[1] > held[0] + sum(p.numel() for p in of_parameters(model, "weight")) * 4


def test_several_optimizers() -> None:
    model, x = Net(), torch.randn(64, 256)
    both = [torch.optim.Muon(of_parameters(model, "weight")), torch.optim.AdamW(of_parameters(model, "bias"))]
    words = ["*.weight", "*;optimizer=adamw"]
    asked = headroom.predict(model, (x,), optimizer="muon", param_group=words)
    assert numbers(headroom.predict(model, (x,), optimizer=both)) == numbers(asked)


def trained(prediction: headroom.Prediction) -> list[tuple[int, ...]]:
    """Where the forward pass holds the loss, numbers are the same from the backward pass on."""
    rows = zip(prediction.phases, numbers(prediction), strict=True)
    return [row for phase, row in rows if phase.phase in ("backward", "optimizer")]


@pytest.mark.parametrize("loss", [nn.MSELoss(), lambda out, y: nn.functional.mse_loss(out, y)])
def test_a_loss_of_ones_own(loss: Any) -> None:
    model, x, y = Net(), torch.randn(64, 256), torch.randn(64, 256)
    own = headroom.predict(model, (x,), loss=loss, loss_args=(y,), data="one")
    assert own.way == "export"
    assert trained(own) == trained(headroom.predict(model, (x,), loss="mse", data="one"))


def test_a_loss_with_weights_of_its_own() -> None:
    weighted = nn.CrossEntropyLoss(weight=torch.ones(256))
    model, x, y = nn.Sequential(nn.Linear(256, 256)), torch.randn(64, 256), torch.zeros(64).long()
    own = headroom.predict(model, (x,), loss=weighted, loss_args=(y,), data="one")
    named = headroom.predict(model, (x,), loss="cross-entropy", data="one")
    assert own.way == "export" and len(list(model.modules())) == 2
    assert own.peak.allocated == named.peak.allocated + 256 * 4


class Held:
    """A result that PyTorch knows nothing of."""

    def __init__(self, out: Any, hidden: Any) -> None:
        self.parts = {"out": out, "more": [hidden]}


class Wrapped(Net):
    def __init__(self, result: Any) -> None:
        super().__init__()
        self.result = result

    def forward(self, x: Any) -> Any:
        hidden = self.blocks[0](x)
        return self.result(super().forward(x), hidden)


class Named(NamedTuple):
    out: Any
    hidden: Any


@pytest.mark.parametrize("result", [Held, Named])
def test_results_of_any_class_are_kept(result: Any) -> None:
    x = torch.randn(64, 256)
    prediction = headroom.predict(Wrapped(result), (x,))
    assert prediction.way == "export"
    assert numbers(prediction) == numbers(headroom.predict(Wrapped(lambda *parts: parts), (x,)))


def test_a_model_that_asks_for_the_card() -> None:
    class Asks(Net):
        def forward(self, x: Any) -> Any:
            return super().forward(x.repeat(torch.cuda.get_device_capability(x.device)[0], 1))

    peaks = [headroom.predict(Asks(), (torch.randn(64, 256),), gpu=gpu).peak for gpu in ("v100-32gb", "h200")]
    assert peaks[0].allocated < peaks[1].allocated


def test_a_model_that_fails_is_named() -> None:
    class Fails(Net):
        def forward(self, x: Any) -> Any:
            return super().forward(x @ x)

    with pytest.raises(headroom.HeadroomError, match=r"fails at .*test_live.py:\d+: RuntimeError"):
        headroom.predict(Fails(), (torch.randn(8, 256),))


class Forks(nn.Module):
    """Takes paths that only a run knows."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x + 1 if x.sum() > 0 else x - 1
        return torch.cond(x.sum() > 0, torch.sin, torch.cos, (x,))  # type: ignore[no-any-return]


def test_a_higher_order_operator_is_named() -> None:
    with pytest.raises(headroom.HeadroomError, match=r"higher-order operator cond at .*test_live.py:\d+"):
        headroom.predict(Forks(), (torch.randn(8, 8),))


def test_modes_around_the_call() -> None:
    model, x = Net(), torch.randn(64, 256)
    with torch.no_grad():
        assert [p.phase for p in headroom.predict(model, (x,)).phases].count("backward") == 0
    with torch.autocast("cpu", torch.bfloat16):
        inside = headroom.predict(model, (x,))
    assert numbers(inside) == numbers(headroom.predict(model, (x,), amp=torch.bfloat16))


def test_a_compiled_module_says_so() -> None:
    x = torch.randn(4096, 256)
    in_place = Net()
    in_place.compile()
    asked = headroom.predict(Net(), (x,), compile=True)
    assert asked.to_dict()["scenario"]["compile"] is True
    for compiled in (torch.compile(Net()), in_place):
        assert numbers(headroom.predict(compiled, (x,))) == numbers(asked)
    eager = numbers(headroom.predict(Net(), (x,)))
    assert numbers(headroom.predict(torch.compile(Net()), (x,), compile=False)) == eager != numbers(asked)


def test_the_largest_batch_of_a_module() -> None:
    largest = headroom.largest_batch(Net(), (torch.randn(8, 256),), memory="1GiB")
    assert largest.size > 1000
    assert headroom.predict(Net(), (torch.randn(8, 256),), batch=largest.size, memory="1GiB").fits


def test_an_unknown_optimizer_is_named() -> None:
    class Mine(torch.optim.Optimizer):
        pass

    with pytest.raises(headroom.HeadroomError, match="Mine is not known"):
        headroom.predict(Net(), (torch.randn(8, 256),), optimizer=Mine(Net().parameters(), {}))


def functions(fixtures: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("functions", fixtures / "recorded/functions.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(("run", "amp"), [("swish", None), ("swish-amp", "bf16"), ("gates", None), ("branches", None)])
def test_what_export_cannot_take_is_recorded(run: str, amp: str | None, fixtures: Path) -> None:
    make, inputs = functions(fixtures).MODELS[run.removesuffix("-amp")]
    prediction = headroom.predict(make(), inputs(4096), optimizer="adamw", amp=amp, gpu="h200", cudnn_workspace="none")
    with gzip.open(fixtures / f"recorded/{run}.json.gz", "rt") as file:
        measured = json.load(file)["phases"]
    assert prediction.way == "recorded"
    assert any("recorded instead" in w for w in prediction.warnings)
    assert numbers(prediction) == [tuple(p[n] for n in NUMBERS) for p in measured]


def test_blooms_custom_function(fixtures: Path) -> None:
    transformers = pytest.importorskip("transformers")
    config = transformers.BloomConfig(**json.loads((fixtures / "recorded/bloom-config.json").read_text()))
    with torch.device("meta"):
        model = transformers.AutoModelForCausalLM.from_config(config).train()
    ids = torch.zeros(2, 256, dtype=torch.int64)
    question = {"input_ids": ids, "labels": ids, "use_cache": False}
    prediction = headroom.predict(model, kwargs=question, optimizer="adamw", gpu="h200", cudnn_workspace="none")
    with gzip.open(fixtures / "recorded/bloom.json.gz", "rt") as file:
        measured = [p for p in json.load(file)["phases"] if p["phase"] != "load"]
    assert prediction.way == "recorded"
    assert numbers(prediction) == [tuple(p[n] for n in NUMBERS) for p in measured]


def test_recorded_equals_exported(tmp_path: Path) -> None:
    from headroom._called import Called
    from headroom._recorded import record

    x = torch.randn(64, 256)
    record(Net(), Called((x,), {}), tmp_path / "net.pt2")
    asked = {"gpu": "a100-80gb", "torch": "2.14"}  # neither this machine's card nor its PyTorch
    assert numbers(headroom.predict(tmp_path / "net.pt2", **asked)) == numbers(headroom.predict(Net(), (x,), **asked))


class Hidden(nn.Module):
    """A method keeps a tensor in a variable while it goes on, and the model keeps another in a list."""

    def __init__(self) -> None:
        super().__init__()
        self.lin = nn.Linear(256, 256)

    def bias(self, x: Any) -> Any:
        kept = x.exp()
        return (kept + 1).relu()

    def forward(self, x: Any) -> Any:
        held = [x.abs()]
        y = self.lin(x + self.bias(x))
        held.append(y.neg())
        return held[0] + held.pop()


def test_python_is_seen_to_drop_tensors() -> None:
    from headroom._called import Called
    from headroom._lifetimes import watched

    calls = watched(Hidden(), Called((torch.randn(4, 256),), {})).calls
    assert [c.operator for c in calls] == [
        *("aten.abs.default", "aten.exp.default", "aten.add.Tensor", "aten.relu.default", "aten.add.Tensor"),
        *("aten.linear.default", "aten.neg.default", "aten.add.Tensor"),
    ]
    made = [c.results[0] for c in calls]
    dropped = {made.index(number): i for i, c in enumerate(calls) for number in c.dropped}
    # exp lives until bias returns, as long as its relu is made; abs, in the list, and y until forward returns.
    assert dropped == {1: 3, 2: 3, 3: 4, 4: 5, 6: 7, 0: 7, 5: 7}


def nodes_of(archive: Path) -> list[dict[str, Any]]:
    with zipfile.ZipFile(archive) as file:
        program = next(n for n in file.namelist() if n.endswith(("models/model.json", "exported_program.json")))
        nodes: list[dict[str, Any]] = json.loads(file.read(program))["graph_module"]["graph"]["nodes"]
    return nodes


class Masked(torch.nn.Module):
    """A region without gradients whose variables outlive it."""

    def __init__(self) -> None:
        super().__init__()
        self.first = torch.nn.Linear(256, 256)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        with torch.no_grad():
            seen = x.exp()
            mask = seen > 1
        x = self.first(x) * mask
        return x.relu()


def test_what_a_region_assigns_outlives_it(tmp_path: Path) -> None:
    headroom.predict(Masked(), (torch.randn(64, 256),), optimizer="sgd", gpu="a100-80gb").save(tmp_path / "m.pt2")
    nodes = nodes_of(tmp_path / "m.pt2")
    region = next(n for n in nodes if "wrap_with_set_grad_enabled" in n["target"])
    assert nodes[-1]["metadata"]["released"].split(",").count(region["name"] + "/exp") == 1


def test_what_is_saved_answers_alike(tmp_path: Path) -> None:
    live = headroom.predict(Hidden(), (torch.randn(64, 256),), optimizer="sgd", amp="bf16", gpu="a100-80gb")
    words = live.save(tmp_path / "hidden.pt2")
    assert words[0] == str(tmp_path / "hidden.pt2")
    here = arguments(of_process({})[0])
    assert sorted(words[1:]) == sorted(
        ["--batch", "64", "--amp", "bf16", "--optimizer", "sgd", "--gpu", "a100-80gb", *here]
    )
    torch_here = live.to_dict()["scenario"]["torch"]
    again = headroom.predict(
        tmp_path / "hidden.pt2", batch=64, amp="bf16", optimizer="sgd", gpu="a100-80gb", torch=torch_here
    )
    assert numbers(again) == numbers(live)
    nodes = nodes_of(tmp_path / "hidden.pt2")
    released = [n["metadata"].get("released", "") for n in nodes if n["target"].startswith("torch.ops.aten.")]
    assert released == ["", "", "", "add,exp", "relu", "add_1", "", "neg,abs_1,linear,add_2"]
    with pytest.raises(headroom.HeadroomError, match="a model's own file already"):
        headroom.predict(tmp_path / "hidden.pt2", batch=64).save(tmp_path / "other.pt2")


def test_arguments_by_name_are_kwargs_and_one_tensor_is_one_argument() -> None:
    x = torch.randn(64, 256)
    with pytest.raises(headroom.HeadroomError, match="kwargs="):
        headroom.predict(Net(), {"x": x})
    assert numbers(headroom.predict(Net(), x)) == numbers(headroom.predict(Net(), (x,)))


class Sliced(nn.Module):
    """Slices in a loop: a trace has one for the open batch, too, which leaves nothing out."""

    def __init__(self) -> None:
        super().__init__()
        self.lin = nn.Linear(4, 4)

    def forward(self, x: Any) -> Any:
        for _ in range(3):
            x = torch.cat([x[:, :4].tanh(), self.lin(x[:, 4:]).tanh()], 1)
        return x


def test_passes_of_which_one_has_more_are_aligned(tmp_path: Path) -> None:
    from headroom._annotate import _aligned

    assert list(_aligned(list("abcabcabc"), list("abcabcabc"))) == [(i, i) for i in range(9)]
    assert list(_aligned(list("xabcdabcd"), list("abcdyabcd"))) == [
        *((i + 1, i) for i in range(4)),
        *((i + 1, i + 1) for i in range(4, 8)),
    ]
    headroom.predict(Sliced(), (torch.randn(64, 8),)).save(tmp_path / "sliced.pt2")
    nodes = nodes_of(tmp_path / "sliced.pt2")
    made = [o["as_tensor"]["name"] for n in nodes for o in n["outputs"] if "as_tensor" in o]
    released = [name for n in nodes for name in n["metadata"].get("released", "").split(",") if name]
    # Only the input's own slices that leave nothing out are nobody's: Python has no such tensors.
    assert len(released) == len(set(released))
    assert set(made) - set(released) == {"slice_1", "slice_3"}


def test_a_loss_that_is_called_is_a_phase_of_its_own() -> None:
    x = torch.randn(4096, 256)
    called = headroom.predict(Hidden(), (x,), loss=lambda out: out.sum(), optimizer="sgd")
    assert numbers(called) == numbers(headroom.predict(Hidden(), (x,), loss="sum", optimizer="sgd"))


class Keeping(nn.Module):
    """Keeps tensors beyond a pass: in an attribute, a hook's dictionary, a buffer; one of the first pass for good."""

    def __init__(self, keeps: bool = True) -> None:
        super().__init__()
        self.lin = nn.Linear(64, 64)
        self.keeps = keeps
        self.table: Any = None
        self.last: Any = None
        self.hooked: dict[str, Any] = {}
        self.register_buffer("mean", torch.zeros(64))
        self.lin.register_forward_hook(self.note("lin"))

    def note(self, name: str) -> Any:
        def hook(module: Any, given: Any, out: Any) -> None:
            if self.keeps:
                self.hooked[name] = out

        return hook

    def forward(self, x: Any) -> Any:
        if self.keeps and self.table is None:
            self.table = torch.arange(64, device=x.device).float().cos()
        h = self.lin(x)
        if not self.keeps:
            return h.relu()
        self.last = h * 2
        self.mean = self.mean * 0.9 + h.detach().mean(0) * 0.1
        return (h + self.last).relu() * self.table


def test_what_a_model_keeps_outlives_the_pass(tmp_path: Path) -> None:
    model, x = Keeping(), torch.randn(128, 64)
    prediction = headroom.predict(model, (x,), loss="sum", optimizer="sgd", cudnn_workspace="none", steps=2)
    assert (model.table, model.last, model.hooked) == (None, None, {})
    prediction.save(tmp_path / "keeping.pt2")
    nodes = nodes_of(tmp_path / "keeping.pt2")
    kept = {name: n["target"] for n in nodes for name in n["metadata"].get("kept", "").split(",") if name}
    # Python drops what the pass before left: the hook's linear, the attribute's product, the buffer's sum.
    # Attributes that the first pass has set count as buffers then.
    assert kept == {
        "linear": "torch.ops.aten.linear.default",
        "mul=last": "torch.ops.aten.mul.Tensor",
        "add=mean": "torch.ops.aten.add.Tensor",
    }
    assert "arange" not in str(nodes)  # the second pass has its table
    bare = headroom.predict(Keeping(keeps=False), (x,), loss="sum", optimizer="sgd", cudnn_workspace="none", steps=2)
    more = {p.phase: p.allocated - q.allocated for p, q in zip(prediction.phases, bare.phases, strict=True) if p.step}
    # Between the steps: linear and product of 32 KiB, and the table. The old buffer has gone, there is a new one.
    assert more["optimizer"] == 2 * 128 * 64 * 4 + 512


def test_hooks_of_others_stay_with_the_module() -> None:
    model, seen = Net(), []

    def outside(module: Any, given: Any, out: Any) -> None:
        seen.append(out)

    model.head.register_forward_hook(outside)
    headroom.predict(model, (torch.randn(8, 256),))
    assert seen == []


def test_operators_of_libraries_are_no_custom_functions() -> None:
    ops = pytest.importorskip("torchvision.ops")

    class Regions(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.conv = nn.Conv2d(3, 8, 3)

        def forward(self, images: Any, boxes: Any) -> Any:
            return ops.roi_align(self.conv(images), boxes, output_size=(7, 7)).sum()

    prediction = headroom.predict(Regions(), (torch.randn(2, 3, 32, 32), torch.rand(4, 5)))
    assert prediction.way == "export"


class Literal(nn.Module):
    """Makes tensors of literals: an exporter has a copy where Python has none."""

    def __init__(self) -> None:
        super().__init__()
        self.lin = nn.Linear(32, 4)

    def forward(self, x: Any) -> Any:
        a = torch.tensor([1.0, 2.0, 3.0, 4.0], device=x.device)
        b = torch.tensor([0.5, 0.25, 2.0, 1.0], device=x.device)
        return self.lin(x) * a + b


def test_passes_with_literals_are_aligned(tmp_path: Path) -> None:
    headroom.predict(Literal(), (torch.randn(64, 32),)).save(tmp_path / "literal.pt2")
    assert any("released" in n["metadata"] for n in nodes_of(tmp_path / "literal.pt2"))
