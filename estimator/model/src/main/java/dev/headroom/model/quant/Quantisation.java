package dev.headroom.model.quant;

import dev.headroom.model.record.Withers;
import org.jspecify.annotations.Nullable;

/**
 * Which weights are quantised, and how the model comes to the GPU.
 *
 * @param kind how the weights of linear layers are stored; {@code null} for no quantisation
 * @param doubleQuant the scales of 4-bit blocks are quantised too
 * @param noKbitPrepare training goes without peft's {@code prepare_model_for_kbit_training}
 * @param load how the model comes to the GPU; {@code null}: {@link Load#TO} for a model from a {@code config.json}, in
 *     the script's own phase {@code model} for an archive. Quantised models always come by {@link Load#DEVICE_MAP}
 */
@Withers
public record Quantisation(
        @Nullable QuantKind kind,
        boolean doubleQuant,
        boolean noKbitPrepare,
        @Nullable Load load) implements QuantisationWithers.With {
    /** All weights as they are. */
    public static final Quantisation NONE = new Quantisation(null, false, false, null);

    /** Whether any weight is quantised. */
    public boolean any() {
        return kind != null;
    }

    /** Whether two weights share a byte. */
    public boolean isFourBit() {
        return kind != null && kind.isFourBit();
    }

    /**
     * How the model comes to the GPU in a phase of its own; {@code null} where it has none.
     *
     * @param otherwise what it does where the run says nothing
     */
    public @Nullable Load loads(@Nullable Load otherwise) {
        return any() ? Load.DEVICE_MAP : load == null ? otherwise : load;
    }
}
