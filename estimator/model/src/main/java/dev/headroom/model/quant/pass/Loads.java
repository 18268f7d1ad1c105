package dev.headroom.model.quant.pass;

import dev.headroom.model.graph.Graph;
import dev.headroom.model.parallel.ParallelKind;
import dev.headroom.model.quant.Load;
import dev.headroom.model.scenario.Scenario;
import org.jspecify.annotations.Nullable;

/** How a run's model comes to the GPU. */
public final class Loads {
    private Loads() {}

    /**
     * In a phase of its own, or {@code null} where the script builds its model in its first phase.
     *
     * @param graph as imported, or after any pass
     */
    public static @Nullable Load how(Graph graph, Scenario run) {
        ParallelKind kind = run.parallel().kind();
        boolean whole = kind == ParallelKind.SINGLE
                || (kind == ParallelKind.DDP || kind == ParallelKind.DP)
                        && run.trainer().loop().isTrainer();
        boolean library = (graph.held().loaded() || run.adapters().any()) && whole;
        return run.quant().loads(library ? Load.TO : null);
    }
}
