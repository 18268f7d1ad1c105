"""Writes what torch.compile decides about memory, for `headroom predict PLAN.json.gz`.

    import headroom_plan
    with headroom_plan.written("plan.json.gz", model, batch=32, amp="bf16"):
        loss = criterion(compiled(x), y)      # one step on a GPU: forward, loss and backward
        loss.backward()

Several steps inside are written as they are, where their batches differ in size and graphs are compiled again.

Needs PyTorch 2.6 or newer and a GPU that Inductor compiles for; weights and data do not matter. With `model`, which has
the parameters in their order, the calls of its compiled graphs are written and what Python runs around and between them
(PyTorch 2.9 or newer): blocks compiled one by one, graph breaks, a graph that is called for each layer. `batch`, `amp`, `dtype` ("bf16", "fp16") and `input_grad` say what the step was run with, `compile_optimizer` whether
its step is compiled, too.
"""
import ast
import contextlib
import gzip
import json
import weakref

import torch
import torch.utils.checkpoint
from torch.utils._python_dispatch import TorchDispatchMode

# Parts of the generated code that hand values through or only launch work.
IGNORED = {"args.clear", "torch.cuda.set_device", "torch.cuda.synchronize"}
LAUNCHES = ".run"


def _integer(node):
    """A size: a number, or the text of an expression over symbols."""
    with contextlib.suppress(ValueError, TypeError, SyntaxError):
        return int(ast.literal_eval(node))
    return ast.unparse(node)


def _names(*nodes):
    """Variables that expressions mention, in order."""
    skipped = {"torch", "reinterpret_tensor", "device", "aten", "extern_kernels"}
    return [n.id for node in nodes for n in ast.walk(node) if isinstance(n, ast.Name) and n.id not in skipped]


class _Code(ast.NodeVisitor):
    """Collects the statements of one generated function that allocate, rename, use and free."""

    def __init__(self):
        self.found = []

    def visit_Delete(self, node):
        self.found.append(["free", _names(*node.targets)])

    def visit_Return(self, node):
        values = node.value.elts if isinstance(node.value, (ast.Tuple, ast.List)) else [node.value]
        self.found.append(["return", [next(iter(_names(v)), None) for v in values]])

    def visit_Expr(self, node):
        if not isinstance(node.value, ast.Call):
            return
        called = ast.unparse(node.value.func)
        if called in IGNORED or called.startswith("assert_"):
            return
        given = _names(*node.value.args, *(k.value for k in node.value.keywords if k.arg != "stream"))
        if called.endswith(LAUNCHES):
            self.found.append(["kernel", called[: -len(LAUNCHES)], given])
        else:
            self.found.append(["extern_out", called, given])

    def visit_Assign(self, node):
        target, value = node.targets[0], node.value
        if isinstance(target, (ast.Tuple, ast.List)):
            kind = "inputs" if _names(value) == ["args"] else "unpack"
            self.found.append([kind, _names(target)])
        elif isinstance(target, ast.Name):
            statement = self._bound(target.id, value)
            if statement:
                self.found.append(statement)

    def _bound(self, name, value):
        if isinstance(value, ast.Name):
            return ["alias", name, value.id]
        if isinstance(value, ast.Subscript) and isinstance(value.value, ast.Name):
            if value.value.id == "args":
                return ["inputs", [name]]
            return ["item", name, value.value.id, _integer(value.slice)]
        if not isinstance(value, ast.Call):
            return None
        called = ast.unparse(value.func)
        if called.endswith(".as_strided"):
            return ["alias", name, _names(value.func)[0]]
        if called == "reinterpret_tensor":
            return ["alias", name, _names(value.args[0])[0]]
        if called.startswith("empty_strided_"):
            shape, stride = ([_integer(n) for n in value.args[i].elts] for i in (0, 1))
            where = "alloc_host" if called == "empty_strided_cpu" else "alloc"
            return [where, name, None, ast.unparse(value.args[2]).replace("torch.", ""), shape, stride]
        if "raw_stream" in called or called in ("copy_if_misaligned", "torch.cuda.current_stream"):
            return None
        return ["call", name, called, _names(*value.args, *(k.value for k in value.keywords))]


