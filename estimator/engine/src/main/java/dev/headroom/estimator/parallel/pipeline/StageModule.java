package dev.headroom.estimator.parallel.pipeline;

import dev.headroom.estimator.program.ModelTensors;
import dev.headroom.estimator.runtime.AutogradEngine;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.model.graph.Graph;
import java.util.List;
import java.util.Map;

/**
 * A stage as a model of its own, for who spreads it further.
 *
 * @param graph with what the stage holds
 * @param model its parameters and buffers
 * @param modules paths of its modules, a parent before its children; "" is the stage itself
 * @param symbols values of the graph's symbols, for one microbatch
 * @param place among the stages of the rank
 */
public record StageModule(
        EagerRuntime runtime,
        AutogradEngine engine,
        Graph graph,
        ModelTensors model,
        List<String> modules,
        Map<String, Long> symbols,
        int place) {}
