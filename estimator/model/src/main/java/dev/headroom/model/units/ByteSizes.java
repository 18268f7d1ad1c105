package dev.headroom.model.units;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Memory sizes as people write them: {@code 24GiB}, {@code 40GB}, {@code 512M}, {@code 8589934592}. {@code KiB},
 * {@code MiB} ... and the single letters are powers of 1024, as in PyTorch's messages and nvidia-smi; {@code KB},
 * {@code MB} ... are powers of 1000, as on a data sheet. A fraction of a byte is dropped.
 */
public final class ByteSizes {
    private static final Pattern SIZE = Pattern.compile("(\\d{1,30}(?:\\.\\d{1,30})?)\\s*([a-z]*)");
    private static final BigDecimal MOST = BigDecimal.valueOf(Long.MAX_VALUE);
    private static final Map<String, Long> UNITS = Map.ofEntries(
            Map.entry("", 1L),
            Map.entry("b", 1L),
            Map.entry("k", 1L << 10),
            Map.entry("m", 1L << 20),
            Map.entry("g", 1L << 30),
            Map.entry("t", 1L << 40),
            Map.entry("kib", 1L << 10),
            Map.entry("mib", 1L << 20),
            Map.entry("gib", 1L << 30),
            Map.entry("tib", 1L << 40),
            Map.entry("kb", 1_000L),
            Map.entry("mb", 1_000_000L),
            Map.entry("gb", 1_000_000_000L),
            Map.entry("tb", 1_000_000_000_000L));

    private ByteSizes() {}

    /**
     * Bytes.
     *
     * @throws IllegalArgumentException when the text is no size, with a message that says why
     */
    public static long parse(String text) {
        Matcher m = SIZE.matcher(text.strip().toLowerCase(Locale.ROOT));
        Long unit = m.matches() ? UNITS.get(m.group(2)) : null;
        if (unit == null) {
            throw new IllegalArgumentException(
                    "'" + text + "' is not a size; write it like 24GiB, 40GB, 512M or 8589934592");
        }
        BigDecimal bytes =
                new BigDecimal(m.group(1)).multiply(BigDecimal.valueOf(unit)).setScale(0, RoundingMode.DOWN);
        if (bytes.compareTo(MOST) > 0) {
            throw new IllegalArgumentException("'" + text + "' is more than 8 EiB; check the unit");
        }
        return bytes.longValueExact();
    }
}
