package dev.headroom.model.compiled;

import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.OwnLoop;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What each forward pass of a run calls, where a plan was written of several that differ: another batch size is another
 * graph, compiled anew with symbolic sizes.
 *
 * @param graphs in the order of the passes; equal passes have the same graph
 */
public record PlanPasses(List<Graph> graphs) implements OwnLoop {
    private static final int MOST = 100_000;

    public PlanPasses {
        graphs = List.copyOf(graphs);
    }

    /**
     * The graph of a pass; those of the last step serve all further ones.
     *
     * @param each passes of a step
     */
    public Graph of(int pass, int each) {
        int size = graphs.size();
        return graphs.get(pass < size ? pass : size - each + pass % each);
    }

    /** The model of a plan of several passes: the first one's graph, with all of them for its loop. */
    private static Graph model(List<Graph> graphs) {
        return graphs.get(0).withLoop(new PlanPasses(graphs));
    }

    /** Of a plan that says what ran in each pass: {@code programs}, and which of them each of the {@code passes} is. */
    static Graph ofPrograms(String name, Map<?, ?> file, PlanGraphs plans) {
        List<Graph> known = new ArrayList<>();
        for (Object program : PlanJson.list(file.get("programs"), "programs")) {
            known.add(new PlanProgram(name, PlanJson.object(program, "programs"), plans).graph());
        }
        List<Graph> passes = new ArrayList<>();
        for (Object which : PlanJson.list(file.get("passes"), "passes")) {
            int number = PlanJson.count(which, "passes");
            if (number >= known.size()) {
                throw new UserInputException("passes names program " + number + ", but there are only " + known.size());
            }
            passes.add(known.get(number));
        }
        requireSome(passes);
        return model(passes);
    }

    private static void requireSome(List<Graph> passes) {
        if (passes.isEmpty() || passes.size() > MOST) {
            throw new UserInputException("passes holds " + passes.size() + " passes, of 1 to " + MOST);
        }
    }

    /**
     * Of a plan of the graphs alone, compiled for the batch sizes in {@code config.batches}: with the first size as it
     * is, and again with a symbolic one as soon as there is another (torch/_dynamo, automatic dynamic shapes), which
     * serves all sizes from then on.
     */
    static Graph ofBatches(String name, Map<?, ?> config, String batches, PlanGraphs plans) {
        List<Long> sizes = sizes(batches);
        long first = sizes.get(0);
        @Nullable
        Long other = sizes.stream().filter(s -> s != first).findFirst().orElse(null);
        List<Integer> forwards = plans.forwards();
        int each = other == null ? forwards.size() : forwards.size() / 2;
        if (each == 0 || other != null && forwards.size() % 2 != 0) {
            throw new UserInputException("it holds " + forwards.size() + " graphs for the batch sizes " + batches
                    + ", not those of one size and as many with a symbolic one; write one plan for each size");
        }
        Map<Long, Graph> known = new HashMap<>();
        List<Graph> passes = new ArrayList<>();
        boolean symbolic = false;
        for (long size : sizes) {
            symbolic |= size != first;
            long key = symbolic ? size : -size;
            List<Integer> called = symbolic ? forwards.subList(each, 2 * each) : forwards.subList(0, each);
            passes.add(known.computeIfAbsent(key, k -> {
                List<CompiledGraph> graphs = called.stream()
                        .map(plan ->
                                plans.called(plan, k < 0 || other == null ? Map.of() : plans.sized(plan, other, k)))
                        .toList();
                return new PlanModel(name, config, graphs, Math.abs(k)).graph();
            }));
        }
        return model(passes);
    }

    private static List<Long> sizes(String batches) {
        try {
            List<Long> out = new ArrayList<>();
            for (String size : batches.split(",")) {
                out.add(Long.parseLong(size.strip()));
            }
            if (out.stream().anyMatch(s -> s <= 0) || out.size() > MOST) {
                throw new NumberFormatException(batches);
            }
            return out;
        } catch (NumberFormatException e) {
            throw new UserInputException("config.batches is '" + batches + "', not sizes such as 8,8,5", e);
        }
    }
}
