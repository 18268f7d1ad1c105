package dev.headroom.estimator.program;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.estimator.op.rule.Call;
import dev.headroom.estimator.runtime.OnRuntime;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.DType;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class OnHostTest extends OnRuntime {
    private Call call(String target, Object... named) {
        Map<String, Tensor> values = Map.of(
                "device", kib(),
                "host", rt.hostTensor(DType.FLOAT32, 2),
                "scalar", rt.hostTensor(DType.FLOAT32),
                "number", rt.wrappedNumber(DType.FLOAT32));
        return new Call(rt, WrittenGraph.node(target, "y", named), values, Map.of());
    }

    private boolean computes(String target, Object... named) {
        return OnHost.computes(call(target, named));
    }

    private static Argument list(String... names) {
        return new Argument.Values(List.of(names));
    }

    @Test
    void tensorsInHostMemoryMeetInHostMemory() {
        assertTrue(computes("aten.mul.Tensor", "self", "host", "other", "number"));
        assertTrue(computes("aten.stack.default", "tensors", list("host", "scalar")));
        assertFalse(computes("aten.mul.Tensor", "self", "host", "other", "device"), "one is on the device");
        assertFalse(computes("aten.stack.default", "tensors", list("host", "device")));
        assertFalse(computes("aten.mul.Tensor", "self", "number", "other", "number"), "numbers are nowhere");
        assertFalse(computes("aten.stack.default", "tensors", list("number")));
        assertFalse(computes("aten.zeros.default", "size", new long[] {2}));
    }

    @Test
    void whatBringsATensorToTheDeviceComputesThere() {
        assertFalse(computes("aten.lift_fresh_copy.default", "self", "host"));
        assertFalse(computes("aten.to.device", "self", "host", "device", new Argument.Device("cuda")));
        assertTrue(computes("aten.to.device", "self", "host", "device", new Argument.Device("cpu")));
    }

    @Test
    void aLiteralIsBroughtAlongToTensorsOnTheDevice() {
        Call product = OnHost.broughtAlong(call("aten.mul.Tensor", "self", "device", "other", "host"));
        assertTrue(product.tensor("other").onDevice());
        assertEquals(2, product.tensor("other").numel());
    }

    @Test
    void numbersIndicesAndTensorsAmongThemselvesStay() {
        for (Call stays : List.of(
                call("aten.mul.Tensor", "self", "device", "other", "scalar"),
                call("aten.mul.Tensor", "self", "host", "other", "host"),
                call("aten.mul.Tensor", "self", "device", "other", "device"),
                call("aten.index.Tensor", "self", "device", "indices", "host"))) {
            assertSame(stays, OnHost.broughtAlong(stays));
        }
    }
}
