"""Loss and gradients of a tiny model in PyTorch, on the CPU.

    python compare.py MODEL FOLDER

FOLDER/tensors.txt names the tensors, one a line: kind (parameter, buffer, input,
target), name, sizes. FOLDER/in.bin holds their values in this order, as doubles
in row-major order. Writes FOLDER/out.bin: the loss, then the gradient of each
parameter and the value of each buffer after the step, in the same order.
"""
import sys

import torch
import torch.nn.functional as F
from torch import nn

torch.set_default_dtype(torch.float64)


class Block(nn.Module):
    """Attention and a perceptron, each beside a shortcut, as GPT-2 has them."""

    def __init__(self):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(8), nn.LayerNorm(8)
        self.qkv, self.out = nn.Linear(8, 24), nn.Linear(8, 8)
        self.up, self.down = nn.Linear(8, 32), nn.Linear(32, 8)

    def forward(self, x):
        n, length, _ = x.shape
        q, k, v = (t.view(n, length, 2, 4).transpose(1, 2) for t in self.qkv(self.norm1(x)).split(8, dim=2))
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(mixed.transpose(1, 2).reshape(n, length, 8))
        return x + self.down(F.gelu(self.up(self.norm2(x))))


class Gpt(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens, self.block, self.head = nn.Embedding(11, 8), Block(), nn.Linear(8, 11, bias=False)

    def forward(self, x):
        return self.head(self.block(self.tokens(x))).flatten(0, 1)


MODELS = {
    "mlp": lambda: nn.Sequential(nn.Linear(5, 7), nn.Tanh(), nn.Linear(7, 6), nn.ReLU(), nn.Linear(6, 4)),
    "cnn": lambda: nn.Sequential(
        nn.Conv2d(2, 4, 3, padding=1, bias=False), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(4, 6, 3, padding=1), nn.BatchNorm2d(6), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(),
        nn.Linear(6, 5)),
    "gpt": Gpt,
}


def main(name, folder):
    model = MODELS[name]().train()
    state = dict(model.named_parameters()) | dict(model.named_buffers())
    values = torch.frombuffer(bytearray(open(folder + "/in.bin", "rb").read()), dtype=torch.float64)
    given, order, at = {}, [], 0
    for line in open(folder + "/tensors.txt"):
        kind, tensor, *sizes = line.split()
        sizes = [int(s) for s in sizes]
        n = torch.Size(sizes).numel()
        value = values[at:at + n].view(sizes).clone()
        at += n
        if kind in ("input", "target"):
            given[kind] = value
        else:
            order.append((kind, tensor))
            with torch.no_grad():
                state[tensor].copy_(value)
    assert sorted(t for _, t in order) == sorted(state), (order, sorted(state))
    x = given["input"].long() if name == "gpt" else given["input"]
    loss = F.cross_entropy(model(x), given["target"].long())
    loss.backward()
    out = [loss.detach().view(1)]
    out += [(state[t].grad if kind == "parameter" else state[t].double()).flatten() for kind, t in order]
    with open(folder + "/out.bin", "wb") as f:
        f.write(bytes(torch.cat(out).view(torch.uint8).tolist()))


main(*sys.argv[1:])
