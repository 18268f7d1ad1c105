package dev.headroom.estimator.checkpoint;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.estimator.log.Attribution;
import dev.headroom.estimator.runtime.AutocastMode;
import dev.headroom.estimator.runtime.Frame;
import dev.headroom.estimator.runtime.OnRuntime;
import dev.headroom.estimator.runtime.Recorder;
import dev.headroom.estimator.runtime.Saved;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a checkpoint keeps, when it runs its body again and under which modes, on tensors of one KiB. */
class CheckpointTest extends OnRuntime {
    private static final Tensor[] NONE = {};

    /** An operator that keeps its first input if it is told to; its gradients are fresh tensors. */
    private Tensor op(String name, boolean keeps, Tensor... inputs) {
        ran.add(name);
        Recorder r = rt.record(name, inputs);
        Saved kept = keeps ? r.save(inputs[0]) : null;
        Tensor out = kib();
        r.gradients(grads -> {
            ran.add(name + "'");
            if (kept != null) {
                kept.get();
            }
            Tensor[] made = new Tensor[inputs.length];
            for (int i = 0; i < made.length; i++) {
                made[i] = kib();
            }
            return made;
        });
        return r.output(out);
    }

    private Tensor[] checkpoint(boolean reentrant, boolean offload, Body body, Tensor[] held, Tensor... inputs) {
        return reentrant
                ? Reentrant.run(rt, engine, body, inputs, inputs.length, offload)
                : NonReentrant.run(rt, engine, body, inputs, held, offload);
    }

