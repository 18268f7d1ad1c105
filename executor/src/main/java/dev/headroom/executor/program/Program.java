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
import dev.headroom.model.graph.CustomFunctionNode;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Node;
import dev.headroom.model.rewrite.InlinedRegions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A graph ready to run on a device. */
public final class Program {
    private final Eager eager;
    private final Graph graph;
    private final CheckpointPlan plan;
    private final Map<String, Long> symbols;
    private final @Nullable BackwardPass backwardPass;
    private final ValueLifetimes lifetimes;
    private final Mode mode;
    private final Attributes attributes;
    private final CustomFunctions functions;
    private final Map<String, Integer> makers = new HashMap<>();
    private HookedCalls hooked;
    private boolean aroundCheckpoints;

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
     * @param backwardPass for re-entrant checkpoints, else {@code null}
     * @throws UserInputException when the graph has operators that the executor lacks, naming them all
     */
    public Program(Eager eager, CheckpointPlan plan, Map<String, Long> symbols, @Nullable BackwardPass backwardPass) {
        this.eager = eager;
        this.plan = plan;
        this.graph = plan.graph();
        this.backwardPass = backwardPass;
        this.symbols = symbols;
        this.lifetimes = ValueLifetimes.of(graph);
        this.mode = new Mode(eager);
        this.attributes = new Attributes(eager);
        this.hooked = new HookedCalls(graph, Map.of());
        requireOperators(graph);
        this.functions = new CustomFunctions(eager, graph, symbols);
        for (int i = 0; i < graph.nodes().size(); i++) {
            for (String made : graph.nodes().get(i).outputs()) {
                makers.put(made, i);
            }
        }
    }

    /**
     * From now on modules have hooks.
     *
     * @param hooks by path of the module, "" for the model itself
     * @param around whether hooks of a checkpointed module run outside of the checkpoint
     */
    public void hook(Map<String, ModuleHooks> hooks, boolean around) {
        hooked = new HookedCalls(graph, hooks);
        aroundCheckpoints = around;
    }

    /** From now on this runs when the model returns to a program that goes on with the loss. */
    public void whenModelReturns(Runnable then) {
        attributes.whenModelReturns(then);
    }

    /** From now on this runs, with its name, when a tensor takes a buffer's place; it is borrowed. */
    public void whenBufferIsBound(BiConsumer<String, Tensor> then) {
        attributes.whenBufferIsBound(then);
    }

    /** Lets go of what the model kept beyond its passes. */
    public void close() {
        attributes.release();
    }

    /** The graph with bodies of higher-order operators in their place, as plans of checkpoints are made for. */
    public static Graph inlined(Graph graph) {
        return InlinedRegions.of(CheckpointPlan.withoutBodies(graph));
    }

    /** Whether a node of an inlined graph is no operator but switches a mode, such as autocast, on or off. */
    public static boolean isMode(Node node) {
        return InlinedRegions.isSwitch(node);
    }

    /** The operators of an inlined graph that the executor does not have. */
    public static Set<String> lacking(Graph graph) {
        Set<String> lacking = new TreeSet<>();
        for (Node node : graph.nodes()) {
            if (CustomFunctionNode.isOne(node)) {
                lacking.addAll(CustomFunctions.lacking(node));
            } else if (!isMode(node)
                    && !Attributes.changeBy(node)
                    && StandardOperators.all().find(node.operator()) == null) {
                lacking.add(node.operator());
            }
        }
        return lacking;
    }

    private static void requireOperators(Graph graph) {
        Set<String> lacking = lacking(graph);
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
    public @Nullable Tensor[] run(Map<String, Tensor> inputs) {
        RunningValues values = new RunningValues(eager, inputs);
        try {
            int next = 0;
            for (Region region : plan.regions()) {
                steps(next, region.from(), values, null);
                checkpoint(region, values);
                next = region.to();
            }
            steps(next, graph.nodes().size(), values, null);
            return values.held(graph.outputs().stream()
                    .filter(o -> o.kind() != Graph.OutputKind.MUTATION)
                    .map(Graph.Output::value)
                    .toList());
        } finally {
            mode.leaveAll();
            values.release();
        }
    }

    /** @param region in which the nodes run, or {@code null} */
    private void steps(int from, int to, RunningValues values, @Nullable Region region) {
        for (int i = from; i < to; i++) {
            enter(i, values, span -> region == null || span.isIn(region, aroundCheckpoints));
            step(graph.nodes().get(i), values);
            after(i, values, span -> region == null || span.isIn(region, aroundCheckpoints));
        }
    }

    private void enter(int node, RunningValues values, Predicate<HookedCalls.Span> here) {
        hooked.startingAt(node).stream().filter(here).forEach(values::enter);
    }

    private void after(int node, RunningValues values, Predicate<HookedCalls.Span> here) {
        values.after(hooked.endingAt(node).stream().filter(here).toList(), lifetimes.diesAfter(node), makers);
    }

    private void checkpoint(Region region, RunningValues values) {
        Predicate<HookedCalls.Span> outside = span -> !span.isIn(region, aroundCheckpoints);
        enter(region.from(), values, outside);
        Tensor[] given = region.inputs().stream().map(values::get).toArray(Tensor[]::new);
        Map<String, Tensor> held = new HashMap<>();
        region.held().forEach(name -> held.put(name, values.get(name)));
        Body body = arguments -> body(region, arguments, held);
        try (Scope s = eager.open()) {
            Tensor[] made = plan.reentrant()
                    ? ReentrantCheckpoint.run(
                            eager, Objects.requireNonNull(backwardPass, "a backward pass"), body, given)
                    : NonReentrantCheckpoint.run(eager, body, given);
            for (int i = 0; i < made.length; i++) {
                values.rebind(region.outputs().get(i), eager.hold(made[i]));
            }
        }
        for (int i = region.from(); i < region.to(); i++) {
            after(i, values, outside);
        }
    }

    /** Runs a region's operators as a function of its own. */
    private Tensor[] body(Region region, Tensor[] arguments, Map<String, Tensor> held) {
        Map<String, Tensor> borrowed = new HashMap<>(held);
        for (int i = 0; i < arguments.length; i++) {
            borrowed.put(region.inputs().get(i), arguments[i]);
        }
        RunningValues values = new RunningValues(eager, borrowed);
        try {
            steps(region.from(), region.to(), values, region);
            return region.outputs().stream()
                    .map(name -> eager.adopt(eager.hold(values.get(name))))
                    .toArray(Tensor[]::new);
        } finally {
            values.release();
        }
    }

    private void step(Node node, RunningValues values) {
        if (mode.handles(node) || attributes.handle(node, values.now())) {
            return;
        }
        eager.own(new Owner(node.module(), node.operator()));
        try (Scope s = eager.open()) {
            @Nullable
            Tensor[] results = CustomFunctionNode.isOne(node) ? functions.call(node, values.now()) : run(node, values);
            List<String> names = node.outputs();
            for (int i = 0; i < names.size() && i < results.length; i++) {
                if (names.get(i) != null && results[i] != null) {
                    values.put(names.get(i), eager.hold(results[i]));
                }
            }
        }
    }

    private Tensor[] run(Node node, RunningValues values) {
        Operator operator = Objects.requireNonNull(StandardOperators.all().find(node.operator()), node.operator());
        return operator.run(eager, Autocast.applied(eager, new Arguments(values.typed(node), values.now(), symbols)));
    }
}
