package dev.headroom.model.graph;

import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** One argument of an operator call. */
public sealed interface Argument {
    /** The same, but that it reads tensor values by other names. */
    default Argument reading(UnaryOperator<String> names) {
        if (this instanceof Value v) {
            return new Value(names.apply(v.name()));
        }
        if (this instanceof Values vs) {
            List<@Nullable String> read = new ArrayList<>(vs.names());
            read.replaceAll(v -> v == null ? null : names.apply(v));
            return new Values(read);
        }
        return this;
    }

    /** A tensor value of the graph. */
    record Value(String name) implements Argument {}

    /** Tensors in a list; {@code null} elements are absent ones ({@code Tensor?[]}). */
    record Values(List<@Nullable String> names) implements Argument {}

    record Int(SymExpr value) implements Argument {}

    record Ints(List<SymExpr> values) implements Argument {}

    record Float(double value) implements Argument {}

    record Floats(List<Double> values) implements Argument {}

    record Bool(boolean value) implements Argument {}

    record Bools(List<Boolean> values) implements Argument {}

    record Text(String value) implements Argument {}

    record Type(DType value) implements Argument {}

    /** The type that a value has when the call runs: {@code y.dtype}. */
    record TypeOf(String value) implements Argument {}

    /**
     * A device such as {@code cuda:0}, {@code cpu} or {@code meta}, which archives that were exported without a device
     * name where the program names its GPU.
     */
    record Device(String value) implements Argument {
        /** Whether it is host memory. */
        public boolean isHost() {
            return value.startsWith("cpu");
        }
    }

    record Format(MemoryFormat value) implements Argument {}

    /** The body of a higher-order operator. */
    record Subgraph(String name, Graph graph) implements Argument {}

    /** What an importer made for the rule of an operator of its own. */
    record Attached(Attachment content) implements Argument {}

    /** Content that graphs carry and only one operator's rule understands. */
    interface Attachment {}

    record None() implements Argument {}

    /** Something that carries no memory (a layout, say) or that this version does not know; {@code kind} is its key. */
    record Other(String kind, String text) implements Argument {}
}
