package dev.headroom.estimator.op.elementwise;

import dev.headroom.estimator.op.core.Creation;
import dev.headroom.estimator.op.rule.Call;
import dev.headroom.estimator.op.rule.Registry;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Recorder;
import dev.headroom.estimator.runtime.Tensor;
import java.util.List;

/**
 * Logic, bits and comparisons that are written over their first operand: the kernel makes nothing, whatever the second
 * operand's type and shape (ATen/native/BinaryOps.cpp). Python's {@code mask &= other} is {@code __iand__}, which calls
 * {@code bitwise_and_}; {@code <<=} and {@code >>=} have kernels of their own.
 */
final class InPlaceTruths {
    private static final List<String> UNRECORDED = List.of(
            "logical_and_",
            "logical_or_",
            "logical_xor_",
            "logical_not_",
            "bitwise_and_",
            "bitwise_or_",
            "bitwise_xor_",
            "bitwise_not_",
            "bitwise_left_shift_",
            "bitwise_right_shift_");

    private static final List<String> OF_PYTHON =
            List.of("__iand__", "__ior__", "__ixor__", "__ilshift__", "__irshift__");

    private static final List<String> COMPARISONS = List.of("eq", "ne", "lt", "le", "gt", "ge");

    private InPlaceTruths() {}

    static void register(Registry r) {
        UNRECORDED.forEach(name -> r.single("aten." + name, c -> c.tensor("self")));
        OF_PYTHON.forEach(name -> r.single("aten." + name, c -> {
            c.runtime().noteChange(c.tensor("self"));
            return c.tensor("self");
        }));
        COMPARISONS.forEach(name -> r.single("aten." + name + "_", c -> compared(c, name)));
    }

    /** Gradients are zeros, of the second operand first (derivatives.yaml: {@code zeros_like}). */
    private static Tensor compared(Call c, String name) {
        EagerRuntime rt = c.runtime();
        Tensor x = c.tensor("self");
        Tensor y = c.isTensor("other") ? c.tensor("other") : null;
        String node = Character.toUpperCase(name.charAt(0)) + name.substring(1) + "Backward" + (y == null ? 0 : 1);
        Recorder r = rt.record(node, x, y);
        long[] sizes = x.sizes();
        long[] others = y == null ? new long[0] : y.sizes();
        return r.gradient(1, g -> Creation.zeros(rt, g.dtype(), others))
                .gradient(0, g -> Creation.zeros(rt, g.dtype(), sizes))
                .output(x);
    }
}
