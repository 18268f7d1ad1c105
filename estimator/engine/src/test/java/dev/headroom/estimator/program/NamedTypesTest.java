package dev.headroom.estimator.program;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.estimator.runtime.OnRuntime;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What {@code dtype} arguments of an archive in float32 mean in a run in bfloat16, and under autocast. */
class NamedTypesTest extends OnRuntime {
    private static final ModelTypes IN_HALF = new ModelTypes(DType.FLOAT32, DType.BFLOAT16, true);
    private static final ModelTypes AMP = new ModelTypes(DType.FLOAT32, DType.FLOAT32, true);
    private static final ModelTypes AS_EXPORTED = new ModelTypes(DType.FLOAT32, DType.FLOAT32, false);

    private static WrittenGraph model() {
        return new WrittenGraph()
                .input(Graph.InputKind.PARAMETER, "w", DType.FLOAT32, 4, 4)
                .input(Graph.InputKind.USER, "x", DType.FLOAT32, 4, 4)
                .in("Block");
    }

    private static WrittenGraph converts(String line) {
        return model().line(line).call("aten.to.dtype", "c", "self", "x", "dtype", DType.FLOAT32);
    }

    private static @Nullable DType at(WrittenGraph graph, ModelTypes types, @Nullable DType self) {
        return new NamedTypes(graph.graph(), types).at(0, self, types == AMP ? DType.FLOAT16 : null);
    }

    @Test
    void aTypeThatIsSpelledOutStays() {
        assertNull(at(converts("c = x.to(torch.float32)"), IN_HALF, DType.BFLOAT16));
    }

    @Test
    void theModelsTypeIsTheRuns() {
        assertEquals(DType.BFLOAT16, at(converts("c = x.to(self.weight.dtype)"), IN_HALF, DType.FLOAT32));
        assertEquals(DType.FLOAT32, at(converts("c = x.to(self.weight.dtype)"), AMP, DType.FLOAT16));
        assertNull(at(converts("c = x.to(self.weight.dtype)"), AS_EXPORTED, DType.FLOAT32));
    }

    @Test
    void aConversionToTheOwnTypeMovesAlone() {
        WrittenGraph moves = converts("c = x.to(x.device)");
        assertEquals(DType.FLOAT16, at(moves, AMP, DType.FLOAT16));
        assertEquals(DType.BFLOAT16, at(moves, IN_HALF, null));
    }

    @Test
    void outOfSightItRestoresTheRunsTypeAndGoesUpFromIt() {
        WrittenGraph hidden = model().call("aten.to.dtype", "c", "self", "x", "dtype", DType.FLOAT32);
        assertEquals(DType.BFLOAT16, at(hidden, IN_HALF, DType.FLOAT32));
        assertNull(at(hidden, IN_HALF, DType.BFLOAT16));
        assertNull(at(hidden, IN_HALF, DType.INT64));
        assertNull(at(hidden, AMP, DType.FLOAT16));
        WrittenGraph product = hidden.call("aten.linear.default", "y", "input", "c", "weight", "w");
        assertEquals(DType.BFLOAT16, at(product, IN_HALF, DType.FLOAT32));
        assertEquals(DType.FLOAT16, at(product, AMP, DType.FLOAT32));
    }

    @Test
    void aTypeFollowsTheValueThatTheLineNames() {
        WrittenGraph follows = model().line("q = self.proj(x)")
                .call("aten.linear.default", "q", "input", "x", "weight", "w")
                .line("c = x.to(q.dtype)")
                .call("aten.to.dtype", "c", "self", "x", "dtype", DType.FLOAT32);
        NamedTypes named = new NamedTypes(follows.graph(), IN_HALF);
        assertEquals(DType.BFLOAT16, named.at(1, null, null), "not seen yet");
        named.note("q", DType.FLOAT16);
        assertEquals(DType.FLOAT16, named.at(1, null, null));
        assertEquals(1, named.changes());
        named.note(Map.of("q", kib(), "x", kib()));
        assertEquals(DType.FLOAT32, named.at(1, null, null));
        named.note("q", DType.FLOAT32);
        named.note("x", DType.FLOAT16);
        assertEquals(2, named.changes(), "x is followed by none");
        named.note("q", DType.INT64);
        assertEquals(DType.BFLOAT16, named.at(1, null, null), "a number's type is no model's");
    }

