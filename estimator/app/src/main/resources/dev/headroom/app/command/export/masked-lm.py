import torch
from torch.export import Dim, export, save
from transformers import AutoConfig, AutoModelForMaskedLM

# A name of the hub or a folder with config.json. On the meta device weights take no memory; the batch size stays symbolic.
config = AutoConfig.from_pretrained({name})
with torch.device("meta"):
    model = AutoModelForMaskedLM.from_config(config).train()  # .eval() for --inference
    ids = torch.zeros(8, {size}, dtype=torch.int64)
# With labels the first output is the loss.
batch = {0: Dim.DYNAMIC}
inputs = dict(input_ids=ids, labels=ids)
save(export(model, (), kwargs=inputs, dynamic_shapes=dict(input_ids=batch, labels=batch), strict=False), {file})
