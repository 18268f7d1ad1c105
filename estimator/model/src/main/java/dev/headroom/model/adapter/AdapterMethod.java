package dev.headroom.model.adapter;

/**
 * Ways of peft, other than LoRA, to train few parameters of a model. What a layer of one computes is in {@code
 * peft/AdapterLayer}.
 */
public enum AdapterMethod {
    /** Three factors, of which the middle one is a diagonal of singular values (AdaLoRA). */
    ADALORA(12, true),
    /** The element-wise product of two products of two matrices. */
    LOHA(8, false),
    /** The Kronecker product of a small matrix and a larger one. */
    LOKR(8, false),
    /** Two frozen random matrices for the whole model, and two vectors a layer. */
    VERA(256, true),
    /** Inputs are turned by blocks of an orthogonal matrix. */
    OFT(32, false),
    /** Trained tokens before those of the texts. */
    PROMPT_TUNING(20, false),
    /** The same, as a small network makes them. */
    P_TUNING(20, false),
    /** Trained keys and values before those of the texts, in every layer. */
    PREFIX_TUNING(20, false),
    /** Copies of the norms. */
    LN_TUNING(0, false),
    /** Results, or inputs of feed-forward layers, times a vector. */
    IA3(0, false);

    private final int size;
    private final boolean drops;

    AdapterMethod(int size, boolean drops) {
        this.size = size;
        this.drops = drops;
    }

    /** Peft's own rank, size of blocks or number of tokens; 0 where the method has none. */
    public int usualSize() {
        return size;
    }

    /** Whether it trains tokens, and adapts no layer. */
    public boolean isPrompt() {
        return this == PROMPT_TUNING || this == P_TUNING;
    }

    /** Whether inputs may be dropped ({@code lora_dropout}, {@code vera_dropout}). */
    public boolean drops() {
        return drops;
    }
}
