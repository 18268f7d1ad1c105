package dev.headroom.estimator.parallel.layout;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.headroom.model.graph.DType;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Chunks as PyTorch 2.14's {@code torch._utils._take_tensors} gives them. */
class TakenTensorsTest {
    private static final long LIMIT = 800;

    /** @param tensors a letter of the type (f, h) and elements */
    private static List<List<Integer>> within(String... tensors) {
        return TakenTensors.within(
                Stream.of(tensors)
                        .map(t -> {
                            DType type = t.charAt(0) == 'f' ? DType.FLOAT32 : DType.BFLOAT16;
                            return new Piece(type, type.bytes() * Long.parseLong(t.substring(1)));
                        })
                        .toList(),
                LIMIT);
    }

    @Test
    void aChunkClosesBeforeItWouldExceedTheLimit() {
        assertEquals(List.of(List.of(0, 1), List.of(2, 3)), within("f100", "f100", "f50", "f1"));
        assertEquals(List.of(List.of(0)), within("f200"));
        assertEquals(List.of(), within());
    }

    @Test
    void typesFillChunksOfTheirOwn() {
        assertEquals(
                List.of(List.of(0, 2), List.of(1, 3), List.of(4), List.of(5)),
                within("f100", "h100", "f100", "h100", "f1", "h201"));
    }

    @Test
    void oneThatIsTooLargeIsAlone() {
        assertEquals(List.of(List.of(0), List.of(1), List.of(2), List.of(3)), within("f500", "f1", "f500", "f200"));
    }

    @Test
    void emptyOnesMakeNoDifference() {
        assertEquals(List.of(List.of(0, 1, 2)), within("f0", "f200", "f0"));
        assertEquals(List.of(List.of(0), List.of(1, 2)), within("f201", "f0", "f1"));
    }
}
