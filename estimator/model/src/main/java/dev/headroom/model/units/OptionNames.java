package dev.headroom.model.units;

import dev.headroom.model.graph.DType;
import java.util.Locale;

/** How the command line and reports write values. */
public final class OptionNames {
    private OptionNames() {}

    /** {@code fp64}, {@code fp32}, {@code fp16}, {@code bf16}; any other type under PyTorch's name. */
    public static String of(DType type) {
        return switch (type) {
            case FLOAT32 -> "fp32";
            case FLOAT64 -> "fp64";
            case FLOAT16 -> "fp16";
            case BFLOAT16 -> "bf16";
            default -> type.torchName();
        };
    }

    /** {@code CROSS_ENTROPY} is written {@code cross-entropy}. */
    public static String of(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** {@code GROUPED_MM} is written {@code grouped_mm}, as in Python. */
    public static String ofUnderscored(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }
}
