package dev.headroom.estimator.op.elementwise;

import static dev.headroom.estimator.op.core.Unary.Keep.RESULT;
import static dev.headroom.estimator.op.core.Unary.Keep.SELF;

import dev.headroom.estimator.op.core.Copies;
import dev.headroom.estimator.op.core.Formula;
import dev.headroom.estimator.op.core.Strided;
import dev.headroom.estimator.op.core.Unary;
import dev.headroom.estimator.op.core.Views;
import dev.headroom.estimator.op.rule.Call;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Recorder;
import dev.headroom.estimator.runtime.Saved;
import dev.headroom.estimator.runtime.Tensor;
import org.jspecify.annotations.Nullable;

/** Activations (ATen/native/Activation.cpp): most have a backward kernel that reads the gradient and one tensor. */
final class Activations {
    private Activations() {}

    /** Old versions keep the input, but in place all keep the result (tools/autograd/derivatives.yaml). */
    static Tensor relu(Call c, boolean inPlace, Unary.@Nullable Again again) {
        boolean result = inPlace || c.runtime().options().torch().reluKeepsResult();
        return Unary.apply(
                c.runtime(),
                "ReluBackward0",
                c.tensor("self"),
                result ? RESULT : SELF,
                Unary.FUSED_KEPT_FIRST,
                inPlace,
                c.tensor("self").dtype(),
                again);
    }

    static Tensor gelu(Call c, Unary.@Nullable Again again) {
        Tensor x = c.tensor("self");
        boolean exact = c.text("approximate", "none").equals("none");
        return Unary.apply(
                c.runtime(), "GeluBackward0", x, Unary.Keep.SELF, Unary.FUSED, false, x.dtype(), exact ? again : null);
    }

    static Tensor apply(Call c, String node, Unary.Keep keep, boolean inPlace, Unary.@Nullable Again again) {
        Unary.Gradient gradient = node.startsWith("Leaky") ? Unary.FUSED_KEPT_FIRST : Unary.FUSED;
        Tensor x = c.tensor("self");
        return Unary.apply(c.runtime(), node, x, keep, gradient, inPlace, x.dtype(), again);
    }

    /** {@code log_sigmoid_forward}: on a GPU its second result, the buffer, is empty. */
    static Tensor logSigmoid(EagerRuntime rt, Tensor x) {
        return Unary.apply(rt, "LogSigmoidBackward0", x, SELF, Unary.FUSED, false);
    }

    /** ATen/native/GatedLinearUnit.cpp: the gradient is one tensor of the input's size. */
    static Tensor glu(EagerRuntime rt, Tensor x, long dim) {
        Recorder r = rt.record("GluBackward0", x);
        Saved self = r.save(x);
        int d = dev.headroom.model.graph.Shapes.wrap(dim, x.dim());
        long[] sizes = x.sizes().clone();
        sizes[d] /= 2;
        Tensor first = Views.slice(rt, x, d, 0, sizes[d], 1);
        Tensor out = Strided.result(rt, x.dtype(), first);
        return r.gradient(0, g -> rt.empty(g.dtype(), self.get().sizes())).output(out);
    }

    /** ATen/native/Activation.cpp, prelu: the weight is seen in the input's rank; its gradient is summed afterwards. */
    static Tensor prelu(EagerRuntime rt, Tensor x, Tensor w) {
        Tensor weight = w;
        if (w.dim() != 0) {
            long[] sizes = new long[Math.max(x.dim(), 1)];
            java.util.Arrays.fill(sizes, 1);
            if (x.dim() > 1) {
                sizes[1] = w.numel();
            } else {
                sizes[0] = w.numel();
            }
            weight = Views.reshape(rt, w, sizes);
        }
        Tensor seen = weight;
        Recorder r = rt.record("PreluKernelBackward0", x, seen);
        Saved self = r.save(x);
        Saved kept = r.save(seen);
        Tensor out = Strided.result(rt, x, seen);
        return r.gradients(grads -> {
                    Tensor gx = Strided.result(rt, self.get(), kept.get(), grads[0]);
                    Tensor gw = Strided.result(rt, self.get(), kept.get(), grads[0]);
                    return new Tensor[] {gx, gw};
                })
                .output(out);
    }

    /** In training a noise tensor of the input's size is made first and kept (ATen/native/cuda/RreluWithNoise.cu). */
    static Tensor rrelu(Call c) {
        EagerRuntime rt = c.runtime();
        Tensor x = c.tensor("self");
        Tensor noise = rt.empty(x.dtype(), x.sizes());
        Recorder r = rt.record("RreluWithNoiseBackward0", x);
        Saved self = r.save(x);
        Saved kept = r.save(noise);
        boolean training = c.flag("training", false);
        Tensor out = training ? rt.empty(x.dtype(), x.sizes()) : Strided.result(rt, x);
        if (training) { // its kernel reads dense memory
            rt.freeUnless(Copies.contiguous(rt, x), x);
        }
        return r.gradient(0, g -> training ? new Formula(rt).op(kept.get(), g) : new Formula(rt).op(self.get(), g))
                .output(out);
    }
}
