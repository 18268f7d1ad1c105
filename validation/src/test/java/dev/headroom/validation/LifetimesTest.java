package dev.headroom.validation;

import static dev.headroom.model.scenario.ScenarioSettings.BATCH;
import static dev.headroom.model.scenario.ScenarioSettings.INFERENCE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.headroom.estimator.program.Preparation;
import dev.headroom.estimator.program.variables.Lifetimes;
import dev.headroom.fixtures.Fixtures;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.importer.Importers;
import dev.headroom.model.scenario.Scenario;
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
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tensors of a forward pass die after the operator after which CPython dropped them ({@code fixtures/lifetimes}). */
class LifetimesTest {
    private static final Map<String, Graph> GRAPHS = new ConcurrentHashMap<>();

    /**
     * How many die at another time, so far: what a list holds until the pass ends ({@code kept.append(x)} in unet, a line
     * without an operator), and variables of functions whose lines no call shows (swin_t's attention, biases of t5).
     */
    private static final Map<String, Integer> DIFFERENT = Map.of(
            "gpt2-s512-eager", 15,
            "swin_t-i224", 29,
            "t5-small-s256", 19,
            "unet-i256", 5);

    static Stream<String> archives() {
        return Fixtures.recordings(Fixtures.folder().resolve("lifetimes")).stream()
                .map(f -> f.getFileName().toString().replace(".json.gz", ""));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("archives")
    void tensorsDieWhereTheyDied(String archive) {
        JsonNode recorded = document(Fixtures.folder().resolve("lifetimes").resolve(archive + ".json.gz"));
        Graph graph = GRAPHS.computeIfAbsent(archive, LifetimesTest::played);
        List<String> wrong = differences(recorded, graph);
        assertEquals(DIFFERENT.getOrDefault(archive, 0), wrong.size(), () -> String.join("\n", wrong));
    }

    /** The program of an archive as a run without gradients plays it. */
    private static Graph played(String archive) {
        Scenario run = Scenario.defaults().with(BATCH, 2L).with(INFERENCE, true);
        return Preparation.of(Importers.read(Fixtures.models().resolve(archive + ".pt2")), run)
                .graph();
    }

    private static JsonNode document(Path file) {
        try (InputStream in = new GZIPInputStream(Files.newInputStream(file))) {
            return new ObjectMapper().readTree(in);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<String> differences(JsonNode recorded, Graph graph) {
        Map<String, Integer> made = new HashMap<>();
        Map<String, Integer> dropped = new HashMap<>();
        Lifetimes lifetimes = Lifetimes.of(graph);
        int[] eager = eager(recorded, graph);
        for (int i = 0; i < graph.nodes().size(); i++) {
            for (String v : graph.nodes().get(i).outputs()) {
                made.put(v, i);
            }
            for (String v : lifetimes.releasedAfter(i)) {
                dropped.put(v, eager[i]);
            }
        }
        Map<String, Integer> died = new HashMap<>();
        recorded.get("died")
                .forEach(d -> died.put(
                        d.get(1).get(0).asText(), made.getOrDefault(d.get(0).asText(), -1)));
        List<String> out = new ArrayList<>();
        int seen = 0;
        for (JsonNode storage : recorded.get("storages")) {
            List<String> names = StreamSupport.stream(storage.spliterator(), false)
                    .map(JsonNode::asText)
                    .toList();
            if (made.keySet().containsAll(names)) {
                seen++;
                int last = names.stream()
                        .mapToInt(n -> dropped.getOrDefault(n, Integer.MAX_VALUE))
                        .max()
                        .orElseThrow();
                int was = died.getOrDefault(names.get(0), Integer.MAX_VALUE);
                if (last != was) {
                    out.add(names + " died after " + was + ", not " + last);
                }
            }
        }
        assertTrue(seen > 5, "the recording is empty");
        return out;
    }

    /** Of each node, the last one up to it that runs eagerly, too. */
    private static int[] eager(JsonNode recorded, Graph graph) {
        Set<String> ran = new HashSet<>();
        recorded.get("operators").forEach(o -> ran.add(o.asText()));
        int[] out = new int[graph.nodes().size()];
        int last = -1;
        for (int i = 0; i < out.length; i++) {
            List<String> outputs = graph.nodes().get(i).outputs();
            last = !outputs.isEmpty() && ran.contains(outputs.get(0)) ? i : last;
            out[i] = last;
        }
        return out;
    }
}
