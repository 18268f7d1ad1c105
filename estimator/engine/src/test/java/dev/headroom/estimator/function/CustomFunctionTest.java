package dev.headroom.estimator.function;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.estimator.runtime.Frame;
import dev.headroom.estimator.runtime.OnRuntime;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a function of autograd keeps, for how long, and what its backward pass is given. */
class CustomFunctionTest extends OnRuntime {
    private static final BitSet SAVED = new BitSet();
    private static final BitSet ATTRIBUTE = BitSet.valueOf(new long[] {1});

    private final List<Tensor> given = new ArrayList<>();

    /** Passes give a reference of each tensor to who called them. */
    private Tensor[] returned(Tensor... tensors) {
        Arrays.stream(tensors).forEach(rt::hold);
        return tensors;
    }

    private CustomFunction function(int results, BitSet attributes, CustomFunction.Pass forward) {
        return new CustomFunction(rt, "Double", results, attributes, forward, inputs -> {
            given.addAll(inputs);
            return returned(kib());
        });
    }

    /** The first result of a call in a frame that has ended, of which the caller holds a reference. */
    private Tensor called(CustomFunction f, Tensor x) {
        try (Frame frame = rt.frame()) {
            return rt.hold(f.apply(List.of(x))[0]);
        }
    }

    @Test
    void theForwardPassRunsWithoutAutograd() {
        boolean[] inside = new boolean[1];
        CustomFunction f = function(1, SAVED, inputs -> {
            inside[0] = rt.record("Inner", inputs.get(0)).records();
            return returned(kib());
        });
        Tensor x = leaf();
        Tensor[] out = f.apply(List.of(x));
        assertFalse(inside[0]);
        assertTrue(rt.record("Next", x).records(), "the mode is as before");
        assertEquals(1, out.length);
        assertTrue(rt.record("Next", out[0]).records());
    }

    @Test
    void theBackwardPassIsGivenGradientsAndThenWhatWasKept() {
        CustomFunction f = function(1, SAVED, inputs -> returned(kib(), inputs.get(0), null));
        Tensor x = leaf();
        Tensor[] out = f.apply(List.of(x));
        backward(out[0]);
        assertEquals(3, given.size());
        assertArrayEquals(out[0].sizes(), given.get(0).sizes());
        assertSame(x.storage(), given.get(1).storage());
        assertNull(given.get(2));
        assertNotNull(x.grad());
    }

    /** {@code ctx.materialize_grads}; whole numbers have no gradient. */
    @Test
    void gradientsOfUnusedResultsAreMadeUp() {
        Tensor numbers = rt.empty(DType.INT64, 3);
        CustomFunction f = function(4, SAVED, inputs -> returned(kib(), rt.empty(DType.FLOAT16, 5, 7), numbers, null));
        Tensor[] out = f.apply(List.of(leaf()));
        assertNull(out[3]);
        backward(out[0]);
        assertEquals(4, given.size());
        assertArrayEquals(new long[] {5, 7}, given.get(1).sizes());
        assertEquals(DType.FLOAT16, given.get(1).dtype());
        assertNull(given.get(2));
        assertNull(given.get(3));
    }

    @Test
    void whatIsSavedGoesWithTheBackwardPassAndAnAttributeWithTheNode() {
        for (BitSet attributes : List.of(SAVED, ATTRIBUTE)) {
            Tensor x = leaf();
            long before = allocated();
            Tensor out = called(function(1, attributes, inputs -> returned(kib(), rt.empty(DType.FLOAT32, 512))), x);
            assertEquals(before + 3 * KIB, allocated());
            backward(out);
            long kept = attributes.isEmpty() ? 0 : 2 * KIB;
            assertEquals(before + 2 * KIB + kept, allocated(), "the result, the gradient of x, and the attribute");
            rt.release(out);
            assertEquals(before + KIB, allocated());
        }
    }

    /** A node that owned its own result would never end. */
    @Test
    void aKeptResultEndsWithItsLastName() {
        CustomFunction f = function(1, SAVED, inputs -> {
            Tensor out = kib();
            return returned(out, out);
        });
        Tensor x = leaf();
        long before = allocated();
        Tensor out = called(f, x);
        assertEquals(before + KIB, allocated());
        rt.release(out);
        assertEquals(before, allocated());
    }

    /** custom_function.cpp, _view_as_self_with_no_grad. */
    @Test
    void afterTheFirstResultAnInputComesBackAsAViewOfItself() {
        Tensor x = leaf();
        Tensor y = leaf();
        CustomFunction f = function(2, SAVED, inputs -> returned(inputs.get(0), inputs.get(1)));
        Tensor[] out = f.apply(List.of(x, y));
        assertSame(x, out[0]);
        assertNotSame(y, out[1]);
        assertSame(y.storage(), out[1].storage());
        assertArrayEquals(y.sizes(), out[1].sizes());
    }
}
