"""When Python drops the tensors of a forward pass.

The lines that an exporter writes down say little of it: nothing of methods but ``forward``, of lists, of attributes. So
the pass runs once more, on fake tensors, while somebody looks on: CPython counts references here as it does on a GPU.
What autograd saves it is not handed, or tensors would live as long as it; the estimator knows what autograd saves.
"""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import torch
from torch._dispatch.python import enable_python_dispatcher
from torch.utils import _pytree as pytree

from headroom._called import Called
from headroom._kept import attributes, make_buffers
from headroom._observe import Observed, observing
from headroom._pass import casting, unnoticed
from headroom._running import READS, Running
from headroom._twin import Twins

PASSES = 2
"""How many passes a model may take until one is like the one before."""


@dataclass
class Call:
    """A call of an operator."""

    operator: str
    """Such as ``aten.add.Tensor``."""
    results: list[int]
    """Numbers of the tensors that it returned: one that it was given keeps its own."""
    dropped: list[int] = field(default_factory=list)
    """Tensors that Python drops before the next call, in that order."""
    kept: list[tuple[int, str]] = field(default_factory=list)
    """Tensors that the model keeps when the pass is over, and that the next pass drops at this place; with the name of
    the buffer that each is, ``""`` for another attribute."""
    returns: bool = False
    """Whether the model returns before the next call, which is the loss's."""
    checkpoint: str = ""
    """The checkpoint that it runs inside of, as ``Observed`` has it."""
    views: list[tuple[int, int]] = field(default_factory=list)
    """New tensors that it returned over the memory of one that it was given, with the number of that one."""


@dataclass
class Seen:
    """A pass that was looked at."""

    calls: list[Call]
    earlier: int
    """How many passes ran before, because the first ones do what later ones do not: they fill caches."""


def watched(model: torch.nn.Module, called: Called, device: str = "cuda:0") -> Seen:
    """A pass on a device: the first, or the second where that differs.

    Raises:
        Exception: whatever the model's code raises where it sees no data.
    """
    twins = Twins(symbolic=False, device=device)
    watch = _Watch(twins)
    twin = called.around(twins.module(model), twins, watch.returned)
    given = watch.given(called)
    # A cycle of references is dropped when Python looks for such, whenever that is.
    collects = gc.isenabled()
    gc.collect()
    gc.disable()
    before = attributes(twin)
    try:
        calls = _run(twin, given, watch, called)
        gc.collect()
        for earlier in range(PASSES):
            if not watch.held.keys() - watch.outside:  # the model keeps nothing
                return Seen(calls, earlier)
            buffers = {watch.held[id(t)][0]: name for name, t in twin.named_buffers() if id(t) in watch.held}
            try:
                again = _run(twin, given, watch, called)
            except Exception:  # of code that runs once only
                return Seen(calls, earlier)
            if [call.operator for call in calls] == [call.operator for call in again]:
                _note_kept(calls, again, buffers)
                return Seen(calls, earlier)
            make_buffers(twin, before)
            calls = again
    finally:
        if collects:
            gc.enable()
    return Seen(calls, PASSES)


def run_earlier(twin: torch.nn.Module, twins: Twins, called: Called) -> None:
    """Runs the passes before the one in question, of a twin that is made to take ``called.inputs``."""
    watch = _Watch(twins)
    given = watch.given(called)
    before = attributes(twin)
    for _ in range(called.earlier):
        _run(twin, given, watch, called)
    if called.earlier:
        make_buffers(twin, before)


def _run(twin: torch.nn.Module, given: tuple[Any, Any], watch: _Watch, called: Called) -> list[Call]:
    args, kwargs = given
    with (
        observing(_as_it_is) as seen,
        unnoticed(),
        enable_python_dispatcher(),
        watch.twins.mode,
        _saving_nothing(),
        casting(called.amp),
        watch.looking(seen),
    ):
        result = twin(*args, **kwargs)
    calls = watch.end()
    del result
    return calls


def _note_kept(calls: list[Call], again: list[Call], buffers: dict[int, str]) -> None:
    """What one pass kept is dropped where the next one puts others into its place."""
    made = {number for call in calls for number in call.results}
    for call, then in zip(calls, again, strict=True):
        call.kept = [(number, buffers.get(number, "")) for number in then.dropped if number in made]


class _Watch(Running):
    """Sees how long Python holds what operators return."""

    def __init__(self, twins: Twins) -> None:
        super().__init__(twins)
        self.calls: list[Call] = []
        self.held: dict[int, tuple[int, weakref.ref[Any]]] = {}
        self.outside: set[int] = set()
        self.count = 0
        self.before: list[int] = []
        self.ended = True
        self.seen = Observed()

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Runs an operator and notes it."""
        if func in READS:
            return self.known.read(func, args)[0]
        out = self.run(func, args, kwargs or {})
        results = [t for t in pytree.tree_leaves(out) if isinstance(t, torch.Tensor)]
        if results:
            given = {id(t): t for t in pytree.tree_leaves((args, kwargs)) if isinstance(t, torch.Tensor)}
            self.outside |= given.keys() & {id(t) for t in results} - self.held.keys()
            call = Call(str(func), [self.number(t) for t in results], self.before, checkpoint=self.seen.checkpoint)
            call.views += self.views(results, given)
            self.calls.append(call)
            self.before = []
        return out

    @contextmanager
    def looking(self, seen: Observed) -> Iterator[None]:
        """Looks on while a pass runs, until ``end``."""
        self.calls, self.before, self.ended = [], [], False
        self.seen = seen
        with self:
            yield

    def returned(self) -> None:
        """Notes that the model has returned."""
        if self.calls:
            self.calls[-1].returns = True

    def number(self, tensor: torch.Tensor) -> int:
        """That of a tensor, a new one for one that was not seen."""
        identity = id(tensor)
        if identity not in self.held:
            self.count += 1
            self.held[identity] = (self.count, weakref.ref(tensor, lambda _: self.drop(identity)))
        return self.held[identity][0]

    def views(self, results: list[torch.Tensor], given: dict[int, torch.Tensor]) -> Iterator[tuple[int, int]]:
        """Results over the memory of what an operator was given by identity, with the numbers of both."""
        memory = {_memory(t): self.held[i][0] for i, t in given.items() if i in self.held}
        for t in results:
            if id(t) not in given and _memory(t) in memory:
                yield self.number(t), memory[_memory(t)]

    def drop(self, identity: int) -> None:
        """Notes that nobody holds a tensor any more."""
        number = self.held.pop(identity)[0]
        self.outside.discard(identity)
        self.known.forget(identity)
        if not self.ended:
            (self.calls[-1].dropped if self.calls else self.before).append(number)

    def end(self) -> list[Call]:
        """The calls of a pass. What is held now is held by what it returned, by the model, or by a cycle."""
        self.ended = True
        return self.calls


def _memory(tensor: torch.Tensor) -> int:
    """What tells memory apart; sparse tensors and those of transforms have none of their own."""
    try:
        return tensor.untyped_storage()._cdata
    except (NotImplementedError, RuntimeError):
        return -id(tensor)


@contextmanager
def _saving_nothing() -> Iterator[None]:
    def again(_: None) -> torch.Tensor:
        raise RuntimeError("nothing was saved")

    with torch.autograd.graph.saved_tensors_hooks(lambda _: None, again):
        yield


def _as_it_is(original: Any, _: Any, *args: Any, **kwargs: Any) -> Any:
    return original(*args, **kwargs)
