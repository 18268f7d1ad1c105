package dev.headroom.validation;

import static dev.headroom.model.scenario.ScenarioSettings.BATCH;
import static dev.headroom.model.scenario.ScenarioSettings.CHECKPOINT;
import static dev.headroom.model.scenario.ScenarioSettings.CHECKPOINT_MODULES;
import static dev.headroom.model.scenario.ScenarioSettings.CUDNN_WORKSPACE;
import static dev.headroom.model.scenario.ScenarioSettings.DROP_OUTPUTS;
import static dev.headroom.model.scenario.ScenarioSettings.INPUT_GRAD;
import static dev.headroom.model.scenario.ScenarioSettings.OPTIMIZER;
import static dev.headroom.model.scenario.ScenarioSettings.REENTRANT;
import static dev.headroom.model.scenario.ScenarioSettings.STEPS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.estimator.log.Category;
import dev.headroom.estimator.log.EventLog;
import dev.headroom.estimator.predict.Prediction;
import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.estimator.predict.Predictor;
import dev.headroom.fixtures.Fixtures;
import dev.headroom.fixtures.Recording;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.importer.Importers;
import dev.headroom.model.run.Phase;
import dev.headroom.model.scenario.CudnnWorkspace;
import dev.headroom.model.scenario.OptimizerKind;
import dev.headroom.model.scenario.Scenario;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Activation checkpointing against recordings, and what it leaves alone. */
class CheckpointingTest {
    static Stream<String> recordings() {
        return Fixtures.recordings(Fixtures.recordings()).stream()
                .map(f -> f.getFileName().toString())
                .filter(name -> name.contains("-ckpt"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("recordings")
    void everyPhaseAllocatesExactlyAsMuch(String file) {
        Recording recording = Recording.read(Fixtures.recordings().resolve(file));
        RecordedRun run = new RecordedRun(recording);
        Prediction p =
                Predictor.predict(run.request(run.archive(Fixtures.models()).orElseThrow()));
        Comparison comparison = Comparison.of(recording, p);
        assertEquals("", comparison.structure());
        for (Comparison.Row row : comparison.rows()) {
            assertTrue(row.exact(), row::difference);
        }
        // Autocast frees its casts in an order that depends on host addresses, in PyTorch too.
        double tolerance = run.training().precision().amp() == null ? 0 : 0.001;
        assertTrue(comparison.worstReserved() <= tolerance, comparison::firstDivergence);
    }

    private static PredictionRequest request(String model, Scenario run) {
        Graph graph = Importers.read(Fixtures.models().resolve(model + ".pt2"));
        return new PredictionRequest(
                graph,
                run.with(BATCH, 2L)
                        .with(STEPS, 2)
                        .with(OPTIMIZER, OptimizerKind.ADAM)
                        .with(CUDNN_WORKSPACE, CudnnWorkspace.NONE)
                        .with(DROP_OUTPUTS, true));
    }

    private static Prediction predict(String model, Scenario run) {
        return Predictor.predict(request(model, run));
    }

    /** What the last forward pass leaves alive. Peaks are no such law: small batches peak in the optimizer. */
    private static long forward(Prediction p) {
        return p.phases().stream()
                .filter(s -> s.phase() == Phase.FORWARD)
                .reduce((a, b) -> b)
                .orElseThrow()
                .allocated();
    }

    /** Requested bytes by category when the run is over. */
    private static Map<Category, Long> left(String model, Scenario run) {
        EventLog log = Predictor.simulate(request(model, run)).log();
        Category[] alive = log.aliveAfter(log.size());
        Map<Category, Long> out = new EnumMap<>(Category.class);
        for (int i = 0; i < alive.length; i++) {
            if (alive[i] != null) {
                out.merge(alive[i], log.requested(i), Long::sum);
            }
        }
        return out;
    }

    @ParameterizedTest
    @CsvSource({
        "resnet18-i224, 3, true",
        "vgg16-i224, 2, false",
        "vit_b_16-i224, 4, true",
        "gpt2-s512, 1, false",
        "gpt2-s512, 1, true"
    })
    void recomputationLeavesNothingBehind(String model, int segments, boolean reentrant) {
        Scenario plain = Scenario.defaults().with(INPUT_GRAD, true);
        Scenario less = plain.with(CHECKPOINT, segments).with(REENTRANT, reentrant);
        assertEquals(left(model, plain), left(model, less));
        Prediction p = predict(model, less);
        assertTrue(forward(p) < forward(predict(model, plain)));
        assertTrue(p.warnings().stream().noneMatch(w -> w.contains("re-entrant")));
    }

    @Test
    void aModelThatIsNoChainIsRefused() {
        Scenario run = Scenario.defaults().with(CHECKPOINT, 2);
        UserInputException e = assertThrows(UserInputException.class, () -> predict("unet-i256", run));
        assertTrue(e.getMessage().contains("`checkpoint_modules`"), e.getMessage());
    }

    @Test
    void patternsFindTheLayersThatTheLibrarySwitchFinds() {
        Scenario byPattern = Scenario.defaults().with(CHECKPOINT_MODULES, List.of("transformer.h.*"));
        Scenario bySwitch = Scenario.defaults().with(CHECKPOINT, 1);
        assertEquals(
                predict("gpt2-s512", bySwitch).phases(),
                predict("gpt2-s512", byPattern).phases());
    }

    @Test
    void lostGradientsAreSaid() {
        Scenario run = Scenario.defaults().with(CHECKPOINT, 4).with(REENTRANT, true);
        Prediction p = predict("resnet18-i224", run);
        assertTrue(p.warnings().stream().anyMatch(w -> w.contains("in 3 checkpoints none of the inputs")));
    }
}
