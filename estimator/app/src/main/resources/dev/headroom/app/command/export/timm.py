import timm
import torch
from torch.export import Dim, export, save

# On the meta device weights take no memory; the batch size stays symbolic.
with torch.device("meta"):
    model = timm.create_model({name}).train()  # .eval() for --inference
    images = torch.empty(8, *model.default_cfg["input_size"])
save(export(model, (images,), dynamic_shapes=({0: Dim.DYNAMIC},), strict=False), {file})
