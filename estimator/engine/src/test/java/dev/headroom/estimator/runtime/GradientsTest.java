package dev.headroom.estimator.runtime;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.estimator.log.Category;
import dev.headroom.model.graph.DType;
import org.junit.jupiter.api.Test;

/** How gradients are summed on their way, and shaped where they arrive. */
class GradientsTest extends OnRuntime {
    /** input_buffer.cpp: nobody else sees the first gradient, so that the second is added to it. */
    @Test
    void gradientsThatMeetAreSummedInPlace() {
        Tensor x = op("X", leaf());
        Tensor sum = op("Sum", op("A", x), op("B", x));
        long before = storages();
        backward(sum);
        // The root's gradient; two of Sum, one each of A and B, one of X.
        assertEquals(before + 6, storages());
    }

    @Test
    void aGradientThatSomebodyHoldsIsNotWrittenTo() {
        Tensor x = op("X", leaf());
        Tensor a = kib();
        withGradient(x, a, g -> g);
        Tensor b = kib();
        withGradient(x, b, g -> g);
        Tensor sum = kib();
        rt.record("Add", a, b).gradient(0, g -> g).gradient(1, g -> g).output(sum);
        long before = storages();
        backward(sum);
        // The root's gradient, the sum of what came back twice as the same tensor, and X's.
        assertEquals(before + 3, storages());
    }

    @Test
    void anotherViewOfAGradientKeepsItFromBeingWrittenTo() {
        Tensor x = op("X", leaf());
        Tensor a = kib();
        withGradient(x, a, g -> rt.detach(g));
        Tensor b = kib();
        withGradient(x, b, g -> rt.detach(g));
        Tensor sum = kib();
        rt.record("Add", a, b).gradient(0, g -> g).gradient(1, g -> g).output(sum);
        long before = storages();
        backward(sum);
        assertEquals(before + 3, storages());
    }

    /** accumulate_grad.h: a gradient in another layout than its variable's is copied into that. */
    @Test
    void leavesKeepGradientsInTheirOwnLayout() {
        Tensor w = rt.empty(DType.FLOAT32, 16, 16);
        rt.requireGrad(w, true);
        Tensor out = kib();
        Tensor[] made = new Tensor[1];
        withGradient(w, out, g -> {
            made[0] = rt.emptyStrided(DType.FLOAT32, new long[] {16, 16}, new long[] {1, 16});
            return made[0];
        });
        backward(out);
        assertNotSame(made[0].storage(), w.grad().storage());
        assertArrayEquals(new long[] {16, 1}, w.grad().strides());
        assertEquals(Category.GRADIENTS, w.grad().storage().category());
    }

    @Test
    void stridesOfDimensionsOfOneElementDoNotMatter() {
        Tensor w = rt.empty(DType.FLOAT32, 1, 256);
        rt.requireGrad(w, true);
        Tensor out = kib();
        Tensor[] made = new Tensor[1];
        withGradient(w, out, g -> {
            made[0] = rt.emptyStrided(DType.FLOAT32, new long[] {1, 256}, new long[] {7, 1});
            return made[0];
        });
        backward(out);
        assertSame(made[0].storage(), w.grad().storage());
    }

    /** Of a leaf that overlaps itself, gradients are contiguous. */
    @Test
    void leavesThatAreNotDenseGetContiguousGradients() {
        Tensor w = rt.reinterpret(kib(), new long[] {8, 8}, new long[] {16, 2}, 0);
        rt.requireGrad(w, true);
        Tensor out = kib();
        Tensor[] made = new Tensor[1];
        withGradient(w, out, g -> made[0] = rt.empty(DType.FLOAT32, 8, 8));
        backward(out);
        assertSame(made[0].storage(), w.grad().storage());
        rt.setGrad(w, null);
        Tensor again = kib();
        withGradient(w, again, g -> made[0] = rt.emptyStrided(DType.FLOAT32, new long[] {8, 8}, new long[] {1, 8}));
        backward(again);
        assertNotSame(made[0].storage(), w.grad().storage());
    }

