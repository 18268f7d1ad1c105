package dev.headroom.validation.published;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** What others measured and published, held to the bars that were reached. */
class PublishedSystemsTest {
    private static void within(double bar, List<Figure> figures) {
        assertFalse(figures.isEmpty());
        Stream<Executable> checks = figures.stream().map(f -> () -> assertTrue(Math.abs(f.error()) <= bar, f::row));
        assertAll(checks);
    }

    /** Figures of the perceptron with checkpoints that PyTorch or the article's author placed. */
    private static List<Figure> perceptrons(String figure) {
        List<Figure> all = new ArrayList<>(Perceptron.figures());
        all.addAll(HandPlaced.figures());
        List<Figure> those = all.stream().filter(f -> f.what().endsWith(figure)).toList();
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

    @Test
    void theSequenceModelIsWithinThreePercent() {
        within(0.03, SequenceModel.figures());
    }

    @Test
    void theLeastMemoryIsWithinTenPercent() {
        within(0.1, LeastMemory.figures());
    }

    /** The workspaces that cuDNN 7 took for whole batches are not known: no bar but what was reached. */
    @Test
    void largeHeadsLackWorkspacesOnly() {
        LargeHeads.figures().forEach(f -> assertTrue(f.error() < 0 && f.error() > -0.15, f::row));
    }

    @Test
    void checkpointingDoesNotHelpLargeHeads() {
        assertTrue(Math.abs(LargeHeads.savedByCheckpointing()) < 0.01);
    }
}
