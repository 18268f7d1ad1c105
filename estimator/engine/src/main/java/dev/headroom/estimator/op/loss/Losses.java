package dev.headroom.estimator.op.loss;

import dev.headroom.estimator.op.core.Autocast;
import dev.headroom.estimator.op.core.Copies;
import dev.headroom.estimator.op.core.Pointwise;
import dev.headroom.estimator.op.core.ReduceScratch;
import dev.headroom.estimator.op.core.Reductions;
import dev.headroom.estimator.op.core.Strided;
import dev.headroom.estimator.op.core.Views;
import dev.headroom.estimator.op.normalization.Softmax;
import dev.headroom.estimator.runtime.Distribution;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Recorder;
import dev.headroom.estimator.runtime.Saved;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import org.jspecify.annotations.Nullable;

/** Losses (ATen/native/LossNLL.cpp, Loss.cpp). */
public final class Losses {
    /** How a loss is reduced. */
    public enum Reduction {
        NONE,
        MEAN,
        SUM
    }

    private Losses() {}

    /**
     * {@code cross_entropy} with class indices: log_softmax over dimension 1 in the input's own type, which it names
     * (so that autocast leaves it alone), then nll_loss.
     */
    public static Tensor crossEntropy(
            EagerRuntime rt, Tensor input, Tensor target, @Nullable Tensor weight, Reduction reduction) {
        if (input.distribution() != null && input.distribution().placement().isShard()) {
            return ShardedCrossEntropy.run(rt, input, target, weight, reduction);
        }
        Tensor logs = Softmax.apply(rt, "LogSoftmaxBackward0", input, -1, input.dtype());
        Tensor loss = nllOfAnyRank(rt, logs, target, weight, reduction);
        rt.free(logs);
        return loss;
    }

    /** {@code F.cross_entropy(out.flatten(0, -2).float(), target.flatten())}. */
    public static Tensor ofTokens(EagerRuntime rt, Tensor out, Tensor target) {
        Tensor flat = Views.reshape(rt, out, out.numel() / Math.max(out.size(-1), 1), out.size(-1));
        Distribution.pass(out, flat);
        Tensor wide = Copies.to(rt, flat, DType.FLOAT32);
        Distribution.pass(flat, wide);
        rt.freeUnless(flat, wide);
        Tensor labels = Views.reshape(rt, target, target.numel());
        Tensor loss = crossEntropy(rt, wide, labels, null, Reduction.MEAN);
        rt.free(labels);
        rt.free(wide);
        return loss;
    }

    /** {@code F.cross_entropy(out[:, :-1, :].reshape(-1, classes), target[:, 1:].reshape(-1))}. */
    public static Tensor ofNextTokens(EagerRuntime rt, Tensor out, Tensor target) {
        Tensor before = Views.slice(rt, out, 1, 0, -1, 1);
        Tensor scores = Views.reshape(rt, before, -1, out.size(-1));
        rt.free(before);
        Tensor after = Views.slice(rt, target, 1, 1, Long.MAX_VALUE, 1);
        Tensor labels = Views.reshape(rt, after, -1);
        rt.free(after);
        Tensor loss = crossEntropy(rt, scores, labels, null, Reduction.MEAN);
        rt.free(scores);
        rt.free(labels);
        return loss;
    }

    /** {@code nll_loss_nd}: three dimensions, or more than four, become four. */
    static Tensor nllOfAnyRank(
            EagerRuntime rt, Tensor logs, Tensor target, @Nullable Tensor weight, Reduction reduction) {
        if (logs.dim() != 3 && logs.dim() < 5) {
            return nll(rt, logs, target, weight, reduction);
        }
        Tensor denseLogs = Copies.contiguous(rt, logs);
        Tensor denseTarget = Copies.contiguous(rt, target);
        Tensor wide = Views.view(rt, denseLogs, logs.size(0), logs.size(1), 1, -1);
        Tensor labels = Views.view(rt, denseTarget, logs.size(0), 1, -1);
        Tensor out = nll(rt, wide, labels, weight, reduction);
        rt.free(labels);
        rt.free(wide);
        rt.freeUnless(denseTarget, target);
        rt.freeUnless(denseLogs, logs);
        if (reduction != Reduction.NONE) {
            return out;
        }
        Tensor shaped = Views.view(rt, out, target.sizes());
        rt.free(out);
        return shaped;
    }

