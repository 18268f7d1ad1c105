package dev.headroom.model.quant;

/** How bitsandbytes stores the weights of linear layers. */
public enum QuantKind {
    /** 4 bits: quantiles of a normal distribution. */
    NF4,
    /** 4 bits: a float of one sign, two exponent and one mantissa bits. */
    FP4,
    /** 8 bits: integers with a scale for each row (LLM.int8). */
    INT8;

    /** Whether two weights share a byte. */
    public boolean isFourBit() {
        return this != INT8;
    }
}
