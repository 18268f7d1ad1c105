package dev.headroom.executor.op;

import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.MemoryFormat;
import dev.headroom.model.graph.Node;
import dev.headroom.model.graph.SymExpr;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A call of an operator with small arguments. Floating-point tensors take the type that a check runs in and are
 * inputs that gradients are checked of; the others are fixed.
 */
final class Example {
    /** Where a floating-point tensor's elements lie. */
    enum Values {
        /** Distinct, of both signs, not near zero or another: no kink or tie is close. */
        ANY,
        /** The same, up to 7. */
        WIDE,
        /** Between 1/2 and 2. */
        POSITIVE,
        /** Between 1/8 and 7/8. */
        FRACTION
    }

    /**
     * A tensor argument.
     *
     * @param type {@code null} for the type that the check runs in
     * @param order of the dimensions in memory from the slowest to the fastest, {@code null} for row-major
     * @param fixed values, row-major; {@code null} for drawn ones
     */
    record Given(DType type, long[] sizes, int[] order, Values values, double[] fixed, boolean differentiable) {}

    /** Arguments that are complex: the tensor holds their parts. */
    private final Set<String> complex = new HashSet<>();

    private final String operator;
    private final List<Node.NamedArgument> arguments = new ArrayList<>();
    private final Map<String, Given> tensors = new LinkedHashMap<>();
    private String label = "";
    private double halfTolerance = 1;
    private boolean doubleOnly;
    private boolean narrows;
    private boolean bound;
    private boolean libraryDraws;

    Example(String operator) {
        this.operator = operator;
    }

    /** A drawn tensor. */
    Example tensor(String name, long... sizes) {
        return add(name, new Given(null, sizes, null, Values.ANY, null, true));
    }

    /** A drawn tensor of complex numbers, of whose parts gradients are checked. */
    Example complex(String name, long... sizes) {
        complex.add(name);
        long[] parts = Arrays.copyOf(sizes, sizes.length + 1);
        parts[sizes.length] = 2;
        return tensor(name, parts).doubleOnly();
    }

    boolean isComplex(String name) {
        return complex.contains(name);
    }

    /** A drawn tensor with larger numbers. */
    Example wide(String name, long... sizes) {
        return add(name, new Given(null, sizes, null, Values.WIDE, null, true));
    }

    /** A drawn tensor of positive numbers. */
    Example positive(String name, long... sizes) {
        return add(name, new Given(null, sizes, null, Values.POSITIVE, null, true));
    }

    /** A drawn tensor of numbers between 0 and 1. */
    Example fraction(String name, long... sizes) {
        return add(name, new Given(null, sizes, null, Values.FRACTION, null, true));
    }

    /** A drawn tensor whose dimensions lie in memory in another order, the fastest last. */
    Example laidOut(String name, int[] order, long... sizes) {
        return add(name, new Given(null, sizes, order, Values.ANY, null, true));
    }

    /** A floating-point tensor of given values that gets no gradient, such as running statistics. */
    Example buffer(String name, long[] sizes, double... values) {
        return add(name, new Given(null, sizes, null, Values.ANY, values, false));
    }

    /** Indices. */
    Example indices(String name, long[] sizes, long... values) {
        return fixed(
                name, DType.INT64, sizes, Arrays.stream(values).asDoubleStream().toArray());
    }

    /** A mask: 1 for true. */
    Example mask(String name, long[] sizes, double... values) {
        return fixed(name, DType.BOOL, sizes, values);
    }

    /** A tensor of given type and values. */
    Example fixed(String name, DType type, long[] sizes, double... values) {
        return add(name, new Given(type, sizes, null, Values.ANY, values, false));
    }

    /** A list of drawn tensors, each given by its sizes; {@code null} for an absent one. */
    Example list(String name, long[]... sizes) {
        List<String> names = new ArrayList<>();
        for (int i = 0; i < sizes.length; i++) {
            names.add(sizes[i] == null ? null : name + i);
            if (sizes[i] != null) {
                tensors.put(name + i, new Given(null, sizes[i], null, Values.ANY, null, true));
            }
        }
        return argument(name, new Argument.Values(names));
    }

    /** A list of index tensors (of one dimension, or {@code null}). */
    Example indexList(String name, long[]... indices) {
        List<String> names = new ArrayList<>();
        for (int i = 0; i < indices.length; i++) {
            names.add(indices[i] == null ? null : name + i);
            if (indices[i] != null) {
                double[] values = Arrays.stream(indices[i]).asDoubleStream().toArray();
                tensors.put(name + i, new Given(DType.INT64, new long[] {values.length}, null, null, values, false));
            }
        }
        return argument(name, new Argument.Values(names));
    }

    private Example add(String name, Given given) {
        tensors.put(name, given);
        return argument(name, new Argument.Value(name));
    }

    Example integer(String name, long value) {
        return argument(name, new Argument.Int(new SymExpr.Constant(value)));
    }

    Example integers(String name, long... values) {
        List<SymExpr> list = new ArrayList<>();
        for (long v : values) {
            list.add(new SymExpr.Constant(v));
        }
        return argument(name, new Argument.Ints(list));
    }

    Example real(String name, double value) {
        return argument(name, new Argument.Float(value));
    }

    Example flag(String name, boolean value) {
        return argument(name, new Argument.Bool(value));
    }

    Example text(String name, String value) {
        return argument(name, new Argument.Text(value));
    }

    Example type(String name, DType value) {
        return argument(name, new Argument.Type(value));
    }

    Example format(String name, MemoryFormat value) {
        return argument(name, new Argument.Format(value));
    }

    Example none(String name) {
        return argument(name, new Argument.None());
    }

    Example argument(String name, Argument value) {
        arguments.add(new Node.NamedArgument(name, value));
        return this;
    }

    /** Says what is special about it. */
    Example label(String text) {
        label = text;
        return this;
    }

    /** Allows more error in half precision, for operators that round often: a factor. */
    Example halfTolerance(double factor) {
        halfTolerance = factor;
        return this;
    }

    /** Says that it rounds to single precision whatever it is given: differences take longer steps and are less exact. */
    Example narrows() {
        narrows = true;
        return this;
    }

    /** Says that its gradient is another one than that of numbers that are free, as PyTorch's is. */
    Example bound() {
        bound = true;
        return this;
    }

    boolean isBound() {
        return bound;
    }

    boolean isNarrow() {
        return narrows;
    }

    /** Leaves out other precisions, where kernels that differ in more than rounding compute in them. */
    Example doubleOnly() {
        doubleOnly = true;
        return this;
    }

    /** No GPU computes it. */
    Example hostOnly() {
        libraryDraws = true;
        return this;
    }

    /** The GPU's library draws random numbers of its own: backends do not agree. */
    Example libraryDraws() {
        libraryDraws = true;
        return this;
    }

    /** Whether backends agree on its numbers. */
    boolean isComparable() {
        return !libraryDraws;
    }

    String operator() {
        return operator;
    }

    Map<String, Given> tensors() {
        return tensors;
    }

    double halfTolerance() {
        return halfTolerance;
    }

    boolean isDoubleOnly() {
        return doubleOnly;
    }

    /** The call as a node of a graph. */
    Node node() {
        return new Node("example", operator + ".default", arguments, List.of(), List.of(), "");
    }

    @Override
    public String toString() {
        return operator + (label.isEmpty() ? "" : " (" + label + ")");
    }
}
