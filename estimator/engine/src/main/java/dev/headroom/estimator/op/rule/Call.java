package dev.headroom.estimator.op.rule;

import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.MemoryFormat;
import dev.headroom.model.graph.Node;
import dev.headroom.model.graph.SymExpr;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One call of an operator: its arguments by the schema's names, values filled in. */
public final class Call {
    /** A number that is computed from open sizes, such as {@code 1 / batch}: its value decides nothing about memory. */
    private static final String SYMBOLIC_FLOAT = "as_sym_float";

    private final EagerRuntime runtime;
    private final Node node;
    private final Map<String, Tensor> values;
    private final Map<String, Long> symbols;
    private final Map<String, Tensor[]> replaced;
    private final @Nullable DType defaultType;
    private final @Nullable DType namedType;

    public Call(EagerRuntime runtime, Node node, Map<String, Tensor> values, Map<String, Long> symbols) {
        this(runtime, node, values, symbols, Map.of(), null, null);
    }

    private Call(
            EagerRuntime runtime,
            Node node,
            Map<String, Tensor> values,
            Map<String, Long> symbols,
            Map<String, Tensor[]> replaced,
            @Nullable DType defaultType,
            @Nullable DType namedType) {
        this.runtime = runtime;
        this.node = node;
        this.values = values;
        this.symbols = symbols;
        this.replaced = replaced;
        this.defaultType = defaultType;
        this.namedType = namedType;
    }

    /**
     * The same call with other tensors.
     *
     * @param tensors by argument name
     * @param dtype what {@code dtype} is where the call names none, or {@code null}
     */
    public Call with(Map<String, Tensor[]> tensors, @Nullable DType dtype) {
        return new Call(runtime, node, values, symbols, tensors, dtype, namedType);
    }

    /** The same call, its {@code dtype} argument naming another type. */
    public Call naming(DType dtype) {
        return new Call(runtime, node, values, symbols, replaced, defaultType, dtype);
    }

    public EagerRuntime runtime() {
        return runtime;
    }

    public Node node() {
        return node;
    }

    private @Nullable Argument find(String name) {
        Argument a = node.argument(name);
        return a instanceof Argument.None ? null : a;
    }

    /** Whether an argument was given and is not None. */
    public boolean has(String name) {
        return find(name) != null;
    }

    /** Whether an argument is a tensor value. */
    public boolean isTensor(String name) {
        return find(name) instanceof Argument.Value;
    }

    private UserInputException bad(String name, String wanted) {
        return new UserInputException("node " + node.name() + " (" + node.target() + "): argument '" + name
                + "' is not " + wanted + "; export the model again or report the archive");
    }

    /** A tensor that must be there. */
    public Tensor tensor(String name) {
        Tensor t = tensorOrNull(name);
        if (t == null) {
            throw bad(name, "a tensor");
        }
        return t;
    }

    /** The tensor of one of the call's arguments; {@code null} when that is something else. */
    public @Nullable Tensor tensor(Node.NamedArgument argument) {
        if (!(argument.value() instanceof Argument.Value v)) {
            return null;
        }
        Tensor[] other = replaced.get(argument.name());
        return other == null ? value(v.name()) : other[0];
    }

    /** A tensor that has one of two names. */
    public Tensor tensor(String name, String otherName) {
        return has(name) ? tensor(name) : tensor(otherName);
    }

    /** A tensor, or {@code null} when absent; a number becomes a wrapped one. */
    public @Nullable Tensor tensorOrNull(String name) {
        Argument a = find(name);
        if (a == null) {
            return null;
        }
        if (a instanceof Argument.Value v) {
            Tensor[] other = replaced.get(name);
            return other == null ? value(v.name()) : other[0];
        }
        if (a instanceof Argument.Int || a instanceof Argument.Ints) {
            return runtime.wrappedNumber(DType.INT64);
        }
        if (isFloat(name)) {
            return runtime.wrappedNumber(DType.FLOAT32);
        }
        if (a instanceof Argument.Bool) {
            return runtime.wrappedNumber(DType.BOOL);
        }
        throw bad(name, "a tensor");
    }

    private Tensor value(String name) {
        Tensor t = values.get(name);
        if (t == null) {
            throw new UserInputException("node " + node.name() + " (" + node.target() + ") uses '" + name
                    + "', which nothing made before; the archive is damaged");
        }
        return t;
    }

    /** A list of tensors; absent ones are {@code null}. */
    public Tensor[] tensors(String name) {
        Argument a = find(name);
        if (replaced.containsKey(name)) {
            return replaced.get(name);
        }
        if (a instanceof Argument.Values v) {
            Tensor[] out = new Tensor[v.names().size()];
            for (int i = 0; i < out.length; i++) {
                String n = v.names().get(i);
                out[i] = n == null ? null : value(n);
            }
            return out;
        }
        throw bad(name, "a list of tensors");
    }

