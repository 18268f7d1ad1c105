package dev.headroom.model.dsl;

import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.SymExpr;
import java.util.Arrays;
import java.util.List;

/** Arguments of operator calls as Java writes them. */
public final class Arguments {
    private Arguments() {}

    /**
     * The argument that a Java object stands for.
     *
     * @param value {@link Value}, {@code Value[]}, numbers, {@code long[]}, {@code double[]}, {@link SymExpr},
     *     booleans, strings, {@link DType}, a {@link Graph} or an {@link Argument}
     */
    public static Argument of(Object value) {
        if (value instanceof Value v) {
            return new Argument.Value(v.name());
        }
        if (value instanceof Value[] vs) {
            return new Argument.Values(Arrays.stream(vs).map(Value::name).toList());
        }
        if (value instanceof Integer || value instanceof Long) {
            return new Argument.Int(SymExpr.of(((Number) value).longValue()));
        }
        if (value instanceof SymExpr e) {
            return new Argument.Int(e);
        }
        if (value instanceof Argument already) {
            return already;
        }
        if (value instanceof Graph body) {
            return new Argument.Subgraph(body.name(), body);
        }
        if (value instanceof SymExpr[] es) {
            return new Argument.Ints(List.of(es));
        }
        if (value instanceof long[] ls) {
            return new Argument.Ints(Arrays.stream(ls).mapToObj(SymExpr::of).toList());
        }
        if (value instanceof double[] ds) {
            return new Argument.Floats(Arrays.stream(ds).boxed().toList());
        }
        if (value instanceof Number n) {
            return new Argument.Float(n.doubleValue());
        }
        if (value instanceof Boolean b) {
            return new Argument.Bool(b);
        }
        if (value instanceof DType t) {
            return new Argument.Type(t);
        }
        if (value instanceof String s) {
            return new Argument.Text(s);
        }
        throw new IllegalArgumentException("an operator cannot take " + value);
    }
}
