package dev.headroom.app.report;

import static dev.headroom.model.scenario.ScenarioSettings.BATCH;
import static dev.headroom.model.scenario.ScenarioSettings.STEPS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.estimator.predict.Prediction;
import dev.headroom.model.scenario.Scenario;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SummaryTest {
    @Test
    void saysFirstThatItFitsAndWhatStaysFree() {
        List<String> lines = lines(Predictions.fitting(run()));
        assertEquals("Fits on NVIDIA GeForce RTX 3090: 19.53 GiB free of 23.70 GiB", lines.get(0));
        assertEquals("resnet50: batch 32, adamw, 3 steps", lines.get(1));
    }

    @Test
    void showsThreePeaksAndThePhasesInMib() {
        String text = String.join("\n", lines(Predictions.fitting(run())));
        assertTrue(text.contains("allocated    2.96 GiB  in backward of step 1"), text);
        assertTrue(text.contains("reserved     3.29 GiB"), text);
        assertTrue(text.contains("device       3.70 GiB"), text);
        assertTrue(text.contains("model 98.0, inputs 116.0"), text);
        assertTrue(text.contains("step 2      136.0     636.0    1136.0    1636.0    2136.0"), text);
    }

    @Test
    void showsEveryCategoryOfThePeakLargestFirst() {
        List<String> lines = lines(Predictions.fitting(run()));
        int heading = IntStream.range(0, lines.size())
                .filter(i -> lines.get(i).startsWith("At the peak"))
                .findFirst()
                .orElseThrow();
        assertTrue(lines.get(heading + 1).startsWith("outputs"), lines.get(heading + 1));
        assertTrue(lines.get(heading + 2).startsWith("inputs"), lines.get(heading + 2));
        assertTrue(String.join("\n", lines).contains("optimizer state"));
    }

    @Test
    void saysWhereMemoryRunsOut() {
        String text = String.join("\n", lines(Predictions.failing(run())));
        assertTrue(text.startsWith("Does not fit on 2.83 GiB within 2.83 GiB: 800.00 MiB missing"), text);
        assertTrue(text.replaceAll("\\s+", " ").contains("out of memory in backward of step 0, layer1.0.conv1"), text);
        assertTrue(text.contains("OOM"), text);
    }

    @Test
    void saysThatFreeMemoryLiesInPieces() {
        String text = String.join("\n", lines(Predictions.inPieces(run())));
        assertTrue(text.startsWith("Does not fit on 2.83 GiB within 2.83 GiB: free memory lies in pieces"), text);
        assertTrue(text.replaceAll("\\s+", " ").contains("asking for 32.00 MiB; gets through in 2.73 GiB"), text);
    }

    @Test
    void asksForADeviceWhenNoneIsNamed() {
        assertTrue(lines(Predictions.deviceless(run())).get(0).startsWith("Needs 3.61 GiB"));
    }

    @Test
    void fitsAScreenWhateverItHasToSay() {
        List<String> many = IntStream.range(0, 9)
                .mapToObj(i -> "warning number " + i + " says a lot of words about something that matters, at length")
                .toList();
        Scenario long_ = run().with(STEPS, 50);
        for (Prediction p : List.of(
                Predictions.fitting(run()),
                Predictions.fitting(long_),
                Predictions.failing(run()),
                Predictions.deviceless(run()),
                Predictions.warned(many.subList(0, 1)),
                Predictions.warned(many))) {
            List<String> lines = lines(p);
            assertTrue(lines.size() <= 24, () -> String.join("\n", lines));
            for (String line : lines) {
                assertTrue(line.length() <= 80, line);
            }
        }
    }

    @Test
    void countsTheWarningsThatDoNotFit() {
        List<String> many = IntStream.range(0, 30).mapToObj(i -> "number " + i).toList();
        String text = String.join("\n", lines(Predictions.warned(many)));
        assertTrue(text.contains("unmodelled, estimated roughly: aten.mystery x3"), text);
        assertTrue(text.contains("more lines of warnings"), text);
    }

    @Test
    void coloursOnlyWhenAsked() {
        StringWriter text = new StringWriter();
        Summary.write(Predictions.fitting(run()), Style.COLOUR, new PrintWriter(text));
        assertTrue(text.toString().contains("\033[1;32mFits"));
        assertFalse(String.join("", lines(Predictions.fitting(run()))).contains("\033"));
    }

    private static Scenario run() {
        Scenario run = Scenario.defaults().with(BATCH, 32L);
        return run;
    }

    private static List<String> lines(Prediction p) {
        StringWriter text = new StringWriter();
        Summary.write(p, Style.PLAIN, new PrintWriter(text));
        return text.toString().lines().toList();
    }
}
