package dev.headroom.model.family.experts;

import dev.headroom.model.family.config.ModelConfig;

/**
 * What a stack of experts is made of.
 *
 * @param type class name
 * @param count of experts
 * @param chosen experts a token
 * @param width of the hidden states
 * @param hidden width of an expert
 * @param gptOss whether weights lie as in gpt-oss: transposed, with biases, gates and what they gate taking turns
 */
public record ExpertsShape(String type, long count, long chosen, long width, long hidden, boolean gptOss) {
    /** Of Mixtral's and Granite's configs. */
    public static ExpertsShape local(String type, ModelConfig c, long width) {
        return new ExpertsShape(
                type,
                c.size("num_local_experts", 8),
                c.size("num_experts_per_tok", 2),
                width,
                c.size("intermediate_size"),
                false);
    }
}
