package dev.headroom.model.run;

import dev.headroom.model.graph.Graph;
import dev.headroom.model.scenario.Scenario;
import java.lang.ref.SoftReference;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * What passes made of the last few graphs, as long as memory is not short. Variants of a run differ mostly in the sizes
 * of its batch, its optimizer and its device's memory, of which passes know nothing: they are asked again only for
 * another graph or scenario and, where they looked at symbols, for other values of these. Safe for use by several
 * threads.
 */
final class PassResults {
    /** The passes of {@code generate()} are several graphs. */
    private static final int MOST = 32;

    /** The last one that was asked for comes first. */
    private final List<Result> known = new ArrayList<>();

    /**
     * What a chain of passes made of a graph.
     *
     * @param scenario that the passes knew
     * @param symbols that they looked at; {@code null} where they looked at none
     * @param to cleared where memory is short
     */
    private record Result(
            WeakReference<Graph> from,
            List<Pass> passes,
            Scenario scenario,
            @Nullable Map<String, Long> symbols,
            SoftReference<Graph> to) {
        @SuppressWarnings("ReferenceEquality") // the very passes
        boolean answers(Graph graph, List<Pass> chain, Scenario run, Map<String, Long> values) {
            return from.refersTo(graph)
                    && passes == chain
                    && scenario.equals(run)
                    && (symbols == null || symbols.equals(values));
        }
    }

    /** All of a scenario that passes know. */
    static Scenario knownToPasses(Scenario scenario) {
        Scenario any = Scenario.defaults();
        return scenario.withSizes(any.sizes())
                .withOptimizer(any.optimizer())
                .withDevice(any.device().withGpu(scenario.device().gpu()))
                .withLoop(scenario.loop()
                        .withAccumulate(any.loop().accumulate())
                        .withSteps(any.loop().steps()));
    }

    /**
     * The graph after passes.
     *
     * @param scenario as {@link #knownToPasses}
     * @param apply runs the passes, with symbols that notice who looks at them
     */
    Graph of(
            Graph graph,
            List<Pass> passes,
            Scenario scenario,
            Map<String, Long> symbols,
            BiFunction<Graph, Map<String, Long>, Graph> apply) {
        Graph there = find(graph, passes, scenario, symbols);
        if (there != null) {
            return there;
        }
        NoticedMap<String, Long> noticed = new NoticedMap<>(symbols);
        Graph made = apply.apply(graph, noticed);
        Map<String, Long> seen = noticed.wasRead() ? Map.copyOf(symbols) : null;
        keep(new Result(new WeakReference<>(graph), passes, scenario, seen, new SoftReference<>(made)));
        return made;
    }

    private synchronized @Nullable Graph find(
            Graph graph, List<Pass> passes, Scenario scenario, Map<String, Long> symbols) {
        Optional<Result> found = known.stream()
                .filter(result -> result.answers(graph, passes, scenario, symbols))
                .findFirst();
        found.ifPresent(this::keep);
        return found.map(result -> result.to().get()).orElse(null);
    }

    private synchronized void keep(Result result) {
        known.remove(result);
        known.add(0, result);
        if (known.size() > MOST) {
            known.remove(MOST);
        }
    }
}
