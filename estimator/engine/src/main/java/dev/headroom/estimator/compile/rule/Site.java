package dev.headroom.estimator.compile.rule;

import dev.headroom.estimator.compile.trace.Traced;
import dev.headroom.estimator.compile.trace.Value;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Node;
import dev.headroom.model.graph.Shapes;
import dev.headroom.model.graph.SymExpr;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** One call of the archive's graph while it is traced: its arguments by the schema's names. */
final class Site {
    private final Node node;
    private final Map<String, Traced> values;
    private final Map<String, Long> symbols;
    private final Map<String, Traced> instead = new HashMap<>();

    /** The type that the call names in this run; {@code null} for the archive's. */
    private @Nullable DType named;

    Site(Node node, Map<String, Traced> values, Map<String, Long> symbols) {
        this.node = node;
        this.values = values;
        this.symbols = symbols;
    }

    Node node() {
        return node;
    }

    Map<String, Long> symbols() {
        return symbols;
    }

    /** Has the call name another type than the archive says. */
    void naming(@Nullable DType type) {
        named = type;
    }

    /** Reads another tensor in the place of an argument. */
    void replace(String argument, Traced other) {
        instead.put(argument, other);
    }

    private @Nullable Argument find(String name) {
        Argument a = node.argument(name);
        return a instanceof Argument.None ? null : a;
    }

    boolean has(String name) {
        return find(name) != null;
    }

    boolean isTensor(String name) {
        return find(name) instanceof Argument.Value;
    }

    Traced tensor(String name) {
        Traced out = tensorOrNull(name);
        if (out == null) {
            throw new NoDecomposition(node.target() + " without tensor '" + name + "'");
        }
        return out;
    }

    @Nullable
    Traced tensorOrNull(String name) {
        Traced other = instead.get(name);
        if (other != null) {
            return other;
        }
        return find(name) instanceof Argument.Value v ? known(v.name()) : null;
    }

    private Traced known(String name) {
        Traced t = values.get(name);
        if (t == null) {
            throw new UserInputException("node " + node.name() + " (" + node.target() + ") uses '" + name
                    + "', which nothing made before; the archive is damaged");
        }
        return t;
    }

    Value value(String name) {
        return tensor(name).value();
    }

    /** Tensors of a list; absent ones are {@code null}. */
    List<@Nullable Traced> tensors(String name) {
        List<@Nullable Traced> out = new ArrayList<>();
        if (find(name) instanceof Argument.Values list) {
            for (int i = 0; i < list.names().size(); i++) {
                Traced other = instead.get(name + "#" + i);
                String value = list.names().get(i);
                out.add(other != null ? other : value == null ? null : known(value));
            }
        }
        return out;
    }

    /** Tensors of a list that has no gaps. */
    Traced[] all(String name) {
        return tensors(name).stream().filter(java.util.Objects::nonNull).toArray(Traced[]::new);
    }

    /** Names of all arguments that are tensors or lists of them. */
    List<String> tensorArguments() {
        List<String> out = new ArrayList<>();
        for (Node.NamedArgument a : node.arguments()) {
            if (a.value() instanceof Argument.Value) {
                out.add(a.name());
            } else if (a.value() instanceof Argument.Values list) {
                for (int i = 0; i < list.names().size(); i++) {
                    out.add(a.name() + "#" + i);
                }
            }
        }
        return out;
    }

    /** A tensor by a name of {@link #tensorArguments}. */
    @Nullable
    Traced byName(String name) {
        int hash = name.indexOf('#');
        return hash < 0
                ? tensorOrNull(name)
                : tensors(name.substring(0, hash)).get(Integer.parseInt(name.substring(hash + 1)));
    }

    long integer(String name, long otherwise) {
        return find(name) instanceof Argument.Int i ? i.value().evaluate(symbols) : otherwise;
    }

    double number(String name, double otherwise) {
        Argument a = find(name);
        return a instanceof Argument.Float f ? f.value() : a instanceof Argument.Int ? integer(name, 0) : otherwise;
    }

    boolean flag(String name, boolean otherwise) {
        return find(name) instanceof Argument.Bool b ? b.value() : otherwise;
    }

    String text(String name, String otherwise) {
        return find(name) instanceof Argument.Text t ? t.value() : otherwise;
    }

    long[] integers(String name, long... otherwise) {
        Argument a = find(name);
        if (a instanceof Argument.Int) {
            return new long[] {integer(name, 0)};
        }
        return a instanceof Argument.Ints list
                ? list.values().stream().mapToLong(s -> s.evaluate(symbols)).toArray()
                : otherwise;
    }

    /** Numbers of a list; none where there is no list. */
    double[] numbers(String name) {
        return find(name) instanceof Argument.Floats list
                ? list.values().stream().mapToDouble(d -> d).toArray()
                : new double[0];
    }

    @Nullable
    DType type(String name) {
        Argument a = find(name);
        if (named != null && (a instanceof Argument.TypeOf || a instanceof Argument.Type && name.equals("dtype"))) {
            return named;
        }
        return a instanceof Argument.Type t
                ? t.value()
                : a instanceof Argument.TypeOf of ? known(of.value()).value().dtype() : null;
    }

    int dim(String name, int otherwise, int dims) {
        return Shapes.wrap(integer(name, otherwise), dims);
    }

    /** Dimensions of a reduction; all where none is given. */
    Set<Integer> dims(String name, int dims) {
        Set<Integer> out = new TreeSet<>();
        for (long d : integers(name)) {
            out.add(Shapes.wrap(d, dims));
        }
        return out.isEmpty() ? Emit.range(0, dims) : out;
    }

    /** How the archive writes an argument that is no tensor, to tell calls apart. */
    String plain() {
        StringBuilder out = new StringBuilder();
        for (Node.NamedArgument a : node.arguments()) {
            if (!(a.value() instanceof Argument.Value || a.value() instanceof Argument.Values)) {
                out.append(a.name()).append('=').append(written(a.value())).append(' ');
            }
        }
        return out.toString();
    }

    private String written(Argument a) {
        return a instanceof Argument.Int i
                ? "" + i.value().evaluate(symbols)
                : a instanceof Argument.Ints list
                        ? list.values().stream()
                                .map(s -> "" + s.evaluate(symbols))
                                .toList()
                                .toString()
                        : a.toString();
    }

    /** Sizes of a value of the archive. */
    static long[] known(List<SymExpr> sizes, Map<String, Long> symbols) {
        return sizes.stream().mapToLong(s -> s.evaluate(symbols)).toArray();
    }
}
