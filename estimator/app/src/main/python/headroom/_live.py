"""A live module as an archive: exported, or recorded where export cannot take it."""

from __future__ import annotations

import io
import logging
import sys
import tempfile
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from torch.export.dynamic_shapes import _combine_args
from torch.utils import _pytree as pytree

from headroom._annotate import annotate
from headroom._called import Called
from headroom._card import pretended
from headroom._lifetimes import Seen, run_earlier, watched
from headroom._observe import Observed, observing
from headroom._optimizer import Optimizers, settings
from headroom._options import TYPES, arguments
from headroom._pass import casting, unmasked, unnoticed
from headroom._process import of_process
from headroom._reading import Reading
from headroom._result import Question
from headroom._twin import Twins
from headroom.errors import HeadroomError

WRAPPERS = {
    "DistributedDataParallel": "module",
    "DataParallel": "module",
    "OptimizedModule": "_orig_mod",
}
"""Classes around a model, and where they keep it."""


AUTOCAST = {word: getattr(torch, name) for name, word in TYPES.items()}
"""Types by the names that ``--amp`` has for them."""


class CustomFunction(Exception):
    """The model calls an ``autograd.Function``, of which an exported program would keep no trace."""


def live_question(
    model: torch.nn.Module,
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    optimizer: str | Optimizers | None,
    asked: Mapping[str, Any],
    loss_args: Sequence[Any] = (),
) -> Question:
    """The question that a call of ``headroom.predict`` with a module asks."""
    compiled = is_compiled(model)
    model = unwrapped(model)
    if isinstance(args, torch.Tensor):  # alone, whose rows would be arguments
        args = (args,)
    options = _of_model(model, (args, kwargs))
    process, remarks = of_process(asked)
    options |= process
    if optimizer is None or isinstance(optimizer, str):
        options["optimizer"] = optimizer
    else:
        read, more = settings(optimizer, model, asked)
        options |= read
        remarks += more
    if compiled:
        options["compile"] = True
    amp = asked.get("amp") or options.get("amp")
    called = Called(tuple(args), dict(kwargs), amp=AUTOCAST.get(amp) if isinstance(amp, str) else amp)
    if callable(asked.get("loss")):
        called = replace(called, loss=asked["loss"], loss_args=tuple(loss_args))
        asked = {**asked, "loss": "output"}
    elif loss_args:
        raise HeadroomError("loss_args are for a loss that can be called: loss=torch.nn.CrossEntropyLoss()")
    folder = tempfile.TemporaryDirectory(prefix="headroom-")
    file = Path(folder.name) / f"{type(model).__name__}.pt2"
    with (
        torch.enable_grad(),
        torch.autocast("cuda", enabled=False),
        torch.autocast("cpu", enabled=False),
        pretended(asked.get("gpu")),
    ):
        seen = _watched(model, called)
        way, notes, batch, checkpoints = _archive_of(model, called, seen, file)
        marked = False
        if seen is not None:
            with suppress(Exception):  # of an archive that lacks what a pass must have
                marked = annotate(file, seen.calls) and any(call.checkpoint for call in seen.calls)
        if not marked:
            options |= _options(checkpoints)
            notes += checkpoints.notes()
    options |= batch | {k: v for k, v in asked.items() if v is not None}
    return Question((str(file), *arguments(options)), way, (*remarks, *notes), folder)


def unwrapped(model: torch.nn.Module) -> torch.nn.Module:
    """The model inside of what spreads or compiles it."""
    while type(model).__name__ in WRAPPERS:
        model = getattr(model, WRAPPERS[type(model).__name__])
    if not isinstance(model, torch.nn.Module):
        raise HeadroomError(f"a module, a file or a name is needed, not {type(model).__name__}")
    return model


def is_compiled(model: torch.nn.Module) -> bool:
    """Whether ``torch.compile(model)`` or ``model.compile()`` was called: a run of it is a compiled one."""
    while type(model).__name__ in WRAPPERS:
        if type(model).__name__ == "OptimizedModule":
            return True
        model = getattr(model, WRAPPERS[type(model).__name__])
    return getattr(model, "_compiled_call_impl", None) is not None


def _of_model(model: torch.nn.Module, inputs: Any) -> dict[str, Any]:
    """Options that the module, its inputs and the modes around the call say."""
    options: dict[str, Any] = {"inference": not torch.is_grad_enabled()}
    for device in ("cpu", "cuda"):  # a loop that is tried out on the host casts alike
        if torch.is_autocast_enabled(device):
            options["amp"] = torch.get_autocast_dtype(device)
    floating = [t for t in pytree.tree_leaves(inputs) if isinstance(t, torch.Tensor) and t.is_floating_point()]
    options["input_grad"] = bool(floating) and floating[0].requires_grad
    options["channels_last"] = any(
        p.dim() == 4 and p.is_contiguous(memory_format=torch.channels_last) and not p.is_contiguous()
        for p in model.parameters()
    )
    return options


Archived = tuple[str, list[str], dict[str, Any], Observed]
"""The way that was taken, remarks, the option of an open batch, and what was seen of checkpoints."""


