package dev.headroom.estimator.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.estimator.log.Attribution;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Passes inside of nodes, passes that fail, and what both leave as it was (torch/csrc/autograd/engine.cpp). */
class NestedPassTest extends OnRuntime {
    /** An operator that does something when it runs backward. */
    private Tensor doing(String name, Runnable work, Tensor... inputs) {
        Tensor out = kib();
        Recorder r = rt.record(name, inputs);
        return r.gradients(grads -> {
                    ran.add(name);
                    work.run();
                    Tensor[] made = new Tensor[inputs.length];
                    for (int i = 0; i < made.length; i++) {
                        made[i] = r.needs(i) ? kib() : null;
                    }
                    return made;
                })
                .output(out);
    }

    /** Engine::thread_main: what waits with a higher number, but of the outer pass, waits until the inner is through. */
    @Test
    void whatWaitsAroundAPassWaitsOn() {
        Tensor inner = op("Inner", op("Innermost", leaf()));
        Tensor waiting = op("Waiting", leaf());
        Tensor function = doing(
                "Function",
                () -> {
                    engine.backward(inner, kib());
                    ran.add("through");
                },
                leaf());
        backward(op("Sum", waiting, function));
        assertEquals(List.of("Sum", "Function", "Inner", "Innermost", "through", "Waiting"), ran);
    }

    @Test
    void anOuterPassGoesOnAsWhatItWas() {
        Tensor inner = op("Inner", leaf());
        List<Object> passes = new ArrayList<>();
        Tensor y = doing(
                "Function",
                () -> {
                    passes.add(engine.pass());
                    engine.backward(inner, kib());
                    passes.add(engine.pass());
                    engine.queueCallback(() -> ran.add("callback"));
                    assertFalse(rt.gradMode());
                    assertEquals("Function", rt.attribution(rt.attribution()).node());
                },
                op("Below", leaf()));
        backward(y);
        assertSame(passes.get(0), passes.get(1));
        assertEquals(List.of("Function", "Inner", "Below", "callback"), ran);
    }

    /** What nobody asked for is not computed after a pass inside of the node either (task_should_compute_output). */
    @Test
    void anOuterPassStillComputesOnlyWhatIsAskedFor() {
        Tensor inner = op("Inner", leaf());
        Tensor wanted = leaf();
        Tensor other = leaf();
        Tensor y = doing("Function", () -> engine.backward(inner, kib()), wanted, other);
        long before = storages();
        Tensor[] got = engine.gradients(y, kib(), List.of(wanted), false, false, g -> g);
        // What the two passes begin with, the gradient of Inner, and that of the one that is wanted.
        assertEquals(before + 4, storages());
        assertNull(other.grad());
        rt.release(got[0]);
    }

    @Test
    void allocationsCountForTheNodeThatRuns() {
        List<Attribution> seen = new ArrayList<>();
        Runnable look = () -> seen.add(rt.attribution(rt.attribution()));
        int forward = rt.number(new Attribution("layer", "aten.mul", ""));
        int after = rt.number(new Attribution("", "loss", ""));
        rt.attribute(forward);
        Tensor y = doing("Y", look, doing("X", look, leaf()));
        rt.attribute(after);
        backward(y);
        assertEquals(
                List.of(new Attribution("layer", "aten.mul", "Y"), new Attribution("layer", "aten.mul", "X")), seen);
        assertEquals(after, rt.attribution());
    }

    /** A retained graph lives as long as its result: the pass keeps no node. */
    @Test
    void aPassKeepsNoNode() {
        Tensor w = leaf();
        Tensor x = op("X", w);
        Tensor y = op("Y", x);
        rt.free(x);
        Tensor g = kib();
        engine.backwardAndRetain(y, g);
        rt.free(g);
        assertEquals(4 * KIB, allocated(), "w, its gradient, x, which Y keeps, and y");
        rt.free(y);
        assertEquals(2 * KIB, allocated());
    }

    /** A gradient dies with the last node that wants it, not with the pass. */
    @Test
    void gradientsDieOnTheWay() {
        List<Long> seen = new ArrayList<>();
        Runnable look = () -> seen.add(allocated());
        Tensor y = leaf();
        for (int i = 0; i < 4; i++) {
            y = doing("N" + i, look, y);
        }
        long before = allocated();
        Tensor g = kib();
        engine.backward(y, g);
        // Each node is called with the gradient that it is given, beside the one that the caller holds.
        assertEquals(List.of(before + KIB, before + 2 * KIB, before + 2 * KIB, before + 2 * KIB), seen);
        assertEquals(before + 2 * KIB, allocated(), "the caller's and the leaf's");
    }

    @Test
    void afterAFailedPassNothingRuns() {
        Tensor w = leaf();
        backward(op("Good", w));
        int attribution = rt.attribution();
        Tensor y = doing(
                "Y",
                () -> {
                    kib();
                    throw new IllegalStateException("out of order");
                },
                w);
        Tensor g = kib();
        long before = allocated();
        assertThrows(IllegalStateException.class, () -> engine.backward(y, g));
        assertTrue(rt.gradMode());
        assertFalse(rt.tape().inBackwardThread());
        assertEquals(attribution, rt.attribution());
        assertThrows(NullPointerException.class, engine::pass);
        assertThrows(IllegalStateException.class, () -> engine.queueCallback(() -> {}));
        assertEquals(before, allocated(), "what the node had made is gone");
    }

    /** Waiting for a collective whose result a node is given ends what the collective read. */
    @Test
    void nodesWaitForTheGradientsTheyAreGiven() {
        List<Long> seen = new ArrayList<>();
        Tensor y = doing("Y", () -> seen.add(allocated()), leaf());
        Tensor g = kib();
        Tensor read = kib();
        g.storage().keepUntilWaited(rt, read);
        rt.free(read);
        long before = allocated();
        engine.backward(y, g);
        assertEquals(List.of(before - KIB), seen);
    }

    /** call_function: only hooks after the node of a leaf keep the gradient that it is given. */
    @Test
    void hooksAfterTheNodeOfALeafAloneKeepItsGradient() {
        Tensor w = leaf();
        backward(op("A", w));
        GradNode accumulator = rt.tape().holdAccumulator(w);
        List<Long> seen = new ArrayList<>();
        rt.tape().addPostAccumulateHook(w, (AutogradHooks.AfterAccumulate) l -> seen.add(allocated()));
        accumulator.addPrehook((AutogradHooks.BeforeNode) grads -> grads);
        Tensor second = op("A", w);
        Tensor g = kib();
        long before = allocated();
        engine.backward(second, g);
        accumulator.addHook((AutogradHooks.AfterNode) (results, grads) -> {
            assertNotNull(grads[0]);
            return results;
        });
        rt.free(second);
        Tensor third = op("A", w);
        engine.backward(third, g);
        assertEquals(List.of(before, before + KIB), seen, "added to the first, and gone; kept for the hook");
        assertEquals(before, allocated());
        rt.tape().release(accumulator);
    }
}
