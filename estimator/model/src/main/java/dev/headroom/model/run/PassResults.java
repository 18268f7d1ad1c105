package dev.headroom.model.run;

import dev.headroom.model.graph.Graph;
import dev.headroom.model.memo.GraphMemo;
import dev.headroom.model.memo.Recent;
import dev.headroom.model.scenario.Checkpointing;
import dev.headroom.model.scenario.Scenario;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * What passes made of the last few graphs, as long as memory is not short. Variants of a run differ mostly in the sizes
 * of its batch, its optimizer and its device's memory, of which passes know nothing: they are asked again only for
 * another graph or scenario and, where they looked at symbols, for other values of these. Safe for use by several
 * threads.
 */
final class PassResults {
    /** Advice on a compiled model asks for so many sizes. */
    private static final int MOST = 32;

    private static final GraphMemo<Recent<Question, Graph>> KNOWN = new GraphMemo<>(graph -> new Recent<>(MOST));

    /** Modules that are named, whichever. */
    private static final List<String> SOME = List.of("**");

    private PassResults() {}

    /**
     * What a chain of passes was asked about a graph.
     *
     * @param scenario that the passes knew
     * @param symbols that they looked at; {@code null} where they looked at none
     */
    private record Question(
            List<Pass> passes, Scenario scenario, @Nullable Map<String, Long> symbols) {}

    /** All of a scenario that passes know. */
    static Scenario knownToPasses(Scenario scenario) {
        Scenario any = Scenario.defaults();
        return scenario.withSizes(any.sizes())
                .withOptimizer(any.optimizer())
                .withDevice(any.device().withGpu(scenario.device().gpu()))
                .withCheckpointing(known(scenario.checkpointing()))
                .withLoop(scenario.loop()
                        .withAccumulate(any.loop().accumulate())
                        .withSteps(any.loop().steps()));
    }

    /** Whether there are checkpoints and of what kind, but not where: they are placed in the graph after all passes. */
    private static Checkpointing known(Checkpointing asked) {
        return asked.withSegments(Math.min(asked.segments(), 1))
                .withModules(asked.modules().isEmpty() ? List.of() : SOME);
    }

    /**
     * The graph after passes.
     *
     * @param scenario as {@link #knownToPasses}
     * @param apply runs the passes, with symbols that notice who looks at them
     */
    static Graph of(
            Graph graph,
            List<Pass> passes,
            Scenario scenario,
            Map<String, Long> symbols,
            BiFunction<Graph, Map<String, Long>, Graph> apply) {
        Recent<Question, Graph> results = KNOWN.of(graph);
        Question blind = new Question(passes, scenario, null);
        Question seeing = new Question(passes, scenario, Map.copyOf(symbols));
        Graph there = results.find(blind);
        there = there == null ? results.find(seeing) : there;
        if (there != null) {
            return there;
        }
        NoticedMap<String, Long> noticed = new NoticedMap<>(symbols);
        Graph made = apply.apply(graph, noticed);
        results.put(noticed.wasRead() ? seeing : blind, made);
        return made;
    }
}
