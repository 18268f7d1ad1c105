package dev.headroom.executor.train;

import dev.headroom.executor.program.ModelMemory;
import dev.headroom.executor.tensor.Eager;
import dev.headroom.executor.tensor.Layout;
import dev.headroom.executor.tensor.Owner;
import dev.headroom.executor.tensor.Scope;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.graph.DType;
import dev.headroom.graph.Graph;
import dev.headroom.graph.TensorMeta;
import dev.headroom.training.TrainingRun;
import java.util.HashMap;
import java.util.Map;

/** The tensors that a forward pass is given. */
final class Inputs {
    private Inputs() {}

    /** The user's inputs, made and filled, beside the model's tensors; by value name. */
    static Map<String, Tensor> make(
            Eager eager, Graph graph, TrainingRun run, Map<String, Long> symbols, ModelMemory model, Batch batch) {
        eager.own(new Owner("", "inputs"));
        Map<String, Tensor> out = new HashMap<>(model.byValue());
        boolean wantsGradient = run.inputGrad;
        for (Graph.Input input : graph.inputs()) {
            TensorMeta meta = graph.values().get(input.value());
            if (input.kind() != Graph.InputKind.USER || meta == null) {
                continue;
            }
            long[] sizes =
                    meta.sizes().stream().mapToLong(s -> s.evaluate(symbols)).toArray();
            DType type = ModelMemory.underRun(meta.dtype(), run);
            boolean turned = run.channelsLast && sizes.length == 4;
            Tensor t = held(eager, type, sizes, turned ? Layout.channelsLast(sizes) : Layout.contiguous(sizes));
            batch.fill(input.qualifiedName(), t);
            if (wantsGradient && type.isFloatingPoint()) {
                t.requireGrad(true);
                wantsGradient = false;
            }
            out.put(input.value(), t);
        }
        return out;
    }

    static Tensor held(Eager eager, DType type, long[] sizes, long[] strides) {
        try (Scope s = eager.open()) {
            return eager.hold(eager.emptyStrided(type, sizes, strides));
        }
    }
}
