package dev.headroom.estimator.op.fused;

import dev.headroom.estimator.op.core.Pointwise;
import dev.headroom.estimator.op.core.Reductions;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** {@code SFTTrainer.compute_loss} of trl 1.16 (trainer/sft_trainer.py): a loss of its own, and what it reports. */
public final class SupervisedLoss {
    private static final int LOG_PROBS = 1;
    private static final int ENTROPY = 2;
    private static final int TOP = 3;
    private static final int MASK = 4;
    private static final int BALANCE = 5;

    private SupervisedLoss() {}

    /**
     * Computes the loss of what a fused head returned.
     *
     * @param outputs of the head
     * @param attentionMask of the batch, or {@code null}
     * @param gather brings a scalar of every rank, as a local variable; {@code null} on one GPU
     * @param returned lets go of the outputs, once the function returns
     * @return a local variable of the running frame
     */
    public static Tensor of(
            EagerRuntime rt,
            Tensor[] outputs,
            @Nullable Tensor attentionMask,
            Function<Tensor, @Nullable Tensor> gather,
            Runnable returned) {
        List<Tensor> locals = new ArrayList<>();
        Tensor each = FusedHead.negated(rt, outputs[LOG_PROBS]);
        locals.add(each);
        Tensor sum = Reductions.sum(rt, each, null, false, DType.FLOAT32);
        Tensor tokens = rt.empty(DType.INT64); // clamped
        Tensor mean = Pointwise.div(rt, sum, tokens);
        rt.free(sum);
        rt.free(tokens);
        @Nullable
        Tensor weighted =
                outputs.length > BALANCE ? Pointwise.mul(rt, outputs[BALANCE], rt.wrappedNumber(DType.FLOAT32)) : null;
        Tensor loss = Pointwise.mul(rt, mean, rt.wrappedNumber(DType.INT64));
        rt.free(mean);
        if (weighted != null) {
            Tensor one = Pointwise.div(rt, weighted, rt.wrappedNumber(DType.INT64));
            Tensor both = Pointwise.add(rt, loss, one);
            rt.free(one);
            rt.free(loss);
            loss = both;
        }
        boolean before = rt.gradMode();
        rt.setGradMode(false);
        locals.add(twice(rt, outputs[MASK], DType.INT64, gather));
        locals.add(twice(rt, outputs[ENTROPY], DType.FLOAT32, gather));
        locals.add(twice(rt, outputs[TOP], DType.INT64, gather));
        // num_valid > 0 is asked for either rate
        rt.free(rt.empty(DType.BOOL));
        rt.free(rt.empty(DType.BOOL));
        if (attentionMask != null) {
            rt.free(twice(rt, attentionMask, DType.INT64, gather));
        }
        if (weighted != null) {
            rt.free(rt.empty(DType.FLOAT32)); // the mean that is reported
        }
        rt.setGradMode(before);
        rt.free(weighted);
        returned.run();
        rt.freeAll(locals);
        return loss;
    }

    /** {@code gather_for_metrics(t.sum()).sum()}. */
    private static Tensor twice(EagerRuntime rt, Tensor t, DType type, Function<Tensor, @Nullable Tensor> gather) {
        Tensor sum = Reductions.sum(rt, t, null, false, type);
        Tensor ofAll = gather.apply(sum);
        if (ofAll != null) {
            rt.free(sum);
            sum = ofAll;
        }
        Tensor out = rt.empty(type);
        rt.free(sum);
        return out;
    }
}
