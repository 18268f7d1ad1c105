package dev.headroom.model.adapter.peft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.model.adapter.AdapterMethod;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.importer.Importers;
import dev.headroom.model.run.PreparedRun;
import dev.headroom.model.scenario.AdapterSettings;
import dev.headroom.model.scenario.ModelSettings;
import dev.headroom.model.scenario.Scenario;
import dev.headroom.model.scenario.ScenarioSettings;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Models that a method of peft does not go with get one line. */
class RefusedModelsTest {
    private static final Scenario RUN =
            Scenario.defaults().with(ModelSettings.SEQ, 16L).with(ScenarioSettings.BATCH, 1L);

    private static Graph prepared(String model, Scenario run) {
        return PreparedRun.of(Importers.read(Path.of(model), run), run, List.of())
                .graph();
    }

    @ParameterizedTest
    @CsvSource({
        "gemma-2-2b, whose layers see all that came before",
        "starcoder, whose layers see all that came before",
        "flan-t5-small, whose layers see all that came before",
        "bert-base-uncased, each of whose layers has keys and values of its own",
        "mamba-130m, whose layers see all that came before"
    })
    void prefixTuningNeedsKeysOfEveryLayer(String model, String line) {
        Scenario run = RUN.with(AdapterSettings.ADAPTER, AdapterMethod.PREFIX_TUNING);
        String message = assertThrows(UserInputException.class, () -> prepared(model, run))
                .getMessage();
        assertTrue(message.contains(line), message);
    }

    /** As many numbers as peft's embedding has: a key and a value for each token and layer. */
    @Test
    void prefixTuningTrainsKeysAndValues() {
        Scenario run =
                RUN.with(AdapterSettings.ADAPTER, AdapterMethod.PREFIX_TUNING).with(AdapterSettings.ADAPTER_SIZE, 8);
        long trained = prepared("smollm2-135m", run).held().tensors().values().stream()
                .filter(t -> t.meta().requiresGrad())
                .mapToLong(t -> t.meta().sizes().stream()
                        .mapToLong(size -> size.evaluate(Map.of()))
                        .reduce(1, (a, b) -> a * b))
                .sum();
        assertEquals(8L * 30 * 2 * 192, trained);
    }

    @ParameterizedTest
    @CsvSource({
        "mamba-130m, out_proj, is refused by peft",
        "falcon-mamba-7b, conv1d, is refused by peft",
        "mamba-130m, dt_proj, 'is read and never called'"
    })
    void someLayersOfStateSpacesTakeNoAdapters(String model, String target, String line) {
        Scenario run = RUN.with(AdapterSettings.LORA, 8).with(AdapterSettings.TARGETS, List.of(target));
        String message = assertThrows(UserInputException.class, () -> prepared(model, run))
                .getMessage();
        assertTrue(message.contains(line), message);
    }
}
