"""What an optimizer's instance says of itself, in the command line's words."""

from __future__ import annotations

from typing import Any

import torch

from headroom.errors import HeadroomError

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

FLAGS = ("amsgrad", "maximize", "nesterov", "centered")
"""Settings that are options of the same name."""


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


def settings(optimizer: torch.optim.Optimizer) -> dict[str, Any]:
    """Options of the command line, from the type of an instance and the settings of its first group.

    Raises:
        HeadroomError: for an optimizer that is not known.
    """
    optimizer = bare(optimizer)
    name = _name(optimizer)
    group = optimizer.param_groups[0]
    options: dict[str, Any] = {"optimizer": name}
    if name == "sgd" and group.get("momentum"):
        options["optimizer"] = "sgd-momentum"
    elif name == "rmsprop" and group.get("momentum"):
        options["momentum"] = True
    if any(g.get("weight_decay") for g in optimizer.param_groups) and name not in ("adamw", "rprop"):
        options["weight_decay"] = True
    options |= {flag: True for flag in FLAGS if group.get(flag)}
    if group.get("fused"):
        options["fused"] = True
    elif group.get("foreach") is not None:
        options["foreach"] = group["foreach"]
    return options


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
