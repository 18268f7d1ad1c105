package dev.headroom.advisor.explain;

import static dev.headroom.model.scenario.ScenarioSettings.ACCUMULATE;
import static dev.headroom.model.scenario.ScenarioSettings.ALLOC_CONF;
import static dev.headroom.model.scenario.ScenarioSettings.AMP;
import static dev.headroom.model.scenario.ScenarioSettings.CHECKPOINT;
import static dev.headroom.model.scenario.ScenarioSettings.INFERENCE;
import static dev.headroom.model.scenario.ScenarioSettings.STEPS;
import static dev.headroom.model.scenario.ScenarioSettings.ZERO_GRAD_KEEP;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.estimator.log.Category;
import dev.headroom.estimator.predict.Prediction;
import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.estimator.timeline.PlayedRun;
import dev.headroom.model.graph.DType;
import dev.headroom.model.run.OutOfMemory;
import dev.headroom.model.run.Phase;
import dev.headroom.model.scenario.Scenario;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever the run, an explanation's numbers are those of the prediction. */
class ExplanationLawsTest {
    private static final Map<String, UnaryOperator<Scenario>> SCENARIOS = new TreeMap<>(Map.of(
            "plain", UnaryOperator.identity(),
            "one step", run -> run.with(STEPS, 1),
            "accumulate", run -> run.with(ACCUMULATE, 3),
            "amp", run -> run.with(AMP, DType.FLOAT16),
            "inference", run -> run.with(INFERENCE, true),
            "keep", run -> run.with(ZERO_GRAD_KEEP, true),
            "checkpoint", run -> run.with(CHECKPOINT, 4),
            "expandable", run -> run.with(ALLOC_CONF, "expandable_segments:True")));

    private static void holds(PredictionRequest request, String what) {
        Explanation explanation = Explanation.of(PlayedRun.of(request));
        Prediction p = explanation.run().prediction();
        List<Account> peak = Runs.finding(explanation, "peak").accounts();
        assertEquals(p.peak().allocated(), peak.get(0).bytes(), what);
        assertEquals(p.peak().allocated(), peak.get(1).bytes(), what);
        assertEquals(p.rounding(), Runs.part(peak.get(0), "rounding"), what);
        for (Category c : Category.values()) {
            assertEquals(p.atPeak().get(c), Runs.part(peak.get(0), Words.category(c)), what + " " + c);
        }
        for (Account account : Runs.finding(explanation, "alive").accounts()) {
            String name = account.of().replace(" at the peak", "");
            assertEquals(Runs.part(peak.get(0), name), account.bytes(), what + " " + name);
        }
        assertEquals(
                p.peak().device(),
                Runs.finding(explanation, "device").accounts().get(0).bytes(),
                what);
        List<Account> fragments = Runs.finding(explanation, "fragmentation").accounts();
        assertEquals(p.peak().allocated() + p.cachedFree(), fragments.get(0).bytes(), what);
        assertEquals(p.cachedFree(), fragments.get(1).bytes(), what);
        for (Finding f : explanation.findings()) {
            assertFalse(f.answer().isEmpty(), what + " " + f.key());
            for (Account account : f.accounts()) {
                long sum =
                        account.parts().stream().mapToLong(Account.Part::bytes).sum();
                assertEquals(account.bytes(), sum, what + " " + account.of());
            }
        }
    }

    @Test
    void numbersAreThoseOfThePrediction() {
        SCENARIOS.forEach((name, options) -> holds(Runs.request("mlp-xor", 1000, options), name));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"small/resnet18:accumulate", "small/gpt2:amp", "small/gpt2:inference", "small/gpt2:checkpoint"})
    void soTheyAreOfOtherModels(String model) {
        String[] parts = model.split(":");
        holds(Runs.request(parts[0], 2, SCENARIOS.get(parts[1])), model);
    }

    @Test
    void phasesAddUpToWhatThePredictionSays() {
        Explanation explanation = Explanation.of(Runs.request("small/resnet50", 4, UnaryOperator.identity()));
        Prediction p = explanation.run().prediction();
        int step = p.peak().moment().step();
        long before = allocated(p, Phase.ZERO_GRAD, step);
        long forward = allocated(p, Phase.FORWARD, step);
        assertEquals(
                forward - before,
                Runs.finding(explanation, "forward").accounts().get(0).bytes());
        assertEquals(
                allocated(p, Phase.OPTIMIZER, 0) - allocated(p, Phase.INPUTS, null),
                Runs.finding(explanation, "remains").accounts().get(0).bytes());
    }

    private static long allocated(Prediction p, Phase phase, Integer step) {
        return p.phases().stream()
                .filter(s -> s.phase() == phase && java.util.Objects.equals(s.step(), step))
                .findFirst()
                .orElseThrow()
                .allocated();
    }

    @Test
    void partsMustAddUp() {
        List<Account.Part> parts = List.of(new Account.Part("a", 3), new Account.Part("b", -1));
        assertEquals(2, new Account("sum", 2, parts).bytes());
        assertThrows(IllegalArgumentException.class, () -> new Account("sum", 3, parts));
    }

    @Test
    void saysWhereMemoryRanOut() {
        PredictionRequest request = Runs.request("resnet50-i224", 64, "v100-16gb", 3L << 30, UnaryOperator.identity());
        Explanation explanation = Explanation.of(request);
        OutOfMemory oom = explanation.run().prediction().oom();
        assertNotNull(oom);
        Finding shortage = explanation.findings().get(0);
        assertEquals("shortage", shortage.key());
        String first = shortage.answer().get(0);
        assertTrue(first.contains(oom.phase().label()) && first.contains(oom.module()), first);
        assertTrue(first.contains(Words.size(oom.requested())), first);
        Account memory = shortage.accounts().get(0);
        long left = Runs.part(memory, "not taken yet") + Runs.part(memory, "free segments");
        assertTrue(left < oom.requested(), left + " bytes were left for " + oom.requested());
        assertEquals(request.device().gpu().memory(), memory.bytes());
        // With room to spare, the run is the one without the limit.
        Prediction free = PlayedRun.of(request.unbounded()).prediction();
        assertEquals(
                free.peak().allocated(),
                Runs.finding(explanation, "peak").accounts().get(0).bytes());
    }

    @Test
    void whatFailedInAFunctionWasStillThere() {
        PredictionRequest request = Runs.request("mlp-xor", 1000, "v100-16gb", 150L << 20, UnaryOperator.identity());
        Explanation explanation = Explanation.of(request);
        OutOfMemory oom = explanation.run().prediction().oom();
        assertEquals(Phase.OPTIMIZER, oom.phase());
        Account memory = explanation.findings().get(0).accounts().get(0);
        long left = Runs.part(memory, "not taken yet") + Runs.part(memory, "free segments");
        assertTrue(left < oom.requested(), left + " bytes were left for " + oom.requested());
    }

    @Test
    void aLimitNeedsNoDevice() {
        Explanation explanation =
                Explanation.of(Runs.request("resnet50-i224", 64, null, 3L << 30, UnaryOperator.identity()));
        Account memory = explanation.findings().get(0).accounts().get(0);
        assertEquals(3L << 30, memory.bytes());
    }
}
