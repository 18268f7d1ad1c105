package dev.headroom.estimator.op.creation;

import dev.headroom.estimator.op.core.Body;
import dev.headroom.estimator.op.core.Creation;
import dev.headroom.estimator.op.core.NoGrad;
import dev.headroom.estimator.op.rule.Call;
import dev.headroom.estimator.op.rule.Registry;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Recorder;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Shapes;
import org.jspecify.annotations.Nullable;

/** Normal numbers around given means, with given deviations (ATen/native/DistributionTemplates.h, normal_out_impl). */
final class Normals {
    private Normals() {}

    static void register(Registry r) {
        r.single("aten.normal.float_float", c -> Factories.make(c, c.integers("size"), DType.FLOAT32));
        for (String given : new String[] {"Tensor_Tensor", "Tensor_float", "float_Tensor"}) {
            r.single("aten.normal." + given, c -> drawn(new Body(c.runtime(), r), c));
        }
    }

    /**
     * Deviations are looked at for a negative one before the result is made and after; one that is a number is widened
     * for its sizes alone.
     */
    private static Tensor drawn(Body b, Call c) {
        EagerRuntime rt = c.runtime();
        Tensor mean = c.isTensor("mean") ? c.tensor("mean") : null;
        Tensor std = c.isTensor("std") ? c.tensor("std") : null;
        Tensor only = mean == null ? c.tensor("std") : mean;
        Recorder r = mean == null || std == null
                ? rt.record(mean == null ? "NormalBackward2" : "NormalBackward1", only)
                : rt.record("NormalBackward3", mean, std);
        Tensor out = NoGrad.call(rt, () -> {
            lookAt(b, std);
            Tensor made = mean == null || std == null
                    ? rt.emptyLike(only)
                    : rt.empty(mean.dtype(), Shapes.broadcast(mean.sizes(), std.sizes()));
            lookAt(b, std);
            if (std == null) {
                rt.free(rt.empty(made.dtype(), made.sizes()));
            } else if (mean == null) {
                rt.free(rt.empty(made.dtype()));
            }
            return made;
        });
        long[] first = only.sizes();
        r.gradient(0, g -> Creation.zeros(rt, g.dtype(), first));
        if (mean != null && std != null) {
            long[] sizes = std.sizes();
            r.gradient(1, g -> Creation.zeros(rt, g.dtype(), sizes));
        }
        return r.output(out);
    }

    /** {@code std.min().ge(0).item()}. */
    private static void lookAt(Body b, @Nullable Tensor std) {
        if (std != null && std.numel() > 0) {
            b.call("ge.Scalar", b.call("min", std), 0);
            b.end();
        }
    }
}
