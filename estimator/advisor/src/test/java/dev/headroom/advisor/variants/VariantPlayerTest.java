package dev.headroom.advisor.variants;

import static dev.headroom.model.scenario.ScenarioSettings.ALLOC_CONF;
import static dev.headroom.model.scenario.ScenarioSettings.BATCH;
import static dev.headroom.model.scenario.ScenarioSettings.CUDNN_WORKSPACE;
import static dev.headroom.model.scenario.ScenarioSettings.LIMIT;
import static dev.headroom.model.scenario.ScenarioSettings.STEPS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.importer.Importers;
import dev.headroom.model.scenario.CudnnWorkspace;
import dev.headroom.model.scenario.Scenario;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Variants of a small model in little memory. */
class VariantPlayerTest {
    private static final long MIB = 1 << 20;

    private final Scenario run = Scenario.defaults()
            .with(BATCH, 8L)
            .with(STEPS, 2)
            .with(CUDNN_WORKSPACE, CudnnWorkspace.NONE)
            .with(LIMIT, 128 * MIB);
    private final AtomicLong played = new AtomicLong();
    private final Graph model = Importers.read(Path.of("../../fixtures/models/small/resnet18.pt2"));
    private final VariantPlayer player = new VariantPlayer(
            new PredictionRequest(model, run),
            of -> model,
            Processors.HERE,
            count -> played.accumulateAndGet(count, Math::max));

    @Test
    void aScenarioIsPlayedOnceWhoeverAsks() {
        IntStream.range(0, 8).parallel().forEach(i -> assertTrue(player.fits(run)));
        assertEquals(1, played.get());
        assertTrue(player.mayFit(run), "as many steps");
        assertEquals(1, played.get());
        assertTrue(player.unbounded(run).allocated() > 0);
        assertEquals(2, played.get());
    }

    @Test
    void whatTheDeviceNeverRefusesIsNotPlayedAgain() {
        Outcome free = player.unbounded(run);
        assertEquals(free, player.within(run));
        assertEquals(1, played.get());
        Outcome asked = new VariantPlayer(new PredictionRequest(player.graph(), run)).within(run);
        assertEquals(asked, free, "what playing it would have shown");
        // With less than it reserved the device refuses; with a setting the allocator may ask how much there is.
        for (Scenario other : List.of(
                run.with(LIMIT, free.reserved() - 2 * MIB), run.with(ALLOC_CONF, "garbage_collection_threshold:0.5"))) {
            player.unbounded(other);
            long before = played.get();
            player.within(other);
            assertEquals(before + 1, played.get(), other.allocConf());
        }
    }

    @Test
    void eventsAreThoseOfTheOutcomeThatIsRemembered() {
        long peak = player.unboundedWithEvents(run).maxAllocated();
        assertEquals(peak, player.unbounded(run).allocated());
        assertEquals(1, played.get());
    }

    @Test
    void memoryAndMistakesAreToldApart() {
        assertEquals(
                Outcome.Result.OUT_OF_MEMORY,
                player.within(run.with(BATCH, 4096L)).result());
        Outcome refused = player.within(run.with(ALLOC_CONF, "no_such_setting:1"));
        assertEquals(Outcome.Result.IMPOSSIBLE, refused.result());
        assertEquals(
                Outcome.Result.FITS, player.unbounded(run.with(BATCH, 4096L)).result());
    }
}
