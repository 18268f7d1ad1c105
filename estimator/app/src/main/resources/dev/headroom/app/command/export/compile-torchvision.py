

if __name__ == "__main__":
    import torch
    import torchvision

    model = torch.compile(torchvision.models.get_model({name}).cuda().train())
    images = torch.empty(8, 3, {size}, {size}, device="cuda")
    classes = torch.zeros(8, dtype=torch.int64, device="cuda")
    with written({file}, batch=8):
        torch.nn.functional.cross_entropy(model(images), classes).backward()
