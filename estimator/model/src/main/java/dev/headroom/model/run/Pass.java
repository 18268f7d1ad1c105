package dev.headroom.model.run;

import dev.headroom.model.graph.Graph;
import dev.headroom.model.scenario.Scenario;
import java.util.Map;

/**
 * One of the changes that prepare a graph for a run.
 *
 * @param name what it does, in a few words
 */
public record Pass(String name, Rewrite rewrite) {
    /** How a pass changes a graph. */
    @FunctionalInterface
    public interface Rewrite {
        /**
         * The changed graph; the same one where there is nothing to change.
         *
         * @param symbols a value for each of the graph's
         */
        Graph apply(Graph graph, Scenario scenario, Map<String, Long> symbols);
    }
}
