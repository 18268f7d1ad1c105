"""Calls PyTorch's operators with the tensors of examples, and says whose results or gradients are others."""
import json
import sys

import torch
import torchvision  # noqa: F401  (registers its operators)

TYPES = {"FLOAT64": torch.float64, "FLOAT32": torch.float64, "INT64": torch.int64, "INT32": torch.int32,
         "BOOL": torch.bool, "UINT8": torch.uint8, "INT8": torch.int8}


def numbers(values):
    return torch.tensor([float(v.replace("Infinity", "inf")) for v in values], dtype=torch.float64)


def tensor(given):
    t = numbers(given["values"]).reshape(given["sizes"]).to(TYPES[given["type"]])
    order = given["order"]
    return t if order is None else t.permute(order).contiguous().permute([order.index(i) for i in range(len(order))])


def differ(a, b, tolerance):
    """Whether two differ by more than a part of the greatest number."""
    if a.numel() != b.numel():
        return True
    finite = a[a.isfinite()].abs()
    error = (a - b).abs()[~((a == b) | (a.isnan() & b.isnan()))]
    return error.numel() > 0 and not error.max() <= tolerance * max(1.0, float(finite.max()) if finite.numel() else 1.0)


def called(example, tensors):
    """The results of the first overload that takes the arguments."""
    given = {}
    for name, value in example["arguments"].items():
        if isinstance(value, dict):
            if "unknown" in value:
                return None
            if "number" in value:
                value = float(value["number"].replace("Infinity", "inf"))
            elif "tensor" in value:
                value = tensors[value["tensor"]]
            else:
                value = [None if t is None else tensors[t] for t in value["tensors"]]
        given[name] = value
    space, name = example["operator"].split(".", 1)
    packet = getattr(getattr(torch.ops, space), name, None)
    for overload in packet.overloads() if packet is not None else ():
        operator = getattr(packet, overload)
        if set(given) <= {a.name for a in operator._schema.arguments}:
            try:
                out = operator(**given)
                return list(out) if isinstance(out, (tuple, list)) else [out]
            except (RuntimeError, TypeError, NotImplementedError):
                pass
    return None


def compared(example):
    """What differs, or None where PyTorch does not compute it."""
    leaves, tensors = {}, {}
    for name, given in example["tensors"].items():
        t = tensor(given)
        if given["differentiable"] and t.is_floating_point():
            leaves[name] = t.requires_grad_()
            t = t * 1 if example["operator"].endswith("_") else t
        tensors[name] = torch.view_as_complex(t) if given["complex"] else t
    results = called(example, tensors)
    if results is None:
        return None
    said = []
    loss = torch.zeros((), dtype=torch.float64)
    for i, (found, expected, weight) in enumerate(zip(results, example["results"], example["weights"])):
        if expected["values"] is None or not torch.is_tensor(found):
            continue
        found = torch.view_as_real(found.resolve_conj()) if found.is_complex() else found
        if differ(found.detach().double().flatten(), numbers(expected["values"]), 1e-6):
            said.append("result %d" % i)
        if found.requires_grad:
            loss = loss + (found.double() * numbers(weight["values"]).reshape(found.shape)).sum()
    if loss.requires_grad:
        try:
            gradients = torch.autograd.grad(loss, list(leaves.values()), allow_unused=True)
        except RuntimeError:
            return said
        for (name, leaf), found in zip(leaves.items(), gradients):
            expected = example["gradients"].get(name)
            a = torch.zeros(leaf.numel(), dtype=torch.float64) if found is None else found.double().flatten()
            b = torch.zeros(leaf.numel(), dtype=torch.float64) if expected is None else numbers(expected)
            if differ(a, b, 1e-5):
                said.append("gradient of " + name)
    return said


def main():
    with open(sys.argv[1]) as f:
        examples = json.load(f)
    torch.set_num_threads(1)
    count = 0
    for example in examples:
        said = compared(example)
        count += said is not None
        if said:
            print("differs %s: %s" % (example["label"], ", ".join(said)))
    print(count, "of", len(examples), "compared")


main()
