package dev.headroom.executor.program;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.importer.Importers;
import dev.headroom.model.rewrite.SkippedMasks;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.zip.GZIPInputStream;

/**
 * When Python dropped the tensors of an eager forward pass, as {@code fixtures/lifetimes/record_lifetimes.py} wrote it
 * down, under the names of an exported graph.
 */
final class RecordedLifetimes {
    /** A tensor: the values that are it, when it was dropped (the node, or -1), and when it is predicted to be. */
    record Difference(List<String> values, int recorded, int predicted) {}

    private final JsonNode document;
    private final Graph graph;

    private RecordedLifetimes(JsonNode document, Graph graph) {
        this.document = document;
        this.graph = graph;
    }

    static RecordedLifetimes read(Path file, Path archive) {
        try (InputStream in = new GZIPInputStream(Files.newInputStream(file))) {
            return new RecordedLifetimes(new ObjectMapper().readTree(in), eager(Importers.read(archive)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** With the masks left out that the library does without when it runs eagerly. */
    private static Graph eager(Graph graph) {
        Map<String, Long> symbols = new HashMap<>();
        graph.symbols().keySet().forEach(s -> symbols.put(s, 8L));
        return SkippedMasks.restore(graph, symbols);
    }

    Graph graph() {
        return graph;
    }

    /** Tensors that were recorded. */
    int tensors() {
        return document.get("storages").size();
    }

    /** Those that are dropped at another time than predicted. */
    List<Difference> differences() {
        int[] position = positions();
        Map<String, Integer> predicted = new HashMap<>();
        ValueLifetimes lifetimes = ValueLifetimes.of(graph);
        for (int i = 0; i < graph.nodes().size(); i++) {
            for (String v : lifetimes.diesAfter(i)) {
                predicted.put(v, position[i]);
            }
        }
        Map<String, Integer> made = made();
        Map<String, Integer> recorded = new HashMap<>();
        for (JsonNode d : document.get("died")) {
            recorded.put(d.get(1).get(0).asText(), made.getOrDefault(d.get(0).asText(), -1));
        }
        List<Difference> out = new ArrayList<>();
        for (JsonNode object : document.get("storages")) {
            List<String> names = new ArrayList<>();
            object.forEach(n -> names.add(n.asText()));
            if (!made.keySet().containsAll(names)) {
                continue;
            }
            int last = names.stream()
                    .mapToInt(n -> predicted.getOrDefault(n, Integer.MAX_VALUE))
                    .max()
                    .orElseThrow();
            int was = recorded.getOrDefault(names.get(0), Integer.MAX_VALUE);
            if (last != was) {
                out.add(new Difference(names, was, last));
            }
        }
        return out;
    }

    private Map<String, Integer> made() {
        Map<String, Integer> made = new HashMap<>();
        for (int i = 0; i < graph.nodes().size(); i++) {
            int node = i;
            graph.nodes().get(i).outputs().forEach(o -> made.put(o, node));
        }
        return made;
    }

    /** Of each node, the last one up to it that runs eagerly. */
    private int[] positions() {
        Map<String, Integer> made = made();
        Set<Integer> eager = new HashSet<>();
        document.get("operators").forEach(o -> eager.add(made.getOrDefault(o.asText(), -1)));
        int[] position = new int[graph.nodes().size()];
        int last = -1;
        for (int i = 0; i < position.length; i++) {
            last = eager.contains(i) ? i : last;
            position[i] = last;
        }
        return position;
    }
}
