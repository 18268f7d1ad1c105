package dev.headroom.model.run;

import static dev.headroom.model.scenario.ParallelSettings.PARALLEL;
import static dev.headroom.model.scenario.ParallelSettings.WORLD;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.headroom.model.graph.DType;
import dev.headroom.model.importer.Importers;
import dev.headroom.model.parallel.ParallelKind;
import dev.headroom.model.scenario.ModelSettings;
import dev.headroom.model.scenario.Scenario;
import dev.headroom.model.scenario.ScenarioSettings;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EngineTypesTest {
    private static final Scenario RUN =
            Scenario.defaults().with(ModelSettings.SEQ, 16L).with(ScenarioSettings.BATCH, 1L);

    @ParameterizedTest
    @CsvSource({
        "smollm2-135m, ZERO2,   , BFLOAT16", // loaded in the config's type
        "smollm2-135m, ZERO3,   FLOAT16, FLOAT16",
        "smollm2-135m, DDP,     , ",
        "gpt2,         ZERO3,   , "
    })
    void theEngineIsToldTheTypeOfAModelInHalfPrecision(
            String model, ParallelKind kind, @Nullable DType asked, @Nullable DType told) {
        Scenario run = RUN.with(PARALLEL, kind).with(WORLD, 2).with(ScenarioSettings.DTYPE, asked);
        PreparedRun prepared = PreparedRun.of(Importers.read(Path.of(model), run), run, List.of());
        assertEquals(told, prepared.scenario().precision().dtype());
    }
}
