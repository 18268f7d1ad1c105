package dev.headroom.model.rewrite;

import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Node;
import dev.headroom.model.graph.TensorMeta;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a graph's integer and boolean tensors hold, where that follows from the graph alone: positions, offsets, and
 * masks made of comparisons between them. Nothing that depends on weights or inputs is known.
 */
final class KnownValues {
    private final Graph graph;
    private final Map<String, Long> symbols;
    private final Map<String, Object> known = new HashMap<>();

    KnownValues(Graph graph, Map<String, Long> symbols) {
        this.graph = graph;
        this.symbols = symbols;
        for (Node node : graph.nodes()) {
            if (node.outputs().size() == 1 && node.outputs().get(0) != null) {
                Object value = value(node);
                if (value != null) {
                    known.put(node.outputs().get(0), value);
                }
            }
        }
    }

    /** A boolean tensor, or {@code null} when it is not known. */
    @Nullable
    Condition condition(String name) {
        return known.get(name) instanceof Condition c ? c : null;
    }

    private long @Nullable [] sizes(String name) {
        TensorMeta meta = graph.values().get(name);
        return meta == null
                ? null
                : meta.sizes().stream().mapToLong(s -> s.evaluate(symbols)).toArray();
    }

    /** Of arguments that do not go with sizes nothing is known; the run refuses them when it comes to them. */
    private @Nullable Object value(Node node) {
        try {
            return evaluate(node);
        } catch (IndexOutOfBoundsException e) {
            return null;
        }
    }

    private @Nullable Object evaluate(Node node) {
        long[] out = sizes(node.outputs().get(0));
        if (out == null) {
            return null;
        }
        String target = node.target();
        String operator = node.operator();
        return switch (operator) {
            case "aten.arange" -> arange(node, out);
            case "aten.ones", "aten.new_ones", "aten.ones_like" -> constant(node, out, 1L);
            case "aten.zeros", "aten.new_zeros", "aten.zeros_like" -> constant(node, out, 0L);
            case "aten.full", "aten.new_full", "aten.full_like" -> constant(node, out, number(node, "fill_value"));
            case "aten.add" -> combine(node, 1);
            case "aten.sub" -> combine(node, -1);
            case "aten.unsqueeze", "aten.squeeze", "aten.view", "aten.reshape" -> reshaped(operand(node, "self"), out);
            case "aten.expand" -> expanded(operand(node, "self"), out);
            case "aten.slice" -> sliced(node, out);
            case "aten.to", "aten.clone", "aten.contiguous", "aten._to_copy", "aten.alias" -> converted(node);
            case "aten.diff" -> diff(node, out);
            case "aten.cumsum" -> cumsum(node, out);
            case "aten.index" -> target.equals("aten.index.Tensor") ? gathered(node, out) : null;
            case "aten.eq", "aten.ne", "aten.le", "aten.lt", "aten.ge", "aten.gt" -> compare(node, operator);
            case "aten.__and__", "aten.logical_and", "aten.bitwise_and" -> and(node);
            default -> null;
        };
    }

    private @Nullable Long number(Node node, String name) {
        Argument a = node.argument(name);
        if (a instanceof Argument.Int i) {
            return i.value().evaluate(symbols);
        }
        if (a instanceof Argument.Bool b) {
            return b.value() ? 1L : 0L;
        }
        if (a instanceof Argument.Float f && f.value() == Math.rint(f.value()) && Math.abs(f.value()) < 1e15) {
            return (long) f.value();
        }
        return null;
    }

    private @Nullable Object operand(Node node, String name) {
        return node.argument(name) instanceof Argument.Value v ? known.get(v.name()) : null;
    }

    /** An operand as integers, a number included; {@code null} when not known. */
    private @Nullable Affine integers(Node node, String name) {
        Object o = operand(node, name);
        if (o instanceof Affine a) {
            return a;
        }
        if (o instanceof Condition c) {
            return truth(c);
        }
        Long n = number(node, name);
        return n == null ? null : Affine.constant(new long[0], n);
    }

    private static @Nullable Affine truth(Condition c) {
        return c.always() || c.never() ? Affine.constant(c.sizes(), c.never() ? 0 : 1) : null;
    }

    private @Nullable Object arange(Node node, long[] out) {
        Long start = node.argument("start") == null ? Long.valueOf(0) : number(node, "start");
        Long step = node.argument("step") == null ? Long.valueOf(1) : number(node, "step");
        return start == null || step == null ? null : new Affine(out, new long[] {step}, start);
    }

    private @Nullable Object constant(Node node, long[] out, @Nullable Long value) {
        if (value == null) {
            return null;
        }
        TensorMeta meta = graph.meta(node.outputs().get(0));
        return meta.dtype() == dev.headroom.model.graph.DType.BOOL
                ? Condition.constant(out, value != 0)
                : Affine.constant(out, value);
    }

