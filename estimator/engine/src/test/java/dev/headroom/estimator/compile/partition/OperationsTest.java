package dev.headroom.estimator.compile.partition;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.estimator.compile.trace.Joint;
import dev.headroom.estimator.compile.trace.Kind;
import dev.headroom.estimator.compile.trace.Value;
import dev.headroom.model.graph.DType;
import org.junit.jupiter.api.Test;

/** Operations as PyTorch 2.14.1's {@code FlopCounterMode} counts them, and what its partitioner says of operators. */
class OperationsTest {
    private final Joint joint = new Joint();

    private Value given(long... sizes) {
        return joint.make(Kind.INPUT, "p" + joint.nodes().size(), "", DType.FLOAT32, sizes);
    }

    private Value call(Kind kind, String op, String key, long[] sizes, Value... arguments) {
        return joint.make(kind, op, key, DType.FLOAT32, sizes, arguments);
    }

    private long product(String op, long[] sizes, Value... arguments) {
        return Operations.of(call(Kind.LIBRARY, op, "", sizes, arguments));
    }

    @Test
    void products() {
        assertEquals(210, product("aten.mm", new long[] {3, 7}, given(3, 5), given(5, 7)));
        assertEquals(210, product("aten.addmm", new long[] {3, 7}, given(7), given(3, 5), given(5, 7)));
        assertEquals(420, product("aten.bmm", new long[] {2, 3, 7}, given(2, 3, 5), given(2, 5, 7)));
        assertEquals(
                420, product("aten.baddbmm", new long[] {2, 3, 7}, given(2, 3, 7), given(2, 3, 5), given(2, 5, 7)));
        assertEquals(1, product("aten.mm", new long[] {3, 7}, given(3, 0), given(0, 7)), "at least one");
    }

    @Test
    void convolutions() {
        Value x = given(2, 6, 9, 9);
        assertEquals(84_672, convolution("groups=1", new long[] {2, 8, 7, 7}, x, given(8, 6, 3, 3)));
        assertEquals(42_336, convolution("groups=2", new long[] {2, 8, 7, 7}, x, given(8, 3, 3, 3)));
        assertEquals(139_968, convolution("groups=1 transposed", new long[] {2, 8, 11, 11}, x, given(6, 8, 3, 3)));
    }

    private long convolution(String key, long[] sizes, Value x, Value weight) {
        return Operations.of(call(Kind.LIBRARY, "aten.convolution", key, sizes, x, weight));
    }

    @Test
    void attention() {
        long[] sizes = {2, 4, 10, 24};
        Value q = given(2, 4, 10, 16);
        Value k = given(2, 4, 12, 16);
        Value v = given(2, 4, 12, 24);
        assertEquals(76_800, product("aten._scaled_dot_product_efficient_attention", sizes, q, k, v));
        assertEquals(76_800, product("aten._scaled_dot_product_cudnn_attention", sizes, q, k, v));
        long[] narrow = {2, 4, 10, 16};
        assertEquals(61_440, product("aten._scaled_dot_product_flash_attention", narrow, q, k, k));
        assertEquals(1, product("aten.relu", narrow, q), "what is not counted");
    }

    /** torch/_functorch/partitioners.py, get_default_op_list. */
    @Test
    void kindsOfOperators() {
        Value x = given(4, 4);
        Value tanh = call(Kind.POINTWISE, "aten.tanh", "", new long[] {4, 4}, x);
        Value amax = call(Kind.REDUCTION, "aten.amax", "", new long[] {4, 1}, x);
        Value view = call(Kind.VIEW, "aten.view", "", new long[] {16}, x);
        Value mm = call(Kind.LIBRARY, "aten.mm", "", new long[] {4, 4}, x, x);
        Value amin = call(Kind.REDUCTION, "aten.amin", "", new long[] {4, 1}, x);
        Value cat = call(Kind.POINTWISE, "aten.cat", "", new long[] {8, 4}, x, x);
        for (Value again : new Value[] {tanh, amax, view}) {
            assertTrue(OperatorClasses.recomputable(again), again.op());
            assertFalse(OperatorClasses.intensive(again), again.op());
        }
        for (Value not : new Value[] {mm, amin, cat}) {
            assertFalse(OperatorClasses.recomputable(not), not.op());
        }
        assertTrue(OperatorClasses.intensive(mm));
        assertTrue(OperatorClasses.isView(view));
        assertFalse(OperatorClasses.isView(tanh));
        assertTrue(OperatorClasses.fuses(tanh, amax));
        assertTrue(OperatorClasses.fuses(mm, cat), "anything is written right into a concatenation");
        assertFalse(OperatorClasses.fuses(mm, tanh));
        assertFalse(OperatorClasses.fuses(tanh, mm));
        assertFalse(OperatorClasses.fuses(cat, tanh));
    }
}
