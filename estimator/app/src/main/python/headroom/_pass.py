"""One forward pass of a twin that is recorded: what the twin holds, and how it is called."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from types import ModuleType
from typing import Any
from unittest.mock import patch

import torch
from torch._subclasses.fake_tensor import FakeTensor

from headroom._frames import Frames
from headroom.errors import HeadroomError


def run(model: torch.nn.Module, args: Any, kwargs: Any, frames: Frames) -> Any:
    """Calls a twin.

    Raises:
        HeadroomError: for a model that fails, with the line of its code.
    """
    try:
        return model(*args, **kwargs)
    except HeadroomError:
        raise
    except Exception as e:  # whatever the model's code raises
        reason = (str(e).strip().splitlines() or [""])[0]
        place = frames.raised(e)
        called = _higher_order(e)
        if called:
            other = INSTEAD.get(called, "predict a model without it")
            raise HeadroomError(f"the model calls the higher-order operator {called} at {place}: {other}") from e
        raise HeadroomError(f"the model's forward pass fails at {place}: {type(e).__name__}: {reason}") from e


INSTEAD = {"flex_attention": "predict it with scaled_dot_product_attention in its place"}
"""What to do about higher-order operators, which run functions of the model in ways that no mode can look into."""


def _higher_order(e: BaseException) -> str:
    """The name of the higher-order operator that failed, or ""."""
    at = e.__traceback__
    while at is not None:
        self = at.tb_frame.f_locals.get("self")
        if isinstance(self, torch._ops.HigherOrderOperator):
            return str(self.name())
        at = at.tb_next
    return ""


ASKED = ("is_fake_tensor", "is_torchdynamo_compiling", "is_torchdynamo_exporting")
"""Functions of transformers/utils/import_utils.py that say whether a model is traced, which then reads no data."""


@contextmanager
def unnoticed() -> Iterator[None]:
    """Has transformers take the path of a run: it asks whether it is exported, or its tensors are fake."""
    asked = sys.modules.get("transformers.utils.import_utils")
    with ExitStack() as stack:
        for name in ASKED:
            function = vars(asked).get(name) if asked is not None else None
            for module in _importing(function, name) if function is not None else ():
                stack.enter_context(patch.object(module, name, lambda *_: False))
        yield


def _importing(function: Any, name: str) -> list[ModuleType]:
    modules = [m for n, m in sys.modules.items() if n.startswith("transformers.") and isinstance(m, ModuleType)]
    return [m for m in modules if vars(m).get(name) is function]


@contextmanager
def casting(amp: torch.dtype | None) -> Iterator[None]:
    """Autocast on a GPU, which ``torch.autocast`` leaves out where there is none."""
    before = torch.is_autocast_enabled("cuda"), torch.get_autocast_dtype("cuda")
    torch.set_autocast_enabled("cuda", amp is not None)
    torch.set_autocast_dtype("cuda", amp or before[1])
    torch.autocast_increment_nesting()
    try:
        yield
    finally:
        if torch.autocast_decrement_nesting() == 0:
            torch.clear_autocast_cache()
        torch.set_autocast_enabled("cuda", before[0])
        torch.set_autocast_dtype("cuda", before[1])


IGNORING = ("_ignore_causal_mask_sdpa", "_ignore_bidirectional_mask_sdpa")
"""Functions of transformers/masking_utils.py that say whether attention does without a mask."""


@contextmanager
def unmasked(named: Mapping[str, Any]) -> Iterator[None]:
    """Has transformers leave out masks of ones, and those of no mask, while it is exported, as it does when it runs.

    It reads a mask to know, which an exporter cannot: there it keeps every mask, for which attention has other kernels.

    Args:
        named: arguments of the model by name, with their values.
    """
    masking = sys.modules.get("transformers.masking_utils")
    masks = [t for name, t in named.items() if "mask" in name and isinstance(t, torch.Tensor)]
    with ExitStack() as stack:
        if masking is not None and hasattr(masking, "is_tracing") and all(_ones(t) for t in masks):
            for name in IGNORING:
                if hasattr(masking, name):
                    asked = _without(masking, getattr(masking, name), bool(masks))
                    stack.enter_context(patch.object(masking, name, asked))
        yield


def _without(masking: Any, ignores: Callable[..., bool], ones: bool) -> Callable[..., bool]:
    """The same question of no mask, asked as if nothing were traced.

    Args:
        masking: the module of transformers.
        ignores: its question.
        ones: whether a mask that it is asked about is one of ones; else a model made it, and nobody knows.
    """

    def asked(padding_mask: Any, *args: Any, **kwargs: Any) -> bool:
        if padding_mask is not None and not ones:
            return ignores(padding_mask, *args, **kwargs)
        with patch.object(masking, "is_tracing", lambda *_: False):
            return ignores(None, *args, **kwargs)

    return asked


def _ones(mask: torch.Tensor) -> bool:
    if mask.is_meta or isinstance(mask, FakeTensor) or mask.is_floating_point():
        return False
    return bool((mask != 0).all())


def held(model: torch.nn.Module) -> list[tuple[str, str, torch.Tensor]]:
    """Kind, name and tensor of all that a model holds: parameters, then lasting buffers and passing ones."""
    parameters = [("parameter", name, p) for name, p in model.named_parameters()]
    lasting = {id(m): m._non_persistent_buffers_set for m in model.modules()}
    buffers = []
    for path, module in model.named_modules():
        for name, buffer in module.named_buffers(recurse=False):
            kind = "passing" if name in lasting[id(module)] else "buffer"
            buffers.append((kind, f"{path}.{name}" if path else name, buffer))
    return parameters + buffers
