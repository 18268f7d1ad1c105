package dev.headroom.model.family.decoder;

import dev.headroom.model.dsl.Layer;
import java.util.Map;

/** A decoder, as its head sees it. */
public interface TextModel {
    /** Of tokens. */
    Layer embeddings();

    /**
     * The kinds of its layers and how many tokens each sees, in the order in which their masks are made: one kind that
     * sees all, unless a model says otherwise.
     */
    default Map<String, Long> windows() {
        return Map.of(AttentionShape.FULL, Masks.NO_WINDOW);
    }

    /** Those of them that some layer is of, for which alone masks are made ahead of a pass. */
    default Map<String, Long> used() {
        return windows();
    }
}
