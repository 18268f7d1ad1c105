"""Writes into an archive when Python drops its tensors.

A node's metadata gets ``released``: names of the values that are dropped once it has run, in that order, with commas
between them; one that only a region before has made has the region's node in front, ``no_grad/mask``. ``kept``: names
of values that the model keeps until the next pass has come as far, with the buffer that each is, as in
``outer=noise.eps``. ``returns``, where the model has returned and the loss follows. ``checkpoint``: inside of which run
of ``torch.utils.checkpoint`` it is, as in ``3`` or ``3 reentrant``. The importer of archives reads them; PyTorch does
not mind.
"""

from __future__ import annotations

import json
import os
import zipfile
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from headroom._lifetimes import Call
from headroom._regions import reads, results
from headroom._schema import Json

LIKENESS = 0.8
"""Of a pass that is less like the exported one nothing is written."""

ALIKE = 4
"""Calls in a row that show that two passes go on alike."""

APART = 64
"""Calls that one pass may have and the other may not, in one place."""

PROGRAMS = ("models/model.json", "serialized_exported_program.json")
"""Where archives of one format and the other keep the program."""

TRACED = {"aten.lift_fresh.default": "aten.lift_fresh_copy.default"}
"""Operators that have another name in an exported program."""

ONCE = (
    "torch.ops.higher_order.wrap_with_set_grad_enabled",
    "torch.ops.higher_order.wrap_with_autocast",
    "torch.ops.higher_order.autograd_function",
)
"""Operators that run the last graph that they are given, once."""


@dataclass(frozen=True)
class Step:
    """An exported call of an operator."""

    operator: str
    """Such as ``aten.add.Tensor``."""
    results: list[list[tuple[int, str]]]
    """By result: the identity of each graph that has a name for it, and the name."""
    place: dict[int, Json]
    """By the identity of each graph that it lies in, from the outermost on: the node there."""
    given: tuple[int, str] | None
    """Of a slice that leaves nothing out, and that only a trace has: what is sliced."""


def annotate(archive: Path, calls: list[Call]) -> bool:
    """Adds what was seen of a pass to the archive of the same model; returns whether the two passes are alike."""
    with zipfile.ZipFile(archive) as file:
        entries = [(entry, file.read(entry)) for entry in file.infolist()]
    for i, (entry, content) in enumerate(entries):
        if entry.filename.endswith(PROGRAMS):
            program = json.loads(content)
            if not release(program["graph_module"]["graph"], calls):
                return False
            entries[i] = (entry, json.dumps(program, separators=(",", ":")).encode())
    written = archive.with_suffix(".new")
    with zipfile.ZipFile(written, "w") as file:
        for entry, content in entries:
            file.writestr(entry, content)
    os.replace(written, archive)
    return True


def release(graph: Json, calls: list[Call]) -> bool:
    """The same for a graph of the schema."""
    steps = list(_steps(graph, {}, {}))
    called = [k for k, step in enumerate(steps) if step.given is None]
    seen = [TRACED.get(c.operator, c.operator) for c in calls]
    step_of = {i: called[k] for i, k in _aligned(seen, [steps[k].operator for k in called])}
    if 2 * len(step_of) < LIKENESS * (len(called) + len(calls)):
        return False
    call_of = {k: calls[i] for i, k in step_of.items()}
    names: dict[int, dict[tuple[int, str], None]] = defaultdict(dict)
    numbers: dict[tuple[int, str], int] = {}
    for k, step in enumerate(steps):
        returned = call_of[k].results if k in call_of else [numbers.get(step.given)] if step.given else []
        for number, known in zip(returned, step.results, strict=False):
            if number is not None:
                names[number].update(dict.fromkeys(known))
                numbers |= dict.fromkeys(known, number)
    last = {around: node for step in steps for around, node in step.place.items()}
    regions = {inner: of for step in steps for of, (inner, _) in pairwise(step.place.items())}
    at: dict[int, Json] = {}
    views: dict[int, int] = {}
    for i, call in enumerate(calls):
        at = steps[step_of[i]].place if i in step_of else at
        if i not in step_of:  # nobody reads it, so that the exporter left it out; but its memory is somebody's
            views |= {of: view for view, of in call.views}
        for node in at.values() if call.checkpoint and i in step_of else ():
            node["metadata"]["checkpoint"] = call.checkpoint
        for number in call.dropped:
            gone = names.pop(number, {})
            if number in views:
                names[views.pop(number)].update(gone)
                continue
            views = {of: view for of, view in views.items() if view != number}
            _write(_outlived(gone, at, regions), at, last)
        for number, buffer in call.kept:
            for around, name in list(names.get(number, {}))[:1]:
                _write({(around, f"{name}={buffer}" if buffer else name): None}, at, last, "kept")
        if call.returns and id(graph) in at:
            at[id(graph)]["metadata"]["returns"] = "true"
    for held in names.values():
        _write(_outlived(held, {}, regions), {}, last)
    return True