    /** The scale of T5's normalisation: {@code return self.weight * hidden_states}, before a linear layer. */
    @Test
    void aFactorOfAParameterGoesDownBeforeAMatrixProduct() {
        WrittenGraph scaled = model().call("aten.rsqrt.default", "h", "self", "x")
                .call("aten.mul.Tensor", "m", "self", "w", "other", "h")
                .call("aten.linear.default", "y", "input", "m", "weight", "w")
                .call("aten.mul.Tensor", "n", "self", "h", "other", "w")
                .call("aten.mm.default", "z", "self", "n", "mat2", "w")
                .call("aten.mul.Tensor", "both", "self", "w", "other", "w")
                .call("aten.mm.default", "u", "self", "both", "mat2", "w")
                .call("aten.mul.Tensor", "end", "self", "w", "other", "h")
                .call("aten.to.dtype", "c", "self", "h", "dtype", DType.FLOAT16)
                .call("aten.mul.Tensor", "done", "self", "w", "other", "c")
                .call("aten.mm.default", "v", "self", "done", "mat2", "w");
        NamedTypes half = new NamedTypes(scaled.graph(), IN_HALF);
        assertEquals("h", half.converted(1));
        assertEquals("h", half.converted(3));
        for (int other : new int[] {2, 5, 7, 9}) {
            assertNull(half.converted(other));
        }
        assertNull(new NamedTypes(scaled.graph(), AMP).converted(1));
        ModelTypes wide = new ModelTypes(DType.BFLOAT16, DType.FLOAT32, true);
        assertNull(new NamedTypes(scaled.graph(), wide).converted(1));
    }

    /** Rotary positions: {@code freqs = inv_freq.float() @ ids.float()}, with autocast off. */
    @Test
    void aProductOfTwoThatAreNamedFloatsStaysOutOfAutocast() {
        WrittenGraph product = model().line("a = x.float()")
                .call("aten.to.dtype", "a", "self", "x", "dtype", DType.FLOAT32)
                .line("b = w.float().expand(4, -1)")
                .call("aten.to.dtype", "b", "self", "w", "dtype", DType.FLOAT32)
                .call("aten.expand.default", "e", "self", "b")
                .line("y = a @ e")
                .call("aten.matmul.default", "y", "self", "a", "other", "e")
                .call("aten.matmul.default", "z", "self", "a", "other", "x")
                .call("aten.mul.Tensor", "m", "self", "a", "other", "e");
        NamedTypes named = new NamedTypes(product.graph(), AMP);
        assertTrue(named.keepsOutOfAutocast(3));
        assertFalse(named.keepsOutOfAutocast(4), "x is not converted");
        assertFalse(named.keepsOutOfAutocast(5), "no matrix product");
    }

    @Test
    void tracingAsksByCalls() {
        Graph graph = converts("c = x.to(self.weight.dtype)")
                .line("y = x @ c")
                .call("aten.matmul.default", "y", "self", "x", "other", "c")
                .call("aten.mul.Tensor", "m", "self", "w", "other", "y")
                .call("aten.mm.default", "z", "self", "m", "mat2", "w")
                .graph();
        TracedTypes traced = new TracedTypes(graph, IN_HALF);
        assertEquals(DType.BFLOAT16, traced.run());
        assertEquals(DType.BFLOAT16, traced.at(graph.nodes().get(0), DType.FLOAT32, null));
        assertFalse(traced.keepsOutOfAutocast(graph.nodes().get(1)));
        assertEquals("y", traced.converted(graph.nodes().get(2)));
        assertNull(traced.converted(graph.nodes().get(3)));
    }
}
