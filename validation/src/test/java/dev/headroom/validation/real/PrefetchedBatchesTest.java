package dev.headroom.validation.real;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.estimator.predict.Predictor;
import dev.headroom.fixtures.Fixtures;
import dev.headroom.model.device.GpuCatalogue;
import dev.headroom.model.feed.DataKind;
import dev.headroom.model.importer.Importers;
import dev.headroom.model.run.Phase;
import dev.headroom.model.run.PhaseMemory;
import dev.headroom.model.scenario.CudnnWorkspace;
import dev.headroom.model.scenario.FeedSettings;
import dev.headroom.model.scenario.LossKind;
import dev.headroom.model.scenario.OptimizerKind;
import dev.headroom.model.scenario.OptimizerSettings;
import dev.headroom.model.scenario.Scenario;
import dev.headroom.model.scenario.ScenarioSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The real PyTorch with timm's own prefetching loader and loss, recorded by fixtures/real/record_prefetch.py. */
class PrefetchedBatchesTest {
    private static final Path REAL = Fixtures.folder().resolve("real");

    @Test
    void everyPhaseOfTwoEpochsIsEqual() throws IOException {
        Scenario run = Scenario.defaults()
                .with(ScenarioSettings.BATCH, 16L)
                .with(ScenarioSettings.STEPS, 3)
                .with(ScenarioSettings.OPTIMIZER, OptimizerKind.SGD_MOMENTUM)
                .with(OptimizerSettings.NESTEROV, true)
                .with(OptimizerSettings.WEIGHT_DECAY, true)
                .with(ScenarioSettings.LOSS, LossKind.LABEL_SMOOTHING)
                .with(ScenarioSettings.CUDNN_WORKSPACE, CudnnWorkspace.NONE)
                .with(FeedSettings.DATA, DataKind.TIMM)
                .with(FeedSettings.LAST_BATCH, 8L)
                .with(FeedSettings.EPOCHS, 2)
                .on(GpuCatalogue.find("a100-40gb").orElseThrow());
        List<String> predicted = Predictor.simulate(new PredictionRequest(
                        Importers.read(REAL.resolve("archives").resolve("resnet18d.pt2")), run))
                .phases()
                .stream()
                .filter(p -> p.phase() != Phase.INPUTS)
                .map(PrefetchedBatchesTest::line)
                .toList();
        List<String> recorded = Files.readAllLines(REAL.resolve("prefetch-resnet18d.csv"));
        assertEquals(recorded.subList(1, recorded.size()), predicted);
    }

    private static String line(PhaseMemory p) {
        return p.phase().label() + "," + p.allocated() + "," + p.reserved() + "," + p.maxAllocated() + ","
                + p.maxReserved();
    }
}
