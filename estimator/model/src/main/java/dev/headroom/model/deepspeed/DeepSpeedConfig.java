package dev.headroom.model.deepspeed;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.headroom.model.error.UserInputException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * DeepSpeed's JSON as far as it decides about the memory of a GPU.
 *
 * @param zero the section of ZeRO
 * @param training what else it says
 * @param warnings a line for each key that counts for nothing here
 */
public record DeepSpeedConfig(ZeroSection zero, Training training, List<String> warnings) {
    /** The key of the section of ZeRO. */
    private static final String ZERO = "zero_optimization";

    /** Keys that stand beside the section: a text without any of them is the section itself. */
    private static final Set<String> BESIDE = Set.of(
            ZERO,
            "fp16",
            "bf16",
            "optimizer",
            "gradient_clipping",
            "gradient_accumulation_steps",
            "train_batch_size",
            "train_micro_batch_size_per_gpu");

    public DeepSpeedConfig {
        warnings = List.copyOf(warnings);
    }

    /**
     * Reads a configuration.
     *
     * @param json text of the file, or of its section {@code zero_optimization} alone
     * @throws UserInputException for what is no configuration of DeepSpeed's
     */
    public static DeepSpeedConfig parse(String json) {
        JsonNode tree = tree(json);
        boolean whole = BESIDE.stream().anyMatch(tree::has);
        return read(new ConfigSection(
                "", whole ? tree : new ObjectMapper().createObjectNode().set(ZERO, tree)));
    }

    private static JsonNode tree(String json) {
        try {
            return new ObjectMapper().readTree(json);
        } catch (JsonProcessingException e) {
            throw new UserInputException("`ds_config`: not JSON: " + e.getOriginalMessage(), e);
        }
    }

    private static DeepSpeedConfig read(ConfigSection whole) {
        ZeroSection zero = ZeroSection.read(whole.section(ZERO));
        Training training = Training.read(whole);
        List<String> warnings = new ArrayList<>();
        whole.unread().forEach(key -> warnings.add("`ds_config`: " + key + " is not known and counts for nothing"));
        whole.unmodelled()
                .forEach(key -> warnings.add("`ds_config`: " + key + " is not modelled and counts for nothing"));
        whole.undecided().stream()
                .filter(key -> key.startsWith(ZERO))
                .forEach(key -> warnings.add("`ds_config`: " + key + " is \"auto\", which is DeepSpeed's default here;"
                        + " transformers derives it from the hidden size: name the number"));
        return new DeepSpeedConfig(zero, training, warnings);
    }
}
