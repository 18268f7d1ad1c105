package dev.headroom.model.onnx.op;

import dev.headroom.model.dsl.Arguments;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Node;
import dev.headroom.model.graph.SymExpr;
import dev.headroom.model.graph.TensorMeta;
import dev.headroom.model.onnx.file.OnnxFile;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Writes the graph, call by call, and keeps what is known of each value of the file. */
public final class GraphWriter {
    /**
     * What is known of a value of the file.
     *
     * @param tensor its name in the graph; {@code null} as long as no call needs it as a tensor
     * @param sizes {@code null} where they are not known
     * @param content its elements, where they are few and known
     * @param weight what the file holds for it
     */
    record Known(
            @Nullable String tensor,
            DType type,
            @Nullable List<SymExpr> sizes,
            @Nullable Content content,
            OnnxFile.@Nullable Tensor weight) {}

    private final Map<String, Known> known = new LinkedHashMap<>();
    private final List<Graph.Input> weights = new ArrayList<>();
    private final List<Node> nodes = new ArrayList<>();
    private final Map<String, TensorMeta> metas = new LinkedHashMap<>();
    private final Map<String, Integer> names = new LinkedHashMap<>();
    private List<Node.ModuleCall> modules = List.of();
    private String trace = "";

    /** Says which modules run, and at which lines. */
    public void at(List<Node.ModuleCall> stack, String lines) {
        modules = stack;
        trace = lines;
    }

    /** Declares an input of the user's. */
    public void input(String name, int type, List<SymExpr> sizes) {
        DType element = ElementTypes.of(type, "the input " + name);
        known.put(name, new Known(name, element, sizes, null, null));
        names.put(name, 1);
        describe(name, element, sizes);
    }

    /** Declares a tensor of the file. */
    public void weight(OnnxFile.Tensor tensor) {
        held(tensor.name(), tensor);
    }

    /** The tensor of a node {@code Constant}, or of an initializer. */
    void held(String name, OnnxFile.Tensor tensor) {
        DType type = ElementTypes.of(tensor.type(), "the tensor " + name);
        List<SymExpr> sizes = new ArrayList<>();
        for (long size : tensor.sizes()) {
            sizes.add(SymExpr.of(size));
        }
        known.put(name, new Known(null, type, sizes, content(tensor, type), tensor));
    }

    private static @Nullable Content content(OnnxFile.Tensor tensor, DType type) {
        boolean scalar = tensor.sizes().length == 0;
        if (tensor.sizes().length > 1) {
            return null;
        }
        if (tensor.numbers() != null && !type.isFloatingPoint()) {
            List<SymExpr> integers = new ArrayList<>();
            for (long number : tensor.numbers()) {
                integers.add(SymExpr.of(number));
            }
            return Content.of(type, scalar, integers);
        }
        if (tensor.reals() == null) {
            return null;
        }
        List<Double> reals = new ArrayList<>();
        for (double real : tensor.reals()) {
            reals.add(real);
        }
        return Content.real(type, scalar, reals);
    }

    /** @throws UserInputException if no node before has computed it */
    Known known(String name) {
        Known value = known.get(name);
        if (value == null) {
            throw new UserInputException("the value " + name + " is read before anything computes it");
        }
        return value;
    }

    void put(String name, Known value) {
        known.put(name, value);
    }

    /** The value as a tensor of the graph. */
    public Value tensor(String name) {
        Known value = known(name);
        if (value.tensor() != null) {
            return new Value(value.tensor());
        }
        String tensor;
        if (value.weight() != null) {
            tensor = weight(name, value);
        } else {
            Content content = Objects.requireNonNull(value.content(), name);
            tensor = unique(name);
            SymExpr[] sizes = content.sizes().toArray(SymExpr[]::new);
            call("aten.full.default", List.of(tensor), "size", sizes, "fill_value", 0, "dtype", content.type());
        }
        known.put(name, new Known(tensor, value.type(), value.sizes(), value.content(), value.weight()));
        return new Value(tensor);
    }

    /** A weight whose name says no module belongs to the one that reads it first. */
    private String weight(String name, Known value) {
        String path = modules.isEmpty() ? "" : modules.get(modules.size() - 1).path();
        String plain = name.replaceAll("[^\\w.]+", "_").replaceAll("^[_.]+|(?<![_.])[_.]+$", "");
        String qualified = name.indexOf('.') > 0 || path.isEmpty() ? plain : path + "." + plain;
        String tensor = unique(qualified);
        Graph.InputKind kind = value.type().isFloatingPoint() ? Graph.InputKind.PARAMETER : Graph.InputKind.BUFFER;
        weights.add(new Graph.Input(kind, tensor, tensor, true));
        metas.put(
                tensor,
                TensorMeta.of(
                        value.type(), Objects.requireNonNull(value.weight()).sizes()));
        return tensor;
    }

    /** A name that no value of the graph has. */
    String unique(String base) {
        int n = names.merge(base, 1, Integer::sum);
        return n == 1 ? base : unique(base + "_" + n);
    }

    /** Writes a call; its arguments are name, value, name, value, … */
    void call(String target, List<String> results, @Nullable Object... pairs) {
        List<Node.NamedArgument> arguments = new ArrayList<>();
        for (int i = 0; i < pairs.length; i += 2) {
            Object value = pairs[i + 1];
            if (value != null) {
                arguments.add(new Node.NamedArgument(String.valueOf(pairs[i]), Arguments.of(value)));
            }
        }
        nodes.add(new Node(results.get(0), target, arguments, List.copyOf(results), modules, trace));
    }

    /** Notes type and sizes of a value, for calls without a rule. */
    void describe(String tensor, DType type, List<SymExpr> sizes) {
        List<SymExpr> strides = new ArrayList<>();
        SymExpr next = SymExpr.of(1);
        for (int i = sizes.size() - 1; i >= 0; i--) {
            strides.add(0, next);
            next = Dims.times(next, sizes.get(i));
        }
        metas.put(tensor, new TensorMeta(type, sizes, strides, SymExpr.of(0), false));
    }

    /** Weights that calls read, in the order in which they do first. */
    public List<Graph.Input> weights() {
        return weights;
    }

    /** The calls. */
    public List<Node> nodes() {
        return nodes;
    }

    /** What is known of the graph's values. */
    public Map<String, TensorMeta> metas() {
        return metas;
    }
}
