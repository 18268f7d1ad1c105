package dev.headroom.estimator.script;

import dev.headroom.estimator.loop.TrainingLoop;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Node;
import dev.headroom.model.graph.SymExpr;
import dev.headroom.model.graph.TensorMeta;
import dev.headroom.model.script.Function;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Calls an operator on its own, as a graph of one node. */
final class OperatorCalls {
    private static final String RESULT = "out";

    private final TrainingLoop loop;

    OperatorCalls(TrainingLoop loop) {
        this.loop = loop;
    }

    /**
     * Calls a function.
     *
     * @param given by position; borrowed
     * @param named by the parameter's name; borrowed
     * @return with a reference for the caller
     */
    Tensor call(Function function, List<Value> given, Map<String, Value> named) {
        Map<String, Tensor> inputs = new HashMap<>();
        List<Node.NamedArgument> arguments = new ArrayList<>();
        for (int i = 0; i < function.parameters().size(); i++) {
            Function.Parameter p = function.parameters().get(i);
            Value value = i < given.size() ? given.get(i) : named.get(p.name());
            Argument argument = value == null ? usual(p.usual()) : argument(function, value, inputs);
            if (argument != null) {
                arguments.add(new Node.NamedArgument(p.name(), argument));
            }
        }
        Node node = new Node(function.name(), function.target(), arguments, List.of(RESULT), List.of(), "");
        return loop.runner(graph(node, inputs)).run(inputs)[0];
    }

    private static @Nullable Argument usual(@Nullable String text) {
        return text == null || text.isEmpty() ? null : new Argument.Int(SymExpr.of(Long.parseLong(text)));
    }

    private static Argument argument(Function function, Value value, Map<String, Tensor> inputs) {
        if (value instanceof Value.Scalar n) {
            return n.isInteger() ? new Argument.Int(SymExpr.of((long) n.value())) : new Argument.Float(n.value());
        }
        if (value instanceof Value.Flag f) {
            return new Argument.Bool(f.value());
        }
        if (value instanceof Value.Tensors t) {
            if (t.several()) {
                throw new UserInputException(
                        function.name() + " takes one tensor, not several results; name one, as in out[0]");
            }
            return new Argument.Value(input(t.all().get(0), inputs));
        }
        List<Value> parts = ((Value.Sequence) value).parts();
        if (parts.get(0) instanceof Value.Scalar) {
            return new Argument.Ints(parts.stream()
                    .map(p -> SymExpr.of((long) ((Value.Scalar) p).value()))
                    .toList());
        }
        return new Argument.Values(parts.stream()
                .map(p -> input(((Value.Tensors) p).all().get(0), inputs))
                .toList());
    }

    private static String input(Tensor t, Map<String, Tensor> inputs) {
        String name = "a" + inputs.size();
        inputs.put(name, t);
        return name;
    }

    private static Graph graph(Node node, Map<String, Tensor> inputs) {
        List<Graph.Input> given = new ArrayList<>();
        Map<String, TensorMeta> values = new HashMap<>();
        inputs.forEach((name, t) -> {
            given.add(new Graph.Input(Graph.InputKind.USER, name, name, false));
            values.put(
                    name,
                    new TensorMeta(
                            t.dtype(), numbers(t.sizes()), numbers(t.strides()), SymExpr.of(0), t.requiresGrad()));
        });
        return new Graph(
                node.name(),
                given,
                List.of(node),
                List.of(new Graph.Output(Graph.OutputKind.USER, RESULT, "")),
                values,
                Map.of(),
                Map.of(),
                List.of());
    }

    private static List<SymExpr> numbers(long[] sizes) {
        return Arrays.stream(sizes).mapToObj(SymExpr::of).toList();
    }
}
