import torch
import torchvision
from torch.export import Dim, export, save

# On the meta device weights take no memory; the batch size stays symbolic.
with torch.device("meta"):
    model = torchvision.models.get_model({name}).train()  # .eval() for --inference
    images = torch.empty(8, 3, {size}, {size})
save(export(model, (images,), dynamic_shapes=({0: Dim.DYNAMIC},), strict=False), {file})
