package dev.headroom.estimator.op.normalization;

import dev.headroom.estimator.op.core.NoGrad;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Recorder;
import dev.headroom.estimator.runtime.Saved;
import dev.headroom.estimator.runtime.Tensor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** {@code native_layer_norm_backward} as autograd records it (FunctionsManual.cpp, layer_norm_double_backward). */
final class LayerNormTwice {
    private LayerNormTwice() {}

    /** @param kernels computes the gradients of input, weight and bias, without history */
    static Tensor[] backward(
            EagerRuntime rt,
            Tensor g,
            Tensor x,
            @Nullable Tensor w,
            @Nullable Tensor bias,
            Tensor mean,
            Tensor deviation,
            Supplier<Tensor[]> kernels) {
        Recorder r = rt.record("NativeLayerNormBackwardBackward0", g, x, w, bias);
        Saved gradient = r.save(g);
        Saved input = r.save(x);
        Saved weight = r.save(w);
        Saved mu = r.save(mean);
        Saved spread = r.save(deviation);
        Tensor[] made = NoGrad.call(rt, kernels);
        r.gradients(grads -> {
                    Tensor[] out =
                            formula(rt, grads, input.get(), weight.getOrNull(), gradient.get(), mu.get(), spread.get());
                    return new Tensor[] {out[2], out[0], out[1], null};
                })
                .again();
        return r.outputs(made);
    }

    private static Tensor[] formula(
            EagerRuntime rt, Tensor[] grads, Tensor x, @Nullable Tensor w, Tensor g, Tensor mean, Tensor deviation) {
        Derivation d = new Derivation(rt);
        long rows = mean.numel();
        long width = x.numel() / rows;
        Tensor input = d.let(d.reshape(x, rows, width));
        Tensor gO = d.let(d.reshape(g, rows, width));
        Tensor mu = d.let(d.reshape(mean, rows, 1));
        Tensor root = d.let(d.reshape(deviation, rows, 1));
        Tensor scale = w == null ? d.let(d.one(x.dtype())) : d.let(d.reshape(w, 1, width));
        Tensor ggG = w == null || grads[1] == null ? null : d.let(d.reshape(grads[1], 1, width));
        Tensor ggB = w == null || grads[2] == null ? null : d.let(d.reshape(grads[2], 1, width));
        Tensor ggI = grads[0] == null ? null : d.let(d.reshape(grads[0], rows, width));
        Tensor centred = d.let(d.sub(input, mu));
        Tensor inverse = d.let(d.pow(root, 2));
        Tensor cubed = d.let(d.pow(root, 3));
        Tensor slope = d.let(d.mul(centred, cubed));
        Tensor gI = null;
        if (ggI != null) {
            Tensor gxhat = d.let(d.mul(gO, scale));
            Tensor spread = d.let(d.sum(d.mul(gxhat, centred), 1, true));
            Tensor sum = d.let(d.sum(gxhat, 1, true));
            Tensor ggSum = d.let(d.sum(ggI, 1, true));
            Tensor ggSpread = d.let(d.sum(d.mul(ggI, centred), 1, true));
            Tensor third = d.mulInPlace(d.mul(d.mul(inverse, spread), ggSpread));
            Tensor second = d.sum(d.mul(ggI, gxhat), 1, true);
            Tensor all = d.divInPlace(d.mul(ggSum, sum));
            all = d.let(d.addInPlace(Derivation.less(rt, all, second), third));
            Tensor t0 = d.let(d.divInPlace(d.mul(slope, all)));
            Tensor right1 = d.sub(d.div(sum), gxhat);
            Tensor t1 = d.let(d.mul(d.divInPlace(d.mul(ggSpread, cubed)), right1));
            Tensor right2 = d.sub(d.div(ggSum), ggI);
            Tensor t2 = d.let(d.mul(d.divInPlace(d.mul(spread, cubed)), right2));
            gI = d.addInPlace(d.addInPlace(t0, t1), t2);
            for (Tensor t : new Tensor[] {t2, t1, all, ggSpread, ggSum, sum, spread, gxhat}) {
                d.drop(t);
            }
        }
        if (ggG != null) {
            Tensor t0 = d.let(d.mul(d.mul(gO, ggG), root));
            Tensor t1 = d.let(d.divInPlace(d.mul(root, d.sum(d.mul(gO, ggG), 1, true))));
            Tensor t2 = d.let(d.divInPlace(d.mul(slope, d.sum(d.mul(d.mul(gO, ggG), centred), 1, true))));
            d.addInPlace(d.addInPlace(t0, t1), t2);
            gI = gI == null ? t0 : d.addInPlace(gI, t0);
            d.drop(t2);
            d.drop(t1);
            if (gI != t0) {
                d.drop(t0);
            }
        }
        gI = gI == null ? null : d.assign(gI, d.reshape(gI, x.sizes()));
        Tensor gG = null;
        if (w != null && ggI != null) {
            gG = d.let(first(rt, d, ggI, d.one(root.dtype()), centred, inverse, root));
            gG = d.assign(gG, d.sum(d.mul(gO, gG), 0, false));
            gG = d.assign(gG, d.reshape(gG, w.sizes()));
        }
        Tensor ggO = ggI == null ? null : d.let(first(rt, d, ggI, scale, centred, inverse, root));
        if (ggG != null) {
            Tensor term = d.let(d.mul(d.mul(ggG, centred), root));
            ggO = ggO == null ? term : d.addInPlace(ggO, term);
        }
        if (ggB != null) {
            ggO = ggO == null ? ggB : d.addInPlace(ggO, ggB);
        }
        ggO = ggO == null ? null : d.let(d.reshape(d.expand(ggO, rows, width), x.sizes()));
        return d.give(gI, gG, ggO);
    }

    /** first_bwd_fn_grad_input. */
    private static Tensor first(
            EagerRuntime rt, Derivation d, Tensor g, Tensor scale, Tensor centred, Tensor inverse, Tensor root) {
        Tensor h0 = d.let(d.divInPlace(d.mul(scale, root)));
        Tensor right = d.mul(d.mul(centred, inverse), d.sum(d.mul(g, centred), 1, true));
        Tensor middle = d.sum(g, 1, true);
        Tensor h1 = d.let(Derivation.less(rt, Derivation.less(rt, d.scaled(g), middle), right));
        Tensor out = d.mul(h0, h1);
        d.drop(h1);
        d.drop(h0);
        return out;
    }
}
