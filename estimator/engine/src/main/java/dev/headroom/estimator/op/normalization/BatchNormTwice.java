package dev.headroom.estimator.op.normalization;

import dev.headroom.estimator.op.core.Copies;
import dev.headroom.estimator.op.core.NoGrad;
import dev.headroom.estimator.op.core.Views;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Recorder;
import dev.headroom.estimator.runtime.Saved;
import dev.headroom.estimator.runtime.Tensor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** {@code batch_norm_backward} as autograd records it (FunctionsManual.cpp, batchnorm_double_backward). */
final class BatchNormTwice {
    private BatchNormTwice() {}

    /**
     * @param mean of the batch, or the running one
     * @param deviation its reciprocal, or the running variance
     * @param kernels computes the gradients of input, weight and bias, without history
     */
    static Tensor[] backward(
            EagerRuntime rt,
            String node,
            Tensor g,
            Tensor x,
            @Nullable Tensor w,
            @Nullable Tensor mean,
            @Nullable Tensor deviation,
            boolean training,
            Supplier<Tensor[]> kernels) {
        Recorder r = rt.record(node, g, x, w);
        Saved gradient = r.save(g);
        Saved input = r.save(x);
        Saved weight = r.save(w);
        Saved mu = r.save(mean);
        Saved spread = r.save(deviation);
        Tensor[] made = NoGrad.call(rt, kernels);
        r.gradients(grads -> {
                    Tensor[] out = new BatchNormTwice.Formula(
                                    rt, input.get(), weight.getOrNull(), gradient.get(), training)
                            .of(grads, mu.getOrNull(), spread.getOrNull());
                    return new Tensor[] {out[2], out[0], out[1]};
                })
                .again();
        return r.outputs(made);
    }

    /** The formula, with the names it has in C++. */
    private static final class Formula {
        private final EagerRuntime rt;
        private final Derivation d;
        private final Tensor input;
        private final @Nullable Tensor gamma;
        private final Tensor gO;
        private final boolean training;

        Formula(EagerRuntime rt, Tensor input, @Nullable Tensor gamma, Tensor gO, boolean training) {
            this.rt = rt;
            this.d = new Derivation(rt);
            this.input = input;
            this.gamma = gamma;
            this.gO = gO;
            this.training = training;
        }

        Tensor[] of(Tensor[] grads, @Nullable Tensor mean, @Nullable Tensor deviation) {
            Tensor ggI = grads[0];
            Tensor ggG = gamma == null || grads[1] == null ? null : wide(grads[1]);
            Tensor ggB = gamma == null || grads[2] == null ? null : wide(grads[2]);
            Tensor scale = gamma == null ? d.let(d.one(input.dtype())) : wide(gamma);
            Tensor mu = row(statistic(given(mean)));
            Tensor batch = training ? row(statistic(given(deviation))) : null;
            Tensor centred = d.let(d.sub(input, mu));
            Tensor root = batch != null ? batch : row(d.let(d.pow(d.scaled(given(deviation)), -0.5)));
            Tensor inverse = d.let(d.pow(root, 2));
            Tensor cubed = d.let(d.pow(root, 3));
            Tensor slope = d.let(d.mul(centred, cubed));
            Tensor gOSpread = d.let(sums(d.mul(gO, centred)));
            Tensor gOSum = d.let(sums(gO));
            Tensor gI = null;
            if (ggI != null && training) {
                gI = inputGradient(ggI, scale, centred, inverse, cubed, slope, gOSpread, gOSum);
            }
            if (ggG != null) {
                Tensor term;
                if (training) {
                    Tensor t0 = d.let(d.mul(gO, root));
                    Tensor t1 = d.let(d.divInPlace(d.mul(root, gOSum)));
                    Tensor t2 = d.let(d.divInPlace(d.mul(slope, sums(d.mul(gO, centred)))));
                    term = d.let(d.mul(ggG, d.addInPlace(d.addInPlace(t0, t1), t2)));
                    d.drop(t2);
                    d.drop(t1);
                    d.drop(t0);
                } else {
                    term = d.let(d.mul(d.mul(ggG, root), gO));
                }
                gI = gI == null ? term : d.addInPlace(gI, term);
            }
            Tensor gG = null;
            if (gamma != null && ggI != null) {
                gG = training
                        ? weightGradient(ggI, centred, inverse, root)
                        : d.let(flatSums(d.mul(d.mul(ggI, gO), root)));
            }
            Tensor ggO = ggI == null
                    ? null
                    : training
                            ? d.let(firstGradient(ggI, scale, centred, inverse, root))
                            : d.let(d.mul(d.mul(ggI, root), scale));
            if (ggG != null) {
                Tensor term = d.let(d.mul(d.mul(ggG, centred), root));
                ggO = ggO == null ? term : d.addInPlace(ggO, term);
                if (ggO != term) {
                    d.drop(term);
                }
            }
            if (ggB != null) {
                ggO = ggO == null ? ggB : d.addInPlace(ggO, ggB);
            }
            return d.give(gI, gG, ggO);
        }