    /** {@code nll_loss} and {@code nll_loss2d}: the scalar and the total weight. */
    public static Tensor nll(
            EagerRuntime rt, Tensor logs0, Tensor target, @Nullable Tensor weight0, Reduction reduction) {
        Tensor weight = weight0 == null ? null : Autocast.float32(rt, weight0);
        Tensor logs = Autocast.float32(rt, logs0);
        boolean spatial = logs.dim() > 2;
        Recorder r = rt.record(spatial ? "NllLoss2DBackward0" : "NllLossBackward0", logs);
        Saved self = r.save(logs);
        Saved labels = r.save(target);
        r.save(weight);
        boolean scalar = reduction != Reduction.NONE;
        // The two-dimensional kernel sizes the total weight before the loss.
        Tensor early = spatial ? rt.empty(logs.dtype()) : null;
        Tensor out = scalar ? rt.empty(logs.dtype()) : rt.empty(logs.dtype(), target.sizes());
        Tensor total = spatial ? early : rt.empty(logs.dtype());
        r.saveOutput(total);
        r.gradient(0, g -> {
                    labels.get();
                    return rt.empty(self.get().dtype(), self.get().sizes());
                })
                .output(out);
        r.nonDifferentiable(total);
        rt.free(total);
        rt.freeUnless(logs, logs0);
        return out;
    }

    /**
     * {@code mse_loss}. Its result is declared with the shape of the differences and only then shrunk to a scalar, so
     * the scalar sits in memory of the full size; the differences themselves are a temporary (structured kernel
     * mse_loss, ATen/native/BinaryOps.cpp).
     */
    public static Tensor mse(EagerRuntime rt, Tensor input0, Tensor target0, Reduction reduction) {
        Tensor target = Autocast.float32(rt, target0);
        Tensor input = Autocast.float32(rt, input0);
        return shrunk(rt, "MseLossBackward0", input, target, reduction);
    }

    /** {@link #mse} and losses declared alike. */
    static Tensor shrunk(EagerRuntime rt, String node, Tensor input, Tensor target, Reduction reduction) {
        Recorder r = rt.record(node, input, target);
        Saved a = r.save(input);
        Saved b = r.save(target);
        Tensor out = Strided.result(rt, input, target);
        if (reduction != Reduction.NONE) {
            Tensor squares = Strided.result(rt, input, target);
            Tensor shrunk = scalarIn(rt, out);
            ReduceScratch.use(
                    rt,
                    squares,
                    Reductions.mask(null, squares.dim()),
                    squares.dtype().bytes(),
                    Reductions.accumulator(squares.dtype()));
            rt.free(squares);
            rt.free(out);
            out = shrunk;
        }
        // zeros_like with LEGACY_CONTIGUOUS_MEMORY_FORMAT, whatever the layout of the input.
        return r.gradient(0, g -> rt.empty(a.get().dtype(), a.get().sizes()))
                .gradient(1, g -> rt.empty(b.get().dtype(), b.get().sizes()))
                .output(out);
    }

    /** A scalar in the memory of a tensor, which grows where that has none ({@code resize_}). */
    static Tensor scalarIn(EagerRuntime rt, Tensor t) {
        return t.numel() == 0 ? rt.empty(t.dtype()) : rt.reinterpret(t, new long[0], new long[0], 0);
    }

    /** {@code out.sum()}. */
    public static Tensor sum(EagerRuntime rt, Tensor out) {
        boolean wide = rt.autocast().active() && out.dtype().isReducedFloat();
        return Reductions.sum(rt, out, null, false, wide ? DType.FLOAT32 : out.dtype());
    }

    /** {@code scaler.scale(loss)}. */
    public static Tensor scale(EagerRuntime rt, Tensor loss, Tensor scale) {
        return Pointwise.mul(rt, loss, scale);
    }

    /** {@code loss / k}. */
    public static Tensor divide(EagerRuntime rt, Tensor loss) {
        return Pointwise.div(rt, loss, rt.wrappedNumber(DType.INT64));
    }
}
