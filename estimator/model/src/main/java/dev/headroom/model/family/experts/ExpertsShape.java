package dev.headroom.model.family.experts;

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
public record ExpertsShape(String type, long count, long chosen, long width, long hidden, boolean gptOss) {}