    /** An integer; a boolean counts as 0 or 1. */
    public long integer(String name, long otherwise) {
        Argument a = find(name);
        if (a == null) {
            return otherwise;
        }
        if (a instanceof Argument.Int i) {
            return evaluate(i.value());
        }
        if (a instanceof Argument.Bool b) {
            return b.value() ? 1 : 0;
        }
        throw bad(name, "an integer");
    }

    /** An integer that must be there. */
    public long integer(String name) {
        if (!has(name)) {
            throw bad(name, "an integer");
        }
        return integer(name, 0);
    }

    /** Integers that must be there; a single one counts as a list of one. */
    public long[] integers(String name) {
        long[] given = integersOrNull(name);
        if (given == null) {
            throw bad(name, "a list of integers");
        }
        return given;
    }

    /** Integers, or {@code null} when absent; a single one counts as a list of one. */
    public long @Nullable [] integersOrNull(String name) {
        Argument a = find(name);
        if (a == null) {
            return null;
        }
        if (a instanceof Argument.Ints i) {
            List<SymExpr> in = i.values();
            long[] out = new long[in.size()];
            for (int k = 0; k < out.length; k++) {
                out[k] = evaluate(in.get(k));
            }
            return out;
        }
        if (a instanceof Argument.Int i) {
            return new long[] {evaluate(i.value())};
        }
        throw bad(name, "a list of integers");
    }

    private long evaluate(SymExpr e) {
        return e instanceof SymExpr.Constant c ? c.value() : e.evaluate(symbols);
    }

    /** A list of {@code n} integers: one given stands for all, absent ones are {@code otherwise}. */
    public long[] integers(String name, int n, long otherwise) {
        long[] given = integersOrNull(name);
        long[] out = new long[n];
        for (int i = 0; i < n; i++) {
            out[i] = given == null || given.length == 0 ? otherwise : given.length == 1 ? given[0] : given[i];
        }
        return out;
    }

    /** A number. */
    public double number(String name, double otherwise) {
        Argument a = find(name);
        if (a == null) {
            return otherwise;
        }
        if (a instanceof Argument.Float f) {
            return f.value();
        }
        return integer(name, 0);
    }

    /** Floating-point numbers in a list, or {@code null} when absent. */
    public double @Nullable [] numbersOrNull(String name) {
        Argument a = find(name);
        if (a == null) {
            return null;
        }
        if (a instanceof Argument.Floats f) {
            return f.values().stream().mapToDouble(Double::doubleValue).toArray();
        }
        throw bad(name, "a list of numbers");
    }

    /** Whether a number argument is a floating-point one. */
    public boolean isFloat(String name) {
        Argument a = find(name);
        return a instanceof Argument.Float
                || a instanceof Argument.Other o && o.kind().equals(SYMBOLIC_FLOAT);
    }

    /** Whether an argument is {@code True} or {@code False}. */
    public boolean isFlag(String name) {
        return find(name) instanceof Argument.Bool;
    }

    public boolean flag(String name, boolean otherwise) {
        Argument a = find(name);
        return a instanceof Argument.Bool b ? b.value() : otherwise;
    }

    public String text(String name, String otherwise) {
        String given = textOrNull(name);
        return given == null ? otherwise : given;
    }

    /** A word, or {@code null} when absent. */
    public @Nullable String textOrNull(String name) {
        return find(name) instanceof Argument.Text t ? t.value() : null;
    }

    /** A type, or {@code otherwise} when absent. */
    public DType type(String name, DType otherwise) {
        DType given = typeOrNull(name);
        return given == null ? otherwise : given;
    }

    /** A type that must be there. */
    public DType type(String name) {
        DType given = typeOrNull(name);
        if (given == null) {
            throw bad(name, "a type");
        }
        return given;
    }

    /** A type, or {@code null} when absent. */
    public @Nullable DType typeOrNull(String name) {
        Argument a = find(name);
        if (a instanceof Argument.TypeOf && namedType != null) {
            return namedType;
        }
        DType absent = name.equals("dtype") ? defaultType : null;
        DType given = a instanceof Argument.Type t ? t.value() : null;
        return given == null ? absent : namedType != null && name.equals("dtype") ? namedType : given;
    }

    public MemoryFormat format(String name, MemoryFormat otherwise) {
        Argument a = find(name);
        return a instanceof Argument.Format f ? f.value() : otherwise;
    }

    /** A new tensor, where the call says that it shall lie. */
    public Tensor empty(DType type, long... sizes) {
        return node.goesToHost() ? runtime.hostTensor(type, sizes) : runtime.empty(type, sizes);
    }

    /** The body of a higher-order operator, by position. */
    public Argument argument(int i) {
        return node.arguments().get(i).value();
    }
}
