package dev.headroom.validation.compiled;

import com.fasterxml.jackson.databind.JsonNode;
import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.fixtures.Fixtures;
import dev.headroom.fixtures.Recording;
import dev.headroom.model.importer.Importers;
import dev.headroom.model.scenario.Kernels.CompileMode;
import dev.headroom.model.scenario.Scenario;
import dev.headroom.model.scenario.ScenarioSettings;
import dev.headroom.validation.RecordedRun;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** A recording of {@code record_compile.py} as the question from the model's archive alone. */
public final class EstimatedRun {
    private final Recording recording;
    private final RecordedRun recorded;

    public EstimatedRun(Recording recording) {
        this.recording = recording;
        this.recorded = new RecordedRun(recording);
    }

    public Recording recording() {
        return recording;
    }

    /** What keeps this run from being asked for. */
    public Optional<String> obstacle() {
        JsonNode config = recording.config();
        if (!recording.name().isEmpty() && config.path("scope").asText("").isEmpty()) {
            return Optional.of("not compiled");
        }
        if (config.path("scope").asText().equals("loss")) {
            return Optional.of("compiled with the loss");
        }
        if (!config.path("batches").isNull() && !config.path("batches").isMissingNode()) {
            return Optional.of("recorded with several batch sizes");
        }
        if (!config.path("layers").isNull() && !config.path("layers").isMissingNode()) {
            return Optional.of("no archive has its number of layers");
        }
        if (config.path("attention_mask").asBoolean()
                || config.path("ignore_logging").asBoolean()) {
            return Optional.of("recorded with a mask, or without the break at a logger");
        }
        boolean plain = config.path("functorch").isEmpty()
                && List.of("default", "reduce-overhead")
                        .contains(config.path("mode").asText("default"))
                && !config.path("fullgraph").asBoolean()
                && config.path("backend").asText("inductor").equals("inductor");
        boolean settings = true;
        for (JsonNode setting : config.path("inductor")) {
            settings &= setting.asText().equals("shape_padding=false");
        }
        if (!plain || !settings || config.path("mask").asText("none").equals("full")) {
            return Optional.of("another mode of compiling");
        }
        return recorded.archive(Fixtures.models()).isPresent() ? recorded.obstacle() : Optional.of("no archive");
    }

    private Path archive() {
        return recorded.archive(Fixtures.models()).orElseThrow();
    }

    /** The whole question. */
    public PredictionRequest request() {
        JsonNode config = recording.config();
        JsonNode budget = config.path("memory_budget");
        boolean records = config.path("mode").asText("default").equals("reduce-overhead");
        Scenario run = recorded.training()
                .with(ScenarioSettings.COMPILE, true)
                .with(ScenarioSettings.COMPILE_MODE, records ? CompileMode.REDUCE_OVERHEAD : CompileMode.DEFAULT)
                .with(
                        ScenarioSettings.COMPILE_DYNAMIC,
                        config.path("dynamic").asText("auto").equals("true"))
                .with(
                        ScenarioSettings.COMPILE_REGIONS,
                        config.path("scope").asText().equals("blocks"))
                .with(ScenarioSettings.COMPILE_BUDGET, budget.isNumber() ? budget.asDouble() : null);
        boolean step = recording.config().path("compile_optimizer").asBoolean();
        boolean fuses = run.optimizer().kind().fusesIn(run.torch());
        Scenario asked = step && fuses ? run.with(ScenarioSettings.FUSED, true) : run;
        return recorded.request(Importers.read(archive(), asked), asked);
    }
}
