package dev.headroom.executor.kernel;

import dev.headroom.executor.tensor.Tensor;

/** Attention kernels: softmax(scale q kᵀ + bias) v without the matrix of scores in memory. */
public interface AttentionKernels {
    /**
     * What a call computes beside its tensors.
     *
     * @param causal whether query i sees keys 0 to i only
     * @param dropout probability with which a weight is dropped; the others grow by 1 / (1 - dropout)
     * @param seed of the dropout
     */
    record Spec(double scale, boolean causal, double dropout, long seed) {}

    /**
     * Forward.
     *
     * @param result (batch, heads, queries, value size), any strides
     * @param logSumExp (batch, heads, at least queries), the logarithm of each query's sum, or {@code null}
     * @param q (batch, heads, queries, size)
     * @param k (batch, key heads, keys, size); key heads divide heads
     * @param v (batch, key heads, keys, value size)
     * @param bias broadcasts to (batch, heads, queries, keys), or {@code null}
     */
    void attention(Tensor result, Tensor logSumExp, Tensor q, Tensor k, Tensor v, Tensor bias, Spec spec);

    /**
     * Gradients of the operands, which have these' shapes.
     *
     * @param dbias (batch, heads, queries, keys), or {@code null}
     * @param dk as {@code k}, or with one entry for each of the queries' heads, as {@code dv}
     * @param g of the result
     * @param result of the forward pass
     */
    void attentionGradient(
            Tensor dq,
            Tensor dk,
            Tensor dv,
            Tensor dbias,
            Tensor g,
            Tensor q,
            Tensor k,
            Tensor v,
            Tensor bias,
            Tensor result,
            Tensor logSumExp,
            Spec spec);
}
