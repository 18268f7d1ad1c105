package dev.headroom.estimator.parallel.unit;

import dev.headroom.estimator.op.core.Copies;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.ModuleHooks;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Floating-point arguments and results in a type of their own (torch/distributed/utils.py, _cast_fp_tensor). */
public final class Casts {
    private Casts() {}

    /** The arguments of a call; {@code null} leaves them as they are. */
    public static void inputs(EagerRuntime runtime, ModuleHooks.Call call, @Nullable DType type) {
        if (type != null) {
            call.replaceInputs(given ->
                    Arrays.stream(given).map(t -> cast(runtime, t, type)).toArray(Tensor[]::new));
        }
    }

    /** Its results. */
    public static void outputs(EagerRuntime runtime, ModuleHooks.Call call, @Nullable DType type) {
        if (type != null) {
            call.replaceEachOutput(t -> cast(runtime, t, type));
        }
    }

    private static Tensor cast(EagerRuntime runtime, Tensor t, DType type) {
        return t.dtype().isFloatingPoint() ? Copies.to(runtime, t, type) : t;
    }
}
