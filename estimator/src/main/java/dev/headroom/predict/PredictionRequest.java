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
public record PredictionRequest(Graph graph, TrainingRun run, Gpu gpu, Long memory, long inUse, Long limit) {}
