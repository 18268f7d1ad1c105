package dev.headroom.estimator.op.normalization;

import dev.headroom.estimator.op.core.Reductions;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** FunctionsManual.cpp, infinitely_differentiable_native_group_norm_backward. */
final class GroupNormTwice {
    private GroupNormTwice() {}

    /**
     * @param grads of the result, the mean and the deviation
     * @param wanted of input, weight and bias
     */
    static Tensor[] backward(
            EagerRuntime rt,
            @Nullable Tensor[] grads,
            Tensor x,
            Tensor mean,
            Tensor deviation,
            @Nullable Tensor weight,
            long groups,
            boolean[] wanted) {
        Derivation d = new Derivation(rt);
        Tensor dY = Objects.requireNonNull(grads[0], "the result's gradient");
        Tensor dmean = grads[1];
        Tensor drstd = grads[2];
        long n = x.size(0);
        long c = x.size(1);
        long inner = c / groups;
        long area = x.numel() / (n * c);
        Tensor xs = d.let(d.reshape(x, n, groups, inner, area));
        Tensor means = d.let(d.reshape(mean, n, groups, 1, 1));
        Tensor rstd = d.let(d.reshape(deviation, n, groups, 1, 1));
        Tensor dy = d.let(d.reshape(dY, n, groups, inner, area));
        Tensor ds = d.let(d.unsqueeze(d.sum(d.mul(dy, xs), 3, false), -1));
        Tensor db = d.let(d.unsqueeze(d.sum(dy, 3, false), -1));
        Tensor dX = null;
        if (wanted[0]) {
            Tensor gamma = weight == null ? null : d.let(d.reshape(weight, 1, groups, inner, 1));
            // (rstd * rstd).reciprocal_() - eps, clamp_min(0)
            Tensor var = d.let(d.scaled(d.sub(d.mul(rstd, rstd), d.number())));
            Tensor cube = d.let(d.mul(d.mul(rstd, rstd), rstd));
            Tensor a = gamma == null ? rstd : d.let(d.mul(rstd, gamma));
            Tensor b = d.let(d.unsqueeze(d.sum(gamma == null ? ds : d.mul(ds, gamma), 2, false), -2));
            Tensor e = d.let(d.unsqueeze(d.sum(gamma == null ? db : d.mul(db, gamma), 2, false), -2));
            b = d.assign(b, d.scaled(d.mul(d.sub(d.mul(e, means), b), cube)));
            Tensor right = d.scaled(d.mul(e, rstd));
            e = d.assign(e, d.sub(d.mul(d.neg(b), means), right));
            Tensor second = d.mul(b, xs);
            Tensor dvar = drstd == null ? null : d.let(d.mul(d.scaled(cube), d.reshape(drstd, n, groups, 1, 1)));
            dX = d.let(d.add(d.add(d.mul(a, dy), second), e));
            if (dmean != null && dvar != null) {
                // var_mean_backward
                Tensor spread = d.sub(xs, d.made(Reductions.mean(rt, xs, new long[] {2, 3}, true, xs.dtype())));
                Tensor ofVar = d.let(d.mul(d.scaled(dvar), spread));
                Tensor wide = d.expand(d.reshape(dmean, n, groups, 1, 1), xs.sizes());
                Tensor both = d.let(d.add(ofVar, d.let(d.div(wide))));
                d.addInPlace(dX, both);
                d.drop(both);
            }
            dX = d.assign(dX, d.reshape(dX, x.sizes()));
            d.drop(var);
        }
        Tensor dgamma = null;
        if (wanted[1] && weight != null) {
            Tensor scaled = d.mul(d.sub(ds, d.mul(db, means)), rstd);
            dgamma = d.let(d.reshape(d.sum(scaled, 0, false), weight.sizes()));
        }
        Tensor dbeta = !wanted[2] || weight == null ? null : d.let(d.reshape(d.sum(db, 0, false), weight.sizes()));
        return d.give(dX, dgamma, dbeta);
    }
}
