package dev.headroom.estimator.program;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.estimator.runtime.OnRuntime;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Node;
import dev.headroom.model.graph.SymExpr;
import dev.headroom.model.graph.TensorMeta;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** An operator without a rule is neither free nor silent. */
class FallbackTest extends OnRuntime {
    private static final Node CALL = WrittenGraph.node("other.thing", "y - n", "a", "x", "b", "w");

    private Tensor[] run(Graph graph, Map<String, Long> symbols, Map<String, Tensor> values) {
        return new Fallback(rt, graph, symbols).run(CALL, values);
    }

    private static Graph rows(SymExpr rows) {
        TensorMeta y = new TensorMeta(
                DType.FLOAT32,
                List.of(rows, SymExpr.of(64)),
                List.of(SymExpr.of(64), SymExpr.of(1)),
                SymExpr.of(0),
                true);
        return new WrittenGraph().graph().withValues(Map.of("y", y));
    }

    @Test
    void resultsHaveTheArchivesSizesAndEveryInputIsKept() {
        Tensor x = leaf();
        Tensor w = kib();
        Tensor[] out = run(rows(SymExpr.symbol("s0")), Map.of("s0", 8L), Map.of("x", x, "w", w));
        assertArrayEquals(new long[] {8, 64}, out[0].sizes());
        assertNull(out[1], "absent");
        assertNull(out[2], "of which the archive says nothing");
        rt.free(w);
        assertEquals(4 * KIB, allocated(), "x, w and 2 KiB of results");
        backward(out[0]);
        assertEquals(4 * KIB, allocated(), "w went, x has a gradient");
        assertArrayEquals(x.sizes(), x.grad().sizes());
    }

    @Test
    void whatMakesNoTensorKeepsNothing() {
        Tensor x = leaf();
        Tensor w = kib();
        run(new WrittenGraph().graph(), Map.of(), Map.of("x", x, "w", w));
        rt.free(w);
        assertEquals(KIB, allocated());
    }

    @Test
    void sizesMayBeZeroButNotLess() {
        Map<String, Tensor> inputs = Map.of("x", leaf());
        assertEquals(0, run(rows(SymExpr.of(0)), Map.of(), inputs)[0].numel());
        Exception refused = assertThrows(UserInputException.class, () -> run(rows(SymExpr.of(-1)), Map.of(), inputs));
        assertTrue(refused.getMessage().contains("'y' has the negative size -1"), refused.getMessage());
    }
}
