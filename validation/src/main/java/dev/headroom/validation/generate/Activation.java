package dev.headroom.validation.generate;

/** Element-wise functions of {@code torch.nn}. */
public enum Activation {
    RELU("ReLU", "relu", true, true),
    GELU("GELU", "gelu", false, false),
    SILU("SiLU", "silu", true, false),
    SIGMOID("Sigmoid", "sigmoid", false, true),
    TANH("Tanh", "tanh", false, true),
    LEAKY_RELU("LeakyReLU", "leaky_relu", true, false),
    ELU("ELU", "elu", true, false),
    HARDSWISH("Hardswish", "hardswish", true, false),
    SOFTPLUS("Softplus", "softplus", false, false),
    MISH("Mish", "mish", true, false);

    private final String type;
    private final String operator;
    private final boolean inPlace;
    private final boolean keepsResult;

    Activation(String type, String operator, boolean inPlace, boolean keepsResult) {
        this.type = type;
        this.operator = operator;
        this.inPlace = inPlace;
        this.keepsResult = keepsResult;
    }

    /** Class in {@code torch.nn}. */
    public String type() {
        return type;
    }

    /** ATen operator that works out of place; the other one has a {@code _} more. */
    public String operator() {
        return operator;
    }

    /** Whether the class takes {@code inplace=True}. */
    public boolean inPlace() {
        return inPlace;
    }

    /** Whether autograd keeps the result, which then nothing may change (tools/autograd/derivatives.yaml). */
    public boolean keepsResult() {
        return keepsResult;
    }
}
