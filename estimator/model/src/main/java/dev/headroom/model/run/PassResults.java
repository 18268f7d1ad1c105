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
 * of its batch, its optimizer and its device, of which passes know nothing: they are asked again only for another graph
 * or scenario, and where they looked at a symbol. Safe for use by several threads.
 */
final class PassResults {
    /** The passes of {@code generate()} are several graphs. */
    private static final int MOST = 16;

    /** The last one that was asked for comes first. */
    private final List<Result> known = new ArrayList<>();

    /**
     * What a chain of passes made of a graph.
     *
     * @param scenario that the passes knew
     * @param to cleared where memory is short
     */
    private record Result(WeakReference<Graph> from, List<Pass> passes, Scenario scenario, SoftReference<Graph> to) {
        @SuppressWarnings("ReferenceEquality") // the very passes
        boolean answers(Graph graph, List<Pass> chain, Scenario run) {
            return from.refersTo(graph) && passes == chain && scenario.equals(run);
        }
    }

    /** All of a scenario that passes know. */
    static Scenario knownToPasses(Scenario scenario) {
        Scenario any = Scenario.defaults();
        Scenario known = scenario.withSizes(any.sizes())
                .withOptimizer(any.optimizer())
                .withLoop(scenario.loop()
                        .withAccumulate(any.loop().accumulate())
                        .withSteps(any.loop().steps()));
        // Compiling asks which GPU it is for.
        return scenario.kernels().compile() ? known : known.withDevice(any.device());
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
        Graph there = find(graph, passes, scenario);
        if (there != null) {
            return there;
        }
        NoticedMap<String, Long> noticed = new NoticedMap<>(symbols);
        Graph made = apply.apply(graph, noticed);
        if (!noticed.wasRead()) {
            keep(new Result(new WeakReference<>(graph), passes, scenario, new SoftReference<>(made)));
        }
        return made;
    }

    private synchronized @Nullable Graph find(Graph graph, List<Pass> passes, Scenario scenario) {
        Optional<Result> found = known.stream()
                .filter(result -> result.answers(graph, passes, scenario))
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