        private Tensor inputGradient(
                Tensor ggI,
                Tensor scale,
                Tensor centred,
                Tensor inverse,
                Tensor cubed,
                Tensor slope,
                Tensor gOSpread,
                Tensor gOSum) {
            Tensor sum = d.let(sums(ggI));
            Tensor spread = d.let(sums(d.mul(ggI, centred)));
            Tensor first = d.divInPlace(d.mul(sum, gOSum));
            Tensor less = Derivation.less(rt, first, sums(d.mul(gO, ggI))); // a chain of calls goes from left to right
            Tensor all = d.let(d.addInPlace(less, d.mulInPlace(d.mul(d.mul(inverse, gOSpread), spread))));
            Tensor t0 = d.let(d.divInPlace(d.mul(slope, all)));
            Tensor right1 = d.sub(d.div(gOSum), gO);
            Tensor t1 = d.let(d.mul(d.divInPlace(d.mul(spread, cubed)), right1));
            Tensor right2 = d.sub(d.div(sum), ggI);
            Tensor t2 = d.let(d.mul(d.divInPlace(d.mul(gOSpread, cubed)), right2));
            Tensor gI = d.let(d.mul(scale, d.addInPlace(d.addInPlace(t0, t1), t2)));
            for (Tensor t : new Tensor[] {t2, t1, t0, all, spread, sum}) {
                d.drop(t);
            }
            return gI;
        }

        /** The first gradient of the input without the weight, in two statements. */
        private Tensor weightGradient(Tensor ggI, Tensor centred, Tensor inverse, Tensor root) {
            Tensor unit = d.let(d.one(root.dtype()));
            Tensor gG = d.let(d.mul(ggI, firstGradient(gO, unit, centred, inverse, root)));
            d.drop(unit);
            return d.assign(gG, flatSums(gG));
        }

        /** first_back_grad_input. */
        private Tensor firstGradient(Tensor g, Tensor scale, Tensor centred, Tensor inverse, Tensor root) {
            Tensor h0 = d.let(d.divInPlace(d.mul(scale, root)));
            Tensor whole = d.scaled(g);
            Tensor less = Derivation.less(rt, whole, sums(g));
            Tensor spread = sums(d.mul(g, centred)); // of a product, the right side comes first
            Tensor h1 = d.let(Derivation.less(rt, less, d.mul(d.mul(centred, inverse), spread)));
            Tensor out = d.mul(h0, h1);
            d.drop(h1);
            d.drop(h0);
            return out;
        }

        private static Tensor given(@Nullable Tensor t) {
            return java.util.Objects.requireNonNull(t, "statistics of a batch norm");
        }

        /** Of the batch: in the input's type, which has less precision than its statistics under autocast. */
        private Tensor statistic(Tensor of) {
            return training && of.dtype() != input.dtype() ? d.let(d.made(Copies.to(rt, of, input.dtype()))) : of;
        }

        /** expand_as_dim1. */
        private Tensor wide(Tensor channels) {
            Tensor out = channels;
            while (out.dim() < input.dim() - 1) {
                out = d.unsqueeze(out, 1);
            }
            return d.let(d.made(Views.expand(rt, out, input.sizes())));
        }

        /** unsqueeze_dim1. */
        private Tensor row(Tensor channels) {
            Tensor out = channels;
            while (out.dim() < input.dim() - 1) {
                out = d.unsqueeze(out, 1);
            }
            return d.let(d.unsqueeze(out, 0));
        }

        /** sum_exclude_dim1. */
        private Tensor sums(Tensor t) {
            Tensor out = d.sum(t, 0, true);
            for (int dim = out.dim() - 1; dim > 1; dim--) {
                out = d.summedOn(out, dim, true);
            }
            return out;
        }

        private Tensor flatSums(Tensor t) {
            Tensor out = d.sum(t, 0, false);
            for (int dim = out.dim() - 1; dim > 0; dim--) {
                out = d.summedOn(out, dim, false);
            }
            return out;
        }
    }
}
