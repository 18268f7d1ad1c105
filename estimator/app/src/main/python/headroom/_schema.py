"""Recorded programs as files: the layout and the JSON of ``torch.export.save``, without weights.

The importer of archives reads them. Source of the names: torch/_export/serde/schema.py, schema 8.
"""

from __future__ import annotations

import json
import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch

Json = dict[str, Any]

DTYPES = {
    **{torch.uint8: 1, torch.int8: 2, torch.int16: 3, torch.int32: 4, torch.int64: 5},
    **{torch.float16: 6, torch.float32: 7, torch.float64: 8, torch.bfloat16: 13, torch.bool: 12},
    **{torch.complex32: 9, torch.complex64: 10, torch.complex128: 11},
    **{torch.uint16: 28, torch.uint32: 34, torch.uint64: 35},
    **{torch.float8_e4m3fn: 29, torch.float8_e5m2: 30, torch.float8_e4m3fnuz: 31, torch.float8_e5m2fnuz: 32},
}
FORMATS = {
    torch.contiguous_format: 1,
    torch.channels_last: 2,
    torch.channels_last_3d: 3,
    torch.preserve_format: 4,
}
STRIDED = 7


@dataclass
class Body:
    """A graph that is being written: its inputs, nodes and outputs, and what is known of its values."""

    inputs: list[str] = field(default_factory=list)
    nodes: list[Json] = field(default_factory=list)
    outputs: list[str | None] = field(default_factory=list)
    values: dict[str, Json] = field(default_factory=dict)

    def graph(self) -> Json:
        """The schema's ``Graph``."""
        return {
            "inputs": [value(name) for name in self.inputs],
            "outputs": [value(name) for name in self.outputs],
            "nodes": self.nodes,
            "tensor_values": self.values,
            "sym_int_values": {},
            "sym_bool_values": {},
        }


def value(name: str | None) -> Json:
    """A tensor as an argument."""
    return {"as_none": True} if name is None else {"as_tensor": {"name": name}}


def values(names: list[str | None]) -> Json:
    """A list of tensors as an argument."""
    if None in names:
        return {"as_optional_tensors": [value(name) for name in names]}
    return {"as_tensors": [{"name": name} for name in names]}


def meta(tensor: torch.Tensor) -> Json:
    """The schema's ``TensorMeta``."""
    return {
        "dtype": DTYPES[tensor.dtype],
        "sizes": [{"as_int": int(s)} for s in tensor.shape],
        "requires_grad": tensor.requires_grad,
        "device": {"type": tensor.device.type, "index": tensor.device.index},
        "strides": [{"as_int": int(s)} for s in tensor.stride()],
        "storage_offset": {"as_int": int(tensor.storage_offset())},
        "layout": STRIDED,
    }


def plain(argument: Any, kind: str) -> Json:
    """An argument that holds no tensor; ``kind`` is its type in the operator's schema, such as ``int[]``."""
    if argument is None:
        return {"as_none": True}
    if isinstance(argument, bool):
        return {"as_bool": argument}
    if isinstance(argument, (int, torch.SymInt)):
        return {"as_int": int(argument)}
    if isinstance(argument, float):
        return {"as_float": argument if abs(argument) != float("inf") else str(argument)}
    if isinstance(argument, str):
        return {"as_string": argument}
    if isinstance(argument, torch.dtype):
        return {"as_scalar_type": DTYPES[argument]}
    if isinstance(argument, torch.memory_format):
        return {"as_memory_format": FORMATS[argument]}
    if isinstance(argument, torch.layout):
        return {"as_layout": STRIDED}
    if isinstance(argument, torch.device):
        return {"as_device": {"type": argument.type, "index": argument.index}}
    if isinstance(argument, (list, tuple)):
        if all(isinstance(a, bool) for a in argument) and ("bool" in kind or argument):
            return {"as_bools": list(argument)}
        if "float" in kind or any(isinstance(a, float) for a in argument):
            return {"as_floats": [float(a) for a in argument]}
        return {"as_ints": [int(a) for a in argument]}
    return {"as_operator": type(argument).__name__}


def named(name: str, argument: Json) -> Json:
    """An argument of a node."""
    return {"name": name, "arg": argument, "kind": 1}


def write(file: Path, graph: Json, inputs: list[Json], outputs: list[str | None], model: torch.nn.Module) -> None:
    """Writes an archive.

    Args:
        file: where to.
        graph: the schema's ``Graph``.
        inputs: the schema's ``InputSpec`` of each input.
        outputs: names of the model's results, ``None`` for one that is no tensor.
        model: whose modules and tensors are listed, a tied tensor under all of its names.
    """
    records: dict[int, str] = {}
    weights: Json = {}
    state = [*model.named_parameters(remove_duplicate=False), *persistent(model)]
    for name, tensor in state:
        records.setdefault(id(tensor), f"weight_{len(records)}")
        weights[name] = {
            "path_name": records[id(tensor)],
            "is_param": isinstance(tensor, torch.nn.Parameter),
            "use_pickle": False,
            "tensor_meta": meta(tensor),
        }
    program = {
        "graph_module": {
            "graph": graph,
            "signature": {
                "input_specs": inputs,
                "output_specs": [{"user_output": {"arg": value(name)}} for name in outputs],
            },
            "module_call_graph": [{"fqn": name, "signature": None} for name, _ in model.named_modules()],
        },
        "range_constraints": {},
        "schema_version": {"major": 8, "minor": 20},
        "torch_version": torch.__version__,
    }
    root = file.stem
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(f"{root}/archive_format", "pt2")
        archive.writestr(f"{root}/archive_version", "0")
        archive.writestr(f"{root}/models/model.json", json.dumps(program))
        archive.writestr(f"{root}/data/weights/model_weights_config.json", json.dumps({"config": weights}))
        archive.writestr(f"{root}/data/constants/model_constants_config.json", '{"config": {}}')
        # A record's name says which tensors are one; that it is not empty says that its name counts.
        for record in records.values():
            archive.writestr(f"{root}/data/weights/{record}", "0")


def persistent(model: torch.nn.Module) -> list[tuple[str, torch.Tensor]]:
    """Buffers that the state of a model holds, under all of their names."""
    found = []
    for path, module in model.named_modules(remove_duplicate=False):
        for name, buffer in module.named_buffers(recurse=False, remove_duplicate=False):
            if name not in module._non_persistent_buffers_set:
                found.append((f"{path}.{name}" if path else name, buffer))
    return found
