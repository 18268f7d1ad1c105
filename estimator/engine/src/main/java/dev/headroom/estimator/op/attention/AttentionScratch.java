package dev.headroom.estimator.op.attention;

import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;

/**
 * What the backward kernels of fused attention take besides the gradients that they make. Tensors are (batch, heads,
 * rows, features).
 */
public enum AttentionScratch {
    EFFICIENT {
        @Override
        public void take(EagerRuntime rt, Tensor query, Tensor key, Tensor value) {
            EfficientKernel kernel =
                    EfficientKernel.choose(rt.device(), query.dtype(), Math.max(query.size(3), value.size(3)), false);
            Tensor result = EfficientAttention.headsFirstView(rt, query, value.size(3));
            Tensor delta = kernel.computesDelta()
                    ? rt.empty(DType.FLOAT32, query.size(0), query.size(1), query.size(2))
                    : EfficientAttention.delta(rt, result, result);
            Tensor workspace = rt.scratch(kernel.workspace(
                    query.size(0), query.size(1), query.size(2), key.size(2), query.size(3), value.size(3)));
            rt.free(delta);
            rt.free(workspace);
            rt.free(result);
        }
    },
    FLASH {
        @Override
        public void take(EagerRuntime rt, Tensor query, Tensor key, Tensor value) {
            Tensor sums = FlashAttention.rowSums(rt, query);
            rt.free(FlashAttention.accumulator(rt, query));
            rt.free(sums);
        }
    },
    CUDNN {
        @Override
        public void take(EagerRuntime rt, Tensor query, Tensor key, Tensor value) {
            rt.free(CudnnAttention.backwardWorkspace(rt, query, key, value));
        }
    };

    /**
     * Takes it and gives it back.
     *
     * @param query or its gradient, and so on: only sizes and types are looked at
     */
    public abstract void take(EagerRuntime rt, Tensor query, Tensor key, Tensor value);
}
