package dev.headroom.model.parts;

import dev.headroom.model.checkpoint.CheckpointPlan;
import dev.headroom.model.checkpoint.Region;
import dev.headroom.model.checkpoint.Regions;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.ModelState;
import dev.headroom.model.graph.Node;
import dev.headroom.model.run.PreparedRun;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** A model's graph in parts that follow each other. */
public final class Division {
    private final Graph graph;
    private final CheckpointPlan plan;
    private final int[] bounds;
    private final Items items;

    /** Whether parts are models of their own: each makes what comes of what it holds by itself. */
    private final boolean alone;

    private final boolean recomputes;
    private final List<Part> parts = new ArrayList<>();
    private final @Nullable Part loss;

    /** What the model returns. */
    private final Set<String> results = new HashSet<>();

    /** By path of a module: the part that first calls it, or something in it. */
    private final Map<String, Integer> partOf = new HashMap<>();

    /** What nodes read, and the last one that does. */
    private final Map<String, Integer> lastReads = new HashMap<>();

    private Division(PreparedRun run, Items items, List<Integer> bounds, boolean alone) {
        this.alone = alone;
        this.items = items;
        this.recomputes = run.scenario().checkpointing().segments() > 0;
        this.plan = run.plan();
        this.graph = run.graph();
        this.bounds = bounds.stream().mapToInt(Integer::intValue).toArray();
        List<Node> nodes = graph.nodes();
        Set<String> held = held();
        OwnValues own = new OwnValues(graph, held);
        for (int i = 0; i < nodes.size(); i++) {
            for (String value : nodes.get(i).reads()) {
                lastReads.put(value, i);
            }
        }
        graph.outputs().stream()
                .filter(o -> o.kind() != Graph.OutputKind.MUTATION)
                .forEach(o -> results.add(o.value()));
        int last = this.bounds.length - 1;
        OwnLoss ownLoss = OwnLoss.of(graph, this.bounds[last - 1]);
        if (alone) {
            this.bounds[last] = ownLoss.from();
        }
        for (int k = 0; k < bounds.size() - 1; k++) {
            for (Node node : nodes.subList(this.bounds[k], this.bounds[k + 1])) {
                for (Node.ModuleCall call : node.moduleStack()) {
                    partOf.putIfAbsent(call.path(), k);
                }
            }
            parts.add(part(k, held, own));
        }
        this.loss = alone && ownLoss.from() < nodes.size() ? loss(ownLoss, own) : null;
    }

    /** What the schedule's loss function does of a model that computes its loss itself. */
    private Part loss(OwnLoss found, OwnValues own) {
        int end = graph.nodes().size();
        List<Integer> nodes = new ArrayList<>(own.behind(found.from(), end));
        int first = nodes.size();
        IntStream.range(found.from(), end).forEach(nodes::add);
        Set<String> inputs = new LinkedHashSet<>(parts.get(parts.size() - 1).outputs());
        inputs.addAll(found.labels());
        List<String> outputs = List.of(graph.outputs().stream()
                .filter(o -> o.kind() != Graph.OutputKind.MUTATION)
                .findFirst()
                .orElseThrow()
                .value());
        Graph lossGraph = new PartGraph(graph, items).of(parts.size(), nodes, inputs, outputs);
        return new Part(
                found.from(), nodes.size() - first, CheckpointPlan.none(lossGraph), List.copyOf(inputs), outputs);
    }

    /** The loss of a model that computes it itself, given its outputs and labels; {@code null} for other models. */
    public @Nullable Part loss() {
        return loss;
    }

    /**
     * Divides a run's model, whose parts are called by one function.
     *
     * @param split first modules of the parts behind the first; empty for an even division
     * @throws UserInputException when it has no such parts
     */
    public static Division of(PreparedRun run, int parts, List<String> split) {
        return of(run, parts, split, false);
    }

