package dev.headroom.executor.program;

import dev.headroom.executor.autograd.BackwardPass;
import dev.headroom.executor.checkpoint.Body;
import dev.headroom.executor.checkpoint.NonReentrantCheckpoint;
import dev.headroom.executor.checkpoint.ReentrantCheckpoint;
import dev.headroom.executor.op.StandardOperators;
import dev.headroom.executor.op.basic.Autocast;
import dev.headroom.executor.op.registry.Arguments;
import dev.headroom.executor.op.registry.Operator;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Owner;
import dev.headroom.executor.tensor.Scope;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.checkpoint.CheckpointPlan;
import dev.headroom.model.checkpoint.Region;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Node;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/** A graph ready to run on a device. */
public final class Program {
    private final Eager eager;
    private final Graph graph;
    private final CheckpointPlan plan;
    private final Map<String, Long> symbols;
    private final BackwardPass backwardPass;
    private final ValueLifetimes lifetimes;
    private final Mode mode;

    /**
     * A program that recomputes nothing.
     *
     * @throws UserInputException when the graph has operators that the executor lacks, naming them all
     */
    public Program(Eager eager, Graph graph, Map<String, Long> symbols) {
        this(eager, CheckpointPlan.none(inlined(graph)), symbols, null);
    }

    /**
     * @param plan which operators are checkpointed
     * @param backwardPass for re-entrant checkpoints
     * @throws UserInputException when the graph has operators that the executor lacks, naming them all
     */
    public Program(Eager eager, CheckpointPlan plan, Map<String, Long> symbols, BackwardPass backwardPass) {
        this.eager = eager;
        this.plan = plan;
        this.graph = plan.graph();
        this.backwardPass = backwardPass;
        this.symbols = symbols;
        this.lifetimes = ValueLifetimes.of(graph);
        this.mode = new Mode(eager);
        requireOperators(graph);
    }

    /** The graph with bodies of higher-order operators in their place, as plans of checkpoints are made for. */
    public static Graph inlined(Graph graph) {
        return Inlined.of(graph);
    }

    private static void requireOperators(Graph graph) {
        TreeSet<String> lacking = new TreeSet<>();
        for (Node node : graph.nodes()) {
            boolean switches =
                    node.target().equals(Inlined.ENTER) || node.target().equals(Inlined.LEAVE);
            if (!switches && StandardOperators.all().find(node.operator()) == null) {
                lacking.add(node.operator());
            }
        }
        if (!lacking.isEmpty()) {
            throw new UserInputException(graph.name() + " cannot be run: the executor lacks "
                    + String.join(", ", lacking) + "; predict it with 'headroom predict'");
        }
    }

    /**
     * Runs all operators.
     *
     * @param inputs by value name: the model's tensors and the user's; borrowed
     * @return the user's outputs, each with a reference for the caller; {@code null} for one that is no tensor
     */
    public Tensor[] run(Map<String, Tensor> inputs) {
        Map<String, Tensor> values = new HashMap<>(inputs);
        try {
            int next = 0;
            for (Region region : plan.regions()) {
                steps(next, region.from(), values, inputs);
                checkpoint(region, values, inputs);
                next = region.to();
            }
            steps(next, graph.nodes().size(), values, inputs);
            return graph.outputs().stream()
                    .filter(o -> o.kind() != Graph.OutputKind.MUTATION)
                    .map(o -> o.value() == null ? null : eager.hold(values.get(o.value())))
                    .toArray(Tensor[]::new);
        } finally {
            mode.leaveAll();
            releaseAll(values, inputs);
        }
    }

    /** @param borrowed values that are not for this run to release */
    private void steps(int from, int to, Map<String, Tensor> values, Map<String, Tensor> borrowed) {
        for (int i = from; i < to; i++) {
            step(graph.nodes().get(i), values);
            for (String dead : lifetimes.diesAfter(i)) {
                if (!borrowed.containsKey(dead)) {
                    eager.release(values.remove(dead));
                }
            }
        }
    }

    private void releaseAll(Map<String, Tensor> values, Map<String, Tensor> borrowed) {
        values.forEach((name, t) -> {
            if (borrowed.get(name) != t) {
                eager.release(t);
            }
        });
    }

    private void checkpoint(Region region, Map<String, Tensor> values, Map<String, Tensor> inputs) {
        Tensor[] given = region.inputs().stream().map(values::get).toArray(Tensor[]::new);
        Body body = arguments -> body(region, arguments, inputs);
        try (Scope s = eager.open()) {
            Tensor[] made = plan.reentrant()
                    ? ReentrantCheckpoint.run(eager, backwardPass, body, given)
                    : NonReentrantCheckpoint.run(eager, body, given);
            for (int i = 0; i < made.length; i++) {
                values.put(region.outputs().get(i), eager.hold(made[i]));
            }
        }
        for (int i = region.from(); i < region.to(); i++) {
            for (String dead : lifetimes.diesAfter(i)) {
                eager.release(values.remove(dead));
            }
        }
    }

    /** Runs a region's operators as a function of its own. */
    private Tensor[] body(Region region, Tensor[] arguments, Map<String, Tensor> inputs) {
        Map<String, Tensor> borrowed = new HashMap<>();
        region.held().forEach(name -> borrowed.put(name, inputs.get(name)));
        for (int i = 0; i < arguments.length; i++) {
            borrowed.put(region.inputs().get(i), arguments[i]);
        }
        Map<String, Tensor> values = new HashMap<>(borrowed);
        try {
            steps(region.from(), region.to(), values, borrowed);
            return region.outputs().stream()
                    .map(name -> eager.adopt(eager.hold(values.get(name))))
                    .toArray(Tensor[]::new);
        } finally {
            releaseAll(values, borrowed);
        }
    }

    private void step(Node node, Map<String, Tensor> values) {
        if (mode.handles(node)) {
            return;
        }
        eager.own(new Owner(node.module(), node.operator()));
        Operator operator = StandardOperators.all().find(node.operator());
        try (Scope s = eager.open()) {
            Tensor[] results = operator.run(eager, Autocast.applied(eager, new Arguments(node, values, symbols)));
            List<String> names = node.outputs();
            for (int i = 0; i < names.size() && i < results.length; i++) {
                if (names.get(i) != null && results[i] != null) {
                    values.put(names.get(i), eager.hold(results[i]));
                }
            }
        }
    }
}
