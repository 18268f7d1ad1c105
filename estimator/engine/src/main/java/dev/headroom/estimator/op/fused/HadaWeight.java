package dev.headroom.estimator.op.fused;

import dev.headroom.estimator.op.core.Body;
import dev.headroom.estimator.op.rule.Call;
import dev.headroom.estimator.op.rule.Registry;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Recorder;
import dev.headroom.estimator.runtime.Saved;
import dev.headroom.estimator.runtime.Tensor;

/**
 * What LoHa adds to a weight, an {@code autograd.Function}: the product of two products of two matrices each (peft,
 * tuners/loha/layer.py, HadaWeight). Only the four matrices are kept.
 */
final class HadaWeight {
    private final EagerRuntime rt;
    private final Registry rules;

    private HadaWeight(EagerRuntime rt, Registry rules) {
        this.rt = rt;
        this.rules = rules;
    }

    static Tensor run(Call c, Registry rules) {
        return new HadaWeight(c.runtime(), rules)
                .forward(c.tensor("w1a"), c.tensor("w1b"), c.tensor("w2a"), c.tensor("w2b"));
    }

    /** {@code ((w1a @ w1b) * (w2a @ w2b)) * scale}. */
    private Tensor forward(Tensor... w) {
        Recorder r = rt.record("HadaWeightBackward", w);
        boolean before = rt.setGradMode(false);
        Body b = new Body(rt, rules);
        Tensor first = b.let(b.call("matmul", w[0], w[1]));
        Tensor second = b.let(b.call("matmul", w[2], w[3]));
        Tensor product = b.let(b.call("mul.Tensor", first, second));
        b.drop(first);
        b.drop(second);
        Tensor out = b.give(b.call("mul.Tensor", product, 1.0));
        rt.setGradMode(before);
        Saved[] kept = new Saved[w.length];
        for (int i = 0; i < w.length; i++) {
            kept[i] = r.save(w[i]);
        }
        return r.gradients(g -> backward(g[0], kept)).output(out);
    }

    private Tensor[] backward(Tensor g, Saved[] kept) {
        Body b = new Body(rt, rules);
        Tensor[] w = new Tensor[kept.length];
        for (int i = 0; i < kept.length; i++) {
            w[i] = kept[i].get();
        }
        Tensor scaled = b.let(b.call("mul.Tensor", g, 1.0));
        Tensor factor = b.let(b.call("matmul", w[2], w[3]));
        Tensor rest = b.let(b.call("mul.Tensor", scaled, factor));
        b.drop(factor);
        Tensor ofFirst = b.let(b.call("matmul", rest, b.call("t", w[1])));
        Tensor ofSecond = b.let(b.call("matmul", b.call("t", w[0]), rest));
        factor = b.let(b.call("matmul", w[0], w[1]));
        Tensor next = b.let(b.call("mul.Tensor", scaled, factor));
        b.drop(factor);
        b.drop(rest);
        Tensor ofThird = b.let(b.call("matmul", next, b.call("t", w[3])));
        Tensor ofFourth = b.let(b.call("matmul", b.call("t", w[2]), next));
        return new Tensor[] {ofFirst, ofSecond, ofThird, ofFourth};
    }
}
