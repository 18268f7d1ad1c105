"""Headroom's allocator beside PyTorch's own: both do the operations of recorded training runs, in turn.

    python validation/peers/allocator.py --nullcuda 'PATH/run.sh' [--seconds 5] [--repeat 5]

Run it with a Python that has torch, after `mvn -q -B -DskipTests -pl validation -am package`. README.md of this folder
says what is counted.
"""
import argparse
import os
import shlex
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
RUNS = ("gpt2-b8-512-adamw", "resnet50-b32-adamw-amp16", "resnet18-b128-none")


def compiled(folder):
    """The replay of PyTorch's allocator."""
    import torch

    home = Path(torch.__file__).parent
    cuda = [p for p in (home.parent / "nvidia").glob("*/include") if (p / "cuda_runtime_api.h").exists()]
    cuda += [Path(os.environ.get("CUDA_HOME", "/usr/local/cuda")) / "include"]
    lib = [home / "lib", *(p.parent / "lib" for p in cuda)]
    program = folder / "replay"
    subprocess.run(
        ["g++", "-O2", "-std=c++20", str(HERE / "replay.cpp"), "-o", str(program), f"-I{home / 'include'}"]
        + [f"-I{p}" for p in cuda]
        + [f"-L{lib[0]}", "-lc10_cuda", "-lc10", "-Wl,--allow-shlib-undefined"]
        + [f"-Wl,-rpath,{p}" for p in lib],
        check=True,
    )
    return program


def numbers(command):
    """Median and best rate, and bytes reserved, as a program prints them."""
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    return float(printed[0]), float(printed[1]), int(printed[2])


def main():
    """Prints a row a recorded run."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--nullcuda", default=os.environ.get("HEADROOM_NULLCUDA"), help="runs a command without a GPU")
    options.add_argument("--seconds", type=float, default=5, help="of processor time, each turn")
    options.add_argument("--repeat", type=int, default=5, help="turns")
    asked = options.parse_args()
    if not asked.nullcuda:
        sys.exit("name the command that runs a program over null CUDA libraries: --nullcuda; with a GPU, env will do")
    target = ROOT / "validation/target"
    jars = [*target.glob("validation-*.jar"), target / "lib/*"]
    java = ["java", "-XX:+UseSerialGC", f"-Dheadroom.fixtures={ROOT / 'fixtures'}", "-cp", ":".join(map(str, jars))]
    print(f"{'million operations a second':28} {'PyTorch':>8} {'Headroom':>9} {'ratio':>6}   reserved")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        replay = compiled(folder)
        for run in RUNS:
            stream = folder / f"{run}.txt"
            seconds = str(asked.seconds)
            ours = [*java, "dev.headroom.validation.benchmark.AllocatorRate", run, str(stream), seconds]
            theirs = [*shlex.split(asked.nullcuda), str(replay), str(stream), seconds]
            turns = [(numbers(ours), numbers(theirs)) for _ in range(asked.repeat)]
            here, there = (statistics.median(turn[who][0] for turn in turns) for who in (0, 1))
            reserved = {turn[who][2] for turn in turns for who in (0, 1)}
            same = f"{reserved.pop():,}" if len(reserved) == 1 else f"differs: {sorted(reserved)}"
            print(f"{run:28} {there:8.2f} {here:9.2f} {here / there:6.1f}   {same}")


if __name__ == "__main__":
    main()
