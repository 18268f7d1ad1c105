package dev.headroom.estimator.op;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/**
 * How many architectures of torchvision, timm and transformers call each operator ({@code
 * fixtures/operators/record_coverage.py} counts them; {@code use.csv} is its count, the first row that of all models).
 */
public final class OperatorUse {
    private static final String RESOURCE = "/dev/headroom/estimator/op/use.csv";
    private static final String ALL = "models";

    private final Map<String, Integer> calling;

    private OperatorUse(Map<String, Integer> calling) {
        this.calling = calling;
    }

    /** The counts that come with Headroom. */
    public static OperatorUse recorded() {
        Map<String, Integer> out = new HashMap<>();
        try (BufferedReader in = new BufferedReader(
                new InputStreamReader(OperatorUse.class.getResourceAsStream(RESOURCE), StandardCharsets.UTF_8))) {
            in.lines().skip(1).map(l -> l.split(",")).forEach(row -> out.put(row[0], Integer.parseInt(row[1])));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new OperatorUse(out);
    }

    /** How many models were counted. */
    public int models() {
        return calling.getOrDefault(ALL, 0);
    }

    /** Of a thousand models, how many call an operator, by its name with the overload. */
    public double inThousand(String operator) {
        return models() == 0 ? 0 : 1000.0 * calling.getOrDefault(operator, 0) / models();
    }
}
