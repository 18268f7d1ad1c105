package dev.headroom.executor.quant;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.zip.GZIPInputStream;

/**
 * What bitsandbytes 0.50.2 computed on a CPU: its code books, a weight of 24 x 64 numbers quantised in every way, and
 * two steps of {@code AdamW8bit(lr=1e-3, weight_decay=0.01)} on 64 x 64 numbers. A line a tensor: its name and values.
 */
public final class BitsandbytesValues {
    private static final Map<String, double[]> ALL = read();

    private BitsandbytesValues() {}

    private static Map<String, double[]> read() {
        Map<String, double[]> out = new HashMap<>();
        try (BufferedReader in = new BufferedReader(new InputStreamReader(
                new GZIPInputStream(
                        Objects.requireNonNull(BitsandbytesValues.class.getResourceAsStream("bitsandbytes.txt.gz"))),
                StandardCharsets.UTF_8))) {
            in.lines().forEach(line -> {
                String[] words = line.split(" ");
                out.put(
                        words[0],
                        Arrays.stream(words)
                                .skip(1)
                                .mapToDouble(Double::parseDouble)
                                .toArray());
            });
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out;
    }

    /** The values of a name. */
    public static double[] of(String name) {
        return Objects.requireNonNull(ALL.get(name), name).clone();
    }
}
