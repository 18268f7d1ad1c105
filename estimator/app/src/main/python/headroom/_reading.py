"""An export on the way that the run takes: what a model reads from its data is answered while it is exported."""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import torch
from torch.fx.experimental.proxy_tensor import ProxyTorchDispatchMode
from torch.utils import _pytree as pytree

from headroom._called import Called
from headroom._frames import Frames
from headroom._known import Known
from headroom._observe import Observed
from headroom._running import READS
from headroom.errors import HeadroomError


class Reading:
    """Stands before the exporter's own mode, which sees every call but those that bring a value to the host.

    A value that is not known is assumed where the program drew it on the host, as the chance of leaving a layer out is.
    """

    def __init__(self, called: Called, seen: Observed) -> None:
        """Knows what the model is called with."""
        self.called = called
        self.known = Known()
        self.frames = Frames(seen)
        self.assumed: dict[str, None] = {}
        self.answered = False
        self.held: dict[int, weakref.ref[Any]] = {}
        for leaf in pytree.tree_leaves(called.inputs):
            if isinstance(leaf, torch.Tensor):
                self.known.note(leaf, leaf)

    def watch(self, twin: torch.nn.Module) -> None:
        """What the exporter calls the twin with, other tensors than those it was given, has the inputs' values."""

        def given(_: torch.nn.Module, args: Any, kwargs: Any) -> None:
            both: list[tuple[Any, Any]] = list(zip((args, kwargs), self.called.inputs, strict=True))
            for mine, theirs in both:
                for key, value in mine.items() if isinstance(mine, dict) else enumerate(mine):
                    leaves = zip(pytree.tree_leaves(theirs[key]), pytree.tree_leaves(value), strict=True)
                    for real, leaf in leaves:
                        self.known.alias(real, leaf)
                        self._hold(leaf)

        twin.register_forward_pre_hook(given, with_kwargs=True)

    @contextmanager
    def answering(self) -> Iterator[None]:
        """Answers what is read inside of it."""
        traced = ProxyTorchDispatchMode.__torch_dispatch__

        def call(mode: Any, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            if func in READS:
                return self._read(func, args)
            out = traced(mode, func, types, args, kwargs)
            self.known.follow(func, args, kwargs or {}, out)
            for leaf in pytree.tree_leaves(out):
                self._hold(leaf)
            return out

        with patch.object(ProxyTorchDispatchMode, "__torch_dispatch__", call):
            yield

    def _read(self, func: Any, args: Any) -> Any:
        self.answered = True
        found, known = self.known.read(func, args)
        if not known:
            if any(t.device.type != "cpu" for t in args if isinstance(t, torch.Tensor)):
                raise HeadroomError(f"the model reads a value from its data at {self.frames.place()}")
            self.assumed[f"{self.frames.place()} ({found})"] = None
        return found

    def _hold(self, tensor: Any) -> None:
        """Values are known by identity, which another tensor may have later."""
        identity = id(tensor)
        if identity in self.known.values or identity in self.known.all:
            self.held[identity] = weakref.ref(tensor, lambda _: self._drop(identity))

    def _drop(self, identity: int) -> None:
        self.held.pop(identity, None)
        self.known.forget(identity)

    def notes(self) -> list[str]:
        """What was assumed."""
        return [f"the model reads a value from its data at {read}: assumed" for read in self.assumed]
