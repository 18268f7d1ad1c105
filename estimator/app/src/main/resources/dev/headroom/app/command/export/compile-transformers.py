

if __name__ == "__main__":
    from transformers import AutoConfig, {class}

    # A name of the hub or a folder with config.json.
    plain = {class}.from_config(AutoConfig.from_pretrained({name})).cuda().train()
    model = torch.compile(plain)
    ids = torch.zeros(8, {size}, dtype=torch.int64, device="cuda")
    with written({file}, plain, batch=8):
        model(input_ids=ids, labels=ids, use_cache=False).loss.backward()
