package dev.headroom.advisor.strategies;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.model.importer.Importers;
import dev.headroom.model.parallel.Parallelism;
import dev.headroom.model.scenario.DeviceBudget;
import dev.headroom.model.scenario.ModelSettings;
import dev.headroom.model.scenario.Scenario;
import dev.headroom.model.scenario.ScenarioSettings;
import dev.headroom.model.scenario.TrainerSettings;
import dev.headroom.model.trainer.LoopKind;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class StrategySearchTest {
    private static final Scenario RUN =
            Scenario.defaults().with(ModelSettings.SEQ, 16L).with(ScenarioSettings.BATCH, 1L);

    /** Two layers of SmolLM2 and its embeddings, 68 MiB of parameters in bf16. */
    private static List<PlayedStrategy> within(long memory) {
        return within(memory, LoopKind.PLAIN);
    }

    private static List<PlayedStrategy> within(long memory, LoopKind loop) {
        Scenario run = RUN.with(TrainerSettings.LOOP, loop)
                .with(ModelSettings.ENTRIES, List.of("num_hidden_layers=2"))
                .withDevice(new DeviceBudget(null, memory, 0, null));
        PredictionRequest asked = new PredictionRequest(Importers.read(Path.of("smollm2-135m"), run), run);
        return new StrategySearch(asked, played -> {}).on(2);
    }

    @Test
    void whereTheWholeFitsItIsMadeOnTheCard() {
        List<PlayedStrategy> played = within(4L << 30);
        assertTrue(played.stream().allMatch(s -> s.refused().isEmpty()), () -> "" + played);
        assertTrue(played.stream().noneMatch(s -> s.strategy().name().contains("meta")));
        assertEquals(
                Parallelism.Build.ZERO_INIT,
                named(played, "zero3").run().parallel().build());
    }

    @Test
    void whereItDoesNotItIsMadeOnMeta() {
        List<PlayedStrategy> played = within(70L << 20);
        assertTrue(named(played, "fsdp2, offloaded, from meta")
                .strategy()
                .code()
                .get(0)
                .contains("meta"));
        assertFalse(named(played, "ddp").fits());
        List<Long> unfit = played.stream()
                .filter(s -> !s.fits() && s.refused().isEmpty())
                .map(s -> s.peak().device())
                .toList();
        assertEquals(unfit.stream().sorted().toList(), unfit);
    }

    @Test
    void aTrainerIsToldByItsArguments() {
        List<PlayedStrategy> played = within(4L << 30, LoopKind.TRAINER);
        assertTrue(played.stream().allMatch(s -> s.refused().isEmpty() && s.fits()), () -> "" + played);
        assertTrue(played.stream().allMatch(s -> s.strategy().code().get(0).startsWith("TrainingArguments(")));
        assertFalse(named(played, "zero3").run().equals(named(played, "zero2").run()));
    }

    private static PlayedStrategy named(List<PlayedStrategy> played, String name) {
        return played.stream()
                .filter(s -> s.strategy().name().equals(name))
                .findFirst()
                .orElseThrow(() -> new AssertionError(
                        played.stream().map(s -> s.strategy().name()).toList().toString()));
    }
}
