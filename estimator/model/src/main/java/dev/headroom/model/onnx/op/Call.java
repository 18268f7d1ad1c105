package dev.headroom.model.onnx.op;

import dev.headroom.model.dsl.Value;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.SymExpr;
import dev.headroom.model.onnx.file.OnnxFile;
import dev.headroom.model.onnx.file.OnnxFile.Attribute;
import dev.headroom.model.onnx.op.GraphWriter.Known;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** One call of an ONNX operator, and the pen to write what it is in PyTorch. */
final class Call {
    private final GraphWriter writer;
    private final OnnxFile.Operation node;
    private final long opset;

    Call(GraphWriter writer, OnnxFile.Operation node, long opset) {
        this.writer = writer;
        this.node = node;
        this.opset = opset;
    }

    GraphWriter writer() {
        return writer;
    }

    String type() {
        return node.type();
    }

    /** Version of the operators. */
    long opset() {
        return opset;
    }

    int inputs() {
        return node.inputs().size();
    }

    int outputs() {
        return node.outputs().size();
    }

    boolean has(int input) {
        return input < inputs() && !node.inputs().get(input).isEmpty();
    }

    Known known(int input) {
        if (!has(input)) {
            throw new NoCounterpart();
        }
        return writer.known(node.inputs().get(input));
    }

    Value tensor(int input) {
        known(input);
        return writer.tensor(node.inputs().get(input));
    }

    /** The input as a tensor, or {@code null} if it is left out. */
    @Nullable
    Value optional(int input) {
        return has(input) ? tensor(input) : null;
    }

    DType dtype(int input) {
        return known(input).type();
    }

    @Nullable
    List<SymExpr> sizes(int input) {
        return known(input).sizes();
    }

    /** @throws NoCounterpart where they are not known */
    List<SymExpr> knownSizes(int input) {
        List<SymExpr> sizes = sizes(input);
        if (sizes == null) {
            throw new NoCounterpart();
        }
        return sizes;
    }

    int rank(int input) {
        return knownSizes(input).size();
    }

    /** The elements of an input of integers, or {@code null} if it is left out; they must be known. */
    @Nullable
    List<SymExpr> integers(int input) {
        if (!has(input)) {
            return null;
        }
        Content content = known(input).content();
        if (content == null || content.isReal()) {
            throw new NoCounterpart();
        }
        return content.integers();
    }

    /** Integers that an attribute has, or, in newer versions, an input; {@code null} if neither is there. */
    @Nullable
    List<SymExpr> integers(String attribute, int input) {
        List<Long> numbers = numbers(attribute);
        return numbers.isEmpty()
                ? integers(input)
                : numbers.stream().map(SymExpr::of).toList();
    }

    /** The same, which must be constants. */
    @Nullable
    List<Long> constants(String attribute, int input) {
        List<SymExpr> all = integers(attribute, input);
        if (all == null) {
            return null;
        }
        List<Long> out = new ArrayList<>();
        for (SymExpr one : all) {
            Long constant = Dims.constant(one);
            if (constant == null) {
                throw new NoCounterpart();
            }
            out.add(constant);
        }
        return out;
    }

    /** The number that an input is, where it is one that the file or its shapes say. */
    @Nullable
    Content number(int input) {
        Known value = known(input);
        Content content = value.tensor() == null ? value.content() : null;
        return content != null && content.size() == 1 ? content : null;
    }

    long number(String attribute, long otherwise) {
        Attribute value = node.attributes().get(attribute);
        return value == null ? otherwise : value.number();
    }

    double real(String attribute, double otherwise) {
        Attribute value = node.attributes().get(attribute);
        return value == null ? otherwise : value.real();
    }

    String text(String attribute, String otherwise) {
        Attribute value = node.attributes().get(attribute);
        return value == null ? otherwise : value.text();
    }

    /** Empty where the attribute is left out. */
    List<Long> numbers(String attribute) {
        Attribute value = node.attributes().get(attribute);
        return value == null ? List.of() : value.numbers();
    }

    @Nullable
    Attribute attribute(String name) {
        return node.attributes().get(name);
    }

    /** A dimension that may count from the end, of so many. */
    static int dim(long dim, int rank) {
        return (int) (dim < 0 ? dim + rank : dim);
    }

    String output(int output) {
        return node.outputs().get(output);
    }

    /** Writes the call that computes the first output. */
    void write(String target, DType type, @Nullable List<SymExpr> sizes, @Nullable Object... pairs) {
        write(target, List.of(new Result(type, sizes)), pairs);
    }

    /** @param sizes {@code null} where they are not known */
    record Result(DType type, @Nullable List<SymExpr> sizes) {}

    /** Writes the call that computes the outputs; those that the call has and the node lacks are made all the same. */
    void write(String target, List<Result> results, @Nullable Object... pairs) {
        List<String> tensors = new ArrayList<>();
        for (int i = 0; i < results.size(); i++) {
            boolean named = i < outputs() && !output(i).isEmpty();
            String tensor = writer.unique(named ? output(i) : output(0) + "." + i);
            tensors.add(tensor);
            Result result = results.get(i);
            if (named) {
                writer.put(output(i), new Known(tensor, result.type(), result.sizes(), null, null));
            }
        }
        writer.call(target, tensors, pairs);
    }

    /** Writes a call on the way. */
    Value step(String target, @Nullable Object... pairs) {
        String tensor = writer.unique(Objects.requireNonNull(output(0)) + ".step");
        writer.call(target, List.of(tensor), pairs);
        return new Value(tensor);
    }

    /** The first output is an input. */
    void same(int input) {
        writer.put(output(0), known(input));
    }

    /** The first output is known. */
    void content(Content content) {
        writer.put(output(0), new Known(null, content.type(), content.sizes(), content, null));
    }
}