def _functions(source):
    out = {}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef) and (node.name == "call" or node.name.startswith("partition_")):
            reader = _Code()
            for statement in node.body:
                reader.visit(statement)
            out[node.name] = reader.found
    return out


def _described(shape, stride, dtype, device):
    number = lambda v: int(v) if str(v).lstrip("-").isdigit() else str(v)  # noqa: E731
    return {"shape": [number(v) for v in shape], "stride": [number(v) for v in stride],
            "dtype": str(dtype).replace("torch.", ""), "device": getattr(device, "type", str(device))}


def _tensor(value):
    return _described(value.shape, value.stride(), value.dtype, value.device) if isinstance(value, torch.Tensor) else None


def _buffer(node):
    try:
        return _described(node.get_size(), node.get_stride(), node.get_dtype(), node.get_device())
    except (AttributeError, NotImplementedError):
        return None


def _plan(graph, source):
    functions = _functions(source)
    made = {s[1] for statements in functions.values() for s in statements if s[0] in ("call", "item")}
    buffers = {name: _buffer(graph.name_to_buffer[name]) for name in sorted(made) if name in graph.name_to_buffer}
    inputs = {name: _buffer(node) for name, node in graph.graph_inputs.items()}
    shapes = graph.sizevars.shape_env
    hints = shapes.backed_var_to_val if hasattr(shapes, "backed_var_to_val") else shapes.var_to_val  # until 2.8
    return {"direction": "backward" if graph.is_backward else "inference" if graph.is_inference else "forward",
            "id": graph.graph_id, "inputs": {k: v for k, v in inputs.items() if v}, "buffers": buffers, "functions": functions,
            "symbols": {str(k): int(v) for k, v in hints.items() if str(v).lstrip("-").isdigit()}}


def _nodes(module):
    rows = []
    for n in module.graph.nodes:
        given = n.args[0] if n.op == "output" else n.all_input_nodes
        value = n.meta.get("val")
        several = isinstance(value, (tuple, list))
        rows.append([n.name, n.op, str(n.target), [str(a) for a in (given if isinstance(given, (tuple, list)) else [given])],
                     [_tensor(v) for v in value] if several else _tensor(value)])
    return rows


def _storage(tensor):
    """Names a storage as long as its weak reference is kept."""
    from torch.multiprocessing.reductions import StorageWeakRef
    return StorageWeakRef(tensor.untyped_storage())


def _geometry(tensor):
    return tuple(tensor.shape), tuple(tensor.stride()), tensor.storage_offset(), tensor.dtype


def _is_view(func):
    """Whether results lie in the memory of an argument; that of a compiled graph is made inside of its function."""
    names = {"aten::_unsafe_view", "aten::alias", "aten::detach"}
    aliased = [r.alias_info for r in func._schema.returns]
    return func._schema.name in names or bool(aliased) and all(a is not None and not a.is_write for a in aliased)


