package dev.headroom.estimator.program;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.estimator.runtime.AutocastMode;
import dev.headroom.estimator.runtime.OnRuntime;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Node;
import org.junit.jupiter.api.Test;

class BodyModeTest extends OnRuntime {
    private static Node grad(Object... arguments) {
        return WrittenGraph.node("higher_order.wrap_with_set_grad_enabled", "y", arguments);
    }

    private static Node autocast(Object... arguments) {
        return WrittenGraph.node("higher_order.wrap_with_autocast", "y", arguments);
    }

    @Test
    void gradientsAreOffInTheBodyAlone() {
        rt.setGradMode(true);
        Runnable leave = BodyMode.enter(rt, grad("", false));
        assertFalse(rt.gradMode());
        leave.run();
        assertTrue(rt.gradMode());
        BodyMode.enter(rt, grad("", true)).run();
        BodyMode.enter(rt, grad()).run();
        assertTrue(rt.gradMode());
    }

    @Test
    void aBodyDoesNotTurnOnWhatTheRunTurnedOff() {
        rt.setGradMode(false);
        Runnable leave = BodyMode.enter(rt, grad("", true));
        assertFalse(rt.gradMode(), "inference");
        leave.run();
        assertFalse(rt.gradMode());
    }

    @Test
    void autocastIsAsTheArgumentsSay() {
        AutocastMode mode = rt.autocast();
        Runnable leave = BodyMode.enter(rt, autocast("", "cpu", "", DType.BFLOAT16, "", true, "", false));
        assertEquals(new AutocastMode.State(true, DType.BFLOAT16, false), mode.state());
        Runnable inner = BodyMode.enter(rt, autocast("", "cuda", "", "absent", "", false));
        assertEquals(new AutocastMode.State(false, DType.BFLOAT16, false), mode.state(), "the rest stays");
        inner.run();
        leave.run();
        assertEquals(new AutocastMode.State(false, DType.FLOAT16, true), mode.state());
        Runnable bare = BodyMode.enter(rt, autocast());
        assertTrue(mode.active());
        bare.run();
    }
}