    /**
     * Divides a run's model in stages, each of which is a model of its own and may be in another process.
     *
     * @throws UserInputException when it has no such parts
     */
    public static Division stages(PreparedRun run, int stages, List<String> split) {
        return of(run, stages, split, true);
    }

    private static Division of(PreparedRun run, int parts, List<String> split, boolean alone) {
        Items items = Items.of(run.graph());
        List<String> names =
                split.stream().flatMap(s -> Arrays.stream(s.split(","))).toList();
        return new Division(run, items, names.isEmpty() ? even(items, parts, run) : named(parts, names, run), alone);
    }

    /** Runs of nearly as many items, the longer ones first. */
    private static List<Integer> even(Items items, int parts, PreparedRun run) {
        if (items.count() < parts) {
            throw new UserInputException("the model has " + items.count() + " modules in a row, which cannot be divided"
                    + " in " + parts + "; name the first module of each further part with `split`");
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
            throw new UserInputException("`split` names " + split.size() + " modules, but " + parts + " parts have "
                    + (parts - 1) + " boundaries: name the first module of each part but the first");
        }
        List<Integer> bounds = new ArrayList<>(List.of(0));
        for (String module : split) {
            int at = bounds.get(bounds.size() - 1);
            while (at < run.graph().nodes().size() && !calls(run.graph().nodes().get(at), module)) {
                at++;
            }
            if (at == run.graph().nodes().size() || at == bounds.get(bounds.size() - 1)) {
                throw new UserInputException("`split=" + module + "`: the model calls no module of that name"
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

    private Part part(int k, Set<String> held, OwnValues own) {
        int from = bounds[k];
        int to = bounds[k + 1];
        List<Integer> first = alone ? own.behind(from, to) : List.of();
        List<Integer> nodes = new ArrayList<>(first);
        IntStream.range(from, to).forEach(nodes::add);
        Set<String> inputs = new LinkedHashSet<>();
        Set<String> made = new LinkedHashSet<>();
        for (int i : nodes) {
            graph.nodes().get(i).reads().stream()
                    .filter(v -> !made.contains(v) && !held.contains(v))
                    .forEach(inputs::add);
            graph.nodes().get(i).outputs().stream().filter(v -> v != null).forEach(made::add);
        }
        made.removeIf(v -> !results.contains(v) && (lastReads.getOrDefault(v, -1) < to || alone && own.contains(v)));
        if (alone) {
            checkStage(k, from, inputs);
        }
        List<String> outputs = new ArrayList<>(made);
        Graph ownGraph = new PartGraph(graph, items).of(k, nodes, inputs, outputs);
        int shift = first.size() - from;
        CheckpointPlan ownPlan = alone && recomputes
                ? new CheckpointPlan(ownGraph, itemRegions(ownGraph, from, to, shift), false)
                : new CheckpointPlan(ownGraph, regions(from, to, shift), plan.reentrant(), plan.offload());
        return new Part(from, to - from, ownPlan, List.copyOf(inputs), outputs);
    }

    /** What a stage is given is one tensor. */
    private void checkStage(int k, int from, Set<String> inputs) {
        if (inputs.size() != 1) {
            throw new UserInputException("`parallel=pp`: " + stage(k, from) + ", is given " + inputs.size()
                    + " tensors: stages hand on one each; cut elsewhere with `split`");
        }
    }

    private String stage(int k, int from) {
        return "stage " + k + ", which begins with '" + graph.nodes().get(from).module() + "'";
    }

    /**
     * Checks that a stage behind the first leaves its input as it is, which requires a gradient and is a leaf, and that
     * checkpoints leave theirs.
     *
     * @throws UserInputException where it does not: then the rank that runs the stage fails, and no other
     */
    public void checkInput(int stage) {
        Part part = parts.get(stage);
        int end = part.from() + part.count();
        for (Node node : graph.nodes().subList(part.from(), stage == 0 ? part.from() : end)) {
            if (Region.changesInPlace(node)
                    && part.inputs().contains(node.reads().get(0))) {
                throw new UserInputException("`parallel=pp`: " + stage(stage, part.from())
                        + ", changes its input in place, which PyTorch refuses of a leaf; cut elsewhere with `split`");
            }
        }
        checkCheckpoints(stage);
    }

    /** A checkpoint that changes its input in place changes it again when it is recomputed: the backward pass fails. */
    private void checkCheckpoints(int stage) {
        Graph own = parts.get(stage).plan().graph();
        for (Region r : recomputes ? parts.get(stage).plan().regions() : List.<Region>of()) {
            Set<String> inside = held();
            for (Node node : own.nodes().subList(r.from(), r.to())) {
                if (Region.changesInPlace(node) && !inside.contains(node.reads().get(0))) {
                    throw new UserInputException(
                            "`parallel=pp` with `checkpoint`: '" + node.module() + "' changes the input"
                                    + " of a checkpoint in place, and PyTorch's backward pass fails; leave out"
                                    + " `checkpoint`, or make it work out of place (inplace=False)");
                }
                node.outputs().stream().filter(v -> v != null).forEach(inside::add);
            }
        }
    }

    /** The regions of the whole plan that lie in a part. */
    private List<Region> regions(int from, int to, int shift) {
        List<Region> regions = new ArrayList<>();
        for (Region r : plan.regions()) {
            if (r.from() < to && r.to() > from) {
                if (r.from() < from || r.to() > to) {
                    throw new UserInputException("`checkpoint`: a checkpoint that begins with '"
                            + graph.nodes().get(r.from()).module() + "' reaches over the end of a part of the model;"
                            + " choose other segments, or `checkpoint_modules`");
                }
                regions.add(r.shifted(shift));
            }
        }
        return regions;
    }

    /** Each item of a part that has several is a checkpoint. */
    private List<Region> itemRegions(Graph part, int from, int to, int shift) {
        List<Region> regions = new ArrayList<>();
        Regions of = new Regions(part);
        for (int k = 0; k < items.count(); k++) {
            int begin = items.bounds().get(k);
            int end = items.bounds().get(k + 1);
            if (begin >= from && end <= to && end > begin) {
                regions.add(of.of(begin + shift, end + shift));
            }
        }
        return regions.size() > 1 ? regions : List.of();
    }

    /** In order. */
    public List<Part> parts() {
        return parts;
    }

    /** A part's graph with what the part holds alone: what it reads, and what is in its modules and nobody reads. */
    public Graph held(int part) {
        Set<String> own = new LinkedHashSet<>();
        parts.get(part).plan().graph().nodes().forEach(n -> own.addAll(n.reads()));
        Map<String, ModelState.HeldTensor> tensors = new LinkedHashMap<>();
        graph.held().tensors().forEach((name, held) -> {
            boolean unread = held.value() == null || !lastReads.containsKey(held.value());
            if (unread ? partOf(ModelState.owner(name)) == part : own.contains(held.value())) {
                String storage = tensors.containsKey(held.storage()) ? held.storage() : name;
                tensors.put(name, held.as(held.value(), storage));
            }
        });
        Graph of = parts.get(part).plan().graph();
        return of.withHeld(
                new ModelState(graph.held().modules(), tensors, graph.held().notes()));
    }

    /** Paths of the modules of a part: those that it calls or that hold something for it, and the model itself. */
    public List<String> modules(int part) {
        return graph.held().modules().stream()
                .filter(m -> m.isEmpty() || partOf(m) == part)
                .toList();
    }

    /** Paths of the modules that are given a value. */
    public List<String> readers(String value) {
        return graph.nodes().stream()
                .filter(n -> n.reads().contains(value))
                .flatMap(n -> n.moduleStack().stream())
                .map(Node.ModuleCall::path)
                .distinct()
                .toList();
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
