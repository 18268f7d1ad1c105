package dev.headroom.validation.trainer;

import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.fixtures.Fixtures;
import dev.headroom.model.device.GpuCatalogue;
import dev.headroom.model.importer.Importers;
import dev.headroom.model.scenario.Scenario;
import dev.headroom.model.scenario.ScenarioSettings;
import dev.headroom.model.scenario.Setting;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A run of the fms-acceleration repository: SFTTrainer on one A100, or with FSDP on two, packed sequences of 4,096
 * tokens, re-entrant checkpoints, FlashAttention, AdamW; LoRA of rank 16 and dropout 0.1 on the attention's layers
 * (scripts/benchmarks/scenarios.yaml and accelerate.yaml of that repository).
 *
 * @param batch sequences of a GPU
 * @param peak of allocated bytes; {@code null} when memory ran out
 */
public record FmsRow(
        int gpus,
        String model,
        String batch,
        String method,
        String config,
        String precision,
        String torch,
        String transformers,
        @Nullable Long peak) {
    /** Configs that ship, with the entries in which a model differs. */
    private static final Map<String, List<String>> CONFIGS = Map.of(
            "mistralai/Mistral-7B-v0.1",
            List.of("mistral-7b-v0.3", "vocab_size=32000"),
            "NousResearch/Meta-Llama-3-8B",
            List.of("llama-3.1-8b"),
            "NousResearch/Llama-2-7b-hf",
            List.of("llama-2-7b"),
            "NousResearch/Llama-2-70b-hf",
            List.of(
                    "llama-2-7b",
                    "hidden_size=8192",
                    "intermediate_size=28672",
                    "num_hidden_layers=80",
                    "num_attention_heads=64",
                    "num_key_value_heads=8"),
            "mistralai/Mixtral-8x7B-Instruct-v0.1",
            List.of("mixtral-8x7b"),
            "ibm/PowerLM-3b",
            List.of(
                    "granite-3.1-8b",
                    "vocab_size=49152",
                    "hidden_size=2304",
                    "intermediate_size=9216",
                    "num_attention_heads=36",
                    "num_key_value_heads=36",
                    "attention_bias=true",
                    "mlp_bias=true"));

    /** Configurations without kernels of the repository's own. */
    private static final List<String> STOCK = List.of("none", "baseline-peft-bnb", "accelerated-peft-bnb");

    /** All runs, in the files' order. */
    public static List<FmsRow> all() {
        return Stream.concat(read("fms.csv", 1), read("fms-fsdp.csv", 2)).toList();
    }

    private static Stream<FmsRow> read(String file, int gpus) {
        try {
            return Files.readAllLines(Fixtures.folder().resolve("published").resolve(file)).stream()
                    .skip(2)
                    .map(line -> line.split(";", -1))
                    .map(c -> new FmsRow(
                            gpus,
                            c[0],
                            c[1],
                            c[2],
                            c[3],
                            c[4],
                            c[5],
                            c[6],
                            c[7].isEmpty() ? null : Long.valueOf(c[7])));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Whether Headroom can be asked: no kernels of the repository's own, and a config that ships. */
    public boolean isStock() {
        return STOCK.contains(config) && CONFIGS.containsKey(model);
    }

    /** The question; empty for a model of a family that Headroom does not have. */
    public Optional<PredictionRequest> request() {
        List<String> entries = CONFIGS.getOrDefault(model, List.of());
        if (entries.isEmpty()) {
            return Optional.empty();
        }
        Scenario run = Scenario.defaults().on(GpuCatalogue.find("a100-80gb").orElseThrow());
        for (Map.Entry<String, List<String>> option :
                options(entries.subList(1, entries.size())).entrySet()) {
            Setting<?> setting = ScenarioSettings.written().stream()
                    .filter(s -> s.words().orElseThrow().word().equals(option.getKey()))
                    .findFirst()
                    .orElseThrow();
            run = with(run, setting, option.getValue());
        }
        return Optional.of(new PredictionRequest(Importers.read(Path.of(entries.get(0)), run), run));
    }

    private Map<String, List<String>> options(List<String> entries) {
        Map<String, List<String>> out = new TreeMap<>(Map.of(
                "batch", List.of(batch),
                "seq", List.of("4096"),
                "loop", List.of("sft"),
                "checkpoint", List.of("1"),
                "attention", List.of("flash"),
                "torch", List.of(torch),
                "transformers", List.of(transformers),
                "dtype", List.of(type(precision.substring(precision.indexOf('/') + 1)))));
        String mixed = precision.substring(0, precision.indexOf('/'));
        if (!mixed.equals("pure")) {
            out.put("amp", List.of(mixed));
        }
        if (!entries.isEmpty()) {
            out.put("set", entries);
        }
        if (method.equals("lora")) {
            out.put("lora", List.of("16"));
            out.put("lora-dropout", List.of("0.1"));
            out.put("targets", List.of("q_proj,k_proj,v_proj,o_proj"));
        }
        if (config.contains("bnb")) {
            out.put("quant", List.of("nf4"));
            out.put("double-quant", new ArrayList<>());
        }
        if (gpus > 1) {
            out.put("parallel", List.of("fsdp1"));
            out.put("world", List.of(String.valueOf(gpus)));
        }
        if (config.startsWith("accelerated") || (config.contains("bnb") && gpus > 1)) {
            out.put("no-kbit-prepare", new ArrayList<>());
        }
        return out;
    }

    private static String type(String torchName) {
        return torchName.equals("bfloat16") ? "bf16" : "fp16";
    }

    private static <T> Scenario with(Scenario run, Setting<T> setting, List<String> texts) {
        return run.with(
                setting,
                setting.words().orElseThrow().format().read().apply(texts.isEmpty() ? List.of("true") : texts));
    }

    @Override
    public String toString() {
        return model + " " + method + " " + config + " " + precision + " batch " + batch
                + (gpus > 1 ? " on " + gpus : "");
    }
}
