

if __name__ == "__main__":
    import torchvision

    plain = torchvision.models.get_model({name}).cuda().train()
    model = torch.compile(plain)
    images = torch.empty(8, 3, {size}, {size}, device="cuda")
    classes = torch.zeros(8, dtype=torch.int64, device="cuda")
    with written({file}, plain, batch=8):
        torch.nn.functional.cross_entropy(model(images), classes).backward()
