package dev.headroom.estimator.op;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * How operators were verified against the real PyTorch: by recorded cases of single operators, compared event by event,
 * or by whole recorded models, compared phase by phase.
 *
 * @param operator with its overload
 * @param cases how many cases that call it are played exactly
 * @param examples some of them, as {@code family/name}
 * @param models archives whose recordings are predicted exactly and whose programs call it
 */
public record Verification(String operator, int cases, List<String> examples, List<String> models) {
    private static final String RESOURCE = "/dev/headroom/estimator/op/verified.csv";

    /** All of them, by operator with its overload. */
    public static Map<String, Verification> all() {
        Map<String, Verification> out = new LinkedHashMap<>();
        try (BufferedReader in = new BufferedReader(
                new InputStreamReader(Verification.class.getResourceAsStream(RESOURCE), StandardCharsets.UTF_8))) {
            in.lines().skip(1).map(Verification::parse).forEach(v -> out.put(v.operator(), v));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out;
    }

    private static Verification parse(String line) {
        String[] row = line.split(",", -1);
        return new Verification(row[0], Integer.parseInt(row[1]), words(row[2]), words(row[3]));
    }

    private static List<String> words(String text) {
        return text.isBlank() ? List.of() : List.of(text.split(" "));
    }
}
