"""Parts of a program that run without gradients or under another autocast, as graphs of their own."""

from __future__ import annotations

from itertools import groupby
from typing import Any, NamedTuple

import torch

from headroom._schema import DTYPES, Body, Json, named, value


class Mode(NamedTuple):
    """The modes that an operator runs under."""

    gradients: bool
    autocast: bool
    dtype: str
    caches: bool

    @staticmethod
    def now() -> Mode:
        """This thread's."""
        autocast = torch.is_autocast_enabled("cuda")
        dtype = str(torch.get_autocast_dtype("cuda")) if autocast else ""
        return Mode(torch.is_grad_enabled(), autocast, dtype, torch.is_autocast_cache_enabled() if autocast else True)


OUTSIDE = Mode(True, False, "", True)
"""How a program is called."""


def grouped(body: Body, outside: Mode = OUTSIDE) -> Body:
    """The same program, where runs of nodes under another mode than that around are one node with a graph."""
    out = Body(list(body.inputs), [], list(body.outputs), dict(body.values))
    runs = [(mode, list(nodes)) for mode, nodes in groupby(body.nodes, key=lambda n: n["mode"])]
    for i, (mode, nodes) in enumerate(runs):
        nodes = [{k: v for k, v in node.items() if k != "mode"} for node in nodes]
        if mode == outside:
            out.nodes += nodes
            continue
        later = {name for _, others in runs[i + 1 :] for n in others for name in reads(n)} | set(body.outputs)
        made = [name for n in nodes for name in results(n)]
        inner = Body(nodes=nodes)
        inner.inputs = [n for n in dict.fromkeys(r for node in nodes for r in reads(node)) if n not in made]
        inner.outputs = [name for name in made if name in later]
        inner.values = {name: body.values[name] for name in [*inner.inputs, *made]}
        for name in set(made) - set(inner.outputs):
            del out.values[name]
        out.nodes.append(_wrapped(inner, mode, outside, len(out.nodes)))
    return out


def _wrapped(inner: Body, mode: Mode, outside: Mode, number: int) -> Json:
    name = f"{'autocast' if mode.autocast != outside.autocast else 'gradients'}_{number}_{inner.nodes[0]['name']}"
    if mode[1:] != outside[1:] and mode.gradients != outside.gradients:
        between = Mode(outside.gradients, *mode[1:])
        node = _wrapped(inner, mode, between, number)
        wrapper = Body(list(inner.inputs), [node], list(inner.outputs), dict(inner.values))
        return _wrapped(wrapper, between, outside, number)
    first = inner.nodes[0]
    if mode.gradients != outside.gradients:
        target = "wrap_with_set_grad_enabled"
        words: list[Json] = [{"as_bool": mode.gradients}]
    else:
        dtype: Json = {"as_none": True}
        if mode.dtype:
            dtype = {"as_scalar_type": DTYPES[getattr(torch, mode.dtype.removeprefix("torch."))]}
        device = {"as_string": "cuda"}
        target = "wrap_with_autocast"
        words = [device, dtype, {"as_bool": mode.autocast}, {"as_bool": mode.caches}]
    graph = {"as_graph": {"name": f"{name}_body", "graph": inner.graph()}}
    return {
        "target": f"torch.ops.higher_order.{target}",
        "inputs": [named("", word) for word in [*words, graph, *(value(n) for n in inner.inputs)]],
        "outputs": [value(n) for n in inner.outputs],
        "metadata": first["metadata"],
        "name": name,
    }


def reads(node: Json) -> list[str]:
    """Names of the tensors that a node is given."""
    return [name for argument in node["inputs"] for name in _names(argument["arg"])]


def results(node: Json) -> list[str]:
    """Names of the tensors that a node makes, or that a graph gives back."""
    return [name for argument in node["outputs"] for name in _names(argument)]


def _names(argument: Any) -> list[str]:
    if "as_tensor" in argument:
        return [argument["as_tensor"]["name"]]
    if "as_tensors" in argument:
        return [t["name"] for t in argument["as_tensors"]]
    if "as_optional_tensors" in argument:
        return [name for t in argument["as_optional_tensors"] for name in _names(t)]
    return []
