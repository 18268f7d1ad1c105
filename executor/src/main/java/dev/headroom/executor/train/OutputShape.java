package dev.headroom.executor.train;

import dev.headroom.allocator.AllocatorSettings;
import dev.headroom.allocator.CachingAllocator;
import dev.headroom.executor.kernel.Backend;
import dev.headroom.executor.kernel.NoKernels;
import dev.headroom.executor.program.ModelMemory;
import dev.headroom.executor.program.Program;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.runtime.Settings;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.TensorMeta;
import dev.headroom.model.scenario.Scenario;
import java.util.Map;

/** The shape of a model's first output. */
public record OutputShape(DType type, long[] sizes) {
    private static final long PLENTY = 1L << 42;

    /** From what the graph says of it; where it says nothing, from a forward pass without data. */
    public static OutputShape of(Graph graph, Scenario run, Map<String, Long> symbols, Settings settings) {
        String name = graph.outputs().stream()
                .filter(o -> o.kind() != Graph.OutputKind.MUTATION && o.value() != null)
                .map(Graph.Output::value)
                .findFirst()
                .orElseThrow(() -> new UserInputException(
                        "the model returns no tensor, so there is nothing to train on; export it with its outputs"));
        TensorMeta meta = graph.values().get(name);
        if (meta != null) {
            return new OutputShape(
                    ModelMemory.underRun(meta.dtype(), run),
                    meta.sizes().stream().mapToLong(s -> s.evaluate(symbols)).toArray());
        }
        try (Backend none = NoKernels.over(PLENTY)) {
            Eager eager = new Eager(new CachingAllocator(AllocatorSettings.defaults(), none.memory()), none, settings);
            eager.tape().setEnabled(false);
            Map<String, Tensor> inputs = Inputs.make(eager, graph, run, symbols, (n, t) -> {});
            inputs.putAll(new ModelMemory(eager, graph, run).byValue());
            Tensor out = new Program(eager, graph, symbols).run(inputs)[0];
            return new OutputShape(out.dtype(), out.sizes());
        }
    }
}
