package dev.headroom.executor.op.composite;

import dev.headroom.executor.op.basic.Autocast;
import dev.headroom.executor.op.registry.Arguments;
import dev.headroom.executor.op.registry.Operator;
import dev.headroom.executor.op.registry.Operators;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.Node;
import dev.headroom.model.graph.SymExpr;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Calls of operators out of an operator.
 *
 * @param under whether autocast looks at the calls: not where it has looked at the calling operator
 */
public record Calls(Eager e, Operators all, boolean under) {
    /** An operator made of calls. */
    public interface Body {
        Tensor run(Calls c, Arguments a);
    }

    /** Adds an operator of one result that is made of calls. */
    public static void add(Operators o, String name, Body body) {
        o.add1(name, (e, a) -> e.call(() -> body.run(new Calls(e, o, !Autocast.handles(name)), a)));
    }

    /**
     * Calls an operator of one result.
     *
     * @param named names and values in turn: a tensor, a list of tensors, a number, a list of integers or a truth
     */
    public Tensor call(String operator, Object... named) {
        return several(operator, named)[0];
    }

    /** Calls an operator of several results. */
    public Tensor[] several(String operator, Object... named) {
        List<Node.NamedArgument> arguments = new ArrayList<>();
        Map<String, Tensor> tensors = new HashMap<>();
        for (int i = 0; i < named.length; i += 2) {
            String name = (String) named[i];
            arguments.add(new Node.NamedArgument(name, argument(name, named[i + 1], tensors)));
        }
        Node node = new Node("call", "aten." + operator + ".default", arguments, List.of(), List.of(), "");
        Arguments a = new Arguments(node, tensors, Map.of());
        Operator found = Objects.requireNonNull(all.find("aten." + operator), operator);
        return found.run(e, under ? Autocast.applied(e, a) : a);
    }

    private static Argument argument(String name, Object value, Map<String, Tensor> tensors) {
        if (value instanceof Tensor t) {
            tensors.put(name, t);
            return new Argument.Value(name);
        }
        if (value instanceof Tensor[] list) {
            List<String> names = new ArrayList<>();
            for (int i = 0; i < list.length; i++) {
                names.add(list[i] == null ? null : name + i);
                if (list[i] != null) {
                    tensors.put(name + i, list[i]);
                }
            }
            return new Argument.Values(names);
        }
        if (value instanceof long[] list) {
            return new Argument.Ints(Arrays.stream(list)
                    .mapToObj(v -> (SymExpr) new SymExpr.Constant(v))
                    .toList());
        }
        if (value instanceof Boolean b) {
            return new Argument.Bool(b);
        }
        if (value instanceof String text) {
            return new Argument.Text(text);
        }
        return value instanceof Double d
                ? new Argument.Float(d)
                : new Argument.Int(new SymExpr.Constant(((Number) value).longValue()));
    }
}
