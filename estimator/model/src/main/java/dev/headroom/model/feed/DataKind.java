package dev.headroom.model.feed;

/** How a script's batches come to the device. */
public enum DataKind {
    /**
     * {@code for batch in loader: x = batch["x"].to(device)}: each step brings a batch, and the one before lives until
     * its names are bound again.
     */
    LOADER,
    /**
     * {@code for x, y in loader: x, y = x.to(device), y.to(device)}: the names are the host's tensors first, so that
     * the batch before is gone when the next one comes.
     */
    UNPACKED,
    /** One batch serves all steps, as in recordings. */
    ONE,
    /** The next batch comes on a stream of its own while a step runs. */
    PREFETCH,
    /**
     * The same by timm ({@code timm/data/loader.py, PrefetchLoader}): images come as bytes and become floats on the
     * device.
     */
    TIMM
}
