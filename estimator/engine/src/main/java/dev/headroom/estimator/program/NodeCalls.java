package dev.headroom.estimator.program;

import dev.headroom.estimator.function.CustomFunction;
import dev.headroom.estimator.op.StandardRules;
import dev.headroom.estimator.op.core.Autocast;
import dev.headroom.estimator.op.rule.Call;
import dev.headroom.estimator.op.rule.NoRule;
import dev.headroom.estimator.op.rule.Rule;
import dev.headroom.estimator.program.variables.Lifetimes;
import dev.headroom.estimator.repeat.Beginning;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.generation.VariableNodes;
import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.BodyCall;
import dev.headroom.model.graph.CustomFunctionNode;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Node;
import dev.headroom.model.memo.GraphMemo;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Calls the operators of a graph's nodes, one at a time: by their rules, as bodies, or by the fallback where none is
 * known.
 */
final class NodeCalls {
    /** The rules of a graph's nodes, {@code null} where there is none. */
    private static final GraphMemo<@Nullable Rule[]> RULES = new GraphMemo<>(graph -> graph.nodes().stream()
            .map(n -> StandardRules.registry().find(n.target()))
            .toArray(Rule[]::new));

    private final EagerRuntime runtime;
    private final Graph graph;
    private final Map<String, Long> symbols;
    private final Unmodelled unmodelled;
    private final ModelTypes types;
    private final Lifetimes lifetimes;
    private final NamedTypes namedTypes;
    private final RegionModes modes;
    private final Fallback fallback;
    private final @Nullable Rule[] rules;
    private final Map<String, GraphRunner> subgraphs = new HashMap<>();
    private @Nullable NodeHook hook;
    private boolean body;
    private @Nullable Variables variables;

    NodeCalls(
            EagerRuntime runtime,
            Graph graph,
            Map<String, Long> symbols,
            Unmodelled unmodelled,
            ModelTypes types,
            Lifetimes lifetimes) {
        this.runtime = runtime;
        this.graph = graph;
        this.symbols = symbols;
        this.unmodelled = unmodelled;
        this.types = types;
        this.lifetimes = lifetimes;
        this.namedTypes = new NamedTypes(graph, types);
        this.modes = new RegionModes(runtime);
        this.fallback = new Fallback(runtime, graph, symbols);
        this.rules = RULES.of(graph);
    }

    /** What the regions that the run is in have switched. */
    RegionModes modes() {
        return modes;
    }

    /** The graph is the body of a higher-order operator. */
    void asBody() {
        body = true;
    }

    /** From now on operators run inside of this. */
    void around(NodeHook other) {
        hook = other;
    }

    /** From now on nodes that speak of variables mean these. */
    void with(Variables others) {
        variables = others;
    }

    /** Values that a run of the graph is given. */
    void given(Map<String, Tensor> values) {
        namedTypes.note(values);
    }

    /** A node has made a value. */
    void made(String name, Tensor value) {
        namedTypes.note(name, value);
    }

    /** Adds what is remembered from one run to the next. */
    void describe(Beginning to) {
        to.number(namedTypes.changes());
        subgraphs.values().forEach(body -> body.describe(to));
    }

    /** Calls a node's operator; the results are local variables of the running frame. */
    Tensor[] call(int index, Map<String, Tensor> values) {
        Node node = graph.nodes().get(index);
        if (VariableNodes.isOne(node)) {
            return node.target().equals(VariableNodes.USE)
                    ? new Tensor[0]
                    : Objects.requireNonNull(variables, "variables of the script")
                            .run(node, values);
        }
        if (modes.handles(node)) {
            return new Tensor[0];
        }
        convertFactor(index, values);
        if (CustomFunctionNode.isOne(node)) {
            return customFunction(node, values);
        }
        if (node.target().startsWith("higher_order.")) {
            return higherOrder(node, values);
        }
        if (rules[index] != null) {
            return withRule(index, node, rules[index], values);
        }
        unmodelled.count(node.operator());
        return fallback.run(node, values);
    }

    private Tensor[] run(int index, Call call, Rule rule) {
        // A re-entrant checkpoint switches gradients off as well, and says nothing of autocast.
        boolean without = (body || modes.depth() > 0) && !runtime.gradMode();
        boolean off = without && runtime.autocast().active() && namedTypes.keepsOutOfAutocast(index);
        boolean before = off && runtime.autocast().exclude(true);
        boolean host = OnHost.computes(call);
        boolean hostBefore = runtime.devices().computeOnHost(host);
        try {
            return Autocast.run(call, rule);
        } finally {
            runtime.devices().computeOnHost(hostBefore);
            if (off) {
                runtime.autocast().exclude(before);
            }
        }
    }

