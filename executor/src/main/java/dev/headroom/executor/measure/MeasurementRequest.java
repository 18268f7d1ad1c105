package dev.headroom.executor.measure;

import dev.headroom.model.graph.Graph;
import dev.headroom.model.scenario.DeviceBudget;
import dev.headroom.model.scenario.Scenario;

/**
 * What to run.
 *
 * @param scenario names the card, whose properties decide kernels and their scratch; of the device's budget its
 *     limit is kept, the rest is the backend's
 * @param seed of first weights, data and everything random
 * @param readsLosses whether to read the loss after each forward pass, for which a GPU must be waited for
 */
public record MeasurementRequest(Graph graph, Scenario scenario, long seed, boolean readsLosses) {
    /** The card, and what of its memory the run may use. */
    public DeviceBudget device() {
        return scenario.device();
    }
}
