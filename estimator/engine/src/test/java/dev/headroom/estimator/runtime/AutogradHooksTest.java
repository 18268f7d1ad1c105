package dev.headroom.estimator.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Hooks are called where PyTorch calls them, and see what PyTorch's see. */
class AutogradHooksTest extends OnRuntime {
    private final List<String> calls = new ArrayList<>();

    /** An operator that keeps nothing; its gradients are fresh tensors. */
    @Override
    protected Tensor op(String name, Tensor... inputs) {
        Recorder r = rt.record(name, inputs);
        Tensor out = kib();
        r.gradients(grads -> {
            calls.add(name);
            Tensor[] made = new Tensor[inputs.length];
            for (int i = 0; i < made.length; i++) {
                made[i] = kib();
            }
            return made;
        });
        return r.output(out);
    }

    /** torch/csrc/autograd/engine.cpp, call_function; accumulate_grad.cpp, AccumulateGrad::apply. */
    @Test
    void hooksOfAPassAreCalledInPyTorchsOrder() {
        Tensor w = leaf();
        Tensor y = op("Op", w);
        GradNode accumulator = rt.tape().holdAccumulator(w);
        accumulator.addHook((AutogradHooks.AfterNode) (results, grads) -> {
            calls.add("leaf after");
            return results;
        });
        accumulator.addPrehook((AutogradHooks.BeforeNode) grads -> {
            calls.add("leaf before");
            return grads;
        });
        rt.tape().addPostAccumulateHook(w, (AutogradHooks.AfterAccumulate)
                leaf -> calls.add("accumulated " + (leaf.grad() != null)));
        rt.tape().addHook(w, (AutogradHooks.OfTensor) g -> {
            calls.add("leaf tensor " + (w.grad() != null));
            return null;
        });
        y.gradNode().addHook((AutogradHooks.AfterNode) (results, grads) -> {
            calls.add("after");
            return results;
        });
        y.gradNode().addPrehook((AutogradHooks.BeforeNode) grads -> {
            calls.add("before");
            return grads;
        });
        rt.tape().addHook(y, (AutogradHooks.OfTensor) g -> {
            calls.add("tensor");
            engine.queueCallback(() -> calls.add("end"));
            return g;
        });
        backward(y);
        assertEquals(
                List.of(
                        "tensor",
                        "before",
                        "Op",
                        "after",
                        "leaf tensor false",
                        "leaf before",
                        "accumulated true",
                        "leaf after",
                        "end"),
                calls);
        rt.tape().release(accumulator);
    }

    /** DistributedDataParallel's hooks do not keep AccumulateGrad from taking the gradient itself (engine.cpp). */
    @Test
    void hooksAfterTheNodeOfALeafDoNotMakeItCopy() {
        Tensor w = leaf();
        GradNode accumulator = rt.tape().holdAccumulator(w);
        accumulator.addHook((AutogradHooks.AfterNode) (results, grads) -> {
            assertSame(grads[0].storage(), w.grad().storage());
            return results;
        });
        Tensor y = op("Op", w);
        backward(y);
        assertEquals(3 * KIB, allocated(), "w, y and the gradient");
        rt.tape().release(accumulator);
    }

    @Test
    void aHookMayReplaceAGradient() {
        Tensor w = leaf();
        Tensor y = op("Op", w);
        Storage[] own = new Storage[1];
        rt.tape().addHook(w, (AutogradHooks.OfTensor) g -> {
            Tensor scaled = kib();
            own[0] = scaled.storage();
            return scaled;
        });
        backward(y);
        assertSame(own[0], w.grad().storage());
        assertEquals(3 * KIB, allocated(), "the gradient that was replaced is gone");
    }

    @Test
    void aHookThatWasTakenAwayIsNotCalled() {
        Tensor w = leaf();
        AutogradHooks.Handle handle =
                rt.tape().addPostAccumulateHook(w, (AutogradHooks.AfterAccumulate) leaf -> calls.add("hook"));
        backward(op("Op", w));
        handle.remove();
        backward(op("Op", w));
        assertEquals(List.of("Op", "hook", "Op"), calls);
    }

