package dev.headroom.executor.measure;

import dev.headroom.device.Gpu;
import dev.headroom.graph.Graph;
import dev.headroom.training.TrainingRun;

/**
 * What to run.
 *
 * @param gpu whose properties decide kernels and their scratch
 * @param limit bytes that the allocator may reserve, or {@code null}
 * @param seed of first weights, data and everything random
 */
public record MeasurementRequest(Graph graph, TrainingRun run, Gpu gpu, Long limit, long seed) {}
