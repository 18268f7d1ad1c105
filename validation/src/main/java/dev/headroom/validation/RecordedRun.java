package dev.headroom.validation;

import static dev.headroom.model.scenario.ModelSettings.ENTRIES;
import static dev.headroom.model.scenario.ModelSettings.SEQ;
import static dev.headroom.model.scenario.ScenarioSettings.ACCUMULATE;
import static dev.headroom.model.scenario.ScenarioSettings.ALLOC_CONF;
import static dev.headroom.model.scenario.ScenarioSettings.AMP;
import static dev.headroom.model.scenario.ScenarioSettings.ATTENTION;
import static dev.headroom.model.scenario.ScenarioSettings.BATCH;
import static dev.headroom.model.scenario.ScenarioSettings.CHANNELS_LAST;
import static dev.headroom.model.scenario.ScenarioSettings.CHECKPOINT;
import static dev.headroom.model.scenario.ScenarioSettings.CHECKPOINT_MODULES;
import static dev.headroom.model.scenario.ScenarioSettings.CLIP_GRAD_NORM;
import static dev.headroom.model.scenario.ScenarioSettings.COMPILE_TUNED;
import static dev.headroom.model.scenario.ScenarioSettings.CUDNN_BENCHMARK;
import static dev.headroom.model.scenario.ScenarioSettings.CUDNN_WORKSPACE;
import static dev.headroom.model.scenario.ScenarioSettings.DROP_OUTPUTS;
import static dev.headroom.model.scenario.ScenarioSettings.DTYPE;
import static dev.headroom.model.scenario.ScenarioSettings.FOREACH;
import static dev.headroom.model.scenario.ScenarioSettings.FUSED;
import static dev.headroom.model.scenario.ScenarioSettings.INFERENCE;
import static dev.headroom.model.scenario.ScenarioSettings.INPUT_GRAD;
import static dev.headroom.model.scenario.ScenarioSettings.LOSS;
import static dev.headroom.model.scenario.ScenarioSettings.NEW_BATCHES;
import static dev.headroom.model.scenario.ScenarioSettings.OPTIMIZER;
import static dev.headroom.model.scenario.ScenarioSettings.REENTRANT;
import static dev.headroom.model.scenario.ScenarioSettings.STEPS;
import static dev.headroom.model.scenario.ScenarioSettings.TORCH;
import static dev.headroom.model.scenario.ScenarioSettings.ZERO_GRAD_BEFORE_BACKWARD;
import static dev.headroom.model.scenario.ScenarioSettings.ZERO_GRAD_KEEP;

import com.fasterxml.jackson.databind.JsonNode;
import dev.headroom.allocator.address.Placement;
import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.fixtures.Recording;
import dev.headroom.model.adapter.AdapterOptions;
import dev.headroom.model.device.Gpu;
import dev.headroom.model.device.GpuCatalogue;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.importer.Importers;
import dev.headroom.model.scenario.CudnnWorkspace;
import dev.headroom.model.scenario.DeviceBudget;
import dev.headroom.model.scenario.LossKind;
import dev.headroom.model.scenario.OptimizerKind;
import dev.headroom.model.scenario.Scenario;
import dev.headroom.model.scenario.TorchVersion;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Turns a recording into the question that Headroom should answer alike: its {@code scenario}, or in those of the
 * oracle its {@code config}.
 */
public final class RecordedRun {
    /** Before the name of a configuration that Headroom ships, where a model has no archive. */
    private static final String CONFIG = "config:";

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

