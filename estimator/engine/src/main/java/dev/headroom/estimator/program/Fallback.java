package dev.headroom.estimator.program;

import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Recorder;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Node;
import dev.headroom.model.graph.SymExpr;
import dev.headroom.model.graph.TensorMeta;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * An operator without a rule: fresh results of the archive's sizes, which keep every input for a backward pass that
 * makes a gradient for each. Never free, never silent.
 */
final class Fallback {
    private final EagerRuntime runtime;
    private final Graph graph;
    private final Map<String, Long> symbols;

    Fallback(EagerRuntime runtime, Graph graph, Map<String, Long> symbols) {
        this.runtime = runtime;
        this.graph = graph;
        this.symbols = symbols;
    }

    Tensor[] run(Node node, Map<String, Tensor> values) {
        Tensor[] inputs =
                node.reads().stream().map(values::get).filter(t -> t != null).toArray(Tensor[]::new);
        Tensor[] out = new Tensor[node.outputs().size()];
        for (int i = 0; i < out.length; i++) {
            String name = node.outputs().get(i);
            TensorMeta meta = name == null ? null : graph.values().get(name);
            if (meta != null) {
                out[i] = runtime.empty(meta.dtype(), evaluate(meta.sizes(), name));
            }
        }
        record(node.operator(), inputs, out);
        return out;
    }

    private long[] evaluate(List<SymExpr> sizes, String name) {
        long[] out = new long[sizes.size()];
        for (int i = 0; i < out.length; i++) {
            out[i] = sizes.get(i).evaluate(symbols);
            if (out[i] < 0) {
                throw new UserInputException(
                        "value '" + name + "' has the negative size " + out[i] + "; check `batch` and `dims`");
            }
        }
        return out;
    }

    /** What is no tensor, such as a number, has no history. */
    private void record(String operator, Tensor[] inputs, Tensor[] outputs) {
        List<Tensor> made = Arrays.stream(outputs).filter(Objects::nonNull).toList();
        if (made.isEmpty()) {
            return;
        }
        Recorder r = runtime.record(operator, inputs);
        long[][] sizes = new long[inputs.length][];
        DType[] types = new DType[inputs.length];
        for (int i = 0; i < inputs.length; i++) {
            sizes[i] = inputs[i].sizes();
            types[i] = inputs[i].dtype();
            r.save(inputs[i]);
        }
        r.gradients(grads -> {
            Tensor[] out = new Tensor[sizes.length];
            for (int i = 0; i < out.length; i++) {
                if (r.needs(i)) {
                    out[i] = runtime.empty(types[i], sizes[i]);
                }
            }
            return out;
        });
        for (Tensor t : made) {
            r.output(t);
        }
    }
}
