package dev.headroom.executor.op.registry;

import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.MemoryFormat;
import dev.headroom.model.graph.Node;
import dev.headroom.model.graph.SymExpr;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The arguments of one call, by the names in the operator's schema; what the graph leaves out has its default. */
public final class Arguments {
    /** A number that is computed from open sizes, whose formula archives leave out: what it goes into is unknown. */
    private static final String SYMBOLIC = "as_sym_float";

    private final Node node;
    private final Map<String, Argument> byName = new HashMap<>();
    private final Map<String, Long> symbols;
    private final Map<String, Tensor> tensors;
    private final Map<String, @Nullable Tensor[]> replaced;
    private final @Nullable DType assumed;

    /**
     * @param tensors by value name; what a {@code null} stands for is absent
     * @param symbols the sizes that the graph leaves open
     */
    public Arguments(Node node, Map<String, Tensor> tensors, Map<String, Long> symbols) {
        this.node = node;
        this.symbols = symbols;
        this.tensors = tensors;
        this.replaced = Map.of();
        this.assumed = null;
        for (Node.NamedArgument a : node.arguments()) {
            byName.put(a.name(), a.value());
        }
    }

    private Arguments(Node node, Arguments of, Map<String, @Nullable Tensor[]> replaced, @Nullable DType assumed) {
        this.node = node;
        this.symbols = of.symbols;
        this.tensors = of.tensors;
        this.byName.putAll(of.byName);
        this.replaced = replaced;
        this.assumed = assumed;
    }

    /** The call with other tensors in place of its own, by argument name, as autocast passes on. */
    public Arguments replacing(Map<String, @Nullable Tensor[]> others) {
        return new Arguments(node, this, others, assumed);
    }

    /** The call with an argument {@code dtype} unless it has one. */
    public Arguments assuming(DType dtype) {
        return new Arguments(node, this, replaced, dtype);
    }

    /** The same arguments given to another operator, such as {@code aten.acos}. */
    public Arguments calling(String operator) {
        Node other = node.withTarget(operator + ".default");
        return new Arguments(other, this, replaced, assumed);
    }

    public Node node() {
        return node;
    }

    /** Whether an argument is given and not {@code None}. */
    public boolean has(String name) {
        Argument a = byName.get(name);
        return a != null && !(a instanceof Argument.None);
    }

    public boolean isTensor(String name) {
        return byName.get(name) instanceof Argument.Value;
    }

    /** A tensor, borrowed. */
    public Tensor tensor(String name) {
        Tensor[] other = replaced.get(name);
        if (other != null) {
            return other[0];
        }
        if (byName.get(name) instanceof Argument.Value v) {
            return value(v.name());
        }
        if (byName.get(name) instanceof Argument.Int) {
            return Tensor.number(DType.INT64, (double) integer(name, 0)); // torch.div(9, 2)
        }
        throw wrong(name, "a tensor");
    }

    /** A tensor, or {@code null} when it is not given. */
    public @Nullable Tensor optional(String name) {
        return isTensor(name) ? tensor(name) : null;
    }

    /** Tensors of a list; absent ones are {@code null}. */
    public @Nullable Tensor[] tensors(String name) {
        Tensor[] others = replaced.get(name);
        if (others != null) {
            return others.clone();
        }
        if (byName.get(name) instanceof Argument.Values vs) {
            return vs.names().stream().map(v -> v == null ? null : value(v)).toArray(Tensor[]::new);
        }
        throw wrong(name, "a list of tensors");
    }

    private Tensor value(String name) {
        Tensor t = tensors.get(name);
        if (t == null) {
            throw new UserInputException(
                    node.target() + " in '" + node.module() + "' reads '" + name + "', which is no tensor");
        }
        return t;
    }

    /** An integer. */
    public long integer(String name, long otherwise) {
        Argument a = byName.get(name);
        if (a instanceof Argument.Int i) {
            return i.value().evaluate(symbols);
        }
        if (a == null || a instanceof Argument.None) {
            return otherwise;
        }
        throw wrong(name, "an integer");
    }

    /** Integers of a list; one integer stands for a list of one. */
    public long[] integers(String name, long... otherwise) {
        Argument a = byName.get(name);
        if (a instanceof Argument.Ints is) {
            return evaluated(is.values());
        }
        if (a instanceof Argument.Int i) {
            return new long[] {i.value().evaluate(symbols)};
        }
        if (a == null
                || a instanceof Argument.None
                || a instanceof Argument.Values v && v.names().isEmpty()) {
            return otherwise;
        }
        throw wrong(name, "a list of integers");
    }

    private long[] evaluated(List<SymExpr> values) {
        return values.stream().mapToLong(v -> v.evaluate(symbols)).toArray();
    }

    /** A number, real, whole or true. */
    public double real(String name, double otherwise) {
        Argument a = byName.get(name);
        if (a instanceof Argument.Float f) {
            return f.value();
        }
        if (a instanceof Argument.Bool b) {
            return b.value() ? 1 : 0;
        }
        if (a instanceof Argument.Other o && o.kind().equals(SYMBOLIC)) {
            return Double.NaN;
        }
        return a instanceof Argument.Int || a == null ? integerOr(name, otherwise) : otherwise(name, a, otherwise);
    }

    private double integerOr(String name, double otherwise) {
        return has(name) ? integer(name, 0) : otherwise;
    }

    private double otherwise(String name, Argument a, double otherwise) {
        if (a instanceof Argument.None) {
            return otherwise;
        }
        throw wrong(name, "a number");
    }

    /** Numbers of a list; none when it is not given. */
    public double[] reals(String name) {
        Argument a = byName.get(name);
        if (a instanceof Argument.Floats fs) {
            return fs.values().stream().mapToDouble(Double::doubleValue).toArray();
        }
        return a instanceof Argument.Ints
                ? Arrays.stream(integers(name)).mapToDouble(i -> i).toArray()
                : new double[0];
    }

    /** Whether a number is given as a whole one. */
    public boolean isInteger(String name) {
        return byName.get(name) instanceof Argument.Int;
    }

    /** Whether an argument is {@code True} or {@code False}. */
    public boolean isFlag(String name) {
        return byName.get(name) instanceof Argument.Bool;
    }

    public boolean flag(String name, boolean otherwise) {
        return byName.get(name) instanceof Argument.Bool b ? b.value() : otherwise;
    }

    /** An element type, or {@code null}. */
    public @Nullable DType dtype(String name) {
        return byName.get(name) instanceof Argument.Type t ? t.value() : name.equals("dtype") ? assumed : null;
    }

    /** The element type that is asked for, or another one. */
    public DType dtypeOr(DType otherwise) {
        DType asked = dtype("dtype");
        return asked == null ? otherwise : asked;
    }

    /** A memory format, or {@code null}. */
    public @Nullable MemoryFormat format(String name) {
        return byName.get(name) instanceof Argument.Format f ? f.value() : null;
    }

    public String text(String name, String otherwise) {
        return byName.get(name) instanceof Argument.Text t ? t.value() : otherwise;
    }

    private UserInputException wrong(String name, String what) {
        return new UserInputException(node.target() + " in '" + node.module() + "': argument '" + name + "' is not "
                + what + " (it is " + Objects.toString(byName.get(name), "missing") + ")");
    }
}
