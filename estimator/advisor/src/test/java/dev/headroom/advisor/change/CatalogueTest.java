package dev.headroom.advisor.change;

import static dev.headroom.model.scenario.ScenarioSettings.BATCH;
import static dev.headroom.model.scenario.ScenarioSettings.GPU;
import static dev.headroom.model.scenario.ScenarioSettings.INFERENCE;
import static dev.headroom.model.scenario.ScenarioSettings.TORCH;
import static dev.headroom.model.scenario.ScenarioSettings.ZERO_GRAD_KEEP;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.model.device.GpuCatalogue;
import dev.headroom.model.importer.Importers;
import dev.headroom.model.scenario.Checkpointing;
import dev.headroom.model.scenario.Scenario;
import dev.headroom.model.scenario.TorchVersion;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What the catalogue offers to which runs. */
class CatalogueTest {
    private final Catalogue catalogue =
            new Catalogue(Importers.read(Path.of("../../fixtures/models/small/resnet18.pt2")));

    private static Scenario run() {
        return Scenario.defaults().with(BATCH, 8L);
    }

    private static List<String> titles(List<Change> changes) {
        return changes.stream().map(Change::title).toList();
    }

    private List<Change> planned(Scenario run) {
        List<Change> all = new ArrayList<>(catalogue.free(run));
        all.addAll(catalogue.precisions(run));
        all.addAll(catalogue.optimizers(run));
        return all;
    }

    /** A change that is made is not offered again: a plan never has it twice. */
    @Test
    void everyPlannedChangeChangesTheRunOnce() {
        Scenario run = run().with(ZERO_GRAD_KEEP, true);
        List<Change> planned = planned(run);
        assertEquals(planned.size(), titles(planned).stream().distinct().count());
        for (Change change : planned) {
            assertNotEquals(run, change.of(run), change.title());
            assertFalse(change.code().isEmpty(), change.title());
            assertFalse(titles(planned(change.of(run))).contains(change.title()), change.title());
        }
    }

    @Test
    void explanationsNameOptionsThatAreAddedOrLeftOut() {
        List<String> names = catalogue.explained(run().with(ZERO_GRAD_KEEP, true)).stream()
                .map(ExplainedChange::name)
                .toList();
        assertEquals(
                List.of(
                        "Checkpointing blocks of layers (`checkpoint=2`)",
                        "Checkpointing blocks of layers (`checkpoint=4`)",
                        "Checkpointing blocks of layers (`checkpoint=8`)",
                        "Checkpointing blocks of layers (`checkpoint_modules='layer1.*'`"
                                + " `checkpoint_modules='layer2.*'` `checkpoint_modules='layer3.*'`"
                                + " `checkpoint_modules='layer4.*'`)",
                        "Checkpointing each single layer",
                        "Half the batch, twice the passes (`batch=4` `accumulate=2`)",
                        "Autocast (`amp=bf16`)",
                        "zero_grad(set_to_none=True), without `zero_grad_keep`",
                        "8-bit optimizer of bitsandbytes (`optimizer=adamw8bit`)",
                        "For-loop optimizer (`foreach=false`)",
                        "del outputs, loss (`drop_outputs`)"),
                names);
    }

    @Test
    void plansTakeWhatCardAndVersionHave() {
        assertTrue(titles(catalogue.precisions(run())).contains("autocast to bfloat16"));
        Scenario volta = run().with(GPU, GpuCatalogue.find("v100-16gb").orElseThrow());
        assertEquals(List.of("autocast to float16"), titles(catalogue.precisions(volta)));
        Scenario old = run().with(TORCH, new TorchVersion(1, 8));
        assertFalse(titles(catalogue.optimizers(old)).contains("Adafactor"));
        assertTrue(catalogue.expandableSegments(old).isEmpty());
    }

    @Test
    void withoutABackwardPassNothingIsSaidOfTraining() {
        Scenario run = run().with(INFERENCE, true);
        assertEquals(List.of(), catalogue.optimizers(run));
        assertEquals(
                List.of("Half the batch (`batch=4`)", "Autocast (`amp=bf16`)"),
                catalogue.explained(run).stream().map(ExplainedChange::name).toList());
    }

    @Test
    void checkpointsHavePatternsForWholeFamilies() {
        Change change = catalogue.checkpoints(
                new Checkpointing(0, List.of("layer1.0", "layer1.1", "layer2.0"), false), Cost.RECOMPUTATION);
        assertEquals("checkpointing layer1.*, layer2.0", change.title());
        assertEquals(
                List.of("layer1.*", "layer2.0"),
                change.of(run()).checkpointing().modules());
        assertTrue(Catalogue.recomputes(change));
    }
}
