package dev.headroom.estimator.parallel.parts;

import dev.headroom.model.checkpoint.CheckpointPlan;
import dev.headroom.model.checkpoint.Region;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.ModelState;
import dev.headroom.model.graph.Node;
import dev.headroom.model.run.PreparedRun;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A model's graph in parts that follow each other. */
public final class Division {
    private final Graph graph;
    private final CheckpointPlan plan;
    private final int[] bounds;
    private final List<Part> parts = new ArrayList<>();

    /** By path of a module: the part that first calls it, or something in it. */
    private final Map<String, Integer> partOf = new HashMap<>();

    private Division(PreparedRun run, Items items, List<Integer> bounds) {
        this.plan = run.plan();
        this.graph = run.graph();
        this.bounds = bounds.stream().mapToInt(Integer::intValue).toArray();
        List<Node> nodes = graph.nodes();
        Set<String> held = held();
        for (int k = 0; k < bounds.size() - 1; k++) {
            for (Node node : nodes.subList(this.bounds[k], this.bounds[k + 1])) {
                for (Node.ModuleCall call : node.moduleStack()) {
                    partOf.putIfAbsent(call.path(), k);
                }
            }
            parts.add(part(k, new PartGraph(graph, items), held));
        }
    }

    /**
     * Divides a run's model.
     *
     * @param split first modules of the parts behind the first; empty for an even division
     * @throws UserInputException when it has no such parts
     */
    public static Division of(PreparedRun run, int parts, List<String> split) {
        Items items = Items.of(run.graph());
        List<String> names =
                split.stream().flatMap(s -> Arrays.stream(s.split(","))).toList();
        return new Division(run, items, names.isEmpty() ? even(items, parts, run) : named(parts, names, run));
    }

    /** Runs of nearly as many items, the longer ones first. */
    private static List<Integer> even(Items items, int parts, PreparedRun run) {
        if (items.count() < parts) {
            throw new UserInputException("the model has " + items.count() + " modules in a row, which cannot be divided"
                    + " in " + parts + "; name the first module of each further part with --split");
        }
        List<Integer> bounds = new ArrayList<>(List.of(0));
        int item = 0;
        for (int k = 0; k < parts - 1; k++) {
            item += items.count() / parts + (k < items.count() % parts ? 1 : 0);
            bounds.add(items.bounds().get(item));
        }
        bounds.add(run.graph().nodes().size());
        return bounds;
    }

    private static List<Integer> named(int parts, List<String> split, PreparedRun run) {
        if (split.size() != parts - 1) {
            throw new UserInputException("--split names " + split.size() + " modules, but " + parts + " parts have "
                    + (parts - 1) + " boundaries: name the first module of each part but the first");
        }
        List<Integer> bounds = new ArrayList<>(List.of(0));
        for (String module : split) {
            int at = bounds.get(bounds.size() - 1);
            while (at < run.graph().nodes().size() && !calls(run.graph().nodes().get(at), module)) {
                at++;
            }
            if (at == run.graph().nodes().size() || at == bounds.get(bounds.size() - 1)) {
                throw new UserInputException("--split " + module + ": the model calls no module of that name"
                        + (bounds.size() > 1 ? " behind the one before" : "")
                        + "; give modules in the order in which they are called");
            }
            bounds.add(at);
        }
        bounds.add(run.graph().nodes().size());
        return bounds;
    }

    private static boolean calls(Node node, String module) {
        return node.moduleStack().stream()
                .anyMatch(c -> c.path().equals(module) || c.path().startsWith(module + "."));
    }

    private Set<String> held() {
        Set<String> held = new LinkedHashSet<>();
        graph.inputs().stream().filter(i -> i.kind() != Graph.InputKind.USER).forEach(i -> held.add(i.value()));
        return held;
    }

    private Part part(int k, PartGraph builder, Set<String> held) {
        int from = bounds[k];
        int to = bounds[k + 1];
        Set<String> inputs = new LinkedHashSet<>();
        Set<String> made = new LinkedHashSet<>();
        for (Node node : graph.nodes().subList(from, to)) {
            node.reads().stream()
                    .filter(v -> !made.contains(v) && !held.contains(v))
                    .forEach(inputs::add);
            node.outputs().stream().filter(v -> v != null).forEach(made::add);
        }
        Set<String> later = new LinkedHashSet<>();
        graph.nodes().subList(to, graph.nodes().size()).forEach(n -> later.addAll(n.reads()));
        graph.outputs().stream()
                .filter(o -> o.kind() != Graph.OutputKind.MUTATION)
                .forEach(o -> later.add(o.value()));
        made.retainAll(later);
        List<String> outputs = new ArrayList<>(made);
        Graph own = builder.of(k, from, to, inputs, outputs);
        List<Region> regions = new ArrayList<>();
        for (Region r : plan.regions()) {
            if (r.from() < to && r.to() > from) {
                if (r.from() < from || r.to() > to) {
                    throw new UserInputException("--checkpoint: a checkpoint that begins with '"
                            + graph.nodes().get(r.from()).module() + "' reaches over the end of a part of the model;"
                            + " choose other segments, or --checkpoint-modules");
                }
                regions.add(new Region(r.from() - from, r.to() - from, r.held(), r.inputs(), r.outputs()));
            }
        }
        return new Part(from, new CheckpointPlan(own, regions, plan.reentrant()), List.copyOf(inputs), outputs);
    }

    /** In order. */
    public List<Part> parts() {
        return parts;
    }

    /** Nodes of the whole graph. */
    public int nodes() {
        return graph.nodes().size();
    }

    /** The part that a module belongs to: where it is first called; one that is never called goes with its parent. */
    public int partOf(String module) {
        Integer part = partOf.get(module);
        return part != null ? part : module.isEmpty() ? 0 : partOf(ModelState.owner(module));
    }
}
