package dev.headroom.model.deepspeed;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.DType;
import java.util.List;

/**
 * DeepSpeed's JSON as far as it decides about the memory of a GPU.
 *
 * @param zero the section of ZeRO
 * @param type that the model is converted to, or {@code null}
 * @param checksOverflow whether steps look for gradients that are no numbers, in bfloat16; in float16 they always do
 * @param clips whether gradients are clipped
 */
public record DeepSpeedConfig(ZeroSection zero, DType type, boolean checksOverflow, boolean clips) {
    /** The key of the section of ZeRO. */
    static final String ZERO = "zero_optimization";

    /** Keys that stand beside the section: a text without any of them is the section itself. */
    private static final List<String> BESIDE = List.of(
            ZERO, "fp16", "bf16", "optimizer", "gradient_clipping", "gradient_accumulation_steps", "train_batch_size");

    /**
     * Reads a configuration.
     *
     * @param json text of the file, or of its section {@code zero_optimization} alone
     * @throws UserInputException for what is no configuration of DeepSpeed's
     */
    public static DeepSpeedConfig parse(String json) {
        JsonNode tree = tree(json);
        boolean whole = BESIDE.stream().anyMatch(tree::has) || tree.has("train_micro_batch_size_per_gpu");
        return read(new ConfigSection(
                "", whole ? tree : new ObjectMapper().createObjectNode().set(ZERO, tree)));
    }

    private static JsonNode tree(String json) {
        try {
            return new ObjectMapper().readTree(json);
        } catch (JsonProcessingException e) {
            throw new UserInputException("--ds-config: not JSON: " + e.getOriginalMessage(), e);
        }
    }

    private static DeepSpeedConfig read(ConfigSection whole) {
        ConfigSection bf16 = whole.section("bf16");
        ConfigSection fp16 = whole.section("fp16");
        boolean half = fp16.flag("enabled", false);
        boolean bfloat = bf16.flag("enabled", false);
        if (half && bfloat) {
            throw new UserInputException("--ds-config: fp16 and bf16 are both enabled; choose one");
        }
        return new DeepSpeedConfig(
                ZeroSection.read(whole.section(ZERO)),
                half ? DType.FLOAT16 : bfloat ? DType.BFLOAT16 : null,
                bf16.flag("check_grad_overflow", false),
                whole.number("gradient_clipping").orElse(0.0) > 0);
    }
}
