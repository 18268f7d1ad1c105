"""The questions: does it fit, what is the largest batch."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from headroom._device import this_machine
from headroom._launcher import run
from headroom._options import arguments
from headroom._result import DoesNotFit, Prediction, Question
from headroom.errors import HeadroomError

if TYPE_CHECKING:
    import torch

    Model: TypeAlias = str | os.PathLike[str] | torch.nn.Module
    Optimizer: TypeAlias = str | torch.optim.Optimizer | Sequence[torch.optim.Optimizer]
    Loss: TypeAlias = str | Callable[..., torch.Tensor]


class LargestBatch(NamedTuple):
    """How many samples fit."""

    size: int
    """The largest batch of one pass that fits."""
    safe: int
    """The largest batch that fits also where the libraries take more than is likely."""
    limit: str
    """What ends it: ``memory``, or another word where memory does not."""


def predict(
    model: Model,
    args: Sequence[Any] = (),
    kwargs: Mapping[str, Any] | None = None,
    *,
    optimizer: Optimizer | None = None,
    loss: Loss | None = None,
    loss_args: Sequence[Any] = (),
    gpu: str | None = None,
    memory: int | str | None = None,
    amp: str | torch.dtype | None = None,
    **options: Any,
) -> Prediction:
    """Predicts the GPU memory of a training run.

    Args:
        model: a module, which is exported on fake tensors and stays as it is; or a ``.pt2`` archive, a ``config.json``
            of transformers or its folder, or a name that ``headroom models`` lists.
        args: what a module is called with, as a training step does; their sizes count, their values do not.
        kwargs: the same by name.
        optimizer: an instance, whose type, settings and groups of parameters are read, or several that step one after
            the other; or a name such as ``"sgd-momentum"``; without one, the command line's default.
        loss: what a step computes the loss with, as ``loss(output, *loss_args)``; or a name such as ``"mse"``; without
            one, the model's own where it returns a scalar first, else one that suits its output.
        loss_args: tensors that the loss is called with behind the output; their sizes count, their values do not.
        gpu: a card that ``headroom devices`` lists, such as ``"rtx-3090"``; without it and ``memory`` this machine's.
        memory: of the device, in bytes or such as ``"24GiB"``.
        amp: autocast: ``"bf16"``, ``"fp16"`` (with a GradScaler) or a type of PyTorch.
        options: all else that ``headroom predict --help`` lists, with ``_`` for ``-``: ``batch=32``,
            ``checkpoint_modules=["layer*"]``, ``accumulate=4``, ``steps=3``, ``alloc_conf="..."``.

    Returns:
        The prediction.

    Raises:
        HeadroomError: for a question that cannot be; the message says what to do.
    """
    asked = options | {"gpu": gpu, "memory": memory, "amp": amp, "loss": loss}
    return Prediction(_question(model, args, kwargs, optimizer, asked, loss_args))


def check(
    model: Model, args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None, **question: Any
) -> Prediction:
    """The same as ``predict``, for a run that must fit.

    Raises:
        DoesNotFit: when it does not; the message holds the advice.
        HeadroomError: also when no device is known.
    """
    prediction = predict(model, args, kwargs, **question)
    if prediction.fits is None:
        raise HeadroomError("no device is known: pass gpu='rtx-3090' or memory='24GiB'")
    if not prediction.fits:
        raise DoesNotFit(prediction, f"{prediction}\n\n{prediction.advise()}")
    return prediction


def largest_batch(
    model: Model,
    args: Sequence[Any] = (),
    kwargs: Mapping[str, Any] | None = None,
    *,
    optimizer: Optimizer | None = None,
    loss: Loss | None = None,
    loss_args: Sequence[Any] = (),
    gpu: str | None = None,
    memory: int | str | None = None,
    amp: str | torch.dtype | None = None,
    **options: Any,
) -> LargestBatch:
    """The largest batch of one pass that fits on the device; takes what ``predict`` takes.

    A module is called with a batch of any size above 1, whose first dimension stands for all sizes.

    Raises:
        HeadroomError: when the model's batch is not open, nothing fits, or no device is known.
    """
    asked = options | {"gpu": gpu, "memory": memory, "amp": amp, "loss": loss}
    question = _question(model, args, kwargs, optimizer, asked, loss_args)
    answer = json.loads(question.ask("advise", "--json"))
    for row in answer["largest"]:
        if row["name"] == "batch":
            return LargestBatch(row["value"], row["safe"], row["limit"])
    raise HeadroomError("no batch fits, or its size is not open: " + (question.notes or ("name a device",))[0])


def _question(
    model: Model,
    args: Sequence[Any],
    kwargs: Mapping[str, Any] | None,
    optimizer: Optimizer | None,
    asked: dict[str, Any],
    loss_args: Sequence[Any],
) -> Question:
    if asked["gpu"] is None and asked["memory"] is None:
        asked["gpu"], asked["memory"] = this_machine()
    if isinstance(model, (str, os.PathLike)):
        if args or kwargs:
            raise HeadroomError("args and kwargs are for a module; a file has its sizes, which batch= and dim= bind")
        if optimizer is not None and not isinstance(optimizer, str):
            raise HeadroomError("a file has no parameters of its own: name the optimizer, such as 'adamw'")
        if callable(asked["loss"]) or loss_args:
            raise HeadroomError("a loss that is called is for a module; for a file name it, such as 'cross-entropy'")
        asked["optimizer"] = optimizer
        name = os.fspath(model)
        return Question((name, *arguments(asked)), "archive" if name.endswith(".pt2") else "config")
    from headroom._live import live_question

    if isinstance(args, Mapping):
        raise HeadroomError("args are positional; what the module is called with by name is kwargs={...}")
    return live_question(model, args, kwargs or {}, optimizer, asked, loss_args)


def devices() -> list[dict[str, Any]]:
    """The cards that ``gpu`` may name: ``name``, ``title``, ``memory`` in bytes, ``capability``, ``sms``."""
    return json.loads(run(["devices", "--json"]))  # type: ignore[no-any-return]
