package dev.headroom.executor;

import static dev.headroom.model.scenario.ScenarioSettings.ACCUMULATE;
import static dev.headroom.model.scenario.ScenarioSettings.ALLOC_CONF;
import static dev.headroom.model.scenario.ScenarioSettings.AMP;
import static dev.headroom.model.scenario.ScenarioSettings.BATCH;
import static dev.headroom.model.scenario.ScenarioSettings.CHANNELS_LAST;
import static dev.headroom.model.scenario.ScenarioSettings.DROP_OUTPUTS;
import static dev.headroom.model.scenario.ScenarioSettings.DTYPE;
import static dev.headroom.model.scenario.ScenarioSettings.FOREACH;
import static dev.headroom.model.scenario.ScenarioSettings.FUSED;
import static dev.headroom.model.scenario.ScenarioSettings.INFERENCE;
import static dev.headroom.model.scenario.ScenarioSettings.INPUT_GRAD;
import static dev.headroom.model.scenario.ScenarioSettings.LOSS;
import static dev.headroom.model.scenario.ScenarioSettings.OPTIMIZER;
import static dev.headroom.model.scenario.ScenarioSettings.STEPS;
import static dev.headroom.model.scenario.ScenarioSettings.ZERO_GRAD_KEEP;

import com.fasterxml.jackson.databind.JsonNode;
import dev.headroom.allocator.AllocatorSettings;
import dev.headroom.allocator.CachingAllocator;
import dev.headroom.executor.kernel.Backend;
import dev.headroom.executor.kernel.NoKernels;
import dev.headroom.executor.program.Preparation;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.runtime.Settings;
import dev.headroom.executor.train.Training;
import dev.headroom.fixtures.Fixtures;
import dev.headroom.fixtures.Recording;
import dev.headroom.model.device.GpuCatalogue;
import dev.headroom.model.graph.DType;
import dev.headroom.model.importer.Importers;
import dev.headroom.model.run.PhaseMemory;
import dev.headroom.model.scenario.LossKind;
import dev.headroom.model.scenario.OptimizerKind;
import dev.headroom.model.scenario.Scenario;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** Runs a recorded training run again, on an allocator whose kernels do nothing. */
final class Recorded {
    private Recorded() {}

    /** The phases of the executor's run, in order. */
    static List<PhaseMemory> replay(Recording recording) {
        return run(recording).phases();
    }

    /** A run that ended. */
    record Run(List<PhaseMemory> phases, Eager eager) {}

    static Run run(Recording recording) {
        Scenario run = training(recording.config());
        List<PhaseMemory> phases = new ArrayList<>();
        try (Backend none = NoKernels.over(recording.root().path("total_bytes").asLong())) {
            AllocatorSettings settings =
                    run.allocConf().isEmpty() ? AllocatorSettings.defaults() : AllocatorSettings.parse(run.allocConf());
            Eager eager = new Eager(
                    new CachingAllocator(settings, none.memory()),
                    none,
                    new Settings(
                            GpuCatalogue.find("h200").orElseThrow(),
                            run.kernels().attention(),
                            1));
            eager.log().keepChanges();
            Training training =
                    new Training(eager, Preparation.of(Importers.read(archive(recording.config())), run), phases::add);
            training.prepare((name, t) -> {});
            training.run();
            return new Run(phases, eager);
        }
    }

    /** The archive of a run's model. */
    private static Path archive(JsonNode config) {
        String model = config.path("model").asText();
        List<String> names = new ArrayList<>();
        for (String size : List.of(
                "-i" + config.path("image_size").asLong(),
                "-s" + config.path("seq").asLong(),
                "")) {
            if (config.path("inference").asBoolean()) {
                names.add(model + size + "-eval");
            }
            String attention = config.path("attention").asText("default");
            names.add(model + size + (attention.equals("default") ? "" : "-" + attention));
        }
        return names.stream()
                .map(name -> Fixtures.models().resolve(name + ".pt2"))
                .filter(Files::exists)
                .findFirst()
                .orElseThrow();
    }

    private static Scenario training(JsonNode config) {
        Scenario run = Scenario.defaults().with(BATCH, config.path("batch").asLong());
        String optimizer = config.path("optimizer").asText();
        run = run.with(
                        OPTIMIZER,
                        Arrays.stream(OptimizerKind.values())
                                .filter(kind -> kind.option().equals(optimizer))
                                .findFirst()
                                .orElseThrow())
                .with(
                        FOREACH,
                        Scenario.Foreach.valueOf(
                                config.path("foreach").asText("auto").toUpperCase(Locale.ROOT)))
                .with(FUSED, config.path("fused").asBoolean())
                .with(DTYPE, type(config.path("dtype").asText("fp32")))
                .with(
                        AMP,
                        config.path("amp").isTextual() ? type(config.path("amp").asText()) : null)
                .with(LOSS, config.path("model").asText().startsWith("cnn-") ? LossKind.MSE : LossKind.AUTO)
                .with(STEPS, config.path("steps").asInt(3))
                .with(ACCUMULATE, config.path("accumulate").asInt(1))
                .with(ZERO_GRAD_KEEP, !config.path("set_to_none").asBoolean(true))
                .with(CHANNELS_LAST, config.path("channels_last").asBoolean())
                .with(INPUT_GRAD, config.path("input_grad").asBoolean())
                .with(DROP_OUTPUTS, config.path("drop_outputs").asBoolean())
                .with(INFERENCE, config.path("inference").asBoolean())
                .with(ALLOC_CONF, config.path("alloc_conf").asText(""));
        return run;
    }

    private static DType type(String name) {
        return switch (name) {
            case "fp16" -> DType.FLOAT16;
            case "bf16" -> DType.BFLOAT16;
            default -> null;
        };
    }
}
