package dev.headroom.advisor.explain;

import static dev.headroom.model.scenario.ScenarioSettings.COMPILE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.model.importer.Importers;
import dev.headroom.model.scenario.Scenario;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** What is said of compiled runs. */
class CompiledFindingTest {
    private static final Path PLANS = Path.of("../../fixtures/recordings/compile");

    private static Finding plan(String file) {
        return Runs.finding(
                Explanation.of(new PredictionRequest(Importers.read(PLANS.resolve(file)), Scenario.defaults())),
                "compiled");
    }

    private static Account account(Finding finding, String of) {
        return finding.accounts().stream()
                .filter(a -> a.of().equals(of))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void channelsLastCopiesOfWeightsAreNamed() {
        Account kept = account(plan("plans/resnet18-b32-adamw.json.gz"), "kept by compiled graphs");
        // 11 166 912 weights of convolutions with kernels larger than 1, and the images: 32 x 3 x 224 x 224.
        long weights = 11_166_912L - 172_032;
        assertEquals(
                4 * (weights + 32 * 3 * 224 * 224), Runs.part(kept, "copies of weights and inputs in another layout"));
    }

    @Test
    void scoresBesideTheLossCostZeros() {
        Finding finding = plan("plans/bert-base-b16-256-adamw.json.gz");
        assertEquals(
                16L * 256 * 30522 * 4,
                account(finding, "results that the loss does not use").bytes());
        assertTrue(String.join(" ", finding.answer()).contains("returns only the loss"), finding::toString);
    }

    @Test
    void aRunFromTheArchiveIsComparedWithEagerMode() {
        Finding finding = Runs.finding(
                Explanation.of(Runs.request("small/resnet18", 4, run -> run.with(COMPILE, true))), "compiled");
        Account peak = account(finding, "peak");
        assertEquals(peak.bytes(), Runs.part(peak, "eager mode") + Runs.part(peak, "change"));
        assertTrue(finding.question().endsWith("beside eager mode?"));
    }
}
