"""What a forward pass does that its operators do not tell: custom functions, checkpoints."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any
from unittest.mock import patch

import torch
from torch.nn.modules.module import register_module_forward_hook, register_module_forward_pre_hook
from torch.utils import checkpoint

GENERATORS = ("_checkpoint_without_reentrant_generator_impl", "_checkpoint_without_reentrant_generator")
"""What is around a function under a checkpoint that is not re-entrant; the name depends on PyTorch's version."""

OPERATORS = "torch._library.autograd"
"""Where PyTorch makes functions of operators that a library registered: these are seen as operators."""


@dataclass
class Observed:
    """What was seen."""

    regions: list[str] = field(default_factory=list)
    """Modules that ran inside of ``torch.utils.checkpoint``, as ``--checkpoint-modules`` has them."""
    reentrant: bool = False
    functions: int = 0
    """Checkpoints of anything but a module."""
    checkpoints: int = 0
    """How many have run, nested ones aside."""
    checkpoint: str = ""
    """The one that is running, such as ``3`` or ``3 reentrant``; ``""`` for none."""
    calls: list[torch.nn.Module] = field(default_factory=list)
    """The running modules, the model itself first."""
    numbers: dict[int, int] = field(default_factory=dict)
    """How often each module was called, by identity."""
    _paths: dict[int, str] = field(default_factory=dict)
    _inside: list[str] | None = None
    _depth: int = 0

    def notes(self) -> list[str]:
        """What the prediction leaves out."""
        if not self.functions:
            return []
        return [
            f"{self.functions} checkpoints are around functions: what they recompute is read off the lines that call"
            " them"
        ]

    def forget(self) -> None:
        """Begins anew."""
        self.__init__()  # type: ignore[misc]

    def path(self, module: torch.nn.Module) -> str:
        """Such as ``layer1.0.conv1``; ``""`` is the model itself."""
        return self._paths[id(module)]

    def watch(self, model: torch.nn.Module) -> None:
        """From now on modules of this model are noted."""
        self._paths = {id(m): name for name, m in model.named_modules()}

    def enter(self, module: torch.nn.Module) -> None:
        """A module begins to run."""
        if id(module) not in self._paths:
            return
        if self._inside is not None and len(self.calls) == self._depth:
            self._inside.append(self.path(module))
        self.calls.append(module)
        self.numbers[id(module)] = self.numbers.get(id(module), 0) + 1

    def leave(self, module: torch.nn.Module) -> None:
        """A module is done."""
        if self.calls and self.calls[-1] is module:
            self.calls.pop()

    @contextmanager
    def checkpointed(self, reentrant: bool) -> Iterator[None]:
        """Around what a checkpoint runs; of nested ones the outermost counts."""
        if self._inside is not None:
            yield
            return
        self._inside, self._depth = [], len(self.calls)
        self.checkpoints += 1
        self.checkpoint = f"{self.checkpoints} reentrant" if reentrant else str(self.checkpoints)
        yield
        self.checkpoint = ""
        inside, self._inside = self._inside, None
        self.reentrant |= reentrant
        if len(inside) != 1 or "" in inside:
            self.functions += 1
        elif inside[0] not in self.regions:
            self.regions.append(inside[0])


@contextmanager
def observing(apply: Callable[..., Any]) -> Iterator[Observed]:
    """Watches what this thread runs. Checkpoints run what they are given as if they were not there, and are noted.

    Args:
        apply: called in place of ``function.apply(*args)``, as ``apply(original, function, *args)``.
    """
    seen = Observed()
    thread = threading.get_ident()
    custom = torch.autograd.Function.__dict__["apply"]

    def applied(cls: Any, *args: Any, **kwargs: Any) -> Any:
        original = custom.__get__(None, cls)
        if threading.get_ident() != thread or cls.__module__ == OPERATORS:
            return original(*args, **kwargs)
        if cls is checkpoint.CheckpointFunction:
            with seen.checkpointed(reentrant=True):
                return args[0](*args[2:])
        return apply(original, cls, *args, **kwargs)

    def generator(*_: Any, **__: Any) -> Iterator[None]:
        with seen.checkpointed(reentrant=False):
            yield

    with ExitStack() as stack:
        before = register_module_forward_pre_hook(lambda module, _: seen.enter(module))
        stack.callback(before.remove)
        after = register_module_forward_hook(lambda module, *_: seen.leave(module), always_call=True)
        stack.callback(after.remove)
        stack.enter_context(patch.object(torch.autograd.Function, "apply", classmethod(applied)))
        for name in GENERATORS:
            if hasattr(checkpoint, name):
                stack.enter_context(patch.object(checkpoint, name, generator))
        yield seen
