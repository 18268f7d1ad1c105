import torch
from torch.export import Dim, export, save
from transformers import AutoConfig, AutoModelForImageClassification

# A name of the hub or a folder with config.json. On the meta device weights take no memory; the batch size stays symbolic.
config = AutoConfig.from_pretrained({name}, num_labels=1000, problem_type="single_label_classification")
with torch.device("meta"):
    model = AutoModelForImageClassification.from_config(config).train()  # .eval() for --inference
    images = torch.empty(8, 3, {size}, {size})
    labels = torch.zeros(8, dtype=torch.int64)
# With labels the first output is the loss.
batch = {0: Dim.DYNAMIC}
inputs = dict(pixel_values=images, labels=labels)
save(export(model, (), kwargs=inputs, dynamic_shapes=dict(pixel_values=batch, labels=batch), strict=False), {file})