    /**
     * The archive of the model: the named one, else the one of the run's image size or sequence length, else the plain
     * one.
     *
     * @throws UserInputException when the name is none or leads out of the folder
     */
    public Optional<Path> archive(Path models) {
        String named = recording.root().path("archive").asText(ownArchive());
        if (!named.isEmpty()) {
            Path file = file(models, named).normalize();
            if (!file.toAbsolutePath()
                    .normalize()
                    .startsWith(models.toAbsolutePath().normalize())) {
                throw new UserInputException("archive: " + named + " is outside of the recording's folder");
            }
            return Optional.of(file).filter(Files::exists);
        }
        String model = config.path("model").asText();
        if (model.startsWith(CONFIG)) {
            return Optional.of(Path.of(model.substring(CONFIG.length())));
        }
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

    private static Path file(Path folder, String name) {
        try {
            return folder.resolve(name);
        } catch (InvalidPathException e) {
            throw new UserInputException("archive: no file can have this name: " + e.getReason(), e);
        }
    }

    /** What a recording's archive is called unless it says otherwise; the oracle's recordings share theirs. */
    private String ownArchive() {
        return recording.root().has("scenario") ? recording.name() + ".pt2" : "";
    }

    /** The whole question. */
    public PredictionRequest request(Path archive) {
        return request(Importers.read(archive, training()));
    }

    /** The whole question about a graph that was read before. */
    public PredictionRequest request(Graph graph) {
        return request(graph, training());
    }

    /** A question about the recording's card. */
    public PredictionRequest request(Graph graph, Scenario run) {
        JsonNode root = recording.root();
        JsonNode limit = root.path("limit_bytes").isNumber() ? root.path("limit_bytes") : config.path("limit_bytes");
        return new PredictionRequest(
                graph,
                run.withDevice(new DeviceBudget(
                        gpu(),
                        root.path("total_bytes").asLong(),
                        root.path("in_use_bytes").asLong(),
                        limit.isNumber() ? limit.asLong() : null,
                        placement())));
    }

    private Placement placement() {
        boolean stubs = recording.root().path("null_libraries").asBoolean();
        return stubs ? Placement.ASCENDING : Placement.DRIVER;
    }

    /** The options of the training loop. */
    public Scenario training() {
        JsonNode scenario = recording.root().path("scenario");
        if (scenario.isObject()) {
            Scenario run = RecordedScenario.read(scenario)
                    .with(NEW_BATCHES, recording.root().path("new_batches").asBoolean())
                    .with(
                            ZERO_GRAD_BEFORE_BACKWARD,
                            recording.root().path("zero_grad_before_backward").asBoolean());
            CudnnWorkspace asked = run.kernels().cudnnWorkspace();
            return run.with(CUDNN_WORKSPACE, asked.bytes() == null ? workspace(asked.source()) : asked)
                    .with(TORCH, scenario.hasNonNull("torch") ? run.torch() : torch());
        }
        List<String> modules = texts("checkpoint_modules");
        String reentrant = config.path("reentrant").asText("auto");
        boolean configured = config.path("model").asText().startsWith(CONFIG);
        return Scenario.defaults()
                .with(SEQ, configured ? (Long) config.path("seq").asLong() : null)
                .with(ENTRIES, texts("set"))
                .with(BATCH, config.path("batch").asLong())
                .with(OPTIMIZER, optimizer())
                .with(FOREACH, word(Scenario.Foreach.class, "foreach"))
                .with(FUSED, config.path("fused").asBoolean())
                .with(DTYPE, type(config, "dtype"))
                .with(AMP, type(config, "amp"))
                .with(LOSS, loss())
                .with(CHECKPOINT, checkpoint())
                .with(CHECKPOINT_MODULES, modules)
                .with(REENTRANT, reentrant.equals("auto") ? null : Boolean.valueOf(reentrant))
                .with(ACCUMULATE, repetitions("accumulate", 1))
                .with(
                        CLIP_GRAD_NORM,
                        config.hasNonNull("clip_grad_norm")
                                ? config.path("clip_grad_norm").asDouble()
                                : null)
                .with(STEPS, repetitions("steps", 3))
                .with(ZERO_GRAD_KEEP, !config.path("set_to_none").asBoolean(true))
                .with(CHANNELS_LAST, config.path("channels_last").asBoolean())
                .with(CUDNN_BENCHMARK, config.path("cudnn_benchmark").asBoolean())
                .with(CUDNN_WORKSPACE, workspace(Scenario.Workspaces.AUTO))
                .with(COMPILE_TUNED, recording.root().path("null_libraries").asBoolean()) // there no kernel runs
                .with(ATTENTION, word(Scenario.Attention.class, "sdp"))
                .with(INPUT_GRAD, config.path("input_grad").asBoolean())
                .with(DROP_OUTPUTS, config.path("drop_outputs").asBoolean())
                .with(INFERENCE, config.path("inference").asBoolean())
                .with(ALLOC_CONF, config.path("alloc_conf").asText(""))
                .with(TORCH, torch())
                .withParallel(RecordedParallelism.of(config))
                .withAdapters(adapters());
    }

    private List<String> texts(String key) {
        List<String> out = new ArrayList<>();
        config.path(key).forEach(t -> out.add(t.asText()));
        return out;
    }

    /** Adapters beside parallel training. */
    private AdapterOptions adapters() {
        return config.hasNonNull("lora") && config.hasNonNull("parallel")
                ? AdapterOptions.NONE
                        .withLora(config.path("lora").asInt())
                        .withTargets(List.of(config.path("targets").asText().split(",")))
                : AdapterOptions.NONE;
    }

    /** Such as {@code 2.14} for {@code 2.14.1+cu130}. */
    private TorchVersion torch() {
        String text = recording.root().path("versions").path("torch").asText(TorchVersion.NEWEST.toString());
        String[] version = text.split("[.+]");
        if (version.length < 2) {
            throw new UserInputException("versions: torch is '" + text + "', not a version such as 2.14.1");
        }
        return TorchVersion.of(version[0] + "." + version[1]);
    }

    private String attention() {
        return config.path("attention").asText("default");
    }

    /** Steps, or micro-batches of one; each has phases of its own, unless memory ran out before. */
    private int repetitions(String key, int otherwise) {
        int asked = config.path(key).asInt(otherwise);
        int phases = recording.phases().size();
        if (asked > phases && phases > 0 && !recording.oom().isObject()) {
            throw new UserInputException(
                    "config." + key + " is " + asked + ", but " + phases + " phases are recorded; the file is damaged");
        }
        return asked;
    }

    /** An optimizer that never steps holds nothing. */
    private OptimizerKind optimizer() {
        String name = config.path("no_optimizer_step").asBoolean()
                ? "none"
                : config.path("optimizer").asText("adamw");
        return OptimizerKind.named(name).orElseThrow(() -> unknown("optimizer", name));
    }

    private int checkpoint() {
        String segments = config.path("checkpoint").asText("none");
        try {
            return segments.equals("none") ? 0 : Integer.parseInt(segments);
        } catch (NumberFormatException e) {
            throw unknown("checkpoint", segments);
        }
    }

    /** The recorder's own models have their losses in its file {@code models.py}. */
    private LossKind loss() {
        return config.path("model").asText().startsWith("cnn-") ? LossKind.MSE : LossKind.AUTO;
    }

    /** Null libraries gave convolutions a fixed workspace, or what the real cuDNN said where no driver was. */
    private CudnnWorkspace workspace(Scenario.Workspaces source) {
        CudnnWorkspace asked = CudnnWorkspace.from(source);
        if (!recording.root().path("null_libraries").asBoolean()) {
            return asked;
        }
        JsonNode environment = recording.root().path("environment");
        return environment.path("NULLCUDA_CUDNN").asText("none").equals("none")
                ? CudnnWorkspace.of(
                        environment.path("NULLCUDA_CUDNN_WORKSPACE_BYTES").asLong(0))
                : asked.withoutDriver();
    }

    private Gpu gpu() {
        String title = recording.root().path("device").asText();
        JsonNode capability = recording.root().path("capability");
        Optional<Gpu> known = GpuCatalogue.all().stream()
                .filter(gpu -> gpu.title().equals(title))
                .findFirst();
        int major = capability.path(0).asInt();
        int minor = capability.path(1).asInt();
        int sms = recording.root().path("sms").asInt(known.map(Gpu::sms).orElse(0));
        return new Gpu(
                known.map(Gpu::name).orElse(title),
                title,
                recording.root().path("total_bytes").asLong(),
                major,
                minor,
                sms,
                known.map(Gpu::l2).orElse(Gpu.usualL2(major, minor, sms)),
                "recording " + recording.name());
    }

    /** A type that a recording's settings name; {@code null} for none. */
    static @Nullable DType type(JsonNode config, String key) {
        return switch (config.path(key).asText("")) {
            case "fp32" -> DType.FLOAT32;
            case "fp16" -> DType.FLOAT16;
            case "bf16" -> DType.BFLOAT16;
            default -> null;
        };
    }

    private <E extends Enum<E>> E word(Class<E> type, String key) {
        String word = config.path(key).asText("auto");
        for (E value : type.getEnumConstants()) {
            if (value.name().toLowerCase(Locale.ROOT).equals(word)) {
                return value;
            }
        }
        throw unknown(key, word);
    }

    private static UserInputException unknown(String key, String value) {
        return new UserInputException("config: " + key + " '" + value + "' is not known");
    }
}
