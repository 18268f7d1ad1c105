package dev.headroom.validation.certainty;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.estimator.certainty.Deviations;
import dev.headroom.estimator.predict.Prediction;
import dev.headroom.estimator.predict.Predictor;
import dev.headroom.fixtures.Fixtures;
import dev.headroom.fixtures.Recording;
import dev.headroom.validation.RecordedRun;
import dev.headroom.validation.certainty.CertaintyReport.Intervals;
import dev.headroom.validation.published.LargeHeads;
import dev.headroom.validation.published.XmemReport;
import dev.headroom.validation.published.XmemResult;
import dev.headroom.validation.published.XmemRow;
import dev.headroom.validation.scores.EstimatorScore;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Intervals and probabilities on the published runs, each asked of a calibration that never saw its model. */
class CertaintyTest {
    private static void between(double low, double high, double value, String what) {
        assertTrue(low <= value && value <= high, () -> what + ": " + value);
    }

    @Test
    void nineOfTenIntervalsHoldForModelsThatWereLeftOut() {
        Intervals all = CertaintyReport.intervals(CertaintyReport.LeftOutGroup.MODEL, r -> true);
        assertTrue(all.runs() >= 105, all::toString);
        between(0.87, 0.93, all.coverage(), "all");
        for (String kind : List.of("cnn", "transformer")) {
            Intervals part = CertaintyReport.intervals(
                    CertaintyReport.LeftOutGroup.MODEL, r -> r.kind().equals(kind));
            between(0.85, 0.97, part.coverage(), kind);
        }
    }

    /** What decides whether a run fits is the upper end, of which nothing is made up for measurements. */
    @Test
    void fewMeasurementsLieAboveIntervalsOfModelsAndCardsThatWereLeftOut() {
        assertTrue(CertaintyReport.notAbove(CertaintyReport.LeftOutGroup.MODEL) >= 0.9);
        assertTrue(CertaintyReport.notAbove(CertaintyReport.LeftOutGroup.CARD) >= 0.9);
    }

    @Test
    void nineOfTenIntervalsHoldForCardsThatWereLeftOut() {
        between(
                0.87,
                0.93,
                CertaintyReport.intervals(CertaintyReport.LeftOutGroup.CARD, r -> true)
                        .coverage(),
                "card");
    }

    /** Other cards, other years, PyTorch 0.4 to 1.6: nothing was calibrated with them. */
    @Test
    void intervalsHoldForOtherPublishedSystems() {
        int figures = CertaintyReport.systems().size();
        assertTrue(figures >= 15, () -> "figures " + figures);
        assertTrue(CertaintyReport.covered() >= 0.87 * figures, () -> CertaintyReport.covered() + " of " + figures);
    }

    /** P5's plain model on a V100 failed, although what is predicted of it without workspaces fits. */
    @Test
    void thePublishedFailureThatIsNotPredictedHasARisk() {
        double risk = LargeHeads.full(false, false).verdict().probabilityOom();
        assertTrue(risk >= 0.01, () -> "risk " + risk);
    }

    @Test
    void intervalsAreFarNarrowerThanThoseOfXmemCalibratedAlike() {
        Intervals own = CertaintyReport.intervals(CertaintyReport.LeftOutGroup.MODEL, CertaintyReport.xmemCompares());
        Intervals xmem = CertaintyReport.rivalIntervals("xmem", XmemRow::archive);
        between(0.85, 0.95, xmem.coverage(), "xMem's coverage");
        between(0.85, 0.95, own.coverage(), "coverage of the same runs");
        assertTrue(own.width() <= 0.65 * xmem.width(), () -> own + " against " + xmem);
        assertTrue(own.relative() <= 0.65 * xmem.relative(), () -> own + " against " + xmem);
    }

    @ParameterizedTest
    @ValueSource(strings = {"xmem", "dnnmem", "schedtune", "llmem"})
    void probabilitiesAreBetterThanTheVerdictsOf(String other) {
        double own = Math.max(
                CertaintyReport.brier(CertaintyReport.LeftOutGroup.MODEL),
                CertaintyReport.brier(CertaintyReport.LeftOutGroup.CARD));
        assertTrue(own < CertaintyReport.verdictBrier(other), () -> own + " against " + other + "'s verdicts");
        assertTrue(own < CertaintyReport.calibratedBrier(other), () -> own + " against " + other + ", calibrated");
        assertTrue(own < 0.005, () -> "no worse than it was: " + own);
    }

    @Test
    void noPublishedRunOfLittleRiskRanOutOfMemory() {
        for (MeasuredRun r : MeasuredRun.all()) {
            double p = r.prediction().verdict().probabilityOom();
            assertTrue(!r.row().oom() || p >= 0.01, () -> r.row().name() + ": " + p);
            assertTrue(r.row().oom() || p <= 0.99, () -> r.row().name() + ": " + p);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"cnn-full-b100-limit32g", "resnet50-b32-adamw-limit2900", "resnet50-b32-adamw-limit3200"})
    void noRecordedRunOfLittleRiskRanOutOfMemory(String name) {
        Recording recording = Recording.read(Fixtures.recordings().resolve(name + ".json.gz"));
        RecordedRun run = new RecordedRun(recording);
        Prediction p =
                Predictor.predict(run.request(run.archive(Fixtures.models()).orElseThrow()));
        boolean failed = !recording.root().path("oom").isMissingNode()
                && !recording.root().path("oom").isNull();
        double risk = p.verdict().probabilityOom();
        assertTrue(failed ? risk >= 0.01 : risk <= 0.99, () -> name + ": " + risk);
    }

    /** Without anybody who answers as cuDNN does; {@code XmemTest} has recorded answers. */
    @Test
    void theRulesThatShipAreAsGoodAsAnswers() {
        List<XmemResult> all = MeasuredRun.all().stream()
                .map(r -> XmemResult.of(r.row(), r.prediction()))
                .toList();
        EstimatorScore score = XmemReport.score(all);
        assertTrue(score.median() <= 0.03, score::toString);
        assertTrue(score.verdicts().right() >= 0.98 * score.verdicts().judged(), score::toString);
    }

    /** What ships was made of today's predictions, or of ones as good; its first lines are those of these runs. */
    @Test
    void theCalibrationThatShipsIsThatOfTheseRuns() throws IOException {
        double[] today = MeasuredRun.comparable().stream()
                .mapToDouble(MeasuredRun::deviation)
                .toArray();
        double[] shipped;
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(
                Objects.requireNonNull(Deviations.class.getResourceAsStream("deviations.csv")), UTF_8))) {
            shipped = lines.lines()
                    .filter(line -> !line.startsWith("#"))
                    .limit(today.length)
                    .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(',') + 1)))
                    .toArray();
        }
        assertTrue(Deviations.published().count() >= today.length + 200, "models of fixtures/real");
        assertEquals(
                new Deviations(shipped).margin(0.9),
                new Deviations(today).margin(0.9),
                0.1,
                "run CalibrateDeviations again");
    }
}
