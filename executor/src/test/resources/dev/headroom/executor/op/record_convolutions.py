"""Records what PyTorch asks cuDNN for the convolutions in convolutions.csv, forward and backward, and what it allocates.

    NULLCUDA_CUDNN=heuristics NULLCUDA_PROFILE=h200 NULLCUDA_TRACE=1 \\
        NULLCUDA_CUDNN_HEUR=cudnn_heuristics/build/cudnn_heur \\
        NULLCUDA_GPU="90,132,2048,32,227,61440,143771,1980000,3201000,NVIDIA H200" \\
        nullcuda/run.sh python record_convolutions.py convolutions.csv | gzip -9n > convolutions.txt.gz

over null CUDA libraries whose cuDNN asks the real one, through a program of its own, for a GPU that is not there; with
PyTorch 2.14.1 and cuDNN 9.24.0. Lines of the output:

    case NAME                  a line of the table begins
    asked QUESTION             way, dimensions, type of the computation, mode; of x, w and y the type, alignment, sizes and
                               strides; paddings before and after, strides, dilations; before it the heuristic mode
    plan ENGINE WORKSPACE NUMERICAL BEHAVIOUR
                               the plans of the question above, in order; notes in hexadecimal, bit i is note i; workspace
                               -1 for one that cannot be made
    alloc BYTES and other actions of PyTorch's memory history
"""
import csv
import gc
import os
import re
import subprocess
import sys
import tempfile

import torch


class Helper:
    """The program that the null cuDNN asks, asked again for all plans of a question."""

    def __init__(self):
        gpu = os.environ["NULLCUDA_GPU"]
        env = {k: v for k, v in os.environ.items() if k != "LD_PRELOAD"}
        self.process = subprocess.Popen([os.environ["NULLCUDA_CUDNN_HEUR"], "--serve", gpu], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True, env=env)

    def plans(self, question):
        self.process.stdin.write(question + "\n")
        self.process.stdin.flush()
        count = int(self.process.stdout.readline().split()[0])
        return [self.process.stdout.readline().split()[:4] for _ in range(count)]


def numbers(text):
    return [int(n) for n in text.split(",")]


def tensor(sizes, dtype, layout, skip):
    n = 1
    for s in sizes:
        n *= s
    memory = torch.empty(n + skip, dtype=dtype, device="cuda")
    t = memory[skip:].view(sizes)
    if layout == "nhwc":
        permuted = [sizes[0]] + sizes[2:] + sizes[1:2]
        last = len(sizes) - 1
        t = memory[skip:].view(permuted).permute(0, last, *range(1, last))
    return t.requires_grad_()


def run(row):
    dtype = getattr(torch, row["dtype"])
    x = tensor(numbers(row["input"]), dtype, row["layout"], int(row["skip"]))
    w = tensor(numbers(row["weight"]), dtype, row["layout"], 0)
    torch.use_deterministic_algorithms(row["deterministic"] == "1")
    torch.utils.deterministic.fill_uninitialized_memory = False
    total = torch.cuda.get_device_properties(0).total_memory
    limit = int(row["limit"])
    torch.cuda.set_per_process_memory_fraction(limit / total if limit else 1.0)
    torch.cuda.memory._record_memory_history("all", context=None)
    y = torch.ops.aten.convolution(x, w, None, numbers(row["stride"]), numbers(row["padding"]), numbers(row["dilation"]),
                                   row["transposed"] == "1", numbers(row["output_padding"]), int(row["groups"]))
    y.backward(y.detach())
    events = torch.cuda.memory._snapshot()["device_traces"][0]
    torch.cuda.memory._record_memory_history(None)
    return [(e["action"], e["size"]) for e in events]


def main():
    helper = Helper()
    torch.cuda.init()
    with open(sys.argv[1], newline="") as f:
        rows = list(csv.DictReader(f, delimiter=";"))
    for row in rows:
        gc.collect()
        torch.cuda.empty_cache()
        print("case", row["name"])
        stderr = os.dup(2)
        with tempfile.TemporaryFile("w+") as log:
            os.dup2(log.fileno(), 2)
            try:
                events = run(row)
            finally:
                os.dup2(stderr, 2)
            log.seek(0)
            for question in re.findall(r"cudnn: ([0-9 ]+): \d+ engine conf", log.read()):
                print("asked", question)
                for plan in helper.plans(question):
                    print("plan", *plan)
        for action, size in events:
            print(action, size)


main()
