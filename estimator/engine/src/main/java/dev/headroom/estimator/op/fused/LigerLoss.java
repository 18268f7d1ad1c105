package dev.headroom.estimator.op.fused;

import dev.headroom.allocator.Bytes;
import dev.headroom.estimator.op.core.Copies;
import dev.headroom.estimator.op.core.Creation;
import dev.headroom.estimator.op.core.Pointwise;
import dev.headroom.estimator.op.core.Reductions;
import dev.headroom.estimator.op.core.Views;
import dev.headroom.estimator.op.rule.Call;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Recorder;
import dev.headroom.estimator.runtime.Saved;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import org.jspecify.annotations.Nullable;

/** Liger's cross-entropy, alone and in one with the head (liger_kernel 0.8.5, ops/fused_linear_cross_entropy.py). */
final class LigerLoss {
    private LigerLoss() {}

    /**
     * Scores of some rows at a time in one buffer; the gradients are made in the forward
     * pass and kept, in the types of what they are of.
     */
    static Tensor run(Call c) {
        EagerRuntime rt = c.runtime();
        Tensor labels = c.tensor("labels");
        Tensor padded = rt.empty(labels.dtype(), labels.size(0), labels.size(1) + 1);
        Tensor targets = rt.empty(labels.dtype(), labels.sizes());
        Tensor x = c.tensor("hidden");
        Tensor rows = Views.view(rt, x, -1, x.size(-1));
        Tensor loss = lossOfRows(rt, rows, c.tensor("weight"));
        Tensor items = c.tensorOrNull("items");
        Tensor out = items == null ? loss : Pointwise.div(rt, loss, items);
        rt.freeUnless(loss, out);
        rt.free(padded);
        rt.free(targets);
        return out;
    }

    private static Tensor lossOfRows(EagerRuntime rt, Tensor x, Tensor weight) {
        Recorder r = rt.record("LigerFusedLinearCrossEntropyFunctionBackward", x, weight);
        boolean trains = r.records();
        Tensor ofRows = rt.empty(x.dtype(), x.sizes());
        Tensor ofWeight = trains && r.needs(1) ? Creation.zeros(rt, weight.dtype(), weight.sizes()) : null;
        long n = x.size(0);
        Tensor losses = rt.empty(DType.FLOAT32, n);
        Tensor mask = rt.empty(DType.BOOL, n);
        rt.free(Reductions.sum(rt, mask, null, false, DType.INT64));
        chunks(rt, x, weight, ofWeight != null);
        Tensor loss = rt.empty(DType.FLOAT32);
        Saved keptRows = r.saveIf(trains, ofRows);
        Saved keptWeight = r.saveIf(ofWeight != null, ofWeight);
        r.gradients(g -> {
            compareWithOne(rt);
            Tensor w = keptWeight.getOrNull();
            return new Tensor[] {rt.detach(keptRows.get()), w == null ? null : rt.detach(w)};
        });
        r.output(loss);
        rt.free(mask);
        rt.free(losses);
        rt.free(ofRows);
        rt.free(ofWeight);
        return loss;
    }

    /** {@code torch.equal(grad_output, torch.tensor(1.0))}. */
    private static void compareWithOne(EagerRuntime rt) {
        Tensor one = rt.empty(DType.FLOAT32);
        Tensor equal = rt.empty(DType.BOOL);
        rt.free(rt.empty(DType.BOOL));
        rt.free(equal);
        rt.free(one);
    }

