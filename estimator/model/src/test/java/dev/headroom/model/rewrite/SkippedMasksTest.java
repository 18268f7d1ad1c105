package dev.headroom.model.rewrite;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Node;
import dev.headroom.model.graph.SymExpr;
import dev.headroom.model.graph.TensorMeta;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Graphs of a few nodes, as the transformers library leaves them when it is traced. */
class SkippedMasksTest {
    private static final String LIBRARY =
            "File \"transformers/models/x/modeling_x.py\", line 7, in forward\n    y = f(x)\n";
    private static final String OWN = "File \"my/model.py\", line 7, in forward\n    y = f(x)\n";

    private final List<Node> nodes = new ArrayList<>();
    private final Map<String, TensorMeta> values = new LinkedHashMap<>();
    private String trace = LIBRARY;

    private void value(String name, DType type, long... sizes) {
        List<SymExpr> s = new ArrayList<>();
        for (long size : sizes) {
            s.add(SymExpr.of(size));
        }
        values.put(name, new TensorMeta(type, s, s, SymExpr.of(0), false));
    }

    private void node(String name, String target, DType type, long[] sizes, Object... arguments) {
        List<Node.NamedArgument> list = new ArrayList<>();
        for (int i = 0; i < arguments.length; i += 2) {
            Object v = arguments[i + 1];
            Argument a = v instanceof String s
                    ? new Argument.Value(s)
                    : new Argument.Int(SymExpr.of(((Number) v).longValue()));
            list.add(new Node.NamedArgument((String) arguments[i], a));
        }
        nodes.add(new Node(name, target, list, List.of(name), List.of(), trace));
        value(name, type, sizes);
    }

    private static long[] of(long... v) {
        return v;
    }

    /** Positions of queries as (n, 1) and of keys as (1, m). */
    private void positions(long n, long m) {
        node("q", "aten.arange.default", DType.INT64, of(n), "end", n);
        node("k", "aten.arange.default", DType.INT64, of(m), "end", m);
        node("rows", "aten.unsqueeze.default", DType.INT64, of(n, 1), "self", "q", "dim", 1);
        node("columns", "aten.unsqueeze.default", DType.INT64, of(1, m), "self", "k", "dim", 0);
    }

    private void attention(String mask, String key) {
        node(
                "out",
                "aten.scaled_dot_product_attention.default",
                DType.FLOAT32,
                of(2, 4, 8, 16),
                "query",
                "x",
                "key",
                key,
                "value",
                key,
                "attn_mask",
                mask);
    }

    private Graph graph() {
        value("x", DType.FLOAT32, 2, 4, 8, 16);
        List<Graph.Input> inputs = List.of(new Graph.Input(Graph.InputKind.USER, "x", "x", false));
        List<Graph.Output> outputs = List.of(new Graph.Output(Graph.OutputKind.USER, "out", null));
        return new Graph("g", inputs, nodes, outputs, values, Map.of(), Map.of(), List.of());
    }

    private Graph restored() {
        return SkippedMasks.restore(graph(), Map.of());
    }

    private static Argument argument(Graph g, String name) {
        Node attention = g.nodes().get(g.nodes().size() - 1);
        return attention.argument(name);
    }

    @Test
    void aCausalMaskBecomesAFlag() {
        positions(8, 8);
        node("mask", "aten.le.Tensor", DType.BOOL, of(8, 8), "self", "columns", "other", "rows");
        attention("mask", "x");
        Graph g = restored();
        assertEquals(new Argument.Bool(true), argument(g, "is_causal"));
        assertEquals(null, argument(g, "attn_mask"));
        assertEquals(1, g.nodes().size(), "what made the mask is gone");
    }

    @Test
    void aMaskThatHidesNothingIsLeftOut() {
        positions(8, 8);
        node("mask", "aten.ge.Scalar", DType.BOOL, of(8, 1), "self", "rows", "other", 0);
        attention("mask", "x");
        Graph g = restored();
        assertEquals(null, argument(g, "attn_mask"));
        assertEquals(null, argument(g, "is_causal"));
    }

    @Test
    void otherMasksStay() {
        positions(8, 8);
        node("near", "aten.sub.Tensor", DType.INT64, of(8, 8), "self", "rows", "other", "columns");
        node("mask", "aten.le.Scalar", DType.BOOL, of(8, 8), "self", "near", "other", 3);
        attention("mask", "x");
        Graph g = graph();
        assertSame(g, SkippedMasks.restore(g, Map.of()), "a sliding window is no causal mask");
    }

    @Test
    void moreKeysThanQueriesAreNoPlainCausalMask() {
        positions(8, 12);
        node("mask", "aten.le.Tensor", DType.BOOL, of(8, 12), "self", "columns", "other", "rows");
        attention("mask", "x");
        Graph g = graph();
        assertSame(g, SkippedMasks.restore(g, Map.of()));
    }

    @Test
    void masksOfOtherProgramsStay() {
        trace = OWN;
        positions(8, 8);
        node("mask", "aten.le.Tensor", DType.BOOL, of(8, 8), "self", "columns", "other", "rows");
        attention("mask", "x");
        Graph g = graph();
        assertSame(g, SkippedMasks.restore(g, Map.of()));
    }

    @Test
    void repeatedHeadsAreSharedAgain() {
        value("kv", DType.FLOAT32, 2, 2, 8, 16);
        node("u", "aten.unsqueeze.default", DType.FLOAT32, of(2, 2, 1, 8, 16), "self", "kv", "dim", 2);
        node("e", "aten.expand.default", DType.FLOAT32, of(2, 2, 2, 8, 16), "self", "u");
        node("r", "aten.reshape.default", DType.FLOAT32, of(2, 4, 8, 16), "self", "e");
        positions(8, 8);
        node("mask", "aten.le.Tensor", DType.BOOL, of(8, 8), "self", "columns", "other", "rows");
        attention("mask", "r");
        Graph g = restored();
        assertEquals(new Argument.Value("kv"), argument(g, "key"));
        assertEquals(new Argument.Bool(true), argument(g, "enable_gqa"));
        assertFalse(g.nodes().stream().anyMatch(n -> n.name().equals("r")));
    }

    @Test
    void aCompositionOfKnownValuesIsKnown() {
        positions(8, 8);
        node("first", "aten.slice.Tensor", DType.INT64, of(1), "self", "q", "dim", 0, "start", 0, "end", 1);
        node("before", "aten.sub.Tensor", DType.INT64, of(1), "self", "first", "other", 1);
        node("steps", "aten.diff.default", DType.INT64, of(8), "self", "q", "prepend", "before");
        node("jumps", "aten.ne.Scalar", DType.BOOL, of(8), "self", "steps", "other", 1);
        node("sum", "aten.cumsum.default", DType.INT64, of(8), "self", "jumps", "dim", 0);
        node("same", "aten.eq.Scalar", DType.BOOL, of(8), "self", "sum", "other", 0);
        Condition c = new KnownValues(graph(), Map.of()).condition("same");
        assertTrue(c.always(), "positions without a gap are one sequence");
    }
}
