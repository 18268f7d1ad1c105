package dev.headroom.model.units;

import java.math.BigDecimal;
import java.math.RoundingMode;

/**
 * Numbers with a fixed number of places after the point, as {@code String.format} writes them. That looks up what the
 * language of a terminal calls a digit, which takes longer than a small prediction.
 */
public final class Decimals {
    private Decimals() {}

    /**
     * Rounds half away from zero.
     *
     * @param value finite
     * @param places after the point
     */
    public static String fixed(double value, int places) {
        return BigDecimal.valueOf(value).setScale(places, RoundingMode.HALF_UP).toPlainString();
    }
}
