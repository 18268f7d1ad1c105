package dev.headroom.app.plot;

import static dev.headroom.model.scenario.ScenarioSettings.BATCH;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.estimator.log.Category;
import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.estimator.timeline.CategoryCurve;
import dev.headroom.estimator.timeline.PlayedRun;
import dev.headroom.estimator.timeline.Timeline;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.importer.Importers;
import dev.headroom.model.scenario.DeviceBudget;
import dev.headroom.model.scenario.Scenario;
import java.nio.file.Path;
import javax.imageio.ImageIO;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYSeries;
import org.xml.sax.InputSource;

class PlotFileTest {
    private static final PlayedRun RUN = played(null);

    @TempDir
    Path folder;

    private static PlayedRun played(Long memory) {
        Scenario run = Scenario.defaults().with(BATCH, 64L);
        return PlayedRun.of(new PredictionRequest(
                Importers.read(Path.of("../../fixtures/models/mlp-xor.pt2")),
                run.withDevice(new DeviceBudget(null, memory, 0, null))));
    }

    @Test
    void writesWhatTheSuffixSays() throws Exception {
        Path png = folder.resolve("run.PNG");
        PlotFile.write(RUN, png);
        assertEquals(1200, ImageIO.read(png.toFile()).getWidth());
        Path svg = folder.resolve("run.svg");
        PlotFile.write(RUN, svg);
        var factory = DocumentBuilderFactory.newInstance();
        factory.setFeature("http://apache.org/xml/features/nonvalidating/load-external-dtd", false);
        String root = factory.newDocumentBuilder()
                .parse(new InputSource(svg.toUri().toString()))
                .getDocumentElement()
                .getTagName();
        assertEquals("svg", root);
    }

    @ParameterizedTest
    @CsvSource({"run.pdf, neither .svg nor .png", "run, neither", "nowhere/run.svg, its folder does not exist"})
    void refusesOtherFiles(String file, String reason) {
        UserInputException e = assertThrows(UserInputException.class, () -> PlotFile.write(RUN, folder.resolve(file)));
        assertTrue(e.getMessage().contains(reason), e::getMessage);
    }

    @Test
    void drawsWhatThePredictionSays() {
        XYChart chart = MemoryPlot.of(RUN);
        double reserved = chart.getSeriesMap().get("reserved").getYMax();
        assertEquals(RUN.prediction().peak().reserved(), reserved * (1 << 20), 1);
        double stack = chart.getSeriesMap().values().stream()
                .filter(s -> !s.getName().equals("reserved"))
                .mapToDouble(XYSeries::getYMax)
                .max()
                .orElseThrow();
        assertEquals(RUN.prediction().peak().allocated(), stack * (1 << 20), 1);
    }

    @Test
    void drawsARunThatFails() {
        PlayedRun failed = played(128L << 20);
        assertTrue(failed.prediction().oom() != null);
        assertTrue(MemoryPlot.of(failed).getSeriesMap().size() > 2);
    }

    @Test
    void drawsARunThatFailsAtOnce() {
        PlayedRun failed = played(1L);
        assertEquals(0, failed.timeline().size());
        Path file = folder.resolve("nothing.png");
        PlotFile.write(failed, file);
        assertTrue(file.toFile().length() > 0);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 7, 100, 1_000_000})
    void thinningKeepsThePeakAndTheSums(int columns) {
        Timeline t = RUN.timeline();
        CategoryCurve curve = new CategoryCurve(t, columns);
        assertTrue(curve.columns() <= columns);
        long peak = 0;
        for (int i = 0; i < curve.columns(); i++) {
            long sum = 0;
            for (Category c : Category.values()) {
                sum += curve.bytes(i, c);
            }
            assertEquals(t.allocated(curve.event(i)), sum);
            peak = Math.max(peak, sum);
        }
        assertEquals(RUN.prediction().peak().allocated(), peak);
    }
}