    /** The rows of sparse gradients come one behind the other; with a dense one the sum is dense. */
    @Test
    void sparseGradientsAreAppended() {
        Tensor table = rt.empty(DType.FLOAT32, 100, 4);
        rt.requireGrad(table, true);
        for (int i = 1; i <= 2; i++) {
            Tensor out = kib();
            withGradient(table, out, g -> rt.empty(DType.FLOAT32, 3, 4).sparse(rt.empty(DType.INT64, 3)));
            backward(out);
            assertArrayEquals(new long[] {3L * i, 4}, table.grad().sizes());
            assertEquals(3L * i, table.grad().indices().numel());
            assertEquals(Category.GRADIENTS, table.grad().storage().category());
        }
        Tensor out = kib();
        withGradient(table, out, g -> rt.empty(DType.FLOAT32, 100, 4));
        backward(out);
        assertArrayEquals(new long[] {100, 4}, table.grad().sizes());
        assertNull(table.grad().indices());
    }

    @Test
    void sparseGradientsThatMeetAreAppendedBeforeTheyArrive() {
        Tensor table = rt.empty(DType.FLOAT32, 100, 4);
        rt.requireGrad(table, true);
        Tensor a = kib();
        withGradient(table, a, g -> rt.empty(DType.FLOAT32, 3, 4).sparse(rt.empty(DType.INT64, 3)));
        Tensor b = kib();
        withGradient(table, b, g -> rt.empty(DType.FLOAT32, 5, 4).sparse(rt.empty(DType.INT64, 5)));
        backward(op("Sum", a, b));
        assertArrayEquals(new long[] {8, 4}, table.grad().sizes());
        assertEquals(8, table.grad().indices().numel());
    }

    /** validate_outputs: a gradient is reduced to the sizes and cast to the type of what it is one of. */
    @Test
    void gradientsTakeSizesAndTypeOfTheirInput() {
        Tensor w = rt.empty(DType.BFLOAT16, 1, 64);
        rt.requireGrad(w, true);
        Tensor out = kib();
        withGradient(w, out, g -> rt.empty(DType.FLOAT32, 32, 64));
        backward(out);
        assertArrayEquals(new long[] {1, 64}, w.grad().sizes());
        assertEquals(DType.BFLOAT16, w.grad().dtype());
        rt.free(out);
        assertEquals(512 + 512, allocated(), "the weight and its gradient; what was reduced and cast is gone");
    }

    /** The same gradient for two inputs, of which one is broadcast: the other still has it. */
    @Test
    void whatIsReducedMayBeAnothersGradient() {
        Tensor a = rt.empty(DType.FLOAT32, 16, 16);
        Tensor b = rt.empty(DType.FLOAT32, 1, 16);
        rt.requireGrad(a, true);
        rt.requireGrad(b, true);
        Tensor out = rt.empty(DType.FLOAT32, 16, 16);
        rt.record("Add", a, b).gradient(1, g -> g).gradient(0, g -> g).output(out);
        backward(out);
        assertArrayEquals(new long[] {16, 16}, a.grad().sizes());
        assertArrayEquals(new long[] {1, 16}, b.grad().sizes());
        assertEquals(KIB, a.grad().storage().bytes());
    }

    /** Formulas of inputs that want no gradient are not evaluated. */
    @Test
    void onlyWantedGradientsAreComputed() {
        Tensor w = leaf();
        Tensor constant = kib();
        Recorder r = rt.record("Mul", w, constant);
        assertTrue(r.needs(0));
        assertFalse(r.needs(1));
        assertEquals(2, r.inputs());
        Tensor out = kib();
        r.gradient(1, g -> {
                    throw new AssertionError("nobody asked");
                })
                .gradient(0, g -> kib())
                .output(out);
        backward(out);
        assertNotNull(w.grad());
    }

    @Test
    void gradientsThatAreNotThereStayAway() {
        Tensor w = leaf();
        Tensor out = kib();
        withGradient(w, out, g -> null);
        backward(out);
        assertNull(w.grad());
    }
}
