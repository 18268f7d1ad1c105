package dev.headroom.model.quant;

/** How a model comes to the GPU, in a phase of its own. */
public enum Load {
    /** {@code model.to("cuda")}. */
    TO,
    /** {@code from_pretrained(…, device_map=…)}: weight after weight is read to the GPU. */
    DEVICE_MAP
}