    /** The loss of given scores, in whose memory their gradients are made (ops/cross_entropy.py). */
    static Tensor ofScores(Call c) {
        EagerRuntime rt = c.runtime();
        Tensor scores = c.tensor("self");
        Tensor target = c.tensor("target");
        Recorder r = rt.record("LigerCrossEntropyFunctionBackward", scores);
        Tensor losses = rt.empty(scores.dtype(), scores.size(0));
        Tensor mask = rt.empty(DType.BOOL, target.sizes());
        rt.free(Reductions.sum(rt, mask, null, false, DType.INT64));
        for (int bound = 0; bound < 2; bound++) { // of the largest and the smallest label
            Tensor labels = rt.emptyLike(target);
            Tensor extreme = Reductions.reduce(rt, labels, Reductions.mask(null, 1), false, DType.INT64, Long.BYTES);
            rt.free(labels);
            Tensor holds = rt.empty(DType.BOOL);
            rt.free(extreme);
            rt.free(holds);
        }
        Tensor loss = Reductions.sum(rt, losses, null, false, scores.dtype());
        Saved kept = r.save(scores);
        r.gradients(g -> {
            compareWithOne(rt);
            return new Tensor[] {rt.detach(kept.get())};
        });
        r.output(loss);
        rt.free(losses);
        rt.free(mask);
        return loss;
    }

    /** Scores and their gradients, for some rows after the other. */
    private static void chunks(EagerRuntime rt, Tensor x, Tensor weight, boolean trainsWeight) {
        long n = x.size(0);
        long chunk = chunk(n, weight.size(0), x.size(1));
        boolean casts = rt.autocast().active();
        DType type = casts ? rt.autocast().type() : x.dtype();
        boolean reuses = x.dtype() == weight.dtype() && x.dtype() == type; // _can_use_mm_out
        Tensor buffer = reuses ? rt.empty(type, chunk, weight.size(0)) : null;
        for (long row = 0; row < n; row += chunk) {
            long rows = Math.min(chunk, n - row);
            Tensor scores = buffer;
            if (buffer == null) {
                Tensor turned = weight.dtype() == type ? null : rt.empty(type, weight.sizes()); // a view's is not kept
                Tensor input = castOf(rt, x, type, rows);
                scores = rt.empty(type, rows, weight.size(0));
                rt.workspaces().useBlas();
                rt.free(input);
                rt.free(turned);
                Tensor cast = castOf(rt, weight, type);
                Tensor ofRows = rt.empty(type, rows, x.size(1));
                rt.free(cast);
                rt.free(ofRows);
            } else {
                rt.workspaces().useBlas();
            }
            if (trainsWeight) {
                addToWeight(rt, x, weight, type, rows);
            }
            rt.freeUnless(scores, buffer);
        }
        rt.free(buffer);
    }

    /**
     * Adds what some rows give to the weight's gradient: addmm adds it in place, or the product is as large as the
     * weight, in its own type and in float32.
     */
    private static void addToWeight(EagerRuntime rt, Tensor x, Tensor weight, DType type, long rows) {
        boolean half = type == DType.FLOAT16 || type == DType.BFLOAT16;
        boolean inPlace =
                half && rt.device().major() >= 8 && (weight.dtype() == DType.FLOAT32 || weight.dtype() == type);
        Tensor input = castOf(rt, x, type, rows);
        Tensor product = inPlace ? null : rt.empty(type, weight.sizes());
        rt.free(input);
        if (product != null) {
            Tensor wide = Copies.to(rt, product, DType.FLOAT32);
            rt.freeUnless(product, wide);
            rt.free(wide);
        }
    }

    /** Rows of the input in the type that is computed in; {@code null} where that needs no copy. */
    private static @Nullable Tensor castOf(EagerRuntime rt, Tensor x, DType type, long rows) {
        return x.dtype() == type ? null : rt.empty(type, rows, x.size(1));
    }

    /** The cast of the weight, if it is not kept or made anew: a local variable, or {@code null}. */
    private static @Nullable Tensor castOf(EagerRuntime rt, Tensor weight, DType lower) {
        if (weight.dtype() == lower || rt.autocast().castOf(weight) != null) {
            return null;
        }
        Tensor cast = rt.empty(lower, weight.sizes());
        if (!rt.autocast().keepsCastOf(weight)) {
            return cast;
        }
        rt.autocast().keep(weight, cast);
        rt.free(cast);
        return null;
    }

    /** Rows whose scores take about as much as all rows of the input. */
    private static long chunk(long rows, long entries, long width) {
        long factor = Bytes.ceilDiv(entries, width);
        long each = Bytes.ceilDiv(rows, factor);
        long power = Long.highestOneBit(each);
        return Math.min(power == each ? each : 2 * power, rows);
    }
}
