package dev.headroom.estimator.op.attention;

import dev.headroom.estimator.op.core.Copies;
import dev.headroom.estimator.op.core.ReduceScratch;
import dev.headroom.estimator.op.core.Reductions;
import dev.headroom.estimator.op.core.Views;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Recorder;
import dev.headroom.estimator.runtime.Saved;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Shapes;
import org.jspecify.annotations.Nullable;

/**
 * The memory-efficient kernel (ATen/native/transformers/cuda/attention.cu and attention_backward.cu,
 * _efficient_attention_*). It sees operands rows before heads.
 */
final class EfficientAttention {
    /** Rows of the log-sum-exp are padded to this (mem_eff_attention/kernel_forward.h, kAlignLSE). */
    private static final long SUMS_ALIGNMENT = 32;

    /** Wider heads keep a float32 accumulator beside a half-precision result (kernels/cutlassF.h). */
    private static final long WIDEST_IN_REGISTERS = 128;

    private static final long BIAS_ALIGNMENT = 16;

    private EfficientAttention() {}

    static Tensor apply(EagerRuntime rt, AttentionCall c) {
        Tensor q = c.query();
        Tensor k = c.key();
        Tensor v = c.value();
        Recorder r = rt.record("ScaledDotProductEfficientAttentionBackward0", q, k, v, c.mask());
        Saved mask = r.save(c.mask());
        Saved key = r.save(k);
        Saved query = r.save(q);
        Saved value = r.save(v);
        long batch = q.size(0);
        long heads = q.size(1);
        long rows = q.size(2);
        // The state of the random generator lies on the device only where nothing is drawn.
        boolean state = c.dropout() == 0 && rt.options().torch().efficientStateOnDevice();
        Tensor seed = state ? rt.empty(DType.INT64) : null;
        Tensor shift = state ? rt.empty(DType.INT64) : null;
        Tensor wide = rt.empty(q.dtype(), batch, rows, heads, v.size(3));
        long padded = (rows + SUMS_ALIGNMENT - 1) / SUMS_ALIGNMENT * SUMS_ALIGNMENT;
        Tensor sums = rt.empty(DType.FLOAT32, batch, heads, r.records() ? padded : 0);
        if (q.dtype().isReducedFloat() && Math.max(q.size(3), v.size(3)) > WIDEST_IN_REGISTERS) {
            rt.free(rt.empty(DType.FLOAT32, wide.sizes()));
        }
        Tensor out = headsFirst(rt, wide);
        r.saveOutput(sums);
        Saved result = r.saveOutput(out);
        if (seed != null) {
            r.saveOutput(shift);
            r.saveOutput(seed);
        }
        boolean dropout = c.dropout() > 0;
        r.gradients(grads -> grads[0] == null
                        ? new Tensor[4]
                        : backward(
                                rt,
                                r,
                                grads[0],
                                query.get(),
                                key.get(),
                                value.get(),
                                mask.getOrNull(),
                                result.get(),
                                dropout))
                .output(out);
        r.nonDifferentiable(sums);
        rt.free(sums);
        rt.free(seed);
        rt.free(shift);
        return out;
    }

    private static Tensor[] backward(
            EagerRuntime rt,
            Recorder r,
            Tensor g0,
            Tensor q,
            Tensor k,
            Tensor v,
            @Nullable Tensor mask,
            Tensor result,
            boolean dropout) {
        Tensor turned = rt.detach(Views.transpose(rt, g0, 1, 2));
        Tensor g = Copies.contiguous(rt, turned);
        long batch = q.size(0);
        long heads = q.size(1);
        long rows = q.size(2);
        Tensor gq = rowsFirst(rt, q, heads);
        Tensor gk = rowsFirst(rt, k, k.size(1));
        Tensor gv = rowsFirst(rt, v, v.size(1));
        boolean shared = k.size(1) != heads;
        Tensor wideK = shared ? rowsFirst(rt, k, heads) : gk;
        Tensor wideV = shared ? rowsFirst(rt, v, heads) : gv;
        Tensor gm = mask != null && r.needs(3) ? biasGradient(rt, mask) : null;
        EfficientKernel kernel =
                EfficientKernel.choose(rt.device(), q.dtype(), Math.max(q.size(3), v.size(3)), dropout);
        Tensor delta = kernel.computesDelta() ? rt.empty(DType.FLOAT32, batch, heads, rows) : delta(rt, g, result);
        Tensor workspace = rt.scratch(kernel.workspace(batch, heads, rows, k.size(2), q.size(3), v.size(3)));
        rt.free(delta);
        if (shared) {
            sumHeads(rt, wideK, k.size(1));
            sumHeads(rt, wideV, v.size(1));
        }
        rt.free(workspace);
        if (shared) {
            rt.free(wideV);
            rt.free(wideK);
        }
        rt.freeUnless(g, turned);
        return wanted(rt, r, headsFirst(rt, gq), headsFirst(rt, gk), headsFirst(rt, gv), gm);
    }

