package dev.headroom.estimator.op.rule;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** ATen's operators as PyTorch declares them ({@code fixtures/operators/list_operators.py} writes the list). */
public final class AtenOperators {
    private static final String RESOURCE = "/dev/headroom/estimator/op/aten.csv";
    private static final Map<String, Declared> ALL = read();

    private AtenOperators() {}

    /** How an operator's gradient comes about. */
    public enum Gradient {
        /** By a node of its own (derivatives.yaml). */
        DERIVATIVE,
        /** By those of the operators that it calls. */
        COMPOSITE,
        /** Not at all. */
        NONE
    }

    /**
     * @param operator with its overload, such as {@code aten.add.Tensor}
     * @param arguments names in the schema's order
     */
    public record Declared(String operator, Gradient gradient, List<String> arguments) {}

    /** All of them, in alphabetical order. */
    public static Collection<Declared> all() {
        return ALL.values();
    }

    /** Names of an operator's arguments; an operator that is not listed is a mistake of a rule. */
    public static List<String> arguments(String operator) {
        Declared found = ALL.get(operator);
        if (found == null) {
            throw new IllegalArgumentException(operator + " is no operator of the list");
        }
        return found.arguments();
    }

    private static Map<String, Declared> read() {
        Map<String, Declared> out = new LinkedHashMap<>();
        try (BufferedReader in = new BufferedReader(
                new InputStreamReader(AtenOperators.class.getResourceAsStream(RESOURCE), StandardCharsets.UTF_8))) {
            in.lines().skip(1).map(l -> l.split(",", -1)).forEach(row -> out.put(row[0], declared(row)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return java.util.Collections.unmodifiableMap(out);
    }

    private static Declared declared(String[] row) {
        List<String> arguments = row[2].isBlank() ? List.of() : List.of(row[2].split(" "));
        return new Declared(row[0], Gradient.valueOf(row[1].toUpperCase(java.util.Locale.ROOT)), arguments);
    }
}
