package dev.headroom.model.script;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A function of a loop's lines: an operator of ATen under the name that {@code torch} or {@code torch.nn.functional}
 * has for it. The table is the resource {@code functions.csv}.
 *
 * @param target operator and overload, such as {@code aten.mse_loss.default}
 */
public record Function(String name, String target, List<Parameter> parameters) {
    private static final String RESOURCE = "functions.csv";

    /** @param usual its default as text, "" for one that is left out; {@code null} where it must be given */
    public record Parameter(String name, @Nullable String usual) {}

    /** The function of a name. */
    public static Optional<Function> of(String name) {
        return Optional.ofNullable(Holder.BY_NAME.get(name));
    }

    /** Every name. */
    public static Set<String> names() {
        return Holder.BY_NAME.keySet();
    }

    /** How it is called: {@code kl_div(self, target, reduction=1)}. */
    public String signature() {
        List<String> words = new ArrayList<>();
        parameters.forEach(p -> words.add(p.usual == null ? p.name : p.name + "=" + p.usual));
        return name + "(" + String.join(", ", words) + ")";
    }

    private static Function read(String line) {
        String[] f = line.split(",", 3);
        List<Parameter> parameters = new ArrayList<>();
        for (String word : f[2].split(" ")) {
            String[] parts = word.split("=", 2);
            parameters.add(new Parameter(parts[0], parts.length == 1 ? null : parts[1]));
        }
        return new Function(f[0], f[1], List.copyOf(parameters));
    }

    /** Reads the table when a function is first asked for. */
    private static final class Holder {
        static final Map<String, Function> BY_NAME = table();

        private static Map<String, Function> table() {
            Map<String, Function> all = new LinkedHashMap<>();
            try (InputStream in = Objects.requireNonNull(Function.class.getResourceAsStream(RESOURCE));
                    BufferedReader lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
                lines.lines()
                        .filter(line -> !line.startsWith("#"))
                        .map(Function::read)
                        .forEach(f -> all.put(f.name, f));
            } catch (IOException e) {
                throw new UncheckedIOException(RESOURCE, e);
            }
            return all;
        }
    }
}