def _archive_of(model: torch.nn.Module, called: Called, seen: Seen | None, file: Path) -> Archived:
    """The archive of the pass that was looked at, or of the first where that cannot be."""
    if seen is not None and seen.earlier:
        with suppress(HeadroomError):
            return _archive(model, replace(called, earlier=seen.earlier), file)
    return _archive(model, called, file)


def _archive(model: torch.nn.Module, called: Called, file: Path) -> Archived:
    """Writes the archive."""
    try:
        with _silent(), observing(_refuse) as seen:
            batch, assumed = _export_anywhere(model, called, file, seen)
    except CustomFunction as e:
        note = f"the model calls {e}, which torch.export does not keep: its forward pass was recorded instead"
    except Exception as e:  # whatever the model's code and the exporter raise
        reason = (str(e).strip().splitlines() or [type(e).__name__])[0]
        note = f"torch.export cannot take the model ({reason}): its forward pass was recorded instead"
    else:
        return "export", assumed, {"batch": batch}, seen
    from headroom._recorded import record

    with _unlogged():
        seen, notes = record(model, called, file)
    return "recorded", [note, *notes], {}, seen


def _watched(model: torch.nn.Module, called: Called) -> Seen | None:
    """When Python drops each tensor; where that cannot be seen, the archive's lines must do."""
    for device in ("cuda:0", "meta"):  # as for the exporter
        with suppress(Exception), _silent():  # whatever the model's code raises where it sees no data
            return watched(model, called, device)
    return None


@contextmanager
def _unlogged() -> Iterator[None]:
    """What PyTorch logs of fake tensors the prediction says itself."""
    before = logging.root.manager.disable
    logging.disable(logging.ERROR)
    try:
        yield
    finally:
        logging.disable(before)


@contextmanager
def _silent() -> Iterator[None]:
    """The exporter prints what it cannot take; the prediction says so itself."""
    with _unlogged(), redirect_stderr(io.StringIO()), redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _refuse(_: Any, function: type, *__: Any, **___: Any) -> Any:
    raise CustomFunction(f"{function.__module__}.{function.__qualname__}")


def _options(seen: Observed) -> dict[str, Any]:
    if seen.functions or not seen.regions:
        return {}
    return {"checkpoint_modules": seen.regions, "reentrant": seen.reentrant}


Exported = tuple[int | None, list[str]]
"""The batch that stays open, if any does, and what was assumed of values that the model reads."""


def _export_anywhere(model: torch.nn.Module, called: Called, file: Path, seen: Observed) -> Exported:
    """On the GPU that the model will see; code that copies to it asks for a driver, which the meta device does not."""
    try:
        return _export_anyhow(model, called, file, seen, "cuda:0")
    except CustomFunction:
        raise
    except Exception:
        if torch.cuda.is_available():
            raise
        seen.forget()
        return _export_anyhow(model, called, file, seen, "meta")


def _export_anyhow(model: torch.nn.Module, called: Called, file: Path, seen: Observed, device: str) -> Exported:
    """On the way that the run takes, where what it reads is known; else on the way that it takes for an exporter."""
    twins = Twins(symbolic=True, device=device)
    reading = Reading(called, seen)
    try:
        with unnoticed(), reading.answering():
            return _export(model, called, file, seen, twins, reading), reading.notes()
    except CustomFunction:
        raise
    except Exception:
        if not reading.answered and "transformers" not in sys.modules:
            raise
        seen.forget()
        with unmasked(called.kwargs):
            return _export(model, called, file, seen, Twins(symbolic=True, device=device)), []


def _export(
    model: torch.nn.Module, called: Called, file: Path, seen: Observed, twins: Twins, reading: Reading | None = None
) -> int | None:
    """Exports a twin; returns the batch that stays open, or ``None``."""
    twin = called.around(twins.module(model), twins)
    run_earlier(twin, twins, called)
    seen.watch(twin)
    args, kwargs = twins.tree(called.inputs)
    batch = _batch((args, kwargs))
    shapes = _open(twin, args, kwargs, batch)
    if reading is not None:
        reading.watch(twin)
    with casting(called.amp):
        program = torch.export.export(twin, args, kwargs, dynamic_shapes=shapes, strict=False)
    torch.export.save(program, file)
    opened = [n.meta["val"] for n in program.graph.nodes if n.op == "placeholder" and n.meta.get("val") is not None]
    symbolic = any(isinstance(s, torch.SymInt) for t in opened if isinstance(t, torch.Tensor) for s in t.shape)
    return batch if symbolic else None


def _batch(inputs: Any) -> int | None:
    """The first dimension of the first tensor, where it can stay open: PyTorch treats sizes 0 and 1 on their own."""
    tensors = [t for t in pytree.tree_leaves(inputs) if isinstance(t, torch.Tensor) and t.dim() > 0]
    return int(tensors[0].shape[0]) if tensors and tensors[0].shape[0] > 1 else None


def _open(model: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any], batch: int | None) -> Any:
    """Which sizes stay open: the first of every tensor that has as many rows as the batch, unless the model minds."""
    if batch is None:
        return None

    def shape(leaf: Any) -> Any:
        rows = isinstance(leaf, torch.Tensor) and leaf.dim() > 0 and leaf.shape[0] == batch
        return {0: torch.export.Dim.AUTO} if rows else None

    return {name: pytree.tree_map(shape, value) for name, value in _combine_args(model, args, kwargs).items()}
