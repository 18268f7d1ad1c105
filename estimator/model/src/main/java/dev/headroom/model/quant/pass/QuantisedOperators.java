package dev.headroom.model.quant.pass;

/** The operators of graphs with quantised weights, without their overloads. */
public final class QuantisedOperators {
    /** {@code bitsandbytes.nn.Linear4bit}. */
    public static final String LINEAR_4BIT = "bitsandbytes.linear_4bit";

    /** {@code bitsandbytes.nn.Linear8bitLt}. */
    public static final String LINEAR_8BIT = "bitsandbytes.linear_8bit_lt";

    /** {@code bitsandbytes.functional.dequantize_4bit}. */
    public static final String DEQUANTIZE_4BIT = "bitsandbytes.dequantize_4bit";

    /** {@code bitsandbytes.functional.int8_vectorwise_dequant}. */
    public static final String DEQUANTIZE_8BIT = "bitsandbytes.int8_vectorwise_dequant";

    private QuantisedOperators() {}

    /** Whether an operator is a layer with a quantised weight. */
    public static boolean isLinear(String operator) {
        return operator.equals(LINEAR_4BIT) || operator.equals(LINEAR_8BIT);
    }
}
