"""Keywords of Python as options of the command line, which alone knows what they mean."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from typing import Any

REPEATED = {"checkpoint_modules", "compare", "dim", "param_group", "set", "split", "wrap_modules"}
"""Options that may be given several times; lists for others are joined with commas."""

SAY_TRUE = {
    "cpu_ram_efficient_loading",
    "ddp_find_unused_parameters",
    "foreach",
    "limit_all_gathers",
    "overlap_comm",
    "reentrant",
    "reshard_after_forward",
}
"""Options whose value may be the word ``true`` or ``false``; a truth value for others sets a flag."""

TYPES = {"float32": "fp32", "float16": "fp16", "bfloat16": "bf16"}


def arguments(options: Mapping[str, Any]) -> list[str]:
    """The options in the order given; ``None`` and a flag's ``False`` leave one out.

    ``checkpoint_modules=["layer*"]`` is ``--checkpoint-modules layer*``, ``dim={"seq": 128}`` is ``--dim seq=128``,
    and a type of PyTorch may stand for its name.
    """
    line: list[str] = []
    for name, value in options.items():
        option = "--" + name.rstrip("_").replace("_", "-")
        if value is None or (value is False and name not in SAY_TRUE):
            continue
        if value is True and name not in SAY_TRUE:
            line.append(option)
            continue
        for word in _words(name, value):
            line += [option, word]
    return line


def _words(name: str, value: Any) -> list[str]:
    if isinstance(value, Mapping):
        if name not in REPEATED:
            return [json.dumps(value)]
        return [f"{k}={json.dumps(v) if name == 'set' else v}" for k, v in value.items()]
    if isinstance(value, Sequence) and not isinstance(value, str):
        words = [_word(v) for v in value]
        return words if name in REPEATED else [",".join(words)]
    return [_word(value)]


def _word(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, os.PathLike):
        return str(os.fspath(value))
    text = str(value)
    return TYPES.get(text.removeprefix("torch."), text)