class _Program(TorchDispatchMode):
    """The calls of each forward pass and its loss, as autograd sees them: graphs that were compiled, and operators
    that Python runs around and between them. A value has a name from the call that makes it until its tensor dies."""

    def __init__(self, model):
        super().__init__()
        self.model, self.passes = model, []
        self._begin()

    def _begin(self):
        self.waiting = False  # whether backward is over, and the next pass has not begun
        self.calls, self.inputs, self.outputs, self.loss = [], [], [], None
        self.names = {}      # id of a living tensor: its name
        self.living = {}     # name: weak reference to its tensor
        self.stored = {}     # address of a storage: (weak reference, first name, its geometry)
        self.seen = set()
        self.recording, self.inside = True, 0
        # In the order in which model.cuda() moves them: a module's parameters, its buffers, then its children's.
        for path, module in self.model.named_modules() if self.model is not None else ():
            for kind, named in ("parameter", module._parameters), ("buffer", module._buffers):
                for name, tensor in named.items():
                    if tensor is not None and tensor.is_cuda and id(tensor) not in self.names:
                        self._add_input(kind, (path + "." + name).replace("_orig_mod.", "").lstrip("."), tensor)

    supports_higher_order_operators = True  # what generated code calls, such as random numbers of a checkpoint

    @classmethod
    def ignore_compile_internals(cls):
        return True  # Dynamo compiles though this mode is active

    def _add_input(self, kind, qualified, tensor):
        name = "v%d" % len(self.seen)
        self._bind(tensor, name)
        self.inputs.append([name, kind, qualified, bool(tensor.requires_grad), _tensor(tensor)])
        return name

    def _bind(self, tensor, name):
        storage = _storage(tensor)
        self.seen.add(name)
        self.stored.setdefault(storage.cdata, (storage, name, _geometry(tensor)))
        key = id(tensor)
        self.names[key] = name
        living, names = self.living, self.names

        def died(_):
            living.pop(name, None)
            if names.get(key) == name:
                del names[key]
            if self.recording and living is self.living:
                self.calls.append(["end", name])
        self.living[name] = weakref.ref(tensor, died)

    def _made(self, value):
        """Names a result; None for what is no tensor on the GPU."""
        if not isinstance(value, torch.Tensor) or not value.is_cuda:
            return None
        name = "v%d" % len(self.seen)
        self._bind(value, name)
        return name

    def _name(self, tensor):
        """The value that a tensor is; one that nobody saw being made is an alias of another, or the user's."""
        if not tensor.is_cuda:
            return None
        name = self.names.get(id(tensor))
        if name is not None:
            return name
        storage, first, geometry = self.stored.get(_storage(tensor).cdata, (None, None, None))
        if first is None:
            return self._add_input("user", "", tensor)
        # It lives on under another tensor, whose end is seen instead.
        self.calls = [c for c in self.calls if c != ["end", first]]
        if geometry == _geometry(tensor):
            self._bind(tensor, first)
            return first
        name = "v%d" % len(self.seen)
        size, stride, offset, _ = _geometry(tensor)
        self.calls.append(["call", "aten.as_strided.default", [
            ["self", ["tensor", first]], ["size", ["ints", list(size)]], ["stride", ["ints", list(stride)]],
            ["storage_offset", offset]], [name]])
        self._bind(tensor, name)
        return name

    def _argument(self, value):
        if isinstance(value, torch.Tensor):
            return ["tensor", self._name(value)] if value.is_cuda else ["host", _tensor(value)]
        if isinstance(value, (list, tuple)):
            if any(isinstance(v, torch.Tensor) for v in value):
                return ["tensors", [self._name(v) if isinstance(v, torch.Tensor) else None for v in value]]
            kind = "bools" if all(isinstance(v, bool) for v in value) and value else \
                "ints" if all(isinstance(v, int) for v in value) else "floats"
            return [kind, list(value)]
        if isinstance(value, (torch.dtype, torch.memory_format)):
            return [type(value).__name__, str(value).replace("torch.", "")]
        if isinstance(value, torch.device):
            return ["device", value.type]
        return value if value is None or isinstance(value, (bool, int, float, str)) else ["other", type(value).__name__]

    def _next(self, followed):
        """Another pass begins with what autograd follows first; between passes the optimizer works."""
        from torch._guards import TracingContext
        if self.waiting and not self.inside and TracingContext.try_get() is None and followed:
            self.passes.append(self.written())
            self._begin()

    def _records(self, values):
        from torch._guards import TracingContext
        return (self.recording and not self.inside and TracingContext.try_get() is None
                and all(type(v) in (torch.Tensor, torch.nn.Parameter, torch.nn.Buffer) for v in values))

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if isinstance(func, torch._ops.HigherOrderOperator):
            return func(*args, **kwargs)
        given = [v for a in (*args, *kwargs.values()) for v in (a if isinstance(a, (list, tuple)) else [a])]
        given = [v for v in given if isinstance(v, torch.Tensor)]
        self._next(torch.is_grad_enabled() and any(v.requires_grad for v in given))
        if not self._records(given):
            return func(*args, **kwargs)
        if not any(v.is_cuda for v in given):
            made = func(*args, **kwargs)
            results = made if isinstance(made, (list, tuple)) else [made]
            if any(isinstance(v, torch.Tensor) and v.is_cuda for v in results) and not given:
                self._call(func, args, kwargs, results)
            return made  # what comes from the host is the user's, as soon as something reads it
        call = self._call(func, args, kwargs, None)
        made = func(*args, **kwargs)
        call[3] = [self._made(v) for v in (made if isinstance(made, (list, tuple)) else [made])]
        return made

    def _call(self, func, args, kwargs, results):
        named = [[a.name, v] for a, v in zip(func._schema.arguments, args)] + [[k, v] for k, v in kwargs.items()]
        arguments = [[k, self._argument(v)] for k, v in named]
        if not torch.is_grad_enabled() and not _is_view(func):
            arguments = [[k, self._detached(v)] for k, v in arguments]
        call = ["call", str(func), arguments, [self._made(v) for v in results or []]]
        self.calls.append(call)
        return call

    def _detached(self, argument):
        """Without gradients nothing is kept for them."""
        if not isinstance(argument, list) or argument[0] != "tensor" or argument[1] is None:
            return argument
        name = "v%d" % len(self.seen)
        self.seen.add(name)
        self.calls.append(["call", "aten.detach.default", [["self", argument]], [name]])
        return ["tensor", name]

    def compiled(self, plan, inputs, run):
        """Runs compiled code; `plan` is its entry among the plans."""
        self._next(plan["direction"] == "forward")
        if not self._records([v for v in inputs if isinstance(v, torch.Tensor)]) or plan["direction"] == "backward":
            self.inside += 1
            try:
                return run(inputs)
            finally:
                self.inside -= 1
        taken = [n for s in plan["functions"]["call"] if s[0] == "inputs" for n in s[1]]
        symbols = {n: v for n, v in zip(taken, inputs) if isinstance(v, int)}
        given = [self._name(v) if isinstance(v, torch.Tensor) else None for v in inputs]
        call = ["compiled", plan["number"], given, [], symbols]
        self.calls.append(call)
        self.inside += 1
        try:
            made = run(inputs)
        finally:
            self.inside -= 1
        call[3] = [self._made(v) for v in made[:plan["results"]]]
        return made

    def ends(self, loss=None):
        """The forward pass is over: what lives on is kept for backward, or is a result."""
        if self.recording:
            self.loss = None if loss is None else self._name(loss)
            self.recording = False
            if self.loss:
                self.outputs.append([self.loss, _tensor(loss)])
            given = {row[0] for row in self.inputs}
            self.calls.extend(["end", name] for name in self.living if name not in given)

    def checkpoint(self, what):
        """A checkpoint that Python calls begins or ends: what is inside runs again in backward."""
        if self.recording and not self.inside and not torch.compiler.is_compiling():
            self.calls.append(["checkpoint", what])

    def _keep_in_checkpoints(self):
        """Values of a checkpoint's function end with it, and those from outside do not end in it."""
        at, regions, made, read, after, kept = None, 0, {}, set(), [], []
        for call in self.calls:
            if call[0] == "checkpoint":
                at, regions = (regions, regions + 1) if call[1] == "begins" else (None, regions)
            elif call[0] != "end":
                made.update((name, at) for name in call[3] if name)
                given = call[2] if call[0] == "compiled" else \
                    [n for _, a in call[2] if isinstance(a, list) for n in (a[1] if a[0] == "tensors" else [a[1]])]
                read.update(n for n in given if isinstance(n, str) and made.get(n) != at)
        at, regions = None, 0
        for call in self.calls:
            if call[0] == "checkpoint":
                at, regions = (regions, regions + 1) if call[1] == "begins" else (None, regions)
            if call[0] == "end" and made.get(call[1]) != at:
                if at is not None:
                    after.append(call)
                elif call[1] in read:
                    kept.append(call)
                continue
            kept.append(call)
            if call[0] == "checkpoint" and at is None:
                kept, after = kept + after, []
        self.calls = kept

    def all(self):
        """What the file says of all passes: of one where all are alike."""
        known, numbers = [], []
        for program in [*self.passes, self.written()]:
            if program not in known:
                known.append(program)
            numbers.append(known.index(program))
        return {"program": known[0]} if len(known) == 1 else {"programs": known, "passes": numbers}

    def written(self):
        """What the file says of it; values that live on when backward is over are what Python holds."""
        self.ends()
        self._keep_in_checkpoints()
        given = {row[0] for row in self.inputs}
        storages = {_storage(r()).cdata for n, r in self.living.items() if n in given and r() is not None}
        for name, reference in self.living.items():
            tensor = reference()
            if tensor is not None and name != self.loss and _storage(tensor).cdata not in storages:
                storages.add(_storage(tensor).cdata)
                self.outputs.append([name, _tensor(tensor)])
        return {"inputs": self.inputs, "calls": self.calls, "outputs": self.outputs}


