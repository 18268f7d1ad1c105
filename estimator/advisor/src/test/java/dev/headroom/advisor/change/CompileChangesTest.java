package dev.headroom.advisor.change;

import static dev.headroom.model.scenario.ScenarioSettings.COMPILE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.model.importer.Importers;
import dev.headroom.model.scenario.Scenario;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Only compiled runs are told to keep less in compiled graphs, and only once. */
class CompileChangesTest {
    private final Catalogue catalogue =
            new Catalogue(Importers.read(Path.of("../../fixtures/models/small/cnn-small.pt2")));

    @Test
    void compiledRunsMayKeepLess() {
        Scenario run = Scenario.defaults().with(COMPILE, true);
        List<Change> budgets = catalogue.budgets(run);
        assertEquals(
                List.of(0.5, 0.2),
                budgets.stream().map(c -> c.of(run).kernels().compileBudget()).toList());
        assertTrue(catalogue.budgets(budgets.get(0).of(run)).isEmpty());
        assertTrue(catalogue.budgets(Scenario.defaults()).isEmpty());
    }
}
