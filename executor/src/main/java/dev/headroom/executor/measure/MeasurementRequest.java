package dev.headroom.executor.measure;

import dev.headroom.model.device.Gpu;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.scenario.Scenario;

/**
 * What to run.
 *
 * @param gpu whose properties decide kernels and their scratch
 * @param limit bytes that the allocator may reserve, or {@code null}
 * @param seed of first weights, data and everything random
 * @param readsLosses whether to read the loss after each forward pass, for which a GPU must be waited for
 */
public record MeasurementRequest(Graph graph, Scenario run, Gpu gpu, Long limit, long seed, boolean readsLosses) {}