@contextlib.contextmanager
def _patched(*changes):
    """Puts other functions in the place of attributes: (owner, name, function of the one before)."""
    before = [(owner, name, getattr(owner, name)) for owner, name, _ in changes]
    try:
        for owner, name, wrapped in changes:
            setattr(owner, name, wrapped(getattr(owner, name)))
        yield
    finally:
        for owner, name, value in reversed(before):
            setattr(owner, name, value)


@contextlib.contextmanager
def written(path, model=None, **config):
    """Writes the plan of everything that is compiled inside to a file (.json or .json.gz)."""
    from torch._functorch import config as functorch
    from torch._inductor import compile_fx, config as inductor, output_code
    from torch._inductor.graph import GraphLowering
    found = {"partitions": [], "plans": []}
    program = _Program(model)

    def codegen(generate):
        def replaced(self):
            result = generate(self)
            code = result[0]
            plan = _plan(self, code if isinstance(code, str) else getattr(code, "value", None) or code[0])
            forwards = sum(p["direction"] == "forward" for p in found["plans"])
            plan["number"] = len(found["plans"])
            plan["results"] = found["partitions"][forwards]["outputs"] if plan["direction"] == "forward" else None
            found["plans"].append(plan)
            self.headroom_plan = plan
            return result
        return replaced

    def partition(divide):
        def replaced(module, inputs, *args, **kwargs):
            forward, backward = divide(module, inputs, *args, **kwargs)
            found["partitions"].append({"outputs": kwargs.get("num_fwd_outputs"), "forward": _nodes(forward),
                                        "backward": _nodes(backward)})
            return forward, backward
        return replaced

    def made(init):
        def replaced(self, current_callable, graph, *args, **kwargs):
            init(self, current_callable, graph, *args, **kwargs)
            self.headroom_plan = getattr(graph, "headroom_plan", None)
        return replaced

    def called(call):
        def replaced(self, inputs):
            plan = getattr(self, "headroom_plan", None)
            return call(self, inputs) if plan is None else program.compiled(plan, inputs, lambda i: call(self, i))
        return replaced

    def backward(run):
        def replaced(tensors, *args, **kwargs):
            program.ends(tensors if isinstance(tensors, torch.Tensor) else tensors[0])
            run(tensors, *args, **kwargs)
            program.waiting = True
        return replaced

    def noted(what):
        return lambda run: lambda self, *args: (program.checkpoint(what), run(self, *args))[1]

    # What was compiled before would be taken from the cache without being looked at.
    caches = inductor.patch(fx_graph_cache=False), functorch.patch(enable_autograd_cache=False)
    follows = model is not None and hasattr(TorchDispatchMode, "ignore_compile_internals")
    graph, hook = output_code.CompiledFxGraph, torch.utils.checkpoint._checkpoint_hook
    with _patched((GraphLowering, "codegen", codegen), (graph, "__init__", made), (graph, "__call__", called),
                  (compile_fx, "min_cut_rematerialization_partition", partition),
                  (hook, "__enter__", noted("begins")), (hook, "__exit__", noted("ends")),
                  (torch.autograd, "backward", backward)):
        with caches[0], caches[1], program if follows else contextlib.nullcontext():
            yield found
    if follows:
        found.update(program.all())
    with (gzip.open if str(path).endswith(".gz") else open)(path, "wt") as file:
        json.dump({"format": 1, "config": config, **found}, file, separators=(",", ":"))
