package dev.headroom.model.scenario;

/**
 * Options of tensor parallelism.
 *
 * @param degree ranks that share a layer; {@code null} for all
 * @param sequenceParallel what lies between the shared layers is divided by the sequence
 * @param lossParallel the loss works on divided logits
 */
public record TensorOptions(Integer degree, boolean sequenceParallel, boolean lossParallel) {
    public static final TensorOptions DEFAULTS = new TensorOptions(null, false, false);

    TensorOptions withDegree(Integer value) {
        return new TensorOptions(value, sequenceParallel, lossParallel);
    }

    TensorOptions withSequenceParallel(boolean value) {
        return new TensorOptions(degree, value, lossParallel);
    }

    TensorOptions withLossParallel(boolean value) {
        return new TensorOptions(degree, sequenceParallel, value);
    }
}
