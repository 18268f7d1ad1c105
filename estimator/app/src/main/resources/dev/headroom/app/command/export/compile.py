"""Writes what torch.compile decides about memory, for `headroom predict PLAN.json.gz`.

    import headroom_plan
    with headroom_plan.written("plan.json.gz", batch=32, amp="bf16"):
        loss = criterion(compiled(x), y)      # one step on a GPU: forward, loss and backward
        loss.backward()

Needs PyTorch 2.6 or newer and a GPU that Inductor compiles for; weights and data do not matter. `batch`, `amp`, `dtype`
("bf16", "fp16") and `input_grad` say what the step was run with, `compile_optimizer` whether its step is compiled, too.
"""
import ast
import contextlib
import gzip
import json

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
    import torch
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


@contextlib.contextmanager
def written(path, **config):
    """Writes the plan of everything that is compiled inside to a file (.json or .json.gz)."""
    from torch._functorch import config as functorch
    from torch._inductor import compile_fx, config as inductor
    from torch._inductor.graph import GraphLowering
    found = {"partitions": [], "plans": []}
    generate, divide = GraphLowering.codegen, compile_fx.min_cut_rematerialization_partition

    def codegen(self):
        result = generate(self)
        code = result[0]
        found["plans"].append(_plan(self, code if isinstance(code, str) else getattr(code, "value", None) or code[0]))
        return result

    def partition(module, inputs, *args, **kwargs):
        forward, backward = divide(module, inputs, *args, **kwargs)
        found["partitions"].append({"outputs": kwargs.get("num_fwd_outputs"), "forward": _nodes(forward),
                                    "backward": _nodes(backward)})
        return forward, backward

    # What was compiled before would be taken from the cache without being looked at.
    caches = inductor.patch(fx_graph_cache=False), functorch.patch(enable_autograd_cache=False)
    GraphLowering.codegen, compile_fx.min_cut_rematerialization_partition = codegen, partition
    try:
        with caches[0], caches[1]:
            yield found
    finally:
        GraphLowering.codegen, compile_fx.min_cut_rematerialization_partition = generate, divide
    with (gzip.open if str(path).endswith(".gz") else open)(path, "wt") as file:
        json.dump({"format": 1, "config": config, **found}, file, separators=(",", ":"))
