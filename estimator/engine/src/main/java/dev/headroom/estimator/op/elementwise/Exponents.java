package dev.headroom.estimator.op.elementwise;

import dev.headroom.estimator.op.core.Formula;
import dev.headroom.estimator.op.core.Strided;
import dev.headroom.estimator.op.rule.Call;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Recorder;
import dev.headroom.estimator.runtime.Saved;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;

/** {@code frexp}: numbers by their two parts (ATen/native/UnaryOps.cpp). */
final class Exponents {
    private Exponents() {}

    /** The gradient is over two to the exponents (derivatives.yaml), in single precision at least. */
    static Tensor[] split(Call c) {
        EagerRuntime rt = c.runtime();
        Tensor t = c.tensor("self");
        Recorder r = rt.record("FrexpBackward0", t);
        Tensor mantissa = rt.emptyLike(t);
        Tensor exponent = rt.emptyLike(t, DType.INT32);
        Saved kept = r.saveOutput(exponent);
        r.gradient(0, g -> {
                    Formula f = new Formula(rt);
                    return f.op(g, Strided.result(rt, DType.FLOAT32, kept.get()));
                })
                .output(mantissa);
        r.nonDifferentiable(exponent);
        return new Tensor[] {mantissa, exponent};
    }
}
