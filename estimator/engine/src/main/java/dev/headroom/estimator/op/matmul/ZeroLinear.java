package dev.headroom.estimator.op.matmul;

import dev.headroom.estimator.op.core.NoGrad;
import dev.headroom.estimator.op.core.Pointwise;
import dev.headroom.estimator.op.core.Reductions;
import dev.headroom.estimator.op.core.Views;
import dev.headroom.estimator.op.rule.Call;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Frame;
import dev.headroom.estimator.runtime.Recorder;
import dev.headroom.estimator.runtime.Saved;
import dev.headroom.estimator.runtime.Tensor;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * {@code torch.nn.functional.linear} once {@code deepspeed.zero.Init} has put its own function in its place
 * (deepspeed/runtime/zero/linear.py, LinearFunctionForZeroStage3). It keeps the parameter itself and no view of the
 * gathered weight, so that a weight that is divided again after the forward pass leaves nothing behind.
 */
final class ZeroLinear {
    private ZeroLinear() {}

    static Tensor run(Call c) {
        EagerRuntime rt = c.runtime();
        Tensor input = c.tensor("input");
        Tensor weight = c.tensor("weight");
        Tensor bias = c.tensorOrNull("bias");
        Recorder r = rt.record("LinearFunctionForZeroStage3Backward", input, weight, bias);
        Saved keptInput = r.save(input);
        Saved keptWeight = r.save(weight);
        r.save(bias);
        Tensor out = NoGrad.call(rt, () -> forward(rt, input, weight, bias));
        boolean ofInput = r.needs(0);
        boolean ofWeight = r.needs(1);
        boolean ofBias = bias != null && r.needs(2);
        r.gradients(all -> {
            Tensor g = all[0];
            return new Tensor[] {
                ofInput ? Matmul.matmul(rt, g, keptWeight.get()) : null,
                ofWeight ? ofWeight(rt, g, keptInput.get()) : null,
                ofBias ? Reductions.sum(rt, g, leading(g), false, g.dtype()) : null
            };
        });
        return r.output(out);
    }

    private static Tensor forward(EagerRuntime rt, Tensor input, Tensor weight, @Nullable Tensor bias) {
        try (Frame locals = rt.frame()) {
            Tensor turned = Views.t(rt, weight);
            if (bias != null && input.dim() == 2) {
                return locals.keep(Matmul.addmm(rt, bias, input, turned));
            }
            Tensor out = Matmul.matmul(rt, input, turned);
            if (bias != null) {
                Pointwise.addInPlace(rt, out, bias, false);
            }
            return locals.keep(out);
        }
    }

    private static Tensor ofWeight(EagerRuntime rt, Tensor g, Tensor input) {
        try (Frame locals = rt.frame()) {
            Tensor rows = g.dim() > 2 ? Views.reshape(rt, g, -1, g.size(-1)) : g;
            Tensor of = g.dim() > 2 ? Views.reshape(rt, input, -1, input.size(-1)) : input;
            return locals.keep(Matmul.matmul(rt, Views.t(rt, rows), of));
        }
    }

    private static long[] leading(Tensor g) {
        return LongStream.range(0, g.dim() - 1).toArray();
    }
}
