package dev.headroom.estimator.op.fused;

import dev.headroom.estimator.op.core.Creation;
import dev.headroom.estimator.op.core.Reductions;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Recorder;
import dev.headroom.estimator.runtime.Saved;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * {@code ChunkedLogProbFunction} of trl 1.16 (kernels/chunked_logprob.py): scores are made tile by tile into
 * one buffer, forward and again backward; gradients add up in float32 and are cast at the end.
 */
final class ChunkedLogProbs {
    private static final long TOKENS = 4096;
    private static final long ENTRIES = 32768;

    /** Statistics of the running log-sum-exp, a float32 a token each. */
    private static final int STATISTICS = 7;

    private final EagerRuntime rt;
    private final long tokens;
    private final long vocabulary;
    private final DType compute;

    private ChunkedLogProbs(EagerRuntime rt, Tensor hidden, Tensor weight) {
        this.rt = rt;
        this.tokens = hidden.size(0);
        this.vocabulary = weight.size(0);
        this.compute = rt.autocast().active() ? rt.autocast().type() : hidden.dtype();
    }

    /** Log-probabilities and entropies of the targets, and whether they are the most likely ones. */
    static Tensor[] apply(EagerRuntime rt, Tensor hidden, Tensor weight, @Nullable Tensor bias, Tensor targets) {
        return new ChunkedLogProbs(rt, hidden, weight).forward(hidden, weight, bias, targets);
    }

    private Tensor[] forward(Tensor hidden, Tensor weight, @Nullable Tensor bias, Tensor targets) {
        Recorder r = rt.record("ChunkedLogProbFunctionBackward", hidden, weight, bias);
        List<Tensor> locals = new ArrayList<>();
        for (int i = 0; i < STATISTICS; i++) {
            locals.add(rt.empty(DType.FLOAT32, tokens));
        }
        Tensor buffer = buffer();
        Tensor chunk = null;
        for (long t = 0; t < tokens; t += TOKENS) {
            chunk = rebound(chunk, cast(hidden, Math.min(TOKENS, tokens - t)));
            for (long v = 0; v < vocabulary; v += ENTRIES) {
                Tensor part = cast(weight, Math.min(ENTRIES, vocabulary - v));
                rt.workspaces().useBlas();
                rt.free(part);
                addBias(bias, Math.min(ENTRIES, vocabulary - v));
            }
        }
        Tensor log = rt.empty(DType.FLOAT32, tokens);
        Tensor logZ = rt.empty(DType.FLOAT32, tokens);
        rt.free(log);
        Tensor logProbs = rt.empty(DType.FLOAT32, tokens);
        Tensor quotient = rt.empty(DType.FLOAT32, tokens);
        Tensor entropy = rt.empty(DType.FLOAT32, tokens);
        rt.free(quotient);
        Tensor atLeast = rt.empty(DType.BOOL, tokens);
        Tensor more = rt.empty(DType.BOOL, tokens);
        Tensor top = rt.empty(DType.BOOL, tokens);
        rt.free(atLeast);
        rt.free(more);
        Saved h = r.save(hidden);
        Saved w = r.save(weight);
        Saved b = r.save(bias);
        r.save(targets);
        r.save(logZ);
        r.saveOutput(entropy);
        boolean needsBias = bias != null && r.needs(2);
        boolean needsHidden = r.needs(0);
        boolean needsWeight = r.needs(1);
        r.gradients(g -> backward(h.get(), w.get(), b.getOrNull(), needsHidden, needsWeight, needsBias));
        r.output(logProbs);
        r.output(entropy);
        r.nonDifferentiable(top);
        rt.freeAll(locals);
        rt.free(chunk);
        rt.free(buffer); // as long as there is the last tile, a view of it
        rt.free(logZ);
        return new Tensor[] {logProbs, entropy, top};
    }

    private Tensor buffer() {
        return rt.empty(compute, Math.min(tokens, TOKENS), ENTRIES);
    }

    /** Rows of a matrix in the type that is computed in; {@code null} where that needs no copy. */
    private @Nullable Tensor cast(Tensor matrix, long rows) {
        return matrix.dtype() == compute ? null : rt.empty(compute, rows, matrix.size(1));
    }

    private @Nullable Tensor rebound(@Nullable Tensor before, @Nullable Tensor now) {
        rt.free(before);
        return now;
    }

    private void addBias(@Nullable Tensor bias, long entries) {
        if (bias != null && bias.dtype() != compute) {
            rt.free(rt.empty(compute, entries));
        }
    }

    /** {@code mm_buf[:rows, :entries].sum(dim=0, dtype=torch.float32)}. */
    private Tensor sumOfRows(Tensor buffer, long rows, long entries) {
        Tensor tile = rt.reinterpret(buffer, new long[] {rows, entries}, new long[] {buffer.stride(0), 1}, 0);
        Tensor sum = Reductions.sum(rt, tile, new long[] {0}, false, DType.FLOAT32);
        rt.free(tile);
        return sum;
    }

    private Tensor[] backward(
            Tensor hidden,
            Tensor weight,
            @Nullable Tensor bias,
            boolean needsHidden,
            boolean needsWeight,
            boolean needsBias) {
        Tensor gradHidden = needsHidden ? Creation.zeros(rt, DType.FLOAT32, hidden.sizes()) : null;
        Tensor gradWeight = needsWeight ? Creation.zeros(rt, DType.FLOAT32, weight.sizes()) : null;
        Tensor gradBias = bias != null && needsBias ? Creation.zeros(rt, DType.FLOAT32, bias.sizes()) : null;
        Tensor buffer = buffer();
        Tensor chunk = null;
        Tensor part = null;
        for (long t = 0; t < tokens; t += TOKENS) {
            chunk = rebound(chunk, cast(hidden, Math.min(TOKENS, tokens - t)));
            for (long v = 0; v < vocabulary; v += ENTRIES) {
                long entries = Math.min(ENTRIES, vocabulary - v);
                part = rebound(part, cast(weight, entries));
                rt.workspaces().useBlas();
                addBias(bias, entries);
                if (needsBias) {
                    rt.free(sumOfRows(buffer, Math.min(TOKENS, tokens - t), entries));
                }
            }
        }
        Tensor[] sums = {gradHidden, gradWeight, gradBias};
        Tensor[] out = {lowered(gradHidden, hidden), lowered(gradWeight, weight), lowered(gradBias, bias)};
        for (int i = 0; i < out.length; i++) {
            rt.freeUnless(sums[i], out[i]);
        }
        rt.free(chunk);
        rt.free(part);
        rt.free(buffer);
        return out;
    }

    private @Nullable Tensor lowered(@Nullable Tensor gradient, @Nullable Tensor like) {
        return gradient == null || like == null || gradient.dtype() == like.dtype()
                ? gradient
                : rt.empty(like.dtype(), gradient.sizes());
    }
}
