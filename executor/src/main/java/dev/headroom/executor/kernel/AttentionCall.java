package dev.headroom.executor.kernel;

import dev.headroom.executor.tensor.Tensor;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A call of an attention kernel: what the forward pass reads and sets, and the backward pass reads again.
 *
 * @param q (batch, heads, queries, size)
 * @param k (batch, key heads, keys, size); key heads divide heads
 * @param v (batch, key heads, keys, value size)
 * @param bias broadcasts to (batch, heads, queries, keys), or {@code null}
 * @param result (batch, heads, queries, value size), any strides
 * @param logSumExp (batch, heads, at least queries), the logarithm of each query's sum, or {@code null} when
 *     there is no backward pass
 */
public record AttentionCall(
        Tensor q,
        Tensor k,
        Tensor v,
        @Nullable Tensor bias,
        Tensor result,
        @Nullable Tensor logSumExp,
        Spec spec) {
    /**
     * What is computed beside the tensors.
     *
     * @param causal whether query i sees keys 0 to i only
     * @param dropout probability with which a weight is dropped; the others grow by 1 / (1 - dropout)
     * @param seed of the dropout
     */
    public record Spec(double scale, boolean causal, double dropout, long seed) {}

    /**
     * Gradients of the operands, which have these' shapes.
     *
     * @param k as the operand, or with one entry for each of the queries' heads, as {@code v}
     * @param bias (batch, heads, queries, keys), or {@code null}
     */
    public record Gradients(
            Tensor q, Tensor k, Tensor v, @Nullable Tensor bias) {}

    /** The sums, for a backward pass. */
    public Tensor givenLogSumExp() {
        return Objects.requireNonNull(logSumExp, "sums");
    }

    public long batch() {
        return q.size(0);
    }

    public long heads() {
        return q.size(1);
    }

    public long queries() {
        return q.size(2);
    }

    public long keys() {
        return k.size(2);
    }

    /** Queries of all heads and batches. */
    public long rows() {
        return batch() * heads() * queries();
    }
}
