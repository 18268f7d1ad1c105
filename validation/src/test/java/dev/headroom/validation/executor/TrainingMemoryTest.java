package dev.headroom.validation.executor;

import static dev.headroom.model.scenario.ScenarioSettings.ACCUMULATE;
import static dev.headroom.model.scenario.ScenarioSettings.AMP;
import static dev.headroom.model.scenario.ScenarioSettings.BATCH;
import static dev.headroom.model.scenario.ScenarioSettings.DROP_OUTPUTS;
import static dev.headroom.model.scenario.ScenarioSettings.DTYPE;
import static dev.headroom.model.scenario.ScenarioSettings.FOREACH;
import static dev.headroom.model.scenario.ScenarioSettings.FUSED;
import static dev.headroom.model.scenario.ScenarioSettings.INFERENCE;
import static dev.headroom.model.scenario.ScenarioSettings.INPUT_GRAD;
import static dev.headroom.model.scenario.ScenarioSettings.LOSS;
import static dev.headroom.model.scenario.ScenarioSettings.OPTIMIZER;
import static dev.headroom.model.scenario.ScenarioSettings.ZERO_GRAD_KEEP;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.headroom.allocator.AllocatorSettings;
import dev.headroom.allocator.CachingAllocator;
import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.estimator.predict.Predictor;
import dev.headroom.executor.kernel.Backend;
import dev.headroom.executor.kernel.NoKernels;
import dev.headroom.executor.program.Preparation;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.runtime.Settings;
import dev.headroom.executor.train.Training;
import dev.headroom.model.device.GpuCatalogue;
import dev.headroom.model.dsl.Layers;
import dev.headroom.model.dsl.Model;
import dev.headroom.model.dsl.Sequential;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.scenario.LossKind;
import dev.headroom.model.scenario.OptimizerKind;
import dev.headroom.model.scenario.Scenario;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every option of the loop on a perceptron: the allocator stands where it is predicted to stand after each phase. */
class TrainingMemoryTest {
    static Stream<Arguments> runs() {
        Map<String, UnaryOperator<Scenario>> runs = new LinkedHashMap<>();
        for (OptimizerKind kind : List.of(
                OptimizerKind.SGD,
                OptimizerKind.SGD_MOMENTUM,
                OptimizerKind.ADAM,
                OptimizerKind.ADAMW,
                OptimizerKind.RMSPROP,
                OptimizerKind.ADAGRAD,
                OptimizerKind.ADAFACTOR,
                OptimizerKind.NONE)) {
            runs.put(kind.option(), r -> r.with(OPTIMIZER, kind));
            runs.put(kind.option() + " amp fp16", r -> r.with(OPTIMIZER, kind).with(AMP, DType.FLOAT16));
        }
        runs.put("amp bf16", r -> r.with(AMP, DType.BFLOAT16));
        runs.put("amp fp16 fused", r -> r.with(AMP, DType.FLOAT16).with(FUSED, true));
        runs.put("amp fp16 in three parts", r -> r.with(AMP, DType.FLOAT16).with(ACCUMULATE, 3));
        runs.put("bf16", r -> r.with(DTYPE, DType.BFLOAT16));
        runs.put("fp16", r -> r.with(DTYPE, DType.FLOAT16));
        runs.put("in two parts", r -> r.with(ACCUMULATE, 2));
        runs.put("in two parts, outputs dropped", r -> r.with(ACCUMULATE, 2).with(DROP_OUTPUTS, true));
        runs.put("kept gradients", r -> r.with(ZERO_GRAD_KEEP, true));
        runs.put("for-loop", r -> r.with(FOREACH, Scenario.Foreach.FALSE));
        runs.put("fused", r -> r.with(FUSED, true));
        runs.put("dropped outputs", r -> r.with(DROP_OUTPUTS, true));
        runs.put("input gradient", r -> r.with(INPUT_GRAD, true));
        runs.put("sum", r -> r.with(LOSS, LossKind.SUM));
        runs.put("sum amp fp16", r -> r.with(LOSS, LossKind.SUM).with(AMP, DType.FLOAT16));
        runs.put("inference", r -> r.with(INFERENCE, true));
        runs.put("inference amp", r -> r.with(INFERENCE, true).with(AMP, DType.BFLOAT16));
        return runs.entrySet().stream().map(e -> Arguments.of(e.getKey(), e.getValue()));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("runs")
    void phasesEndAsPredicted(String name, UnaryOperator<Scenario> options) {
        Graph graph = Model.of(
                        "mlp",
                        Sequential.of(
                                Layers.linear(300, 700),
                                Layers.relu(),
                                Layers.linear(700, 900),
                                Layers.tanh(),
                                Layers.linear(900, 11)))
                .input("x", DType.FLOAT32, Model.BATCH, 300)
                .graph();
        Scenario run = options.apply(Scenario.defaults().with(BATCH, 400L).with(LOSS, LossKind.MSE));
        var gpu = GpuCatalogue.find("h200").orElseThrow();
        var predicted = Predictor.simulate(new PredictionRequest(graph, run.on(gpu))).phases().stream()
                .map(p -> p.phase() + " " + p.step() + " " + p.micro() + ": " + p.allocated() + " " + p.maxAllocated()
                        + " " + p.reserved())
                .toList();
        List<String> measured = new ArrayList<>();
        try (Backend none = NoKernels.over(1L << 38)) {
            Eager eager = new Eager(
                    new CachingAllocator(AllocatorSettings.defaults(), none.memory()),
                    none,
                    new Settings(gpu, run.kernels().attention(), 1));
            Training training = new Training(
                    eager,
                    Preparation.of(graph, run),
                    p -> measured.add(p.phase() + " " + p.step() + " " + p.micro() + ": " + p.allocated() + " "
                            + p.maxAllocated() + " " + p.reserved()));
            training.prepare((input, t) -> {});
            training.run();
        }
        assertEquals(String.join("\n", predicted), String.join("\n", measured));
    }
}