    /** Makes a conversion that the program makes only when its weights are in half precision. */
    private void convertFactor(int index, Map<String, Tensor> values) {
        String name = namedTypes.converted(index);
        Tensor before = name == null || runtime.autocast().active() ? null : values.get(name);
        if (before == null
                || before.dtype() == types.run()
                || !lifetimes.releasedAfter(index).contains(name)) {
            return;
        }
        values.put(name, runtime.hold(Autocast.convert(runtime, before, types.run())));
        runtime.release(before);
    }

    private Call call(int index, Node node, Map<String, Tensor> values) {
        Call call = new Call(runtime, node, values, symbols);
        Tensor self = call.isTensor("self") ? call.tensor("self") : null;
        DType lower = runtime.autocast().active() ? runtime.autocast().type() : null;
        DType named = namedTypes.at(index, self == null ? null : self.dtype(), lower);
        Call moved = OnHost.broughtAlong(call);
        return named == null ? moved : moved.naming(named);
    }

    /** A rule may find that it does not know this very call: then the call counts as unmodelled. */
    private Tensor[] withRule(int index, Node node, Rule rule, Map<String, Tensor> values) {
        try {
            long bounds = runtime.workspaces().bounds();
            Tensor[] out;
            if (hook == null) {
                out = run(index, call(index, node, values), rule);
            } else {
                Call call = call(index, hook.localized(graph, node, values), values);
                out = hook.around(call, () -> run(index, call, rule));
            }
            boolean otherwise = runtime.options().deterministic() && Deterministic.differs(node.operator());
            if (otherwise || runtime.workspaces().bounds() > bounds) {
                unmodelled.count(node.operator());
            }
            return out;
        } catch (NoRule e) {
            unmodelled.count(node.operator());
            return fallback.run(node, values);
        } catch (ArithmeticException | IndexOutOfBoundsException | NegativeArraySizeException e) {
            throw new UserInputException(
                    node.target() + " in '" + node.module() + "': its arguments do not go with tensors of sizes "
                            + sizes(node, values) + "; if PyTorch runs it, please report this",
                    e);
        }
    }

    private static String sizes(Node node, Map<String, Tensor> values) {
        return node.reads().stream()
                .map(values::get)
                .filter(Objects::nonNull)
                .map(t -> Arrays.toString(t.sizes()))
                .collect(Collectors.joining(" and "));
    }

    /** {@code autograd_function(name, backward, results, attributes, forward, inputs…)} of a recorded program. */
    private Tensor[] customFunction(Node node, Map<String, Tensor> values) {
        CustomFunctionNode parts = CustomFunctionNode.of(node);
        return new CustomFunction(
                        runtime,
                        parts.name(),
                        parts.results(),
                        parts.attributes(),
                        pass(parts.forward()),
                        pass(parts.backward()))
                .apply(parts.inputs().stream()
                        .map(name -> name == null ? null : values.get(name))
                        .toList());
    }

    private CustomFunction.Pass pass(Argument.Subgraph body) {
        GraphRunner runner = subgraphs.computeIfAbsent(body.name(), k -> bodyRunner(body.graph(), Map.of()));
        return given -> {
            Map<String, Tensor> inputs = new HashMap<>();
            for (int i = 0; i < given.size(); i++) {
                inputs.put(body.graph().inputs().get(i).value(), given.get(i));
            }
            return runner.run(inputs);
        };
    }

    /** A body that runs under another mode: {@code wrap_with_set_grad_enabled(enabled, body, inputs…)}. */
    private Tensor[] higherOrder(Node node, Map<String, Tensor> values) {
        BodyCall call = BodyCall.of(node);
        if (call == null) {
            unmodelled.count(node.operator());
            return fallback.run(node, values);
        }
        Graph body = call.body().graph();
        Map<String, String> given = call.bound();
        Map<String, Tensor> inputs = new HashMap<>();
        given.forEach((inside, outside) -> inputs.put(inside, values.get(outside)));
        Runnable leave = BodyMode.enter(runtime, node);
        Tensor[] out = subgraphs
                .computeIfAbsent(call.body().name(), k -> bodyRunner(body, given))
                .run(inputs);
        leave.run();
        for (Tensor t : out) {
            runtime.adopt(t);
        }
        return out;
    }

    /** @param given the graph's values by the names that they have in the body */
    private GraphRunner bodyRunner(Graph body, Map<String, String> given) {
        Map<String, Graph.Input> own = new HashMap<>();
        graph.inputs().forEach(in -> own.put(in.value(), in));
        // What belongs to the model is no argument of the function around the body.
        List<Graph.Input> inputs = body.inputs().stream()
                .map(in -> {
                    Graph.Input outer = own.get(given.get(in.value()));
                    return outer == null
                            ? in
                            : new Graph.Input(outer.kind(), in.value(), outer.qualifiedName(), outer.persistent());
                })
                .toList();
        GraphRunner runner = new GraphRunner(runtime, body.withInputs(inputs), symbols, unmodelled, types);
        runner.asBody();
        runner.around(hook);
        return variables == null ? runner : runner.with(variables);
    }
}
