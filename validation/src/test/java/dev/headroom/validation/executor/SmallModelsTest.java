package dev.headroom.validation.executor;

import static dev.headroom.model.scenario.ScenarioSettings.ACCUMULATE;
import static dev.headroom.model.scenario.ScenarioSettings.AMP;
import static dev.headroom.model.scenario.ScenarioSettings.BATCH;
import static dev.headroom.model.scenario.ScenarioSettings.CHECKPOINT;
import static dev.headroom.model.scenario.ScenarioSettings.CHECKPOINT_MODULES;
import static dev.headroom.model.scenario.ScenarioSettings.CUDNN_WORKSPACE;
import static dev.headroom.model.scenario.ScenarioSettings.LOSS;
import static dev.headroom.model.scenario.ScenarioSettings.OPTIMIZER;
import static dev.headroom.model.scenario.ScenarioSettings.STEPS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.app.measure.Comparison;
import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.estimator.predict.Predictor;
import dev.headroom.executor.host.HostBackend;
import dev.headroom.executor.kernel.Backend;
import dev.headroom.executor.measure.Measurement;
import dev.headroom.executor.measure.MeasurementRequest;
import dev.headroom.executor.measure.Measurer;
import dev.headroom.fixtures.Fixtures;
import dev.headroom.model.device.Gpu;
import dev.headroom.model.device.GpuCatalogue;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.importer.Importers;
import dev.headroom.model.scenario.CudnnWorkspace;
import dev.headroom.model.scenario.LossKind;
import dev.headroom.model.scenario.OptimizerKind;
import dev.headroom.model.scenario.Scenario;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Whole architectures at small sizes, computed on the host: every phase takes what was predicted, to the byte, and the
 * models learn the batch that they are shown again and again.
 */
class SmallModelsTest {
    private static final Gpu GPU = GpuCatalogue.find("h200").orElseThrow();
    private static final long MEMORY = 8L << 30;

    /** With the Maven profile {@code night}: all variants of all models. */
    private static final boolean NIGHT = Boolean.getBoolean("headroom.test.night");

    /** Models of which one variant has to do by day. */
    private static final Map<String, String> DEEP =
            Map.of("resnet50", "amp bf16", "vgg16", "in two parts", "densenet169", "two checkpoints");

    @ParameterizedTest
    @CsvSource({
        "mlp-xor, 8, 120",
        "cnn-small, 4, 4",
        "resnet18, 4, 3",
        "resnet50, 4, 5",
        "vgg16, 2, 12",
        "densenet169, 4, 3",
        "unet, 2, 4",
        "vit_b_16, 4, 3",
        "gpt2, 4, 6",
        "bert-base, 4, 14",
    })
    void learns(String model, long batch, int steps) {
        Scenario run = run(model, batch, steps);
        List<Double> losses = asPredicted(model, run).losses();
        assertEquals(steps, losses.size());
        assertTrue(Collections.min(losses) < 0.9 * losses.get(0), losses::toString);
    }

    @ParameterizedTest
    @MethodSource("variants")
    void variantsTakeWhatIsPredicted(String model, String variant, UnaryOperator<Scenario> option) {
        Scenario run = option.apply(run(model, 2, 2));
        if (model.equals("unet") && run.checkpointing().segments() > 0) { // its skips leave no chain to split
            run = run.with(CHECKPOINT, 0).with(CHECKPOINT_MODULES, List.of("down.*"));
        }
        asPredicted(model, run);
    }

    @Test
    void runsOfSiblingsUnderOneCheckpointTakeWhatIsPredicted() {
        Scenario run = run("vgg16", 2, 2)
                .with(CHECKPOINT_MODULES, List.of("features.0..features.4", "features.5..features.9", "features.16"));
        asPredicted("vgg16", run);
    }

    static Stream<Arguments> variants() {
        Map<String, UnaryOperator<Scenario>> variants = new LinkedHashMap<>();
        variants.put("amp bf16", r -> r.with(AMP, DType.BFLOAT16));
        variants.put("in two parts", r -> r.with(ACCUMULATE, 2));
        variants.put("two checkpoints", r -> r.with(CHECKPOINT, 2));
        return Stream.of(
                        "mlp-xor",
                        "cnn-small",
                        "resnet18",
                        "resnet50",
                        "vgg16",
                        "densenet169",
                        "unet",
                        "vit_b_16",
                        "gpt2",
                        "bert-base")
                .flatMap(m -> variants.keySet().stream()
                        .filter(v -> NIGHT || DEEP.getOrDefault(m, v).equals(v))
                        .map(v -> Arguments.of(m, v, variants.get(v))));
    }

    private static Scenario run(String model, long batch, int steps) {
        Scenario run = Scenario.defaults()
                .with(BATCH, batch)
                .with(STEPS, steps)
                .with(OPTIMIZER, OptimizerKind.ADAMW)
                .with(CUDNN_WORKSPACE, CudnnWorkspace.NONE);
        if (model.equals("cnn-small")) {
            run = run.with(LOSS, LossKind.MSE);
        }
        return run;
    }

    private static Measurement asPredicted(String model, Scenario run) {
        Graph graph = Importers.read(Fixtures.models().resolve("small").resolve(model + ".pt2"));
        try (Backend host = new HostBackend(MEMORY)) {
            Measurement measured = Measurer.measure(new MeasurementRequest(graph, run.on(GPU), 1, true), host);
            Comparison compared = Comparison.of(Predictor.predict(new PredictionRequest(graph, run.on(GPU))), measured);
            assertTrue(compared.equal(), () -> compared.different().stream()
                    .map(p -> p.title() + "\n  predicted " + p.predicted() + "\n  measured  " + p.measured())
                    .collect(Collectors.joining("\n")));
            measured.losses().forEach(l -> assertTrue(Double.isFinite(l), measured.losses()::toString));
            return measured;
        }
    }
}
