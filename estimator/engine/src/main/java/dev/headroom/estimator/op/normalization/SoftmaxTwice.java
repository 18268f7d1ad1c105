package dev.headroom.estimator.op.normalization;

import dev.headroom.estimator.op.core.NoGrad;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Recorder;
import dev.headroom.estimator.runtime.Saved;
import dev.headroom.estimator.runtime.Tensor;
import java.util.function.Supplier;

/** {@code _softmax_backward_data} and {@code _log_softmax_backward_data} as autograd records them. */
final class SoftmaxTwice {
    private SoftmaxTwice() {}

    static Tensor backward(
            EagerRuntime rt, Tensor g, Tensor output, int dim, boolean logarithmic, Supplier<Tensor> kernel) {
        Recorder r =
                rt.record(logarithmic ? "LogSoftmaxBackwardDataBackward0" : "SoftmaxBackwardDataBackward0", g, output);
        Saved gradient = r.saveIf(r.needs(1), g);
        Saved result = r.save(output);
        Tensor made = NoGrad.call(rt, kernel);
        return r.gradient(0, gg -> ofGradient(rt, gg, result.get(), dim, logarithmic))
                .gradient(1, gg -> ofOutput(rt, gg, gradient.get(), result.get(), dim, logarithmic))
                .again()
                .output(made);
    }

    private static Tensor ofGradient(EagerRuntime rt, Tensor gg, Tensor output, int dim, boolean logarithmic) {
        if (!logarithmic) {
            return backward(rt, gg, output, dim, false, () -> Softmax.backward(rt, gg, output, output.dtype(), true));
        }
        Derivation d = new Derivation(rt);
        Tensor sum = d.sum(d.mul(gg, d.exp(output)), dim, true);
        return d.give(d.sub(gg, sum))[0];
    }

    private static Tensor ofOutput(EagerRuntime rt, Tensor gg, Tensor g, Tensor output, int dim, boolean logarithmic) {
        Derivation d = new Derivation(rt);
        if (logarithmic) {
            Tensor exponential = d.exp(output);
            Tensor negative = d.neg(d.sum(g, dim, true));
            return d.give(d.mul(d.mul(negative, exponential), gg))[0];
        }
        Tensor right = d.mul(g, d.sum(d.mul(output, gg), dim, true));
        Tensor middle = d.mul(d.sum(d.mul(output, g), dim, true), gg);
        Tensor left = d.mul(g, gg);
        return d.give(d.sub(d.sub(left, middle), right))[0];
    }
}
