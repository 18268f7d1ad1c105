package dev.headroom.estimator.parallel.tensor;

import dev.headroom.estimator.loop.GradientClipping;
import dev.headroom.estimator.parallel.group.Communicator;
import dev.headroom.estimator.parallel.group.PartialNorms;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;
import java.util.List;

/**
 * Norms of gradients that are divided in a grid of ranks, one dimension after the other.
 *
 * @param groups of the dimensions, the outer first
 * @param wholeInRow gradients that all ranks of the inner dimension have
 */
record DividedNorms(EagerRuntime runtime, List<Communicator> groups, int wholeInRow) implements GradientClipping.Parts {
    /** NCCL's own stream of each group. */
    private static final List<Integer> STREAMS = List.of(5, TensorRanks.NCCL);

    @Override
    public List<Tensor> summed(List<Tensor> gradients) {
        return gradients;
    }

    @Override
    public int whole(List<Tensor> gradients) {
        return wholeInRow;
    }

    @Override
    public Tensor across(Tensor norms) {
        Tensor out = norms;
        for (int d = 0; d < groups.size(); d++) {
            Tensor next = new PartialNorms(runtime, groups.get(d), STREAMS.get(d)).apply(out);
            runtime.freeUnless(out, norms);
            out = next;
        }
        return out;
    }
}
