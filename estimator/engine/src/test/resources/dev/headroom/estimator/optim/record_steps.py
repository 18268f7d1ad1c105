"""Records what optimizers allocate and free, with a CUDA build of PyTorch.

    python record_steps.py > steps.json

Parameters of several types and ranks; one has no gradient, one is frozen. Each
case is constructed and stepped twice; "phases" are the constructor and the
steps, each a list of the bytes requested (positive) and freed (negative).
Kernels need not really run: only the allocator's history is read.
"""
import json

import torch

TYPES = {"float32": torch.float32, "float16": torch.float16, "bfloat16": torch.bfloat16}
PARAMETERS = [("float32", [64, 32, 3, 3], True), ("bfloat16", [300, 200], True), ("float32", [64], True),
              ("float16", [7, 50000], True), ("bfloat16", [300], True), ("float32", [1000, 1], True),
              ("float32", [11, 13], False), ("float32", [], True), ("float32", [3, 700, 1100], True),
              ("float32", [17], None), ("float16", [64, 100000], True), ("float32", [1000000], True)]
LOOPS = [("for-loop", {"foreach": False}), ("foreach", {"foreach": True}), ("auto", {}), ("fused", {"fused": True})]
CASES = [("sgd", torch.optim.SGD, [{}, {"weight_decay": 0.1}]),
         ("sgd-momentum", torch.optim.SGD, [{"momentum": 0.9}, {"momentum": 0.9, "weight_decay": 0.1},
                                            {"momentum": 0.9, "nesterov": True},
                                            {"momentum": 0.9, "nesterov": True, "weight_decay": 0.1}]),
         ("adam", torch.optim.Adam, [{}, {"weight_decay": 0.1}, {"amsgrad": True},
                                     {"amsgrad": True, "weight_decay": 0.1}]),
         ("adamw", torch.optim.AdamW, [{}, {"amsgrad": True}]),
         ("rmsprop", torch.optim.RMSprop, [{}, {"weight_decay": 0.1}, {"momentum": 0.9}, {"centered": True},
                                           {"momentum": 0.9, "centered": True, "weight_decay": 0.1}]),
         ("adagrad", torch.optim.Adagrad, [{}, {"weight_decay": 0.1}]),
         ("adafactor", torch.optim.Adafactor, [{}, {"weight_decay": 0.1}])]


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


def record(make, options):
    held = parameters()
    warm_up = torch.empty(2, 2, device="cuda")
    warm_up @ warm_up  # takes the BLAS workspace
    torch.cuda.memory._record_memory_history("all", context=None, max_entries=1000000)
    torch.cuda.memory._snapshot()
    try:
        optimizer = make(held, lr=0.01, **options)
        phases = [events()]
        for _ in range(2):
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
                if loop == "fused" and name in ("rmsprop", "adafactor"):
                    continue
                cases.append({"optimizer": name, "implementation": loop, "options": sorted(options),
                              "phases": record(make, {**options, **how})})
    lines = ",\n".join("    " + json.dumps(c, separators=(",", ":")) for c in cases)
    print('{"torch": "%s", "capability": [%d, %d], "sms": %d,\n  "parameters": %s,\n  "cases": [\n%s\n]}' % (
        torch.__version__, properties.major, properties.minor, properties.multi_processor_count,
        json.dumps(PARAMETERS), lines))


main()
