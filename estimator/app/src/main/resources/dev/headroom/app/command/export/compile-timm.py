

if __name__ == "__main__":
    import timm

    plain = timm.create_model({name}).cuda().train()
    model = torch.compile(plain)
    images = torch.empty(8, *plain.default_cfg["input_size"], device="cuda")
    classes = torch.zeros(8, dtype=torch.int64, device="cuda")
    with written({file}, plain, batch=8):
        torch.nn.functional.cross_entropy(model(images), classes).backward()
