package dev.headroom.estimator.loop;

import dev.headroom.estimator.program.ValueShape;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.TensorMeta;
import java.util.Map;

/**
 * The model's first output: what the loss is taken of.
 *
 * @param type as in the graph, before a run's {@code --dtype}
 * @param sizes in elements
 */
record OutputShape(DType type, long[] sizes) {
    /** From what the graph says of the output; where it says nothing, from a forward pass played on the side. */
    static OutputShape of(Graph graph, Map<String, Long> symbols) {
        String name = null;
        for (Graph.Output o : graph.outputs()) {
            if (name == null && o.kind() != Graph.OutputKind.MUTATION && o.value() != null) {
                name = o.value();
            }
        }
        if (name == null) {
            throw new UserInputException(
                    "the model returns no tensor, so there is nothing to train on; export it with its outputs");
        }
        ValueShape shape = ValueShape.of(graph, symbols, name);
        return new OutputShape(shape.type(), shape.sizes());
    }

    static long[] sizes(TensorMeta meta, Map<String, Long> symbols) {
        return meta.sizes().stream().mapToLong(s -> s.evaluate(symbols)).toArray();
    }
}
