package dev.headroom.model.scenario;

import dev.headroom.model.record.Withers;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is recomputed in the backward pass.
 *
 * @param segments segments of activation checkpointing, or 0 for none
 * @param modules paths of modules of which every call is a checkpoint; {@code *} stands for a part of a name, {@code
 *     **} for more, and {@code features.0..features.7} is one checkpoint over the siblings from the first to the last
 * @param reentrant whether it is re-entrant; {@code null}: as {@link Loop#inputGrad} says for segments, not re-entrant
 *     for modules and for the switches of libraries
 * @param every of the layers that a library's switch checkpoints, every one of so many, from the first on
 * @param offload what the checkpoints of a library's switch keep of the hidden states lies in pinned host memory
 */
@Withers
public record Checkpointing(
        int segments, List<String> modules, @Nullable Boolean reentrant, int every, boolean offload)
        implements CheckpointingWithers.With {
    public Checkpointing {
        modules = List.copyOf(modules);
    }

    /** Every layer of a library's switch, kept on the device. */
    public Checkpointing(int segments, List<String> modules, @Nullable Boolean reentrant) {
        this(segments, modules, reentrant, 1, false);
    }

    /** Nothing is recomputed. */
    public static final Checkpointing NONE = new Checkpointing(0, List.of(), null);

    /** Whether the run asks for any. */
    public boolean any() {
        return segments > 0 || !modules.isEmpty();
    }
}
