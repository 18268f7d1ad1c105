package dev.headroom.model.family.generation;

/** Variables of {@code generate()} that live from pass to pass. */
final class Names {
    /** Of the batch: what the model's modules are given. */
    static final String INPUT_IDS = "input_ids";

    static final String ATTENTION_MASK = "attention_mask";
    static final String POSITION_IDS = "position_ids";

    /** The prompt and what was generated. */
    static final String TOKENS = "tokens";

    /** {@code model_kwargs}. */
    static final String KWARGS_MASK = "model_kwargs_attention_mask";

    static final String KWARGS_POSITIONS = "model_kwargs_position_ids";

    /** {@code model_inputs}, as the last pass got them. */
    static final String MODEL_IDS = "model_inputs_input_ids";

    static final String MODEL_POSITIONS = "model_inputs_position_ids";
    static final String MODEL_MASK = "model_inputs_attention_mask";

    /** {@code outputs.logits}. */
    static final String LOGITS = "outputs_logits";

    static final String NEXT_LOGITS = "next_token_logits";
    static final String NEXT_TOKENS = "next_tokens";
    static final String UNFINISHED = "unfinished_sequences";

    private Names() {}
}
