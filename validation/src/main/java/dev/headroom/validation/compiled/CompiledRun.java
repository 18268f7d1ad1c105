package dev.headroom.validation.compiled;

import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.fixtures.Recording;
import dev.headroom.model.feed.DataKind;
import dev.headroom.model.importer.Importers;
import dev.headroom.model.scenario.Scenario;
import dev.headroom.model.scenario.ScenarioSettings;
import dev.headroom.validation.RecordedRun;
import java.nio.file.Path;

/** A recording of {@code record_compile.py}, with its plan beside it, as the question that Headroom should answer. */
public final class CompiledRun {
    private final Recording recording;
    private final Path plan;

    /** @param plan the file that was written while the run was recorded */
    public CompiledRun(Recording recording, Path plan) {
        this.recording = recording;
        this.plan = plan;
    }

    /** The whole question; checkpoints are inside of what was compiled. */
    public PredictionRequest request() {
        RecordedRun recorded = new RecordedRun(recording);
        // The recorder lets go of a batch before it brings one of another size.
        DataKind data = recording.config().hasNonNull("batches") ? DataKind.UNPACKED : DataKind.ONE;
        Scenario run = recorded.training()
                .with(ScenarioSettings.CHECKPOINT, 0)
                .withFeeding(recorded.training().feeding().withData(data));
        return recorded.request(Importers.read(plan, run), run);
    }
}
