"""Where in the model's code a recording is."""

from __future__ import annotations

import linecache
import os
import sys
from functools import cache
from pathlib import Path
from types import FrameType

import torch

from headroom._observe import Observed

HERE = f"{Path(__file__).parent}{os.sep}"
TORCH = f"{Path(torch.__file__).parent}{os.sep}"


class Frames:
    """The running functions and modules, as the exporter writes them into metadata of nodes."""

    def __init__(self, seen: Observed) -> None:
        """Takes what knows the running modules."""
        self.seen = seen
        self.root: list[FrameType] = []
        self.numbers: dict[int, int] = {}
        self.alive: list[FrameType] = []  # identities count as long as what they are of

    def only_inside(self, frame: FrameType) -> None:
        """From now on only what this frame calls counts: a pass of a custom function."""
        self.root.append(frame)

    def outside_again(self) -> None:
        """Ends the last ``only_inside``."""
        self.root.pop()

    def where(self) -> tuple[str, str]:
        """The running modules and the lines that they run, as the exporter writes both."""
        frames = self._python()
        if self.root:  # inside of a function: the functions that run, each with its variables
            path = self.seen.path(self.seen.calls[-1]) if self.seen.calls else ""
            stack = [f"{path}@{self._number(f)},{path},function" for f in frames]
        else:
            frames = [f for f in frames if f.f_code.co_name == "forward"]
            stack = [self._module(m) for m in self.seen.calls]
        return ";".join(stack), "".join(_line(f) for f in frames).strip()

    def _module(self, module: torch.nn.Module) -> str:
        path = self.seen.path(module)
        kind = type(module)
        return f"{path}@{self.seen.numbers[id(module)]},{path},{kind.__module__}.{kind.__qualname__}"

    def _number(self, frame: FrameType) -> int:
        self.alive.append(frame)
        return self.numbers.setdefault(id(frame), len(self.numbers) + 1)

    def _python(self) -> list[FrameType]:
        """Frames of the model's code, outermost first; inside of a function's pass only those of the pass."""
        frames: list[FrameType] = []
        frame: FrameType | None = sys._getframe()
        stop = self.root[-1] if self.root else None
        while frame is not None and frame is not stop:
            if not frame.f_code.co_filename.startswith(HERE) and not _inner(frame):
                frames.append(frame)
            frame = frame.f_back
        return frames[::-1]

    def place(self) -> str:
        """The innermost line of the model's own code."""
        frames = [f for f in self._python() if not f.f_code.co_filename.startswith(TORCH)]
        return f"{frames[-1].f_code.co_filename}:{frames[-1].f_lineno}" if frames else "an unknown line"

    def raised(self, error: BaseException) -> str:
        """The innermost line of the model's own code that an error came through."""
        own = "an unknown line"
        trace = error.__traceback__
        while trace is not None:
            file = trace.tb_frame.f_code.co_filename
            if not file.startswith((HERE, TORCH)):
                own = f"{file}:{trace.tb_lineno}"
            trace = trace.tb_next
        return own


def _inner(frame: FrameType) -> bool:
    """Whether a frame is PyTorch's own and no module's."""
    return frame.f_code.co_filename.startswith(TORCH) and frame.f_code.co_name != "forward"


@cache
def _short(file: str) -> str:
    """A file's path from where Python imports it."""
    folders = sorted((f for f in sys.path if f and file.startswith(f + "/")), key=len)
    return file[len(folders[-1]) + 1 :] if folders else Path(file).name


def _line(frame: FrameType) -> str:
    code = frame.f_code
    text = linecache.getline(code.co_filename, frame.f_lineno, frame.f_globals).strip()
    return f'  File "{_short(code.co_filename)}", line {frame.f_lineno}, in {code.co_name}\n    {text}\n'
