package dev.headroom.model.family.decoder;

import java.util.Map;

/** A model that generates, with a cache of keys and values. */
public interface CachedModel {
    /** The kinds of its layers and how many tokens each sees, in the order in which their masks are made. */
    Map<String, Long> windows();

    /** Those of them that some layer is of. */
    Map<String, Long> used();
}
