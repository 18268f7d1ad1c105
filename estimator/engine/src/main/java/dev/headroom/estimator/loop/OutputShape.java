package dev.headroom.estimator.loop;

import dev.headroom.allocator.AllocatorSettings;
import dev.headroom.allocator.CachingAllocator;
import dev.headroom.allocator.SimulatedDeviceMemory;
import dev.headroom.estimator.log.Category;
import dev.headroom.estimator.program.GraphRunner;
import dev.headroom.estimator.program.ModelTensors;
import dev.headroom.estimator.program.ModelTypes;
import dev.headroom.estimator.program.Unmodelled;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Frame;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Shapes;
import dev.headroom.model.graph.TensorMeta;
import java.util.HashMap;
import java.util.Map;

/**
 * The model's first output: what the loss is taken of.
 *
 * @param type as in the graph, before a run's {@code --dtype}
 * @param sizes in elements
 */
record OutputShape(DType type, long[] sizes) {
    private static final long PLENTY = 4L << 40;

    /** From what the graph says of the output; where it says nothing, from a forward pass played on the side. */
    static OutputShape of(Graph graph, Map<String, Long> symbols, EagerRuntime like) {
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
        TensorMeta meta = graph.values().get(name);
        return meta != null ? new OutputShape(meta.dtype(), sizes(meta, symbols)) : played(graph, symbols, like);
    }

    static long[] sizes(TensorMeta meta, Map<String, Long> symbols) {
        return meta.sizes().stream().mapToLong(s -> s.evaluate(symbols)).toArray();
    }

    private static OutputShape played(Graph graph, Map<String, Long> symbols, EagerRuntime like) {
        CachingAllocator allocator =
                new CachingAllocator(AllocatorSettings.defaults(), new SimulatedDeviceMemory(PLENTY));
        EagerRuntime runtime = new EagerRuntime(allocator, like.device(), like.options());
        runtime.setGradMode(false);
        Map<String, Tensor> inputs = new HashMap<>(new ModelTensors(runtime, graph, null).byValue());
        Frame frame = runtime.frame();
        for (Graph.Input in : graph.inputs()) {
            TensorMeta meta = graph.values().get(in.value());
            if (in.kind() == Graph.InputKind.USER && meta != null) {
                long[] sizes = sizes(meta, symbols);
                inputs.put(
                        in.value(),
                        runtime.emptyStrided(meta.dtype(), sizes, Shapes.contiguous(sizes), Category.INPUTS));
            }
        }
        Tensor[] out = new GraphRunner(runtime, graph, symbols, new Unmodelled(), ModelTypes.same(graph)).run(inputs);
        frame.close();
        return new OutputShape(out[0].dtype(), out[0].sizes());
    }
}
