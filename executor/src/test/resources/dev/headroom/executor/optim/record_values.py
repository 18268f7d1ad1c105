"""Computes a few steps of every optimizer, in double precision on the CPU.

    python record_values.py > values.json

Each case starts from the same parameters and takes the same gradients.
"""
import json

import torch

PARAMETERS = [[[0.5, -0.25, 1.0], [0.125, 2.0, -1.5]], [0.3, -0.6, 0.9]]
GRADIENTS = [
    [[[0.1, -0.2, 0.3], [0.05, -0.4, 0.0]], [1.0, -2.0, 0.5]],
    [[[-0.3, 0.2, 0.1], [0.15, 0.4, -0.2]], [0.25, 0.75, -0.5]],
    [[[0.7, 0.0, -0.6], [0.3, 0.1, 0.2]], [-1.5, 0.2, 0.1]],
]
LOOPS = {"for-loop": {"foreach": False}, "foreach": {"foreach": True}, "fused": {"fused": True}}
WEIGHT_DECAY, MOMENTUM = {"weight_decay": 0.01}, {"momentum": 0.9}
CASES = [
    ("sgd", torch.optim.SGD, [{}, WEIGHT_DECAY]),
    ("sgd-momentum", torch.optim.SGD, [MOMENTUM, MOMENTUM | WEIGHT_DECAY, MOMENTUM | {"nesterov": True},
                                       MOMENTUM | WEIGHT_DECAY | {"nesterov": True}]),
    ("adam", torch.optim.Adam, [{}, WEIGHT_DECAY, {"amsgrad": True}]),
    ("adamw", torch.optim.AdamW, [{}, {"amsgrad": True}]),
    ("rmsprop", torch.optim.RMSprop, [{}, WEIGHT_DECAY, MOMENTUM, {"centered": True},
                                      MOMENTUM | WEIGHT_DECAY | {"centered": True}]),
    ("adagrad", torch.optim.Adagrad, [{}, WEIGHT_DECAY]),
    ("adafactor", torch.optim.Adafactor, [{}, WEIGHT_DECAY]),
]


def values(make, options):
    ps = [torch.nn.Parameter(torch.tensor(p, dtype=torch.float64)) for p in PARAMETERS]
    optimizer = make(ps, **options)
    steps = []
    for gradients in GRADIENTS:
        for p, g in zip(ps, gradients):
            p.grad = torch.tensor(g, dtype=torch.float64)
        optimizer.step()
        steps.append([x for p in ps for x in p.flatten().tolist()])
    return steps


cases = []
for name, make, variants in CASES:
    for form, loop in LOOPS.items():
        if form == "fused" and name in ("rmsprop", "adafactor"):
            continue
        for options in variants:
            cases.append({"optimizer": name, "implementation": form, "options": sorted(options),
                          "steps": values(make, options | loop)})
print("{\"torch\": \"%s\", \"parameters\": %s, \"gradients\": %s,\n \"cases\": [\n  %s]}" % (
    torch.__version__, json.dumps(PARAMETERS), json.dumps(GRADIENTS), ",\n  ".join(map(json.dumps, cases))))
