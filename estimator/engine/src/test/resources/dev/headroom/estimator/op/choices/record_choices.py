"""Which kernel PyTorch chooses for attention, on GPUs of several compute capabilities.

    python record_choices.py calls                      prints calls, one a line
    python record_choices.py choices < calls.csv        prints for each what torch._fused_sdp_choice answers here

Tensors are (batch, heads, rows, features). A call has: types; batch of the query and of key and value; heads of the
query, key and value; rows of the query, and of key and value; features of the query, the key and the value; the
operand that lies otherwise (q, k, v or nothing), how ("turned": its last two dimensions are stored in the other order;
a number: it begins so many elements into its memory); the mask's sizes ("" for none), its type ("same" or "bool"), how
it lies ("dense", "turned") and whether it wants a gradient; dropout, causal, enable_gqa, and whether the operands want
a gradient. Choices are CUDNN, FLASH, EFFICIENT and MATH."""

import random
import sys

NAMES = ("MATH", "FLASH", "EFFICIENT", "CUDNN")
FEATURES = (1, 2, 4, 6, 8, 12, 20, 36, 64, 96, 120, 128, 136, 160, 192, 196, 200, 224, 228, 232, 248, 256, 264)


def calls(count=2400):
    """Calls that differ from a plain one in a few ways each."""
    draw = random.Random(7)
    made = set()
    while len(made) < count:
        call = {
            "type": draw.choice(("float16", "float16", "bfloat16", "float32")),
            "batch": 2, "key_batch": 2, "heads": 4, "key_heads": 4, "value_heads": 4,
            "rows": 40, "keys": 40, "features": draw.choice(FEATURES), "key_features": None, "value_features": None,
            "which": "", "how": "", "mask": "", "mask_type": "same", "mask_lies": "dense", "mask_grad": 0,
            "dropout": 0, "causal": 0, "gqa": 0, "grad": draw.randrange(2),
        }
        for _ in range(draw.randrange(4)):
            change(call, draw)
        for name in ("key_features", "value_features"):
            call[name] = call[name] or call["features"]
        if call["mask"]:
            call["mask"] = call["mask"].format(**call)
        if tuple(call.values()) not in made:
            made.add(tuple(call.values()))
            yield call


def change(call, draw):
    what = draw.choice(("heads", "heads", "rows", "keys", "features", "lies", "mask", "mask", "dropout", "causal", "batch", "type"))
    if what == "heads":
        key = draw.choice((1, 1, 2, 3))
        call.update(key_heads=key, value_heads=draw.choice((key, key, key, 1, 4)), gqa=draw.randrange(2))
    elif what == "rows":
        call["rows"] = draw.choice((0, 1, 1, 41))
    elif what == "keys":
        call["keys"] = draw.choice((0, 1, 1, 2, 41))
    elif what == "features":
        call[draw.choice(("key_features", "value_features", "value_features"))] = draw.choice(FEATURES)
    elif what == "lies":
        call.update(which=draw.choice("qkv"), how=draw.choice(("turned", "1", "4", "8")))
    elif what == "mask":
        call["mask"] = draw.choice((
            "{rows}x{keys}", "1x{keys}", "{rows}x1", "{batch}x1x{rows}x{keys}", "{batch}x{heads}x{rows}x{keys}",
            "1x1x{rows}x{keys}", "{heads}x{rows}x{keys}", "{batch}x3x{rows}x{keys}", "3x1x{rows}x{keys}", "{batch}x1x{rows}x7"))
        call.update(mask_type=draw.choice(("same", "same", "bool")), mask_lies=draw.choice(("dense", "dense", "turned")))
        call["mask_grad"] = int(call["mask_type"] == "same" and draw.random() < 0.25)
    elif what == "dropout":
        call["dropout"] = draw.choice((0.1, 0.125))
    elif what == "batch":
        call["key_batch"] = 1
    elif what == "type":
        call["type"] = draw.choice(("float16", "bfloat16", "float32", "float64"))
    else:
        call["causal"] = 1


def laid(torch, sizes, how, dtype):
    start = int(how) if how.isdigit() else 0
    sizes = list(sizes)
    stored = sizes[:-2] + [sizes[-1], sizes[-2]] if how == "turned" else sizes
    count = 1
    for n in sizes:
        count *= n
    t = torch.empty(count + start, dtype=dtype, device="cuda")[start:].view(stored)
    return t.transpose(-1, -2) if how == "turned" else t


def choice(torch, c):
    dtype = getattr(torch, c["type"])
    n = {k: int(v) for k, v in c.items() if v.isdigit()}
    sizes = {
        "q": (n["batch"], n["heads"], n["rows"], n["features"]),
        "k": (n["key_batch"], n["key_heads"], n["keys"], n["key_features"]),
        "v": (n["key_batch"], n["value_heads"], n["keys"], n["value_features"]),
    }
    operands = []
    for name, size in sizes.items():
        t = laid(torch, size, c["how"] if c["which"] == name else "", dtype)
        operands.append(t.requires_grad_(n["grad"] == 1))
    mask = None
    if c["mask"]:
        size = tuple(int(s) for s in c["mask"].split("x"))
        mask = laid(torch, size, c["mask_lies"], torch.bool if c["mask_type"] == "bool" else dtype)
        mask.requires_grad_(n["mask_grad"] == 1)
    return NAMES[torch._fused_sdp_choice(
        *operands, attn_mask=mask, dropout_p=float(c["dropout"]), is_causal=n["causal"] == 1, enable_gqa=n["gqa"] == 1)]


def main():
    if sys.argv[1] == "calls":
        made = list(calls())
        print(",".join(made[0]))
        for call in made:
            print(",".join(str(v) for v in call.values()))
        return
    import torch

    names = sys.stdin.readline().strip().split(",")
    for line in sys.stdin:
        print(choice(torch, dict(zip(names, line.rstrip("\n").split(",")))))


main()