    /** A hook that frees the gradient, as sharded training does, leaves nothing behind. */
    @Test
    void aLeafsGradientMayBeLetGoAsSoonAsItIsThere() {
        Tensor w = leaf();
        rt.tape().addPostAccumulateHook(w, (AutogradHooks.AfterAccumulate) leaf -> rt.setGrad(leaf, null));
        Tensor y = op("Op", w);
        backward(y);
        assertNull(w.grad());
        assertEquals(2 * KIB, allocated());
    }

    @Test
    void callbacksAreForBackwardPassesAndMayQueueMore() {
        assertThrows(IllegalStateException.class, () -> engine.queueCallback(() -> {}));
        Tensor y = op("Op", leaf());
        rt.tape().addHook(y, (AutogradHooks.OfTensor) g -> {
            engine.queueCallback(() -> {
                calls.add("first");
                engine.queueCallback(() -> calls.add("third"));
            });
            engine.queueCallback(() -> calls.add("second"));
            return g;
        });
        backward(y);
        assertEquals(List.of("Op", "first", "second", "third"), calls);
        assertThrows(IllegalStateException.class, () -> engine.queueCallback(() -> {}));
    }

    /** FSDP's pre-backward runs before the node of a module's output, its post-backward when all inputs' are there. */
    @Test
    void anchorsLieAroundAModulesBackwardPass() {
        Tensor a = op("Before", leaf());
        Tensor b = op("Before", leaf());
        Tensor[] inside = BackwardAnchors.after(rt, "Anchor", new Tensor[] {a, b}, () -> calls.add("post"));
        Tensor y = op("Inner", inside[0]);
        Tensor z = op("Inner", inside[1], y);
        BackwardAnchors.before(rt, new Tensor[] {y, z}, () -> calls.add("pre"));
        backward(op("After", z));
        assertEquals(List.of("After", "pre", "Inner", "Inner", "post", "Before", "Before"), calls);
    }

    @Test
    void anchorsOfTensorsWithoutGradientsAreTheTensors() {
        Tensor x = kib();
        Tensor[] inside = BackwardAnchors.after(rt, "Anchor", new Tensor[] {x}, () -> calls.add("post"));
        assertSame(x, inside[0]);
    }

    @Test
    void memoryComesFromTheCurrentStreamsPool() {
        Tensor first = kib();
        assertEquals(0, rt.streams().use(7));
        Tensor second = kib();
        rt.streams().use(0);
        assertEquals(0, rt.streams().of(first));
        assertEquals(7, rt.streams().of(second));
        assertEquals(2, rt.allocator().segments().size());
    }

    /** input_buffer.cpp: a gradient that another stream uses waits for that stream when it is freed. */
    @Test
    void nodesRunOnTheStreamThatTheyWereRecordedOn() {
        Tensor w = leaf();
        GradNode accumulator = rt.tape().holdAccumulator(w); // made on stream 0
        rt.streams().use(3);
        Tensor y = op("Op", w);
        rt.streams().use(0);
        List<Integer> streams = new ArrayList<>();
        y.gradNode().addPrehook((AutogradHooks.BeforeNode) grads -> {
            streams.add(rt.streams().current());
            return grads;
        });
        rt.tape().addPostAccumulateHook(w, (AutogradHooks.AfterAccumulate)
                leaf -> streams.add(rt.streams().current()));
        rt.allocator().streamBusy(0);
        backward(y);
        assertEquals(List.of(3, 0), streams);
        assertNotNull(w.grad());
        assertEquals(3, rt.streams().of(w.grad()));
        long active = rt.allocator().statistics().activeBytes().current();
        rt.setGrad(w, null);
        assertEquals(active, rt.allocator().statistics().activeBytes().current(), "stream 0 has not come that far");
        rt.allocator().streamIdle(0);
        rt.tape().release(accumulator);
    }
}
