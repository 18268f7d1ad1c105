package dev.headroom.executor.op;

import dev.headroom.allocator.AllocatorSettings;
import dev.headroom.allocator.CachingAllocator;
import dev.headroom.executor.autograd.BackwardPass;
import dev.headroom.executor.host.HostBackend;
import dev.headroom.executor.kernel.Backend;
import dev.headroom.executor.op.basic.Copies;
import dev.headroom.executor.op.basic.GradientSums;
import dev.headroom.executor.op.registry.Arguments;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.runtime.Settings;
import dev.headroom.executor.tensor.Layout;
import dev.headroom.executor.tensor.Scope;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.device.GpuCatalogue;
import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.MemoryFormat;
import dev.headroom.model.graph.Node;
import dev.headroom.model.scenario.Scenario;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Runs an example on a backend in a type, with values that a seed decides. */
final class ExampleRun implements AutoCloseable {
    /** Values are odd multiples of this: exact in every type, and no round number at which functions have kinks. */
    private static final double UNIT = 1 / 128.0;

    private final Example example;
    private final Backend backend;
    private final Eager eager;
    private final long randomness;
    private final DType type;
    private final Map<String, Tensor> tensors = new LinkedHashMap<>();

    /** On a host backend of its own. */
    ExampleRun(Example example, DType type) {
        this(example, type, new HostBackend(1L << 30));
    }

    /** @param backend to be closed with the run */
    ExampleRun(Example example, DType type, Backend backend) {
        this.example = example;
        this.backend = backend;
        this.type = type;
        Settings settings = new Settings(GpuCatalogue.find("h200").orElseThrow(), Scenario.Attention.AUTO, 1);
        eager = new Eager(new CachingAllocator(AllocatorSettings.defaults(), backend.memory()), backend, settings);
        randomness = eager.randomness().state();
        Random random = new Random(example.toString().hashCode());
        example.tensors().forEach((name, given) -> tensors.put(name, make(given, random)));
    }

    private Tensor make(Example.Given given, Random random) {
        long[] sizes = given.sizes();
        long[] strides = Layout.contiguous(sizes);
        if (given.order() != null) {
            int n = sizes.length;
            int[] fastestFirst = new int[n];
            for (int i = 0; i < n; i++) {
                fastestFirst[i] = given.order()[n - 1 - i];
            }
            strides = Layout.packed(sizes, fastestFirst);
        }
        try (Scope s = eager.open()) {
            Tensor t = eager.hold(eager.emptyStrided(given.type() == null ? type : given.type(), sizes, strides));
            int n = Math.toIntExact(t.elements());
            backend.write(t, given.fixed() != null ? given.fixed() : drawn(given.values(), n, random));
            t.requireGrad(given.differentiable());
            return t;
        }
    }

    private static double[] drawn(Example.Values values, int n, Random random) {
        List<Double> grid = new ArrayList<>();
        for (int k = 9; k <= 221; k += 2) {
            boolean fits =
                    switch (values) {
                        case ANY, WIDE -> true;
                        case POSITIVE -> k >= 65;
                        case FRACTION -> k >= 17 && k <= 111;
                    };
            if (fits) {
                double value = k * UNIT * (values == Example.Values.WIDE ? 4 : 1);
                grid.add(value);
                if (values == Example.Values.ANY || values == Example.Values.WIDE) {
                    grid.add(-value);
                }
            }
        }
        double[] out = new double[n];
        for (int i = 0; i < n; i++) {
            if (i % grid.size() == 0) {
                Collections.shuffle(grid, random);
            }
            out[i] = grid.get(i % grid.size());
        }
        return out;
    }

    /** The tensors that gradients are checked of. */
    Map<String, Tensor> inputs() {
        Map<String, Tensor> out = new LinkedHashMap<>(tensors);
        out.values().removeIf(t -> !t.requiresGrad());
        return out;
    }

    double[] read(Tensor t) {
        return backend.read(t);
    }

    void write(Tensor t, double[] values) {
        backend.write(t, values);
    }

    /** Bytes that are allocated now. */
    long allocated() {
        return eager.allocator().statistics().allocatedBytes().current();
    }

    /** Values of all floating-point results, without recording. */
    List<double[]> forward() {
        boolean before = eager.tape().setEnabled(false);
        try (Scope s = eager.open()) {
            List<double[]> out = new ArrayList<>();
            for (Tensor t : call()) {
                out.add(counts(t) ? backend.read(t) : null);
            }
            return out;
        } finally {
            eager.tape().setEnabled(before);
        }
    }

    private static boolean counts(Tensor t) {
        return t != null && t.dtype().isFloatingPoint();
    }

    private Tensor[] call() {
        eager.randomness().restore(randomness);
        Map<String, Tensor> values = new LinkedHashMap<>(tensors);
        if (example.operator().endsWith("_") && !example.operator().endsWith("__")) {
            // Autograd lets no leaf be changed in place; and the values are needed again.
            String first = example.node().reads().get(0);
            values.put(first, Copies.clone(eager, tensors.get(first), MemoryFormat.PRESERVE));
        }
        values.replaceAll((name, t) -> example.isComplex(name) ? seen("view_as_complex", t) : t);
        Tensor[] results = StandardOperators.all()
                .find(example.operator())
                .run(eager, new Arguments(example.node(), values, Map.of()));
        for (int i = 0; i < results.length; i++) {
            boolean complex = results[i] != null && results[i].dtype().isComplex();
            results[i] = complex ? seen("view_as_real", results[i]) : results[i];
        }
        return results;
    }

    /** Complex numbers by their parts, or the reverse. */
    private Tensor seen(String view, Tensor t) {
        Node node = new Node(
                view,
                "aten." + view + ".default",
                List.of(new Node.NamedArgument("self", new Argument.Value("t"))),
                List.of(),
                List.of(),
                "");
        return StandardOperators.all()
                .find("aten." + view)
                .run(eager, new Arguments(node, Map.of("t", t), Map.of()))[0];
    }

    /**
     * Gradients of a weighted sum of the results, by input.
     *
     * @param weights of the results' elements; {@code null} ones are left out
     */
    Map<String, double[]> gradients(List<double[]> weights) {
        try (Scope s = eager.open()) {
            Tensor[] results = call();
            List<Tensor> roots = new ArrayList<>();
            List<Tensor> seeds = new ArrayList<>();
            for (int i = 0; i < results.length; i++) {
                if (counts(results[i]) && results[i].requiresGrad()) {
                    Tensor seed = eager.emptyLike(results[i]);
                    backend.write(seed, weights.get(i));
                    roots.add(results[i]);
                    seeds.add(seed);
                }
            }
            new BackwardPass(eager.tape(), new GradientSums(eager))
                    .run(roots.toArray(Tensor[]::new), seeds.toArray(Tensor[]::new));
        }
        Map<String, double[]> out = new LinkedHashMap<>();
        inputs().forEach((name, t) -> {
            out.put(name, t.grad() == null ? null : backend.read(t.grad()));
            eager.setGrad(t, null);
        });
        return out;
    }

    @Override
    public void close() {
        backend.close();
    }
}
