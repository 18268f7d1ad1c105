"""Records steps of optimizers on the sparse gradient of a table, with a CUDA build of PyTorch.

    python record_sparse.py > sparse.json

"phases": the constructor and the steps, each a list of the bytes requested (positive) and freed (negative). Kernels need
not really run. Which rows are distinct is in the data: gradients of the optimizers that make each row unique say that
theirs are. "steps": the table after each step as the CPU computes it in double precision, of gradients whose rows come
several times, from an embedding that is read twice and in two backward passes.
"""
import json

import torch

ROWS, WIDTH, READ = 100, 8, 30
TABLE = [[0.5, -0.25, 1.0], [0.125, 2.0, -1.5], [0.3, -0.6, 0.9], [1.5, 0.75, -0.1], [-0.4, 0.2, 0.6]]
INDICES = [[[0, 2, 2], [3, 0, 2]], [[1, 1, 1], [4, 2, 1]], [[3, 3, 0], [0, 1, 4]]]
GRADIENT = [[0.1, -0.2, 0.3], [0.05, -0.4, 0.7], [1.0, -2.0, 0.5]]
LOOPS = {"for-loop": {"foreach": False}, "foreach": {"foreach": True}}
MOMENTUM, NESTEROV = {"momentum": 0.9}, {"momentum": 0.9, "nesterov": True}
CASES = [("sgd", torch.optim.SGD, [{}]), ("sgd-momentum", torch.optim.SGD, [MOMENTUM, NESTEROV]),
         ("adagrad", torch.optim.Adagrad, [{}]), ("sparse-adam", torch.optim.SparseAdam, [{}])]
UNIQUE = ("adagrad", "sparse-adam")


def events():
    """What happened since the last call."""
    out = []
    for e in torch.cuda.memory._snapshot()["device_traces"][0]:
        if e["action"] == "snapshot":
            out = []
        elif e["action"] in ("alloc", "free_requested"):
            out.append(e["size"] if e["action"] == "alloc" else -e["size"])
    return out


def phases(make, options, unique):
    table = torch.nn.Parameter(torch.empty(ROWS, WIDTH, device="cuda"))
    rows = torch.arange(READ, device="cuda")[None]
    table.grad = torch.sparse_coo_tensor(rows, torch.empty(READ, WIDTH, device="cuda"), table.shape, is_coalesced=unique)
    torch.cuda.memory._record_memory_history("all", context=None)
    events()
    optimizer = make([table], **options)
    out = [events()]
    for _ in range(3):
        optimizer.step()
        out.append(events())
    torch.cuda.memory._record_memory_history(None)
    return out


def values(make, options):
    table = torch.nn.Parameter(torch.tensor(TABLE, dtype=torch.float64))
    gradient = torch.tensor(GRADIENT, dtype=torch.float64)
    optimizer = make([table], **options)
    out = []
    for first, second in INDICES:
        optimizer.zero_grad()
        for part in (first, second):
            read = [torch.nn.functional.embedding(torch.tensor(i), table, sparse=True) for i in (part, part[::-1])]
            (read[0] + read[1]).backward(gradient)
        optimizer.step()
        out.append(table.flatten().tolist())
    return out


cases = []
for name, make, variants in CASES:
    for form, loop in LOOPS.items() if name != "sparse-adam" else [("auto", {})]:
        for options in variants:
            cases.append({"optimizer": name, "implementation": form, "options": [o for o in options if o != "momentum"],
                          "unique": name in UNIQUE, "phases": phases(make, options | loop, name in UNIQUE),
                          "steps": values(make, options | loop)})
print("{\"torch\": \"%s\", \"read\": %s, \"sizes\": %s, \"table\": %s, \"indices\": %s, \"gradient\": %s,\n \"cases\": [\n  %s]}" % (
    torch.__version__, READ, [ROWS, WIDTH], json.dumps(TABLE), json.dumps(INDICES), json.dumps(GRADIENT),
    ",\n  ".join(map(json.dumps, cases))))
