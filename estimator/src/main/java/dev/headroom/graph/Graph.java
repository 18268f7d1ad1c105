package dev.headroom.graph;

import java.util.List;
import java.util.Map;

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
 */
public record Graph(
        String name,
        List<Input> inputs,
        List<Node> nodes,
        List<Output> outputs,
        Map<String, TensorMeta> values,
        Map<String, SymExpr> ints,
        Map<String, SymbolRange> symbols,
        List<String> state) {

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
    public record Output(OutputKind kind, String value, String target) {}

    /**
     * Values that a symbol may take, both inclusive.
     *
     * @param hint the value at export, or {@code null}
     */
    public record SymbolRange(long min, long max, Long hint) {}
}
