package dev.headroom.executor.program;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.fixtures.Fixtures;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every tensor of a forward pass dies after the operator after which CPython dropped it. */
class RecordedLifetimesTest {
    /**
     * Tensors that die at another time: positions and differences of positions in helpers that build masks and biases,
     * whose variables are not known.
     */
    private static final Map<String, Integer> DIFFERENT = Map.of("gpt2-s512-eager", 1, "t5-small-s256", 1);

    static Stream<String> archives() {
        return Fixtures.recordings(Fixtures.folder().resolve("lifetimes")).stream()
                .map(f -> f.getFileName().toString().replace(".json.gz", ""));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("archives")
    void everyTensorDiesWhereItDied(String archive) {
        Path file = Fixtures.folder().resolve("lifetimes").resolve(archive + ".json.gz");
        RecordedLifetimes recorded =
                RecordedLifetimes.read(file, Fixtures.models().resolve(archive + ".pt2"));
        assertTrue(recorded.tensors() > 5, "the recording is empty");
        assertEquals(
                DIFFERENT.getOrDefault(archive, 0), recorded.differences().size(), () -> recorded.differences().stream()
                        .map(Object::toString)
                        .collect(Collectors.joining("\n", "differences:\n", "\n")));
    }
}
