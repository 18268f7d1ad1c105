package dev.headroom.executor.op.attention;

import dev.headroom.executor.autograd.SavedTensor;
import dev.headroom.executor.kernel.AttentionCall;

/** What an attention operator keeps for its backward pass of the tensors of its call. */
record SavedAttention(
        SavedTensor q, SavedTensor k, SavedTensor v, SavedTensor bias, SavedTensor result, SavedTensor sums) {
    /** The call of the forward pass, over the tensors that were kept. */
    AttentionCall call(AttentionCall.Spec spec) {
        return new AttentionCall(q.get(), k.get(), v.get(), bias.getOrNull(), result.get(), sums.getOrNull(), spec);
    }
}
