package dev.headroom.estimator.program;

import dev.headroom.estimator.checkpoint.Checkpoint;
import dev.headroom.estimator.log.Attribution;
import dev.headroom.estimator.program.variables.Lifetimes;
import dev.headroom.estimator.repeat.Beginning;
import dev.headroom.estimator.runtime.AutogradEngine;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Frame;
import dev.headroom.estimator.runtime.ModuleHooks;
import dev.headroom.estimator.runtime.StopRecomputation;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.checkpoint.CheckpointPlan;
import dev.headroom.model.checkpoint.Region;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Node;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntUnaryOperator;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Runs a graph's operators in order over a {@link EagerRuntime}, with the lifetimes of the Python program behind it.
 */
public final class GraphRunner implements ForwardPass {
    private final EagerRuntime runtime;
    private final Graph graph;
    private final Lifetimes lifetimes;
    private final NodeCalls calls;
    private final int[] attributions;
    private final CheckpointPlan plan;
    private final @Nullable AutogradEngine engine;
    private final Set<Region> withoutGradients = new LinkedHashSet<>();
    private final BitSet hostReads;
    private final int[] executions;
    private final int[][] storages;
    private final Map<String, NodeRuns.Made> made = new HashMap<>();

    /** The last copy of these that was handed out. */
    private Map<String, NodeRuns.Made> known = Map.of();

    private final ModuleCalls moduleCalls;

    /** A runner that recomputes nothing. */
    public GraphRunner(
            EagerRuntime runtime, Graph graph, Map<String, Long> symbols, Unmodelled unmodelled, ModelTypes types) {
        this(runtime, CheckpointPlan.none(graph), null, symbols, unmodelled, types);
    }

    /** @param engine runs the backward passes inside re-entrant checkpoints */
    public GraphRunner(
            EagerRuntime runtime,
            CheckpointPlan plan,
            @Nullable AutogradEngine engine,
            Map<String, Long> symbols,
            Unmodelled unmodelled,
            ModelTypes types) {
        this(runtime, plan, engine, symbols, unmodelled, types, Lifetimes.of(plan.graph()));
    }

    /** @param lifetimes of the graph's values */
    GraphRunner(
            EagerRuntime runtime,
            CheckpointPlan plan,
            @Nullable AutogradEngine engine,
            Map<String, Long> symbols,
            Unmodelled unmodelled,
            ModelTypes types,
            Lifetimes lifetimes) {
        this.runtime = runtime;
        this.graph = plan.graph();
        this.plan = plan;
        this.engine = engine;
        this.lifetimes = lifetimes;
        this.hostReads = HostReads.of(graph);
        this.calls = new NodeCalls(runtime, graph, symbols, unmodelled, types, lifetimes);
        this.moduleCalls = new ModuleCalls(runtime, graph, calls::made);
        List<Node> nodes = graph.nodes();
        attributions = new int[nodes.size()];
        executions = new int[nodes.size()];
        storages = new int[nodes.size()][];
        for (int i = 0; i < attributions.length; i++) {
            Node node = nodes.get(i);
            attributions[i] = runtime.number(new Attribution(node.module(), node.operator(), ""));
        }
    }

    /**
     * Runs the graph.
     *
     * @param given by value name: parameters, buffers, the user's; borrowed
     * @return the user's outputs in order, each with a reference for the caller; {@code null} for one that is no tensor
     */
    @Override
    public Tensor[] run(Map<String, Tensor> given) {
        Map<String, Tensor> inputs = new HashMap<>(given); // a pass may bind buffers anew
        // In the order in which variables come about, which is that in which Python drops them when a function ends.
        Map<String, Tensor> values = new LinkedHashMap<>(given);
        calls.given(values);
        int before = runtime.attribution();
        int at = 0;
        for (Region region : plan.regions()) {
            steps(at, region.from(), values, span -> true);
            checkpoint(region, values, inputs);
            at = region.to();
        }
        steps(at, graph.nodes().size(), values, span -> true);
        runtime.attribute(before);
        return outputs(values, inputs);
    }

    /**
     * Runs a range of nodes, and drops what Python drops on the way.
     *
     * @param hooked calls of modules whose hooks may run
     */
    private void steps(int from, int to, Map<String, Tensor> values, Predicate<ModuleCalls.Span> hooked) {
        for (int i = from; i < to; i++) {
            runtime.attribute(attributions[i]);
            moduleCalls.enter(i, hooked, values);
            counted(i, values);
            moduleCalls.leave(i, hooked, lifetimes.releasedAfter(i), values);
        }
    }

    /**
     * A recomputation that stops at this node stops before its kernel runs, unless it stops at what the kernel made.
     */
    private void counted(int i, Map<String, Tensor> values) {
        try {
            step(i, values);
        } catch (StopRecomputation e) {
            executions[i] += runtime.tape().stoppedAtResult() ? 1 : 0;
            throw e;
        }
        executions[i]++;
        if (hostReads.get(i)) {
            runtime.streams().hostWaits();
        }
    }

    /** Runs the body of a higher-order operator, which is no call that users see: hooks of modules are left out. */
    void asBody() {
        calls.asBody();
        moduleCalls.ignoreHooks();
    }

    /** From now on operators run inside of this, bodies of higher-order ones as well; {@code null}: on their own. */
    public void around(@Nullable NodeHook hook) {
        if (hook != null) {
            calls.around(hook);
        }
    }

    /** From now on nodes that speak of variables mean these. */
    public GraphRunner with(Variables variables) {
        calls.with(variables);
        return this;
    }

