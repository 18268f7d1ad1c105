package dev.headroom.estimator.compile.trace;

import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Shapes;
import dev.headroom.model.graph.SymExpr;
import dev.headroom.model.graph.TensorMeta;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A node of the joint graph: one tensor, or the tuple that a node with several results returns. */
public final class Value {
    private final int id;
    private final Kind kind;
    private final String op;
    private final String key;
    private final List<Value> arguments;
    private final DType dtype;
    private final long[] sizes;
    private final long[] strides;
    private final int region;
    private final List<Value> items = new ArrayList<>();

    /**
     * Made by {@link Joint}.
     *
     * @param id its place in the order of tracing
     * @param op the operator without its overload, such as {@code aten.mul}
     * @param key what else tells two calls of it apart: numbers, dimensions
     * @param region number of the checkpoint that it is in, 0 for none
     */
    Value(
            int id,
            Kind kind,
            String op,
            String key,
            List<Value> arguments,
            DType dtype,
            long[] sizes,
            long[] strides,
            int region) {
        this.id = id;
        this.kind = kind;
        this.op = op;
        this.key = key;
        this.arguments = List.copyOf(arguments);
        this.dtype = dtype;
        this.sizes = sizes.clone();
        this.strides = strides.clone();
        this.region = region;
    }

    void addItem(Value item) {
        items.add(item);
    }

    public int id() {
        return id;
    }

    public Kind kind() {
        return kind;
    }

    public String op() {
        return op;
    }

    public String key() {
        return key;
    }

    public List<Value> arguments() {
        return arguments;
    }

    public DType dtype() {
        return dtype;
    }

    public long[] sizes() {
        return sizes.clone();
    }

    public long[] strides() {
        return strides.clone();
    }

    public int dim() {
        return sizes.length;
    }

    /** @param d may count from the end */
    public long size(int d) {
        return sizes[d < 0 ? d + sizes.length : d];
    }

    /** Number of the checkpoint that computes it, counted from 1; 0 outside of all. */
    public int region() {
        return region;
    }

    /** Results of a node that has several; empty for a tensor. */
    public List<Value> items() {
        return items;
    }

    /** Whether it is no tensor but several. */
    public boolean isTuple() {
        return !items.isEmpty();
    }

    public long numel() {
        return Shapes.numel(sizes);
    }

    /** Bytes of all elements, those of all results for a tuple; what is broadcast counts as often as it is seen. */
    public long bytes() {
        if (isTuple()) {
            return items.stream().mapToLong(Value::bytes).sum();
        }
        return numel() * dtype.bytes();
    }

    public boolean isContiguous() {
        return Shapes.isContiguous(sizes, strides);
    }

    /** Whether it is handed to the graph. */
    public boolean isPlaceholder() {
        return kind == Kind.PARAMETER || kind == Kind.INPUT || kind == Kind.TANGENT;
    }

    /** As graphs describe tensors. */
    public TensorMeta meta() {
        return new TensorMeta(
                dtype,
                Arrays.stream(sizes).mapToObj(SymExpr::of).toList(),
                Arrays.stream(strides).mapToObj(SymExpr::of).toList(),
                SymExpr.of(0),
                false);
    }

    @Override
    public String toString() {
        return op + "_" + id + Arrays.toString(sizes);
    }
}
