"""Runs Headroom's Java: as the command ``headroom``, and for the functions of this package."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from headroom.errors import Defect, HeadroomError

RUNTIME = Path(__file__).parent / "runtime"
MAIN = "dev.headroom.app.command.Main"
START = ("-XX:-UsePerfData", "-Xshare:auto", "-Xlog:disable", "-Xlog:all=error:stderr")

LAUNCHED = "HEADROOM_LAUNCHED"
"""The process that was already replaced by what ``HEADROOM_COMMAND`` names."""

DOOR = "HEADROOM_DOOR"
"""Through which answers leave: they say ``dtype="bf16"`` where the command line says ``--dtype bf16``."""

FITS, DEFECT, BAD_INPUT, DOES_NOT_FIT = 0, 1, 2, 3
"""Exit statuses of the command line."""


def command(arguments: Sequence[str]) -> list[str]:
    """The process that runs a command line; ``HEADROOM_COMMAND`` replaces the Java that this package brings."""
    other = os.environ.get("HEADROOM_COMMAND")
    if other:
        return [*shlex.split(other), *arguments]
    java = RUNTIME / "bin" / "java"
    if not java.exists():
        raise HeadroomError(
            "this installation lacks its Java; install the wheel, or set HEADROOM_COMMAND to a launcher"
        )
    flags = _flags(arguments[0] if arguments else "")
    if sys.stderr is not None and sys.stderr.isatty():
        flags.append("-Dheadroom.terminal=true")
    flags += shlex.split(os.environ.get("HEADROOM_JAVA_OPTS", ""))
    return [str(java), *START, *flags, MAIN, *arguments]


def _flags(command: str) -> list[str]:
    """Options of Java that fit what a command does."""
    serial = "-XX:+UseSerialGC"  # it starts fastest
    if command == "measure":
        return [serial, "-XX:MaxRAMPercentage=70"]  # it computes, and keeps values in Java's heap
    flags = ["-XX:TieredStopAtLevel=1"]  # predictions are short: the first compiler starts fastest
    if (os.cpu_count() or 1) <= 2:
        # A second thread that compiles would take the processor that the program runs on.
        flags.append("-XX:CICompilerCount=1")
    if command == "advise":
        # It plays a hundred runs, and while what they made is copied, all processors wait.
        return [*flags, "-XX:+UseParallelGC", "-XX:InitialRAMPercentage=6.25", "-XX:MaxNewSize=256m"]
    if command in ("predict", "explain"):
        # What is called in less than a second is not worth being compiled into each of its callers.
        flags.append("-XX:C1MaxInlineSize=15")
    return [serial, *flags]


def environment() -> dict[str, str]:
    """The process's variables: NVIDIA's libraries of this Python are found also when nothing has activated it."""
    return {"VIRTUAL_ENV": sys.prefix, **os.environ}


def main() -> None:
    """The command ``headroom``: becomes Java."""
    # What is executed in this process's place has its number: a launcher that is this command again is known by it.
    process = str(os.getpid())
    if os.environ.get("HEADROOM_COMMAND") and os.environ.get(LAUNCHED) == process:
        _refuse("HEADROOM_COMMAND names this very command; unset it, or name another launcher")
    try:
        line = command(sys.argv[1:])
    except HeadroomError as e:
        _refuse(str(e))
    variables = {**environment(), LAUNCHED: process}
    try:
        os.execvpe(line[0], line, variables)
    except OSError as e:
        _refuse(f"{line[0]} cannot be run: {e.strerror}; HEADROOM_COMMAND names the launcher")


def _refuse(why: str) -> NoReturn:
    print(f"headroom: {why}", file=sys.stderr)
    sys.exit(BAD_INPUT)


def run(arguments: Sequence[str]) -> str:
    """Runs a command line and returns what it prints; warnings go to this process's standard error.

    Raises:
        HeadroomError: for bad input, with the line that says what to do.
        Defect: when Headroom fails.
    """
    done = subprocess.run(
        command(arguments),
        env={**environment(), DOOR: "python"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    if done.returncode in (FITS, DOES_NOT_FIT):
        return done.stdout
    lines = [line.removeprefix("headroom: ") for line in done.stderr.strip().splitlines()]
    message = lines[-1] if lines else f"Headroom's Java ended with status {done.returncode}"
    raise HeadroomError(message) if done.returncode == BAD_INPUT else Defect("\n".join(lines) or message)
