package dev.headroom.advisor.serving;

import static dev.headroom.model.scenario.ModelSettings.SEQ;
import static dev.headroom.model.scenario.ScenarioSettings.BATCH;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.advisor.serving.Capacity.Row;
import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.estimator.predict.Predictor;
import dev.headroom.estimator.predict.Simulation;
import dev.headroom.model.device.GpuCatalogue;
import dev.headroom.model.importer.Importers;
import dev.headroom.model.scenario.DeviceBudget;
import dev.headroom.model.scenario.GenerationSettings;
import dev.headroom.model.scenario.Scenario;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Requests of a small language model on a small card. */
class ServeCapacityTest {
    private static final Path MODEL = Path.of("smollm2-135m");

    private static Scenario run(long seq, long mib) {
        return Scenario.defaults()
                .with(GenerationSettings.GENERATE, 3)
                .with(SEQ, seq)
                .withDevice(new DeviceBudget(GpuCatalogue.find("rtx-3060").orElseThrow(), null, 0, mib << 20));
    }

    private static PredictionRequest request(Scenario run) {
        return new PredictionRequest(Importers.read(MODEL, run), run);
    }

    private static boolean fits(Scenario run) {
        return Predictor.simulate(request(run)).oom() == null;
    }

    private static Capacity capacity(long mib, long prompt) {
        Scenario asked = run(prompt, mib);
        long room = Optional.ofNullable(Predictor.room(request(asked.with(BATCH, 1L))))
                .orElseThrow();
        return new ServeCapacity(run -> Importers.read(MODEL, run), asked, room).of(List.of(prompt));
    }

    @ParameterizedTest
    @CsvSource({"3000,100", "2000,700", "1024,512"})
    void whatIsAnsweredFitsAndAStepMoreDoesNot(long mib, long prompt) {
        Capacity capacity = capacity(mib, prompt);
        Row row = capacity.rows().get(0);
        assertTrue(row.requests() > 1, row.toString());
        assertTrue(fits(run(prompt, mib).with(BATCH, row.requests())));
        assertFalse(fits(run(prompt, mib).with(BATCH, row.requests() + 1)));
        assertEquals(row.requests() * (prompt + 2), row.tokens());
        Scenario longest = run(capacity.longest(), mib).with(BATCH, 1L);
        assertTrue(fits(longest));
        assertFalse(fits(longest.with(SEQ, capacity.longest() + ServeCapacity.LENGTHS)));
    }

    @Test
    void nothingFitsWhereTheModelDoesNot() {
        Capacity capacity = capacity(200, 100);
        assertEquals(0, capacity.rows().get(0).requests());
        assertEquals(0, capacity.longest());
    }

    @Test
    void aRunGrowsAlongWhatThreeSizesOfItDid() {
        growsAlong(10, 15, 20);
    }

    @Test
    void aRunGrowsAlongWhatTwoSizesOfItDidWhereItGrowsInProportion() {
        growsAlong(10, 20);
    }

    private static void growsAlong(long... sizes) {
        GrowingRun grown = GrowingRun.of(sizes, open(100, sizes)).orElseThrow();
        for (long batch : new long[] {10, 19, 27, 28, 29, 30, 31, 64}) {
            Scenario run = run(100, 1500).with(BATCH, batch);
            assertEquals(fits(run), grown.fits(batch, Predictor.memory(request(run))), batch + " requests");
        }
    }

    @Test
    void runsThatDoDifferentThingsAreNoneThatGrows() {
        List<Simulation> three = open(100, 2, 4, 6);
        Simulation longer = Predictor.simulate(
                request(run(100, 0).with(GenerationSettings.GENERATE, 4).with(BATCH, 6L))
                        .unbounded());
        List<Simulation> other = List.of(three.get(0), three.get(1), longer);
        assertTrue(GrowingRun.of(new long[] {2, 4, 6}, other).isEmpty());
    }

    private static List<Simulation> open(long seq, long... batches) {
        return LongStream.of(batches)
                .mapToObj(n ->
                        Predictor.simulate(request(run(seq, 0).with(BATCH, n)).unbounded()))
                .toList();
    }
}
