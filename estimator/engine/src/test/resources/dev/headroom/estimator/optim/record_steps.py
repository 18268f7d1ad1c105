"""Records what optimizers allocate and free, with a CUDA build of PyTorch.

    python record_steps.py > steps.json

Parameters of several types and ranks; one has no gradient, one is frozen. Each
case is constructed and stepped twice or more often; "phases" are the constructor and the
steps, each a list of the bytes requested (positive) and freed (negative).
Kernels need not really run: only the allocator's history is read, and ASGD is
given what it reads from the device.
"""
import functools
import json

import torch

TYPES = {"float32": torch.float32, "float16": torch.float16, "bfloat16": torch.bfloat16}
PARAMETERS = [("float32", [64, 32, 3, 3], True), ("bfloat16", [300, 200], True), ("float32", [64], True),
              ("float16", [7, 50000], True), ("bfloat16", [300], True), ("float32", [1000, 1], True),
              ("float32", [11, 13], False), ("float32", [], True), ("float32", [3, 700, 1100], True),
              ("float32", [17], None), ("float16", [64, 100000], True), ("float32", [1000000], True)]
LOOPS = [("for-loop", {"foreach": False}), ("foreach", {"foreach": True}), ("auto", {}), ("fused", {"fused": True})]
DECAY = {"weight_decay": 0.1}
UP = {"maximize": True}
FOUR = [{}, DECAY, UP, {**UP, **DECAY}]
CASES = [("sgd", torch.optim.SGD, FOUR),
         ("sgd-momentum", torch.optim.SGD, [{"momentum": 0.9, **nesterov, **v} for nesterov in ({}, {"nesterov": True})
                                            for v in FOUR]),
         ("adam", torch.optim.Adam, [{**amsgrad, **v} for amsgrad in ({}, {"amsgrad": True}) for v in FOUR]),
         ("adamw", torch.optim.AdamW, [{}, {"amsgrad": True}, UP, {"amsgrad": True, **UP}]),
         ("rmsprop", torch.optim.RMSprop, [*FOUR, {"momentum": 0.9}, {"centered": True},
                                           {"momentum": 0.9, "centered": True, **DECAY},
                                           {"momentum": 0.9, "centered": True, **UP, **DECAY}]),
         ("adagrad", torch.optim.Adagrad, FOUR),
         ("adafactor", torch.optim.Adafactor, FOUR),
         ("nadam", torch.optim.NAdam, FOUR),
         ("radam", torch.optim.RAdam, FOUR),
         ("adamax", torch.optim.Adamax, FOUR),
         ("adadelta", torch.optim.Adadelta, FOUR),
         ("asgd", torch.optim.ASGD, FOUR),
         ("rprop", torch.optim.Rprop, [{}, UP])]
FUSED = ("sgd", "sgd-momentum", "adam", "adamw", "adagrad")
STEPS = {"radam": 6}  # the variance is rectified from the sixth step on


def parameters():
    out = []
    for name, shape, gradient in PARAMETERS:
        p = torch.nn.Parameter(torch.empty(shape, dtype=TYPES[name], device="cuda"), requires_grad=gradient is not None)
        if gradient:
            p.grad = torch.empty_like(p)
        out.append(p)
    return out


def events():
    """What happened since the last call."""
    out = []
    for e in torch.cuda.memory._snapshot()["device_traces"][0]:
        if e["action"] == "snapshot":
            out = []
        elif e["action"] == "alloc":
            out.append(e["size"])
        elif e["action"] == "free_requested":
            out.append(-e["size"])
    return out


def read_back_one(record_case):
    """Without kernels, what ASGD's step reads back from the device is given: the 1 that a real one holds."""
    item = torch.Tensor.item
    torch.Tensor.item = lambda t: 1.0 if t.is_cuda else item(t)
    try:
        return record_case()
    finally:
        torch.Tensor.item = item


def record(make, options, steps):
    held = parameters()
    warm_up = torch.empty(2, 2, device="cuda")
    warm_up @ warm_up  # takes the BLAS workspace
    torch.cuda.memory._record_memory_history("all", context=None, max_entries=1000000)
    torch.cuda.memory._snapshot()
    try:
        optimizer = make(held, lr=0.01, **options)
        phases = [events()]
        for _ in range(steps):
            optimizer.step()
            phases.append(events())
        return phases
    finally:
        torch.cuda.memory._record_memory_history(None)


def main():
    properties = torch.cuda.get_device_properties(0)
    cases = []
    for name, make, variants in CASES:
        for options in variants:
            for loop, how in LOOPS:
                if loop == "fused" and name not in FUSED:
                    continue
                case = functools.partial(record, make, {**options, **how}, STEPS.get(name, 2))
                phases = read_back_one(case) if name == "asgd" else case()
                cases.append({"optimizer": name, "implementation": loop, "options": sorted(options),
                              "phases": phases})
    lines = ",\n".join("    " + json.dumps(c, separators=(",", ":")) for c in cases)
    print('{"torch": "%s", "capability": [%d, %d], "sms": %d,\n  "parameters": %s,\n  "cases": [\n%s\n]}' % (
        torch.__version__, properties.major, properties.minor, properties.multi_processor_count,
        json.dumps(PARAMETERS), lines))


main()
