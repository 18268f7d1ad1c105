package dev.headroom.estimator.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.estimator.log.Category;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.DType;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What backward passes keep and run, and what hooks see of them. */
class BackwardPassTest extends OnRuntime {
    @Test
    void aGraphRunsOnceUnlessItIsRetained() {
        Tensor w = leaf();
        Tensor y = op("A", w);
        try (Frame f = rt.frame()) {
            engine.backwardAndRetain(y, kib());
        }
        backward(y);
        assertEquals(List.of("A", "A"), ran);
        UserInputException e = assertThrows(UserInputException.class, () -> backward(y));
        assertTrue(e.getMessage().startsWith("backward() comes to A a second time"), e.getMessage());
    }

    @Test
    void nothingToRetainIsSaidAsEver() {
        assertThrows(UserInputException.class, () -> engine.backwardAndRetain(kib(), kib()));
    }

    /** Copies made for the node end with it; what nothing records is not kept at all. */
    @Test
    void copiesBelongToTheNode() {
        Tensor w = leaf();
        Recorder r = rt.record("A", w);
        Saved copy = r.saveCopy(kib());
        Tensor out = kib();
        r.gradient(0, g -> {
                    copy.get();
                    return kib();
                })
                .output(out);
        assertEquals(3 * KIB, allocated());
        backward(out);
        assertEquals(3 * KIB, allocated(), "w, its gradient and the result");
        assertThrows(IllegalStateException.class, copy::get);
        Recorder none = rt.record("A", kib());
        long before = allocated();
        none.saveCopy(kib());
        assertEquals(before, allocated());
        assertNull(none.saveOutput(kib()).getOrNull());
        assertSame(w, none.attach(w).getOr(w));
        assertEquals(0, none.inputs());
        assertFalse(none.needs(0));
    }

    /** A result that its node keeps does not keep the node. */
    @Test
    void keptResultsAreNoCycle() {
        Tensor w = leaf();
        Tensor out = kib();
        Recorder r = rt.record("Exp", w);
        r.output(out);
        Saved kept = r.saveOutput(out);
        assertNotSame(out, kept.get());
        assertSame(out.storage(), kept.get().storage());
        assertEquals(Category.SAVED_ACTIVATIONS, out.storage().category());
        rt.free(out);
        assertEquals(KIB, allocated());
    }

    @Test
    void whatAFunctionSetsOnItsContextOutlivesThePass() {
        Tensor w = leaf();
        Recorder r = rt.record("Function", w);
        Tensor kept = kib();
        r.attach(kept);
        rt.free(kept);
        Tensor out = kib();
        r.gradient(0, g -> kib()).output(out);
        backward(out);
        assertEquals(4 * KIB, allocated());
        rt.free(out);
        assertEquals(2 * KIB, allocated());
    }

    /** Hooks of saved tensors pack each once and unpack it when its node runs; numbers do not go through them. */
    @Test
    void hooksOfSavedTensorsPackAndUnpack() {
        Tensor w = leaf();
        List<String> calls = new ArrayList<>();
        SavedTensorHooks before = rt.tape().setHooks(t -> {
            calls.add("pack");
            return new SavedTensorHooks.Packed() {
                @Override
                public Tensor unpack() {
                    calls.add("unpack");
                    return rt.tape().saveDetached(w);
                }

                @Override
                public void release() {
                    calls.add("release");
                }
            };
        });
        assertNull(before);
        Recorder r = rt.record("A", w);
        Saved kept = r.save(w);
        r.save(rt.wrappedNumber(DType.FLOAT64));
        r.save(null);
        Tensor out = kib();
        r.gradient(0, g -> {
                    calls.add("run " + (kept.get().storage() == w.storage()));
                    return kib();
                })
                .output(out);
        assertNotNull(rt.tape().setHooks(null));
        backward(out);
        assertEquals(List.of("pack", "unpack", "run true", "release"), calls);
        rt.free(out);
        assertEquals(2 * KIB, allocated());
        assertEquals(1, w.storage().useCount());
    }

