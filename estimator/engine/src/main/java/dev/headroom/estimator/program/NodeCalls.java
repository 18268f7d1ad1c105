package dev.headroom.estimator.program;

import dev.headroom.estimator.op.StandardRules;
import dev.headroom.estimator.op.core.Autocast;
import dev.headroom.estimator.op.rule.Call;
import dev.headroom.estimator.op.rule.NoRule;
import dev.headroom.estimator.op.rule.Rule;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Node;
import dev.headroom.model.graph.SymExpr;
import dev.headroom.model.graph.TensorMeta;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Calls the operators of a graph's nodes, one at a time: by their rules, as bodies, or conservatively without a rule. */
final class NodeCalls {
    private final EagerRuntime runtime;
    private final Graph graph;
    private final Map<String, Long> symbols;
    private final Unmodelled unmodelled;
    private final ModelTypes types;
    private final Lifetimes lifetimes;
    private final NamedTypes namedTypes;
    private final Rule[] rules;
    private final Map<String, GraphRunner> subgraphs = new HashMap<>();

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
        this.namedTypes = new NamedTypes(graph, types.archive(), types.run());
        this.rules = graph.nodes().stream()
                .map(n -> StandardRules.registry().find(n.target()))
                .toArray(Rule[]::new);
    }

    /** Values that a run of the graph is given. */
    void given(Map<String, Tensor> values) {
        namedTypes.note(values);
    }

    /** A node has made a value. */
    void made(String name, Tensor value) {
        namedTypes.note(name, value);
    }

    /** Calls a node's operator; the results are local variables of the running frame. */
    Tensor[] call(int index, Map<String, Tensor> values) {
        Node node = graph.nodes().get(index);
        convertFactor(index, values);
        if (node.target().startsWith("higher_order.")) {
            return higherOrder(node, values);
        }
        if (rules[index] != null) {
            return withRule(index, node, rules[index], values);
        }
        unmodelled.count(node.operator());
        return conservative(node, values);
    }

    private Tensor[] run(int index, Call call, Rule rule) {
        boolean off = !runtime.gradMode() && runtime.autocast().active() && namedTypes.keepsOutOfAutocast(index);
        boolean before = off && runtime.autocast().exclude(true);
        try {
            return Autocast.run(call, rule);
        } finally {
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
        Tensor self = call.has("self") ? call.tensor("self") : null;
        DType lower = runtime.autocast().active() ? runtime.autocast().type() : null;
        DType named = namedTypes.at(index, self, lower);
        return named == null ? call : call.naming(named);
    }

    /** A rule may find that it does not know this very call: then the call counts as unmodelled. */
    private Tensor[] withRule(int index, Node node, Rule rule, Map<String, Tensor> values) {
        try {
            return run(index, call(index, node, values), rule);
        } catch (NoRule e) {
            unmodelled.count(node.operator());
            return conservative(node, values);
        }
    }

    /** A body that runs under another mode: {@code wrap_with_set_grad_enabled(enabled, body, inputs…)}. */
    private Tensor[] higherOrder(Node node, Map<String, Tensor> values) {
        Argument.Subgraph body = null;
        Map<String, Tensor> inputs = new HashMap<>();
        int next = 0;
        for (Node.NamedArgument a : node.arguments()) {
            if (a.value() instanceof Argument.Subgraph s) {
                body = s;
            } else if (body != null && a.value() instanceof Argument.Value v) {
                inputs.put(body.graph().inputs().get(next++).value(), values.get(v.name()));
            } else if (body != null) {
                next++;
            }
        }
        if (body == null) {
            unmodelled.count(node.operator());
            return conservative(node, values);
        }
        Runnable leave = BodyMode.enter(runtime, node);
        Graph graphOfBody = body.graph();
        Tensor[] out = subgraphs
                .computeIfAbsent(body.name(), k -> new GraphRunner(runtime, graphOfBody, symbols, unmodelled, types))
                .run(inputs);
        leave.run();
        for (Tensor t : out) {
            runtime.adopt(t);
        }
        return out;
    }

    /**
     * An operator without a rule: fresh results of the archive's sizes, which keep every input for a backward pass that
     * makes a gradient for each. Never free, never silent.
     */
    private Tensor[] conservative(Node node, Map<String, Tensor> values) {
        Tensor[] inputs =
                node.reads().stream().map(values::get).filter(t -> t != null).toArray(Tensor[]::new);
        Tensor[] out = new Tensor[node.outputs().size()];
        for (int i = 0; i < out.length; i++) {
            String name = node.outputs().get(i);
            TensorMeta meta = name == null ? null : graph.values().get(name);
            if (meta != null) {
                out[i] = runtime.empty(meta.dtype(), evaluate(meta.sizes(), name));
            }
        }
        Fallback.record(runtime, node.operator(), inputs, out);
        return out;
    }

    private long[] evaluate(List<SymExpr> sizes, String name) {
        long[] out = new long[sizes.size()];
        for (int i = 0; i < out.length; i++) {
            out[i] = sizes.get(i).evaluate(symbols);
            if (out[i] < 0) {
                throw new UserInputException(
                        "value '" + name + "' has the negative size " + out[i] + "; check --batch and --dim");
            }
        }
        return out;
    }
}
