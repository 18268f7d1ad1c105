package dev.headroom.model.scenario;

import dev.headroom.model.record.Withers;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What the open sizes of a model's inputs are.
 *
 * @param batch batch size, bound to the symbol of the inputs' first dimension; {@code null} when the graph has none
 * @param dims other symbols by name, in the order in which they were given
 */
@Withers
public record InputSizes(@Nullable Long batch, Map<String, Long> dims) implements InputSizesWithers.With {
    public InputSizes {
        dims = Collections.unmodifiableMap(new LinkedHashMap<>(dims));
    }

    static final InputSizes DEFAULTS = new InputSizes(null, Map.of());

    /** The batch size, for a run that is known to have one. */
    public long givenBatch() {
        return Objects.requireNonNull(batch, "a batch size");
    }
}
