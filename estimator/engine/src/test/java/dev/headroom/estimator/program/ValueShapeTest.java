package dev.headroom.estimator.program;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.SymExpr;
import dev.headroom.model.graph.TensorMeta;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ValueShapeTest {
    /** {@code y, at = (x * w).T.max(0)} of ints and floats: the graph says nothing of results. */
    private static WrittenGraph turned() {
        return new WrittenGraph()
                .input(Graph.InputKind.PARAMETER, "w", DType.FLOAT32, 3)
                .input(Graph.InputKind.USER, "x", DType.INT64, 2, 3)
                .call("aten.mul.Tensor", "p", "self", "x", "other", "w")
                .call("aten.t.default", "t", "self", "p")
                .call("aten.max.dim", "y at", "self", "t", "dim", 0);
    }

    private static Graph withRows(SymExpr rows) {
        Graph graph = turned().graph();
        Map<String, TensorMeta> values = new HashMap<>(graph.values());
        List<SymExpr> strides = List.of(SymExpr.of(3), SymExpr.of(1));
        values.put("x", new TensorMeta(DType.INT64, List.of(rows, SymExpr.of(3)), strides, SymExpr.of(0), false));
        return graph.withValues(values);
    }

    private static void assertShape(ValueShape shape, DType type, long[] sizes, long[] strides) {
        assertEquals(type, shape.type());
        assertArrayEquals(sizes, shape.sizes());
        assertArrayEquals(strides, shape.strides());
    }

    @Test
    void whatTheGraphDoesNotSayIsPlayed() {
        Graph graph = withRows(SymExpr.symbol("b"));
        Map<String, Long> five = Map.of("b", 5L);
        assertShape(ValueShape.of(graph, five, "t"), DType.FLOAT32, new long[] {3, 5}, new long[] {1, 3});
        assertShape(ValueShape.of(graph, five, "at"), DType.INT64, new long[] {5}, new long[] {1});
        assertShape(ValueShape.of(graph, five, "x"), DType.INT64, new long[] {5, 3}, new long[] {3, 1});
    }

    @Test
    void aGraphIsDescribedOnce() {
        Graph described = ValueShape.describe(turned().graph(), Map.of());
        assertEquals(List.of("2", "3"), texts(described.meta("p").sizes()));
        assertEquals(List.of("3", "2"), texts(described.meta("t").sizes()));
        assertEquals(List.of("1", "3"), texts(described.meta("t").strides()));
        assertSame(described, ValueShape.describe(described, Map.of()));
        Graph nothingAbsent = new WrittenGraph()
                .value("y", DType.FLOAT32)
                .call("aten.native_layer_norm.default", "y -")
                .graph();
        assertSame(nothingAbsent, ValueShape.describe(nothingAbsent, Map.of()));
    }

    private static List<String> texts(List<SymExpr> sizes) {
        return sizes.stream().map(Object::toString).toList();
    }

    @Test
    void whatHasNoRuleHasNoShape() {
        Graph graph = new WrittenGraph()
                .input(Graph.InputKind.USER, "x", DType.FLOAT32, 2)
                .call("other.thing", "y", "self", "x")
                .graph();
        Exception unknown = assertThrows(UserInputException.class, () -> ValueShape.of(graph, Map.of(), "y"));
        assertTrue(unknown.getMessage().contains("the size of y is not known"), unknown.getMessage());
    }

    @Test
    void sizesThatNoDeviceHasAreRefused() {
        Exception refused = assertThrows(
                UserInputException.class, () -> ValueShape.of(withRows(SymExpr.of(1L << 50)), Map.of(), "p"));
        assertTrue(refused.getMessage().contains("4 TiB"), refused.getMessage());
    }
}
