"""A forward pass that torch.export cannot take, recorded while it runs on fake tensors.

The recorder sees the same calls of ATen as the exporter does, before autograd and autocast. It writes custom
``autograd.Function`` calls as such, with the operators of both of their passes, and answers what the model reads from
its data, which is not there.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from torch._dispatch.python import enable_python_dispatcher
from torch._subclasses.fake_tensor import DynamicOutputShapeException
from torch.utils import _pytree as pytree
from torch.utils._python_dispatch import TorchDispatchMode

from headroom._called import Called
from headroom._context import Context
from headroom._frames import Frames
from headroom._lifetimes import run_earlier
from headroom._observe import Observed, observing
from headroom._pass import casting, held, run, unnoticed
from headroom._regions import Mode, grouped
from headroom._running import READS, Running
from headroom._schema import Body, Json, meta, named, plain, value, values, write
from headroom._twin import Twins
from headroom.errors import HeadroomError

aten = torch.ops.aten


def record(model: torch.nn.Module, called: Called, file: Path) -> tuple[Observed, list[str]]:
    """Runs a twin of the model and writes what it does as an archive.

    Returns:
        What was seen besides, and remarks.

    Raises:
        HeadroomError: for a model that fails.
    """
    twins = Twins(symbolic=False)
    twin = called.around(twins.module(model), twins)
    run_earlier(twin, twins, called)
    recorder = Recorder(twins)
    inputs = [recorder.hold(kind, name, tensor) for kind, name, tensor in held(twin)]
    args, kwargs = recorder.given(called)
    for i, leaf in enumerate(pytree.tree_leaves((args, kwargs))):
        if isinstance(leaf, torch.Tensor):
            inputs.append({"user_input": {"arg": value(recorder.define(leaf, f"input_{i}", into="inputs"))}})
    with observing(recorder.apply) as seen:
        seen.watch(twin)
        recorder.frames = Frames(seen)
        with unnoticed(), enable_python_dispatcher(), twins.mode, casting(called.amp), _Handed(recorder), recorder:
            outside = Mode.now()
            result = run(twin, args, kwargs, recorder.frames)
    leaves = pytree.tree_leaves(result)
    outputs = [recorder.name(leaf) if isinstance(leaf, torch.Tensor) else None for leaf in leaves]
    recorder.body.outputs = outputs
    body = grouped(recorder.body, outside)
    body.inputs = [*recorder.constants, *body.inputs]
    specs = [{"tensor_constant": {"arg": {"name": n}, "tensor_constant_name": n}} for n in recorder.constants]
    write(file, body.graph(), [*inputs, *specs], outputs, twin)
    return seen, recorder.notes()


class Recorder(Running):
    """Writes down every call of ATen, before autograd and autocast see it."""

    def __init__(self, twins: Twins) -> None:
        """Begins with an empty program."""
        super().__init__(twins)
        self.body = Body()
        self.bodies: list[Body] = []
        self.names: list[dict[int, str]] = [{}]
        self.alive: list[Any] = []  # identities count as long as what they are of
        self.count = 0
        self.constants: list[str] = []
        self.reads: list[str] = []
        self.frames = Frames(Observed())

    def notes(self) -> list[str]:
        """What was assumed."""
        return [f"the model reads a value from its data at {read}: assumed" for read in self.reads]

    def hold(self, kind: str, name: str, tensor: torch.Tensor) -> Json:
        """Makes a tensor of the model an input; returns its ``InputSpec``."""
        arg = {"name": self.define(tensor, ("p_" if kind == "parameter" else "b_") + name, into="inputs")}
        if kind == "parameter":
            return {"parameter": {"arg": arg, "parameter_name": name}}
        return {"buffer": {"arg": arg, "buffer_name": name, "persistent": kind == "buffer"}}

    def define(self, tensor: torch.Tensor, name: str, into: str = "") -> str:
        """Gives a tensor a name in the graph that is being written."""
        name = name.replace(".", "_")
        if name in self.body.values or not into:
            name = f"{name}_{self.count}"
            self.count += 1
        self.alive.append(tensor)
        self.names[-1][id(tensor)] = name
        self.body.values[name] = meta(tensor)
        if into == "inputs":
            self.body.inputs.append(name)
        return name

    def name(self, tensor: torch.Tensor) -> str:
        """The name of a tensor; one that nothing made is the program's own, or comes from the graph around."""
        found = self.names[-1].get(id(tensor))
        if found is not None:
            return found
        if self.bodies:
            return self.define(tensor, "outer", into="inputs")
        name = self.define(tensor, "c_lifted_tensor")
        self.constants.append(name)
        return name

    def alias(self, tensor: torch.Tensor, other: torch.Tensor) -> None:
        """Another object that stands for the same tensor."""
        if id(tensor) in self.names[-1] and id(other) not in self.names[-1]:
            self.alive.append(other)
            self.names[-1][id(other)] = self.names[-1][id(tensor)]
            self.known.alias(tensor, other)

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Runs an operator and writes it down."""
        kwargs = kwargs or {}
        if func in READS:
            return self._read(func, args)
        try:
            out = self.run(func, args, kwargs)
        except DynamicOutputShapeException as e:
            raise HeadroomError(
                f"the size of what {func} makes depends on data, at {self.frames.place()}; predict a model without it"
            ) from e
        results = [out] if isinstance(out, (torch.Tensor, list)) else list(out) if isinstance(out, tuple) else []
        if any(isinstance(t, torch.Tensor) for t in pytree.tree_leaves(results)):
            self._node(func, args, kwargs, results)
        return out

    def _node(self, func: Any, args: Sequence[Any], kwargs: dict[str, Any], results: list[Any]) -> None:
        if func is aten.lift_fresh.default:  # what torch.tensor(...) has copied to the device
            func, kwargs = aten.empty.memory_format, {"dtype": args[0].dtype, "device": args[0].device}
            args = (list(args[0].shape),)
        schema = func._schema.arguments
        given = [(a, v) for a, v in zip(schema, args, strict=False)]
        given += [(a, kwargs[a.name]) for a in schema if a.name in kwargs]
        inputs = [named(a.name, self._argument(v, str(a.type))) for a, v in given]
        operator = func._schema.name.split("::")[1]
        outputs = [self._result(r, operator) for r in results]
        self._add(f"torch.ops.{func}", inputs, outputs)

    def _add(self, target: str, inputs: list[Json], outputs: list[Json]) -> None:
        stack, trace = self.frames.where()
        self.body.nodes.append(
            {
                "target": target,
                "inputs": inputs,
                "outputs": outputs,
                "metadata": {"stack_trace": trace, "nn_module_stack": stack},
                "name": f"node_{len(self.body.nodes)}",
                "mode": Mode.now(),
            }
        )

    def _argument(self, argument: Any, kind: str) -> Json:
        if isinstance(argument, torch.Tensor):
            return value(self.name(argument))
        if isinstance(argument, (list, tuple)) and ("Tensor" in kind):
            return values([self.name(t) if isinstance(t, torch.Tensor) else None for t in argument])
        return plain(argument, kind)

    def _result(self, result: Any, operator: str) -> Json:
        if isinstance(result, torch.Tensor):
            return value(self.define(result, operator))
        if isinstance(result, (list, tuple)):
            return values([self.define(t, operator) if isinstance(t, torch.Tensor) else None for t in result])
        return {"as_none": True}

    def _read(self, func: Any, args: Any) -> Any:
        found, known = self.known.read(func, args)
        read = f"{self.frames.place()} ({found})"
        if not known and read not in self.reads:
            self.reads.append(read)
        return found

    # ---------------------------------------------------------------- custom functions

    def apply(self, original: Any, function: Any, *args: Any, **kwargs: Any) -> Any:
        """``function.apply(*args)``: both passes are run, each is written as a graph."""
        tensors = [a for a in args if isinstance(a, torch.Tensor)]
        learns = torch.is_grad_enabled() and any(t.requires_grad for t in tensors)
        context = Context()
        context.needs_input_grad = tuple(isinstance(a, torch.Tensor) and a.requires_grad and learns for a in args)
        outer = [self.name(t) for t in tensors]
        forward = self._open(tensors, "input")
        with torch.no_grad():
            result = self._forward(function, context, args, kwargs)
        made = [t for t in pytree.tree_leaves(result) if isinstance(t, torch.Tensor)]
        kept, saved = context.kept()
        forward.outputs = [self.name(t) for t in made + kept]
        captured = self._close(forward, len(tensors))
        backward = self._backward(function, context, args, made, kept, learns)
        backward.outputs += [None] * len(captured)
        out = self._results(result, made, tensors, learns)
        inputs = [
            named("name", {"as_string": function.__name__}),
            named("backward", self._graph(backward)),
            named("results", {"as_int": len(made)}),
            named("attributes", {"as_ints": list(range(saved, len(kept)))}),
            named("forward", self._graph(forward)),
            *(named("", value(name)) for name in [*outer, *(self.name(t) for t in captured)]),
        ]
        named_results = [t for t in pytree.tree_leaves(out) if isinstance(t, torch.Tensor)]
        outputs = [value(self.define(t, function.__name__)) for t in named_results]
        self._add("torch.ops.higher_order.autograd_function", inputs, outputs)
        return out

    def _forward(self, function: Any, context: Context, args: Any, kwargs: Any) -> Any:
        self.frames.only_inside(sys._getframe())
        try:
            if function.setup_context is torch.autograd.Function.setup_context:
                return function.forward(context, *args, **kwargs)
            result = function.forward(*args, **kwargs)
            function.setup_context(context, args, result)
            return result
        finally:
            self.frames.outside_again()

    def _backward(
        self,
        function: Any,
        context: Context,
        args: Any,
        made: list[torch.Tensor],
        kept: list[torch.Tensor],
        learns: bool,
    ) -> Body:
        gradients = [self.silent(t) for t in made]
        context.saved_tensors = context.to_save
        body = self._open([*gradients, *kept], "given")
        wanted: list[Any] = []
        if learns:
            self.frames.only_inside(sys._getframe())
            try:
                with torch.no_grad(), casting(None):
                    found = function.backward(context, *gradients)
            finally:
                self.frames.outside_again()
            found = list(found) if isinstance(found, tuple) else [found]
            wanted = [g for a, g in zip(args, found, strict=False) if isinstance(a, torch.Tensor)]
        tensors = sum(isinstance(a, torch.Tensor) for a in args)
        body.outputs = [self.name(g) if isinstance(g, torch.Tensor) else None for g in wanted]
        body.outputs += [None] * (tensors - len(body.outputs))
        strangers = self._close(body, len(made) + len(kept))
        if strangers:
            raise HeadroomError(
                f"the backward pass of {function.__qualname__} uses a tensor that it neither saved nor was given;"
                " keep it with ctx.save_for_backward"
            )
        return body

    def _results(self, result: Any, made: list[torch.Tensor], inputs: list[torch.Tensor], learns: bool) -> Any:
        """The results as autograd hands them out: tensors of their own, which require a gradient if an input does."""

        def own(tensor: Any) -> Any:
            if not isinstance(tensor, torch.Tensor):
                return tensor
            return self.silent(tensor, learns and tensor.is_floating_point())

        return pytree.tree_map(own, result)

    def _open(self, tensors: list[torch.Tensor], name: str) -> Body:
        self.bodies.append(self.body)
        self.names.append({})
        self.body = Body()
        for tensor in tensors:
            self.define(tensor, name, into="inputs")
        return self.body

    def _close(self, body: Body, given: int) -> list[torch.Tensor]:
        """Ends a graph; returns the tensors of the graph around that it read without being given them."""
        names = self.names.pop()
        by_name = {name: identity for identity, name in names.items()}
        strangers = {by_name[name] for name in body.inputs[given:]}
        self.body = self.bodies.pop()
        return [t for t in {id(t): t for t in self.alive if id(t) in strangers}.values()]

    def _graph(self, body: Body) -> Json:
        self.count += 1
        return {
            "as_graph": {"name": f"body_{self.count}", "graph": grouped(body, Mode(False, False, "", True)).graph()}
        }


class _Handed(TorchDispatchMode):
    """Sees factory functions of Python hand out their result: as a detached one when somebody holds it."""

    def __init__(self, recorder: Recorder) -> None:
        super().__init__()
        self.recorder = recorder

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        out = func(*args, **(kwargs or {}))
        if func is aten.detach.default:
            self.recorder.alias(args[0], out)
        return out
