package dev.headroom.model.graph;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.Graph.SymbolRange;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SymbolBindingTest {
    private static final SymbolRange OPEN = new SymbolRange(2, Long.MAX_VALUE, 8L);

    /** A graph of inputs a, b, ... with the given sizes, written as expressions. */
    private static Graph graph(Map<String, SymbolRange> symbols, String... inputs) {
        Map<String, TensorMeta> values = new LinkedHashMap<>();
        List<Graph.Input> all = new ArrayList<>();
        for (int i = 0; i < inputs.length; i++) {
            String name = String.valueOf((char) ('a' + i));
            List<SymExpr> sizes = inputs[i].isEmpty()
                    ? List.of()
                    : Arrays.stream(inputs[i].split(","))
                            .map(SymExprParser::parse)
                            .toList();
            List<SymExpr> strides = sizes.stream().map(s -> SymExpr.of(1)).toList();
            values.put(name, new TensorMeta(DType.FLOAT32, sizes, strides, SymExpr.of(0), false));
            all.add(new Graph.Input(Graph.InputKind.USER, name, name, false));
        }
        return new Graph("test", all, List.of(), List.of(), values, Map.of(), symbols, List.of());
    }

    private static void assertRefused(Graph graph, Long batch, Map<String, Long> dims, String expected) {
        String message = assertThrows(UserInputException.class, () -> SymbolBinding.bind(graph, batch, dims))
                .getMessage();
        assertTrue(message.contains(expected), message);
    }

    @Test
    void batchIsTheFirstDimensionOfTheInputs() {
        Graph graph = graph(Map.of("s0", OPEN), "", "3,4", "s0,4");
        assertEquals(Map.of("s0", 16L), SymbolBinding.bind(graph, 16L, Map.of()));
        assertEquals(Map.of("s0", 16L), SymbolBinding.bind(graph, null, Map.of("s0", 16L)));
        assertEquals(Map.of("s0", 16L), SymbolBinding.bind(graph, null, Map.of("c.0", 16L)));
        assertEquals(Map.of("s0", 16L), SymbolBinding.bind(graph, 16L, Map.of("c.0", 16L, "b.1", 4L)));
        assertTrue(SymbolBinding.hasBatch(graph));
    }

    @Test
    void missingSizesAreAskedFor() {
        Graph graph = graph(Map.of("s0", OPEN, "s1", OPEN, "s2", OPEN), "s0,s1", "s2*s1");
        assertRefused(graph, null, Map.of("s1", 4L), "pass `batch=N`");
        assertRefused(graph, 4L, Map.of("s2", 4L), "pass `dims=a.1=N`");
        assertRefused(graph, 4L, Map.of("s1", 4L), "pass `dims=s2=N`");
    }

    @Test
    void symbolsThatNothingUsesAreNotAskedFor() {
        Graph graph = graph(Map.of("s0", OPEN, "s9", OPEN), "s0,4");
        assertEquals(Map.of("s0", 3L), SymbolBinding.bind(graph, 3L, Map.of()));
    }

    /** torch.export writes 2 as the least batch although the model runs with 1. */
    @Test
    void oneIsAllowedWhereTheRangeStartsAtTwo() {
        Graph graph = graph(Map.of("s0", OPEN), "s0,4");
        assertEquals(Map.of("s0", 1L), SymbolBinding.bind(graph, 1L, Map.of()));
        assertRefused(graph, 0L, Map.of(), "at least 1");
        assertRefused(graph, -5L, Map.of(), "at least 1");
        Graph three = graph(Map.of("s0", new SymbolRange(3, 64, null)), "s0,4");
        assertRefused(three, 2L, Map.of(), "`batch=2` is out of range: the model was exported for a.0 from 3 to 64");
        assertRefused(three, 65L, Map.of(), "from 3 to 64");
        assertEquals(Map.of("s0", 64L), SymbolBinding.bind(three, 64L, Map.of()));
    }

    @Test
    void fixedBatchesMustAgree() {
        Graph graph = graph(Map.of(), "8,4");
        assertEquals(Map.of(), SymbolBinding.bind(graph, 8L, Map.of()));
        assertEquals(Map.of(), SymbolBinding.bind(graph, null, Map.of()));
        assertRefused(graph, 4L, Map.of(), "fixed batch size of 8");
        assertRefused(graph, null, Map.of("a.1", 5L), "fixed at 4");
        assertFalse(SymbolBinding.hasBatch(graph));
        assertRefused(graph(Map.of(), ""), 4L, Map.of(), "no input with a batch dimension");
    }

    @Test
    void multiplesAreSolved() {
        Graph graph = graph(Map.of("s0", OPEN), "2*s0 + 4");
        assertEquals(Map.of("s0", 6L), SymbolBinding.bind(graph, 16L, Map.of()));
        assertRefused(graph, 15L, Map.of(), "which is never 15");
        assertRefused(graph, Long.MIN_VALUE, Map.of(), "");
    }

    @Test
    void namesThatMeanNothingAndContradictions() {
        Graph graph = graph(Map.of("s0", OPEN), "s0,4");
        assertRefused(graph, null, Map.of("x.0", 3L), "open sizes are a.0");
        assertRefused(graph, null, Map.of("a.9", 3L), "names nothing");
        assertRefused(graph, null, Map.of("a.99999999999", 3L), "names nothing");
        assertRefused(graph, 3L, Map.of("a.0", 4L), "contradicts");
    }

    @Test
    void tensorsThatCannotBeAreNamed() {
        assertRefused(graph(Map.of("s0", OPEN), "s0,s0 - 3"), 2L, Map.of(), "tensor a: its size");
        assertRefused(graph(Map.of("s0", OPEN), "s0,s0,s0"), 1L << 22, Map.of(), "larger than 2^63 bytes");
        assertRefused(graph(Map.of("s0", OPEN), "s0", "s0*s0"), 1L << 40, Map.of(), "tensor b: ");
        assertRefused(graph(Map.of("s0", OPEN), "s0", "Mystery(s0)"), 4L, Map.of(), "function Mystery");
    }
}