    /** Two operators, each of which keeps its input; the middle result dies with the frame. */
    private Body chain() {
        return inputs -> {
            try (Frame f = rt.frame()) {
                return new Tensor[] {f.keep(op("B", true, op("A", true, inputs[0])))};
            }
        };
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void keepsInputsInPlaceOfWhatTheBodyKeeps(boolean reentrant) {
        Tensor x = leaf();
        Tensor y = checkpoint(reentrant, false, chain(), NONE, x)[0];
        assertEquals(2 * KIB, allocated(), "x and y, nothing between them");
        assertTrue(y.requiresGrad());
        backward(y);
        assertEquals(List.of("A", "B", "A", "B", "B'", "A'"), ran);
        assertNotNull(x.grad());
        assertEquals(3 * KIB, allocated(), "and the gradient of x");
        rt.free(y);
        assertEquals(2 * KIB, allocated());
        rt.setGrad(x, null);
        rt.free(x);
        assertEquals(0, allocated(), "nothing holds x any more");
    }

    /** As soon as all is there that was saved the first time, the body is left. */
    @Test
    void recomputationStopsEarly() {
        Tensor x = leaf();
        Body body = inputs -> {
            Tensor a = op("A", true, inputs[0]);
            Tensor b = op("B", true, a);
            return new Tensor[] {op("C", false, b)};
        };
        Tensor y = checkpoint(false, false, body, NONE, x)[0];
        ran.clear();
        backward(y);
        assertEquals(List.of("C'", "A", "B", "B'", "A'"), ran);
    }

    @Test
    void recomputationEndsInTheFirstNodeThatAsks() {
        Tensor x = leaf();
        Tensor y = checkpoint(false, false, chain(), NONE, x)[0];
        ran.clear();
        backward(y);
        assertEquals(List.of("A", "B", "B'", "A'"), ran);
        assertNull(rt.tape().setHooks(null), "what follows is saved as ever");
        assertTrue(rt.gradMode());
    }

    /** What the body reads of its module lives as long as the inputs: until the last placeholder is gone. */
    @Test
    void whatTheBodyReadsIsKeptWithTheInputs() {
        Tensor x = leaf();
        Tensor w = kib();
        Tensor y = checkpoint(false, false, chain(), new Tensor[] {w}, x)[0];
        rt.free(w);
        rt.free(x);
        assertEquals(3 * KIB, allocated());
        rt.free(y);
        assertEquals(0, allocated(), "a graph that nobody holds is gone, with all that it kept");
    }

    @Test
    void aBodyThatKeepsNothingIsNotRunAgain() {
        Tensor x = leaf();
        Body body = inputs -> new Tensor[] {op("C", false, inputs[0])};
        Tensor w = kib();
        Tensor y = checkpoint(false, false, body, new Tensor[] {w}, x)[0];
        rt.free(w);
        assertEquals(2 * KIB, allocated());
        ran.clear();
        backward(y);
        assertEquals(List.of("C'"), ran);
    }

    /** The first input waits on the host and comes back as what it was; others stay. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theFirstInputCanWaitOnTheHost(boolean reentrant) {
        Tensor w = leaf();
        Tensor x = op("P", false, w);
        Tensor second = kib();
        List<Tensor> seen = new ArrayList<>();
        Body body = inputs -> {
            seen.add(inputs[0]);
            seen.add(inputs[1]);
            return new Tensor[] {op("A", true, inputs[0], inputs[1])};
        };
        Tensor y = checkpoint(reentrant, true, body, NONE, x, second)[0];
        rt.free(x);
        rt.free(second);
        assertEquals(3 * KIB, allocated(), "w, the second input and y");
        backward(y);
        assertNotNull(w.grad());
        assertEquals(4, seen.size());
        assertNotSame(seen.get(0), seen.get(2));
        assertArrayEquals(new long[] {256}, seen.get(2).sizes());
        assertEquals(DType.FLOAT32, seen.get(2).dtype());
        assertTrue(seen.get(2).requiresGrad());
        assertEquals(seen.get(1).storage(), seen.get(3).storage());
        rt.free(y);
        assertEquals(2 * KIB, allocated(), "w and its gradient");
    }

    /** What was not on the host stays alive until the backward pass. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void inputsStayOnTheDeviceOtherwise(boolean reentrant) {
        Tensor x = op("P", false, leaf());
        Tensor y = checkpoint(reentrant, false, chain(), NONE, x)[0];
        long before = allocated();
        rt.free(x);
        assertEquals(before, allocated());
        rt.free(y);
        assertEquals(KIB, allocated());
    }

    /** torch/utils/checkpoint.py: autocast is as it was in the forward pass; gradients are recorded. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theBodyRunsUnderTheModesOfTheForwardPass(boolean reentrant) {
        List<String> modes = new ArrayList<>();
        Body body = inputs -> {
            modes.add(rt.autocast().active() + " " + rt.autocast().type() + " " + rt.gradMode());
            return new Tensor[] {op("A", true, inputs[0])};
        };
        AutocastMode.State outside = rt.autocast().enter(new AutocastMode.State(true, DType.BFLOAT16, true));
        Tensor y = checkpoint(reentrant, false, body, NONE, leaf())[0];
        rt.autocast().exit(outside);
        assertTrue(rt.gradMode());
        int attribution = rt.attribution();
        backward(y);
        assertEquals(List.of("true BFLOAT16 " + !reentrant, "true BFLOAT16 true"), modes);
        assertFalse(rt.autocast().active());
        assertEquals(attribution, rt.attribution());
    }

    /** Undefined gradients of floating-point results are made up, so that the nodes behind them run. */
    @Test
    void reentrantCheckpointsMakeUpGradients() {
        Tensor x = leaf();
        Body body =
                inputs -> new Tensor[] {op("A", false, inputs[0]), op("B", false, inputs[0]), rt.empty(DType.INT64, 1)};
        Tensor[] made = checkpoint(true, false, body, NONE, x);
        assertFalse(made[2].requiresGrad(), "no gradient flows through integers");
        ran.clear();
        long before = storages();
        backward(made[0]);
        assertEquals(List.of("A", "B", "B'", "A'"), ran);
        assertEquals(KIB, x.grad().nbytes());
        // The given gradient, the one that is made up for B, three results again, and two gradients of x.
        assertEquals(before + 7, storages());
    }

    /** Nodes count for the operators that they were recorded for, whatever ran in between to make what they ask for. */
    @Test
    void recomputationIsNobodyElsesWork() {
        List<String> seen = new ArrayList<>();
        Body body = inputs -> {
            rt.attribute(rt.number(new Attribution("layer", "aten.exp", "n")));
            Recorder r = rt.record("A", inputs);
            r.save(inputs[0]);
            Tensor out = kib();
            r.gradient(0, g -> {
                seen.add(rt.attribution(rt.attribution()).toString());
                return kib();
            });
            rt.attribute(rt.number(new Attribution("other", "aten.log", "m")));
            return new Tensor[] {r.output(out)};
        };
        backward(body.run(new Tensor[] {leaf()})[0]);
        backward(checkpoint(false, false, body, NONE, leaf())[0]);
        assertEquals(seen.get(0), seen.get(1));
    }

    /** What was recomputed for a node that a pass does not come to waits on, and goes with the graph. */
    @Test
    void whatNoNodeAskedForGoesWithTheGraph() {
        Tensor x = leaf();
        Tensor other = leaf();
        Body body = inputs -> {
            try (Frame f = rt.frame()) {
                Tensor a = op("A", true, inputs[0]);
                Tensor b = op("B", true, inputs[1]);
                return new Tensor[] {f.keep(op("C", true, a, b))};
            }
        };
        Tensor y = checkpoint(false, false, body, NONE, x, other)[0];
        try (Frame f = rt.frame()) {
            rt.release(engine.gradients(y, kib(), List.of(other), true, false, g -> g)[0]);
        }
        assertEquals(List.of("A", "B", "C", "A", "B", "C", "C'", "B'"), ran);
        rt.free(x);
        rt.free(other);
        rt.free(y);
        assertEquals(0, allocated());
    }

    /** An input that the body gives back has a history of its own, and its gradient comes through the checkpoint. */
    @Test
    void reentrantCheckpointsMayGiveInputsBack() {
        Tensor x = leaf();
        Body body = inputs -> new Tensor[] {inputs[0]};
        Tensor y = checkpoint(true, false, body, NONE, x)[0];
        assertNotSame(x, y);
        assertEquals(x.storage(), y.storage());
        assertTrue(y.isView());
        backward(y);
        assertNotNull(x.grad());
    }

    /** Inputs that want no gradient get none, in the recomputation either. */
    @Test
    void reentrantInputsWantWhatTheyWantedBefore() {
        Tensor x = leaf();
        Tensor constant = kib();
        List<Boolean> wants = new ArrayList<>();
        Body body = inputs -> {
            wants.add(inputs[0].requiresGrad());
            wants.add(inputs[1].requiresGrad());
            return new Tensor[] {op("A", false, inputs[0], inputs[1])};
        };
        Tensor y = checkpoint(true, false, body, NONE, x, constant)[0];
        wants.clear();
        backward(y);
        assertEquals(List.of(true, false), wants);
        assertNull(constant.grad());
    }

    /** Nothing that wants a gradient goes in: nothing comes back, and nothing is kept. */
    @Test
    void reentrantCheckpointsWithoutGradientsRecordNothing() {
        Tensor x = kib();
        Tensor y = checkpoint(true, false, chain(), NONE, x)[0];
        assertFalse(y.requiresGrad());
        assertTrue(rt.gradMode());
        rt.free(x);
        assertEquals(KIB, allocated());
    }

    /** A pass that keeps the graph runs the body anew; nothing of it is left once the graph is gone. */
    @Test
    void eachPassRecomputes() {
        Tensor x = leaf();
        Tensor y = checkpoint(false, false, chain(), NONE, x)[0];
        ran.clear();
        try (Frame f = rt.frame()) {
            engine.backwardAndRetain(y, kib());
        }
        assertEquals(List.of("A", "B", "B'", "A'"), ran);
        ran.clear();
        backward(y);
        assertEquals(List.of("A", "B", "B'", "A'"), ran);
        rt.free(y);
        assertEquals(2 * KIB, allocated(), "x and its gradient");
    }

    /** Arguments by keyword stay with ctx and not with what the node saved: they outlive the backward pass. */
    @Test
    void keywordsLiveAsLongAsTheNode() {
        Tensor w = leaf();
        Tensor x = op("P", false, w);
        Tensor keyword = kib();
        Body body = inputs -> new Tensor[] {op("A", false, inputs[0], inputs[1])};
        Tensor y = Reentrant.run(rt, engine, body, new Tensor[] {x, keyword}, 1, false)[0];
        rt.free(keyword);
        rt.free(x);
        backward(y);
        assertEquals(4 * KIB, allocated(), "w, its gradient, y and the keyword");
        rt.free(y);
        assertEquals(2 * KIB, allocated());
    }

    /** Without arguments by position nothing waits for a gradient, whatever the keywords need. */
    @Test
    void keywordsAloneGetNoGradient() {
        Tensor x = op("P", false, leaf());
        Body body = inputs -> new Tensor[] {op("A", false, inputs[0])};
        Tensor y = Reentrant.run(rt, engine, body, new Tensor[] {x}, 0, false)[0];
        assertFalse(y.requiresGrad());
    }

    @Test
    void savedInputsGoWithTheBackwardPass() {
        Tensor x = leaf();
        Tensor other = kib();
        Body body = inputs -> new Tensor[] {op("A", false, inputs[0], inputs[1])};
        Tensor y = checkpoint(true, false, body, NONE, x, other)[0];
        rt.free(other);
        assertEquals(3 * KIB, allocated());
        backward(y);
        assertEquals(3 * KIB, allocated(), "x, its gradient and y");
        assertFalse(y.isLeaf());
    }
}
