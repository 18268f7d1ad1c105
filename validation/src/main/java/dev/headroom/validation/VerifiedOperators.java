package dev.headroom.validation;

import dev.headroom.fixtures.Fixtures;
import dev.headroom.fixtures.OperatorCase;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Node;
import dev.headroom.model.importer.Importers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * Writes {@code verified.csv} of the estimator: which operators the recorded cases and models verify. {@code
 * VerifiedOperators FILE}.
 */
public final class VerifiedOperators {
    private static final int EXAMPLES = 3;

    private VerifiedOperators() {}

    /** See the class. */
    public static void main(String[] args) throws IOException {
        Files.writeString(Path.of(args[0]), text());
    }

    /** The file's text: a row an operator, with its overload. */
    public static String text() throws IOException {
        Set<String> open = OperatorCase.open();
        Map<String, List<String>> cases = new TreeMap<>();
        for (OperatorCase c : OperatorCase.all()) {
            if (!open.contains(c.label())) {
                c.operators().forEach(o -> cases.computeIfAbsent(o, k -> new ArrayList<>())
                        .add(c.label()));
            }
        }
        Map<String, Set<String>> models = new TreeMap<>();
        for (Path archive : archives()) {
            String name = archive.getFileName().toString().replace(".pt2", "");
            operators(Importers.read(archive)).forEach(o -> models.computeIfAbsent(o, k -> new TreeSet<>())
                    .add(name));
        }
        Set<String> all = new TreeSet<>(cases.keySet());
        all.addAll(models.keySet());
        StringBuilder out = new StringBuilder("operator,cases,examples,models\n");
        for (String operator : all) {
            List<String> labels = cases.getOrDefault(operator, List.of());
            out.append(operator)
                    .append(',')
                    .append(labels.size())
                    .append(',')
                    .append(String.join(" ", labels.stream().limit(EXAMPLES).toList()))
                    .append(',')
                    .append(String.join(
                            " ",
                            models.getOrDefault(operator, Set.of()).stream()
                                    .limit(EXAMPLES)
                                    .toList()))
                    .append('\n');
        }
        return out.toString();
    }

    private static List<Path> archives() throws IOException {
        if (!Files.isDirectory(Fixtures.models())) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(Fixtures.models())) {
            return files.filter(f -> f.toString().endsWith(".pt2")).sorted().toList();
        }
    }

    private static Set<String> operators(Graph graph) {
        Set<String> out = new TreeSet<>();
        for (Node node : graph.nodes()) {
            if (node.target().startsWith("aten.")) {
                out.add(node.target());
            }
        }
        return out;
    }
}
