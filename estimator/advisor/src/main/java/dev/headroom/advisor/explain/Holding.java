package dev.headroom.advisor.explain;

import dev.headroom.estimator.log.Attribution;
import dev.headroom.estimator.log.Category;
import dev.headroom.estimator.timeline.LiveTensor;
import org.jspecify.annotations.Nullable;

/**
 * A tensor that is alive at a moment.
 *
 * @param category what it counts as then
 * @param savedBy what had autograd keep it; {@code null} for all but saved activations
 * @param endedBy what ran when it was freed; {@code null} when it outlives the run
 * @param forRecomputation whether a checkpoint keeps it to compute from it again
 */
record Holding(
        LiveTensor tensor,
        Category category,
        Attribution savedBy,
        @Nullable Attribution endedBy,
        boolean forRecomputation) {
    long bytes() {
        return tensor.requested();
    }

    /** What it is, in few words: the category, and of activations and temporaries whose they are. */
    String label() {
        return switch (category) {
            case SAVED_ACTIVATIONS -> "saved by " + Words.maker(savedBy);
            case TEMPORARIES -> forRecomputation ? "kept by checkpoints" : "made by " + Words.maker(tensor.madeBy());
            default -> Words.category(category);
        };
    }

    /** The family of the module that it belongs to; outside of any, the operator that made it. */
    String family() {
        String family = Words.family(tensor.owner());
        return family.isEmpty() ? Words.maker(tensor.madeBy(), false) : family;
    }
}
