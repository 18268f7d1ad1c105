package dev.headroom.model.compiled;

import dev.headroom.model.graph.TensorMeta;
import java.util.List;
import java.util.Map;

/**
 * The generated function of one graph, forward or backward.
 *
 * @param statements in order; the first takes the arguments, the last returns
 * @param arguments names of all arguments in order, numbers among them
 * @param inputs of the arguments that are tensors, what they are
 * @param buffers what library calls make, by the name that holds it
 */
public record CompiledCode(
        List<Statement> statements,
        List<String> arguments,
        Map<String, TensorMeta> inputs,
        Map<String, TensorMeta> buffers) {
    public CompiledCode {
        statements = List.copyOf(statements);
        arguments = List.copyOf(arguments);
        inputs = Map.copyOf(inputs);
        buffers = Map.copyOf(buffers);
    }
}