    /** Gradients are handed out, not accumulated, and nodes that lead nowhere wanted do not run. */
    @Test
    void gradOfTensorsRunsWhatLeadsToThem() {
        Tensor w = leaf();
        Tensor other = leaf();
        Tensor a = op("A", w);
        Tensor b = op("B", other);
        Tensor y = op("Y", a, b);
        Tensor[] got = engine.gradients(y, kib(), List.of(a), true, false, g -> g);
        assertEquals(List.of("Y"), ran);
        assertEquals(KIB, got[0].nbytes());
        rt.release(got[0]);
        Tensor[] both = engine.gradients(y, kib(), List.of(w, other), false, false, g -> g);
        assertEquals(List.of("Y", "Y", "B", "A"), ran);
        assertNull(w.grad());
        assertNull(other.grad());
        for (Tensor t : both) {
            rt.release(t);
        }
        assertThrows(UserInputException.class, () -> engine.gradients(y, kib(), List.of(w), false, false, g -> g));
    }

    @Test
    void gradOfWhatWantsNoneIsRefused() {
        Tensor y = op("Y", leaf());
        UserInputException e = assertThrows(
                UserInputException.class, () -> engine.gradients(y, kib(), List.of(kib()), false, false, g -> g));
        assertTrue(e.getMessage().contains("requires no gradient"), e.getMessage());
        assertThrows(
                UserInputException.class, () -> engine.gradients(kib(), kib(), List.of(leaf()), false, false, g -> g));
    }

    @Test
    void modesAndAttributionAreRestored() {
        Tensor y = op("Y", leaf());
        rt.tape().addHook(y, g -> {
            assertFalse(rt.gradMode());
            assertTrue(rt.tape().inBackwardThread());
            engine.pass();
            return g;
        });
        int attribution = rt.attribution();
        backward(y);
        assertTrue(rt.gradMode());
        assertFalse(rt.tape().inBackwardThread());
        assertEquals(attribution, rt.attribution());
        assertThrows(NullPointerException.class, engine::pass);
    }

    /** A pass inside of a node is through before anything else of the outer one runs. */
    @Test
    void passesInsideOfNodesComeFirst() {
        Tensor inner = op("Inner", op("Innermost", leaf()));
        Tensor late = op("Late", leaf());
        Tensor x = leaf();
        Tensor out = kib();
        rt.record("Function", x, late)
                .gradients(grads -> {
                    ran.add("Function");
                    engine.backward(inner, kib());
                    ran.add("through");
                    return new Tensor[] {kib(), kib()};
                })
                .output(out);
        backward(out);
        assertEquals(List.of("Function", "Inner", "Innermost", "through", "Late"), ran);
    }

    @Test
    void severalRootsBeginTogether() {
        Tensor a = op("A", leaf());
        Tensor b = op("B", leaf());
        try (Frame f = rt.frame()) {
            engine.backward(new Tensor[] {a, b}, new Tensor[] {kib(), kib()});
        }
        assertEquals(List.of("B", "A"), ran, "the later first");
        assertThrows(
                UserInputException.class,
                () -> engine.backward(new Tensor[] {op("A", leaf()), kib()}, new Tensor[] {kib(), kib()}));
    }

    /** variable.cpp, rebase_history: writing to a view is part of the history of the whole. */
    @Test
    void writingToAViewChangesTheHistoryOfItsBase() {
        Tensor w = leaf();
        Tensor base = op("Base", w);
        Tensor view = rt.view(base, new long[] {128}, new long[] {1}, 0);
        rt.record("SliceBackward0", base).gradient(0, g -> kib()).output(view);
        Tensor other = rt.view(base, new long[] {128}, new long[] {1}, 128);
        Recorder r = rt.record("MulBackward0", view, leaf());
        r.gradients(grads -> {
            ran.add("Mul " + grads[0].numel());
            return new Tensor[] {rt.empty(DType.FLOAT32, 128), kib()};
        });
        assertSame(view, r.output(view));
        assertEquals("CopySlices", base.gradNode().name());
        assertEquals("AsStridedBackward0", view.gradNode().name());
        assertTrue(other.hasStaleHistory());
        assertTrue(other.requiresGrad());
        backward(base);
        assertEquals(List.of("Mul 128", "Base"), ran);
        assertNotNull(w.grad());
    }

