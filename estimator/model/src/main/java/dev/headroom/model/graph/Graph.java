package dev.headroom.model.graph;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A forward pass as ATen operator calls over named values; sizes may be expressions over symbols.
 *
 * @param name of the model, for messages
 * @param inputs in signature order: parameters, buffers, constants, then the user's
 * @param nodes in execution order
 * @param outputs in signature order
 * @param values what is known of each tensor value
 * @param ints symbolic integers by the name that {@link Argument.Int} expressions may refer to (already substituted in
 *     arguments; kept for importers and reports)
 * @param symbols the free symbols and the range of each
 * @param state fully qualified names of parameters and persistent buffers in {@code state_dict} order: a module's own
 *     before its children's; every alias of a tied tensor is listed
 * @param held the tensors that the model holds, which of them share storage, and its modules
 * @param loop the loop that it is trained in; {@code null} for the usual one. Who plays it takes it from the
 *     graph that was imported: not all passes keep it
 */
public record Graph(
        String name,
        List<Input> inputs,
        List<Node> nodes,
        List<Output> outputs,
        Map<String, TensorMeta> values,
        Map<String, SymExpr> ints,
        Map<String, SymbolRange> symbols,
        List<String> state,
        ModelState held,
        @Nullable OwnLoop loop) {

    /** A graph of the usual loop. */
    public Graph(
            String name,
            List<Input> inputs,
            List<Node> nodes,
            List<Output> outputs,
            Map<String, TensorMeta> values,
            Map<String, SymExpr> ints,
            Map<String, SymbolRange> symbols,
            List<String> state,
            ModelState held) {
        this(name, inputs, nodes, outputs, values, ints, symbols, state, held, null);
    }

    /** The same graph, trained in a loop of its own. */
    public Graph withLoop(OwnLoop own) {
        return new Graph(name, inputs, nodes, outputs, values, ints, symbols, state, held, own);
    }

    /** A graph whose inputs are all that the model holds, no two of them tied. */
    public Graph(
            String name,
            List<Input> inputs,
            List<Node> nodes,
            List<Output> outputs,
            Map<String, TensorMeta> values,
            Map<String, SymExpr> ints,
            Map<String, SymbolRange> symbols,
            List<String> state) {
        this(name, inputs, nodes, outputs, values, ints, symbols, state, heldByInputs(inputs, values));
    }

    /** The same graph with other nodes. */
    public Graph withNodes(List<Node> other) {
        return new Graph(name, inputs, other, outputs, values, ints, symbols, state, held, loop);
    }

    /** The same graph with more said of its values. */
    public Graph withValues(Map<String, TensorMeta> other) {
        return new Graph(name, inputs, nodes, outputs, other, ints, symbols, state, held, loop);
    }

    /** The same graph of a model that holds something else. */
    public Graph withHeld(ModelState other) {
        return new Graph(name, inputs, nodes, outputs, values, ints, symbols, state, other, loop);
    }

    /** The same graph that returns something else. */
    public Graph withOutputs(List<Output> other) {
        return new Graph(name, inputs, nodes, other, values, ints, symbols, state, held, loop);
    }

    /** The same graph with inputs that are told apart otherwise. */
    public Graph withInputs(List<Input> other) {
        return new Graph(name, other, nodes, outputs, values, ints, symbols, state, held, loop);
    }

    /**
     * What the graph says of a tensor.
     *
     * @throws NullPointerException if the graph has no tensor of that name
     */
    public TensorMeta meta(String value) {
        return Objects.requireNonNull(values.get(value), value);
    }

    private static ModelState heldByInputs(List<Input> inputs, Map<String, TensorMeta> values) {
        Set<String> modules = new LinkedHashSet<>(Set.of(""));
        Map<String, ModelState.HeldTensor> tensors = new LinkedHashMap<>();
        for (Input input : inputs) {
            if (input.kind() == InputKind.USER) {
                continue;
            }
            String name = input.qualifiedName();
            for (int dot = name.indexOf('.'); dot >= 0; dot = name.indexOf('.', dot + 1)) {
                modules.add(name.substring(0, dot));
            }
            TensorMeta meta = Objects.requireNonNull(values.get(input.value()), name);
            boolean persistent = input.persistent() || input.kind() == InputKind.PARAMETER;
            tensors.put(name, new ModelState.HeldTensor(input.kind(), meta, persistent, input.value(), name));
        }
        return new ModelState(List.copyOf(modules), tensors, List.of());
    }

    /** What an input is. */
    public enum InputKind {
        PARAMETER,
        BUFFER,
        /** A tensor that the program holds itself. */
        CONSTANT,
        USER
    }

    /**
     * One input.
     *
     * @param value the tensor value it binds
     * @param qualifiedName such as {@code layer1.0.conv1.weight}; for a user's input the argument's name
     * @param persistent whether a buffer is part of {@code state_dict}
     */
    public record Input(InputKind kind, String value, String qualifiedName, boolean persistent) {}

    /** What an output is. */
    public enum OutputKind {
        USER,
        LOSS,
        /** The new value of a buffer, parameter or input that the program changes. */
        MUTATION
    }

    /** @param value the tensor value, or {@code null} for one that is no tensor */
    public record Output(OutputKind kind, @Nullable String value, String target) {
        /** The target of what an object of keys and values holds, which functions on results do not look into. */
        public static final String CACHED = "past_key_values";

        /** Whether an object of keys and values holds it. */
        public boolean isCached() {
            return target.equals(CACHED);
        }
    }

    /**
     * Values that a symbol may take, both inclusive.
     *
     * @param hint the value at export, or {@code null}
     */
    public record SymbolRange(long min, long max, @Nullable Long hint) {}

    /** Whether a node converts a tensor to the type that it has in the trace. Integers keep theirs in the run, too. */
    public boolean isToOwnType(Node n) {
        if (!n.operator().equals("aten.to") && !n.operator().equals("aten.type_as")) {
            return false;
        }
        String source = n.tensor("self");
        TensorMeta from = source == null ? null : values.get(source);
        TensorMeta to = values.get(n.outputs().get(0));
        return from != null
                && to != null
                && from.dtype() == to.dtype()
                && (to.dtype().isFloatingPoint() || to.dtype().isComplex());
    }

    /** Whether a value is one of the inputs. */
    public boolean takes(@Nullable String value) {
        return value != null && inputs.stream().anyMatch(in -> value.equals(in.value()));
    }
}