    private @Nullable Object combine(Node node, long sign) {
        Affine a = integers(node, "self");
        Affine b = integers(node, "other");
        boolean scaled = node.argument("alpha") != null;
        return a == null || b == null || scaled ? null : a.plus(b.times(sign));
    }

    /** Only dimensions of size 1 may come or go. */
    private static @Nullable Object reshaped(@Nullable Object value, long[] out) {
        if (value instanceof Affine a) {
            return reshaped(a, out);
        }
        if (value instanceof Condition c) {
            List<Affine> terms = c.terms().stream().map(t -> reshaped(t, out)).toList();
            return terms.contains(null) ? null : new Condition(out, terms, c.never());
        }
        return null;
    }

    private static @Nullable Affine reshaped(Affine a, long[] out) {
        long[] c = new long[out.length];
        int from = 0;
        for (int d = 0; d < out.length; d++) {
            if (out[d] == 1) {
                continue;
            }
            while (from < a.sizes().length && a.sizes()[from] == 1) {
                from++;
            }
            if (from == a.sizes().length || a.sizes()[from] != out[d]) {
                return null;
            }
            c[d] = a.coefficients()[from++];
        }
        return new Affine(out, c, a.constant());
    }

    private static @Nullable Object expanded(@Nullable Object value, long[] out) {
        if (value instanceof Affine a) {
            return a.expand(out);
        }
        return value instanceof Condition c ? c.expand(out) : null;
    }

    private @Nullable Object sliced(Node node, long[] out) {
        Object value = operand(node, "self");
        Long dim = node.argument("dim") == null ? Long.valueOf(0) : number(node, "dim");
        Long start = node.argument("start") == null ? Long.valueOf(0) : number(node, "start");
        Long step = node.argument("step") == null ? Long.valueOf(1) : number(node, "step");
        if (!(value instanceof Affine a) || dim == null || start == null || step == null) {
            return null;
        }
        int d = (int) (dim < 0 ? dim + out.length : dim);
        long from = Math.min(Math.max(start < 0 ? start + a.sizes()[d] : start, 0), a.sizes()[d]);
        long[] c = a.coefficients().clone();
        c[d] *= step;
        return new Affine(out, c, a.constant() + a.coefficients()[d] * from);
    }

    private @Nullable Object converted(Node node) {
        Object value = operand(node, "self");
        TensorMeta meta = graph.meta(node.outputs().get(0));
        boolean toBool = meta.dtype() == dev.headroom.model.graph.DType.BOOL;
        if (value instanceof Condition c && !toBool) {
            return truth(c);
        }
        if (value instanceof Affine a && toBool) {
            return a.isConstant() ? Condition.constant(a.sizes(), a.constant() != 0) : null;
        }
        return value instanceof Affine && meta.dtype().isFloatingPoint() ? null : value;
    }

    /** First differences along the last dimension, where they are the same everywhere. */
    private @Nullable Object diff(Node node, long[] out) {
        Affine a = integers(node, "self");
        Affine before = node.argument("prepend") == null ? null : integers(node, "prepend");
        Long dim = node.argument("dim") == null ? Long.valueOf(-1) : number(node, "dim");
        Long times = node.argument("n") == null ? Long.valueOf(1) : number(node, "n");
        if (a == null || dim == null || times == null || times != 1 || node.argument("append") != null) {
            return null;
        }
        int d = (int) (dim < 0 ? dim + out.length : dim);
        long step = a.coefficients()[d];
        if (node.argument("prepend") != null) {
            boolean continues = before != null
                    && before.sizes()[d] == 1
                    && before.isConstant()
                    && a.isConstant() == (step == 0)
                    && a.constant() - before.constant() == step;
            if (!continues) {
                return null;
            }
        }
        return Affine.constant(out, step);
    }

    private @Nullable Object cumsum(Node node, long[] out) {
        Affine a = integers(node, "self");
        return a != null && a.isConstant() && a.constant() == 0 ? Affine.constant(out, 0) : null;
    }

    private @Nullable Object gathered(Node node, long[] out) {
        Affine a = integers(node, "self");
        return a != null && a.isConstant() ? Affine.constant(out, a.constant()) : null;
    }

    private @Nullable Object compare(Node node, String operator) {
        Affine a = integers(node, "self");
        Affine b = integers(node, "other");
        if (a == null || b == null) {
            return null;
        }
        Affine d = a.minus(b);
        return switch (operator) {
            case "aten.le" -> Condition.atMostZero(d);
            case "aten.lt" -> Condition.atMostZero(d.plus(1));
            case "aten.ge" -> Condition.atMostZero(d.times(-1));
            case "aten.gt" -> Condition.atMostZero(d.times(-1).plus(1));
            case "aten.eq" -> Condition.atMostZero(d).and(Condition.atMostZero(d.times(-1)));
            default -> d.isConstant() ? Condition.constant(d.sizes(), d.constant() != 0) : null;
        };
    }

    private @Nullable Object and(Node node) {
        return operand(node, "self") instanceof Condition a && operand(node, "other") instanceof Condition b
                ? a.and(b)
                : null;
    }
}
