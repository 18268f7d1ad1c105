package dev.headroom.model.graph;

/** {@code torch.memory_format}. */
public enum MemoryFormat {
    CONTIGUOUS,
    PRESERVE,
    CHANNELS_LAST,
    CHANNELS_LAST_3D
}
