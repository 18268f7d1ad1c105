package dev.headroom.estimator.program;

import dev.headroom.allocator.AllocatorSettings;
import dev.headroom.allocator.CachingAllocator;
import dev.headroom.allocator.OutOfMemoryException;
import dev.headroom.allocator.SimulatedDeviceMemory;
import dev.headroom.estimator.log.Category;
import dev.headroom.estimator.op.rule.Call;
import dev.headroom.estimator.program.variables.Lifetimes;
import dev.headroom.estimator.runtime.DeviceModel;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Frame;
import dev.headroom.estimator.runtime.KernelOptions;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.checkpoint.CheckpointPlan;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Node;
import dev.headroom.model.graph.Shapes;
import dev.headroom.model.graph.SymExpr;
import dev.headroom.model.graph.TensorMeta;
import dev.headroom.model.scenario.Scenario;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * What a value of a graph is like. Archives say it of every value; graphs that were written in Java do not, and a
 * forward pass is played on the side.
 *
 * @param type as in the graph, before a run's {@code --dtype}
 * @param sizes in elements
 * @param strides in elements
 */
public record ValueShape(DType type, long[] sizes, long[] strides) {
    private static final long PLENTY = 4L << 40;

    /** What a tensor is like: kernels are chosen as on any card. */
    private static final DeviceModel ANY = new DeviceModel(9, 0, 132);

    private static ValueShape of(Tensor t) {
        return new ValueShape(t.dtype(), t.sizes(), t.strides());
    }

    /**
     * Of one value.
     *
     * @throws UserInputException when neither the graph nor a forward pass says
     */
    public static ValueShape of(Graph graph, Map<String, Long> symbols, String value) {
        TensorMeta meta = graph.values().get(value);
        if (meta != null) {
            return new ValueShape(meta.dtype(), evaluated(meta.sizes(), symbols), evaluated(meta.strides(), symbols));
        }
        ValueShape played = play(graph, symbols).get(value);
        if (played == null) {
            throw new UserInputException("the size of " + value
                    + " is not known: what computes it has no memory rule for such arguments; export the model again");
        }
        return played;
    }

    /** The graph with what all its values are like. */
    static Graph describe(Graph graph, Map<String, Long> symbols) {
        boolean known = graph.nodes().stream()
                .flatMap(n -> n.outputs().stream())
                .noneMatch(v -> v != null
                        && !graph.values().containsKey(v)
                        && !graph.ints().containsKey(v));
        if (known) {
            return graph;
        }
        Map<String, TensorMeta> values = new HashMap<>(graph.values());
        play(graph, symbols)
                .forEach((name, shape) -> values.putIfAbsent(
                        name,
                        new TensorMeta(
                                shape.type,
                                constants(shape.sizes),
                                constants(shape.strides),
                                new SymExpr.Constant(0),
                                false)));
        return graph.withValues(values);
    }

    private static List<SymExpr> constants(long[] numbers) {
        return Arrays.stream(numbers)
                .mapToObj(n -> (SymExpr) new SymExpr.Constant(n))
                .toList();
    }

    private static long[] evaluated(List<SymExpr> expressions, Map<String, Long> symbols) {
        return expressions.stream().mapToLong(s -> s.evaluate(symbols)).toArray();
    }

    private static Map<String, ValueShape> play(Graph graph, Map<String, Long> symbols) {
        try {
            return played(graph, symbols);
        } catch (OutOfMemoryException e) {
            throw new UserInputException(
                    "a forward pass takes more than 4 TiB, which no device has; ask for smaller sizes", e);
        }
    }

    private static Map<String, ValueShape> played(Graph graph, Map<String, Long> symbols) {
        CachingAllocator allocator =
                new CachingAllocator(AllocatorSettings.defaults(), new SimulatedDeviceMemory(PLENTY));
        EagerRuntime runtime = new EagerRuntime(allocator, ANY, new KernelOptions(0, Scenario.Attention.AUTO));
        runtime.setGradMode(false);
        Map<String, Tensor> inputs = new HashMap<>(new ModelTensors(runtime, graph, null).byValue());
        Map<String, ValueShape> out = new HashMap<>();
        Frame frame = runtime.frame();
        for (Graph.Input in : graph.inputs()) {
            TensorMeta meta = graph.values().get(in.value());
            if (in.kind() == Graph.InputKind.USER && meta != null) {
                long[] sizes = evaluated(meta.sizes(), symbols);
                inputs.put(
                        in.value(),
                        runtime.emptyStrided(meta.dtype(), sizes, Shapes.contiguous(sizes), Category.INPUTS));
            }
        }
        GraphRunner runner = new GraphRunner(
                runtime,
                CheckpointPlan.none(graph),
                null,
                symbols,
                new Unmodelled(),
                ModelTypes.same(graph),
                Lifetimes.ofUses(graph));
        runner.around(new Looker(out));
        runner.with(new Variables(runtime));
        runner.run(inputs);
        frame.close();
        return out;
    }

    /** Notes what operators give. */
    private record Looker(Map<String, ValueShape> seen) implements NodeHook {
        @Override
        public Node localized(Graph graph, Node node, Map<String, Tensor> values) {
            return node;
        }

        @Override
        public Tensor[] around(Call call, Supplier<Tensor[]> own) {
            Tensor[] made = own.get();
            List<String> names = call.node().outputs();
            for (int i = 0; i < made.length && i < names.size(); i++) {
                if (names.get(i) != null && made[i] != null) {
                    seen.put(names.get(i), of(made[i]));
                }
            }
            return made;
        }
    }
}
