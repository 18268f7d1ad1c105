package dev.headroom.executor.op.elementwise;

import dev.headroom.executor.autograd.Recorder;
import dev.headroom.executor.autograd.SavedTensor;
import dev.headroom.executor.kernel.Formula;
import dev.headroom.executor.op.basic.Elementwise;
import dev.headroom.executor.op.registry.Arguments;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Tensor;

/** {@code rrelu}: a rectifier whose slopes are drawn while training (aten/src/ATen/native/cuda/RreluWithNoise.cu). */
final class RandomRelu {
    private static final Formula SLOPE = Formula.binary("rrelu_slope", "x1 <= 0 ? x0 : 1", (r, x) -> x <= 0 ? r : 1);
    private static final Formula LEAKY = new Formula(
            "rrelu_mean", "y0 = x0 <= 0 ? x0 * s0 : x0;", (x, s, y) -> y[0] = x[0] <= 0 ? x[0] * s[0] : x[0]);
    private static final Formula LEAKY_BACKWARD = new Formula(
            "rrelu_mean_backward", "y0 = x1 <= 0 ? x0 * s0 : x0;", (x, s, y) -> y[0] = x[1] <= 0 ? x[0] * s[0] : x[0]);

    private RandomRelu() {}

    static Tensor apply(Eager e, Arguments a, boolean inPlace) {
        Tensor x = a.tensor("self");
        double least = a.real("lower", 1.0 / 8);
        double most = a.real("upper", 1.0 / 3);
        double mean = (least + most) / 2;
        boolean training = a.flag("training", false);
        return e.call(() -> {
            Tensor noise = e.emptyLike(x);
            Recorder r = e.record("RreluWithNoiseBackward0", x);
            Tensor seen = inPlace && !training ? ArithmeticOperators.copied(e, r.records(), x) : x;
            SavedTensor operand = r.saveIf(!training || !inPlace, seen);
            SavedTensor slopes = r.save(noise);
            Tensor out = inPlace ? x : e.emptyLike(x);
            if (training) {
                e.backend().random().uniform(noise, least, most, e.randomness().next());
                Elementwise.into(e, SLOPE, noise, noise, x);
                Elementwise.into(e, Elementwise.MULTIPLY, out, x, noise);
            } else {
                Elementwise.into(e, LEAKY, new double[] {mean}, out, x);
            }
            r.backward(g -> {
                if (training) {
                    return new Tensor[] {Elementwise.binary(e, Elementwise.MULTIPLY, g[0], slopes.get())};
                }
                Tensor made =
                        Elementwise.map(e, LEAKY_BACKWARD, g[0].dtype(), new double[] {mean}, g[0], operand.get());
                return new Tensor[] {made};
            });
            return inPlace ? r.changed(out) : r.output(out);
        });
    }
}
