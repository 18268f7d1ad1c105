package dev.headroom.model.cudnn;

import java.util.Locale;

/** How sure an answer is. */
public enum WorkspaceLevel {
    /** cuDNN itself answered, with a handle of the GPU. */
    LIVE,
    /** cuDNN itself answered, told of the GPU's properties. */
    ASKED,
    /** By rules learned from cuDNN's answers. */
    DISTILLED,
    /** Between bounds; nothing better is known. */
    BOUNDED;

    /** As reports name it. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
