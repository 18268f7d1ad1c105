package dev.headroom.estimator.op.fused;

import dev.headroom.estimator.op.core.Pointwise;
import dev.headroom.estimator.op.core.Reductions;
import dev.headroom.estimator.op.core.Unary;
import dev.headroom.estimator.op.core.Views;
import dev.headroom.estimator.op.rule.Call;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import java.util.List;

/**
 * The head that trl's SFTTrainer puts on a causal model: hidden states of the labelled positions, their
 * log-probabilities in tiles, and the loss (trl 1.16, trainer/utils.py, add_fused_lm_head). All positions are
 * labelled.
 */
final class FusedHead {
    private FusedHead() {}

    /** @return loss, log-probabilities, entropies, whether targets are the most likely, and the mask of the labels */
    static Tensor[] run(Call c) {
        EagerRuntime rt = c.runtime();
        Tensor states = Views.slice(rt, c.tensor("hidden"), 1, 0, -1, 1);
        Tensor labels = Views.slice(rt, c.tensor("labels"), 1, 1, Long.MAX_VALUE, 1);
        Tensor mask = rt.empty(DType.BOOL, labels.sizes());
        Tensor rows = MaskedRows.select(rt, states, mask);
        Tensor targets = MaskedRows.select(rt, labels, mask);
        Tensor[] scored = ChunkedLogProbs.apply(rt, rows, c.tensor("weight"), c.tensorOrNull("bias"), targets);
        rt.free(rows);
        rt.free(targets);
        Tensor[] spread = new Tensor[scored.length];
        for (int i = 0; i < scored.length; i++) {
            spread[i] = MaskedRows.spread(rt, scored[i], mask);
        }
        // A tuple goes from its end, and the last one once the loop's variable does.
        rt.freeAll(List.of(scored[1], scored[0], scored[2]));
        Tensor sum = Reductions.sum(rt, spread[0], null, false, DType.FLOAT32);
        Tensor negated = negated(rt, sum);
        rt.free(sum);
        Tensor count = MaskedRows.count(rt, mask);
        Tensor clamped = rt.empty(DType.INT64);
        rt.free(count);
        Tensor loss = Pointwise.div(rt, negated, clamped);
        rt.free(negated);
        return new Tensor[] {loss, spread[0], spread[1], spread[2], mask};
    }

    /** {@code -t}. */
    static Tensor negated(EagerRuntime rt, Tensor t) {
        return Unary.apply(rt, "NegBackward0", t, Unary.Keep.NOTHING, Unary.SCALED, false);
    }
}
