package dev.headroom.validation.published;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.estimator.predict.DeviceMemory;
import dev.headroom.estimator.predict.Prediction;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** What others measured and published, held to the bars that were reached. */
class PublishedSystemsTest {
    private static final List<Figure> PERCEPTRONS = Stream.of(Perceptron.figures(), HandPlaced.figures())
            .flatMap(List::stream)
            .toList();

    private static void within(double bar, List<Figure> figures) {
        assertFalse(figures.isEmpty());
        Stream<Executable> checks = figures.stream().map(f -> () -> assertTrue(Math.abs(f.error()) <= bar, f::row));
        assertAll(checks);
    }

    /** Figures of the perceptron with checkpoints that PyTorch or the article's author placed. */
    private static List<Figure> perceptrons(String figure) {
        List<Figure> those =
                PERCEPTRONS.stream().filter(f -> f.what().endsWith(figure)).toList();
        assertEquals(13, those.size());
        return those;
    }

    /** Published in whole MiB, cut; the input's gradient lay in host memory there. */
    @Test
    void thePerceptronsPeaksAreExactButForTheInputsGradient() {
        for (Figure f : perceptrons("max allocated")) {
            double gradient = 100_000 * 2 * (f.what().contains("fp16") ? 2 : 4) / (double) (1 << 20);
            assertEquals(f.published(), Math.floor(f.predicted() - gradient), f::row);
        }
    }

    @Test
    void whatPerceptronsLeaveIsExact() {
        perceptrons("after").forEach(f -> assertEquals(f.published(), Math.floor(f.predicted()), f::row));
    }

    @Test
    void nvidiaSmiShowsReservedMemoryAndOneConstant() {
        perceptrons("nvidia-smi").forEach(f -> assertEquals(f.published(), f.predicted(), 0.01, f::row));
    }

    @Test
    void eightSegmentsAreBest() {
        SortedMap<Integer, Long> curve = Perceptron.curve();
        assertEquals(8, Perceptron.best());
        assertTrue(curve.get(2) > curve.get(4) && curve.get(4) > curve.get(8), curve::toString);
        assertTrue(curve.get(8) < curve.get(10) && curve.get(10) < curve.get(16), curve::toString);
    }

    @Test
    void thePlainPerceptronFailsAtTheSameRequest() {
        assertEquals(382L << 20, Perceptron.plain().oom().requested());
    }

    @Test
    void everyLayerOfTheLogIsExact() {
        LayerLog.figures().forEach(f -> assertEquals(f.published(), Math.rint(f.predicted()), f::row));
    }

    /**
     * Published: checkpoints and mixed precision together take about a fifth, which the first chunks pay with
     * gradients.
     */
    @Test
    void chunksAndMixedPrecisionTakeAFifth() {
        Map<String, Prediction> runs = Remedies.mixed();
        double plain = runs.get("plain").peak().allocated();
        assertEquals(0.2, runs.get("both").peak().allocated() / plain, 0.005);
        assertTrue(runs.get("plain").warnings().stream().noneMatch(w -> w.startsWith("re-entrant")));
        for (String trapped : List.of("three chunks", "both")) {
            String warning = runs.get(trapped).warnings().get(0);
            assertTrue(warning.startsWith("re-entrant checkpointing: in 2 checkpoints none"), warning);
        }
    }

    @Test
    void eachRemedyOfTheXRaysSavesMore() {
        long before = Long.MAX_VALUE;
        Map<String, Prediction> runs = Remedies.xRays(8);
        for (String remedy : List.of("plain", "dense blocks checkpointed", "dense layers checkpointed")) {
            long peak = runs.get(remedy).peak().allocated();
            assertTrue(peak < 0.6 * before, remedy);
            before = peak;
        }
    }

    /** Card 0 alone has Adam's state, and during the reduction the gradients of the replica beside the sums. */
    @Test
    void dataParallelLoadsTheFirstCardMost() {
        List<DeviceMemory> cards = XRays.play("DataParallel, 2 cards", 8).devices();
        long parameters = 4 * 14_149_480L;
        assertEquals(2, cards.size());
        assertTrue(cards.get(0).peak().allocated() > cards.get(1).peak().allocated() + 2 * parameters);
    }

    /** Equal numbers of modules do not balance: the second of four cards has the dense blocks on large images. */
    @Test
    void dividedLayersDoNotBalance() {
        List<DeviceMemory> cards = XRays.play("layers divided, 4 cards", 8).devices();
        long fullest = cards.stream().mapToLong(d -> d.peak().allocated()).max().orElseThrow();
        assertEquals(fullest, cards.get(1).peak().allocated());
        assertTrue(fullest > 5 * cards.get(0).peak().allocated());
    }

    @Test
    void theSequenceModelIsWithinThreePercent() {
        within(0.03, SequenceModel.figures());
    }

    @Test
    void theLeastMemoryIsWithinTenPercent() {
        List<Figure> figures = LeastMemory.figures();
        within(0.1, figures.stream().filter(f -> !f.what().endsWith("at least")).toList());
    }

    /** The search for algorithms in the first epoch: a lower bound that explains more than half of it. */
    @Test
    void theFirstEpochIsBounded() {
        List<Figure> bounds = LeastMemory.figures().stream()
                .filter(f -> f.what().endsWith("at least"))
                .toList();
        assertEquals(2, bounds.size());
        bounds.forEach(f -> assertTrue(f.error() < 0 && f.error() > -0.5, f::row));
    }

    /** Printed by NVIDIA's sample mnistCUDNN: 1 to 20 channels of 28 x 28, and 20 to 50 of 12 x 12. */
    @Test
    void tiledTransformsTakeWhatCudnnPrinted() {
        assertEquals(178_432, TiledTransforms.bytes(1, 1, 20));
        assertEquals(4_656_640, TiledTransforms.bytes(1, 20, 50));
        assertTrue(TiledTransforms.oneTile(28, 28, 2, 2));
        assertFalse(TiledTransforms.oneTile(28, 31, 1, 1));
    }

    /** The workspaces that cuDNN 7 took for whole batches are not known: no bar but what was reached. */
    @Test
    void largeHeadsLackWorkspacesOnly() {
        for (Figure f : LargeHeads.figures()) {
            boolean whole = !f.what().contains("passes");
            assertTrue(Math.abs(f.error()) < (whole ? 0.12 : 0.02), f::row);
            assertTrue(!whole || f.error() < 0, f::row);
        }
    }

    /**
     * Published: out of memory, with and without checkpoints. What cuDNN 7 took in fp16 is more than there is room for.
     */
    @Test
    void theFullModelFailsOnceWorkspacesAreCounted() {
        assertNull(LargeHeads.full(false, false).oom());
        assertNotNull(LargeHeads.full(true, false).oom());
        assertNotNull(LargeHeads.full(true, true).oom());
    }

    @Test
    void checkpointingDoesNotHelpLargeHeads() {
        assertTrue(Math.abs(LargeHeads.savedByCheckpointing()) < 0.01);
    }
}
