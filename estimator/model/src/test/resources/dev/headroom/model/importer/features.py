"""Exports one small model that uses what torch.export writes in its own way.

    python features.py meta features-meta.pt2
    python features.py cpu features-cpu.pt2
    python features.py strict features-strict.pt2

Made with PyTorch 2.14.1.

The CPU archive holds real weights and stays as PyTorch wrote it (stored entries), except that folder names are cut
from stack traces; the others are deflated.
"""
import os
import sys
import zipfile

import torch
from torch import nn
from torch.export import Dim, export


class Features(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.zeros(3))  # never used
        self.emb = nn.Embedding(11, 8)
        self.act = nn.ReLU()
        self.lin = nn.Linear(8, 8)
        self.bn = nn.BatchNorm1d(8)
        self.unused = nn.Linear(8, 5, bias=False)
        self.register_buffer("idle", torch.zeros(5))
        self.register_buffer("scratch", torch.zeros(6), persistent=False)
        self.frozen = nn.Linear(8, 8).requires_grad_(False)
        self.head = nn.Linear(8, 11, bias=False)
        self.head.weight = self.emb.weight  # tied parameter
        self.lstm = nn.LSTM(8, 8, batch_first=True)
        self.alias = self.lin  # one module, two names
        self.register_buffer("count", torch.zeros((), dtype=torch.long))
        self.k = torch.ones(8)
        self.ln = nn.LayerNorm(8)

    def forward(self, x, factor=2, flag=None):
        h = self.emb(x)
        h = self.act(self.lin(h))
        h = self.act(self.lin(h))  # a second call
        h = self.alias(h)
        self.count.add_(1)
        h = h + self.k + torch.tensor([1.0] * 8, device=h.device)
        a, b = h.split(4, -1)
        c = h.chunk(2, -1)
        d = torch.unbind(h, 2)
        h = torch.cat([a, b], -1)
        h = self.frozen(h)
        with torch.no_grad():
            total = h.sum()
        with torch.autocast("cuda", dtype=torch.bfloat16):
            h = self.ln(h @ h.transpose(1, 2) @ h)
        h, _ = self.lstm(h)
        h = self.bn(h.transpose(1, 2)).transpose(1, 2)
        h = h.masked_fill(h < 0, float("-inf"))
        picked = h[:, :, torch.arange(4, device=h.device)]
        return {"logits": self.head(h), "total": total, "picked": picked, "size": x.shape[0] * 2, "none": None}


def rewrite(path, compression):
    folders = [os.path.dirname(os.path.dirname(torch.__file__)), os.path.dirname(os.path.abspath(__file__))]
    with zipfile.ZipFile(path) as z:
        entries = [(i.filename, z.read(i)) for i in z.infolist()]
    with zipfile.ZipFile(path, "w", compression) as z:
        for name, data in entries:
            for folder in folders:
                data = data.replace(folder.encode() + b"/", b"")
            z.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), data, compression)


device, out = sys.argv[1:]
torch.manual_seed(0)
with torch.device("cpu" if device == "cpu" else "meta"):
    inputs = (torch.zeros((4, 6), dtype=torch.long),)
    program = export(Features(), inputs, dynamic_shapes={"x": {0: Dim.DYNAMIC}}, strict=device == "strict")
torch.export.save(program, out)
rewrite(out, zipfile.ZIP_STORED if device == "cpu" else zipfile.ZIP_DEFLATED)
