"""What an optimizer's instance says of itself, in the command line's words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import torch

from headroom.errors import HeadroomError

Optimizers: TypeAlias = torch.optim.Optimizer | Sequence[torch.optim.Optimizer]
"""One, or several that step one after the other."""

NAMES = {
    ("torch", "SGD"): "sgd",
    ("torch", "Adam"): "adam",
    ("torch", "AdamW"): "adamw",
    ("torch", "RMSprop"): "rmsprop",
    ("torch", "Adagrad"): "adagrad",
    ("torch", "Adafactor"): "adafactor",
    ("torch", "NAdam"): "nadam",
    ("torch", "RAdam"): "radam",
    ("torch", "Adamax"): "adamax",
    ("torch", "Adadelta"): "adadelta",
    ("torch", "ASGD"): "asgd",
    ("torch", "Rprop"): "rprop",
    ("torch", "Muon"): "muon",
    ("torch", "SparseAdam"): "sparse-adam",
    ("transformers", "Adafactor"): "hf-adafactor",
    **{("torchao", kind): f"ao-{kind.lower()}" for kind in ("Adam8bit", "Adam4bit", "AdamFp8")},
    **{("torchao", kind): f"ao-{kind.lower()}" for kind in ("AdamW8bit", "AdamW4bit", "AdamWFp8")},
}
"""Optimizers by library and class."""

BITSANDBYTES = (
    *("PagedAdamW", "PagedAdam", "PagedLion", "PagedAdEMAMix", "AdamW", "Adam", "Lion", "AdEMAMix"),
    *("SGD", "Adagrad", "RMSprop", "LARS", "LAMB"),
)
"""Classes of bitsandbytes, whose names may end in the width of their state."""

LIBRARIES = ("trainer", "sft")
"""Loops that group parameters their own way."""

FLAGS = {
    "amsgrad": ("adam", "adamw"),
    "centered": ("rmsprop",),
    "maximize": tuple(name for (library, _), name in NAMES.items() if library == "torch"),
    "nesterov": ("sgd",),
}
"""Settings that are options of the same name, and optimizers that have them as such."""


def bare(optimizer: Any) -> torch.optim.Optimizer:
    """The optimizer inside of what libraries wrap around it, such as Accelerate's.

    Raises:
        HeadroomError: for what is no optimizer.
    """
    while hasattr(optimizer, "optimizer"):
        optimizer = optimizer.optimizer
    if not isinstance(optimizer, torch.optim.Optimizer):
        raise HeadroomError(f"{type(optimizer).__name__} is no optimizer of PyTorch; name one, such as 'adamw'")
    return optimizer


def settings(
    optimizers: Optimizers, model: torch.nn.Module, asked: Mapping[str, Any]
) -> tuple[dict[str, Any], list[str]]:
    """Options of the command line, from the types, settings and groups of parameters of instances.

    Args:
        optimizers: one, or several that step one after the other.
        model: whose parameters they step.
        asked: other options of the question; loops of libraries and several GPUs group parameters their own way.

    Returns:
        Options, and remarks on what they do not say.

    Raises:
        HeadroomError: for an optimizer that is not known.
    """
    several = [optimizers] if not isinstance(optimizers, Sequence) else list(optimizers)
    if not several:
        raise HeadroomError("no optimizer is given: name one, such as 'adamw', or 'none'")
    instances = [bare(o) for o in several]
    first = _of_group(instances[0], instances[0].param_groups)
    if asked.get("loop") in LIBRARIES and first["optimizer"] == "adamw" and "fused" not in first:
        first.setdefault("foreach", True)  # unsaid, it is the Trainer's own, which is fused
    if asked.get("loop") in LIBRARIES or asked.get("parallel"):
        return first, [] if len(instances) == 1 else ["the first optimizer is taken for all parameters"]
    names = {id(p): name for name, p in model.named_parameters()}
    groups, strange = [], 0
    for instance in instances:
        for group in instance.param_groups:
            members = [names[id(p)] for p in group["params"] if id(p) in names]
            strange += len(group["params"]) - len(members)
            if members:
                groups.append((members, _of_group(instance, [group])))
    notes = [f"{strange} parameters of the optimizer are not the model's: they are left out"] if strange else []
    trained = [name for name, p in model.named_parameters() if p.requires_grad]
    if not groups or (len(groups) == 1 and [n for n in groups[0][0] if n in set(trained)] == trained):
        return first, notes
    base = groups[0][1]
    return base | {"param_group": [_group(members, own, base) for members, own in groups]}, notes


def _of_group(optimizer: torch.optim.Optimizer, groups: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Options of some groups of an optimizer: the settings of the first, and a weight decay if any has one."""
    name = _name(optimizer)
    group = groups[0]
    options: dict[str, Any] = {"optimizer": name}
    if name == "sgd" and group.get("momentum"):
        options["optimizer"] = "sgd-momentum"
    elif name == "rmsprop" and group.get("momentum"):
        options["momentum"] = True
    if any(g.get("weight_decay") for g in groups) and name not in ("adamw", "rprop"):
        options["weight_decay"] = True
    options |= {flag: True for flag, names in FLAGS.items() if name in names and group.get(flag)}
    if group.get("fused"):
        options["fused"] = True
    elif group.get("foreach") is not None:
        options["foreach"] = group["foreach"]
    return options


def _group(members: list[str], own: dict[str, Any], base: dict[str, Any]) -> str:
    """``--param-group``'s words for a group: names of its parameters, and the settings that are not the run's."""
    if own["optimizer"] != base["optimizer"]:
        base = {}
    words = [f"{k.replace('_', '-')}={_word(v)}" for k, v in own.items() if base.get(k) != v]
    for key in base.keys() - own.keys():
        words.append(f"{key.replace('_', '-')}={'auto' if key == 'foreach' else 'false'}")
    return ";".join([",".join(members), *sorted(words)])


def _word(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _name(optimizer: torch.optim.Optimizer) -> str:
    for kind in type(optimizer).__mro__:
        library = kind.__module__.split(".")[0]
        if (library, kind.__name__) in NAMES:
            return NAMES[library, kind.__name__]
        if library == "bitsandbytes":
            found = _bitsandbytes(optimizer, kind.__name__)
            if found:
                return found
    known = ", ".join(sorted({kind for _, kind in NAMES}))
    raise HeadroomError(
        f"the optimizer {type(optimizer).__name__} is not known; pass optimizer='adamw' or another name of one that"
        f" keeps as much (known: {known} and those of bitsandbytes)"
    )


def _bitsandbytes(optimizer: torch.optim.Optimizer, kind: str) -> str | None:
    base = kind.removesuffix("8bit").removesuffix("32bit")
    if base not in BITSANDBYTES:
        return None
    bits = getattr(getattr(optimizer, "args", None), "optim_bits", 32)
    paged, plain = ("paged-", base.removeprefix("Paged")) if base.startswith("Paged") else ("", base)
    if plain == "AdEMAMix":
        return f"{paged}ademamix{'8bit' if bits == 8 else ''}"
    return f"{paged}{plain.lower()}{bits}bit"
