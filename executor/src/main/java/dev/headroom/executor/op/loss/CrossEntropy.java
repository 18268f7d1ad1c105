package dev.headroom.executor.op.loss;

import dev.headroom.executor.autograd.Recorder;
import dev.headroom.executor.autograd.SavedTensor;
import dev.headroom.executor.kernel.ClassLossCall;
import dev.headroom.executor.op.basic.Autocast;
import dev.headroom.executor.op.basic.Copies;
import dev.headroom.executor.op.basic.Elementwise;
import dev.headroom.executor.op.basic.Views;
import dev.headroom.executor.op.reduction.SoftmaxOperators;
import dev.headroom.executor.op.registry.Arguments;
import dev.headroom.executor.op.registry.Operators;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Layout;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.DType;
import org.jspecify.annotations.Nullable;

/** Losses of class scores (aten/src/ATen/native/LossNLL.cpp, cuda/Loss.cu, cuda/NLLLoss2d.cu). */
public final class CrossEntropy {
    static final long IGNORED = -100;

    /** The numbers that ATen has for reductions. */
    static final int NONE = 0;

    static final int MEAN = 1;
    static final int SUM = 2;

    private CrossEntropy() {}

    public static void register(Operators o) {
        o.add1("aten.nll_loss", CrossEntropy::nll);
        o.add1("aten.nll_loss2d", CrossEntropy::nll);
        o.add1("aten.nll_loss_nd", CrossEntropy::nll);
    }

    private static Tensor nll(Eager e, Arguments a) {
        return nll(
                e,
                a.tensor("self"),
                a.tensor("target"),
                a.optional("weight"),
                (int) a.integer("reduction", MEAN),
                a.integer("ignore_index", IGNORED));
    }

    /** {@code cross_entropy_loss} of class numbers, a mean. */
    static Tensor crossEntropy(Eager e, Tensor scores, Tensor target) {
        return e.call(() -> {
            Tensor logs = SoftmaxOperators.softmax(e, scores, scores.dims() == 1 ? 0 : 1, scores.dtype(), true);
            return nll(e, logs, target, null, MEAN, IGNORED);
        });
    }

    /** {@code nll_loss_nd}: scores (classes), (n, classes) or (n, classes, …). */
    public static Tensor nll(
            Eager e, Tensor scores, Tensor target, @Nullable Tensor weight, int reduction, long ignored) {
        if (scores.dims() <= 2 || scores.dims() == 4) {
            return dispatched(e, scores, target, weight, reduction, ignored);
        }
        return e.call(() -> {
            // Two dimensions hold what is left, as the kernel for images wants it.
            long rest = target.elements() / Math.max(1, target.size(0));
            Tensor wide = Views.view(e, Copies.contiguous(e, scores), scores.size(0), scores.size(1), 1, rest);
            Tensor labels = Views.view(e, Copies.contiguous(e, target), target.size(0), 1, rest);
            Tensor out = dispatched(e, wide, labels, weight, reduction, ignored);
            return reduction == NONE ? Views.view(e, out, target.sizes()) : out;
        });
    }

    /** {@code nll_loss} or {@code nll_loss2d} as autocast sees it. */
    private static Tensor dispatched(
            Eager e, Tensor scores, Tensor target, @Nullable Tensor weight, int reduction, long ignored) {
        return e.call(() -> {
            Tensor wideWeight = weight == null ? null : Autocast.widened(e, weight);
            return recorded(e, Autocast.widened(e, scores), target, wideWeight, reduction, ignored);
        });
    }

    private static Tensor recorded(
            Eager e, Tensor scores, Tensor target, @Nullable Tensor weight, int reduction, long ignored) {
        Recorder r = e.record(scores.dims() == 4 ? "NllLoss2DBackward0" : "NllLossBackward0", scores);
        r.save(scores);
        SavedTensor savedTarget = r.save(target);
        SavedTensor savedWeight = r.save(weight);
        boolean each = reduction == NONE && scores.dims() > 1;
        // The kernel for images makes the total first.
        Tensor early = scores.dims() == 4 ? e.empty(scores.dtype()) : null;
        Tensor out = e.empty(scores.dtype(), each ? target.sizes() : new long[0]);
        Tensor total = early == null ? e.empty(scores.dtype()) : early;
        Tensor packed = Copies.packed(e, scores);
        Tensor labels = Copies.packed(e, target);
        boolean mean = reduction == MEAN;
        Tensor rows = byClass(e, packed);
        ClassLossCall call = new ClassLossCall(flat(e, labels), weight, total, ignored, each, mean);
        e.backend().indexing().classLoss(call, rows, out);
        e.freeUnless(labels, target);
        e.freeUnless(packed, scores);
        SavedTensor savedTotal = r.saveOutput(total);
        long[] sizes = scores.sizes();
        DType type = scores.dtype();
        return r.backward(g -> {
                    Tensor gradient = e.empty(type, sizes);
                    Elementwise.fill(e, gradient, 0);
                    Tensor incoming = Copies.packed(e, g[0]);
                    Tensor classes = Copies.packed(e, savedTarget.get());
                    Tensor into = byClass(e, gradient);
                    ClassLossCall back = new ClassLossCall(
                            flat(e, classes), savedWeight.getOrNull(), savedTotal.get(), ignored, each, mean);
                    e.backend().indexing().classLossBackward(back, incoming, into);
                    return new Tensor[] {gradient};
                })
                .output(out);
    }

    /** Scores as (n, classes, rest). */
    private static Tensor byClass(Eager e, Tensor t) {
        long n = t.dims() == 1 ? 1 : t.size(0);
        long classes = t.dims() == 1 ? t.size(0) : t.size(1);
        long rest = t.elements() / Math.max(1, n * classes);
        long[] sizes = {n, classes, rest};
        return e.alias(t, sizes, Layout.contiguous(sizes), t.offset());
    }

    private static Tensor flat(Eager e, Tensor t) {
        return e.alias(t, new long[] {t.elements()}, new long[] {1}, t.offset());
    }
}
