package dev.headroom.validation.finetune;

import com.fasterxml.jackson.databind.JsonNode;
import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.fixtures.Fixtures;
import dev.headroom.fixtures.Recording;
import dev.headroom.model.device.DeviceLines;
import dev.headroom.model.importer.Importers;
import dev.headroom.model.scenario.CudnnWorkspace;
import dev.headroom.model.scenario.DeviceBudget;
import dev.headroom.model.scenario.Scenario;
import dev.headroom.model.scenario.ScenarioSettings;
import dev.headroom.model.scenario.Setting;
import dev.headroom.model.scenario.TorchVersion;
import dev.headroom.validation.RecordedRun;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A recording of {@code record_finetune.py} as the question that Headroom should answer alike. */
public final class FinetuneRun {
    /** Options of the recorder that have another name in Headroom. */
    private static final Map<String, String> RENAMED =
            Map.of("max_norm", "clip_grad_norm", "offload", "checkpoint_offload", "sdp", "attention");

    /** What the recorder takes where an option is not given. */
    private static final Map<String, String> DEFAULTS = Map.ofEntries(
            Map.entry("adapter_dtype", "fp32"),
            Map.entry("attention", "default"),
            Map.entry("cache", "dynamic"),
            Map.entry("checkpoint_every", "1"),
            Map.entry("experts", "default"),
            Map.entry("generate", "0"),
            Map.entry("load", "to"),
            Map.entry("loop", "plain"),
            Map.entry("lora_alpha", "16"),
            Map.entry("lora_dropout", "0.0"),
            Map.entry("loss", "model"),
            Map.entry("mask", "none"),
            Map.entry("max_norm", "0.0"),
            Map.entry("reentrant", "default"),
            Map.entry("routing", "balanced"),
            Map.entry("sdp", "auto"));

    /** What is said by other means. */
    private static final List<String> NO_OPTIONS = List.of("config", "gpu", "limit_bytes", "trace", "trace_ops");

    private final Recording recording;

    public FinetuneRun(Recording recording) {
        this.recording = recording;
    }

    /** The recorder's options as Headroom's: words of the command line, with their texts. */
    public Map<String, List<String>> options() {
        JsonNode config = recording.config();
        Map<String, List<String>> out = new TreeMap<>();
        config.properties().forEach(e -> {
            String key = e.getKey();
            JsonNode value = e.getValue();
            boolean absent = value.isNull()
                    || value.isBoolean() && !value.asBoolean()
                    || value.isTextual() && value.asText().isEmpty()
                    || value.isArray() && value.isEmpty()
                    || value.asText().equals(DEFAULTS.get(key))
                    || key.equals("targets") && config.path("lora").isNull() && !config.has("adapter")
                    || key.equals("seq") && seesAlone()
                    || NO_OPTIONS.contains(key);
            if (!absent) {
                out.put(RENAMED.getOrDefault(key, key).replace('_', '-'), texts(key, value));
            }
        });
        return out;
    }

    /** Whether the model has no text, whose length the recorder has a default for. */
    private boolean seesAlone() {
        return recording.root().path("model").path("class").asText().endsWith("ForImageClassification");
    }

    private static List<String> texts(String key, JsonNode value) {
        if (value.isArray()) {
            List<String> all = new ArrayList<>();
            value.forEach(v -> all.add(v.asText()));
            return all;
        }
        return List.of(key.equals("checkpoint") ? "1" : value.asText());
    }

    /** Options that Headroom does not have. */
    public List<String> unknown() {
        return options().keySet().stream()
                .filter(word -> ScenarioSettings.written(word.replace('-', '_')).isEmpty() && setting(word) == null)
                .map(word -> "--" + word)
                .toList();
    }

    private static @Nullable Setting<?> setting(String word) {
        return ScenarioSettings.written().stream()
                .filter(s -> s.words().orElseThrow().word().equals(word))
                .findFirst()
                .orElse(null);
    }

    /** The scenario of the options that Headroom has, on no card yet. */
    public Scenario scenario() {
        boolean stubs = recording.root().path("null_libraries").asBoolean();
        String torch = recording.root().path("versions").path("torch").asText(TorchVersion.NEWEST.toString());
        Scenario run = Scenario.defaults()
                .with(ScenarioSettings.TORCH, TorchVersion.of(torch))
                .with(ScenarioSettings.CUDNN_WORKSPACE, stubs ? CudnnWorkspace.NONE : CudnnWorkspace.AUTO);
        for (Map.Entry<String, List<String>> e : options().entrySet()) {
            Setting<?> setting = setting(e.getKey());
            if (setting != null) {
                run = with(run, setting, e.getValue());
            }
        }
        return run;
    }

    private static <T> Scenario with(Scenario run, Setting<T> setting, List<String> texts) {
        return run.with(setting, setting.words().orElseThrow().format().read().apply(texts));
    }

    /** The whole question. */
    public PredictionRequest request() {
        Scenario run = scenario();
        String name = recording.config().path("config").asText();
        Path own = Fixtures.recordings().resolve("families").resolve(name);
        Path config = Files.isDirectory(own) ? own : Path.of(name);
        PredictionRequest request = new RecordedRun(recording).request(Importers.read(config, run), run);
        // The stub libraries take no memory of the card for themselves.
        long context =
                recording.root().path("null_libraries").asBoolean() ? DeviceLines.bytes(request.deviceLines()) : 0;
        DeviceBudget device = request.device();
        return request.with(request.scenario()
                .withDevice(new DeviceBudget(
                        device.gpu(),
                        recording.root().path("total_bytes").asLong() + context,
                        device.inUse(),
                        device.limit(),
                        device.placement())));
    }

    /** The same run as arguments of {@code headroom predict}. */
    public String arguments() {
        StringBuilder out = new StringBuilder(recording.config().path("config").asText());
        options()
                .forEach((word, texts) -> texts.forEach(text -> out.append(" --")
                        .append(word)
                        .append(text.equals("true") && !word.equals("reentrant") ? "" : " " + text)));
        return out.toString();
    }
}