    @Override
    public NodeRuns runs() {
        // Passes run by the thousand, and nothing is made anew in most of them.
        if (known.size() < made.size()) {
            known = Map.copyOf(made);
        }
        return new NodeRuns(executions.clone(), storages.clone(), known, withoutGradients.size());
    }

    @Override
    public void describe(Beginning to) {
        calls.describe(to);
    }

    @Override
    public void ranAgain(NodeRuns before, NodeRuns after, IntUnaryOperator numbers) {
        for (int i = 0; i < executions.length; i++) {
            executions[i] += after.executions()[i] - before.executions()[i];
            int[] made = after.results()[i];
            int[] now = made == null ? null : made.clone();
            for (int k = 0; now != null && k < now.length; k++) {
                now[k] = now[k] < 0 ? now[k] : numbers.applyAsInt(now[k]);
            }
            storages[i] = now;
        }
    }

    private void checkpoint(Region region, Map<String, Tensor> values, Map<String, Tensor> model) {
        for (int i = region.from(); i < region.to(); i++) {
            moduleCalls.enter(i, span -> span.last() >= region.to() || isAround(span, region), values);
        }
        // What the hooks around the checkpoint made of the arguments.
        Tensor[] inputs = region.inputs().stream().map(values::get).toArray(Tensor[]::new);
        boolean waits = region.positional() > 0 && requiresGrad(inputs);
        if (plan.reentrant() && runtime.gradMode() && !waits) {
            withoutGradients.add(region);
        }
        Frame frame = runtime.frame();
        try {
            Tensor[] held = region.held().stream().map(model::get).toArray(Tensor[]::new);
            Tensor[] made =
                    Checkpoint.run(plan, region, runtime, engine, given -> region(region, given, model), inputs, held);
            for (int i = 0; i < made.length; i++) {
                Tensor handedOn = values.put(region.outputs().get(i), runtime.hold(made[i]));
                if (handedOn != null) {
                    runtime.release(handedOn);
                }
            }
        } finally {
            frame.close();
        }
        for (int i = region.from(); i < region.to(); i++) {
            moduleCalls.leave(i, span -> true, lifetimes.releasedAfter(i), values);
        }
    }

    /** Whether a call is of a module whose hooks are around the checkpoint of itself. */
    private boolean isAround(ModuleCalls.Span span, Region region) {
        return span.first() == region.from()
                && span.last() == region.to() - 1
                && runtime.modules().of(span.path()).stream().anyMatch(ModuleHooks.Hook::aroundCheckpoint);
    }

    private static boolean requiresGrad(Tensor[] tensors) {
        return Arrays.stream(tensors).anyMatch(t -> t != null && t.requiresGrad());
    }

    /** Runs a region's nodes on their own. What it reads is borrowed; results become locals of the running frame. */
    private Tensor[] region(Region region, Tensor[] inputs, Map<String, Tensor> model) {
        Map<String, Tensor> values = new LinkedHashMap<>();
        region.held().forEach(name -> values.put(name, model.get(name)));
        for (int i = 0; i < inputs.length; i++) {
            values.put(region.inputs().get(i), inputs[i]);
        }
        values.values().forEach(runtime::hold);
        int depth = moduleCalls.depth();
        int outside = moduleCalls.keepOutside(depth);
        int modes = calls.modes().depth();
        try {
            steps(region.from(), region.to(), values, span -> span.last() < region.to() && !isAround(span, region));
            Tensor[] out = new Tensor[region.outputs().size()];
            for (int i = 0; i < out.length; i++) {
                out[i] = runtime.hold(values.get(region.outputs().get(i)));
                runtime.adopt(out[i]);
            }
            return out;
        } finally {
            calls.modes().leave(modes); // a recomputation may stop inside of a region
            moduleCalls.unwind(depth);
            moduleCalls.keepOutside(outside);
            values.values().forEach(runtime::release);
        }
    }

    private Tensor[] outputs(Map<String, Tensor> values, Map<String, Tensor> inputs) {
        List<Graph.Output> user = graph.outputs().stream()
                .filter(o -> o.kind() != Graph.OutputKind.MUTATION)
                .toList();
        Tensor[] out = new Tensor[user.size()];
        for (int i = 0; i < out.length; i++) {
            String name = user.get(i).value();
            out[i] = name == null ? null : runtime.hold(values.get(name));
        }
        values.forEach((name, t) -> {
            if (inputs.get(name) != t) {
                runtime.release(t);
            }
        });
        return out;
    }

    private void step(int index, Map<String, Tensor> values) {
        Frame frame = runtime.frame();
        try {
            bind(index, calls.call(index, values), values);
        } finally {
            frame.close();
        }
    }

    private void bind(int index, Tensor[] results, Map<String, Tensor> values) {
        List<String> names = graph.nodes().get(index).outputs();
        storages[index] = new int[results.length];
        for (int i = 0; i < names.size() && i < results.length; i++) {
            storages[index][i] = results[i] == null || runtime.devices().of(results[i]) != 0
                    ? -1
                    : results[i].storage().number();
            if (names.get(i) != null && results[i] != null) {
                runtime.hold(results[i]);
                if (executions[index] == 0 && !graph.values().containsKey(names.get(i))) {
                    made.put(names.get(i), new NodeRuns.Made(results[i].dtype(), results[i].sizes()));
                }
                values.put(names.get(i), results[i]);
                calls.made(names.get(i), results[i]);
            }
        }
    }
}
