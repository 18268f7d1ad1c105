package dev.headroom.validation.executor;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.headroom.allocator.AllocatorSettings;
import dev.headroom.allocator.CachingAllocator;
import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.estimator.predict.Predictor;
import dev.headroom.executor.kernel.Backend;
import dev.headroom.executor.kernel.NoKernels;
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
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every option of the loop on a perceptron: the allocator stands where it is predicted to stand after each phase. */
class TrainingMemoryTest {
    static Stream<Arguments> runs() {
        Map<String, Consumer<Scenario>> runs = new LinkedHashMap<>();
        for (OptimizerKind kind : List.of(
                OptimizerKind.SGD,
                OptimizerKind.SGD_MOMENTUM,
                OptimizerKind.ADAM,
                OptimizerKind.ADAMW,
                OptimizerKind.RMSPROP,
                OptimizerKind.ADAGRAD,
                OptimizerKind.ADAFACTOR,
                OptimizerKind.NONE)) {
            runs.put(kind.option(), r -> r.optimizer = kind);
            runs.put(kind.option() + " amp fp16", r -> {
                r.optimizer = kind;
                r.amp = DType.FLOAT16;
            });
        }
        runs.put("amp bf16", r -> r.amp = DType.BFLOAT16);
        runs.put("amp fp16 fused", r -> {
            r.amp = DType.FLOAT16;
            r.fused = true;
        });
        runs.put("amp fp16 in three parts", r -> {
            r.amp = DType.FLOAT16;
            r.accumulate = 3;
        });
        runs.put("bf16", r -> r.dtype = DType.BFLOAT16);
        runs.put("fp16", r -> r.dtype = DType.FLOAT16);
        runs.put("in two parts", r -> r.accumulate = 2);
        runs.put("in two parts, outputs dropped", r -> {
            r.accumulate = 2;
            r.dropOutputs = true;
        });
        runs.put("kept gradients", r -> r.zeroGradKeep = true);
        runs.put("for-loop", r -> r.foreach = Scenario.Foreach.FALSE);
        runs.put("fused", r -> r.fused = true);
        runs.put("dropped outputs", r -> r.dropOutputs = true);
        runs.put("input gradient", r -> r.inputGrad = true);
        runs.put("sum", r -> r.loss = LossKind.SUM);
        runs.put("sum amp fp16", r -> {
            r.loss = LossKind.SUM;
            r.amp = DType.FLOAT16;
        });
        runs.put("inference", r -> r.inference = true);
        runs.put("inference amp", r -> {
            r.inference = true;
            r.amp = DType.BFLOAT16;
        });
        return runs.entrySet().stream().map(e -> Arguments.of(e.getKey(), e.getValue()));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("runs")
    void phasesEndAsPredicted(String name, Consumer<Scenario> options) {
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
        Scenario run = new Scenario();
        run.batch = 400L;
        run.loss = LossKind.MSE;
        options.accept(run);
        var gpu = GpuCatalogue.find("h200").orElseThrow();
        var predicted = Predictor.simulate(new PredictionRequest(graph, run, gpu, null, 0, null)).phases().stream()
                .map(p -> p.phase() + " " + p.step() + " " + p.micro() + ": " + p.allocated() + " " + p.maxAllocated()
                        + " " + p.reserved())
                .toList();
        List<String> measured = new ArrayList<>();
        try (Backend none = NoKernels.over(1L << 38)) {
            Eager eager = new Eager(
                    new CachingAllocator(AllocatorSettings.defaults(), none.memory()),
                    none,
                    new Settings(gpu, run.attention, 1));
            Training training = new Training(
                    eager,
                    graph,
                    run,
                    p -> measured.add(p.phase() + " " + p.step() + " " + p.micro() + ": " + p.allocated() + " "
                            + p.maxAllocated() + " " + p.reserved()));
            training.prepare((input, t) -> {});
            training.run();
        }
        assertEquals(String.join("\n", predicted), String.join("\n", measured));
    }
}
