package dev.headroom.model.importer;

import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.ModelState;
import dev.headroom.model.graph.Node;
import dev.headroom.model.graph.SymExpr;
import dev.headroom.model.graph.TensorMeta;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * Finds tied parameters of a model that was exported without data, where no storage tells them apart.
 *
 * <p>The graph reads a tied parameter under one of its names only, the first in strict mode
 * (torch/export/_trace.py, {@code _get_param_buffer_mapping}), the last otherwise; the other names look unused. A
 * module that runs on another module's parameter while its own of the same shape is unused must hold that parameter
 * under its own name.
 */
final class TiedTensors {
    private final Map<String, TensorMeta> metas;
    private final Map<String, String> names = new HashMap<>();
    private final Set<String> used = new HashSet<>();
    private final Set<String> running = new HashSet<>();
    /** The parameters that each module's own operators read. */
    private final Map<String, Set<String>> readBy = new LinkedHashMap<>();

    private final List<String> order;
    private final Map<String, String> tied = new HashMap<>();
    private final List<String> notes = new ArrayList<>();

    private TiedTensors(Graph graph, Map<String, TensorMeta> parameters) {
        this.metas = parameters;
        this.order = List.copyOf(parameters.keySet());
        for (Graph.Input input : graph.inputs()) {
            if (parameters.containsKey(input.qualifiedName())) {
                names.put(input.value(), input.qualifiedName());
            }
        }
        scan(graph, names);
    }

    /**
     * Names that share a tensor.
     *
     * @param tied the name that the graph reads, by each name that stands for the same tensor
     * @param notes what was concluded, one line each
     */
    record Result(Map<String, String> tied, List<String> notes) {}

    /** @param parameters descriptions by qualified name in the signature's order */
    static Result find(Graph graph, Map<String, TensorMeta> parameters) {
        TiedTensors search = new TiedTensors(graph, parameters);
        search.byReadingModule();
        search.byNeighbour();
        return new Result(search.tied, search.notes);
    }

    private void scan(Graph graph, Map<String, String> known) {
        for (Node node : graph.nodes()) {
            node.moduleStack().forEach(call -> running.add(call.path()));
            List<String> operands = new ArrayList<>();
            List<Graph> bodies = new ArrayList<>();
            for (Node.NamedArgument argument : node.arguments()) {
                if (argument.value() instanceof Argument.Subgraph body) {
                    bodies.add(body.graph());
                    operands.clear();
                } else {
                    for (String value : GraphReader.tensors(argument.value())) {
                        operands.add(value == null ? null : known.get(value));
                    }
                }
            }
            operands.removeIf(name -> name == null && bodies.isEmpty());
            for (String name : operands) {
                if (name != null) {
                    used.add(name);
                    if (bodies.isEmpty()) {
                        readBy.computeIfAbsent(node.module(), m -> new HashSet<>())
                                .add(name);
                    }
                }
            }
            for (Graph body : bodies) {
                scan(body, bound(body, operands));
            }
        }
    }

    /** A body's inputs are the operands that follow it. */
    private static Map<String, String> bound(Graph body, List<String> operands) {
        Map<String, String> bound = new HashMap<>();
        for (int i = 0; i < Math.min(operands.size(), body.inputs().size()); i++) {
            if (operands.get(i) != null) {
                bound.put(body.inputs().get(i).value(), operands.get(i));
            }
        }
        return bound;
    }

    private void byReadingModule() {
        for (String name : order) {
            String owner = ModelState.owner(name);
            if (used.contains(name) || !readBy.containsKey(owner)) {
                continue;
            }
            List<String> candidates = new ArrayList<>();
            for (String other : order) {
                if (readBy.get(owner).contains(other)
                        && !ModelState.owner(other).equals(owner)
                        && sameShape(meta(other), meta(name))) {
                    candidates.add(other);
                }
            }
            String best = candidates.stream()
                    .filter(other -> leaf(other).equals(leaf(name)))
                    .findFirst()
                    .orElse(candidates.isEmpty() ? null : candidates.get(0));
            if (best != null) {
                tied.put(name, best);
            }
        }
    }

    /**
     * What no module's call proves: a second name of a tensor that is tied already, held by a module that never runs;
     * a module's own name for the parameter of its child; and the parameter of a child that never runs, while the
     * module's own operators read one of elsewhere, as functions do that are given {@code self.encoder.weight}.
     */
    private void byNeighbour() {
        Set<String> targets = new HashSet<>(tied.values());
        for (String name : order) {
            if (used.contains(name) || tied.containsKey(name)) {
                continue;
            }
            String owner = ModelState.owner(name);
            for (String other : order) {
                boolean idle = !running.contains(owner) && targets.contains(other);
                boolean child = ModelState.owner(ModelState.owner(other)).equals(owner)
                        && !ModelState.owner(other).isEmpty()
                        && !ModelState.owner(other).equals(owner);
                boolean instead = !running.contains(owner)
                        && readBy.getOrDefault(ModelState.owner(owner), Set.of())
                                .contains(other)
                        && !ModelState.owner(other).equals(ModelState.owner(owner));
                if (used.contains(other)
                        && (instead || (idle || child) && leaf(other).equals(leaf(name)))
                        && sameShape(meta(other), meta(name))) {
                    tied.put(name, other);
                    notes.add("took the unused parameter " + name + " to be tied to " + other
                            + ", which has its shape; an export with real weights would say");
                    break;
                }
            }
        }
    }

    private TensorMeta meta(String name) {
        return Objects.requireNonNull(metas.get(name), name);
    }

    private static boolean sameShape(TensorMeta a, TensorMeta b) {
        return a.dtype() == b.dtype()
                && a.requiresGrad() == b.requiresGrad()
                && sameNumbers(a.sizes(), b.sizes())
                && sameNumbers(a.strides(), b.strides());
    }

    private static boolean sameNumbers(List<SymExpr> a, List<SymExpr> b) {
        if (a.size() != b.size()) {
            return false;
        }
        for (int i = 0; i < a.size(); i++) {
            if (!(a.get(i) instanceof SymExpr.Constant x)
                    || !(b.get(i) instanceof SymExpr.Constant y)
                    || x.value() != y.value()) {
                return false;
            }
        }
        return true;
    }

    private static String leaf(String name) {
        return name.substring(name.lastIndexOf('.') + 1);
    }
}
