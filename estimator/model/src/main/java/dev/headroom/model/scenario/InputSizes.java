package dev.headroom.model.scenario;

import dev.headroom.model.record.Withers;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What the open sizes of a model's inputs are.
 *
 * @param batch batch size, bound to the symbol of the inputs' first dimension; {@code null} when the graph has none
 * @param dims other symbols by name, in the order in which they were given
 */
@Withers
public record InputSizes(Long batch, Map<String, Long> dims) implements InputSizesWithers.With {
    public InputSizes {
        dims = Collections.unmodifiableMap(new LinkedHashMap<>(dims));
    }

    static final InputSizes DEFAULTS = new InputSizes(null, Map.of());
}
