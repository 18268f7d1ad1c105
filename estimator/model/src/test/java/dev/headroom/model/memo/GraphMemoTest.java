package dev.headroom.model.memo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;

import dev.headroom.model.graph.Graph;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class GraphMemoTest {
    private final AtomicInteger readings = new AtomicInteger();
    private final GraphMemo<Object> memo = new GraphMemo<>(graph -> {
        readings.incrementAndGet();
        return new Object();
    });

    @Test
    void aGraphIsReadOnce() {
        Graph graph = graph();
        assertSame(memo.of(graph), memo.of(graph));
        assertEquals(1, readings.get());
    }

    @Test
    void anEqualGraphIsAnother() {
        Graph graph = graph();
        Graph twin = graph();
        assertEquals(graph, twin);
        assertNotSame(memo.of(graph), memo.of(twin));
        assertEquals(2, readings.get());
    }

    private static Graph graph() {
        return new Graph("g", List.of(), List.of(), List.of(), Map.of(), Map.of(), Map.of(), List.of());
    }
}
