package dev.headroom.model.adapter.peft.layer;

import dev.headroom.model.graph.DType;
import java.util.List;

/**
 * A layer of the model that gets an adapter.
 *
 * @param path of its module
 * @param weight sizes of its weight, as if it were not quantised
 * @param weightName qualified name of its weight
 * @param biased whether it has a bias
 * @param type that the adapter is made in: the weight's, float32 where that is quantised to integers
 */
public record Layer(String path, LayerKind kind, List<Long> weight, String weightName, boolean biased, DType type) {
    /** Elements of an input. */
    public long in() {
        return weight.get(kind == LayerKind.TRANSPOSED_LINEAR || kind == LayerKind.EMBEDDING ? 0 : 1);
    }

    /** Elements of a result. */
    public long out() {
        return weight.get(kind == LayerKind.TRANSPOSED_LINEAR || kind == LayerKind.EMBEDDING ? 1 : 0);
    }
}