    /** A result that is an input is written to in place: its number of versions grows, its history goes on. */
    @Test
    void writingInPlaceGoesOnWithTheHistory() {
        Tensor w = leaf();
        Tensor x = op("A", w);
        int version = x.storage().version;
        Recorder r = rt.record("Relu", x);
        r.gradient(0, g -> {
            ran.add("Relu");
            return kib();
        });
        r.output(x);
        assertEquals(version + 1, x.storage().version);
        backward(x);
        assertEquals(List.of("Relu", "A"), ran);
    }

    @Test
    void gradientsFlowThroughNoIntegers() {
        Recorder r = rt.record("Max", leaf());
        Tensor values = kib();
        Tensor places = rt.empty(DType.INT64, 256);
        r.outputs(new Tensor[] {values, places, null});
        assertFalse(values.isLeaf());
        assertTrue(places.isLeaf());
        assertEquals(0, values.outputNumber());
        assertEquals(3, values.gradNode().inputs());
    }

    @Test
    void detachingInPlaceLetsGoOfTheGraph() {
        Tensor w = leaf();
        Tensor x = op("A", w);
        Tensor y = op("B", x);
        rt.free(x);
        assertEquals(3 * KIB, allocated());
        y.detachInPlace(rt);
        assertTrue(y.isLeaf());
        assertFalse(y.requiresGrad());
        assertEquals(2 * KIB, allocated());
    }

    @Test
    void hooksNeedATensorThatWantsAGradient() {
        assertThrows(IllegalArgumentException.class, () -> rt.tape().addHook(kib(), g -> g));
        Tensor made = op("A", leaf());
        assertThrows(IllegalArgumentException.class, () -> rt.tape().addPostAccumulateHook(made, l -> {}));
    }

    /** Nodes with hooks keep what they are given, so that the leaf's gradient becomes a copy of its own. */
    @Test
    void hooksOfAccumulatorsMakeTheGradientLast() {
        Tensor w = leaf();
        rt.tape().addAccumulatorHook(w, l -> ran.add("accumulated"));
        backward(op("A", w));
        assertEquals(List.of("A", "accumulated"), ran);
        assertNotNull(w.grad());
    }

    @Test
    void nodesBehindATensorGoThroughTheAnchor() {
        Tensor w = leaf();
        Tensor x = op("A", w);
        Tensor y = BackwardAnchors.through(rt, "Anchor", x, () -> ran.add("anchor"));
        assertSame(x.storage(), y.storage());
        assertFalse(y.isView());
        backward(op("B", y));
        assertEquals(List.of("B", "anchor", "A"), ran);
        Tensor plain = kib();
        assertSame(plain, BackwardAnchors.through(rt, "Anchor", plain, () -> {}));
    }

    /** An event is over once the device has come that far; the host can wait for it. */
    @Test
    void eventsAreOverWhenTheHostHasWaited() {
        rt.allocator().deviceLags();
        long first = rt.streams().mark();
        assertFalse(rt.streams().isOver(first));
        rt.streams().waitFor(first);
        assertTrue(rt.streams().isOver(first));
        long second = rt.streams().mark();
        assertFalse(rt.streams().isOver(second));
        rt.streams().hostWaits();
        assertTrue(rt.streams().isOver(second));
    }

    /** A collective's result keeps what it reads until somebody waits: nodes that compute do, views do not. */
    @Test
    void whatACollectiveReadsLivesUntilItIsAwaited() {
        Tensor result = kib();
        Tensor read = kib();
        result.storage().keepUntilWaited(rt, read);
        rt.free(read);
        assertEquals(2 * KIB, allocated());
        GradNode view = rt.tape().node("ViewBackward0");
        view.await(rt, new Tensor[] {result, null});
        assertEquals(2 * KIB, allocated());
        rt.tape().node("MulBackward0").await(rt, new Tensor[] {null, result});
        assertEquals(KIB, allocated());
    }
}
