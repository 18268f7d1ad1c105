package dev.headroom.advisor.explain;

import static dev.headroom.model.scenario.ScenarioSettings.ACCUMULATE;
import static dev.headroom.model.scenario.ScenarioSettings.AMP;
import static dev.headroom.model.scenario.ScenarioSettings.BATCH;
import static dev.headroom.model.scenario.ScenarioSettings.CHECKPOINT;
import static dev.headroom.model.scenario.ScenarioSettings.DROP_OUTPUTS;
import static dev.headroom.model.scenario.ScenarioSettings.FUSED;
import static dev.headroom.model.scenario.ScenarioSettings.INFERENCE;
import static dev.headroom.model.scenario.ScenarioSettings.LOSS;
import static dev.headroom.model.scenario.ScenarioSettings.OPTIMIZER;
import static dev.headroom.model.scenario.ScenarioSettings.REENTRANT;
import static dev.headroom.model.scenario.ScenarioSettings.STEPS;
import static dev.headroom.model.scenario.ScenarioSettings.ZERO_GRAD_KEEP;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.estimator.predict.Predictor;
import dev.headroom.model.dsl.Layers;
import dev.headroom.model.dsl.Model;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.scenario.LossKind;
import dev.headroom.model.scenario.OptimizerKind;
import dev.headroom.model.scenario.Scenario;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is said to help does, and what is said not to help does not. */
class ChangesTest {
    private static String sentence(Explanation explanation, String key, String beginning) {
        return Runs.finding(explanation, key).answer().stream()
                .filter(s -> s.startsWith(beginning))
                .findFirst()
                .orElseThrow(() -> new AssertionError(beginning + " is not among what is said under " + key));
    }

    private static Account account(Explanation explanation, String key, String change) {
        return Runs.finding(explanation, key).accounts().stream()
                .filter(a -> a.of().equals(change))
                .findFirst()
                .orElseThrow();
    }

    /**
     * P5: "checkpointing does not reduce memory" (2019): three linear layers of 2 GiB each after small convolutions.
     */
    @Test
    void checkpointingDoesNotHelpWhereWeightsDominate() {
        Explanation explanation =
                Explanation.of(Runs.request("cnn-full", 8, "v100-32gb", null, run -> run.with(LOSS, LossKind.MSE)
                        .with(STEPS, 2)));
        assertTrue(sentence(explanation, "no_help", "Checkpointing blocks").contains("no change"));
        assertTrue(sentence(explanation, "no_help", "Checkpointing each single layer")
                .contains("no change"));
        assertTrue(sentence(explanation, "no_help", "Half the batch").contains("no change"));
        assertTrue(sentence(explanation, "help", "8-bit").contains("50 % less"));
        assertEquals("shortage", explanation.findings().get(0).key());
    }

    @Test
    void figuresAreThoseOfTheChangedRun() {
        PredictionRequest request = Runs.request("gpt2-s512", 4, run -> run.with(ZERO_GRAD_KEEP, true));
        Explanation explanation = Explanation.of(request);
        Scenario less = request.scenario().with(ZERO_GRAD_KEEP, false);
        long peak = Predictor.predict(request.with(less)).peak().allocated();
        boolean helps =
                Runs.finding(explanation, "help").accounts().stream().anyMatch(a -> a.of().equals("set_to_none"));
        assertEquals(
                peak,
                account(explanation, helps ? "help" : "no_help", "set_to_none").bytes());
        Scenario half = request.scenario().with(BATCH, 2L).with(ACCUMULATE, 2);
        assertEquals(
                Predictor.predict(request.with(half)).peak().allocated(),
                account(explanation, "help", "batch").bytes());
    }

    /** P4: the first chunks of a chain whose input requires no gradient get none with re-entrant checkpoints. */
    @Test
    void reentrantCheckpointsThatCutTheGraphArePointedOut() {
        Explanation trap = Explanation.of(
                Runs.request("small/resnet18", 8, run -> run.with(CHECKPOINT, 3).with(REENTRANT, true)));
        assertTrue(sentence(trap, "no_help", "Re-entrant checkpoints").contains("`reentrant=false`"));
        Explanation sound = Explanation.of(
                Runs.request("small/resnet18", 8, run -> run.with(CHECKPOINT, 3).with(REENTRANT, false)));
        assertFalse(Runs.finding(sound, "no_help").answer().stream().anyMatch(s -> s.startsWith("Re-entrant")));
    }

    /** Batch norm before its activation saves its input, which is what a checkpoint around it would keep. */
    @Test
    void onlyWhatIsThereToChangeIsTried() {
        Explanation explanation = Explanation.of(Runs.request("small/resnet18", 8, run -> run.with(AMP, DType.FLOAT16)
                .with(OPTIMIZER, OptimizerKind.SGD)
                .with(FUSED, true)
                .with(DROP_OUTPUTS, true)));
        List<String> all = explanation.findings().stream()
                .filter(f -> f.key().endsWith("help"))
                .flatMap(f -> f.accounts().stream())
                .map(Account::of)
                .toList();
        assertEquals(
                List.of(),
                all.stream()
                        .filter(List.of("amp", "adam8bit", "foreach", "del")::contains)
                        .toList());
        assertTrue(all.contains("batch") && all.contains("checkpoint"));
    }

    @Test
    void aModelThatTakesNothingIsExplained() {
        Graph empty = Model.of("nothing", Layers.relu())
                .input("x", DType.FLOAT32, Model.BATCH, 0)
                .graph();
        Scenario run =
                Scenario.defaults().with(BATCH, 1L).with(LOSS, LossKind.SUM).with(INFERENCE, true);
        Explanation explanation = Explanation.of(new PredictionRequest(empty, run));
        assertTrue(explanation.findings().get(0).answer().get(0).contains("no memory"));
    }
}
