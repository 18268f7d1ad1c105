package dev.headroom.executor.parallel;

import static dev.headroom.model.scenario.ScenarioSettings.LOSS;
import static dev.headroom.model.scenario.ScenarioSettings.OPTIMIZER;
import static dev.headroom.model.scenario.ScenarioSettings.STEPS;

import dev.headroom.allocator.AllocatorSettings;
import dev.headroom.allocator.CachingAllocator;
import dev.headroom.executor.host.HostBackend;
import dev.headroom.executor.parallel.fsdp2.FullyShard;
import dev.headroom.executor.parallel.pipeline.PipelineTraining;
import dev.headroom.executor.program.Preparation;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.runtime.Settings;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.executor.train.Training;
import dev.headroom.executor.train.Wrapper;
import dev.headroom.model.device.GpuCatalogue;
import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Layers;
import dev.headroom.model.dsl.Model;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Sequential;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.parallel.Parallelism;
import dev.headroom.model.run.PreparedRun;
import dev.headroom.model.scenario.LossKind;
import dev.headroom.model.scenario.OptimizerKind;
import dev.headroom.model.scenario.Scenario;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A small model with blocks that learns, alone or on several ranks. */
final class Learning {
    /** Rows of the batch that a rank has. */
    static final long SHARE = 3;

    private static final Graph MODEL = Model.of("blocks", new Blocks())
            .input("x", DType.FLOAT32, Model.BATCH, 5)
            .graph();

    private Learning() {}

    private static final class Blocks extends Layer {
        private final Layer first = child("first", Layers.linear(5, 17));
        private final Layer blocks = child(
                "blocks",
                Sequential.of(
                        Sequential.of(Layers.linear(17, 20), Layers.layerNorm(20), Layers.tanh()),
                        Sequential.of(Layers.linear(20, 13), Layers.gelu(), Layers.linear(13, 20)),
                        Sequential.of(Layers.linear(20, 9), Layers.tanh())));
        private final Layer head = child("head", Layers.linear(9, 4));

        @Override
        protected Value forward(Scope scope, Value... inputs) {
            return scope.call(head, scope.call(blocks, scope.call(first, inputs[0])));
        }
    }

    /** What a run has come to: the last loss, and gradients and weights as far as the rank has them. */
    record Result(double loss, Map<String, double[]> gradients, Map<String, double[]> weights) {}

    static Scenario run() {
        return Scenario.defaults().with(STEPS, 4).with(LOSS, LossKind.MSE).with(OPTIMIZER, OptimizerKind.SGD_MOMENTUM);
    }

    static Scenario alone(Scenario run) {
        return run.withParallel(Parallelism.DEFAULTS);
    }

    private static Eager eager(HostBackend host, Scenario run, long seed) {
        Settings settings = new Settings(
                GpuCatalogue.find("h200").orElseThrow(), run.kernels().attention(), seed);
        return new Eager(new CachingAllocator(AllocatorSettings.defaults(), host.memory()), host, settings);
    }

    /** A rank of a pipeline, with the mean of the last step's losses where it has the last stage. */
    static Result trainStages(Scenario run, ProcessGroup group) {
        try (HostBackend host = new HostBackend(1L << 30)) {
            Eager eager = eager(host, run, 1);
            List<Double> losses = new ArrayList<>();
            try (eager;
                    PipelineTraining training =
                            new PipelineTraining(eager, MODEL, Preparation.of(MODEL, run), group, phase -> {})) {
                training.onLoss(losses::add);
                training.prepare((name, t) -> host.write(t, rows(name, 0, t)));
                training.run();
                Map<String, double[]> gradients = new LinkedHashMap<>();
                Map<String, double[]> weights = new LinkedHashMap<>();
                training.models().forEach(model -> model.parameters().forEach((name, p) -> {
                    gradients.put(name, host.read(p.grad()));
                    weights.put(name, host.read(p));
                }));
                int last = run.parallel().pipeline().microbatches();
                double loss = losses.stream()
                        .skip(Math.max(0, losses.size() - last))
                        .mapToDouble(l -> l)
                        .average()
                        .orElse(Double.NaN);
                return new Result(loss, gradients, weights);
            }
        }
    }

    /** What makes ranks of a model learn together. */
    interface Wrapping {
        Wrapper of(Eager eager, PreparedRun prepared, ProcessGroup group);
    }

    /** @param group {@code null} for a device that has all of the batch */
    static Result train(Scenario run, ProcessGroup group) {
        return train(
                MODEL, run, group, 1, (e, p, g) -> new FullyShard(e, p.plan().graph(), run, g));
    }

    /**
     * A rank, or a device that has all of the batch.
     *
     * @param group {@code null} for such a device
     * @param seed of the rank's first weights
     */
    static Result train(Graph model, Scenario run, ProcessGroup group, long seed, Wrapping wrapping) {
        int rank = group == null ? 0 : group.rank();
        try (HostBackend host = new HostBackend(1L << 30)) {
            Eager eager = eager(host, run, seed);
            PreparedRun prepared = Preparation.of(model, run);
            Wrapper wrapper = group == null ? null : wrapping.of(eager, prepared, group);
            try (eager;
                    Training training = new Training(eager, prepared, phase -> {}, wrapper)) {
                training.prepare((name, t) -> host.write(t, rows(name, rank * SHARE, t)));
                training.run();
                Map<String, double[]> gradients = new LinkedHashMap<>();
                Map<String, double[]> weights = new LinkedHashMap<>();
                training.model().parameters().forEach((name, p) -> {
                    gradients.put(name, host.read(p.grad()));
                    weights.put(name, host.read(p));
                });
                return new Result(training.loss(), gradients, weights);
            }
        }
    }

    /** Rows of the whole batch. */
    private static double[] rows(String name, long first, Tensor t) {
        double[] out = new double[(int) t.elements()];
        int width = (int) (t.elements() / t.size(0));
        for (int i = 0; i < out.length; i++) {
            out[i] = Math.sin(name.hashCode() % 100 + 7 * (first * width + i));
        }
        return out;
    }
}
