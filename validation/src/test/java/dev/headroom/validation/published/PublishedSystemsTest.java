package dev.headroom.validation.published;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
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

    @Test
    void thePerceptronIsWithinTwoThousandths() {
        List<Figure> figures = Perceptron.figures();
        within(0.002, figures.stream().filter(f -> !f.what().endsWith("after")).toList());
        // What is left after the run is published in whole MiB, cut.
        figures.stream()
                .filter(f -> f.what().endsWith("after"))
                .forEach(f -> assertEquals(f.published(), Math.floor(f.predicted()), f::row));
    }

    @Test
    void nvidiaSmiShowsReservedMemoryAndOneConstant() {
        Perceptron.figures().stream()
                .filter(f -> f.what().endsWith("nvidia-smi"))
                .forEach(f -> assertEquals(f.published(), f.predicted(), 0.5, f::row));
    }

    @Test
    void eightSegmentsAreBest() {
        assertEquals(8, Perceptron.best());
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