    /** All gradients come in one tuple; those that nobody wants go with it, the first one first. */
    static Tensor[] wanted(EagerRuntime rt, Recorder r, @Nullable Tensor... gradients) {
        for (int i = 0; i < gradients.length; i++) {
            if (!r.needs(i)) {
                rt.free(gradients[i]);
                gradients[i] = null;
            }
        }
        return gradients;
    }

    /** The row sums of gradient times result, in float32 and in the layout (batch, heads, rows). */
    static Tensor delta(EagerRuntime rt, Tensor g, Tensor result) {
        Tensor wideG = Copies.to(rt, g, DType.FLOAT32);
        Tensor wideR = Copies.to(rt, result, DType.FLOAT32);
        Tensor product = rt.empty(DType.FLOAT32, g.sizes());
        Tensor sums = Reductions.reduce(
                rt, product, Reductions.mask(new long[] {-1}, 4), false, DType.FLOAT32, DType.FLOAT32.bytes());
        // transpose(-2, -1).contiguous() of one head, or one row, is what it was.
        boolean copied = g.size(1) != 1 && g.size(2) != 1;
        Tensor delta = copied ? rt.empty(DType.FLOAT32, g.size(0), g.size(2), g.size(1)) : sums;
        rt.freeUnless(sums, delta);
        rt.free(product);
        rt.freeUnless(wideR, result);
        rt.freeUnless(wideG, g);
        return delta;
    }

    /** The gradient of the mask, its rows padded. */
    private static Tensor biasGradient(EagerRuntime rt, Tensor mask) {
        long[] sizes = mask.sizes().clone();
        int last = sizes.length - 1;
        sizes[last] = (sizes[last] + BIAS_ALIGNMENT - 1) / BIAS_ALIGNMENT * BIAS_ALIGNMENT;
        Tensor whole = rt.empty(mask.dtype(), sizes);
        Tensor part = rt.reinterpret(whole, mask.sizes(), whole.strides(), 0);
        rt.free(whole);
        return part;
    }

    /** The memory of a query, seen as the result (batch, rows, heads, features) that belongs to it. */
    static Tensor headsFirstView(EagerRuntime rt, Tensor query, long features) {
        long[] sizes = {query.size(0), query.size(2), query.size(1), features};
        return rt.reinterpret(query, sizes, Shapes.contiguous(sizes), 0);
    }

    /** A fresh tensor (batch, rows, heads, features) for one that is heads first. */
    static Tensor rowsFirst(EagerRuntime rt, Tensor like, long heads) {
        return rt.empty(like.dtype(), like.size(0), like.size(2), heads, like.size(3));
    }

    /** The same memory with heads before rows; the tensor itself is done with. */
    static Tensor headsFirst(EagerRuntime rt, Tensor wide) {
        Tensor view = rt.reinterpret(
                wide,
                new long[] {wide.size(0), wide.size(2), wide.size(1), wide.size(3)},
                new long[] {wide.stride(0), wide.stride(2), wide.stride(1), wide.stride(3)},
                0);
        rt.free(wide);
        return view;
    }

    /** Heads that share a key sum their gradients into one: scratch of the reduction alone. */
    static void sumHeads(EagerRuntime rt, Tensor wide, long heads) {
        Tensor grouped = rt.reinterpret(
                wide,
                new long[] {wide.size(0), wide.size(1), heads, wide.size(2) / heads, wide.size(3)},
                new long[] {
                    wide.stride(0),
                    wide.stride(1),
                    wide.stride(2) * (wide.size(2) / heads),
                    wide.stride(2),
                    wide.stride(3)
                },
                0);
        boolean[] mask = {false, false, false, true, false};
        ReduceScratch.use(rt, grouped, mask, wide.dtype().bytes(), Reductions.accumulator(wide.dtype()));
        rt.free(grouped);
    }
}
