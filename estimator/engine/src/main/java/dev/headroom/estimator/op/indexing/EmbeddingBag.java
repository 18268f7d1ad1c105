package dev.headroom.estimator.op.indexing;

import dev.headroom.estimator.op.core.Copies;
import dev.headroom.estimator.op.core.Creation;
import dev.headroom.estimator.op.rule.Call;
import dev.headroom.estimator.op.rule.NoRule;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Recorder;
import dev.headroom.estimator.runtime.Saved;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;

/** Sums, means or maxima of bags of rows (ATen/native/cuda/EmbeddingBag.cu). */
final class EmbeddingBag {
    private static final int MAX = 2;

    private EmbeddingBag() {}

    static Tensor[] run(Call c) {
        EagerRuntime rt = c.runtime();
        Tensor weight = c.tensor("weight");
        Tensor indices = c.tensor("indices");
        Tensor factors = c.tensorOrNull("per_sample_weights");
        if (c.flag("sparse", false) || c.flag("scale_grad_by_freq", false)) {
            throw new NoRule("bags of embeddings with sparse or scaled gradients");
        }
        long bags = c.tensor("offsets").size(0) - (c.flag("include_last_offset", false) ? 1 : 0);
        boolean max = c.integer("mode", 0) == MAX;
        Recorder r = rt.record("EmbeddingBagBackward0", weight, factors);
        Saved kept = r.save(indices);
        r.save(c.tensor("offsets"));
        r.save(factors);
        r.saveIf(r.needs(1), weight);
        Tensor sizes = rt.empty(indices.dtype(), c.tensor("offsets").size(0));
        Tensor bagOfIndex = rt.empty(indices.dtype(), indices.size(0));
        Tensor out = rt.empty(weight.dtype(), bags, weight.size(1));
        Tensor largest = rt.empty(indices.dtype(), max ? bags : 0, weight.size(1));
        r.saveOutput(bagOfIndex);
        r.saveOutput(sizes);
        r.saveOutput(largest);
        long rows = weight.size(0);
        DType type = weight.dtype();
        r.gradient(1, g -> rt.empty(g.dtype(), kept.get().size(0)))
                .gradient(0, g -> {
                    Tensor dense = Copies.contiguous(rt, g);
                    Tensor made = max
                            ? Creation.zeros(rt, type, rows, g.size(1))
                            : Embedding.summed(rt, dense, kept.get(), rows);
                    rt.freeUnless(dense, g);
                    return made;
                })
                .output(out);
        r.nonDifferentiable(bagOfIndex).nonDifferentiable(sizes).nonDifferentiable(largest);
        return new Tensor[] {out, bagOfIndex, sizes, largest};
    }
}
