package dev.headroom.validation;

import com.fasterxml.jackson.databind.JsonNode;
import dev.headroom.device.Gpu;
import dev.headroom.device.GpuCatalogue;
import dev.headroom.fixtures.Recording;
import dev.headroom.graph.DType;
import dev.headroom.graph.Graph;
import dev.headroom.importer.Importers;
import dev.headroom.predict.PredictionRequest;
import dev.headroom.training.LossKind;
import dev.headroom.training.OptimizerKind;
import dev.headroom.training.TrainingRun;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Turns the {@code config} of a recording into the question that Headroom should answer alike. */
public final class RecordedRun {
    private final Recording recording;
    private final JsonNode config;

    public RecordedRun(Recording recording) {
        this.recording = recording;
        this.config = recording.config();
    }

    /** What keeps this run from being asked for, such as an option without a counterpart. */
    public Optional<String> obstacle() {
        if (config.path("no_cudnn").asBoolean()) {
            return Optional.of("recorded without cuDNN");
        }
        if (config.path("hf_use_cache").asBoolean()) {
            return Optional.of("recorded with a key/value cache that the archive does not have");
        }
        return Optional.empty();
    }

    /** The archive of the model: the one of the run's image size or sequence length, else the plain one. */
    public Optional<Path> archive(Path models) {
        String model = config.path("model").asText();
        List<String> names = new ArrayList<>();
        for (String size : List.of(
                "-i" + config.path("image_size").asLong(),
                "-s" + config.path("seq").asLong(),
                "")) {
            if (config.path("inference").asBoolean()) {
                names.add(model + size + "-eval");
            }
            if (!attention().equals("default")) {
                names.add(model + size + "-" + attention());
            } else {
                names.add(model + size);
            }
        }
        return names.stream()
                .map(name -> models.resolve(name + ".pt2"))
                .filter(Files::exists)
                .findFirst();
    }

    /** The whole question. */
    public PredictionRequest request(Path archive) {
        Graph graph = Importers.read(archive);
        JsonNode limit = config.path("limit_bytes");
        return new PredictionRequest(
                graph,
                training(),
                gpu(),
                recording.root().path("total_bytes").asLong(),
                0,
                limit.isNumber() ? limit.asLong() : null);
    }

    /** The options of the training loop. */
    public TrainingRun training() {
        TrainingRun run = new TrainingRun();
        run.batch = config.path("batch").asLong();
        run.optimizer = optimizer();
        run.foreach = TrainingRun.Foreach.valueOf(word("foreach", "auto"));
        run.fused = config.path("fused").asBoolean();
        run.dtype = type("dtype");
        run.amp = type("amp");
        run.loss = loss();
        String checkpoint = config.path("checkpoint").asText("none");
        run.checkpoint = checkpoint.equals("none") ? 0 : Integer.parseInt(checkpoint);
        List<String> modules = new ArrayList<>();
        config.path("checkpoint_modules").forEach(m -> modules.add(m.asText()));
        run.checkpointModules = List.copyOf(modules);
        String reentrant = config.path("reentrant").asText("auto");
        run.reentrant = reentrant.equals("auto") ? null : Boolean.valueOf(reentrant);
        run.accumulate = config.path("accumulate").asInt(1);
        run.steps = config.path("steps").asInt(3);
        run.zeroGradKeep = !config.path("set_to_none").asBoolean(true);
        run.channelsLast = config.path("channels_last").asBoolean();
        run.cudnnBenchmark = config.path("cudnn_benchmark").asBoolean();
        run.cudnnWorkspace = workspace();
        run.attention = TrainingRun.Attention.valueOf(word("sdp", "auto"));
        run.inputGrad = config.path("input_grad").asBoolean();
        run.dropOutputs = config.path("drop_outputs").asBoolean();
        run.inference = config.path("inference").asBoolean();
        run.allocConf = config.path("alloc_conf").asText("");
        String[] version =
                recording.root().path("versions").path("torch").asText("2.14").split("[.+]");
        run.torch = version[0] + "." + version[1];
        return run;
    }

    private String attention() {
        return config.path("attention").asText("default");
    }

    /** An optimizer that never steps holds nothing. */
    private OptimizerKind optimizer() {
        String name = config.path("no_optimizer_step").asBoolean()
                ? "none"
                : config.path("optimizer").asText("adamw");
        for (OptimizerKind kind : OptimizerKind.values()) {
            if (kind.option().equals(name)) {
                return kind;
            }
        }
        throw new IllegalArgumentException(recording.name() + ": unknown optimizer " + name);
    }

    /** The recorder's own models have their losses in its file {@code models.py}. */
    private LossKind loss() {
        return config.path("model").asText().startsWith("cnn-") ? LossKind.MSE : LossKind.AUTO;
    }

    /** Without the real cuDNN, convolutions got a fixed workspace; with it, what cuDNN asks for. */
    private Long workspace() {
        JsonNode environment = recording.root().path("environment");
        boolean fixed = recording.root().path("null_libraries").asBoolean()
                && environment.path("NULLCUDA_CUDNN").asText("none").equals("none");
        return fixed ? (Long) environment.path("NULLCUDA_CUDNN_WORKSPACE_BYTES").asLong(0) : null;
    }

    private Gpu gpu() {
        String title = recording.root().path("device").asText();
        JsonNode capability = recording.root().path("capability");
        Optional<Gpu> known = GpuCatalogue.all().stream()
                .filter(gpu -> gpu.title().equals(title))
                .findFirst();
        return new Gpu(
                known.map(Gpu::name).orElse(title),
                title,
                recording.root().path("total_bytes").asLong(),
                capability.path(0).asInt(),
                capability.path(1).asInt(),
                known.map(Gpu::sms).orElse(0),
                "recording " + recording.name());
    }

    private DType type(String key) {
        return switch (config.path(key).asText("")) {
            case "fp32" -> DType.FLOAT32;
            case "fp16" -> DType.FLOAT16;
            case "bf16" -> DType.BFLOAT16;
            default -> null;
        };
    }

    private String word(String key, String otherwise) {
        return config.path(key).asText(otherwise).toUpperCase(Locale.ROOT);
    }
}
