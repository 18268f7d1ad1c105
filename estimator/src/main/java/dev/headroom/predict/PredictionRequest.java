package dev.headroom.predict;

import dev.headroom.device.Gpu;
import dev.headroom.graph.Graph;
import dev.headroom.training.TrainingRun;

/**
 * A question: this graph, trained so, on this card.
 *
 * @param gpu {@code null} when none was named; decides kernels and workspaces too
 * @param memory total device bytes, or {@code null} for the card's own
 * @param inUse bytes taken by others
 * @param limit bytes that the allocator may reserve, or {@code null}
 */
public record PredictionRequest(Graph graph, TrainingRun run, Gpu gpu, Long memory, long inUse, Long limit) {
    /** The same question for another run. */
    public PredictionRequest with(TrainingRun other) {
        return new PredictionRequest(graph, other, gpu, memory, inUse, limit);
    }

    /** The same run and the same card's kernels, with room for anything. */
    public PredictionRequest unbounded() {
        return new PredictionRequest(graph, run, gpu, Predictor.UNBOUNDED, 0, null);
    }
}