def _aligned(seen: list[str], exported: list[str]) -> Iterator[tuple[int, int]]:
    """Places of the same calls in two passes, the first of which may leave out some and have others besides."""
    i = k = 0
    while i < len(seen) and k < len(exported):
        if seen[i] == exported[k]:
            yield i, k
            i, k = i + 1, k + 1
            continue
        ways = ((left, apart - left) for apart in range(1, APART) for left in range(apart + 1))
        for left, right in ways:
            on, other = seen[i + left :][:ALIKE], exported[k + right :][:ALIKE]
            if on and on == other:
                i, k = i + left, k + right
                break
        else:
            return


def _outlived(
    names: dict[tuple[int, str], None], at: dict[int, Json], regions: dict[int, tuple[int, Json]]
) -> dict[tuple[int, str], None]:
    """The names of a value, where only a region that is over has one: with the names of such regions in front.

    ``with torch.no_grad():`` opens no scope; what a region's lines assign may live on, and no graph around has it.
    """
    if any(graph not in regions for graph, _ in names):
        return names
    out: dict[tuple[int, str], None] = {}
    for graph, name in names:
        while graph not in at and graph in regions:
            graph, node = regions[graph]
            name = f"{node.get('name') or results(node)[0]}/{name}"
        out[graph, name] = None
    return out


def _write(
    names: dict[tuple[int, str], None], at: dict[int, Json], last: dict[int, Json], key: str = "released"
) -> None:
    for graph, name in names:
        metadata = at.get(graph, last[graph])["metadata"]
        metadata[key] = f"{metadata[key]},{name}" if key in metadata else name


def _steps(graph: Json, around: dict[int, Json], outer: dict[str, list[tuple[int, str]]]) -> Iterator[Step]:
    """Calls of ATen that return tensors, in the order in which they run.

    Args:
        graph: of the schema.
        around: the nodes that it lies in.
        outer: what its results are called around it.
    """
    for node in graph["nodes"]:
        place = {**around, id(graph): node}
        named = [[(id(graph), name), *outer.get(name, [])] for name in results(node)]
        if node["target"] in ONCE:
            inner = [i["arg"]["as_graph"]["graph"] for i in node["inputs"] if "as_graph" in i["arg"]][-1]
            yield from _steps(inner, place, dict(zip(results(inner), named, strict=False)))
        elif named and node["target"].startswith("torch.ops.aten."):
            yield Step(node["target"].removeprefix("torch.ops."), named, place, _whole(graph, node))


def _whole(graph: Json, node: Json) -> tuple[int, str] | None:
    if node["target"] != "torch.ops.aten.slice.Tensor":
        return None
    given, result = reads(node)[0], results(node)[0]
    sizes = [graph["tensor_values"][name]["sizes"] for name in (given, result)]
    return (id(graph), given) if sizes[0] == sizes[1] else None
