package dev.headroom.executor.op.indexing;

import dev.headroom.executor.autograd.Recorder;
import dev.headroom.executor.autograd.SavedTensor;
import dev.headroom.executor.kernel.BagCall;
import dev.headroom.executor.kernel.BagCall.Mode;
import dev.headroom.executor.op.basic.Copies;
import dev.headroom.executor.op.basic.Slices;
import dev.headroom.executor.op.registry.Arguments;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.error.UserInputException;

/** Sums, means or greatest elements of bags of rows (aten/src/ATen/native/cuda/EmbeddingBag.cu). */
final class EmbeddingBags {
    private EmbeddingBags() {}

    static Tensor[] run(Eager e, Arguments a) {
        if (a.flag("sparse", false) || a.flag("scale_grad_by_freq", false)) {
            throw new UserInputException(
                    "embedding_bag with sparse or scaled gradients is not supported by the executor");
        }
        Tensor weight = a.tensor("weight");
        Tensor indices = a.tensor("indices");
        Tensor offsets = a.tensor("offsets");
        Tensor factors = a.optional("per_sample_weights");
        Mode mode = Mode.values()[(int) a.integer("mode", 0)];
        long padding = a.integer("padding_idx", -1);
        long bags = offsets.size(0) - (a.flag("include_last_offset", false) ? 1 : 0);
        Recorder r = e.record("EmbeddingBagBackward0", weight, factors);
        SavedTensor savedIndices = r.save(indices);
        SavedTensor savedOffsets = r.save(offsets);
        SavedTensor savedFactors = r.save(factors);
        SavedTensor savedWeight = r.saveIf(r.needs(1), weight);
        Tensor sizes = e.empty(indices.dtype(), offsets.size(0));
        Tensor bagOf = e.empty(indices.dtype(), indices.size(0));
        Tensor out = e.empty(weight.dtype(), bags, weight.size(1));
        Tensor largest = e.empty(indices.dtype(), mode == Mode.MAX ? bags : 0, weight.size(1));
        e.backend()
                .indexing()
                .bags(new BagCall(mode, indices, offsets, factors, padding), out, weight, bagOf, sizes, largest);
        SavedTensor savedBag = r.saveOutput(bagOf);
        SavedTensor savedSizes = r.saveOutput(sizes);
        SavedTensor savedLargest = r.saveOutput(largest);
        long rows = weight.size(0);
        r.backward(g -> {
            BagCall call = new BagCall(mode, savedIndices.get(), savedOffsets.get(), savedFactors.getOrNull(), padding);
            Tensor ofFactors = null;
            if (r.needs(1)) {
                ofFactors = e.empty(g[0].dtype(), call.indices().size(0));
                e.backend().indexing().bagFactorsBackward(call, ofFactors, g[0], savedWeight.get(), savedBag.get());
            }
            Tensor ofWeight = r.needs(0)
                    ? e.call(() -> {
                        Tensor packed = Copies.packed(e, g[0]);
                        EmbeddingOperators.Sum sum = to -> e.backend()
                                .indexing()
                                .bagsBackward(call, to, packed, savedBag.get(), savedSizes.get(), savedLargest.get());
                        if (mode != Mode.MAX) {
                            return EmbeddingOperators.bySorting(e, call.indices(), packed, rows, sum);
                        }
                        Tensor zeros = Slices.zeros(e, packed, rows, packed.size(1));
                        sum.into(zeros);
                        return zeros;
                    })
                    : null;
            return new Tensor[] {ofWeight, ofFactors};
        });
        return new Tensor[] {r.output(out), bagOf, sizes, largest};
    }
}
