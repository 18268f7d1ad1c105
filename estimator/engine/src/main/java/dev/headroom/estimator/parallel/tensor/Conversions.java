package dev.headroom.estimator.parallel.tensor;

import dev.headroom.estimator.runtime.Distribution;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Recorder;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.plan.Placement;

/** Into DTensors, out of them, and from one layout to another, with what the backward pass does in return. */
final class Conversions {
    private final EagerRuntime rt;
    private final Distribution.Ranks ranks;

    Conversions(EagerRuntime rt, Distribution.Ranks ranks) {
        this.rt = rt;
        this.ranks = ranks;
    }

    /** {@code DTensor.from_local} (torch/distributed/tensor/_api.py, _FromTorchTensor). */
    Tensor fromLocal(Tensor t, Placement placement) {
        Placement as = placement.of(t.dim());
        long[] sizes = t.sizes().clone();
        if (as.isShard()) {
            sizes[as.dim()] *= ranks.size();
        }
        Distribution made = new Distribution(ranks, as, sizes);
        return converted("_FromTorchTensorBackward", t, alias(t), made, as.ofGradient());
    }

    /** {@code DTensor.to_local}; whatever reads the plain tensor gives gradients as if it were all there is. */
    Tensor toLocal(Tensor t) {
        Tensor local = alias(t);
        Tensor out = rt.view(local, t.sizes(), t.strides(), t.offset()); // of the local tensor, which has no history
        rt.free(local);
        Recorder r = rt.record("_ToTorchTensorBackward", t);
        Distribution of = t.givenDistribution();
        of.gradientsCome(of.placement().ofGradient());
        return r.gradient(0, g -> g).output(out);
    }

    /** {@code DTensor.redistribute} (torch/distributed/tensor/_redistribute.py, Redistribute). */
    Tensor redistribute(Tensor t, Placement placement, boolean asynchronous) {
        Distribution from = t.givenDistribution();
        Placement to = placement.of(t.dim());
        unmask(from);
        Tensor local = ranks.redistribute(t, from.placement(), to, from.sizes(), asynchronous);
        Distribution made = new Distribution(ranks, to, from.sizes());
        Placement back = from.placement().ofGradient();
        from.gradientsCome(back);
        return converted("RedistributeBackward", t, local == t ? alias(t) : local, made, back, asynchronous);
    }

    /** MaskBuffer.apply_mask and release_mask (torch/distributed/tensor/_ops/_mask_buffer.py). */
    private void unmask(Distribution of) {
        rt.release(of.mask());
        of.setMask(null);
    }

    private Tensor alias(Tensor t) {
        return rt.reinterpret(t, t.sizes(), t.strides(), t.offset());
    }

    private Tensor converted(String node, Tensor from, Tensor to, Distribution made, Placement back) {
        return converted(node, from, to, made, back, false);
    }

    /** @param back the layout that the gradient is to have behind the node */
    private Tensor converted(
            String node, Tensor from, Tensor to, Distribution made, Placement back, boolean asynchronous) {
        Recorder r = rt.record(node, from);
        r.gradient(0, g -> {
                    // Summands stay summands where summands went in.
                    Placement comes = made.gradient();
                    return ranks.redistribute(g, comes, back, made.sizes(), asynchronous);
                })
                .output(to);
        to.setDistribution(made);
        return to;
    }
}
