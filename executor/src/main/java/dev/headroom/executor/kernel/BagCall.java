package dev.headroom.executor.kernel;

import dev.headroom.executor.tensor.Tensor;
import org.jspecify.annotations.Nullable;

/**
 * Bags of rows of a table ({@code embedding_bag}).
 *
 * @param indices rows, one bag's after another's
 * @param offsets where each bag begins
 * @param factors of the rows, in the order of the indices, or {@code null}
 * @param padding a row that no bag counts, or -1
 */
public record BagCall(
        Mode mode, Tensor indices, Tensor offsets, @Nullable Tensor factors, long padding) {
    /** What becomes of a bag's rows. */
    public enum Mode {
        SUM,
        MEAN,
        MAX
    }
}
