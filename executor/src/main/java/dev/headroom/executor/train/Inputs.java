package dev.headroom.executor.train;

import dev.headroom.executor.program.ModelMemory;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Layout;
import dev.headroom.executor.tensor.Owner;
import dev.headroom.executor.tensor.Scope;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.TensorMeta;
import dev.headroom.model.run.Phase;
import dev.headroom.model.scenario.Scenario;
import java.util.LinkedHashMap;
import java.util.Map;

/** The tensors that a forward pass is given beside the model's. */
public final class Inputs {
    private Inputs() {}

    /** The user's inputs, made and filled, each with a reference for the caller; by value name. */
    public static Map<String, Tensor> make(
            Eager eager, Graph graph, Scenario run, Map<String, Long> symbols, Batch batch) {
        eager.own(new Owner("", Phase.INPUTS.label()));
        Map<String, Tensor> out = new LinkedHashMap<>();
        try {
            boolean wantsGradient = run.loop().inputGrad();
            for (Graph.Input input : graph.inputs()) {
                TensorMeta meta = graph.values().get(input.value());
                if (input.kind() != Graph.InputKind.USER || meta == null) {
                    continue;
                }
                Tensor t = make(eager, meta, run, symbols);
                out.put(input.value(), t);
                batch.fill(input.qualifiedName(), t);
                if (wantsGradient && t.dtype().isFloatingPoint()) {
                    t.requireGrad(true);
                    wantsGradient = false;
                }
            }
            return out;
        } catch (RuntimeException e) {
            out.values().forEach(eager::release);
            throw e;
        }
    }

    private static Tensor make(Eager eager, TensorMeta meta, Scenario run, Map<String, Long> symbols) {
        long[] sizes = meta.sizes().stream().mapToLong(s -> s.evaluate(symbols)).toArray();
        DType type = ModelMemory.underRun(meta.dtype(), run);
        // What is in both formats, as an image of one channel is, contiguous(memory_format=…) leaves alone.
        boolean turned = run.kernels().turns(sizes.length) && !Layout.isChannelsLast(sizes, Layout.contiguous(sizes));
        return held(eager, type, sizes, turned ? Layout.channelsLast(sizes) : Layout.contiguous(sizes));
    }

    public static Tensor held(Eager eager, DType type, long[] sizes, long[] strides) {
        try (Scope s = eager.open()) {
            return eager.hold(eager.emptyStrided(type, sizes, strides));
        }
    }
}
