package dev.headroom.model.parallel;

import dev.headroom.model.record.Withers;
import org.jspecify.annotations.Nullable;

/**
 * Options of DeepSpeed's ZeRO.
 *
 * @param paramOffload parameters live in host memory
 * @param overlapComm whether gradients are reduced beside the backward pass; {@code null} for the library's choice
 * @param dsConfig further entries of DeepSpeed's JSON
 */
@Withers
public record ZeroOptions(boolean paramOffload, @Nullable Boolean overlapComm, String dsConfig)
        implements ZeroOptionsWithers.With {
    public static final ZeroOptions DEFAULTS = new ZeroOptions(false, null, "{}");
}
